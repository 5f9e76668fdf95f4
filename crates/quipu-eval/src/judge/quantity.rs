//! Numbers and dates in running text, for the judge's rules.

use jiff::civil::date;
use quipu_answer::time_frames;
use quipu_graph::LiteralValue;

use crate::normal::{same_answer, unit_of};

/// A qualifier before a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// None, or "about".
    Plain,
    /// "more than", "over", "at least".
    Above,
    /// "less than", "under", "up to".
    Below,
}

/// A number in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Quantity {
    /// Digits with sign, currency and magnitude word: the input of [`same_answer`].
    pub(super) text: String,
    /// Its unit in canonical form, if known.
    pub(super) unit: Option<&'static str>,
    pub(super) bound: Bound,
}

impl Quantity {
    pub(super) fn is(&self, other: &Self) -> bool {
        let units = self.unit.is_none() || other.unit.is_none() || self.unit == other.unit;
        units && self.bound == other.bound && same_answer(&self.text, &other.text)
    }
}

const ABOVE: [&str; 8] =
    ["over", "more than", "above", "at least", "exceeding", "greater than", "upwards of", "beyond"];
const BELOW: [&str; 7] = ["under", "less than", "fewer than", "below", "up to", "at most", "no more than"];
const MAGNITUDES: [&str; 8] = ["thousand", "million", "billion", "trillion", "mn", "bn", "k", "hundred"];
const SPELLED: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// The numbers of a text that are not part of a date or of a name (`c-47`).
pub(super) fn quantities(text: &str) -> Vec<Quantity> {
    let lower = without_dates(&text.to_lowercase());
    let words: Vec<&str> = lower.split_whitespace().collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let Some(digits) = digits_of(word) else { continue };
        let next = |offset: usize| words.get(at + offset).copied().unwrap_or_default();
        let bare_next = next(1).trim_matches(|c: char| !c.is_alphanumeric());
        let ends = word.ends_with([',', ';', ':', '.']);
        let magnitude = !ends && MAGNITUDES.contains(&bare_next);
        let (text, unit_word) =
            if magnitude { (format!("{digits} {bare_next}"), next(2)) } else { (digits.clone(), next(1)) };
        let own_unit = if word.contains('%') {
            Some("%")
        } else if word.contains('$') {
            Some("$")
        } else {
            let tail = word.trim_start_matches(|c: char| !c.is_alphabetic());
            unit_of(tail)
        };
        let unit = own_unit.or_else(|| if ends && !magnitude { None } else { unit_of(unit_word) });
        found.push(Quantity { text, unit, bound: bound(&words, at) });
    }
    found
}

/// The number in a word: its digits, with separators, sign and a unit right behind them; or a small
/// number in letters.
fn digits_of(word: &str) -> Option<String> {
    let outside = |c| matches!(c, '(' | ')' | '"' | '\'' | ',' | ';' | ':' | '?' | '!' | '*');
    let word = word.trim_start_matches(outside).trim_end_matches(|c| outside(c) || c == '.');
    if let Some(number) = SPELLED.iter().position(|spelled| *spelled == word) {
        // "one" is a pronoun more often than a number.
        return (number != 1).then(|| number.to_string());
    }
    let core = word.trim_start_matches(['$', '€', '£', '~', '≈', '+']);
    let (sign, core) = core.strip_prefix(['-', '−']).map_or(("", core), |rest| ("-", rest));
    let end = core.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(core.len());
    let (digits, tail) = core.split_at(end);
    let digits = digits.trim_end_matches(['.', ',']);
    let plain_tail = tail.is_empty()
        || tail == "%"
        || MAGNITUDES.contains(&tail)
        || unit_of(tail).is_some()
        || matches!(tail, "b" | "t" | "+");
    if !digits.starts_with(|c: char| c.is_ascii_digit()) || !plain_tail {
        return None;
    }
    let magnitude = match tail {
        "b" => " billion",
        "t" => " trillion",
        tail if MAGNITUDES.contains(&tail) => return Some(format!("{sign}{digits} {tail}")),
        _ => "",
    };
    Some(format!("{sign}{digits}{magnitude}"))
}

