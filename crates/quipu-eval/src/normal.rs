//! Decides when a given answer equals a gold answer: the single definition for every metric.
//!
//! In this order:
//! 1. **Names**: equal after [`quipu_language::normalise`]: case, diacritics, punctuation, a
//!    leading or inverted article and possessives do not matter (`Matrix, The` is `the matrix`;
//!    `Béla Tarr` is `bela tarr`).
//! 2. **Dates**: equal in any usual notation. A day matches a gold year or month that contains it,
//!    but not the other way round.
//! 3. **Numbers**: with or without separators, currency, magnitude words or unit. Equal, or one is
//!    the other rounded to the digits that it shows, at least two of them (CRAG's judge: 618.23
//!    feet for 618 ft, 102 million for 101756123; not 3.3 million for 3,576,873). Units are not
//!    converted: answers with two different known units differ (1,300 miles is not 1,289 km).
//! 4. **Truth values**: `yes` is `true`, `no` is `false`.
//!
//! Cells of tables ([`same_cell`]) are equal in these cases too, since a query's columns are
//! values as a database writes them:
//! 5. **Spaces**: names are equal without them (`trueNeutral` is `true neutral`).
//! 6. **Computed numbers**: if one of two numbers is not whole, they may differ by 1%. Two
//!    whole numbers must be equal.
//! 7. **Flags**: 1 is `yes`, 0 is `no`.
//! 8. **Midnight**: a date is the same as its first second (`2023-04-01` is
//!    `2023-04-01T00:00:00`).
//!
//! A gold answer may have several names, its own and its aliases in the graph; any of them matches.
//! A name within a longer text does not match here; the lenient score counts it.

use quipu_answer::{same_value, value_of};
use quipu_graph::LiteralValue;
use quipu_language::normalise;

/// Whether `given` equals the gold answer `gold`: the strict form.
pub fn same_answer(given: &str, gold: &str) -> bool {
    let (given, gold) = (bare(given), bare(gold));
    match (truth(given), truth(gold)) {
        (Some(a), Some(b)) => return a == b,
        (None, None) => {}
        _ => return false,
    }
    if matches!((unit(given), unit(gold)), (Some(a), Some(b)) if a != b) {
        return false;
    }
    let gold_is_date = matches!(value_of(gold), LiteralValue::Date { .. });
    same_value(gold, given) || (!gold_is_date && same_value(given, gold))
}

/// Whether a given cell equals the gold cell: [`same_answer`], plus the rules for tables.
pub fn same_cell(given: &str, gold: &str) -> bool {
    Cell::read(given).is(&Cell::read(gold))
}

/// Largest error of a computed number, as a share of the larger number.
const COMPUTED: f64 = 0.01;
/// Largest difference, as a share, that rounding to two digits can explain.
const ROUNDED: f64 = 0.06;

/// A cell, parsed once for comparisons with many others: tables have thousands of cells, and
/// parsing dates is expensive.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    text: String,
    /// Its normal form.
    normal: String,
    /// The normal form without spaces, if it has letters.
    compact: String,
    number: Option<f64>,
    flag: Option<Flag>,
    /// `2023-04-01`, `2023-04`, `2023-04-01 09:15:00`: times as databases write them.
    time: Option<String>,
    /// Whether it may be a number with a unit, or a date in words.
    valued: bool,
}

/// A boolean, or the number that stands for one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Flag {
    truth: bool,
    said: bool,
}

impl Cell {
    pub(crate) fn read(text: &str) -> Self {
        let text = bare(text);
        let normal = normalise(text);
        let named = normal.chars().any(char::is_alphabetic);
        let compact = if named { normal.replace(' ', "") } else { String::new() };
        let flag = match (truth(text), text) {
            (Some(truth), _) => Some(Flag { truth, said: true }),
            (None, "1") => Some(Flag { truth: true, said: false }),
            (None, "0") => Some(Flag { truth: false, said: false }),
            (None, _) => None,
        };
        let (number, time, valued) = (plain_number(text), database_time(text), may_be_value(text));
        Self { text: text.to_owned(), normal, compact, number, flag, time, valued }
    }

    /// Its number, if it is written with digits alone.
    pub(crate) fn number(&self) -> Option<f64> {
        self.number
    }

