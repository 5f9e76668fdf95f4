//! Words that ask for one measure: the lightest thing has the least weight, not the least height.

use serde::Deserialize;

use super::{english, is_form};

/// The words that ask for a measure, and those by which numbers of it are called.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MeasureRow {
    #[expect(dead_code, reason = "whoever reads the file reads it")]
    reason: String,
    words: String,
    titles: String,
}

/// How a word that asks for a measure stands to the title of numbers or dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measured {
    /// They are of the measure.
    Alike,
    /// They are of another measure.
    Otherwise,
    /// The word asks for none, or the title names none.
    Unknown,
}

impl MeasureRow {
    fn names(&self, title: &str) -> bool {
        let titled = crate::words_of(title);
        let is_titled = |known: &str| titled.iter().any(|word| word == known || is_form(word, known));
        self.titles.split_whitespace().any(is_titled)
    }
}

/// Whether numbers called so are of some measure, and count no things.
pub fn is_measure(title: &str) -> bool {
    english().measures.iter().any(|row| row.names(title))
}

/// Whether numbers or dates called so are of the measure that a word asks for.
pub fn measured(word: &str, title: &str) -> Measured {
    let rows = || english().measures.iter();
    let asks = |row: &&MeasureRow| row.words.split_whitespace().any(|known| known == word);
    if rows().filter(asks).any(|row| row.names(title)) {
        Measured::Alike
    } else if rows().any(|row| asks(&row)) && rows().any(|row| row.names(title)) {
        Measured::Otherwise
    } else {
        Measured::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::{Measured, measured};

    #[test]
    fn what_a_superlative_asks_for_is_measured_so() {
        for (word, title, expected) in [
            ("lightest", "weight in kg", Measured::Alike),
            ("lightest", "height in cm", Measured::Otherwise),
            ("heavier", "price", Measured::Otherwise),
            ("cheapest", "entrance fee", Measured::Alike),
            ("expensive", "price", Measured::Alike),
            ("shortest", "height", Measured::Alike),
            ("shortest", "running time", Measured::Alike),
            ("oldest", "date of birth", Measured::Alike),
            ("oldest", "maximum temperature", Measured::Otherwise),
            ("oldest", "launched", Measured::Unknown),
            ("largest", "price", Measured::Unknown),
            ("lightest", "score", Measured::Otherwise),
            ("richest", "population", Measured::Otherwise),
            ("cheapest", "rating", Measured::Otherwise),
            ("lightest", "magnitude", Measured::Unknown),
        ] {
            assert_eq!(measured(word, title), expected, "{word} {title}");
        }
    }
}
