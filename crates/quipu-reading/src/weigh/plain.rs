//! Readings without a model: one property of the one thing that a question names, if the property's
//! name explains every word of the question. "When was Château Brisevent established" needs no
//! model where wineries have a `founded` year; a small model finds no table for one in sixty such
//! questions.

use quipu_language::asks_for;
use quipu_query::{
    ColumnRef, Comparison, Expression, From, How, Item, Join, Match, Mention, Place, Query, Rows, Select,
    Source, Tables,
};

use super::explain::names_left_out;
use super::faults::asks_of_one;
use super::word_by_word::unexplained;
use crate::things::hints::meant;
use crate::{Nearness, TableQuestion};

/// The query for the only property of the only named thing that explains all words of a question.
pub fn plain_reading(asking: &TableQuestion<'_>) -> Option<Query> {
    if matches!(asks_for(asking.text), Some("yes_or_no")) || !asks_of_one(asking.text) {
        return None;
    }
    let mentions = asking.values.mentions(asking.text).into_iter().chain(asking.named.iter().cloned());
    let named: Vec<Mention> = mentions.collect();
    let things: Vec<&Match> = named
        .iter()
        .filter_map(|mention| meant(asking.text, mention, asking.tables))
        .filter(|found| found.place.column == 0 && found.how == How::Exact && found.terms.len() == 1)
        .collect();
    let [thing] = things.as_slice() else { return None };
    let nothing = Nearness::default();
    let bare = unexplained(asking, &of_thing(asking.tables, thing, thing.place)?, &nothing);
    if bare.names.is_empty() {
        return None;
    }
    let explains = |place: &Place| {
        of_thing(asking.tables, thing, *place).filter(|query| {
            let found = unexplained(asking, query, &nothing);
            found.names.is_empty()
                && found.meanings.is_empty()
                && found.unsaid.is_empty()
                && names_left_out(asking, query).is_empty()
        })
    };
    let places = properties(asking.tables, thing.place.table);
    let mut found = places.iter().filter_map(explains);
    found.next().filter(|_| found.next().is_none())
}

/// The columns and links of a table's things.
fn properties(tables: &Tables, table: usize) -> Vec<Place> {
    let is_its = |place: &Place| {
        place.column > 0
            && tables.table(place.table).is_some_and(|of| match &of.source {
                Rows::Links { heads, .. } => *heads == table,
                _ => place.table == table,
            })
    };
    tables.columns().map(|(place, _)| place).filter(is_its).collect()
}

/// The query for one column of a thing.
fn of_thing(tables: &Tables, thing: &Match, place: Place) -> Option<Query> {
    let table = tables.table(place.table)?;
    let column = |column: usize| {
        let place = Place { column, ..place };
        let name = tables.column(place)?.id.clone();
        Some(Expression::Column(ColumnRef { table: Some(table.id.clone()), name, place: Some(place) }))
    };
    let shown = thing.shown.first()?.clone();
    let is_it = Expression::Terms(thing.terms.clone(), shown);
    let source = Source::Table(table.id.clone(), Some(place.table));
    Some(Query::of(Select {
        distinct: true,
        items: vec![Item { expression: column(place.column)?, alias: None }],
        from: vec![From { source, alias: table.id.clone(), join: Join::Inner(None) }],
        filter: Some(Expression::Compare(Comparison::Equal, Box::new(column(0)?), Box::new(is_it))),
        ..Select::default()
    }))
}
