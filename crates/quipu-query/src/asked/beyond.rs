//! Kinds of things one step beyond those that a query gives: "which region is the club from" of a
//! club whose town is known, and the town's region.

use quipu_language::Language;

use super::each::named_behind;
use super::kinds::{asked_for, called, is_among};
use crate::bind::{Doubt, Mend};
use crate::syntax::{Body, ColumnRef, Comparison, Expression, From, Join, Query, Source};
use crate::tables::{Kind, Place, Tables, words_of};

/// Gives, or groups by, the things of the kind that the question names, where a query has things of
/// another kind which refer to them by exactly one column. For a bound query.
pub(super) fn a_step_beyond(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let Body::Select(select) = &mut query.body else { return None };
    let kinds: Vec<usize> = match select.group.as_slice() {
        [] => asked_for(question, tables),
        _ => named_behind(&words)?.take(1).flat_map(|noun| called(noun, language, tables)).collect(),
    };
    let Some(Expression::Column(given)) = select.items.first().map(|item| item.expression.clone()) else {
        return None;
    };
    let place = given.place.filter(|place| place.column > 0)?;
    let column = tables.column(place).filter(|column| !column.mixed)?;
    let between = tables.leads_to(place)?;
    let of = tables.table(between)?;
    if kinds.is_empty() || is_among(between, &kinds, tables) {
        return None;
    }
    let leads = |at: &usize| {
        let kind = of.columns.get(*at).map(|column| column.kind);
        matches!(kind, Some(Kind::Entity(Some(kind))) if kinds.contains(&kind))
    };
    let mut steps = (1..of.columns.len()).filter(leads);
    let step = steps.next().filter(|_| steps.next().is_none())?;
    let alias = format!("{}_beyond", of.id);
    let at = |column: usize| {
        let name = of.columns.get(column).map(|column| column.id.clone()).unwrap_or_default();
        let place = Some(Place { table: between, column });
        Expression::Column(ColumnRef { table: Some(alias.clone()), name, place })
    };
    let text = format!("the question asks for the {} of each {}", at(step), column.title);
    let (old, new) = (Expression::Column(given), at(step));
    let items = select.items.iter_mut().map(|item| &mut item.expression);
    for expression in items.chain(&mut select.group).filter(|of| **of == old) {
        *expression = new.clone();
    }
    let on = Expression::Compare(Comparison::Equal, Box::new(old), Box::new(at(0)));
    let source = Source::Table(of.id.clone(), Some(between));
    select.from.push(From { source, alias: alias.clone(), join: Join::Inner(Some(on)) });
    select.distinct |= select.group.is_empty() && query.order.is_empty();
    Some(Mend { text, doubt: Doubt::Little })
}
