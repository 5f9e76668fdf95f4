//! Time expressions to dates, by code and never by a model, against the moment the question was asked
//! (self-verification paper §4; KERAG App. I.1 asks a model for this, and gets "last Tuesday" wrong).

mod calendar;
mod relative;
mod words;

#[cfg(test)]
mod tests;

use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use quipu_graph::Calendar;

use relative::{ago, of_a_unit, relative, whole_unit};
use words::{begins, day_number, month, tokenize, weekday, word, year};

use crate::vocabulary::Language;

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

impl TimeFrame {
    /// Whether a day, or any day of the month or year that `text` begins with (`2024-02-28`, `2024-02`, `2024`), is within it.
    pub fn holds(&self, text: &str) -> bool {
        let part = |range: std::ops::Range<usize>| text.get(range)?.parse::<i8>().ok();
        let Some(year) = text.get(..4).and_then(year) else { return false };
        let (month, day) = (part(5..7), part(8..10));
        let from = Date::new(year, month.unwrap_or(1), day.unwrap_or(1));
        let to = match (month, day) {
            (Some(month), Some(day)) => Date::new(year, month, day),
            (Some(month), None) => Date::new(year, month, 1).map(Date::last_of_month),
            _ => Date::new(year, 12, 31),
        };
        matches!((from, to), (Ok(from), Ok(to)) if from <= self.to && to >= self.from)
    }
}

/// All time expressions of a text, in order, resolved against the day `today`.
///
/// Understood: ISO dates and months, `02/28/2024`, `May 13, 1968`, `13 May 1968`, `May 1968`, `in 1968`, `the 1990s`, `the 19th
/// century`, `Q3 2021`, `2021 Q3`, `summer of 1999`, `between 1990 and 1995`, `from 1990 to 1995`, `1990-1995`, `today`,
/// `yesterday`, `tomorrow`, `last|this|next` with a weekday, weekend, week, month, quarter, year or decade, `the Tuesday of last
/// week`, `past|last|next N days|weeks|months|years`, `N days|... ago`, `in N days`, `year to date`, `since|before|after` with
/// any of these, `the day before|after` with any of these, `the first|last day|week|month of` any of these.
///
/// `last Tuesday` is the one of the week before, `this past` and `the most recent Tuesday` the nearest one before today. A bare
/// number is a year only after a word such as `in`, `of`, `since` or a month, or before one such as `season`: "what is 1984 about"
/// holds no time.
pub fn time_frames(text: &str, today: Date) -> Vec<TimeFrame> {
    time_frames_with(text, today, None)
}

