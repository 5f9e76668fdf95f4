//! What plans are put together of: patterns in two forms, optional ones, constants.

use oxrdf::{Literal, Term, Variable};
use spargebra::algebra::{Expression as Sparql, GraphPattern};
use spargebra::term::TriplePattern;

/// How an aggregate tells that there was nothing to add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nothing {
    /// By a row without a value.
    Absent,
    /// By no row: where the row is joined that is the same, and Virtuoso compares no value that may be absent.
    NoRow,
}

/// A pattern in two forms: as it is run, and with the queries within it opened, so that all its triples are seen.
#[derive(Clone)]
pub(super) struct Base {
    pub(super) pattern: GraphPattern,
    pub(super) open: GraphPattern,
    pub(super) triples: Vec<TriplePattern>,
    pub(super) outer: Vec<Variable>,
}

impl Base {
    pub(super) fn extended(self, variable: &Variable, expression: &Sparql) -> Self {
        self.both(|inner| GraphPattern::Extend {
            inner: Box::new(inner),
            variable: variable.clone(),
            expression: expression.clone(),
        })
    }

    pub(super) fn both(mut self, change: impl Fn(GraphPattern) -> GraphPattern) -> Self {
        self.pattern = change(self.pattern);
        self.open = change(self.open);
        self
    }
}

/// A query's pattern with equal rows in it.
pub(super) fn with_equal_rows(pattern: GraphPattern) -> GraphPattern {
    match pattern {
        GraphPattern::Slice { inner, start, length } => {
            GraphPattern::Slice { inner: Box::new(with_equal_rows(*inner)), start, length }
        }
        GraphPattern::Distinct { inner } => *inner,
        other => other,
    }
}

/// An optional pattern. Its last conditions speak of both sides, as they do in the text of a query.
pub(super) fn left_join(left: GraphPattern, right: GraphPattern) -> GraphPattern {
    let (mut right, mut expression) = (right, None);
    while let GraphPattern::Filter { expr, inner } = right {
        expression = Some(match expression {
            Some(others) => Sparql::And(Box::new(expr), Box::new(others)),
            None => expr,
        });
        right = *inner;
    }
    GraphPattern::LeftJoin { left: Box::new(left), right: Box::new(right), expression }
}

pub(super) fn constant(term: &Term) -> Sparql {
    match term {
        Term::NamedNode(node) => node.clone().into(),
        Term::Literal(literal) => literal.clone().into(),
        other => Literal::new_simple_literal(other.to_string()).into(),
    }
}
