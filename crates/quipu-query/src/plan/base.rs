//! The parts of plans: patterns in two forms, optional patterns, constants.

use oxrdf::{Literal, Term, Variable};
use spargebra::algebra::{Expression as Sparql, GraphPattern};
use spargebra::term::TriplePattern;

/// How an aggregate over no values shows that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nothing {
    /// By a row without a value.
    Absent,
    /// By giving no row. For a row that is joined the effect is the same, and Virtuoso does not
    /// compare values that may be absent.
    NoRow,
}

/// A pattern in two forms: as it runs, and with its subqueries opened, so that all its triples are
/// visible.
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

/// A query's pattern without its DISTINCT.
pub(super) fn with_equal_rows(pattern: GraphPattern) -> GraphPattern {
    match pattern {
        GraphPattern::Slice { inner, start, length } => {
            GraphPattern::Slice { inner: Box::new(with_equal_rows(*inner)), start, length }
        }
        GraphPattern::Distinct { inner } => *inner,
        other => other,
    }
}

/// An optional pattern. The filters at its end become conditions of the join, which apply to both
/// sides, as they do in the text of a query.
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
