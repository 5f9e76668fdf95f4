//! Values and conditions, by increasing precedence of their operators.

use super::super::lexer::Token;
use super::super::syntax::Value;
use super::{Parser, Read, refuse};

impl Parser {
    pub(super) fn value(&mut self) -> Read<Value> {
        let mut left = self.both()?;
        while self.takes("OR") {
            left = two("OR", left, self.both()?);
        }
        Ok(left)
    }

    fn both(&mut self) -> Read<Value> {
        let mut left = self.negated()?;
        while self.takes("AND") {
            left = two("AND", left, self.negated()?);
        }
        Ok(left)
    }

    fn negated(&mut self) -> Read<Value> {
        match self.takes("NOT") {
            true => Ok(Value::Not(Box::new(self.negated()?))),
            false => self.comparison(),
        }
    }

    fn comparison(&mut self) -> Read<Value> {
        let mut left = self.sum()?;
        loop {
            let sign =
                ["=", "<>", "!=", "<=", ">=", "<", ">", "=~"].into_iter().find(|sign| self.takes_sign(sign));
            if let Some(sign) = sign {
                let right = self.sum()?;
                // "1 < x < 3" means both comparisons.
                left = match left {
                    Value::Two("<" | "<=" | ">" | ">=", _, ref middle) => {
                        let middle = (**middle).clone();
                        two("AND", left, two(sign, middle, right))
                    }
                    left => two(sign, left, right),
                };
            } else if self.takes("IN") {
                left = two("IN", left, self.sum()?);
            } else if self.takes("NOT IN") {
                left = Value::Not(Box::new(two("IN", left, self.sum()?)));
            } else if self.takes("CONTAINS") {
                left = two("CONTAINS", left, self.sum()?);
            } else if self.takes("STARTS WITH") {
                left = two("STARTS", left, self.sum()?);
            } else if self.takes("ENDS WITH") {
                left = two("ENDS", left, self.sum()?);
            } else if self.takes("IS NULL") {
                left = Value::IsNull(Box::new(left));
            } else if self.takes("IS NOT NULL") {
                left = Value::Not(Box::new(Value::IsNull(Box::new(left))));
            } else {
                return Ok(left);
            }
        }
    }

    fn sum(&mut self) -> Read<Value> {
        let mut left = self.product()?;
        while let Some(sign) = ["+", "-"].into_iter().find(|sign| self.takes_sign(sign)) {
            left = two(sign, left, self.product()?);
        }
        Ok(left)
    }

    fn product(&mut self) -> Read<Value> {
        let mut left = self.single()?;
        while let Some(sign) = ["*", "/"].into_iter().find(|sign| self.takes_sign(sign)) {
            left = two(sign, left, self.single()?);
        }
        match self.is_sign(0, "%") || self.is_sign(0, "^") {
            true => refuse("% and ^ are not read"),
            false => Ok(left),
        }
    }

    /// A value with the properties behind it.
    fn single(&mut self) -> Read<Value> {
        let mut value = self.bare()?;
        loop {
            if self.takes_sign(".") {
                value = Value::Property(Box::new(value), self.name()?);
            } else if self.is_sign(0, "[") {
                return refuse("places and parts of lists are not read");
            } else {
                return Ok(value);
            }
        }
    }

    fn bare(&mut self) -> Read<Value> {
        let token = self.peek(0).cloned();
        match token {
            Some(Token::Text(text)) => {
                self.at += 1;
                Ok(Value::Text(text))
            }
            Some(Token::Number(number)) => {
                self.at += 1;
                Ok(Value::Number(number))
            }
            Some(Token::Quoted(name)) => {
                self.at += 1;
                Ok(Value::Variable(name))
            }
            Some(Token::Sign("-")) => {
                self.at += 1;
                match self.single()? {
                    Value::Number(number) => Ok(Value::Number(format!("-{number}"))),
                    other => Ok(two("-", Value::Number("0".into()), other)),
                }
            }
            Some(Token::Sign("[")) => self.list(),
            Some(Token::Sign("(")) => self.bracketed(),
            Some(Token::Word(word)) => self.word(word),
            other => refuse(format!("a value is missing before {other:?}")),
        }
    }

    fn list(&mut self) -> Read<Value> {
        self.needs("[")?;
        let mut items = Vec::new();
        while !self.takes_sign("]") {
            items.push(self.value()?);
            if !self.takes_sign(",") && !self.is_sign(0, "]") {
                return refuse("lists that are made of other lists are not read");
            }
        }
        Ok(Value::List(items))
    }

    /// A pattern as a condition, else a value in brackets.
    fn bracketed(&mut self) -> Read<Value> {
        let start = self.at;
        if let Ok(pattern) = self.pattern()
            && !pattern.links.is_empty()
        {
            return Ok(Value::Exists(vec![pattern], None));
        }
        self.at = start;
        self.needs("(")?;
        let value = self.value()?;
        self.needs(")")?;
        Ok(value)
    }

    fn word(&mut self, word: String) -> Read<Value> {
        self.at += 1;
        let upper = word.to_ascii_uppercase();
        match upper.as_str() {
            "TRUE" | "FALSE" => return Ok(Value::Flag(upper == "TRUE")),
            "NULL" => return Ok(Value::Null),
            "CASE" => return self.case(),
            "EXISTS" | "COUNT" if self.is_sign(0, "{") => {
                let (patterns, filter) = self.braces()?;
                return Ok(match upper.as_str() {
                    "EXISTS" => Value::Exists(patterns, filter),
                    _ => Value::Count(patterns, filter),
                });
            }
            _ => {}
        }
        if !self.takes_sign("(") {
            return Ok(Value::Variable(word));
        }
        let distinct = self.takes("DISTINCT");
        let mut parts = Vec::new();
        while !self.takes_sign(")") {
            if self.takes_sign("*") {
                continue;
            }
            parts.push(self.value()?);
            if !self.takes_sign(",") && !self.is_sign(0, ")") {
                return refuse(format!("this call of {word} is not read"));
            }
        }
        // size((a)-[]->()) and exists((a)-[]->()).
        Ok(match (upper.as_str(), parts.as_slice()) {
            ("SIZE" | "COUNT", [Value::Exists(patterns, filter)]) => {
                Value::Count(patterns.clone(), filter.clone())
            }
            ("EXISTS", [condition @ Value::Exists(..)]) => condition.clone(),
            ("EXISTS", [value]) => Value::Not(Box::new(Value::IsNull(Box::new(value.clone())))),
            _ => Value::Call { name: upper, distinct, parts },
        })
    }

    fn case(&mut self) -> Read<Value> {
        let of = if self.is_word(0, "WHEN") { None } else { Some(self.value()?) };
        let mut cases = Vec::new();
        while self.takes("WHEN") {
            let when = self.value()?;
            let when = match &of {
                Some(of) => two("=", of.clone(), when),
                None => when,
            };
            if !self.takes("THEN") {
                return refuse("CASE needs THEN");
            }
            cases.push((when, self.value()?));
        }
        let otherwise = if self.takes("ELSE") { Some(Box::new(self.value()?)) } else { None };
        match self.takes("END") {
            true => Ok(Value::Case(cases, otherwise)),
            false => refuse("CASE needs END"),
        }
    }
}

fn two(operator: &'static str, left: Value, right: Value) -> Value {
    Value::Two(operator, Box::new(left), Box::new(right))
}
