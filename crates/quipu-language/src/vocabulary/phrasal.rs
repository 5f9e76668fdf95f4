//! Verbs of several words: "put out" for "released".

use std::ops::Range;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::Language;

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
}

/// The verbs of several words in a text: the place of each in bytes, and verbs of one word that mean
/// the same.
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
    let mut found = Vec::new();
    for verb in &Language::of(text).words().phrasal_verbs.rows {
        for phrase in &verb.phrases {
            let places = lower.match_indices(phrase.as_str()).map(|(at, _)| at..at + phrase.len());
            let words = || verb.verbs.split_whitespace().collect();
            found.extend(places.filter(|range| stands_alone(range)).map(|range| (range, words())));
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
        let found = phrasal_verbs("Which albums were Put out by Ada, who set upon it?");
        let [(place, verbs)] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((place.clone(), verbs.first()), (18..25, Some(&"released")));
    }
}
