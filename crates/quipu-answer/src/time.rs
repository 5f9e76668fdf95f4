//! Time expressions to dates, by code and never by a model, against the moment the question was asked
//! (self-verification paper §4; KERAG App. I.1 asks a model for this, and gets "last Tuesday" wrong).

use jiff::civil::{Date, Weekday, date};
use jiff::{Span, ToSpan as _};

/// A stretch of days that a question speaks of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TimeFrame {
    /// The words of the question, lower-cased.
    pub text: String,
    /// First day.
    pub from: Date,
    /// Last day; equal to `from` for a single day.
    pub to: Date,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const WEEKDAYS: [(&str, Weekday); 7] = [
    ("monday", Weekday::Monday),
    ("tuesday", Weekday::Tuesday),
    ("wednesday", Weekday::Wednesday),
    ("thursday", Weekday::Thursday),
    ("friday", Weekday::Friday),
    ("saturday", Weekday::Saturday),
    ("sunday", Weekday::Sunday),
];
const NUMBERS: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// All time expressions of a text, in order, resolved against the day `today`.
///
/// Understood: ISO dates, `May 13, 1968`, `13 May 1968`, `May 1968`, `in 1968`, `the 1990s`, `Q3 2021`,
/// `between 1990 and 1995`, `from 1990 to 1995`, `today`, `yesterday`, `tomorrow`, `last|this|next` with a weekday, week,
/// month, quarter, year or decade, `past|last|next N days|weeks|months|years`, `N days|... ago`, `in N days`,
/// `since|before|after` with any of these, `the day before|after` with any of these.
/// A bare number is a year only after `in`, `of`, `since`, `before`, `after`, `by`, `from`, `until`, `during`, `year`
/// or a month: "what is 1984 about" holds no time.
pub fn time_frames(text: &str, today: Date) -> Vec<TimeFrame> {
    let words = tokenize(text);
    let mut frames = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let rest = words.get(at..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|i| words.get(i)).map(String::as_str);
        match qualified(rest, before, today) {
            Some((from, to, used)) if used > 0 => {
                let text = words.get(at..at + used).unwrap_or_default().join(" ");
                frames.push(TimeFrame { text, from, to });
                at += used;
            }
            _ => at += 1,
        }
    }
    frames
}

/// Lower-cased words; punctuation falls away, but for the inner parts of `2024-02-28` and `1990s`.
fn tokenize(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '\''))
        .map(|word| word.trim_matches(['-', '\'']).trim_end_matches("'s").to_lowercase())
        .filter(|word| !word.is_empty())
        .collect()
}

type Resolved = (Date, Date, usize);

fn word(words: &[String], at: usize) -> &str {
    words.get(at).map_or("", String::as_str)
}

/// An expression with what may stand before it: `since`, `before`, `after`, `between … and …`.
fn qualified(words: &[String], before: Option<&str>, today: Date) -> Option<Resolved> {
    let tail = words.get(1..).unwrap_or_default();
    match word(words, 0) {
        "since" => plain(tail, Some("since"), today).map(|(from, to, n)| (from, to.max(today), n + 1)),
        "until" | "before" if before != Some("day") => plain(tail, Some("before"), today)
            .and_then(|(from, _, n)| Some((Date::MIN, from.yesterday().ok()?, n + 1))),
        "after" if before != Some("day") => plain(tail, Some("after"), today)
            .and_then(|(_, to, n)| Some((to.tomorrow().ok()?, Date::MAX, n + 1))),
        "between" | "from" => range(tail, today),
        "day" if matches!(word(words, 1), "before" | "after") => {
            let (from, to, n) = plain(words.get(2..)?, Some("of"), today)?;
            let day = if word(words, 1) == "before" { from.yesterday() } else { to.tomorrow() }.ok()?;
            Some((day, day, n + 2))
        }
        _ => plain(words, before, today),
    }
}

/// `1990 and 1995`, `May 2020 to today`.
fn range(words: &[String], today: Date) -> Option<Resolved> {
    let (from, _, first) = plain(words, Some("from"), today)?;
    let joined = matches!(word(words, first), "and" | "to" | "until" | "till" | "through");
    let (_, to, second) = plain(words.get(first + 1..)?, Some("from"), today).filter(|_| joined)?;
    (from <= to).then_some((from, to, first + second + 2))
}

fn plain(words: &[String], before: Option<&str>, today: Date) -> Option<Resolved> {
    named_day(words, today)
        .or_else(|| calendar(words, before))
        .or_else(|| relative(words, today))
        .or_else(|| ago(words, before, today))
        .or_else(|| after_preposition(words, today))
}

