//! How a question wants its numbers: "to the nearest metre", "with two decimals". It says nothing
//! of the things that it asks for.

use std::ops::Range;

use crate::vocabulary::{Language, RoundingWords, Words};

/// Most decimals that a question may ask for.
const MOST: usize = 9;
/// Most words from "rounded" to "whole numbers".
const MOST_BETWEEN: usize = 3;

/// A question without its wish for rounding, and the number of decimals that it wishes for. `None`
/// if it has no such wish.
pub fn rounding(question: &str) -> Option<(String, usize)> {
    let text = Text::of(question);
    let (wish, decimals) = text.wish()?;
    let (from, to) = (text.begin_of(wish.start), text.end_of(wish.end));
    // A wish stands at the question's end, in brackets, or says itself that numbers are rounded.
    let said = text.words.get(from..to)?.iter().any(|word| text.of.rounded.has(word));
    let is_apart = text.is_bracketed(from) || (to == text.words.len() && text.is_apart(from));
    if !said && !is_apart {
        return None;
    }
    let last = text.parts.get(to.checked_sub(1)?).and_then(|last| last.chars().last());
    let end = last.filter(|end| "?!".contains(*end));
    let kept: Vec<&str> = text.parts.iter().take(from).chain(text.parts.iter().skip(to)).copied().collect();
    let mut kept = kept.join(" ").trim_matches(|c: char| ",;:-–( ".contains(c)).to_owned();
    kept.extend(end.filter(|end| !kept.ends_with(*end)));
    (!kept.is_empty()).then_some((kept, decimals))
}

/// A question in parts between spaces.
struct Text<'a> {
    parts: Vec<&'a str>,
    /// The parts in small letters, without signs around them.
    words: Vec<String>,
    language: Language,
    of: &'static RoundingWords,
}

impl<'a> Text<'a> {
    fn of(question: &'a str) -> Self {
        let language = Language::of(question);
        let parts: Vec<&str> = question.split(' ').collect();
        let bare = |part: &&str| part.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let words = parts.iter().map(bare).collect();
        Self { parts, words, language, of: &language.words().rounding }
    }

    /// The telling words of the wish, and its number of decimals.
    fn wish(&self) -> Option<(Range<usize>, usize)> {
        let place = |list: &Words| self.words.iter().position(|word| list.has(word));
        // "Two decimals".
        if let Some(at) = place(&self.of.decimals).and_then(|noun| noun.checked_sub(1))
            && let Some(number) = self.words.get(at).and_then(|word| self.number(word))
        {
            return Some((at..at + 2, number));
        }
        // "To the nearest whole metre", not "the nearest metre station".
        if let Some(at) = place(&self.of.nearest) {
            let decimals = self.words.get(at + 1).and_then(|word| self.digit(word))?;
            let is_whole = self.words.get(at + 1).is_some_and(|word| self.of.whole.has(word));
            let unit = self.words.get(at + 2).is_some_and(|word| is_whole && self.is_unit(word));
            return Some((at..at + 2 + usize::from(unit), decimals));
        }
        // "Rounded to whole numbers", "auf ganze Meter gerundet".
        let rounded = place(&self.of.rounded)?;
        let near = rounded.saturating_sub(MOST_BETWEEN)..(rounded + 1 + MOST_BETWEEN).min(self.words.len());
        let whole =
            near.clone().find(|at| self.words.get(*at).is_some_and(|word| self.of.whole.has(word)))?;
        Some((whole.min(rounded)..(whole.max(rounded) + 1), 0))
    }

    fn number(&self, word: &str) -> Option<usize> {
        if self.of.none.has(word) {
            return Some(0);
        }
        let said = self.language.cardinal(word).or_else(|| word.parse().ok());
        said.filter(|said| *said <= MOST)
    }

    fn digit(&self, word: &str) -> Option<usize> {
        match word {
            word if self.of.tenth.has(word) => Some(1),
            word if self.of.hundredth.has(word) => Some(2),
            word if self.of.whole.has(word) || self.is_unit(word) => Some(0),
            _ => None,
        }
    }

