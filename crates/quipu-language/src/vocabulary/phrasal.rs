//! Verbs of several words: "put out" for "released".

use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Language, asks_for_an_agent};

/// Verbs of several words.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PhrasalVerbs {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    rows: Vec<PhrasalVerb>,
}

/// Verbs of several words, with verbs of one word that mean the same.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PhrasalVerb {
    phrases: Vec<String>,
    verbs: String,
    /// Whether only a question for an agent means it: "who paid for the voyage", and not "how much
    /// was paid for it".
    #[serde(default)]
    of_agents: bool,
}

/// The verbs of several words in a question: the place of each in bytes, and verbs of one word that
/// mean the same. None of those with a capital within, which are names.
pub fn phrasal_verbs(text: &str) -> Vec<(Range<usize>, Vec<&'static str>)> {
    // Folding keeps places where no letter changes its length.
    let lower = text.to_lowercase();
    if lower.len() != text.len() {
        return Vec::new();
    }
    let stands_alone = |range: &Range<usize>| {
        let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        !letter(lower.get(..range.start).and_then(|before| before.chars().next_back()))
            && !letter(lower.get(range.end..).and_then(|behind| behind.chars().next()))
    };
    let has_capital = |range: &Range<usize>| {
        let written = text.get(range.clone()).unwrap_or_default();
        written.chars().any(char::is_uppercase)
    };
    let asks_for_an_agent = asks_for_an_agent(text);
    let mut found = Vec::new();
    for verb in &Language::of(text).words().phrasal_verbs.rows {
        if verb.of_agents && !asks_for_an_agent {
            continue;
        }
        for phrase in &verb.phrases {
            let places = lower.match_indices(phrase.as_str()).map(|(at, _)| at..at + phrase.len());
            let words = || verb.verbs.split_whitespace().collect();
            found.extend(
                places
                    .filter(|range| stands_alone(range) && !has_capital(range))
                    .map(|range| (range, words())),
            );
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_has_verbs_of_one_word() {
        let found = phrasal_verbs("Which albums were put out by Ada, who set upon it?");
        let [(place, verbs)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((place.clone(), verbs.first()), (18..25, Some(&"released")));
        assert!(phrasal_verbs("Who wrote Get Together?").is_empty());
        assert_eq!(phrasal_verbs("Who paid for the voyage?").len(), 1);
        assert!(phrasal_verbs("How much was paid for the vase?").is_empty());
    }
}
