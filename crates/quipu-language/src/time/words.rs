//! The words of a time expression.

use crate::normalise::without_possessive;

/// Lower-cased words without punctuation, except inside `2024-02-28`, `02/28/2024` and `1990s`.
pub(super) fn tokenize(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '/')))
        .flat_map(|word| {
            // A slash is kept in a date and separates words elsewhere.
            let date = word.chars().all(|c| c.is_ascii_digit() || c == '/');
            let parts: Vec<&str> = if date { vec![word] } else { word.split('/').collect() };
            parts
        })
        .map(|word| word.trim_matches(['-', '\'', '’', '/']))
        .map(|word| without_possessive(word).to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// The word at a place; the empty word past the end.
pub(super) fn word(words: &[String], at: usize) -> &str {
    words.get(at).map_or("", String::as_str)
}

/// A year in four digits.
pub(super) fn year(word: &str) -> Option<i16> {
    word.parse().ok().filter(|y| word.len() == 4 && (1000..=2999).contains(y))
}
