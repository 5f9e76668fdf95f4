//! The words that time is told in: numbers, months, weekdays, units.

use jiff::civil::Weekday;
use jiff::{Span, ToSpan as _};

use crate::vocabulary::{self, Language};

const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];
/// Abbreviations that are no prefixes.
const SHORT_WEEKDAYS: [(&str, Weekday); 3] =
    [("weds", Weekday::Wednesday), ("thurs", Weekday::Thursday), ("tues", Weekday::Tuesday)];

/// Lower-cased words; punctuation falls away, but for the inner parts of `2024-02-28`, `02/28/2024` and `1990s`.
pub(super) fn tokenize(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '\'' | '’' | '/')))
        .flat_map(|word| {
            // A slash belongs to a date, and parts everything else.
            let date = word.chars().all(|c| c.is_ascii_digit() || c == '/');
            let parts: Vec<&str> = if date { vec![word] } else { word.split('/').collect() };
            parts
        })
        .map(|word| word.trim_matches(['-', '\'', '’', '/']))
        .map(|word| word.trim_end_matches("'s").trim_end_matches("’s").to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

/// The word at a place; the empty word past the end.
pub(super) fn word(words: &[String], at: usize) -> &str {
    words.get(at).map_or("", String::as_str)
}

/// Whether the words begin with these.
pub(super) fn begins(words: &[String], with: &[&str]) -> bool {
    with.iter().enumerate().all(|(at, expected)| word(words, at) == *expected)
}

pub(super) fn unit_span(unit: &str, count: i64) -> Option<Span> {
    Some(match unit.trim_end_matches('s') {
        "day" => count.days(),
        "week" => count.weeks(),
        "month" => count.months(),
        "year" => count.years(),
        "decade" => (10 * count).years(),
        _ => return None,
    })
}

pub(super) fn number(word: &str) -> Option<i64> {
    match word {
        "a" | "an" => return Some(1),
        "couple" => return Some(2),
        "few" => return Some(3),
        _ => {}
    }
    let spelled = Language::english().cardinal(word).and_then(|n| i64::try_from(n).ok());
    spelled.or_else(|| word.parse().ok().filter(|n| (0..1000).contains(n)))
}

pub(super) fn year(word: &str) -> Option<i16> {
    word.parse().ok().filter(|y| word.len() == 4 && (1000..=2999).contains(y))
}

pub(super) fn month(word: &str) -> Option<i8> {
    let word = if word == "sept" { "sep" } else { word };
    vocabulary::month(word).and_then(|month| i8::try_from(month).ok())
}

/// `friday`, `fri`, `tues`: only where a word before it says that a day is meant.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    let word = if word.len() > 5 { word.trim_end_matches('s') } else { word };
    let named = |(name, day): &(&str, Weekday)| (*name == word).then_some(*day);
    let short = |(name, day): &(&str, Weekday)| {
        ((3..=4).contains(&word.len()) && name.starts_with(word)).then_some(*day)
    };
    let found = WEEKDAYS.iter().find_map(named).or_else(|| SHORT_WEEKDAYS.iter().find_map(named));
    found.or_else(|| WEEKDAYS.iter().find_map(short))
}

pub(super) fn day_number(word: &str) -> Option<i8> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|s| word.strip_suffix(s)).unwrap_or(word);
    digits.parse().ok().filter(|d| (1..=31).contains(d))
}
