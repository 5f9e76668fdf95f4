//! Things that last: "does Norrail still sponsor the show" asks for a deal that has not ended.

use quipu_language::{Language, asks_since_when, has_open_ends};

use super::said::Said;
use super::slips::each_query;
use crate::mend::{Doubt, Mend};
use crate::syntax::{Body, ColumnRef, Expression, Query, Source};
use crate::tables::{Column, Kind, Place, Tables, words_of};

/// The word that asks for what has not ended, if the query does not speak of it.
pub(super) fn lasting_word(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let said = Said::of(query, tables);
    let is_it = |word: &&String| language.asks_whether_it_lasts(word) && !said.names(word, language);
    words.iter().find(is_it).filter(|_| !ends_used(query, tables).is_empty()).cloned()
}

/// Leaves out what has ended, where the question asks for what lasts and the query does not look
/// at its end: nothing is stated about the end of a thing that lasts. For a bound query; `None`
/// unless exactly one column of its tables tells an end, and only of some of its rows.
pub(super) fn not_ended(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    lasting_word(&words, query, tables)?;
    let ends = ends_used(query, tables);
    let [place] = ends.as_slice() else { return None };
    let of = tables.table(place.table)?;
    let column = tables.column(*place).filter(|column| column.filled < of.rows)?;
    let mut added = false;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let its = |source: &Source| matches!(source, Source::Table(_, Some(at)) if *at == place.table);
        let Some(from) = select.from.iter().find(|from| its(&from.source)) else { return };
        let end = ColumnRef { table: Some(from.alias.clone()), name: column.id.clone(), place: Some(*place) };
        let lasts = Expression::IsNull(Box::new(Expression::Column(end)));
        select.filter = Some(Expression::both(select.filter.take(), lasts));
        added = true;
    });
    let text = format!("the question asks for those without {}", column.id);
    added.then_some(Mend { text, doubt: Doubt::Little })
}

/// Takes the earliest of an order by dates where the question asks since when something is: who
/// "has worked here longer" was hired first. For a bound query.
pub(super) fn from_the_earliest(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let is_longer = |at: usize| words.get(at).is_some_and(|word| language.is_longer(word));
    if !(0..words.len()).any(|at| is_longer(at) && asks_since_when(&words, at)) {
        return None;
    }
    let mut mend = None;
    each_query(query, &mut |query| {
        let [order] = query.order.as_mut_slice() else { return };
        let column = order.expression.place().and_then(|place| tables.column(place));
        let is_start = |column: &&Column| {
            (column.kind == Kind::Date || column.holds_years()) && !has_open_ends(&column.title)
        };
        if let Some(column) = column.filter(is_start).filter(|_| order.descending && query.limit.is_some()) {
            order.descending = false;
            let text = format!("the question asks for the earliest {}", column.title);
            mend = Some(Mend { text, doubt: Doubt::Little });
        }
    });
    mend
}

/// The columns that tell an end in the tables of a query, unless the query looks at one of them.
fn ends_used(query: &Query, tables: &Tables) -> Vec<Place> {
    let language = Language::english();
    let used = query.places();
    let mut ends: Vec<Place> = Vec::new();
    for table in query.tables().iter().filter_map(|(_, at)| *at) {
        let columns = tables.table(table).map(|table| table.columns.as_slice()).unwrap_or_default();
        for (column, of) in columns.iter().enumerate().skip(1) {
            let place = Place { table, column };
            let is_end =
                of.kind == Kind::Date && words_of(&of.title).iter().any(|word| language.tells_an_end(word));
            if is_end && !ends.contains(&place) {
                ends.push(place);
            }
        }
    }
    if ends.iter().any(|end| used.contains(end)) { Vec::new() } else { ends }
}
