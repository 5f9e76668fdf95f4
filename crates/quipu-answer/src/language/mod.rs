//! What words say, by code: the word lists are data files, one a language.

use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Deserialize;

/// A row of a language's file.
#[derive(Debug, Deserialize)]
struct Row {
    means: String,
    #[serde(default)]
    sure: bool,
    words: String,
}

#[derive(Debug, Deserialize)]
struct File {
    words: Vec<Row>,
}

/// What a word asks a plan to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meaning {
    /// The row's name: `negation`, `average`, ...
    pub(crate) means: String,
    /// Whether a plan that does not do it is no sure answer.
    pub(crate) sure: bool,
}

/// The meanings of a word in lower case; none of a word that may name something.
pub(crate) fn meanings(word: &str) -> &'static [Meaning] {
    static ENGLISH: OnceLock<HashMap<String, Vec<Meaning>>> = OnceLock::new();
    let english = ENGLISH.get_or_init(|| {
        // A test reads the file; were it wrong, no word would have a meaning.
        let file: File = toml::from_str(include_str!("en.toml")).unwrap_or(File { words: Vec::new() });
        let mut all: HashMap<String, Vec<Meaning>> = HashMap::new();
        for row in file.words {
            for word in row.words.split_whitespace() {
                let meaning = Meaning { means: row.means.clone(), sure: row.sure };
                all.entry(word.to_owned()).or_default().push(meaning);
            }
        }
        all
    });
    english.get(word).map(Vec::as_slice).unwrap_or_default()
}

/// What a question's first telling word asks for: `yes_or_no`, `count`, `date`, `person`.
pub(crate) fn asks_for(question: &str) -> Option<&'static str> {
    let words = quipu_query::words_of(question);
    let means = |word: &String, of: &str| meanings(word).iter().any(|meaning| meaning.means == of);
    if words.first().is_some_and(|word| means(word, "yes_or_no")) {
        return Some("yes_or_no");
    }
    let how = words.iter().position(|word| word == "how");
    if how.and_then(|at| words.get(at + 1)).is_some_and(|word| means(word, "count")) {
        return Some("count");
    }
    let first = words.first()?;
    ["date", "person"].into_iter().find(|of| means(first, of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_read_and_each_row_has_a_reason() {
        let text = include_str!("en.toml");
        let rows: File = toml::from_str(text).unwrap();
        assert_eq!(text.matches("\nreason = ").count(), rows.words.len());
        assert!(meanings("not").iter().any(|meaning| meaning.means == "negation" && meaning.sure));
        assert!(meanings("novel").is_empty());
    }
}
