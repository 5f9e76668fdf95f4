//! Texts and words of a question in the forms in which values are looked up.

use quipu_language::normalise;

use crate::tables::words_of;

/// Whether a word is a code, not a word of a language: "KV-1291" or "608.49943", but not "20th" or
/// "10cm".
pub(super) fn is_code(word: &str) -> bool {
    /// Fewer digits without a letter are a number or a year.
    const MANY: usize = 6;
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let letters = word.trim_start_matches(|c: char| c.is_ascii_digit());
    // "12A" is a code; units and the endings of ordinals are small letters.
    let is_unit = letters.len() < word.len()
        && letters.chars().all(char::is_alphabetic)
        && !letters.starts_with(char::is_uppercase);
    let has_letters = word.chars().any(char::is_alphabetic);
    match has_letters {
        true => digits >= 2 && !is_unit,
        false => digits >= MANY && !is_unit,
    }
}

/// A text in the forms in which names are looked up.
pub(super) struct Written {
    pub(super) normal: String,
    pub(super) words: Vec<String>,
    /// The words as one.
    pub(super) joined: String,
}

impl Written {
    pub(super) fn of(text: &str) -> Self {
        let words = words_of(text);
        Self { normal: normalise(text), joined: words.concat(), words }
    }
}
