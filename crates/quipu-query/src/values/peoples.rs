//! Values that a people's name means: "American" of the country `United States`.

use quipu_language::Language;

use super::{List, Match, Values};
use crate::tables::Place;

impl Values {
    /// The countries whose people or things a word means. None if it stands with the next word in a
    /// value: "American League".
    pub(super) fn of_people(&self, word: &str, next: Option<&str>) -> Vec<Match> {
        if Language::of(word).countries_of(word).next().is_none() {
            return Vec::new();
        }
        let both = next.map(|next| format!("{word} {next}"));
        let is_name =
            |text: &String| self.lists.iter().any(|(place, list)| list.part(*place, text).is_some());
        if both.as_ref().is_some_and(is_name) {
            return Vec::new();
        }
        self.lists.iter().filter_map(|(place, list)| list.of_people(*place, word)).collect()
    }
}

impl List {
    /// The country among the values whose people or things a word means.
    pub(super) fn of_people(&self, place: Place, word: &str) -> Option<Match> {
        let mut countries = Language::of(word).countries_of(word);
        countries.find_map(|country| self.whole(place, country))
    }
}