    fn is_unit(&self, word: &str) -> bool {
        let is_unit = |word: &str| self.language.is_unit(word) || self.of.numbers.has(word);
        is_unit(word) || is_unit(&format!("{word}s"))
    }

    /// The first word of a wish whose telling words begin at a place.
    fn begin_of(&self, mut from: usize) -> usize {
        let belongs = |word: &String| {
            self.of.begin.has(word) || self.of.rounded.has(word) || self.language.is_article(word)
        };
        while let Some(before) = from.checked_sub(1)
            && self.words.get(before).is_some_and(belongs)
            && !self.ends_part(before)
        {
            from = before;
        }
        from
    }

    /// The place behind the last word of a wish.
    fn end_of(&self, mut to: usize) -> usize {
        let belongs = |word: &String| {
            let of = self.of;
            of.places.has(word) || of.rounded.has(word) || of.numbers.has(word)
        };
        while !to.checked_sub(1).is_some_and(|last| self.ends_part(last))
            && self.words.get(to).is_some_and(belongs)
        {
            to += 1;
        }
        to
    }

    /// Whether a sign behind a word ends a part of the sentence.
    fn ends_part(&self, at: usize) -> bool {
        self.parts.get(at).is_some_and(|part| part.ends_with([',', ';', ':', '.', '?', '!', ')']))
    }

    fn is_bracketed(&self, from: usize) -> bool {
        self.parts.get(from).is_some_and(|part| part.starts_with('('))
    }

    /// Whether a wish begins with a word of its own, or behind a sign.
    fn is_apart(&self, from: usize) -> bool {
        let begins = self.words.get(from).is_some_and(|word| self.of.begin.has(word));
        begins || from.checked_sub(1).is_some_and(|before| self.ends_part(before))
    }
}

#[cfg(test)]
mod tests {
    use super::rounding;

    #[test]
    fn a_wish_for_rounding_says_nothing_of_the_things() {
        for (question, kept, decimals) in [
            (
                "What is the average height of the spires, rounded to the nearest metre?",
                "What is the average height of the spires?",
                0,
            ),
            ("Average altitude of the huts, to the nearest whole metre", "Average altitude of the huts", 0),
            (
                "What is the mean number of cars per hall (two decimals)?",
                "What is the mean number of cars per hall?",
                2,
            ),
            ("average price, rounded to 1 decimal place", "average price", 1),
            (
                "What share of the huts is open? Give it with one decimal.",
                "What share of the huts is open? Give it",
                1,
            ),
            (
                "What percentage of the huts is open? one decimal please",
                "What percentage of the huts is open?",
                1,
            ),
            ("How high does the lift go up, to one decimal", "How high does the lift go up", 1),
            ("share of the open huts, in percent, no decimals", "share of the open huts, in percent", 0),
            ("mean weight rounded to whole numbers for each hall", "mean weight for each hall", 0),
            (
                "Wie hoch sind die Berge im Mittel, auf ganze Meter gerundet?",
                "Wie hoch sind die Berge im Mittel?",
                0,
            ),
            (
                "Was ist das mittlere Gewicht, auf zwei Nachkommastellen gerundet?",
                "Was ist das mittlere Gewicht?",
                2,
            ),
        ] {
            assert_eq!(rounding(question), Some((kept.to_owned(), decimals)), "{question}");
        }
    }

    #[test]
    fn numbers_and_near_things_are_no_rounding() {
        for question in [
            "Which is the nearest station to Arle?",
            "Which is the nearest metre station?",
            "Who rounded the cape in 1820?",
            "Who won round number 3?",
            "Is 8 a round number?",
            "Which currencies with 2 decimals are used in Asia?",
            "Which scales show three decimals?",
            "How many decimals does the scale show?",
        ] {
            assert_eq!(rounding(question), None, "{question}");
        }
    }
}
