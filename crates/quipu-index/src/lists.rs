//! Lists of English words that tell little of a name: `lists.toml`.

use std::collections::HashSet;
use std::sync::LazyLock;

use serde::{Deserialize, Deserializer};

/// The lists of `lists.toml`.
#[derive(Default, Deserialize)]
struct Lists {
    articles: List,
    function: List,
    common: List,
}

#[derive(Default)]
struct List(HashSet<String>);

impl<'de> Deserialize<'de> for List {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Row {
            #[serde(rename = "reason")]
            _reason: String,
            words: String,
        }
        let row = Row::deserialize(deserializer)?;
        Ok(Self(row.words.split_whitespace().map(str::to_owned).collect()))
    }
}

/// Read once; a test reads the file.
static LISTS: LazyLock<Lists> =
    LazyLock::new(|| toml::from_str(include_str!("lists.toml")).unwrap_or_default());

/// Whether a normalised word is an article.
pub(crate) fn is_article(word: &str) -> bool {
    // Each name of an import is asked: three comparisons cost less than a hash.
    LISTS.articles.0.iter().any(|article| article == word)
}

/// Whether a normalised word carries grammar only.
pub(crate) fn is_function_word(word: &str) -> bool {
    LISTS.function.0.contains(word)
}

/// Whether questions are made of a normalised word.
pub(crate) fn is_common_word(word: &str) -> bool {
    LISTS.common.0.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_and_no_word_stands_in_two_lists() {
        let lists: Lists = toml::from_str(include_str!("lists.toml")).unwrap();
        assert!(lists.articles.0.len() == 3 && lists.function.0.len() > 100 && lists.common.0.len() > 500);
        let both: Vec<&String> = lists.function.0.intersection(&lists.common.0).collect();
        assert!(both.is_empty(), "{both:?}");
    }
}
