//! Texts and names in expressions.

use std::fmt::Write;

use oxrdf::{Literal, NamedNode, Variable};
use spargebra::algebra::{Expression, Function, GraphPattern};
use spargebra::term::TermPattern;

use super::Planner;
use super::rows::triple;

const XSD: &str = "http://www.w3.org/2001/XMLSchema#";

pub(super) fn call(function: Function, parts: Vec<Expression>) -> Expression {
    Expression::FunctionCall(function, parts)
}

pub(super) fn integer(number: i64) -> Expression {
    Expression::Literal(Literal::from(number))
}

pub(super) fn string(text: &str) -> Expression {
    Expression::Literal(Literal::new_simple_literal(text))
}

/// The text of a value, without its language and datatype.
pub(super) fn text(of: Expression) -> Expression {
    match of {
        Expression::FunctionCall(Function::Str | Function::SubStr | Function::LCase | Function::UCase, _) => {
            of
        }
        of => call(Function::Str, vec![of]),
    }
}

pub(super) fn lower(of: Expression) -> Expression {
    call(Function::LCase, vec![text(of)])
}

/// Keeps a part of a calculation together in the query's text: the printer puts no brackets around
/// sums, which would change the result. COALESCE of one value is that value.
pub(super) fn whole(of: Expression) -> Expression {
    match of {
        Expression::Add(..)
        | Expression::Subtract(..)
        | Expression::Multiply(..)
        | Expression::Divide(..) => Expression::Coalesce(vec![of]),
        other => other,
    }
}

/// A value read as a number or another datatype of XML Schema.
pub(super) fn cast(of: Expression, datatype: &str) -> Expression {
    let function = Function::Custom(NamedNode::new_unchecked(format!("{XSD}{datatype}")));
    call(function, vec![of])
}

/// A text, or the end of an IRI, read as a number; commas may separate thousands.
pub(super) fn numeric(of: Expression) -> Expression {
    let plain = call(Function::Replace, vec![text(of), string("^.*[/#:]|,([0-9]{3})"), string("$1")]);
    cast(plain, "double")
}

/// The number that a text begins with: 12.5 of "12.5 kW".
pub(super) fn leading_number(of: Expression) -> Expression {
    numeric(call(Function::Replace, vec![text(of), string("^([-+]?[0-9.,]+).*$"), string("$1")]))
}

/// The minutes of a duration such as `PT1H30M`: its days, hours, minutes and seconds added up.
pub(super) fn minutes(of: Expression) -> Expression {
    let stated = text(of);
    let part = |is_there: &str, number: &str, factor: f64| {
        let there = call(Function::Regex, vec![stated.clone(), string(is_there)]);
        let number =
            cast(call(Function::Replace, vec![stated.clone(), string(number), string("$1")]), "double");
        let factor = Expression::Literal(Literal::from(factor));
        let minutes = Expression::Multiply(Box::new(number), Box::new(factor));
        Expression::If(Box::new(there), Box::new(minutes), Box::new(integer(0)))
    };
    let parts = [
        part("^P[0-9.]+D", "^P([0-9.]+)D.*$", 24.0 * 60.0),
        part("T[0-9.]+H", "^.*T([0-9.]+)H.*$", 60.0),
        part("T.*M", "^.*[TH]([0-9.]+)M.*$", 1.0),
        part("S$", "^.*[THM]([0-9.]+)S$", 1.0 / 60.0),
    ];
    let sum = parts.into_iter().reduce(|sum, part| Expression::Add(Box::new(sum), Box::new(part)));
    sum.unwrap_or_else(|| integer(0))
}

/// Whether an expression is short enough for a query.
pub(super) fn fits(of: &Expression) -> bool {
    write!(Room(LONGEST), "{of}").is_ok()
}

/// Longest expression, in bytes: the store refuses longer queries.
const LONGEST: usize = 64 << 10;

/// Bytes that a text may still add.
struct Room(usize);

impl Write for Room {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0 = self.0.checked_sub(text.len()).ok_or(std::fmt::Error)?;
        Ok(())
    }
}

