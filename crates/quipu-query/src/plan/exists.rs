//! EXISTS in SPARQL, of a pattern that shares variables with the outer query.

use oxrdf::Variable;
use spargebra::algebra::{Expression as Sparql, GraphPattern};

/// EXISTS of a pattern. A constant that the pattern gives a variable of the outer query is compared
/// outside: BIND within would set that variable anew.
pub(super) fn exists(pattern: GraphPattern, outer: &[Variable]) -> Sparql {
    let mut constants = Vec::new();
    let pattern = without_constants(pattern, outer, &mut constants);
    constants.into_iter().fold(Sparql::Exists(Box::new(pattern)), |found, (variable, constant)| {
        let same = Sparql::Equal(Box::new(variable.into()), Box::new(constant));
        Sparql::And(Box::new(same), Box::new(found))
    })
}

/// The pattern without the constants that it gives some variables; these are collected.
fn without_constants(
    pattern: GraphPattern,
    outer: &[Variable],
    constants: &mut Vec<(Variable, Sparql)>,
) -> GraphPattern {
    let mut within = |inner: Box<GraphPattern>| Box::new(without_constants(*inner, outer, constants));
    match pattern {
        GraphPattern::Extend { inner, variable, expression } => {
            let inner = within(inner);
            let is_constant = matches!(expression, Sparql::NamedNode(_) | Sparql::Literal(_));
            if is_constant && outer.contains(&variable) {
                constants.push((variable, expression));
                return *inner;
            }
            GraphPattern::Extend { inner, variable, expression }
        }
        GraphPattern::Filter { expr, inner } => GraphPattern::Filter { expr, inner: within(inner) },
        GraphPattern::Join { left, right } => GraphPattern::Join { left: within(left), right: within(right) },
        GraphPattern::LeftJoin { left, right, expression } => {
            GraphPattern::LeftJoin { left: within(left), right, expression }
        }
        other => other,
    }
}