    /// Whether this given cell equals the gold cell.
    pub(crate) fn is(&self, gold: &Self) -> bool {
        if self.normal.is_empty() || gold.normal.is_empty() {
            return false;
        }
        match (self.flag, gold.flag) {
            (Some(a), Some(b)) if a.said || b.said => return a.truth == b.truth,
            (Some(flag), None) | (None, Some(flag)) if flag.said => return false,
            _ => {}
        }
        if let (Some(a), Some(b)) = (self.number, gold.number) {
            return self.is_number(a, gold, b);
        }
        if let (Some(given), Some(gold)) = (&self.time, &gold.time) {
            // A day matches its month, but a month does not match a day.
            return given == gold || (gold.len() == MONTH && given.starts_with(gold.as_str()));
        }
        self.normal == gold.normal
            || (!self.compact.is_empty() && self.compact == gold.compact)
            || (self.valued && gold.valued && same_answer(&self.text, &gold.text))
    }

    fn is_number(&self, given: f64, gold: &Self, stated: f64) -> bool {
        let (difference, larger) = ((given - stated).abs(), given.abs().max(stated.abs()));
        let whole = given.fract() == 0.0 && stated.fract() == 0.0;
        if whole || difference > ROUNDED * larger {
            return difference <= 1e-9 * larger;
        }
        difference <= COMPUTED * larger || same_answer(&self.text, &gold.text)
    }
}

/// Length of `2023-04`.
const MONTH: usize = 7;
/// Length of `2023-04-01`.
const DAY: usize = 10;

/// Digits with a sign, a point, an exponent, commas between thousands.
fn plain_number(text: &str) -> Option<f64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let plain = digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | ',' | 'e' | 'E' | '-' | '+'));
    if !plain {
        return None;
    }
    let whole = digits.split('.').next().unwrap_or_default();
    let grouped = whole.split(',').skip(1).all(|group| group.len() == 3) && !whole.starts_with(',');
    grouped.then(|| text.replace(',', "").parse().ok()).flatten().filter(|number: &f64| number.is_finite())
}

/// A month, a day or a time as databases and XML write them, in canonical form; midnight becomes
/// its day.
fn database_time(text: &str) -> Option<String> {
    let date = text.get(..DAY).or_else(|| text.get(..MONTH)).filter(|date| is_date(date))?;
    if text.len() == MONTH || text.len() == DAY {
        return Some(date.to_owned());
    }
    let clock = text.get(DAY..)?.strip_prefix(['T', ' '])?.trim_end_matches('Z');
    let clock = clock.strip_suffix("+00:00").unwrap_or(clock);
    let clock = clock
        .split_once('.')
        .map_or(clock, |(seconds, rest)| if rest.chars().all(|c| c == '0') { seconds } else { clock });
    let plain = clock.contains(':') && clock.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.'));
    let midnight = clock.chars().all(|c| matches!(c, '0' | ':'));
    plain.then(|| if midnight { date.to_owned() } else { format!("{date} {clock}") })
}

/// `2023-04` or `2023-04-01` by its characters.
fn is_date(text: &str) -> bool {
    text.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    })
}

/// Whether a text may be a quantity or a date: it begins with a digit, a sign or a currency, or
/// contains a digit and the name of a month.
fn may_be_value(text: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let Some(first) = text.chars().next() else { return false };
    let quantity =
        first.is_ascii_digit() || matches!(first, '-' | '−' | '+' | '~' | '≈' | '$' | '€' | '£' | '¥');
    let month = || {
        let lower = text.to_lowercase();
        lower.contains(|c: char| c.is_ascii_digit()) && MONTHS.iter().any(|month| lower.contains(month))
    };
    quantity || month()
}

/// The unit at the end of a quantity (or, for money, at its beginning).
fn unit(text: &str) -> Option<&'static str> {
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if text.starts_with('$') {
        return Some("$");
    }
    let last = text.split_whitespace().next_back()?.to_lowercase();
    unit_of(last.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',')))
}

/// Units in canonical form; only those that occur in question sets.
pub(crate) fn unit_of(word: &str) -> Option<&'static str> {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '%');
    Some(match word {
        "ft" | "foot" | "feet" => "ft",
        "m" | "meter" | "meters" | "metre" | "metres" => "m",
        "km" | "kilometer" | "kilometers" | "kilometre" | "kilometres" => "km",
        "mi" | "mile" | "miles" => "mi",
        "kg" | "kilogram" | "kilograms" => "kg",
        "lb" | "lbs" | "pound" | "pounds" => "lb",
        "%" | "percent" => "%",
        "dollar" | "dollars" | "usd" => "$",
        "euro" | "euros" | "eur" => "€",
        "second" | "seconds" => "s",
        "minute" | "minutes" => "min",
        "hour" | "hours" => "h",
        "day" | "days" => "day",
        "month" | "months" => "month",
        "year" | "years" => "year",
        _ => return None,
    })
}

