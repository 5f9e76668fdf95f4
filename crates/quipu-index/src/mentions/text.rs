//! A question prepared for detection: its words, its capitals, and the spans that deserve a lookup.

use std::collections::BTreeSet;
use std::ops::Range;

use super::words::weight;
use super::{LONGEST_LOOSE_SPAN, LONGEST_SPAN, LONGEST_TEXT};
use crate::Candidate;
use quipu_language::{Language, Word, is_always_capital, words};

/// A text prepared for detection.
pub(super) struct Text<'t> {
    pub(super) text: &'t str,
    pub(super) language: Language,
    pub(super) words: Vec<Word>,
    /// Whether a word other than the first has a capital.
    pub(super) capitals: bool,
    /// Whether most words have one, so that capitals carry no information.
    pub(super) title_case: bool,
}

impl<'t> Text<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let text = text.get(..text.floor_char_boundary(LONGEST_TEXT)).unwrap_or(text);
        let words = words(text);
        let later = words.iter().skip(1).filter(|word| !is_always_capital(&word.text));
        let capital =
            |word: &&Word| text.get(word.start..).is_some_and(|rest| rest.starts_with(char::is_uppercase));
        let count = later.filter(capital).count();
        Self {
            text,
            language: Language::of(text),
            capitals: count > 0,
            title_case: count * 3 > words.len() * 2,
            words,
        }
    }

    pub(super) fn slice(&self, span: &Range<usize>) -> &'t str {
        self.text.get(span.clone()).unwrap_or("")
    }

    pub(super) fn of(&self, range: &Range<usize>) -> &[Word] {
        self.words.get(range.clone()).unwrap_or(&[])
    }

    /// Bytes of a span of words, without the possessive ending of its last word.
    pub(super) fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        match self.of(range) {
            [] => 0..0,
            [first, ..] => first.start..self.of(range).last().map_or(first.end, |last| last.stem_end),
        }
    }

    /// The words of a span of bytes, the reverse of [`Text::bytes`]; empty for signs.
    pub(super) fn words_of(&self, span: &Range<usize>) -> Range<usize> {
        let start = self.words.partition_point(|word| word.start < span.start);
        let end = self.words.partition_point(|word| word.start < span.end);
        start..end.max(start)
    }

    /// Whether a word has a significant capital.
    fn is_capital(&self, index: usize) -> bool {
        index > 0
            && !self.title_case
            && self.words.get(index).is_some_and(|word| {
                !is_always_capital(&word.text)
                    && self.text.get(word.start..).is_some_and(|rest| rest.starts_with(char::is_uppercase))
            })
    }

    /// Whether a word may be part of a name; any word, in a text without capitals.
    fn looks_named(&self, index: usize) -> bool {
        !self.capitals
            || self.is_capital(index)
            || self.words.get(index).is_some_and(|word| weight(self.language, &word.text) >= 0.4)
    }

    /// Runs of three to [`LONGEST_SPAN`] words that begin and end with a capital, with at most two
    /// lower-case words between two capitals: `The Sword of Doom`.
    fn capital_runs(&self) -> Vec<Range<usize>> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for index in (0..self.words.len()).filter(|&index| self.is_capital(index)) {
            match runs.last_mut() {
                Some(run) if index <= run.end + 2 => run.end = index + 1,
                _ => runs.push(index..index + 1),
            }
        }
        runs.retain(|run| (3..=LONGEST_SPAN).contains(&run.len()));
        runs
    }

    /// The span with the signs behind it that belong to a name: `Taxi!`. A question's last sign
    /// does not.
    pub(super) fn with_signs(&self, span: &Range<usize>, candidates: &[Candidate]) -> Option<Range<usize>> {
        let rest = self.text.get(span.start..)?;
        let ends = candidates.iter().filter_map(|candidate| {
            let behind = rest.strip_prefix(candidate.matched.as_str())?;
            let apart = !behind.starts_with(char::is_alphanumeric);
            let last = behind.trim().is_empty() && candidate.matched.ends_with(['?', '.']);
            (apart && !last && candidate.matched.len() > span.len())
                .then_some(span.start + candidate.matched.len())
        });
        ends.max().map(|end| span.start..end)
    }
}

/// Spans for a lookup with errors, longest first: spans around an unexplained content word that
/// begin and end with content words (or are written like names), and whole runs of words written
/// like names.
pub(super) fn loose_windows(text: &Text<'_>, open: &[bool]) -> Vec<Range<usize>> {
    let mut windows = BTreeSet::new();
    for (at, _) in open.iter().enumerate().filter(|(_, open)| **open) {
        // Common words may stand inside a name, but adding them at the ends gains nothing.
        let ends = |index: usize| index == at || text.looks_named(index);
        for start in (at + 1).saturating_sub(LONGEST_LOOSE_SPAN)..=at {
            for end in at + 1..=(start + LONGEST_LOOSE_SPAN).min(open.len()) {
                if ends(start) && ends(end - 1) {
                    windows.insert((std::cmp::Reverse(end - start), start, end));
                }
            }
        }
    }
    for run in text.capital_runs() {
        windows.insert((std::cmp::Reverse(run.len()), run.start, run.end));
    }
    windows.into_iter().map(|(_, start, end)| start..end).collect()
}

/// Runs of neighbouring set flags.
pub(super) fn runs(flags: &[bool]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (index, _) in flags.iter().enumerate().filter(|(_, flag)| **flag) {
        match runs.last_mut() {
            Some(run) if run.end == index => run.end = index + 1,
            _ => runs.push(index..index + 1),
        }
    }
    runs
}
