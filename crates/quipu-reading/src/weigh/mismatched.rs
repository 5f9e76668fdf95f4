//! Readings that a question's words rule out: a length for "when", another date for "not yet", a
//! share of links for a share of things.

use quipu_language::{Language, asks_for};
use quipu_query::{Column, Comparison, Expression, Kind, Query, Source, Tables, words_of};

use crate::logic::others::only_denied;
use crate::times::years::asks_for_a_year;

/// The word of a question that rules a reading out.
pub(super) fn ruled_out(question: &str, words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    no_date(question, words, query, tables)
        .or_else(|| not_yet(words, query, tables))
        .or_else(|| share_of_links(words, query, tables))
        .or_else(|| only_denied(words, query))
}

/// The question word of a question for a date to which only numbers are given that are no years and
/// of which the question does not speak: the runway's length is not when the airport opened,
/// nor in which year.
fn no_date(question: &str, words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    if asks_for(question) != Some("date") && !asks_for_a_year(question) {
        return None;
    }
    let is_said = |column: &Column| {
        words_of(&column.title).iter().any(|of| words.iter().any(|word| language.is_form(word, of)))
    };
    let is_number = |expression: &Expression| {
        expression.place().and_then(|place| tables.column(place)).is_some_and(|column| {
            matches!(column.kind, Kind::Number { .. }) && !column.holds_years() && !is_said(column)
        })
    };
    let items = query.select()?.items.as_slice();
    let only_numbers = !items.is_empty() && items.iter().all(|item| is_number(&item.expression));
    words.first().filter(|_| only_numbers).cloned()
}

/// The verb of what has not happened, if a reading compares its date with another one: "orders that
/// have not been delivered" have no day of delivery. "Not delivered in 2024" names the date.
fn not_yet(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    /// Words between the verb and its date.
    const MOST_BETWEEN: usize = 3;
    let language = Language::of_words(words);
    let denies = |word: &String| language.meanings(word).iter().any(|meaning| meaning.means == "negation");
    let negation = words.iter().position(denies)?;
    let mut found = None;
    query.visit(&mut |part| {
        let Expression::Compare(Comparison::Unequal, of, value) = part else { return };
        let columns = of.places().into_iter().filter_map(|place| tables.column(place));
        let dates = columns.filter(|column| column.kind == Kind::Date);
        let titles: Vec<_> = dates.map(|column| words_of(&column.title)).collect();
        let (Expression::Number(date) | Expression::Text(date)) = &**value else { return };
        let is_verb = |word: &String| {
            let mut of_titles = titles.iter().flatten();
            language.meanings(word).is_empty() && of_titles.any(|of| language.is_form(word, of))
        };
        let Some(verb) = (negation + 1..words.len()).find(|at| words.get(*at).is_some_and(is_verb)) else {
            return;
        };
        let dated = words_of(date);
        let mut behind = words.iter().skip(verb + 1).take(MOST_BETWEEN);
        if !behind.any(|word| dated.contains(word)) {
            found = words.get(verb).cloned();
        }
    });
    found
}

/// The things of which a question asks for a percentage, if a reading takes it of links: things
/// without any link count too.
fn share_of_links(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let shares = |word: &String| language.meanings(word).iter().any(|meaning| meaning.means == "percentage");
    let share = words.iter().position(shares)?;
    let select = query.select()?;
    let [from] = select.from.as_slice() else { return None };
    let Source::Table(_, Some(at)) = &from.source else { return None };
    let is_whole = tables.table(*at)?.is_links() && select.filter.is_none() && select.group.is_empty();
    let things = words.iter().skip(share + 1).find(|word| language.meanings(word).is_empty());
    things.filter(|_| is_whole).cloned()
}
