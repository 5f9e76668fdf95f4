//! The nouns by which a question calls things whose kind the graph does not name: "rides" of roller
//! coasters in triples without types.

use std::collections::HashSet;

use quipu_language::{Language, Measured, is_measure};
use quipu_query::{How, Mention, Tables, Values, words_of};

/// A noun of a question that the graph does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKind {
    /// The noun in the singular.
    pub noun: String,
    /// The superlative before it: "the slowest ride" has a speed.
    pub superlative: Option<String>,
}

/// The nouns of a question that say a kind and that no name of a table, no name of a column and no
/// value holds: plurals behind an article, a number or a question word, and singulars behind "each"
/// or a superlative, or before one.
pub fn unknown_kinds(question: &str, tables: &Tables, values: &Values) -> Vec<UnknownKind> {
    /// Least letters of a noun.
    const LEAST: usize = 4;
    let words = words_of(question);
    let language = Language::of_words(&words);
    // One word of a name is none: "puppets" of Pettigrew Puppets, a workshop.
    let is_name = |mention: &&Mention| {
        mention.text.contains(' ') || mention.matches.iter().any(|found| found.how != How::Part)
    };
    let mentions = values.mentions(question);
    let in_values: HashSet<String> =
        mentions.iter().filter(is_name).flat_map(|mention| words_of(&mention.text)).collect();
    let titles: Vec<&String> = (tables.tables.iter().map(|table| &table.title))
        .chain(tables.columns().map(|(_, column)| &column.title))
        .collect();
    let of_titles: HashSet<String> = titles.iter().flat_map(|title| words_of(title)).collect();
    let is_title = |word: &str| {
        of_titles.iter().any(|of| {
            language.is_form(word, of)
                || language.is_noun(word, of)
                || language.is_agent(word, of)
                || language.is_of_one_root(word, of)
        })
    };
    let is_known = |word: &str| {
        is_title(word)
            || language
                .other_words(word)
                .iter()
                .flat_map(|other| words_of(other))
                .any(|other| is_title(&other))
            || titles.iter().any(|title| language.measured(word, title) == Measured::Alike)
    };
    let says_nothing = |word: &str| {
        word.chars().count() < LEAST
            || !word.chars().all(char::is_alphabetic)
            || !language.meanings(word).is_empty()
            || language.is_function_word(word)
            || language.is_light_noun(word)
            || language.is_unit(word)
            || is_measure(word)
    };
    let is_superlative = |word: &str| language.means(word, "superlative") || language.looks_superlative(word);
    let mut found: Vec<UnknownKind> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if says_nothing(word) || in_values.contains(word) || is_known(word) {
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| words.get(before)).map(String::as_str);
        let superlative = before.filter(|before| is_superlative(before)).map(str::to_owned);
        // "Which puppet is the tallest".
        let said_of_it = || match (before, words.get(at + 1..at + 4)) {
            (Some(which), Some([be, the, most]))
                if language.asks_by_a_noun(which)
                    && language.is_be(be)
                    && language.is_article(the)
                    && is_superlative(most) =>
            {
                Some(most.clone())
            }
            _ => None,
        };
        let superlative = superlative.or_else(said_of_it);
        let each = before.is_some_and(|before| language.means(before, "group"));
        let opens = before.is_none_or(|before| {
            language.is_article(before)
                || language.is_of(before)
                || language.wants_the_many(before)
                || language.is_quantity(before)
                || language.cardinal(before).is_some()
                || language.asks_by_a_noun(before)
                || language.means(before, "asking")
        });
        let is_kind = each || superlative.is_some() || (opens && language.is_plural(word));
        let noun = language.singular(word);
        if is_kind && !found.iter().any(|known| known.noun == noun) {
            found.push(UnknownKind { noun, superlative });
        }
    }
    found
}
