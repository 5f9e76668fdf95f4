//! Conditions and calculations, adapted to the forms of the graph's texts, numbers and dates.

use oxrdf::{Literal, NamedNode, Variable};
use quipu_query::{Kind, QueryError};
use spargebra::algebra::{Expression, Function, GraphPattern};
use spargebra::term::TermPattern;

use super::triples::any_of;
use super::{Rewriter, local};
use crate::sparql::parts::parts_mut;
use crate::sparql::text::{XSD, spoken};

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Equal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Order {
    fn turned(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::Less => Self::Greater,
            Self::AtMost => Self::AtLeast,
            Self::Greater => Self::Less,
            Self::AtLeast => Self::AtMost,
        }
    }

    fn of(self, a: Expression, b: Expression) -> Expression {
        let (a, b) = (Box::new(a), Box::new(b));
        match self {
            Self::Equal => Expression::Equal(a, b),
            Self::Less => Expression::Less(a, b),
            Self::AtMost => Expression::LessOrEqual(a, b),
            Self::Greater => Expression::Greater(a, b),
            Self::AtLeast => Expression::GreaterOrEqual(a, b),
        }
    }
}

fn call(function: Function, parts: Vec<Expression>) -> Expression {
    Expression::FunctionCall(function, parts)
}

fn cast(of: Expression, datatype: &str) -> Expression {
    call(Function::Custom(NamedNode::new_unchecked(format!("{XSD}{datatype}"))), vec![of])
}

fn string(text: &str) -> Expression {
    Expression::Literal(Literal::new_simple_literal(text))
}

/// A number, from a numeric literal or from text.
pub(super) fn decimal(of: Expression) -> Expression {
    let text = call(Function::Str, vec![of]);
    cast(call(Function::Replace, vec![text, string(",([0-9]{3})"), string("$1")]), "decimal")
}

/// A number as it was written.
pub(super) fn number_of(text: &str) -> Option<Expression> {
    let plain = text.replace(',', "");
    plain.parse::<f64>().ok()?;
    let datatype = NamedNode::new_unchecked(format!("{XSD}decimal"));
    Some(Expression::Literal(Literal::new_typed_literal(plain, datatype)))
}

/// A date compared with a written date at the latter's precision: 2021-06 is at most 2021.
pub(super) fn date_compared(order: Order, date: Expression, written: &str) -> Expression {
    let length = i64::try_from(written.chars().count()).unwrap_or(i64::MAX);
    order.of(digits(date, 1, length), string(written))
}

fn digits(date: Expression, start: i64, length: i64) -> Expression {
    let number = |number: i64| Expression::Literal(Literal::from(number));
    call(Function::SubStr, vec![call(Function::Str, vec![date]), number(start), number(length)])
}

/// The variable inside formatting functions: `LCASE(STR(?x))`.
fn variable(of: &Expression) -> Option<&Variable> {
    match of {
        Expression::Variable(variable) => Some(variable),
        Expression::FunctionCall(Function::Str | Function::LCase | Function::UCase, parts) => {
            parts.first().and_then(variable)
        }
        Expression::FunctionCall(Function::Custom(name), parts) if name.as_str().starts_with(XSD) => {
            parts.first().and_then(variable)
        }
        _ => None,
    }
}

/// The text of a constant inside formatting functions: `LCASE("Gull")`, `xsd:date("2021-01-01")`,
/// `:Gull`.
fn constant(of: &Expression) -> Option<String> {
    match of {
        Expression::Literal(literal) => Some(literal.value().to_owned()),
        Expression::NamedNode(node) => Some(spoken(local(node.as_str()))),
        Expression::FunctionCall(Function::Str | Function::LCase | Function::UCase, parts) => {
            parts.first().and_then(constant)
        }
        Expression::FunctionCall(Function::Custom(name), parts) if name.as_str().starts_with(XSD) => {
            parts.first().and_then(constant)
        }
        _ => None,
    }
}

