//! Reads numbers, dates and names from text in the usual formats, and decides when two of them are
//! equal. Grounding, calculation and evaluation share this module.

use crate::normalise::normalise;
use quipu_graph::{Literal, LiteralValue};

use crate::time::frames_in;
use crate::vocabulary::Language;

/// The value of a text: a number (`1,234,567`, `1.2 million`, `12 %`, `$5`, `1285216 km2`), a date
/// (`1968-05-13`, `May 13, 1968`, `13 May 1968`), else text. A bare year is a number, because the
/// two look the same.
pub fn value_of(text: &str) -> LiteralValue {
    date(text)
        .or_else(|| number(text).map(|n| LiteralValue::Number(n.value)))
        .unwrap_or_else(|| LiteralValue::Text(text.to_owned()))
}

/// The value of a literal, or of a name where the graph has no literals.
pub fn value_of_node(literal: Option<&Literal>, name: &str) -> LiteralValue {
    match literal.map(Literal::value) {
        None | Some(LiteralValue::Text(_)) => value_of(name),
        Some(value) => value,
    }
}

/// Whether `said` (by a model or a user) means the same value or name as `stated` (by the graph).
///
/// Names: equal after normalisation. Numbers: equal, or `said` is `stated` rounded to the digits
/// that `said` shows (at least two). Dates: `said` may be less precise (a year for a day), never
/// different.
pub fn same_value(said: &str, stated: &str) -> bool {
    let (a, b) = (normalise(said), normalise(stated));
    if a == b && !a.is_empty() {
        return true;
    }
    match (date(said), date(stated)) {
        (Some(said), Some(stated)) => return date_within(&said, &stated),
        (None, Some(LiteralValue::Date { year, .. })) => {
            // Every digit is there: "2 thousand" is no year.
            let digits = said.chars().filter(char::is_ascii_digit).count();
            let is_written = digits == year.unsigned_abs().to_string().len();
            return is_written && number(said).is_some_and(|n| n.value == f64::from(year));
        }
        _ => {}
    }
    match (number(said), number(stated)) {
        (Some(said), Some(stated)) => said.rounds(stated.value),
        _ => false,
    }
}

fn date_within(said: &LiteralValue, stated: &LiteralValue) -> bool {
    let (LiteralValue::Date { year, month, day }, LiteralValue::Date { year: y, month: m, day: d }) =
        (said, stated)
    else {
        return false;
    };
    year == y && (month.is_none() || month == m) && (day.is_none() || day == d)
}

/// A number as written.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Number {
    value: f64,
    /// The value of the last digit shown: 0.1 for `1.5`, 100,000 for `1.2 million`.
    last_digit: f64,
    /// The number of significant digits.
    significant: usize,
}

impl Number {
    /// Whether `exact`, rounded to this number's precision, gives this number.
    fn rounds(self, exact: f64) -> bool {
        let difference = (self.value - exact).abs();
        let equal = difference <= exact.abs() * 1e-9;
        equal || (self.significant >= 2 && difference <= self.last_digit / 2.0 && exact != 0.0)
    }
}

/// Reads a text that is one number, with its unit, sign, currency or percent sign.
fn number(text: &str) -> Option<Number> {
    let text = text.trim().trim_start_matches(['$', '€', '£', '¥', '+', '~', '≈']).trim_start();
    let (negative, text) = text.strip_prefix(['-', '−']).map_or((false, text), |rest| (true, rest));
    let end = text
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',' || c == '\u{a0}' || c == '_'))
        .unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    let digits = digits.trim_end_matches(['.', ',']);
    if !digits.starts_with(|c: char| c.is_ascii_digit()) || !well_grouped(digits) {
        return None;
    }
    let clean: String = digits.chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    let value: f64 = clean.parse().ok()?;
    let scale = scale_of(unit)?;
    let decimals = clean.split_once('.').map_or(0, |(_, d)| d.len());
    let shown = clean.replace('.', "");
    let shown = shown.trim_start_matches('0');
    let trailing = if decimals == 0 { shown.len() - shown.trim_end_matches('0').len() } else { 0 };
    let exponent = i32::try_from(trailing).ok()? - i32::try_from(decimals).ok()?;
    let value = if negative { -value } else { value } * scale;
    Some(Number { value, last_digit: 10f64.powi(exponent) * scale, significant: shown.len() - trailing })
}

/// Commas only between groups of three digits; at most one point.
fn well_grouped(digits: &str) -> bool {
    let whole = digits.split('.').next().unwrap_or_default();
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default().len();
    let grouped = groups.clone().count() > 0;
    digits.matches('.').count() <= 1 && (!grouped || (1..=3).contains(&first)) && groups.all(|g| g.len() == 3)
}

/// The factor in the text behind the digits: nothing, a magnitude, a percent sign, or a unit of at
/// most three words.
fn scale_of(unit: &str) -> Option<f64> {
    let unit = unit.trim().to_lowercase();
    let first = unit.split_whitespace().next().unwrap_or_default();
    let scale = match first {
        "" => 1.0,
        unit => Language::all().find_map(|language| language.scale(unit)).unwrap_or(1.0),
    };
    let plausible = unit.split_whitespace().count() <= 3
        && !unit.chars().any(|c| c.is_ascii_digit() && !matches!(c, '2' | '3'))
        && !unit.starts_with(['-', '/', ':', '\'']);
    plausible.then_some(scale)
}

