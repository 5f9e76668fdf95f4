//! Words that ask for one measure: the lightest object has the least weight, not the least height.

use serde::Deserialize;

use super::{Language, listed};

/// The words that ask for a measure, and the titles of columns that hold it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MeasureRow {
    #[expect(dead_code, reason = "whoever reads the file reads it")]
    reason: String,
    words: String,
    titles: String,
    /// A title with such a word holds another measure: a date of service is no age.
    #[serde(default)]
    unless: String,
    /// Other measures may be meant too: no title is surely another measure.
    #[serde(default)]
    loose: bool,
}

/// How a word that asks for a measure relates to the title of numbers or dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// The title names the same measure.
    Alike,
    /// The title names another measure.
    Otherwise,
    /// The word asks for no measure, or loosely for several, or the title names none.
    Unknown,
}

/// Titles of so many letters are compared in the singular and the plural only.
const SHORT: usize = 4;

impl MeasureRow {
    pub(super) fn words(&self) -> &str {
        &self.words
    }

    fn names(&self, title: &str, language: Language) -> bool {
        let titled = crate::words_of(title);
        // A "loaf" is no form of "load": short words are alike by chance.
        let is_like = |word: &str, known: &str| {
            let may_be_form = known.chars().count() > SHORT && language.is_form(word, known);
            // `elev_m` is an elevation.
            let abbreviates = word.len() >= SHORT && known.len() > word.len() && known.starts_with(word);
            language.is_noun(word, known) || may_be_form || abbreviates
        };
        let is_titled = |known: &str| titled.iter().any(|word| is_like(word, known));
        listed(&self.titles).any(is_titled) && !listed(&self.unless).any(is_titled)
    }
}

/// Whether a title names a measure in any language, not a count of things.
pub fn is_measure(title: &str) -> bool {
    let titled = crate::words_of(title);
    // Only English compares inflected forms: words of other languages resemble English titles by
    // chance.
    let is_exact =
        |row: &MeasureRow| listed(&row.titles).any(|known| titled.iter().any(|word| word == known));
    Language::all().any(|language| {
        let rows = &language.words().measures;
        match language == Language::english() {
            true => rows.iter().any(|row| row.names(title, language)),
            false => rows.iter().any(is_exact),
        }
    })
}

impl Language {
    /// Whether two titles name one measure: a running time and `minutes long`.
    pub fn are_of_one_measure(self, title: &str, other: &str) -> bool {
        let mut rows = self.words().measures.iter().filter(|row| !row.loose);
        rows.any(|row| row.names(title, self) && row.names(other, self))
    }

    /// Whether a title of numbers or dates names the measure that a word asks for.
    pub fn measured(self, word: &str, title: &str) -> Measured {
        let rows = || self.words().measures.iter();
        let forms: Vec<_> = self.forms(word).collect();
        let asks = |row: &&MeasureRow| listed(&row.words).any(|known| forms.iter().any(|form| form == known));
        let names = |row: &MeasureRow| row.names(title, self);
        if rows().filter(asks).any(names) {
            Measured::Alike
        } else if rows().any(|row| asks(&row) && !row.loose) && rows().any(names) {
            Measured::Otherwise
        } else {
            Measured::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Language, Measured};

    #[test]
    fn what_a_superlative_asks_for_is_measured_so() {
        for (word, title, expected) in [
            ("lightest", "weight in kg", Measured::Alike),
            ("lightest", "height in cm", Measured::Otherwise),
            ("heavier", "price", Measured::Otherwise),
            ("heaviest", "loaf id", Measured::Unknown),
            ("heaviest", "loads in kg", Measured::Alike),
            ("cheapest", "entrance fee", Measured::Alike),
            ("expensive", "price", Measured::Alike),
            ("shortest", "height", Measured::Alike),
            ("shortest", "running time", Measured::Alike),
            ("oldest", "date of birth", Measured::Alike),
            ("oldest", "maximum temperature", Measured::Otherwise),
            ("oldest", "launched", Measured::Unknown),
            ("older", "last service", Measured::Otherwise),
            ("oldest", "date of last service", Measured::Otherwise),
            ("oldest", "date of acquisition", Measured::Unknown),
            ("oldest", "inception", Measured::Alike),
            ("old", "hire date", Measured::Otherwise),
            ("largest", "price", Measured::Unknown),
            ("largest", "area in km²", Measured::Alike),
            ("smaller", "population", Measured::Unknown),
            ("lightest", "score", Measured::Otherwise),
            ("richest", "population", Measured::Otherwise),
            ("cheapest", "rating", Measured::Otherwise),
            ("cheapest", "order total", Measured::Alike),
            ("cheapest", "total minutes", Measured::Otherwise),
            ("lightest", "magnitude", Measured::Unknown),
            ("revenue", "sale price", Measured::Alike),
            ("revenue", "attendance", Measured::Unknown),
            ("often", "period years", Measured::Otherwise),
            ("longest", "period years", Measured::Alike),
            ("often", "downloads per week", Measured::Unknown),
            ("strongest", "alcohol by volume", Measured::Alike),
        ] {
            assert_eq!(Language::english().measured(word, title), expected, "{word} {title}");
        }
    }
}
