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
    #[serde(default)]
    before_value: bool,
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
    /// Whether it is sure only where a value can follow.
    before_value: bool,
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
                let meaning =
                    Meaning { means: row.means.clone(), sure: row.sure, before_value: row.before_value };
                all.entry(word.to_owned()).or_default().push(meaning);
            }
        }
        all
    });
    english.get(word).map(Vec::as_slice).unwrap_or_default()
}

/// The meanings that a question's word has at its place; `words` are those of the question in lower case.
pub(crate) fn meanings_at(words: &[String], at: usize) -> Vec<Meaning> {
    let next = words.get(at + 1);
    let value_follows = next.is_some_and(|next| {
        let names = |of: &[Meaning]| !of.iter().any(|meaning| meaning.means == "yes_or_no");
        !["which", "what", "who", "and", "or"].contains(&next.as_str()) && names(meanings(next))
    });
    let of_word = words.get(at).map_or(&[][..], |word| meanings(word));
    let at_place = |meaning: &Meaning| {
        let sure = meaning.sure && (value_follows || !meaning.before_value);
        Meaning { sure, ..meaning.clone() }
    };
    of_word.iter().map(at_place).collect()
}

/// A place of an order that no order has: "-5th", "0th", one beyond all counting; "top 0".
pub(crate) fn impossible_place(question: &str) -> Option<&str> {
    /// More than any list holds.
    const MOST: u64 = 10_000_000;
    let is_possible = |digits: &str| digits.parse::<u64>().is_ok_and(|place| (1..=MOST).contains(&place));
    let mut before = "";
    for word in question.split_whitespace() {
        let bare = word.trim_end_matches(|c: char| !c.is_alphanumeric());
        let digits = bare.trim_start_matches(['-', '−', '+']);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (number, suffix) = digits.split_at(end);
        let is_order = matches!(suffix.to_ascii_lowercase().as_str(), "st" | "nd" | "rd" | "th");
        let of_order =
            suffix.is_empty() && matches!(before.to_ascii_lowercase().as_str(), "top" | "first" | "best");
        let negative = bare.starts_with(['-', '−']);
        if !number.is_empty() && (is_order || of_order) && (negative || !is_possible(number)) {
            return Some(bare);
        }
        before = word;
    }
    None
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

    #[test]
    fn some_words_compare_only_where_a_value_follows() {
        let sure = |question: &str| {
            let words = quipu_query::words_of(question);
            (0..words.len()).any(|at| meanings_at(&words, at).iter().any(|meaning| meaning.sure))
        };
        for compares in ["ships under 500 tons", "ports below the average", "films that are longer"] {
            assert!(sure(compares), "{compares}");
        }
        for places in
            ["which genres do they fall under", "the bridge over which it leads", "is it under or over"]
        {
            assert!(!sure(places), "{places}");
        }
    }

    #[test]
    fn places_that_no_order_has() {
        let found = |question| impossible_place(question);
        assert_eq!(found("What is the -5th largest city?"), Some("-5th"));
        assert_eq!(found("the 0th largest city"), Some("0th"));
        assert_eq!(found("the 99999999999999999999th largest city"), Some("99999999999999999999th"));
        assert_eq!(found("the top 0 cities"), Some("0"));
        for fine in
            ["the 5th largest city", "the top 10 cities", "the film of 1999", "at -5 degrees", "21st century"]
        {
            assert_eq!(found(fine), None, "{fine}");
        }
    }
}
