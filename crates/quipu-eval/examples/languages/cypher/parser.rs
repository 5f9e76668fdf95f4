//! Parses tokens into the supported Cypher. Anything else is refused by name.

mod values;

use quipu_query::QueryError;

use super::lexer::{Token, tokens};
use super::syntax::{Clause, Cypher, Node, Pattern, Projection, Relationship, Value};

type Read<T> = Result<T, QueryError>;

/// Reads a query.
pub fn read(text: &str) -> Read<Cypher> {
    let tokens = tokens(text).map_err(QueryError::Refused)?;
    let mut parser = Parser { tokens, at: 0 };
    let mut parts = vec![parser.part()?];
    while parser.takes("UNION") {
        parser.takes("ALL");
        parts.push(parser.part()?);
    }
    if let Some(token) = parser.tokens.get(parser.at) {
        return refuse(format!("this part of the Cypher is not read: {token:?}"));
    }
    Ok(Cypher { parts })
}

fn refuse<T>(reason: impl Into<String>) -> Read<T> {
    Err(QueryError::Refused(reason.into()))
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    fn is_word(&self, ahead: usize, word: &str) -> bool {
        matches!(self.peek(ahead), Some(Token::Word(found)) if found.eq_ignore_ascii_case(word))
    }

    fn is_sign(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.peek(ahead), Some(Token::Sign(found)) if *found == sign)
    }

    /// Consumes these words if they come next.
    fn takes(&mut self, words: &str) -> bool {
        let words: Vec<&str> = words.split(' ').collect();
        let all = words.iter().enumerate().all(|(ahead, word)| self.is_word(ahead, word));
        if all {
            self.at += words.len();
        }
        all
    }

    fn takes_sign(&mut self, sign: &str) -> bool {
        let is = self.is_sign(0, sign);
        self.at += usize::from(is);
        is
    }

    fn needs(&mut self, sign: &str) -> Read<()> {
        match self.takes_sign(sign) {
            true => Ok(()),
            false => refuse(format!("{sign} is missing before {:?}", self.peek(0))),
        }
    }

    fn name(&mut self) -> Read<String> {
        let name = match self.peek(0) {
            Some(Token::Word(name) | Token::Quoted(name)) => name.clone(),
            other => return refuse(format!("a name is missing before {other:?}")),
        };
        self.at += 1;
        Ok(name)
    }

    fn part(&mut self) -> Read<Vec<Clause>> {
        let mut clauses = Vec::new();
        loop {
            if self.takes("OPTIONAL MATCH") {
                clauses.push(self.matching(true)?);
            } else if self.takes("MATCH") {
                clauses.push(self.matching(false)?);
            } else if self.takes("UNWIND") {
                let of = self.value()?;
                if !self.takes("AS") {
                    return refuse("UNWIND needs AS");
                }
                clauses.push(Clause::Unwind(of, self.name()?));
            } else if self.takes("WITH") {
                clauses.push(Clause::With(self.projection()?));
            } else if self.takes("RETURN") {
                clauses.push(Clause::Return(self.projection()?));
                return Ok(clauses);
            } else if ["ORDER", "SKIP", "LIMIT"].iter().any(|word| self.is_word(0, word)) {
                // An order before RETURN applies to all variables.
                let mut all = Projection { all: true, ..Projection::default() };
                self.tail(&mut all)?;
                clauses.push(Clause::With(all));
            } else {
                return refuse(format!("MATCH, WITH or RETURN is missing before {:?}", self.peek(0)));
            }
        }
    }

    fn matching(&mut self, optional: bool) -> Read<Clause> {
        let patterns = self.patterns()?;
        let filter = if self.takes("WHERE") { Some(self.value()?) } else { None };
        Ok(Clause::Match { optional, patterns, filter })
    }

    fn patterns(&mut self) -> Read<Vec<Pattern>> {
        let mut patterns = vec![self.pattern()?];
        while self.takes_sign(",") {
            patterns.push(self.pattern()?);
        }
        Ok(patterns)
    }

    fn projection(&mut self) -> Read<Projection> {
        let mut made = Projection { distinct: self.takes("DISTINCT"), ..Projection::default() };
        loop {
            if self.takes_sign("*") {
                made.all = true;
            } else {
                let value = self.value()?;
                let alias = if self.takes("AS") { Some(self.name()?) } else { None };
                made.items.push((value, alias));
            }
            if !self.takes_sign(",") {
                break;
            }
        }
        self.tail(&mut made)?;
        Ok(made)
    }

    /// ORDER BY, SKIP and LIMIT, with WHERE on either side of them.
    fn tail(&mut self, made: &mut Projection) -> Read<()> {
        self.filter_of(made)?;
        if self.takes("ORDER BY") {
            loop {
                let value = self.value()?;
                let descending = self.takes("DESC") || self.takes("DESCENDING");
                if !descending && !self.takes("ASC") {
                    self.takes("ASCENDING");
                }
                made.order.push((value, descending));
                if !self.takes_sign(",") {
                    break;
                }
            }
        }
        if self.takes("SKIP") || self.takes("OFFSET") {
            made.skip = self.whole()?;
        }
        if self.takes("LIMIT") {
            made.limit = Some(self.whole()?);
        }
        self.filter_of(made)
    }

    fn filter_of(&mut self, made: &mut Projection) -> Read<()> {
        if self.takes("WHERE") {
            made.filter = Some(self.value()?);
        }
        Ok(())
    }

    fn whole(&mut self) -> Read<u64> {
        let number = match self.peek(0) {
            Some(Token::Number(number)) => number.parse().ok(),
            _ => None,
        };
        self.at += 1;
        number.map_or_else(|| refuse("SKIP and LIMIT take whole numbers"), Ok)
    }

    /// `(a:Ship {flag: 'red'})-[:CAPTAIN]->(c)`, with or without a path name before it.
    fn pattern(&mut self) -> Read<Pattern> {
        if matches!(self.peek(0), Some(Token::Word(_))) && self.is_sign(1, "=") {
            self.at += 2;
        }
        let mut pattern = Pattern { nodes: vec![self.node()?], links: Vec::new() };
        while self.is_link() {
            pattern.links.push(self.relationship()?);
            pattern.nodes.push(self.node()?);
        }
        Ok(pattern)
    }

    fn is_link(&self) -> bool {
        self.is_sign(0, "--")
            || self.is_sign(0, "-->")
            || (self.is_sign(0, "-") && self.is_sign(1, "["))
            || (self.is_sign(0, "<-") && (self.is_sign(1, "[") || self.is_sign(1, "-")))
    }

    fn node(&mut self) -> Read<Node> {
        self.needs("(")?;
        let mut node = Node::default();
        if matches!(self.peek(0), Some(Token::Word(_) | Token::Quoted(_))) && !self.is_word(0, "WHERE") {
            node.variable = Some(self.name()?);
        }
        while self.takes_sign(":") || self.takes_sign("|") || self.takes_sign("&") {
            node.labels.push(self.name()?);
        }
        if self.takes_sign("{") {
            while !self.takes_sign("}") {
                let name = self.name()?;
                self.needs(":")?;
                node.properties.push((name, self.value()?));
                if !self.takes_sign(",") && !self.is_sign(0, "}") {
                    return refuse("} is missing behind the properties of a node");
                }
            }
        }
        if self.takes("WHERE") {
            node.filter = Some(Box::new(self.value()?));
        }
        self.needs(")")?;
        Ok(node)
    }

    fn relationship(&mut self) -> Read<Relationship> {
        let mut made = Relationship::default();
        if self.takes_sign("--") || self.takes_sign("-->") {
            return Ok(made);
        }
        made.backward = self.takes_sign("<-");
        if made.backward && self.takes_sign("-") {
            return Ok(made);
        }
        if !made.backward {
            self.needs("-")?;
        }
        self.needs("[")?;
        if matches!(self.peek(0), Some(Token::Word(_) | Token::Quoted(_))) {
            made.variable = Some(self.name()?);
        }
        while self.takes_sign(":") || self.takes_sign("|") {
            self.takes_sign(":");
            made.types.push(self.name()?);
        }
        if self.is_sign(0, "*") || self.is_sign(0, "{") {
            return refuse("paths of any length and properties of relationships are not read");
        }
        self.needs("]")?;
        if !self.takes_sign("->") {
            self.needs("-")?;
        }
        Ok(made)
    }

    /// `{ MATCH pattern WHERE condition }`, with an optional RETURN.
    fn braces(&mut self) -> Read<(Vec<Pattern>, Option<Box<Value>>)> {
        self.needs("{")?;
        self.takes("MATCH");
        let patterns = self.patterns()?;
        let filter = if self.takes("WHERE") { Some(Box::new(self.value()?)) } else { None };
        if self.takes("RETURN") {
            self.projection()?;
        }
        self.needs("}")?;
        Ok((patterns, filter))
    }
}