/// Whether the gold name occurs in a text: the lenient form, the substring match of the
/// Think-on-Graph family. Both sides are normalised. Names of up to three characters must be whole
/// words, else `3` would be found in `1930`.
pub fn occurs_in(text: &str, gold: &str) -> bool {
    let (text, gold) = (normalise(text), normalise(bare(gold)));
    if gold.is_empty() {
        return false;
    }
    if gold.chars().count() <= SHORT { contains_words(&text, &gold) } else { text.contains(&gold) }
}

/// Most characters of a name that must be a whole word.
const SHORT: usize = 3;

/// Whether a normalised text contains normalised words.
pub(crate) fn contains_words(text: &str, words: &str) -> bool {
    format!(" {text} ").contains(&format!(" {words} "))
}

/// Without outer white space, quotation marks and a final full stop.
fn bare(text: &str) -> &str {
    let text = text.trim();
    let text = text.strip_suffix('.').filter(|rest| !rest.ends_with('.')).unwrap_or(text);
    text.trim_matches(|c| matches!(c, '"' | '“' | '”' | '\'' | '`')).trim()
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_is_by_meaning_of_the_value_not_by_its_letters() {
        for (given, gold) in [
            ("The Matrix", "Matrix, The"),
            ("“Béla Tarr”.", "bela tarr"),
            ("1968-05-13", "May 13, 1968"),
            ("1968-05-13", "1968"),
            ("May 13, 1968", "May 1968"),
            ("12 km", "12 kilometres"),
            ("12", "12 km"),
            ("618.23 feet", "618 ft"),
            ("618 ft", "618.23 feet"),
            ("102 million", "101756123"),
            ("$310.17", "310.2"),
            ("True", "yes"),
            ("U.S.A.", "u s a"),
        ] {
            assert!(same_answer(given, gold), "{given} / {gold}");
        }
        for (given, gold) in [
            ("3.3 million", "3,576,873"),
            ("02/01/1996", "1996-01-01"),
            ("yes", "no"),
            ("yes", "Yes Man"),
            ("Lima", "Lima Province"),
            ("", ""),
            ("5", "5.4"),
            ("1968", "1968-05-13"),
            ("1,300 miles", "1,289 km"),
            ("$12", "12 euros"),
        ] {
            assert!(!same_answer(given, gold), "{given} / {gold}");
        }
    }

    #[test]
    fn cells_are_equal_as_databases_write_them() {
        for (given, gold) in [
            ("true neutral", "trueNeutral"),
            ("Fashion Trend", "FashionTrend"),
            ("BRK-B", "brk b"),
            ("4.15", "4.1499999999999995"),
            ("2,749.98", "2749.9799999999996"),
            ("31.6", "31.57894736842105263157894737"),
            ("47000", "47000.0"),
            ("-0.5", "-0.50"),
            ("1.2e3", "1200"),
            ("yes", "1"),
            ("0", "False"),
            ("true", "yes"),
            ("2023-04-01", "2023-04-01T00:00:00"),
            ("2023-04-01T00:00:00.000Z", "2023-04-01 00:00:00"),
            ("2021-06-01T09:15:00", "2021-06-01 09:15:00"),
            ("2023-04-01", "2023-04"),
            ("April 1, 2023", "2023-04-01"),
            ("618.23 feet", "618 ft"),
            ("http://example.org/a#B", "http://example.org/a#B"),
            ("Organization 3", "organization-3"),
        ] {
            assert!(same_cell(given, gold), "{given} / {gold}");
        }
        for (given, gold) in [
            ("100", "101"),
            ("2020", "2021"),
            ("4.15", "4.25"),
            ("0.1", "0"),
            ("3", "yes"),
            ("1", "0"),
            ("no", "yes"),
            ("no", "Norway"),
            ("2023-04", "2023-04-01"),
            ("2023-04-01", "2023-04-02"),
            ("2021-06-01", "2021-06-01 09:15:00"),
            ("1 2", "12"),
            ("C001", "C002"),
            ("Organization 3", "3"),
            ("", ""),
        ] {
            assert!(!same_cell(given, gold), "{given} / {gold}");
        }
    }

    #[test]
    fn the_lenient_form_looks_inside() {
        assert!(occurs_in("It was directed by Béla Tarr, of course.", "Bela Tarr"));
        assert!(occurs_in("They made 3 films.", "3") && !occurs_in("In 1930.", "3"));
        assert!(occurs_in("the Limas", "Lima"), "as the family has it: no whole word is asked for");
        assert!(!occurs_in("Quito", "Lima") && !occurs_in("anything", "") && !occurs_in("", "x"));
    }
}
