//! Dates in digits, which every language writes alike.

use jiff::civil::{Date, date};

use super::words::year;

/// `2024-02-28`, `2024-02`, `02/28/2024`, `1990-2000`, and seasons such as `2021-22`, which run
/// from summer to summer.
pub(super) fn in_figures(word: &str) -> Option<(Date, Date)> {
    if let Ok(day) = word.parse::<Date>() {
        return Some((day, day))
            .filter(|_| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('-'));
    }
    let parts: Vec<&str> = word.split('/').collect();
    if let [first, second, of] = parts.as_slice() {
        let (a, b, year) = (first.parse().ok()?, second.parse().ok()?, year(of)?);
        let (month, day) = if a > 12 { (b, a) } else { (a, b) };
        let day = Date::new(year, month, day).ok()?;
        return Some((day, day));
    }
    let (first, second) = word.split_once('-')?;
    let from = year(first)?;
    if let Some(to) = year(second) {
        return (from <= to).then(|| (date(from, 1, 1), date(to, 12, 31)));
    }
    let number: i8 = second.parse().ok().filter(|_| second.len() == 2)?;
    if (1..=12).contains(&number) {
        let first = Date::new(from, number, 1).ok()?;
        return Some((first, first.last_of_month()));
    }
    (i16::from(number) == (from + 1) % 100).then(|| (date(from, 7, 1), date(from + 1, 6, 30)))
}

/// The decade of a year without its ending: `1990` of `1990s`, `90` of `90s`.
pub(super) fn decade(digits: &str) -> Option<(Date, Date)> {
    let year: i16 = digits.parse().ok().filter(|year: &i16| year % 10 == 0)?;
    let from = match digits.len() {
        4 if year > 999 => year,
        2 if year >= 20 => 1900 + year,
        _ => return None,
    };
    Some((date(from, 1, 1), date(from + 9, 12, 31)))
}

/// Months of a quarter.
pub(super) const QUARTER: i8 = 3;
/// Months of half a year.
pub(super) const HALF: i8 = 6;

/// `q3`, `h1`: which of the year's parts, and its months.
pub(super) fn part_of_a_year(word: &str) -> Option<(i8, i8)> {
    let read = |letter: char, months: i8| {
        let part: i8 = word.strip_prefix(letter)?.parse().ok()?;
        (1..=12 / months).contains(&part).then_some((part, months))
    };
    read('q', QUARTER).or_else(|| read('h', HALF))
}
