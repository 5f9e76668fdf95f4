//! The possible meanings of a question's words in the tables: the column of a named value, the
//! column that an abbreviation stands for.

use quipu_language::Language;

use crate::tables::{Place, Tables, words_of};
use crate::values::{Match, Mention};

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
    called.next().filter(|_| called.next().is_none())
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
