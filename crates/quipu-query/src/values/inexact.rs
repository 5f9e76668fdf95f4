//! Names of several words, one of which a question misspells, gives as initials or puts elsewhere.

use std::collections::HashSet;

use quipu_language::{Language, normalise};

use super::{How, LEAST_LENGTH, List, Match, Values, Written};
use crate::tables::{Place, words_of};

/// Least similarity (Jaro-Winkler) of a word and the word that it misspells. Less than of whole
/// names, because all other words of the name are right.
const LEAST_SIMILAR_WORD: f64 = 0.85;

/// Fewest initials that stand for a part of a name: "IPA" of "Rotfuchs India Pale Ale".
const LEAST_INITIALS: usize = 3;

/// Whether a word is the initials of words of a value that follow one another.
pub fn are_initials_within(word: &str, value: &str) -> bool {
    let (length, words) = (word.chars().count(), words_of(value));
    length >= LEAST_INITIALS && words.windows(length).any(|run| spells(run, word))
}

/// Whether the words of a run begin with the letters of a word.
fn spells(run: &[String], word: &str) -> bool {
    run.iter().filter_map(|word| word.chars().next()).eq(word.chars())
}

impl Values {
    /// The values that a run of words names with some of their words as initials.
    pub(super) fn of_initials(&self, text: &str) -> Vec<Match> {
        let found = self.lists.iter().filter_map(|(place, list)| list.with_initials(*place, text));
        found.collect()
    }

    /// The values that a run of words names with its year elsewhere, or shortened.
    pub(super) fn of_moved_year(&self, text: &str) -> Vec<Match> {
        self.lists.iter().filter_map(|(place, list)| list.with_moved_year(*place, text)).collect()
    }

    /// The value that a run of words with capitals names, if one word of it is in no value and
    /// resembles the word there: "Marlstone Medle" is no thing of the town Marlstone if there is a
    /// Marlstone Medal. Nothing if two names resemble it.
    pub(super) fn of_misspelt(&self, text: &str) -> Vec<Match> {
        let words = words_of(text);
        let has_capital =
            |word: &str| word.chars().find(|c| c.is_alphanumeric()).is_some_and(char::is_uppercase);
        if Language::of(text).nouns_have_capitals() || !text.split_whitespace().all(has_capital) {
            return Vec::new();
        }
        let is_known = |word: &String| self.lists.values().any(|list| list.by_word.contains_key(word));
        let mut unknown = (0..words.len()).filter(|at| words.get(*at).is_some_and(|word| !is_known(word)));
        let (Some(wrong), None) = (unknown.next(), unknown.next()) else { return Vec::new() };
        let found: Vec<Match> = self
            .lists
            .iter()
            .filter_map(|(place, list)| {
                let at = list.resembling(&words, wrong);
                (!at.is_empty()).then(|| list.matched(*place, at, How::Near))
            })
            .collect();
        let names: HashSet<String> =
            found.iter().flat_map(|of| &of.shown).map(|name| normalise(name)).collect();
        if names.len() == 1 { found } else { Vec::new() }
    }
}

impl List {
    /// The entries that have the words of a text, one of which stands for several by their
    /// initials.
    pub(super) fn with_initials(&self, place: Place, text: &str) -> Option<Match> {
        let words = words_of(text);
        let is_written_so = |word: &str| {
            let letters = word.trim_matches(|c: char| !c.is_alphanumeric());
            letters.chars().count() >= LEAST_INITIALS && letters.chars().all(char::is_uppercase)
        };
        let written: Vec<&str> = text.split_whitespace().collect();
        let at = written.iter().position(|word| is_written_so(word))?;
        let initials = words.get(at).filter(|_| words.len() > 1 && words.len() == written.len())?;
        let (before, behind) = (words.get(..at)?, words.get(at + 1..)?);
        let is_it = |entry: &usize| {
            let name = self.entries.get(*entry).map(|(name, _)| words_of(name)).unwrap_or_default();
            let run = name.strip_prefix(before).and_then(|name| name.strip_suffix(behind));
            run.is_some_and(|run| run.len() > 1 && spells(run, initials))
        };
        let another = before.last().or_else(|| behind.first())?;
        let at: Vec<usize> = self.by_word.get(another)?.iter().copied().filter(is_it).collect();
        (!at.is_empty()).then(|| self.matched(place, at, How::Joined))
    }

    /// The entry with the same name and its year elsewhere, or in full: "the 1985 Amber Trophy" and
    /// "the '85 Amber Trophy" are the "Amber Trophy 1985". Nothing if both centuries have one.
    pub(super) fn with_moved_year(&self, place: Place, text: &str) -> Option<Match> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_of =
            |digits: usize, word: &str| word.len() == digits && word.chars().all(|c| c.is_ascii_digit());
        let (year, name, is_first) = match words.as_slice() {
            // Behind a name two digits are a number: lot 12 is not that of 2012.
            [year, name @ ..] if is_of(2, year) || is_of(4, year) => (*year, name, true),
            [name @ .., year] if is_of(4, year) => (*year, name, false),
            _ => return None,
        };
        if !name.iter().any(|word| word.starts_with(char::is_uppercase)) {
            return None;
        }
        let is_whole = year.len() == 4;
        let centuries: &[&str] = if is_whole { &[""] } else { &["19", "20"] };
        let name = name.join(" ");
        let spellings = centuries
            .iter()
            .flat_map(|of| [(false, format!("{name} {of}{year}")), (true, format!("{of}{year} {name}"))]);
        // As it stands there it was looked for before.
        let others = spellings.filter(|(first, _)| !is_whole || *first != is_first);
        let mut found = others.filter_map(|(_, spelling)| self.whole(place, &Written::of(&spelling)));
        found.next().filter(|_| found.next().is_none())
    }

    /// The entries that have all words of a name but the one at `wrong`, and a similar one there.
    fn resembling(&self, words: &[String], wrong: usize) -> Vec<usize> {
        let Some(misspelt) = words.get(wrong).filter(|word| word.chars().count() >= LEAST_LENGTH) else {
            return Vec::new();
        };
        let is_like = |word: &String| {
            word.chars().next() == misspelt.chars().next()
                && strsim::jaro_winkler(word, misspelt) >= LEAST_SIMILAR_WORD
        };
        let resembles = |at: &usize| {
            let name = self.entries.get(*at).map(|(name, _)| words_of(name)).unwrap_or_default();
            name.len() == words.len()
                && name.iter().zip(words).enumerate().all(|(place, (word, asked))| {
                    if place == wrong { is_like(word) } else { normalise(word) == normalise(asked) }
                })
        };
        let another = words.iter().enumerate().find(|(at, _)| *at != wrong).map(|(_, word)| word);
        let with_it = another.and_then(|word| self.by_word.get(word));
        with_it.into_iter().flatten().copied().filter(resembles).collect()
    }
}