/// Reads a text that is one date with at least a month.
fn date(text: &str) -> Option<LiteralValue> {
    let frames = frames_in(Language::english(), text, jiff::civil::date(2000, 1, 1));
    let [frame] = frames.as_slice() else { return None };
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).count();
    let whole = frame.text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).count() == words;
    let calendar = text.chars().any(|c| c.is_ascii_digit());
    if !whole || !calendar || frame.from.year() != frame.to.year() {
        return None;
    }
    let month = u8::try_from(frame.from.month()).ok();
    let day = u8::try_from(frame.from.day()).ok().filter(|_| frame.from == frame.to);
    let one_month = frame.from.month() == frame.to.month();
    one_month.then_some(LiteralValue::Date { year: i32::from(frame.from.year()), month, day })
}

/// The minutes of an ISO 8601 duration without years and months: 90 of "PT1H30M". `None` for any
/// other text.
pub fn minutes_of(text: &str) -> Option<f64> {
    let rest = text.trim().strip_prefix('P')?;
    let (days, time) = rest.split_once('T').map_or((rest, None), |(days, time)| (days, Some(time)));
    if time.is_some_and(str::is_empty) || (time.is_none() && days.is_empty()) {
        return None;
    }
    let mut minutes = 0.0;
    let mut left = days;
    for (part, units) in [(Some(days), &[('D', 24.0 * 60.0)][..]), (time, &UNITS_OF_TIME)] {
        let Some(part) = part else { continue };
        left = part;
        for (unit, factor) in units {
            let Some((number, rest)) = left.split_once(*unit) else { continue };
            minutes += number.parse::<f64>().ok().filter(|number| *number >= 0.0)? * factor;
            left = rest;
        }
        if !left.is_empty() {
            return None;
        }
    }
    left.is_empty().then_some(minutes)
}

/// The units of a duration's time, in minutes.
const UNITS_OF_TIME: [(char, f64); 3] = [('H', 60.0), ('M', 1.0), ('S', 1.0 / 60.0)];

/// A number as people read it: `31,989,256`, `2.5`, `0.333`. Numbers up to 9,999 get no separator,
/// so that years stay readable.
pub fn format_number(value: f64) -> String {
    let rounded = format!("{value:.3}");
    let (whole, decimals) = rounded.split_once('.').unwrap_or((&rounded, ""));
    let decimals = decimals.trim_end_matches('0');
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |d| ("-", d));
    let mut grouped = String::new();
    for (position, digit) in digits.chars().enumerate() {
        if digits.len() > 4 && position > 0 && (digits.len() - position) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if decimals.is_empty() { format!("{sign}{grouped}") } else { format!("{sign}{grouped}.{decimals}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_usual_formats() {
        for (text, expected) in [
            ("1,234,567", 1_234_567.0),
            ("1.2 million", 1_200_000.0),
            ("$5 billion", 5e9),
            ("12 %", 12.0),
            ("-3.5", -3.5),
            ("1285216.0 km2", 1_285_216.0),
        ] {
            assert_eq!(value_of(text), LiteralValue::Number(expected), "{text}");
        }
        for text in ["12 Monkeys and a lot of bananas", "1-2", "1,23", "2 Fast 2 Furious 4 you", "3:10"] {
            assert_eq!(value_of(text), LiteralValue::Text(text.into()));
        }
    }

    #[test]
    fn dates_in_usual_formats() {
        let expected = LiteralValue::Date { year: 1968, month: Some(5), day: Some(13) };
        for text in ["1968-05-13", "May 13, 1968", "13 May 1968", "13th of May 1968"] {
            assert_eq!(value_of(text), expected, "{text}");
        }
        assert_eq!(value_of("May 1968"), LiteralValue::Date { year: 1968, month: Some(5), day: None });
    }

    #[test]
    fn sameness_allows_formats_and_rounding_but_no_other_value() {
        for (said, stated) in [
            ("The Hague", "the hague"),
            ("Béla Tarr", "Bela Tarr"),
            ("31,989,256", "31989256"),
            ("32 million", "31989256"),
            ("May 13, 1968", "1968-05-13"),
            ("1968", "1968-05-13"),
            ("1910", "1910-06-02"),
            ("1285216 km2", "1285216.0"),
        ] {
            assert!(same_value(said, stated), "{said} / {stated}");
        }
        for (said, stated) in [
            ("31,989,257", "31989256"),
            ("33 million", "31989256"),
            ("May 14, 1968", "1968-05-13"),
            ("1969", "1968-05-13"),
            ("2 thousand", "2000-05-13"),
            ("5", "3"),
            ("", ""),
            ("Lima", "Quito"),
        ] {
            assert!(!same_value(said, stated), "{said} / {stated}");
        }
    }

    #[test]
    fn durations_are_read_as_minutes() {
        for (text, minutes) in [
            ("PT1H44M", Some(104.0)),
            ("PT50M", Some(50.0)),
            ("PT90S", Some(1.5)),
            ("P1DT1H", Some(1500.0)),
            ("P2D", Some(2880.0)),
            ("P1Y", None),
            ("P", None),
            ("PT", None),
            ("PT5", None),
            ("Pilot", None),
        ] {
            assert_eq!(minutes_of(text), minutes, "{text}");
        }
    }

    #[test]
    fn numbers_are_written_for_people() {
        assert_eq!(format_number(31_989_256.0), "31,989,256");
        assert_eq!(format_number(1968.0), "1968");
        assert_eq!(format_number(-2.5), "-2.5");
        assert_eq!(format_number(1.0 / 3.0), "0.333");
    }
}