/// [`time_frames`] that knows the open days of a service too, by the phrases of its calendar: `the last trading day`, `the past
/// three trading days`, `the first trading day of January 2024`.
pub fn time_frames_with(text: &str, today: Date, open: Option<&Calendar>) -> Vec<TimeFrame> {
    let words = tokenize(text);
    let mut frames = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let rest = words.get(at..).unwrap_or_default();
        let before = at.checked_sub(1).and_then(|i| words.get(i)).map(String::as_str);
        match qualified(rest, before, today, open) {
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

/// First day, last day, and how many words say so.
type Resolved = (Date, Date, usize);

/// An expression with what may stand before it: `since`, `before`, `after`, `between … and …`.
fn qualified(
    words: &[String],
    before: Option<&str>,
    today: Date,
    open: Option<&Calendar>,
) -> Option<Resolved> {
    let tail = words.get(1..).unwrap_or_default();
    match word(words, 0) {
        "day" if begins(words, &["day", "before", "yesterday"]) => around(today, -2, 3),
        "day" if begins(words, &["day", "after", "tomorrow"]) => around(today, 2, 3),
        "since" => plain(tail, Some("since"), today, open).map(|(from, to, n)| (from, to.max(today), n + 1)),
        "until" | "before" if before != Some("day") => plain(tail, Some("before"), today, open)
            .and_then(|(from, _, n)| Some((Date::MIN, from.yesterday().ok()?, n + 1))),
        "after" if before != Some("day") => plain(tail, Some("after"), today, open)
            .and_then(|(_, to, n)| Some((to.tomorrow().ok()?, Date::MAX, n + 1))),
        "between" | "from" => range(tail, today, open).or_else(|| plain(words, before, today, open)),
        "day" if matches!(word(words, 1), "before" | "after") => {
            let (from, to, n) = plain(words.get(2..)?, Some("of"), today, open)?;
            let day = if word(words, 1) == "before" { from.yesterday() } else { to.tomorrow() }.ok()?;
            Some((day, day, n + 2))
        }
        _ => plain(words, before, today, open),
    }
}

fn around(today: Date, days: i64, used: usize) -> Option<Resolved> {
    let day = today.checked_add(days.days()).ok()?;
    Some((day, day, used))
}

/// `1990 and 1995`, `May 2020 to today`.
fn range(words: &[String], today: Date, open: Option<&Calendar>) -> Option<Resolved> {
    let (from, _, first) = plain(words, Some("from"), today, open)?;
    let joined = matches!(word(words, first), "and" | "to" | "until" | "till" | "through");
    let (_, to, second) = plain(words.get(first + 1..)?, Some("from"), today, open).filter(|_| joined)?;
    (from <= to).then_some((from, to, first + second + 2))
}

fn plain(words: &[String], before: Option<&str>, today: Date, open: Option<&Calendar>) -> Option<Resolved> {
    named_day(words, today)
        .or_else(|| of_a_unit(words, today, open))
        .or_else(|| calendar(words, before))
        .or_else(|| relative(words, before, today, open))
        .or_else(|| weekday_of_a_week(words, today))
        .or_else(|| ago(words, before, today))
        .or_else(|| after_preposition(words, today, open))
}

/// `in 1968`, `on the 3rd of May 1968`: the words before the date belong to it.
fn after_preposition(words: &[String], today: Date, open: Option<&Calendar>) -> Option<Resolved> {
    let first = word(words, 0);
    if !matches!(first, "the" | "in" | "on" | "year" | "of") {
        return None;
    }
    let (from, to, n) = plain(words.get(1..)?, Some(first), today, open)?;
    Some((from, to, n + 1))
}

fn named_day(words: &[String], today: Date) -> Option<Resolved> {
    for (said, days) in [
        (&["right", "now"][..], 0),
        (&["as", "of", "now"], 0),
        (&["at", "the", "moment"], 0),
        (&["last", "night"], -1),
        (&["previous", "day"], -1),
        (&["next", "day"], 1),
    ] {
        if begins(words, said) {
            return around(today, days, said.len());
        }
    }
    if begins(words, &["year", "to", "date"]) {
        return Some((today.first_of_year(), today, 3));
    }
    match word(words, 0) {
        "today" | "tonight" | "currently" => around(today, 0, 1),
        "yesterday" => around(today, -1, 1),
        "tomorrow" => around(today, 1, 1),
        "ytd" => Some((today.first_of_year(), today, 1)),
        _ => None,
    }
}

/// `Tuesday of last week`, `tues from the past week`, `Tuesday last week`.
fn weekday_of_a_week(words: &[String], today: Date) -> Option<Resolved> {
    let weekday = weekday(word(words, 0))?;
    let mut at = 1;
    while matches!(word(words, at), "of" | "from" | "in" | "the") {
        at += 1;
    }
    let shift = match word(words, at) {
        "last" | "past" | "previous" => -1,
        "this" | "current" => 0,
        "next" | "coming" => 1,
        _ => return None,
    };
    let (monday, _) =
        whole_unit(word(words, at + 1), shift, today).filter(|_| word(words, at + 1) == "week")?;
    let day = monday.checked_add(i64::from(weekday.to_monday_zero_offset()).days()).ok()?;
    Some((day, day, at + 2))
}

/// Dates, months, years, decades, centuries and quarters that stand on their own.
fn calendar(words: &[String], before: Option<&str>) -> Option<Resolved> {
    let first = word(words, 0);
    if let Some((from, to)) = in_figures(first) {
        return Some((from, to, 1));
    }
    if let Some((from, to)) = decade(first) {
        return Some((from, to, 1));
    }
    if let (Some(century), "century") = (day_number(first), word(words, 1)) {
        let last = i16::from(century) * 100;
        return Some((Date::new(last - 99, 1, 1).ok()?, Date::new(last, 12, 31).ok()?, 2));
    }
    if let Some(found) = quarter(words).or_else(|| season(words)) {
        return Some(found);
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
    const YEAR_FOLLOWS: [&str; 13] = [
        "in", "of", "since", "before", "after", "by", "from", "until", "during", "year", "and", "to", "than",
    ];
    const FOLLOWS_A_YEAR: [&str; 22] = [
        "season",
        "seasons",
        "song",
        "songs",
        "album",
        "albums",
        "film",
        "films",
        "movie",
        "movies",
        "game",
        "games",
        "election",
        "elections",
        "oscars",
        "grammys",
        "awards",
        "championship",
        "finals",
        "olympics",
        "playoffs",
        "world",
    ];
    let said = before.is_some_and(|b| YEAR_FOLLOWS.contains(&b)) || FOLLOWS_A_YEAR.contains(&word(words, 1));
    let year = year(first).filter(|_| said)?;
    Some((date(year, 1, 1), date(year, 12, 31), 1))
}

/// `2024-02-28`, `2024-02`, `02/28/2024`, `1990-2000`, and the season `2021-22`, which turns in summer.
fn in_figures(word: &str) -> Option<(Date, Date)> {
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

/// `1990s`, `90s`.
fn decade(word: &str) -> Option<(Date, Date)> {
    let digits = word.strip_suffix('s')?;
    let year: i16 = digits.parse().ok().filter(|year: &i16| year % 10 == 0)?;
    let from = match digits.len() {
        4 if year > 999 => year,
        2 if year >= 20 => 1900 + year,
        _ => return None,
    };
    Some((date(from, 1, 1), date(from + 9, 12, 31)))
}

/// `Q3 2021`, `2021 Q3`, `third quarter of 2021`.
fn quarter(words: &[String]) -> Option<Resolved> {
    let named = |word: &str| word.strip_prefix('q')?.parse::<i8>().ok().filter(|q| (1..=4).contains(q));
    let of = |at: usize| at + usize::from(word(words, at) == "of");
    let (quarter, year, used) = if let Some(quarter) = named(word(words, 0)) {
        (quarter, year(word(words, of(1)))?, of(1) + 1)
    } else if let Some(quarter) = named(word(words, 1)) {
        (quarter, year(word(words, 0))?, 2)
    } else {
        let quarter =
            Language::english().ordinal(word(words, 0)).and_then(|quarter| i8::try_from(quarter).ok());
        let quarter = quarter.filter(|q| *q <= 4 && word(words, 1) == "quarter")?;
        (quarter, year(word(words, of(2)))?, of(2) + 1)
    };
    let from = date(year, quarter * 3 - 2, 1);
    Some((from, from.checked_add(2.months()).ok()?.last_of_month(), used))
}

/// `summer of 1999`: the months that meteorologists give it in the north.
fn season(words: &[String]) -> Option<Resolved> {
    let first = match word(words, 0) {
        "spring" => 3,
        "summer" => 6,
        "autumn" | "fall" => 9,
        "winter" => 12,
        _ => return None,
    };
    let of = 1 + usize::from(word(words, 1) == "of");
    let from = date(year(word(words, of))?, first, 1);
    Some((from, from.checked_add(2.months()).ok()?.last_of_month(), of + 1))
}

/// `May 13 1968`, `May 1968`. A month without a year is no date: which May?
fn month_first(words: &[String], month: i8) -> Option<Resolved> {
    let of = usize::from(word(words, 1) == "of");
    if let Some(year) = year(word(words, 1 + of)) {
        let from = Date::new(year, month, 1).ok()?;
        return Some((from, from.last_of_month(), 2 + of));
    }
    let day = day_number(word(words, 1))?;
    let day = Date::new(year(word(words, 2))?, month, day).ok()?;
    Some((day, day, 3))
}