/// `in 1968`, `on the 3rd of May 1968`: the words before the date belong to it.
fn after_preposition(words: &[String], today: Date) -> Option<Resolved> {
    let first = word(words, 0);
    if !matches!(first, "the" | "in" | "on" | "year" | "of") {
        return None;
    }
    let (from, to, n) = plain(words.get(1..)?, Some(first), today)?;
    Some((from, to, n + 1))
}

fn named_day(words: &[String], today: Date) -> Option<Resolved> {
    let day = match word(words, 0) {
        "today" | "tonight" => today,
        "yesterday" => today.yesterday().ok()?,
        "tomorrow" => today.tomorrow().ok()?,
        _ => return None,
    };
    Some((day, day, 1))
}

/// Dates, months, years, decades and quarters that stand on their own.
fn calendar(words: &[String], before: Option<&str>) -> Option<Resolved> {
    let first = word(words, 0);
    if let Ok(day) = first.parse::<Date>() {
        return Some((day, day, 1));
    }
    if let Some(decade) =
        first.strip_suffix('s').and_then(|d| d.parse::<i16>().ok()).filter(|d| d % 10 == 0 && *d > 999)
    {
        return Some((date(decade, 1, 1), date(decade + 9, 12, 31), 1));
    }
    if let Some(quarter) =
        first.strip_prefix('q').and_then(|q| q.parse::<i8>().ok()).filter(|q| (1..=4).contains(q))
    {
        let year = year(word(words, 1))?;
        let from = date(year, quarter * 3 - 2, 1);
        return Some((from, from.checked_add(2.months()).ok()?.last_of_month(), 2));
    }
    if let Some(month) = month(first) {
        return month_first(words, month);
    }
    if let Some(day) = day_number(first) {
        let of = usize::from(word(words, 1) == "of");
        if let Some(month) = month(word(words, 1 + of)) {
            let day = Date::new(year(word(words, 2 + of))?, month, day).ok()?;
            return Some((day, day, 3 + of));
        }
    }
    const YEAR_FOLLOWS: [&str; 12] =
        ["in", "of", "since", "before", "after", "by", "from", "until", "during", "year", "and", "to"];
    let year = year(first).filter(|_| before.is_some_and(|b| YEAR_FOLLOWS.contains(&b)))?;
    Some((date(year, 1, 1), date(year, 12, 31), 1))
}

/// `May 13 1968`, `May 1968`. A month without a year is no date: which May?
fn month_first(words: &[String], month: i8) -> Option<Resolved> {
    if let Some(year) = year(word(words, 1)) {
        let from = Date::new(year, month, 1).ok()?;
        return Some((from, from.last_of_month(), 2));
    }
    let day = day_number(word(words, 1))?;
    let day = Date::new(year(word(words, 2))?, month, day).ok()?;
    Some((day, day, 3))
}

/// `last Tuesday`, `this year`, `next month`, `past five years`.
fn relative(words: &[String], today: Date) -> Option<Resolved> {
    let direction = match word(words, 0) {
        "last" | "past" | "previous" => -1,
        "this" | "current" => 0,
        "next" | "coming" => 1,
        _ => return None,
    };
    if let Some(count) = number(word(words, 1)) {
        let span = unit_span(word(words, 2), count * direction)?;
        let other = today.checked_add(span).ok()?;
        return (direction != 0).then(|| (today.min(other), today.max(other), 3));
    }
    let unit = word(words, 1);
    if let Some((_, weekday)) = WEEKDAYS.iter().find(|(name, _)| *name == unit) {
        let day = match direction {
            0 if today.weekday() == *weekday => today,
            0 | 1 => today.nth_weekday(1, *weekday).ok()?,
            _ => today.nth_weekday(-1, *weekday).ok()?,
        };
        return Some((day, day, 2));
    }
    let (from, to) = whole_unit(unit, direction, today)?;
    Some((from, to, 2))
}

/// The week (from Monday), month, quarter, year or decade `shift` away from the one that holds `today`.
fn whole_unit(unit: &str, shift: i64, today: Date) -> Option<(Date, Date)> {
    match unit {
        "week" => {
            let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
            let from = monday.checked_add(shift.weeks()).ok()?;
            Some((from, from.checked_add(6.days()).ok()?))
        }
        "month" => {
            let from = today.first_of_month().checked_add(shift.months()).ok()?;
            Some((from, from.last_of_month()))
        }
        "quarter" => {
            let start = date(today.year(), (today.month() - 1) / 3 * 3 + 1, 1);
            let from = start.checked_add((3 * shift).months()).ok()?;
            Some((from, from.checked_add(2.months()).ok()?.last_of_month()))
        }
        "year" => {
            let year = today.year() + i16::try_from(shift).ok()?;
            Some((date(year, 1, 1), date(year, 12, 31)))
        }
        "decade" => {
            let start = today.year() / 10 * 10 + 10 * i16::try_from(shift).ok()?;
            Some((date(start, 1, 1), date(start + 9, 12, 31)))
        }
        _ => None,
    }
}

