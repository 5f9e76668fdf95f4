//! Negations that say something else than they were written for.
//!
//! Conditions are moved out of a negation if the binder put them there. "Which of A's wines does
//! nobody import", written as the wines that are not among those imported "by A", would be bound as
//! all wines that are not among A's imported ones, other wines included.
//!
//! Things that are not among the values of their own column are those without a value.

use super::{Binder, Doubt};
use crate::syntax::{Body, ColumnRef, Comparison, Expression, From, Item, Join, Query, Select, Source};

impl Binder<'_> {
    /// Mends `name NOT IN (SELECT shipped FROM orders)`, said of orders. No order is a date, so the
    /// condition would hold for all of them: those without a date are meant.
    pub(super) fn without_a_value(&mut self, expression: &mut Expression) {
        match expression {
            Expression::InQuery(of, query) => {
                let Some(column) = self.value_of(of, query) else { return };
                let text =
                    format!("no {of} is a {0}: the condition asks whether {0} has a value", column.name);
                self.mend(Doubt::Little, text);
                let is_null = Expression::IsNull(Box::new(Expression::Column(column)));
                *expression = Expression::Not(Box::new(is_null));
            }
            Expression::Not(inner) => {
                if let Expression::Not(twice) = &mut **inner
                    && matches!(**twice, Expression::IsNull(_))
                {
                    *expression = std::mem::replace(twice, Expression::Null);
                }
            }
            _ => {}
        }
    }

    /// The column of a thing whose values a query gives without a condition, if no such value is a
    /// thing of this kind.
    fn value_of(&self, thing: &Expression, query: &Query) -> Option<ColumnRef> {
        let Expression::Column(thing) = thing else { return None };
        let name = thing.place.filter(|place| place.column == 0)?;
        self.tables.table(name.table).filter(|table| !table.is_links())?;
        let select = query.select().filter(|select| query.limit.is_none() && select.group.is_empty())?;
        let ([from], [Item { expression: Expression::Column(given), .. }]) =
            (select.from.as_slice(), select.items.as_slice())
        else {
            return None;
        };
        let place = given.place.filter(|place| place.column > 0 && place.table == name.table)?;
        let is_its = given.table.as_ref() == Some(&from.alias);
        let conditions = select.filter.iter().flat_map(Expression::conjuncts);
        let is_whole = conditions.into_iter().all(|condition| is_value(condition, given));
        let may_be_one = self.tables.leads_to(place) == Some(place.table) || self.names_things(place, name);
        let column = ColumnRef { place: Some(place), name: given.name.clone(), table: thing.table.clone() };
        (is_its && is_whole && !may_be_one).then_some(column)
    }

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
            self.mend(
                Doubt::Little,
                format!(
                    "the condition {condition} applies to the things asked for, not to those after NOT IN"
                ),
            );
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

/// Whether a condition says only that the column has a value.
fn is_value(condition: &Expression, column: &ColumnRef) -> bool {
    let Expression::Not(inner) = condition else { return false };
    matches!(&**inner, Expression::IsNull(of) if matches!(&**of, Expression::Column(of) if of.place == column.place))
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
