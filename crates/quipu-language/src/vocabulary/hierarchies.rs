//! Words that take in what lies below a thing: "the Hull Department and everything underneath it".

use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::provisos::included_clause;
use super::{Language, Words};

/// The words of a hierarchy.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct HierarchyWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// They stand before what is taken in: "and"
    with: Words,
    /// "everything"
    all: Words,
    /// "underneath", behind `all`
    below: Words,
    /// "it", behind `below`
    it: Words,
    /// The beginning of the parts' noun: "subdepartments"
    parts: Words,
    /// Nouns for parts of any kind: "subunits"
    units: Words,
    /// "directly or indirectly"
    through: Vec<String>,
}

/// The words by which a question takes in what lies below the thing that it names: "everything
/// underneath it included", "and its sub-departments". `is_kind` tells whether a noun is that of
/// the thing's kind, so that nothing is found in "ships and submarines". `None` in "everything
/// under 50 euros".
pub fn below_clause(words: &[String], is_kind: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    /// Words between "including" and the parts' noun: "including all of its subunits".
    const BEFORE: usize = 4;
    let of = &Language::of_words(words).words().hierarchies;
    let is = |at: usize, list: &Words| words.get(at).is_some_and(|word| list.has(word));
    let included = included_clause(words);
    let opening = |at: usize| {
        let first = (at.saturating_sub(BEFORE)..at).find(|before| is(*before, &of.with));
        let included = included.clone().filter(|clause| clause.contains(&at));
        first.map(|first| first..at + 1).or(included)
    };
    let below = |at: usize| {
        let ends = is(at + 2, &of.it) || at + 2 >= words.len();
        is(at, &of.all) && is(at + 1, &of.below) && ends
    };
    let is_noun = |word: &str| of.units.has(word) || is_kind(word);
    let is_part = |at: usize| {
        let word = words.get(at).map_or("", String::as_str);
        let mut cuts = word.char_indices().map(|(cut, _)| word.split_at(cut));
        cuts.any(|(sub, noun)| of.parts.has(sub) && is_noun(noun))
    };
    let is_part_apart = |at: usize| is(at, &of.parts) && words.get(at + 1).is_some_and(|next| is_noun(next));
    (0..words.len()).find_map(|at| {
        let behind = if below(at) {
            3
        } else if is_part(at) {
            1
        } else if is_part_apart(at) {
            2
        } else {
            return None;
        };
        let clause = opening(at)?;
        Some(clause.start..(at + behind).max(clause.end).min(words.len()))
    })
}

/// The words by which a question asks for a relation over all levels: "who reports to Ada, directly
/// or indirectly".
pub fn through_levels(words: &[String]) -> Option<Range<usize>> {
    let through = &Language::of_words(words).words().hierarchies.through;
    through.iter().find_map(|phrase| {
        let phrase = crate::words_of(phrase);
        let start = words.windows(phrase.len().max(1)).position(|window| window == phrase)?;
        Some(start..start + phrase.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words_of;

    #[test]
    fn what_lies_below_is_told_from_what_costs_less() {
        let clause = |question: &str| {
            let words = words_of(question);
            let is_kind = |noun: &str| noun == "departments";
            below_clause(&words, is_kind).map(|clause| words[clause].join(" "))
        };
        for (question, taken) in [
            ("Who works in Hull, everything underneath it included?", "everything underneath it included"),
            ("Who works in Hull and everything below it?", "and everything below it"),
            ("Staff of Hull including all its subdepartments", "including all its subdepartments"),
            ("Staff of Hull including all of its subunits", "including all of its subunits"),
            ("Staff of Hull and its sub-departments in 2020", "and its sub departments"),
        ] {
            assert_eq!(clause(question).as_deref(), Some(taken), "{question}");
        }
        let asked = words_of("Who reports to Ada, directly or indirectly?");
        assert_eq!(through_levels(&asked), Some(4..7));
        for question in [
            "Shops and everything under 50 euros",
            "Which ships and submarines are in port?",
            "Which subsidiaries does Hull own?",
            "How many people work in Hull?",
        ] {
            assert_eq!(clause(question), None, "{question}");
        }
    }
}
