//! Words that are said in passing and ask for nothing.

use std::borrow::Cow;

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

/// A text without examples in parentheses: "each cup (Halvard Cup, Border Dash and so on)" asks for
/// all cups.
pub fn without_examples(text: &str) -> Cow<'_, str> {
    let language = Language::of(text);
    let of = &language.words().examples;
    let are_examples = |inside: &str| {
        let inside = inside.trim().to_lowercase();
        let opens = |opener: &String| {
            inside.strip_prefix(opener.as_str()).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
        };
        let closes = |closer: &String| {
            let rest = inside.strip_suffix(closer.as_str());
            rest.is_some_and(|rest| !rest.is_empty() && !rest.ends_with(char::is_alphanumeric))
        };
        of.openers.iter().any(opens) || of.closers.iter().any(closes)
    };
    let mut kept = Cow::Borrowed(text);
    let mut from = 0;
    while let Some((start, end)) = parentheses(&kept, from) {
        let is_it = kept.get(start + 1..end).is_some_and(are_examples);
        from = if is_it { start } else { end };
        if is_it {
            let before = kept.get(..start).unwrap_or_default().trim_end();
            let behind = kept.get(end + 1..).unwrap_or_default();
            from = before.len();
            kept = Cow::Owned(format!("{before}{behind}"));
        }
    }
    kept
}

/// The places of the next parentheses in a text.
fn parentheses(text: &str, from: usize) -> Option<(usize, usize)> {
    let start = from + text.get(from..)?.find('(')?;
    let end = start + text.get(start..)?.find(')')?;
    Some((start, end))
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
