//! Units, their names, and how many of one make another.

use super::Language;

impl Language {
    /// Whether a word is a unit of time, length, mass or money.
    pub fn is_unit(self, word: &str) -> bool {
        self.words().units.has(word)
    }

    /// Whether a text behind a number is a unit, in any case: "kVA", "metres".
    pub fn is_unit_symbol(self, text: &str) -> bool {
        let lower = text.to_lowercase();
        self.words().unit_symbols.has(&lower) || self.is_unit(&lower) || self.names_a_unit(&lower)
    }

    /// The smaller units of a unit by all their names, each with its number.
    fn conversions(self, unit: &str) -> Vec<(f64, &'static str)> {
        let rows = self.words().conversions.phrases.iter();
        let parts = rows.filter_map(|row| row.split(' ').collect::<Vec<_>>().try_into().ok());
        let of_unit = parts.filter(|[from, ..]: &[&str; 3]| self.is_unit_called(unit, from));
        let numbered = of_unit.filter_map(|[_, many, into]| Some((many.parse().ok()?, into)));
        numbered.flat_map(|(many, into)| self.names_of_unit(into).map(move |name| (many, name))).collect()
    }

    /// How many of the unit `into` make one of `unit`; `None` if no conversion leads from one to
    /// the other.
    pub fn unit_factor(self, unit: &str, into: &str) -> Option<f64> {
        let is = |known: &str, word: &str| known == word || self.is_unit_called(word, known);
        let larger = self.conversions(unit).into_iter().find(|(_, known)| is(known, into));
        let smaller = || self.conversions(into).into_iter().find(|(_, known)| is(known, unit));
        larger.map(|(many, _)| many).or_else(|| smaller().map(|(many, _)| 1.0 / many))
    }

    /// Whether two words name one unit: "kg" and "kilograms".
    pub fn is_unit_called(self, word: &str, unit: &str) -> bool {
        let row = |word: &str| {
            self.words().unit_names.phrases.iter().position(|row| row.split(' ').any(|name| name == word))
        };
        match (row(word), row(unit)) {
            (Some(of_word), Some(of_unit)) => of_word == of_unit,
            _ => self.names_of_unit(unit).any(|name| self.is_form(word, name)),
        }
    }

    /// Whether a word is a unit in the plural or short: "hours", "feet", "kg". A "year" and a "day"
    /// are dates too.
    pub fn names_a_unit(self, word: &str) -> bool {
        let is_other_name = || self.names_of_unit(word).next() != Some(word);
        (self.is_unit(word) && self.is_plural(word)) || is_other_name()
    }

    /// All names of a unit; the word itself if no list has it.
    fn names_of_unit(self, unit: &str) -> impl Iterator<Item = &str> {
        let names = self.words().unit_names.phrases.iter().map(|row| row.split(' '));
        let row = names.clone().find(|row| row.clone().any(|name| name == unit));
        let alone = row.is_none().then_some(unit);
        alone.into_iter().chain(row.into_iter().flatten())
    }

    /// Whether a unit is one that a column without a unit in its name usually has: metres, not
    /// feet.
    pub fn is_usual_unit(self, word: &str) -> bool {
        self.words().usual_units.has(word)
    }
}
