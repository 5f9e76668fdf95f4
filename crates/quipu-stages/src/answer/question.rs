//! The question on entry to the engine: checked once; the query planner may correct its spelling.

use std::ops::Range;

use jiff::fmt::temporal::Pieces;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

use quipu_language::{Language, rounding, without_examples};

use super::AnswerError;

/// The longest accepted question, in bytes. Longer input is a document, not a question.
pub const MAX_QUESTION_BYTES: usize = 4096;

/// A question and the moment it was asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    written: String,
    text: String,
    decimals: Option<usize>,
    asked_at: Zoned,
}

impl Question {
    /// Takes a question asked at `asked_at`, to which "yesterday" and "last year" refer.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the text is empty, longer than [`MAX_QUESTION_BYTES`] or holds
    /// control characters (binary input).
    pub fn new(text: &str, asked_at: Zoned) -> Result<Self, AnswerError> {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            return Err(AnswerError::Usage("the question is empty".into()));
        }
        if text.len() > MAX_QUESTION_BYTES {
            let message = format!(
                "the question has {} bytes; the limit is {MAX_QUESTION_BYTES}: ask one thing at a time",
                text.len()
            );
            return Err(AnswerError::Usage(message));
        }
        if text.chars().any(char::is_control) {
            return Err(AnswerError::Usage("the question holds control characters; is it a file?".into()));
        }
        let written = Language::of(&text).in_full(&without_examples(&text));
        let (text, decimals) = match rounding(&written) {
            Some((text, decimals)) => (text, Some(decimals)),
            None => (written.clone(), None),
        };
        Ok(Self { written, text, decimals, asked_at })
    }

    /// The text, with single spaces, and with abbreviations and contractions in full.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// The same without a wish for rounding: "to the nearest metre".
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The same question in another spelling, or in other words.
    pub fn respelt(&self, text: String) -> Self {
        Self { text, ..self.clone() }
    }

    /// How many decimals its numbers are to have, if it says so.
    pub fn decimals(&self) -> Option<usize> {
        self.decimals
    }

    /// When it was asked.
    pub fn asked_at(&self) -> &Zoned {
        &self.asked_at
    }
}

/// Reads `2024-02-28T12:00:00+01:00`, with or without a zone's name in brackets.
///
/// # Errors
/// The expected and the found text.
pub fn parse_time(text: &str) -> Result<Zoned, String> {
    if let Ok(zoned) = text.parse::<Zoned>() {
        return Ok(zoned);
    }
    let timestamp: Timestamp =
        text.parse().map_err(|_| format!("expected a time such as 2024-02-28T12:00:00Z, found {text:?}"))?;
    let offset = Pieces::parse(text).ok().and_then(|pieces| pieces.to_numeric_offset());
    Ok(timestamp.to_zoned(offset.map_or(TimeZone::UTC, TimeZone::fixed)))
}

/// An entity from an earlier turn, in a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    pub(crate) key: String,
    pub(crate) name: String,
    /// The place of its name in the question, in bytes.
    pub(crate) span: Range<usize>,
}

/// A page that comes with a question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Its title.
    pub name: String,
    /// Its address; empty for a file.
    pub url: String,
    /// The search engine's snippet.
    pub snippet: String,
    /// The time of its last change, according to its server or a search engine; empty if unknown.
    pub last_modified: String,
    /// The page: HTML, Markdown or plain text.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(text: &str) -> Result<Question, AnswerError> {
        Question::new(text, "2024-02-28T12:00:00[UTC]".parse().unwrap())
    }

    #[test]
    fn white_space_is_tidied() {
        assert_eq!(ask("  who\n directed  it? ").unwrap().text(), "who directed it?");
    }

    #[test]
    fn abbreviations_within_a_sentence_are_written_in_full() {
        let check = |text: &str, full: &str| assert_eq!(ask(text).unwrap().text(), full);
        check("article no. of the valve?", "article number of the valve?");
        check("order No. 40118", "order number 40118");
        check("Is it one? No. Which one is it?", "Is it one? No. Which one is it?");
        check("is that a no.", "is that a no.");
    }

    #[test]
    fn examples_in_parentheses_are_left_out() {
        let check = |text: &str, full: &str| assert_eq!(ask(text).unwrap().text(), full);
        check("the mean of each cup (Halvard Cup, Border Dash and so on)?", "the mean of each cup?");
        check("Which dyes (e.g. madder) (plants only) fade?", "Which dyes (plants only) fade?");
        check("Who wrote Etc (the Play)?", "Who wrote Etc (the Play)?");
        check("Is the Clock (Likeness) sold?", "Is the Clock (Likeness) sold?");
    }

    #[test]
    fn contractions_get_their_apostrophe() {
        let check = |text: &str, full: &str| assert_eq!(ask(text).unwrap().text(), full);
        check("whats the price of Magpie?", "what's the price of Magpie?");
        check("wich pump doesnt leak?", "which pump doesn't leak?");
        check("Who plays in Mary Wheres?", "Who plays in Mary Wheres?");
        check("I'd like the pumps we've got", "I would like the pumps we have");
        check("which pumps've we got?", "which pumps have we got?");
        check("How many have we got, please?", "How many have we got, please?");
        check("which pumps have got, say, a filter?", "which pumps have, say, a filter?");
        check("Which of Rock'd and Roll'd sold more?", "Which of Rock'd and Roll'd sold more?");
    }

    #[test]
    fn what_is_no_question_is_refused_with_a_reason() {
        assert!(ask(" \n ").unwrap_err().to_string().contains("empty"));
        assert!(ask(&"why ".repeat(2000)).unwrap_err().to_string().contains("one thing at a time"));
        assert!(ask("\u{0}\u{1}PNG").unwrap_err().to_string().contains("control characters"));
    }
}
