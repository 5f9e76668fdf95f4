//! Words that are said in passing and ask for nothing.

use super::Language;
use super::meanings::is_within;
use super::provisos::proviso_in;

/// Whether a word is said in passing: "at the moment", "do you know", "counting only those".
pub fn is_aside(words: &[String], at: usize) -> bool {
    let language = Language::of_words(words);
    is_in_passing(words, at) || proviso_in(language, words, at)
}

/// Whether a word is part of a phrase that asks for nothing: the "just" of "just add up".
pub fn is_in_passing(words: &[String], at: usize) -> bool {
    let language = Language::of_words(words);
    is_within(words, at, &language.words().asides) || asks_for_names_alone(language, words, at)
}

/// Whether a word says that the names will do, at the end of a question: "just the makers' names".
fn asks_for_names_alone(language: Language, words: &[String], at: usize) -> bool {
    /// Most words behind it.
    const MOST: usize = 5;
    let is_only = words.get(at).is_some_and(|word| language.means(word, "only"));
    let behind = words.get(at + 1..).unwrap_or_default();
    let ends = behind.last().is_some_and(|last| language.words().letters.has(last));
    at > 0 && is_only && ends && behind.len() <= MOST && !behind.iter().any(|word| language.is_be(word))
}
