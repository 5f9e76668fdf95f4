//! Conditions that look like joins and join nothing.

use super::Scope;
use crate::QueryError;
use crate::syntax::{Comparison, Expression};

/// Lets the condition of a table that is joined a second time under one name speak of this second
/// one: `JOIN quantity ON a.weight = quantity.name JOIN quantity ON a.power = quantity.name`.
pub(super) fn joins_the_second(on: &mut Expression, alias: &str, scopes: &[Scope]) {
    let reaches = scopes.last().map(|scope| scope.reaches.as_slice()).unwrap_or_default();
    let Some(at) = reaches.iter().position(|reach| reach.alias == alias) else { return };
    let Some(name) = reaches.get(at).and_then(|reach| reach.names.first()).cloned() else { return };
    if !reaches.iter().take(at).any(|before| before.is_called(&name)) {
        return;
    }
    if let Expression::Compare(Comparison::Equal, left, right) = on {
        let is_its = |side: &Expression| {
            matches!(side, Expression::Column(column)
                if column.table.as_ref().is_some_and(|table| table.eq_ignore_ascii_case(&name)))
        };
        // Between two rows of one table both sides have its name.
        let side = match (is_its(left), is_its(right)) {
            (true, false) => left,
            (false, true) => right,
            _ => return,
        };
        if let Expression::Column(column) = &mut **side {
            column.table = Some(alias.to_owned());
        }
    }
}

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
