//! A question's bounds on values, as conditions of a query.

use quipu_graph::LiteralValue;
use quipu_language::Condition;

use crate::syntax::{Comparison, Expression};

/// A question's condition as comparisons for a query.
pub fn bounds(condition: &Condition) -> Vec<(Comparison, Expression)> {
    let bound = |bound: Option<&(LiteralValue, bool)>, open: Comparison, closed: Comparison| {
        let (value, inclusive) = bound?;
        let value = match value {
            LiteralValue::Number(number) => Expression::Number(number.to_string()),
            LiteralValue::Date { year, month, day } => {
                let parts = (*month).into_iter().chain(*day).map(|part| format!("-{part:02}"));
                Expression::Text(parts.fold(format!("{year:04}"), |date, part| date + &part))
            }
            LiteralValue::Boolean(_) | LiteralValue::Text(_) => return None,
        };
        Some((if *inclusive { closed } else { open }, value))
    };
    let above = bound(condition.above(), Comparison::Greater, Comparison::AtLeast);
    above.into_iter().chain(bound(condition.below(), Comparison::Less, Comparison::AtMost)).collect()
}