/// A number as it was written.
pub(super) fn number(written: &str) -> Expression {
    let datatype = match written {
        _ if written.parse::<i64>().is_ok() => "integer",
        _ if written.contains(['e', 'E']) => "double",
        _ => "decimal",
    };
    let datatype = NamedNode::new_unchecked(format!("{XSD}{datatype}"));
    Expression::Literal(Literal::new_typed_literal(written, datatype))
}

/// The condition that a text matches a LIKE pattern.
pub(super) fn like(of: Expression, pattern: &str) -> Expression {
    let pattern = pattern.to_lowercase();
    let inner = pattern.trim_matches('%');
    let (open_start, open_end) = (pattern.starts_with('%'), pattern.ends_with('%') && !pattern.is_empty());
    if inner.contains(['%', '_']) {
        return call(Function::Regex, vec![of, string(&regex_of(&pattern)), string("i")]);
    }
    match (open_start, open_end) {
        (true, true) => call(Function::Contains, vec![of, string(inner)]),
        (true, false) => call(Function::StrEnds, vec![of, string(inner)]),
        (false, true) => call(Function::StrStarts, vec![of, string(inner)]),
        (false, false) => Expression::Equal(Box::new(of), Box::new(string(inner))),
    }
}

fn regex_of(pattern: &str) -> String {
    let mut regex = String::from("^");
    for character in pattern.chars() {
        match character {
            '%' => regex.push_str(".*"),
            '_' => regex.push('.'),
            c if r".+*?()|[]{}^$\".contains(c) => regex.extend(['\\', c]),
            c => regex.push(c),
        }
    }
    regex.push('$');
    regex
}

impl Planner<'_> {
    /// Whether a name of an entity satisfies a condition: one of its labels, or the readable end of
    /// its IRI.
    pub(super) fn named(
        &mut self,
        entity: &Variable,
        holds: impl Fn(Expression) -> Expression,
    ) -> Expression {
        let end = call(
            Function::Replace,
            vec![call(Function::Str, vec![entity.clone().into()]), string("^.*[/#:]"), string("")],
        );
        // "Adult_Silver%20Dragon" is compared as "adult silver dragon".
        let spaced = call(Function::Replace, vec![end, string("_|%20"), string(" ")]);
        let by_key = holds(lower(spaced));
        let mut any = by_key;
        let tables = self.tables;
        for label in &tables.labels {
            any = Expression::Or(Box::new(self.labelled(entity, label, &holds)), Box::new(any));
        }
        self.where_bound(any, [entity.clone()])
    }

    /// Whether a label of an entity satisfies a condition, or the end of its IRI if the graph has
    /// no labels.
    pub(super) fn called(
        &mut self,
        entity: &Variable,
        holds: impl Fn(Expression) -> Expression,
    ) -> Expression {
        let Some(label) = self.tables.labels.first() else {
            let end = vec![text(entity.clone().into()), string("^.*[/#:]"), string("")];
            return holds(lower(call(Function::Replace, end)));
        };
        let labelled = self.labelled(entity, label, &holds);
        self.where_bound(labelled, [entity.clone()])
    }

    /// Whether a label of an entity satisfies a condition.
    fn labelled(
        &mut self,
        entity: &Variable,
        label: &str,
        holds: &impl Fn(Expression) -> Expression,
    ) -> Expression {
        let name = self.cells.fresh("label");
        let pattern =
            triple(TermPattern::Variable(entity.clone()), label, TermPattern::Variable(name.clone()));
        let inner = GraphPattern::Filter {
            expr: holds(lower(name.into())),
            inner: Box::new(GraphPattern::Bgp { patterns: vec![pattern] }),
        };
        Expression::Exists(Box::new(inner))
    }

    /// A condition that also demands values for those of the variables that may be unbound; an
    /// unbound variable would match anything.
    pub(super) fn where_bound(
        &self,
        condition: Expression,
        variables: impl IntoIterator<Item = Variable>,
    ) -> Expression {
        let may_lack = variables.into_iter().filter(|variable| self.origins.contains_key(variable));
        may_lack.fold(condition, |condition, variable| {
            Expression::And(Box::new(Expression::Bound(variable)), Box::new(condition))
        })
    }
}
