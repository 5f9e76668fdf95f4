//! Extremes: among the things that a question names instead of among all, and only of things whose
//! values differ.

use crate::bind::{Doubt, Mend};
use crate::syntax::{Aggregate, Body, ColumnRef, Comparison, Expression, Item, Order, Query, Select, Source};
use crate::tables::Tables;

/// Most things whose values are compared to tell whether they differ.
const COMPARED: u64 = 50;

/// Mends "the largest city of Peru" written as "the city that is the largest of all and lies in
/// Peru": the extreme is taken among the rows that satisfy the other conditions. `None` if no other
/// condition names a value, or if the query already orders or counts.
pub fn among_those(query: &mut Query, tables: &Tables) -> Option<Mend> {
    if !query.order.is_empty() || query.limit.is_some() {
        return None;
    }
    let Body::Select(select) = &mut query.body else { return None };
    if !select.group.is_empty() || select.items.iter().any(|item| item.expression.has_aggregate()) {
        return None;
    }
    let conditions: Vec<Expression> = select.filter.iter().flat_map(Expression::conjuncts).cloned().collect();
    let (at, order) = conditions
        .iter()
        .enumerate()
        .find_map(|(at, condition)| Some((at, extreme_of_all(condition, select, tables)?)))?;
    let others: Vec<Expression> = conditions
        .into_iter()
        .enumerate()
        .filter(|(other, _)| *other != at)
        .map(|(_, other)| other)
        .collect();
    if !others.iter().any(names_a_value) {
        return None;
    }
    select.filter = others.into_iter().fold(None, |all, next| Some(Expression::both(all, next)));
    select.distinct = false;
    query.order = vec![order];
    query.limit = Some(1);
    let text = "the extreme is taken among the rows that satisfy the other conditions".to_owned();
    Some(Mend { text, doubt: Doubt::Little })
}

/// The order of a condition that takes the extreme of all rows of a table, if the SELECT uses that
/// table too.
fn extreme_of_all(condition: &Expression, select: &Select, tables: &Tables) -> Option<Order> {
    let Expression::Compare(Comparison::Equal, of, value) = condition else { return None };
    let (Expression::Column(of), Expression::Scalar(inner)) = (&**of, &**value) else { return None };
    let table = |alias: Option<&String>, select: &Select| {
        let from = select.from.iter().find(|from| Some(&from.alias) == alias)?;
        if let Source::Table(_, at) = &from.source { *at } else { None }
    };
    let within = inner.select().filter(|within| {
        within.filter.is_none() && within.from.len() == 1 && within.group.is_empty() && inner.offset == 0
    })?;
    let [Item { expression: given, .. }] = within.items.as_slice() else { return None };
    let (by, descending) = match (given, inner.order.as_slice(), inner.limit) {
        (Expression::Column(given), [order], Some(1)) if given.place == of.place => {
            (&order.expression, order.descending)
        }
        (Expression::Aggregate { function, of: Some(by), .. }, [], _) => match (function, &**by) {
            (Aggregate::Max, Expression::Column(column)) if column.place == of.place => (&**by, true),
            (Aggregate::Min, Expression::Column(column)) if column.place == of.place => (&**by, false),
            _ => return None,
        },
        _ => return None,
    };
    let Expression::Column(by) = by else { return None };
    let outer = table(of.table.as_ref(), select)?;
    if table(by.table.as_ref(), within)? != outer || tables.column(by.place?).is_none() {
        return None;
    }
    let by = ColumnRef { table: of.table.clone(), ..by.clone() };
    Some(Order { expression: Expression::Column(by), descending })
}

/// Whether a condition names a value, beyond columns and bounds.
fn names_a_value(condition: &Expression) -> bool {
    let mut names = false;
    condition.visit(&mut |part| names |= matches!(part, Expression::Terms(..) | Expression::Like(..)));
    names
}

/// The query for all things among which a query chooses one by a value of another table, each with
/// that value. If all share it, it decides nothing: two states do not differ by the area of their
/// country. `None` if the query chooses in another way.
pub fn compared(query: &Query) -> Option<Query> {
    let [order] = query.order.as_slice() else { return None };
    let Expression::Column(by) = &order.expression else { return None };
    let is_own = |item: &Item| match &item.expression {
        Expression::Column(given) => given.table == by.table,
        _ => true,
    };
    let select = query.select()?;
    if query.limit != Some(1)
        || query.offset > 0
        || !select.group.is_empty()
        || select.items.iter().any(is_own)
    {
        return None;
    }
    let mut compared = query.clone();
    let Body::Select(select) = &mut compared.body else { return None };
    select.items.push(Item { expression: order.expression.clone(), alias: None });
    select.distinct = true;
    compared.limit = Some(COMPARED);
    Some(compared)
}
