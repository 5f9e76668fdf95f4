//! Where something begins and ends: "out of", `destination`.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Language, Words};
use crate::words::begin;

/// Words for the two ends of a way.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WayWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// Phrases before the name of where something begins.
    from: Vec<String>,
    /// Phrases before the name of where something ends.
    to: Vec<String>,
    origins: Words,
    destinations: Words,
}

/// One of the two ends of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Towards {
    /// Where something begins.
    Origin,
    /// Where something ends.
    Destination,
}

/// The end of a way that the words right before a name ask for: the origin for "out of Lima". Only
/// an article may stand between.
pub fn direction_before(words: &[String], at: usize) -> Option<Towards> {
    let language = Language::of_words(words);
    let list = &language.words().ways;
    let before = words.get(..at)?;
    let before = match before.split_last() {
        Some((article, rest)) if language.is_article(article) => rest,
        _ => before,
    };
    let longest = |phrases: &[String]| {
        let ends = |phrase: &&String| {
            (0..before.len()).any(|start| {
                let rest = before.get(start..).unwrap_or_default();
                begin(rest, phrase) == Some(rest.len())
            })
        };
        phrases.iter().filter(ends).map(String::len).max()
    };
    match (longest(&list.from), longest(&list.to)) {
        (Some(from), to) if to.is_none_or(|to| from > to) => Some(Towards::Origin),
        (_, Some(_)) => Some(Towards::Destination),
        _ => None,
    }
}

impl Language {
    /// The end of a way that a column holds by its title: `destination airport`.
    pub fn direction_of(self, title: &str) -> Option<Towards> {
        let list = &self.words().ways;
        let words = crate::words_of(title);
        let has = |of: &Words| words.iter().any(|word| of.has(word));
        match (has(&list.origins), has(&list.destinations)) {
            (true, false) => Some(Towards::Origin),
            (false, true) => Some(Towards::Destination),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, Towards, direction_before};
    use crate::words_of;

    #[test]
    fn words_before_a_name_tell_the_end_of_a_way() {
        for (question, expected) in [
            ("Which flights out of Lima are late", Some(Towards::Origin)),
            ("Which flights to Lima are late", Some(Towards::Destination)),
            ("Which flights leaving for Lima are late", Some(Towards::Destination)),
            ("Which flights leaving Lima are late", Some(Towards::Origin)),
            ("Which flights over Lima are late", None),
        ] {
            let words = words_of(question);
            let at = words.iter().position(|word| word == "lima").unwrap();
            assert_eq!(direction_before(&words, at), expected, "{question}");
        }
        let of = |title: &str| Language::english().direction_of(title);
        assert_eq!(of("origin airport"), Some(Towards::Origin));
        assert_eq!(of("arrival city"), Some(Towards::Destination));
        assert_eq!(of("home airport"), None);
    }
}
