//! Units, their names, and how many of one make another.

use std::collections::HashMap;

use super::Language;

/// How many of a smaller unit make a larger one.
#[derive(Debug)]
pub(super) struct Conversion {
    larger: String,
    many: f64,
    smaller: String,
}

/// The conversions of the unit that a word names, by their numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitNamed {
    /// Those in which it is the larger unit.
    larger: Vec<usize>,
    smaller: Vec<usize>,
}

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

    fn conversions(self) -> &'static [Conversion] {
        self.words().converted.get_or_init(|| {
            let rows = self.words().conversions.phrases.iter();
            let read = |row: &String| {
                let [larger, many, smaller]: [&str; 3] =
                    row.split(' ').collect::<Vec<_>>().try_into().ok()?;
                let (larger, smaller) = (larger.to_owned(), smaller.to_owned());
                Some(Conversion { larger, many: many.parse().ok()?, smaller })
            };
            rows.filter_map(read).collect()
        })
    }

    /// The conversions of the unit that a word names.
    pub fn unit_named(self, word: &str) -> UnitNamed {
        let mut known: HashMap<&str, bool> = HashMap::new();
        let mut named = UnitNamed::default();
        for (row, Conversion { larger, smaller, .. }) in self.conversions().iter().enumerate() {
            for (unit, rows) in [(larger, &mut named.larger), (smaller, &mut named.smaller)] {
                if *known.entry(unit).or_insert_with(|| self.is_unit_called(word, unit)) {
                    rows.push(row);
                }
            }
        }
        named
    }

    /// How many of the unit `into` make one of `unit`; `None` if no conversion leads from one to
    /// the other.
    pub fn factor_between(self, unit: &UnitNamed, into: &UnitNamed) -> Option<f64> {
        let first = |larger: &UnitNamed, smaller: &UnitNamed| {
            let row = larger.larger.iter().find(|row| smaller.smaller.contains(row))?;
            self.conversions().get(*row).map(|row| row.many)
        };
        first(unit, into).or_else(|| first(into, unit).map(|many| 1.0 / many))
    }

    /// The same, of the units that two words name.
    pub fn unit_factor(self, unit: &str, into: &str) -> Option<f64> {
        self.factor_between(&self.unit_named(unit), &self.unit_named(into))
    }

    /// Whether two words name one unit: "kg" and "kilograms".
    pub fn is_unit_called(self, word: &str, unit: &str) -> bool {
        let row = |word: &str| self.words().unit_names.rows_with(word).first();
        match (row(word), row(unit)) {
            (Some(of_word), Some(of_unit)) => of_word == of_unit,
            _ => self.names_of_unit(unit).any(|name| self.is_form(word, name)),
        }
    }

    /// Whether a word is said for a short unit of areas or volumes: "square", "metres" for m2.
    pub fn is_of_power(self, word: &str, unit: &str) -> bool {
        let mut rows = self.words().powers.pairs.iter().filter_map(|row| row.split_once(' '));
        rows.any(|(short, said)| short == unit && said.split(' ').any(|of| self.is_form(word, of)))
    }

    /// Whether a word is a unit in the plural or short: "hours", "feet", "kg". A "year" and a "day"
    /// are dates too.
    pub fn names_a_unit(self, word: &str) -> bool {
        let is_other_name = || self.names_of_unit(word).next() != Some(word);
        (self.is_unit(word) && self.is_plural(word)) || is_other_name()
    }

    /// All names of a unit; the word itself if no list has it.
    fn names_of_unit(self, unit: &str) -> impl Iterator<Item = &str> {
        let row = self.words().unit_names.with(unit).next();
        let alone = row.is_none().then_some(unit);
        alone.into_iter().chain(row.into_iter().flat_map(|row| row.split(' ')))
    }

    /// Whether a unit is one that a column without a unit in its name usually has: metres, not
    /// feet.
    pub fn is_usual_unit(self, word: &str) -> bool {
        self.words().usual_units.has(word)
    }
}
