//! Common nouns in names: "the biggest balloon" is none of those by Lumen Balloons.

use quipu_language::{Language, is_written_as_name, normalise};
use quipu_query::{Comparison, Expression, Query, Tables, words_of};

use crate::TableQuestion;

/// Fewer names that end with a noun may be meant by it: "the bakery" of a graph with one.
const SEVERAL: usize = 2;

/// The noun that a query takes for a name: it stands in small letters, is the only word of the name
/// that the question has, and several names end with it.
pub(crate) fn noun_taken_for_a_name(asking: &TableQuestion<'_>, query: &Query) -> Option<String> {
    let words = words_of(asking.text);
    let language = Language::of_words(&words);
    if language.nouns_have_capitals() {
        return None;
    }
    let mut taken = None;
    query.visit(&mut |part| {
        if let Some((table, name)) = named(part, asking.tables) {
            let name = words_of(name);
            let Some((last, others)) = name.split_last().filter(|(_, others)| !others.is_empty()) else {
                return;
            };
            let said = words.iter().find(|word| language.is_noun(word, last));
            let is_said = |of: &String| words.iter().any(|word| normalise(word) == normalise(of));
            let is_common = |noun: &&String| {
                !is_written_as_name(asking.text, noun)
                    && !others.iter().any(is_said)
                    && [*noun, last].iter().any(|noun| asking.values.names_ending(table, noun) >= SEVERAL)
            };
            taken = taken.take().or_else(|| said.filter(is_common).cloned());
        }
    });
    taken
}

/// The table and the name of a thing that a condition names.
fn named<'a>(condition: &'a Expression, tables: &Tables) -> Option<(usize, &'a str)> {
    let Expression::Compare(Comparison::Equal, of, value) = condition else { return None };
    let (Expression::Column(of), Expression::Terms(_, name)) = (&**of, &**value) else { return None };
    Some((tables.leads_to(of.place?)?, name))
}
