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

impl Values {
    /// The values that a word shortens. Everyday words shorten nothing: "cost" is no costume.
    pub(super) fn of_short_form(&self, word: &str) -> Vec<Match> {
        let language = Language::of(word);
        let is_usual = language.is_everyday_form(word) || !language.meanings(word).is_empty();
        if is_usual || !word.chars().all(char::is_lowercase) || word.chars().count() < LEAST_LETTERS {
            return Vec::new();
        }
        self.lists.iter().filter_map(|(place, list)| list.shortened(*place, word)).collect()
    }
}

impl List {
    /// The only value of one word of a column of few ones that begins with a text and goes on.
    pub(super) fn shortened(&self, place: Place, text: &str) -> Option<Match> {
        let text = normalise(text);
        let least = text.chars().count() + LEAST_LEFT_OUT;
        if text.chars().count() < LEAST_LETTERS || self.exact.len() > MOST_VALUES {
            return None;
        }
        let goes_on =
            |name: &&String| name.starts_with(&text) && !name.contains(' ') && name.chars().count() >= least;
        let mut names = self.exact.iter().filter(|(name, _)| goes_on(name));
        let (_, at) = names.next().filter(|_| names.next().is_none())?;
        let at: BTreeSet<usize> = at.iter().copied().collect();
        Some(self.matched(place, at, How::Joined))
    }
}