fn bound(words: &[&str], at: usize) -> Bound {
    let one = at.checked_sub(1).and_then(|b| words.get(b)).copied().unwrap_or_default();
    let two = at.checked_sub(2).and_then(|b| words.get(b)).map(|w| format!("{w} {one}")).unwrap_or_default();
    let three =
        at.checked_sub(3).and_then(|b| words.get(b)).map(|w| format!("{w} {two}")).unwrap_or_default();
    let is =
        |list: &[&str]| list.contains(&one) || list.contains(&two.as_str()) || list.contains(&three.as_str());
    if is(&BELOW) {
        Bound::Below
    } else if is(&ABOVE) || words.get(at).is_some_and(|word| word.ends_with('+')) {
        Bound::Above
    } else {
        Bound::Plain
    }
}

/// A date with at least a month, in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WrittenDate {
    pub(super) text: String,
    /// The other reading: 02/01/1996 may be two dates.
    pub(super) other: Option<String>,
}

/// The dates of a text.
pub(super) fn dates(text: &str) -> Vec<WrittenDate> {
    let mut found: Vec<WrittenDate> = slashed(text);
    // Only frames with an explicit year: "yesterday" is no date without a reference day.
    for frame in time_frames(text, date(1, 1, 1)) {
        let has_year = frame.text.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() == 4);
        let is_date = matches!(quipu_answer::value_of(&frame.text), LiteralValue::Date { .. });
        if has_year && is_date && !found.iter().any(|d| d.text == frame.text) {
            found.push(WrittenDate { text: frame.text, other: None });
        }
    }
    found
}

/// 02/01/1996, month first, as in American datasets; the other reading is kept too.
fn slashed(text: &str) -> Vec<WrittenDate> {
    let words = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_ascii_digit()));
    let read = |word: &str| {
        let parts: Vec<u32> = word.split('/').map(str::parse).collect::<Result<_, _>>().ok()?;
        let [first, second, year] = parts.as_slice() else { return None };
        let written = |month: &u32, day: &u32| format!("{year:04}-{month:02}-{day:02}");
        let valid = |month: &u32| (1..=12).contains(month);
        match (valid(first), valid(second)) {
            (true, true) => {
                let other = Some(written(second, first)).filter(|other| *other != written(first, second));
                Some(WrittenDate { text: written(first, second), other })
            }
            (true, false) => Some(WrittenDate { text: written(first, second), other: None }),
            (false, true) => Some(WrittenDate { text: written(second, first), other: None }),
            (false, false) => None,
        }
    };
    words.filter_map(read).collect()
}

/// The text without its dates, so that their digits do not count as numbers.
fn without_dates(text: &str) -> String {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let mut rest: Vec<&str> = text.split_whitespace().filter(|word| word.matches('/').count() != 2).collect();
    for found in dates(text) {
        let of_date: Vec<String> = found.text.split_whitespace().map(bare).collect();
        let length = of_date.len().max(1);
        let at = rest
            .windows(length)
            .position(|window| window.iter().map(|word| bare(word)).eq(of_date.iter().cloned()));
        if let Some(at) = at {
            rest.drain(at..at + length);
        }
    }
    rest.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(text: &str) -> Vec<String> {
        quantities(text).into_iter().map(|q| q.text).collect()
    }

    #[test]
    fn numbers_are_found_with_magnitude_unit_and_bound() {
        assert_eq!(
            numbers("from 36 million in 2020 to 85 million by 2021"),
            ["36 million", "2020", "85 million", "2021"]
        );
        assert_eq!(numbers("the c-47tp and the pv-1, in 3 films."), ["3"]);
        assert_eq!(numbers("three minutes; $2.16 billion; 2.81t"), ["3", "2.16 billion", "2.81 trillion"]);
        let deep = quantities("a depth of 618.23 feet");
        assert_eq!((deep[0].unit, deep[0].bound), (Some("ft"), Bound::Plain));
        assert_eq!(quantities("it is over 2 million")[0].bound, Bound::Above);
        assert_eq!(quantities("no more than 7 days")[0].bound, Bound::Below);
        assert!(!quantities("618 ft")[0].is(&quantities("618 m")[0]));
        assert!(quantities("618 ft")[0].is(&quantities("about 618.2 feet")[0]));
    }

    #[test]
    fn dates_are_no_numbers() {
        assert_eq!(numbers("born on February 17, 1963, at 7"), ["7"]);
        let written = |text: &str| -> Vec<String> { dates(text).into_iter().map(|d| d.text).collect() };
        assert_eq!(written("1. 2023-01-13, 2. 2023-03-25").len(), 2);
        assert_eq!(
            dates("02/01/1996")[0],
            WrittenDate { text: "1996-02-01".into(), other: Some("1996-01-02".into()) }
        );
        assert_eq!(written("in 1996"), Vec::<String>::new());
    }
}
