//! Walks over the algebra: all patterns, the expressions of a pattern, the parts of an expression.

use oxrdf::Variable;
use spargebra::algebra::{AggregateExpression, Expression, GraphPattern, OrderExpression};
use spargebra::term::{NamedNodePattern, TermPattern};

/// Calls `visit` with a pattern and all patterns within it, including those of EXISTS.
pub fn each_pattern(pattern: &mut GraphPattern, visit: &mut dyn FnMut(&mut GraphPattern)) {
    visit(pattern);
    for expression in expressions_mut(pattern) {
        each_expression(expression, &mut |part| {
            if let Expression::Exists(inner) = part {
                each_pattern(inner, visit);
            }
        });
    }
    match pattern {
        GraphPattern::Bgp { .. } | GraphPattern::Path { .. } | GraphPattern::Values { .. } => {}
        GraphPattern::Join { left, right }
        | GraphPattern::Lateral { left, right }
        | GraphPattern::Union { left, right }
        | GraphPattern::Minus { left, right }
        | GraphPattern::LeftJoin { left, right, .. } => {
            each_pattern(left, visit);
            each_pattern(right, visit);
        }
        GraphPattern::Filter { inner, .. }
        | GraphPattern::Graph { inner, .. }
        | GraphPattern::Extend { inner, .. }
        | GraphPattern::OrderBy { inner, .. }
        | GraphPattern::Project { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner }
        | GraphPattern::Slice { inner, .. }
        | GraphPattern::Group { inner, .. }
        | GraphPattern::Service { inner, .. } => each_pattern(inner, visit),
    }
}

/// The expressions of a pattern itself.
pub fn expressions_mut(pattern: &mut GraphPattern) -> Vec<&mut Expression> {
    match pattern {
        GraphPattern::Filter { expr, .. } => vec![expr],
        GraphPattern::Extend { expression, .. } => vec![expression],
        GraphPattern::LeftJoin { expression, .. } => expression.iter_mut().collect(),
        GraphPattern::OrderBy { expression, .. } => expression
            .iter_mut()
            .map(|order| match order {
                OrderExpression::Asc(of) | OrderExpression::Desc(of) => of,
            })
            .collect(),
        GraphPattern::Group { aggregates, .. } => aggregates
            .iter_mut()
            .filter_map(|(_, aggregate)| match aggregate {
                AggregateExpression::FunctionCall { expr, .. } => Some(expr),
                AggregateExpression::CountSolutions { .. } => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// Calls `visit` with an expression and all its subexpressions.
pub fn each_expression(expression: &mut Expression, visit: &mut dyn FnMut(&mut Expression)) {
    visit(expression);
    for part in parts_mut(expression) {
        each_expression(part, visit);
    }
}

/// The direct subexpressions of an expression.
pub fn parts_mut(expression: &mut Expression) -> Vec<&mut Expression> {
    match expression {
        Expression::NamedNode(_)
        | Expression::Literal(_)
        | Expression::Variable(_)
        | Expression::Bound(_)
        | Expression::Exists(_) => Vec::new(),
        Expression::Or(a, b)
        | Expression::And(a, b)
        | Expression::Equal(a, b)
        | Expression::SameTerm(a, b)
        | Expression::Greater(a, b)
        | Expression::GreaterOrEqual(a, b)
        | Expression::Less(a, b)
        | Expression::LessOrEqual(a, b)
        | Expression::Add(a, b)
        | Expression::Subtract(a, b)
        | Expression::Multiply(a, b)
        | Expression::Divide(a, b) => vec![a, b],
        Expression::UnaryPlus(a) | Expression::UnaryMinus(a) | Expression::Not(a) => vec![a],
        Expression::In(a, list) => std::iter::once(&mut **a).chain(list).collect(),
        Expression::If(a, b, c) => vec![a, b, c],
        Expression::Coalesce(list) | Expression::FunctionCall(_, list) => list.iter_mut().collect(),
    }
}

/// The terms of a pattern's triples that may be variables.
pub fn terms_mut(pattern: &mut GraphPattern) -> Vec<&mut TermPattern> {
    match pattern {
        GraphPattern::Bgp { patterns } => {
            patterns.iter_mut().flat_map(|triple| [&mut triple.subject, &mut triple.object]).collect()
        }
        GraphPattern::Path { subject, object, .. } => vec![subject, object],
        _ => Vec::new(),
    }
}

/// Renames variables everywhere.
pub fn rename(pattern: &mut GraphPattern, new: &dyn Fn(&Variable) -> Option<Variable>) {
    let put = |variable: &mut Variable| {
        if let Some(other) = new(variable) {
            *variable = other;
        }
    };
    each_pattern(pattern, &mut |pattern| {
        for term in terms_mut(pattern) {
            if let TermPattern::Variable(variable) = term {
                put(variable);
            }
        }
        for expression in expressions_mut(pattern) {
            each_expression(expression, &mut |part| {
                if let Expression::Variable(variable) | Expression::Bound(variable) = part {
                    put(variable);
                }
            });
        }
        match pattern {
            GraphPattern::Bgp { patterns } => {
                for triple in patterns {
                    if let NamedNodePattern::Variable(variable) = &mut triple.predicate {
                        put(variable);
                    }
                }
            }
            GraphPattern::Extend { variable, .. } => put(variable),
            GraphPattern::Values { variables, .. } => variables.iter_mut().for_each(put),
            GraphPattern::Project { variables, .. } | GraphPattern::Group { variables, .. } => {
                variables.iter_mut().for_each(put);
                let mut kept: Vec<Variable> = Vec::new();
                variables.retain(|variable| {
                    let is_new = !kept.contains(variable);
                    kept.push(variable.clone());
                    is_new
                });
            }
            _ => {}
        }
    });
}
