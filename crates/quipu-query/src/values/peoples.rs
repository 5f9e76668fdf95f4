//! Values that a people's name means: "American" of the country `United States`.

use quipu_language::{Language, normalise};

use super::written::Written;
use super::{List, Match, Values};
use crate::tables::Place;

impl Values {
    /// The countries whose people or things the word at a place means. None if the words beside it
    /// make it part of a name: "American League", "Indian Ocean", "South American".
    pub(super) fn of_people(&self, words: &[&str], at: usize) -> Vec<Match> {
        let bare = |at: usize| words.get(at).map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        let Some(word) = bare(at) else { return Vec::new() };
        let language = Language::of(word);
        if language.countries_of(word).next().is_none() {
            return Vec::new();
        }
        let is_capital = |word: &str| word.starts_with(char::is_uppercase);
        let has_capitals = words.iter().skip(1).any(|word| is_capital(word));
        let next = bare(at + 1);
        let before = at.checked_sub(1).and_then(bare).map(str::to_lowercase);
        // "The polish" of a question with capitals is none of Poland.
        let is_small = at > 0 && has_capitals && !is_capital(word);
        let is_named = before.is_some_and(|before| language.makes_another_name(&before));
        let stands_in_a_value = |next: &str| {
            let text = format!("{word} {next}");
            self.lists.iter().any(|(place, list)| list.part(*place, &text).is_some())
        };
        if is_small || is_named || next.is_some_and(|next| is_capital(next) || stands_in_a_value(next)) {
            return Vec::new();
        }
        self.lists.iter().filter_map(|(place, list)| list.of_people(*place, word)).collect()
    }
}

impl List {
    /// The country among the values whose people or things a word means.
    pub(super) fn of_people(&self, place: Place, word: &str) -> Option<Match> {
        let mut countries = Language::of(word).countries_of(word);
        let found = countries.find_map(|country| self.whole(place, &Written::of(country)))?;
        self.holds_countries().then_some(found)
    }

    /// Whether two of the values are names of countries, or half of them: the band America is none.
    fn holds_countries(&self) -> bool {
        const ENOUGH: usize = 2;
        let is_country =
            |(name, _): &&(String, oxrdf::Term)| Language::english().is_country(&normalise(name));
        let countries = self.entries.iter().filter(is_country).take(ENOUGH).count();
        countries >= ENOUGH || countries * 2 >= self.entries.len()
    }
}