impl Rewriter<'_> {
    fn kind_of(&self, variable: &Variable) -> Option<Kind> {
        match self.classes.get(variable).and_then(|classes| classes.first()) {
            Some(class) => Some(Kind::Entity(Some(*class))),
            None => self.names.kind(self.places.get(variable)?),
        }
    }

    /// Whether a column's dates are bare years.
    fn are_years(&self, variable: &Variable) -> bool {
        let columns = self.places.get(variable).into_iter().flatten();
        let mut examples =
            columns.filter_map(|place| self.names.tables.column(*place)).flat_map(|column| &column.examples);
        examples.all(|example| example.len() == 4)
    }

    pub(super) fn condition(&mut self, expression: Expression) -> Result<Expression, QueryError> {
        match expression {
            Expression::Equal(a, b) | Expression::SameTerm(a, b) => self.compared(Order::Equal, *a, *b),
            Expression::Less(a, b) => self.compared(Order::Less, *a, *b),
            Expression::LessOrEqual(a, b) => self.compared(Order::AtMost, *a, *b),
            Expression::Greater(a, b) => self.compared(Order::Greater, *a, *b),
            Expression::GreaterOrEqual(a, b) => self.compared(Order::AtLeast, *a, *b),
            Expression::In(of, list) => {
                let one = |value| self.compared(Order::Equal, (*of).clone(), value);
                let all = list.into_iter().map(one).collect::<Result<Vec<_>, _>>()?;
                let either = all.into_iter().reduce(|a, b| Expression::Or(Box::new(a), Box::new(b)));
                Ok(either.unwrap_or(Expression::Literal(Literal::from(false))))
            }
            Expression::Exists(inner) => Ok(Expression::Exists(Box::new(self.pattern(*inner)?))),
            Expression::FunctionCall(
                function @ (Function::Contains | Function::StrStarts | Function::StrEnds | Function::Regex),
                parts,
            ) => Ok(self.of_text(&function, parts)),
            // Names in all languages count the same.
            Expression::FunctionCall(Function::LangMatches, _) => {
                Ok(Expression::Literal(Literal::from(true)))
            }
            Expression::FunctionCall(
                function @ (Function::Year | Function::Month | Function::Day),
                parts,
            ) => {
                let of = parts.into_iter().next().unwrap_or_else(|| string(""));
                let (start, length) = match function {
                    Function::Year => (1, 4),
                    Function::Month => (6, 2),
                    _ => (9, 2),
                };
                Ok(cast(digits(of, start, length), "integer"))
            }
            Expression::Variable(of) => Ok(match self.kind_of(&of) {
                Some(Kind::Number { text: true }) => decimal(Expression::Variable(of)),
                // The store orders date-times, but neither days nor years.
                Some(Kind::Date) => call(Function::Str, vec![Expression::Variable(of)]),
                _ => Expression::Variable(of),
            }),
            Expression::Add(..)
            | Expression::Subtract(..)
            | Expression::Multiply(..)
            | Expression::Divide(..) => {
                let mut calculated = expression;
                for part in parts_mut(&mut calculated) {
                    *part = match variable(part) {
                        // SPARQL 1.1 has no arithmetic on years.
                        Some(of) if self.kind_of(of) == Some(Kind::Date) && self.are_years(of) => {
                            cast(digits(Expression::Variable(of.clone()), 1, 4), "integer")
                        }
                        _ => self.condition(part.clone())?,
                    };
                }
                Ok(calculated)
            }
            mut other => {
                for part in parts_mut(&mut other) {
                    *part = self.condition(part.clone())?;
                }
                Ok(other)
            }
        }
    }

    fn compared(&mut self, order: Order, a: Expression, b: Expression) -> Result<Expression, QueryError> {
        let is_language = |of: &Expression| matches!(of, Expression::FunctionCall(Function::Lang, _));
        if is_language(&a) || is_language(&b) {
            return Ok(Expression::Literal(Literal::from(true)));
        }
        if variable(&b).is_some() && variable(&a).is_none() && constant(&a).is_some() {
            return self.compared(order.turned(), b, a);
        }
        let (Some(of), Some(text)) = (variable(&a).cloned(), constant(&b)) else {
            return Ok(order.of(self.condition(a)?, self.condition(b)?));
        };
        let value = Expression::Variable(of.clone());
        Ok(match (self.kind_of(&of), number_of(&text)) {
            (Some(Kind::Number { .. }), Some(number)) => order.of(decimal(value), number),
            (Some(Kind::Date), _) => date_compared(order, value, &text),
            (Some(Kind::Flag), _) if order == Order::Equal => {
                let yes = matches!(text.to_ascii_lowercase().as_str(), "true" | "yes" | "1");
                order.of(value, Expression::Literal(Literal::from(yes)))
            }
            (Some(Kind::Entity(_) | Kind::Text), _) if order == Order::Equal => {
                let terms = self.meant(&of, &text);
                if terms.is_empty() {
                    return Err(QueryError::Unbound(format!("the graph has no such value: “{text}”")));
                }
                let terms = terms.into_iter().filter_map(|term| match term {
                    oxrdf::Term::NamedNode(node) => Some(Expression::NamedNode(node)),
                    oxrdf::Term::Literal(literal) => Some(Expression::Literal(literal)),
                    oxrdf::Term::BlankNode(_) => None,
                });
                Expression::In(Box::new(value), terms.collect())
            }
            _ => order.of(self.condition(a)?, b),
        })
    }

    /// CONTAINS, STRSTARTS, STRENDS and REGEX, ignoring case; for an entity, over its names.
    fn of_text(&mut self, function: &Function, parts: Vec<Expression>) -> Expression {
        let mut parts = parts.into_iter();
        let (of, text) = (parts.next().unwrap_or_else(|| string("")), parts.next());
        let text = text.as_ref().and_then(constant).unwrap_or_default();
        let test = |of: Expression| {
            let of = call(Function::Str, vec![of]);
            if *function == Function::Regex {
                return call(Function::Regex, vec![of, string(&text), string("i")]);
            }
            call(function.clone(), vec![call(Function::LCase, vec![of]), string(&text.to_lowercase())])
        };
        let Some(of) = variable(&of).cloned() else { return test(of) };
        let is_thing = matches!(self.kind_of(&of), Some(Kind::Entity(_)));
        if !is_thing || self.names.tables.labels.is_empty() {
            return test(Expression::Variable(of));
        }
        let name = self.variable();
        let path = any_of(self.labels());
        let object = TermPattern::Variable(name.clone());
        let inner = GraphPattern::Path { subject: of.into(), path, object };
        let expr = test(Expression::Variable(name));
        Expression::Exists(Box::new(GraphPattern::Filter { expr, inner: Box::new(inner) }))
    }
}
