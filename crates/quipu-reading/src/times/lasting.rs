//! Things that last: "does Norrail still sponsor the show" asks for a deal that has not ended.

use quipu_language::{Language, asks_since_when, has_open_ends, time_frames};
use quipu_query::{
    Body, Column, ColumnRef, Comparison, Doubt, Expression, Kind, Mend, Place, Query, Source, Tables,
    words_of,
};

use super::periods::ANY_DAY;
use crate::said::Said;
use crate::slips::each_query;

/// The word that asks for what has not ended, if the query does not speak of it.
pub(crate) fn lasting_word(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let said = Said::of(query, tables);
    let is_it = |word: &&String| language.asks_whether_it_lasts(word) && !said.names(word, language);
    words.iter().find(is_it).filter(|_| !ends_used(query, tables).is_empty()).cloned()
}

/// Leaves out what has ended, where the question asks for what lasts and the query does not look
/// at its end: nothing is stated about the end of a thing that lasts. For a bound query; `None`
/// unless exactly one column of its tables tells an end, and only of some of its rows.
pub(crate) fn not_ended(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
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
pub(crate) fn from_the_earliest(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
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

/// Adds the other end of a term where the question asks for one day and the query looks at one end
/// alone: a contract that was "in force on 15 March 2022" began before that day and ended after it,
/// or has no end. For a bound query over one table with a start and an end.
pub(crate) fn within_its_term(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    asked_on_a_day(question, &words)?;
    let places = query.places();
    let Body::Select(select) = &mut query.body else { return None };
    let (compared, comparison, day) =
        select.filter.iter().flat_map(Expression::conjuncts).find_map(|one| {
            let Expression::Compare(comparison, of, day) = one else { return None };
            let Expression::Column(column) = &**of else { return None };
            Some((column.clone(), *comparison, (**day).clone()))
        })?;
    let place = compared.place?;
    let columns = tables.table(place.table)?.columns.get(1..)?;
    let only = |tells: &dyn Fn(&str) -> bool| {
        let is_it = |of: &Column| of.kind == Kind::Date && words_of(&of.title).iter().any(|word| tells(word));
        let mut found = (1..).zip(columns).filter(|(_, of)| is_it(of));
        let (column, of) = found.next().filter(|_| found.next().is_none())?;
        let place = Place { column, ..place };
        Some(ColumnRef { table: compared.table.clone(), name: of.id.clone(), place: Some(place) })
    };
    let language = Language::of_words(&words);
    let (start, end) =
        (only(&|word| language.tells_a_start(word))?, only(&|word| language.tells_an_end(word))?);
    let bound = |of: ColumnRef, comparison| {
        Expression::Compare(comparison, Box::new(Expression::Column(of)), Box::new(day.clone()))
    };
    let is_unused = |of: &ColumnRef| of.place.is_some_and(|place| !places.contains(&place));
    let (other, condition) = match comparison {
        Comparison::AtLeast | Comparison::Greater if place == end.place? && is_unused(&start) => {
            (start.name.clone(), bound(start, Comparison::AtMost))
        }
        Comparison::AtMost | Comparison::Less if place == start.place? && is_unused(&end) => {
            let lasts = Expression::IsNull(Box::new(Expression::Column(end.clone())));
            let ends = bound(end.clone(), Comparison::AtLeast);
            (end.name, Expression::Or(Box::new(lasts), Box::new(ends)))
        }
        _ => return None,
    };
    select.filter = Some(Expression::both(select.filter.take(), condition));
    Some(Mend { text: format!("the day lies within the term: {other} bounds it too"), doubt: Doubt::Little })
}

/// Whether a question asks for what held on one day: "in force on 15 March 2022", but not "ended on
/// or after it".
fn asked_on_a_day(question: &str, words: &[String]) -> Option<()> {
    let language = Language::of_words(words);
    let frames = time_frames(question, ANY_DAY);
    let [day] = frames.as_slice() else { return None };
    let of_day = words_of(&day.text);
    let start = words.windows(of_day.len().max(1)).position(|window| *window == of_day)?;
    // The words of a time may begin with "on".
    let begins_with_on = of_day.first().is_some_and(|word| language.is_preposition(word));
    let on = if begins_with_on { start } else { start.checked_sub(1)? };
    let is_of_end = |word: &String| language.tells_an_end(word) || language.tells_a_start(word);
    let is_on = words
        .get(on)
        .is_some_and(|word| language.is_preposition(word) && !language.is_by(word) && !is_of_end(word));
    let verb = on.checked_sub(1).and_then(|at| words.get(at));
    (day.from == day.to && is_on && !verb.is_some_and(is_of_end)).then_some(())
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
