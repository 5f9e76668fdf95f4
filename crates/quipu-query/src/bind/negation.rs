//! Moves conditions out of a negation if the binder put them there. "Which of A's wines does nobody
//! import", written as the wines that are not among those imported "by A", would be bound as all
//! wines that are not among A's imported ones, other wines included.

use super::{Binder, Doubt};
use crate::syntax::{Body, ColumnRef, Comparison, Expression, From, Join, Select, Source};

impl Binder<'_> {
    /// Moves conditions on the SELECT's own things out of the queries after NOT IN.
    pub(super) fn before_negations(&mut self, select: &mut Select) {
        let tables: Vec<(String, usize)> = select.from.iter().filter_map(table_of).collect();
        let Some(filter) = &mut select.filter else { return };
        let mut taken = Vec::new();
        each_negation(filter, &mut |of, within| {
            let is_of = |(alias, _): &&(String, usize)| of.table.as_ref() == Some(alias);
            if let Some((alias, table)) = tables.iter().find(is_of)
                && of.place.is_some_and(|place| place.column == 0)
            {
                taken.extend(taken_out(within, alias, *table));
            }
        });
        for condition in taken {
            self.mend(Doubt::Little, format!("{condition} applies to the things asked for"));
            select.filter = Some(Expression::both(select.filter.take(), condition));
        }
    }
}

/// Visits each `column NOT IN query` of a condition.
fn each_negation(condition: &mut Expression, change: &mut dyn FnMut(&ColumnRef, &mut Select)) {
    match condition {
        Expression::And(left, right) => {
            each_negation(left, change);
            each_negation(right, change);
        }
        Expression::Not(inner) => {
            if let Expression::InQuery(of, query) = &mut **inner
                && let (Expression::Column(of), Body::Select(within)) = (&**of, &mut query.body)
            {
                change(of, within);
            }
        }
        _ => {}
    }
}

fn table_of(from: &From) -> Option<(String, usize)> {
    match &from.source {
        Source::Table(_, Some(table)) => Some((from.alias.clone(), *table)),
        _ => None,
    }
}

/// Takes the only condition out of a query for things, if it is on a property of these things that
/// was joined for it, and gives it the outer alias. The query loses the condition and the join.
fn taken_out(within: &mut Select, alias: &str, table: usize) -> Option<Expression> {
    let [item] = within.items.as_slice() else { return None };
    let Expression::Column(given) = &item.expression else { return None };
    let (last, before) = within.from.split_last()?;
    let (joined, is_same) = table_of(last).map(|(joined, of)| (joined, of == table))?;
    let Join::Left(Some(Expression::Compare(Comparison::Equal, a, b))) = &last.join else { return None };
    let is_thing = |of: &Expression| matches!(of, Expression::Column(of) if of.table.as_ref() == Some(&joined) && of.place.is_some_and(|place| place.column == 0));
    let is_given = |of: &Expression| matches!(of, Expression::Column(of) if of.place == given.place);
    let by_itself = is_thing(a) && is_given(b) || is_thing(b) && is_given(a);
    let Some(Expression::Compare(Comparison::Equal, of, value)) = &within.filter else { return None };
    let (Expression::Column(of), Expression::Terms(..)) = (&**of, &**value) else { return None };
    if !is_same || !by_itself || before.is_empty() || of.table.as_ref() != Some(&joined) {
        return None;
    }
    let of = ColumnRef { table: Some(alias.to_owned()), ..of.clone() };
    let value = value.clone();
    within.from.pop();
    within.filter = None;
    Some(Expression::Compare(Comparison::Equal, Box::new(Expression::Column(of)), value))
}
