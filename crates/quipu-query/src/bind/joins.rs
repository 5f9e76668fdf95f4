//! Conditions that look like joins and join nothing.

use crate::QueryError;
use crate::syntax::{Comparison, Expression};

/// Refuses a join by one equality whose sides are columns of one table: the column that the other
/// table lacks was looked for here.
pub(super) fn joins_two_tables(on: &Expression) -> Result<(), QueryError> {
    match on {
        Expression::Compare(Comparison::Equal, a, b) => match (&**a, &**b) {
            (Expression::Column(a), Expression::Column(b)) if a.table == b.table => Err(QueryError::Unbound(
                format!("{on} joins no two tables: compare a column of the one with a column of the other"),
            )),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Refuses a condition that compares a column with itself. It holds for all rows, so two tables
/// would not be joined: the column that one of them lacks was taken from the other.
pub(super) fn joins_two_columns(condition: &Expression) -> Result<(), QueryError> {
    let itself = condition.conjuncts().into_iter().find_map(|part| match part {
        Expression::Compare(Comparison::Equal, a, b) if a == b && matches!(**a, Expression::Column(_)) => {
            Some(a.to_string())
        }
        _ => None,
    });
    match itself {
        Some(column) => Err(QueryError::Unbound(format!(
            "a condition compares {column} with itself: compare it with a column of the other table"
        ))),
        None => Ok(()),
    }
}
