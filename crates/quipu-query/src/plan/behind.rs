//! The queries within a calculation over no table, so that "is A cheaper than B" has both prices as
//! its evidence.

use super::{Plan, plan};
use crate::say::{references, say};
use crate::syntax::{Comparison, Expression, Item, Query, Select};
use crate::tables::Tables;

/// Rows of such a query that are shown.
const SHOWN: u64 = 3;

/// A query within the items of a query without tables.
#[derive(Debug, Clone)]
pub struct Behind {
    /// The query in words, if its value is a part of the calculation; `None` if only its rows are
    /// asked for (EXISTS).
    pub words: Option<String>,
    /// Its plan.
    pub plan: Plan,
    /// The plan of [`without_conditions`], for a query without rows.
    pub otherwise: Option<Box<Plan>>,
}

/// The queries within a query's items, if it has no tables of its own.
pub(super) fn behind(query: &Query, tables: &Tables) -> Vec<Behind> {
    let Some(select) = query.select().filter(|select| select.from.is_empty()) else { return Vec::new() };
    let mut found = Vec::new();
    for item in &select.items {
        item.expression.visit(&mut |part| match part {
            Expression::Scalar(query) => found.push((Some(say(query, tables)), (**query).clone())),
            Expression::Exists(query) => {
                let compared = with(query, &Named::of(query), true);
                found.push((None, compared.unwrap_or_else(|| (**query).clone())));
            }
            _ => {}
        });
    }
    let planned = found.into_iter().filter_map(|(words, query)| {
        let otherwise = without_conditions(&query).and_then(|query| plan(&query, tables).ok());
        let query = match words {
            Some(_) => query,
            None => Query { limit: query.limit.or(Some(SHOWN)), ..query },
        };
        Some(Behind { words, plan: plan(&query, tables).ok()?, otherwise: otherwise.map(Box::new) })
    });
    planned.collect()
}

/// A query about named things without its other conditions: it gives the values that they compare.
/// "Which bikes are the Silent Owl and a touring bike" becomes the kind of the Silent Owl. `None`
/// if it names no thing, has no other condition, or is grouped.
pub fn without_conditions(query: &Query) -> Option<Query> {
    let named = Named::of(query);
    if named.things.is_empty() {
        return None;
    }
    with(query, &named, false)
}

/// The conditions of a query by what they do.
#[derive(Default)]
struct Named<'q> {
    /// Those that name a thing, and joins.
    things: Vec<&'q Expression>,
    joins: Vec<&'q Expression>,
    /// The others, which compare values.
    others: Vec<&'q Expression>,
}

impl<'q> Named<'q> {
    fn of(query: &'q Query) -> Self {
        let Some(select) = query.select() else { return Self::default() };
        let references = references(select);
        let mut named = Self::default();
        for condition in select.filter.iter().flat_map(Expression::conjuncts) {
            match named_row(condition) {
                // A row that another one refers to is a value of that one.
                Some(alias) if references.iter().all(|(of, _)| *of != alias) => named.things.push(condition),
                None if joins(condition) => named.joins.push(condition),
                _ => named.others.push(condition),
            }
        }
        named
    }
}

/// The query with the columns of its comparing conditions as its items, with or without these
/// conditions.
fn with(query: &Query, named: &Named<'_>, conditions: bool) -> Option<Query> {
    let select = query.select()?;
    if !select.group.is_empty() || select.having.is_some() {
        return None;
    }
    let mut items: Vec<Item> = Vec::new();
    for condition in &named.others {
        condition.visit(&mut |part| {
            let item = Item { expression: part.clone(), alias: None };
            if matches!(part, Expression::Column(_)) && !items.contains(&item) {
                items.push(item);
            }
        });
    }
    if items.is_empty() {
        return None;
    }
    let all = |a: Expression, b: Expression| Expression::And(Box::new(a), Box::new(b));
    let kept = named.things.iter().chain(&named.joins);
    let filter = match conditions {
        true => select.filter.clone(),
        false => kept.map(|condition| (*condition).clone()).reduce(all),
    };
    let select = Select { distinct: true, items, filter, ..select.clone() };
    Some(Query { limit: Some(SHOWN), ..Query::of(select) })
}

/// The alias of the row that `name = 'Silent Owl'` names.
fn named_row(condition: &Expression) -> Option<&str> {
    let Expression::Compare(Comparison::Equal, of, value) = condition else { return None };
    let (Expression::Column(column), Expression::Terms(..)) = (&**of, &**value) else { return None };
    column.place.filter(|place| place.column == 0)?;
    column.table.as_deref()
}

/// An equality of two columns.
fn joins(condition: &Expression) -> bool {
    matches!(condition, Expression::Compare(Comparison::Equal, a, b)
        if matches!((&**a, &**b), (Expression::Column(_), Expression::Column(_))))
}
