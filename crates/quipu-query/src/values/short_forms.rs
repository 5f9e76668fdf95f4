//! Short forms of values: "panto" for the era `Pantomime`.

use std::collections::BTreeSet;

use quipu_language::{Language, normalise};

use super::{How, List, Match, Values};
use crate::tables::Place;

/// Letters of a short form.
const LEAST_LETTERS: usize = 4;
/// Letters that it leaves out; fewer are those of a plural.
const LEAST_LEFT_OUT: usize = 3;
/// Most values of a column, or names of a table.
const MOST_VALUES: usize = 60;

/// Whether a word may shorten a value. Everyday words shorten nothing: "cost" is no costume.
fn may_shorten(word: &str) -> bool {
    let language = Language::of(word);
    let is_usual = language.is_everyday_form(word) || !language.meanings(word).is_empty();
    !is_usual && word.chars().all(char::is_lowercase) && word.chars().count() >= LEAST_LETTERS
}

/// Whether a value of one word, in its normal form, begins with a text and goes on.
fn goes_on(value: &str, text: &str) -> bool {
    let least = text.chars().count() + LEAST_LEFT_OUT;
    value.starts_with(text) && !value.contains(' ') && value.chars().count() >= least
}

/// Whether a word is a short form of a value: "panto" of `Pantomime`.
pub fn shortens(word: &str, value: &str) -> bool {
    may_shorten(word) && goes_on(&normalise(value), &normalise(word))
}

impl Values {
    /// The values that a word shortens.
    pub(super) fn of_short_form(&self, word: &str) -> Vec<Match> {
        if !may_shorten(word) {
            return Vec::new();
        }
        self.lists.iter().filter_map(|(place, list)| list.shortened(*place, word)).collect()
    }
}

impl List {
    /// The only value of one word of a column of few ones that begins with a text and goes on.
    pub(super) fn shortened(&self, place: Place, text: &str) -> Option<Match> {
        let text = normalise(text);
        if text.chars().count() < LEAST_LETTERS || self.exact.len() > MOST_VALUES {
            return None;
        }
        let mut names = self.exact.iter().filter(|(name, _)| goes_on(name, &text));
        let (_, at) = names.next().filter(|_| names.next().is_none())?;
        let at: BTreeSet<usize> = at.iter().copied().collect();
        Some(self.matched(place, at, How::Joined))
    }
}
