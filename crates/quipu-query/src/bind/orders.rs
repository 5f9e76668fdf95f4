//! ORDER BY and GROUP BY refer to the items of SELECT: by position, alias or a column's name.

use super::{Binder, Doubt, Scope, title_of};
use crate::QueryError;
use crate::syntax::{Body, ColumnRef, Expression, Item, Order, Query};

impl Binder<'_> {
    /// `GROUP BY 1`, `ORDER BY 'total'`: a position becomes its item, a text in quotes the name of
    /// a column.
    ///
    /// # Errors
    /// [`QueryError::Refused`] for a position without an item and for other constants, which order
    /// nothing.
    pub(super) fn by_position(
        &mut self,
        expression: &mut Expression,
        scopes: &[Scope],
        clause: &str,
    ) -> Result<(), QueryError> {
        let items = scopes.last().map(|scope| scope.items.as_slice()).unwrap_or_default();
        match expression {
            Expression::Number(number) => match at_position(number, items.iter()) {
                Some(item) => *expression = item.expression.clone(),
                None => return Err(no_position(clause, number, items.len())),
            },
            Expression::Text(text) => {
                let column = Expression::Column(ColumnRef { table: None, name: text.clone(), place: None });
                self.mend(Doubt::Little, format!("{clause} '{text}' means the column {text}"));
                *expression = column;
            }
            Expression::Flag(_) | Expression::Null => {
                return Err(QueryError::Refused(format!("{clause} takes a column, not {expression}")));
            }
            _ => {}
        }
        Ok(())
    }

    /// `ORDER BY total`: a clause may refer to an item by its alias. `first` lets aliases win over
    /// columns.
    pub(super) fn by_item(&self, expression: &mut Expression, scopes: &[Scope], first: bool) {
        let items = scopes.last().map(|scope| scope.items.as_slice()).unwrap_or_default();
        if let Expression::Column(column) = expression
            && column.table.is_none()
            && column.place.is_none()
        {
            let named = items.iter().find(|item| {
                item.alias.as_ref().is_some_and(|alias| alias.eq_ignore_ascii_case(&column.name))
            });
            let is_column = self.exact_column(scopes, &column.name).is_some();
            if let Some(item) = named.filter(|_| first || !is_column) {
                *expression = item.expression.clone();
            }
            return;
        }
        // A number inside an expression is not a position.
        for part in expression.parts_mut() {
            self.by_item(part, scopes, false);
        }
    }
}

/// The items of each member of a query, as they are written.
pub(super) fn given(query: &Query) -> Vec<Vec<Item>> {
    match &query.body {
        Body::Select(select) => vec![select.items.clone()],
        Body::Set { left, right, .. } => [given(left), given(right)].concat(),
    }
}

/// The order of combined queries goes by one of their columns: by its position, or by the name that
/// a member gives it, the first one before the others. It becomes the first member's item there.
///
/// # Errors
/// [`QueryError::Refused`] for all else: a row of several queries has no other columns.
pub(super) fn by_a_column(
    order: &mut Order,
    written: &[Vec<Item>],
    left: &Query,
    right: &Query,
) -> Result<(), QueryError> {
    let bound = [given(left), given(right)].concat();
    let Some(first) = bound.first() else { return Ok(()) };
    let by = &order.expression;
    if let Expression::Number(number) = by {
        let item = at_position(number, first.iter());
        order.expression =
            item.ok_or_else(|| no_position("ORDER BY", number, first.len()))?.expression.clone();
        return Ok(());
    }
    let is_by =
        |item: &&Item| item.expression == *by || name_of(by).is_some_and(|name| is_called(item, name));
    // A name may have been written for another schema; a mended item keeps its place.
    let members = written.iter().zip(&bound).flat_map(|(written, bound)| {
        [Some(written).filter(|written| written.len() == bound.len()), Some(bound)]
    });
    let at = members.flatten().find_map(|items| items.iter().position(|item| is_by(&item)));
    let Some(item) = at.and_then(|at| first.get(at)) else {
        let titles: Vec<String> = first.iter().map(title_of).collect();
        return Err(QueryError::Refused(format!(
            "ORDER BY {by} behind combined queries is not read: their rows have {}; order by that",
            titles.join(", ")
        )));
    };
    order.expression = item.expression.clone();
    Ok(())
}

/// The item at a position, which counts from 1.
fn at_position<'a>(number: &str, mut items: impl Iterator<Item = &'a Item>) -> Option<&'a Item> {
    let at = number.parse::<usize>().ok()?.checked_sub(1)?;
    items.nth(at)
}

fn no_position(clause: &str, number: &str, items: usize) -> QueryError {
    let columns = if items == 1 { "column" } else { "columns" };
    QueryError::Refused(format!("{clause} {number}: the query gives {items} {columns}, counted from 1"))
}

/// The name by which an order refers to an item; a text in quotes may be one.
fn name_of(by: &Expression) -> Option<&str> {
    match by {
        Expression::Column(column) => Some(&column.name),
        Expression::Text(text) => Some(text),
        _ => None,
    }
}

/// Whether an item has a name, by its alias or by its column.
fn is_called(item: &Item, name: &str) -> bool {
    let is_its = |own: &str| own.eq_ignore_ascii_case(name);
    item.alias.as_deref().is_some_and(is_its)
        || matches!(&item.expression, Expression::Column(column) if is_its(&column.name))
}
