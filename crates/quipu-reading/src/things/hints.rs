//! The possible meanings of a question's words in the tables: the column of a named value, the
//! column that an abbreviation stands for.

use quipu_language::{Language, Measured};
use quipu_query::{Kind, Match, Mention, Place, Tables, words_of};

use super::kinds::called;

/// The column of a named value: the only one that has it, or the only one whose name stands beside
/// it ("goblin language").
pub fn meant<'a>(question: &str, mention: &'a Mention, tables: &Tables) -> Option<&'a Match> {
    let language = Language::of(question);
    if let [found] = mention.matches.as_slice() {
        return Some(found);
    }
    let (asked, named) = (words_of(question), words_of(&mention.text));
    let at = asked.windows(named.len().max(1)).position(|words| words == named)?;
    let before = at.checked_sub(1).and_then(|at| asked.get(at));
    let beside: Vec<&String> = before.into_iter().chain(asked.get(at + named.len())).collect();
    let is_called = |found: &&Match| {
        let title = match found.place.column {
            0 => tables.table(found.place.table).map(|table| &table.title),
            _ => tables.column(found.place).map(|column| &column.title),
        };
        let words = title.map(|title| words_of(title)).unwrap_or_default();
        words.iter().any(|word| beside.iter().any(|other| language.is_form(other, word)))
    };
    let mut called = mention.matches.iter().filter(is_called);
    called
        .next()
        .filter(|_| called.next().is_none())
        .or_else(|| measured(&asked, mention, tables))
        .or_else(|| nearest(asked.get(..at)?, asked.get(at + named.len()..)?, mention, tables))
}

/// The only match of a name in the table of the kind that stands nearest, or else in one that a
/// column links with that table: "which artists gave concerts in Ghent" asks for the venue's city,
/// not for the artist's. The nearest kind is that right behind the name ("Ghent museums"), else the
/// last before it, else the first behind it.
fn nearest<'a>(
    before: &[String],
    behind: &[String],
    mention: &'a Mention,
    tables: &Tables,
) -> Option<&'a Match> {
    let language = Language::of_words(before);
    let kinds = behind.iter().take(1).chain(before.iter().rev()).chain(behind);
    let named = kinds.map(|word| called(word, language, tables)).find(|kinds| !kinds.is_empty())?;
    let is_linked = |table: usize| {
        tables.columns().any(|(place, column)| {
            let Kind::Entity(Some(to)) = column.kind else { return false };
            place.table == table && named.contains(&to) || to == table && named.contains(&place.table)
        })
    };
    let fitting = |fits: &dyn Fn(usize) -> bool| -> Vec<&'a Match> {
        mention.matches.iter().filter(|found| fits(found.place.table)).collect()
    };
    let own = fitting(&|table| named.contains(&table));
    match if own.is_empty() { fitting(&is_linked) } else { own }.as_slice() {
        [one] => Some(one),
        _ => None,
    }
}

/// The only match of a name among things that have the measure asked for: "how long is the Corran"
/// asks for the river, where a province has that name too.
fn measured<'a>(asked: &[String], mention: &'a Mention, tables: &Tables) -> Option<&'a Match> {
    let language = Language::of_words(asked);
    let has_measure = |found: &&Match| {
        let columns = tables.table(found.place.table).map(|table| table.columns.as_slice());
        let titles = columns.unwrap_or_default().iter().skip(1).map(|column| &column.title);
        let is_asked =
            |title: &String| asked.iter().any(|word| language.measured(word, title) == Measured::Alike);
        found.place.column == 0 && titles.into_iter().any(is_asked)
    };
    let mut measured = mention.matches.iter().filter(has_measure);
    measured.next().filter(|_| measured.next().is_none())
}

/// The kinds of things that a question names and that have no table of their own in the prompt,
/// each with the column that holds it: "customers" are a value of `organisation.kind`.
pub fn kinds_named(tables: &Tables, question: &str) -> Vec<(String, Place, String)> {
    let language = Language::of(question);
    let asked = words_of(question);
    let mut found = Vec::new();
    for table in &tables.tables {
        let Some(place) = table.within.and_then(|wide| column_of_kinds(tables, wide)) else { continue };
        let title = words_of(&table.title);
        let says =
            |words: &[String]| words.iter().zip(&title).all(|(word, other)| language.is_noun(word, other));
        let said = asked.windows(title.len().max(1)).find(|words| !title.is_empty() && says(words));
        if let Some(said) = said {
            found.push((said.join(" "), place, table.title.clone()));
        }
    }
    found
}

/// The column of a table that holds the types of its rows.
fn column_of_kinds(tables: &Tables, table: usize) -> Option<Place> {
    let columns = &tables.table(table)?.columns;
    let of_types = |relation: &Option<String>| {
        relation.as_ref().is_some_and(|relation| tables.type_relations.contains(relation))
    };
    let column = columns.iter().position(|column| of_types(&column.relation))?;
    Some(Place { table, column })
}

/// The words of a question that only make sense as abbreviations of column names, each with the
/// column that has the most values.
pub fn abbreviated(tables: &Tables, question: &str, known: impl Fn(&str) -> bool) -> Vec<(String, Place)> {
    let language = Language::of(question);
    let asked = words_of(question);
    let mut found: Vec<(std::ops::Range<usize>, Place)> = Vec::new();
    for one in tables.abbreviations(&asked, |word| language.meanings(word).is_empty()) {
        let words = asked.get(one.words.clone()).unwrap_or_default();
        let is_open = one.words.len() > 1 || !words.iter().any(|word| known(word));
        let filled = |place: Place| tables.column(place).map_or(0, |column| column.filled);
        match found.iter_mut().find(|(words, _)| *words == one.words) {
            Some((_, place)) if filled(*place) < filled(one.place) => *place = one.place,
            None if is_open => found.push((one.words, one.place)),
            Some(_) | None => {}
        }
    }
    let text = |words: std::ops::Range<usize>| asked.get(words).unwrap_or_default().join(" ");
    found.into_iter().map(|(words, place)| (text(words), place)).collect()
}