/// `three weeks ago`, `in ten days`.
fn ago(words: &[String], before: Option<&str>, today: Date) -> Option<Resolved> {
    let count = number(word(words, 0))?;
    let forward = before == Some("in");
    let backward = word(words, 2) == "ago";
    if !forward && !backward {
        return None;
    }
    let span = unit_span(word(words, 1), if backward { -count } else { count })?;
    let day = today.checked_add(span).ok()?;
    Some((day, day, if backward { 3 } else { 2 }))
}

fn unit_span(unit: &str, count: i64) -> Option<Span> {
    Some(match unit.trim_end_matches('s') {
        "day" => count.days(),
        "week" => count.weeks(),
        "month" => count.months(),
        "year" => count.years(),
        "decade" => (10 * count).years(),
        _ => return None,
    })
}

fn number(word: &str) -> Option<i64> {
    if matches!(word, "a" | "an") {
        return Some(1);
    }
    let spelled = NUMBERS.iter().position(|n| *n == word).and_then(|n| i64::try_from(n).ok());
    spelled.or_else(|| word.parse().ok().filter(|n| (0..1000).contains(n)))
}

fn year(word: &str) -> Option<i16> {
    word.parse().ok().filter(|y| word.len() == 4 && (1000..=2999).contains(y))
}

fn month(word: &str) -> Option<i8> {
    let whole = MONTHS.iter().position(|m| *m == word);
    let short = || MONTHS.iter().position(|m| word.len() == 3 && m.starts_with(word));
    whole.or_else(short).and_then(|m| i8::try_from(m + 1).ok())
}

fn day_number(word: &str) -> Option<i8> {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|s| word.strip_suffix(s)).unwrap_or(word);
    digits.parse().ok().filter(|d| (1..=31).contains(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asked on Wednesday 28 February 2024.
    fn check(text: &str, expected: &[&str]) {
        let frames = time_frames(text, date(2024, 2, 28));
        let shown: Vec<String> = frames.iter().map(|f| format!("{}..{}", f.from, f.to)).collect();
        assert_eq!(shown, expected, "{text}");
    }

    #[test]
    fn dates_in_full() {
        check("who won on 2022-10-11?", &["2022-10-11..2022-10-11"]);
        check("released May 13, 1968", &["1968-05-13..1968-05-13"]);
        check("released on the 3rd of May 1968", &["1968-05-03..1968-05-03"]);
        check("released on 13 May 1968", &["1968-05-13..1968-05-13"]);
        check("born on February 30, 1968", &[]);
    }

    #[test]
    fn years_need_a_word_that_makes_them_years() {
        check("what is 1984 about", &[]);
        check("films of 1984", &["1984-01-01..1984-12-31"]);
        check("songs from May 1968", &["1968-05-01..1968-05-31"]);
        check("albums of the 1990s", &["1990-01-01..1999-12-31"]);
        check("revenue in Q3 2021", &["2021-07-01..2021-09-30"]);
    }

    #[test]
    fn relative_to_the_day_of_asking() {
        check("what happened yesterday", &["2024-02-27..2024-02-27"]);
        check("the price last Tuesday", &["2024-02-27..2024-02-27"]);
        check("the price last Wednesday", &["2024-02-21..2024-02-21"]);
        check("the game next Wednesday", &["2024-03-06..2024-03-06"]);
        check("the high over the past week", &["2024-02-19..2024-02-25"]);
        check("growth over the past five years", &["2019-02-28..2024-02-28"]);
        check("founded two years ago", &["2022-02-28..2022-02-28"]);
        check("due in ten days", &["2024-03-09..2024-03-09"]);
        check("films this year", &["2024-01-01..2024-12-31"]);
        check("sales last quarter", &["2023-10-01..2023-12-31"]);
    }

    #[test]
    fn open_and_closed_ranges() {
        check("awards between 1990 and 1995", &["1990-01-01..1995-12-31"]);
        check("presidents from 1990 to 1995", &["1990-01-01..1995-12-31"]);
        check("albums since 2020", &["2020-01-01..2024-02-28"]);
        check("albums before 2020", &["-009999-01-01..2019-12-31"]);
        check("the day after 2023-12-31", &["2024-01-01..2024-01-01"]);
        check("between 1995 and 1990", &["1990-01-01..1990-12-31"]);
    }

    #[test]
    fn several_in_one_question() {
        check("more in 2019 or in 2020?", &["2019-01-01..2019-12-31", "2020-01-01..2020-12-31"]);
    }
}
