//! Open days, by the calendar in a service's manifest.

use jiff::civil::{Date, Weekday};
use jiff::{Span, ToSpan as _};
use quipu_graph::{Calendar, Holiday, HolidayRule};

use super::words::word;
use crate::Language;

/// Most days that a search for an open day looks at. A calendar that is closed for a year has none.
const LONGEST_CLOSING: u16 = 366;

/// The calendar, and the number of words from `at` on that mean an open day in it: `trading day`,
/// `days of trading`.
pub(super) fn open_day<'a>(
    words: &[String],
    at: usize,
    language: Language,
    open: Option<&'a Calendar>,
) -> Option<(&'a Calendar, usize)> {
    let calendar = open?;
    let said = |phrase: &String| {
        let mut parts = phrase.split_whitespace().enumerate();
        let length = parts.clone().count();
        let whole = parts.all(|(place, part)| {
            let word = word(words, at + place);
            language.is_noun(word, part)
        });
        (length > 0 && whole).then_some(length)
    };
    calendar.words.iter().filter_map(said).max().map(|length| (calendar, length))
}

/// Whether a day is open.
pub(super) fn is_open(calendar: &Calendar, day: Date) -> bool {
    let weekday = day.weekday().to_monday_zero_offset();
    !calendar.closed.iter().any(|closed| closed.since_monday() == weekday)
        && !calendar.holidays.iter().any(|holiday| is_kept_on(holiday, day))
}

/// The open day before a day.
pub(super) fn previous_open(calendar: &Calendar, day: Date) -> Option<Date> {
    next_from(calendar, day.yesterday().ok()?, (-1).days())
}

/// The open day after a day.
pub(super) fn next_open(calendar: &Calendar, day: Date) -> Option<Date> {
    next_from(calendar, day.tomorrow().ok()?, 1.days())
}

/// The first open day from `day` on, in steps of one day.
pub(super) fn next_from(calendar: &Calendar, mut day: Date, step: Span) -> Option<Date> {
    for _ in 0..LONGEST_CLOSING {
        if is_open(calendar, day) {
            return Some(day);
        }
        day = day.checked_add(step).ok()?;
    }
    None
}

/// Whether a holiday is observed on a day. A shifted holiday may be observed in the year before its
/// own or after it.
fn is_kept_on(holiday: &Holiday, day: Date) -> bool {
    (day.year() - 1..=day.year() + 1).any(|year| kept_in(holiday, year) == Some(day))
}

/// The day on which the holiday of a year is observed.
fn kept_in(holiday: &Holiday, year: i16) -> Option<Date> {
    if holiday.since.is_some_and(|since| year < since) {
        return None;
    }
    let day = match holiday.on {
        HolidayRule::Fixed { month, day } => Date::new(year, month, day).ok()?,
        HolidayRule::Nth { month, nth, weekday } => {
            let weekday = Weekday::from_monday_zero_offset(weekday.since_monday()).ok()?;
            Date::new(year, month, 1).ok()?.nth_weekday_of_month(nth, weekday).ok()?
        }
        HolidayRule::Easter { days } => easter(year)?.checked_add(i64::from(days).days()).ok()?,
    };
    let weekday = day.weekday().to_monday_zero_offset();
    let moved = holiday.observed.iter().find(|(from, _)| from.since_monday() == weekday);
    day.checked_add(moved.map_or(0, |(_, days)| i64::from(*days)).days()).ok()
}

/// Easter Sunday of the Gregorian calendar (Meeus, *Astronomical Algorithms*, chapter 8).
fn easter(year: i16) -> Option<Date> {
    let y = i32::from(year);
    let (a, b, c) = (y % 19, y / 100, y % 100);
    let (d, e) = (b / 4, b % 4);
    let g = (8 * b + 13) / 25;
    let h = (19 * a + b - d - g + 15) % 30;
    let (i, k) = (c / 4, c % 4);
    let l = (32 + 2 * e + 2 * i - h - k) % 7;
    let m = (a + 11 * h + 19 * l) / 433;
    let month = (h + l - 7 * m + 90) / 25;
    let day = (h + l - 7 * m + 33 * month + 19) % 32;
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use quipu_graph::Manifest;

    use super::super::tests::exchanges;
    use super::*;

    #[test]
    fn exchanges_close_on_their_holidays() {
        // The closings that the New York exchange announced for 2022 to 2024.
        let closed = [
            "2022-01-17",
            "2022-02-21",
            "2022-04-15",
            "2022-05-30",
            "2022-06-20",
            "2022-07-04",
            "2022-09-05",
            "2022-11-24",
            "2022-12-26",
            "2023-01-02",
            "2023-01-16",
            "2023-02-20",
            "2023-04-07",
            "2023-05-29",
            "2023-06-19",
            "2023-07-04",
            "2023-09-04",
            "2023-11-23",
            "2023-12-25",
            "2024-01-01",
            "2024-01-15",
            "2024-02-19",
            "2024-03-29",
            "2024-05-27",
            "2024-06-19",
            "2024-07-04",
            "2024-09-02",
            "2024-11-28",
            "2024-12-25",
        ];
        let calendar = exchanges();
        let mut found = Vec::new();
        let mut day = date(2022, 1, 1);
        while day < date(2025, 1, 1) {
            let weekend = matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
            if !weekend && !is_open(&calendar, day) {
                found.push(day.to_string());
            }
            day = day.tomorrow().unwrap();
        }
        assert_eq!(found, closed);
    }

    #[test]
    fn days_are_skipped_in_both_directions() {
        let calendar = exchanges();
        assert_eq!(previous_open(&calendar, date(2024, 2, 20)), Some(date(2024, 2, 16)));
        assert_eq!(next_open(&calendar, date(2023, 12, 22)), Some(date(2023, 12, 26)));
        assert_eq!(previous_open(&calendar, date(2024, 2, 28)), Some(date(2024, 2, 27)));
    }

    #[test]
    fn a_manifest_states_its_own_days() {
        let text = r#"
            [calendar]
            closed = ["friday"]
            holidays = [
              { month = 1, day = 1, observed = { saturday = -2 } },
              { easter = 50, since = 2024 },
              { month = 2, day = 29 },
              { month = 3, nth = 5, weekday = "wednesday" },
            ]
        "#;
        let calendar = Manifest::read(text, "library.toml").unwrap().calendar.unwrap();
        for (day, open) in [
            // Observed in the year before.
            (date(2021, 12, 30), false),
            (date(2022, 1, 1), true),
            (date(2023, 1, 1), false),
            // Whit Monday of 2023 and 2024.
            (date(2023, 5, 29), true),
            (date(2024, 5, 20), false),
            (date(2024, 2, 29), false),
            (date(2023, 3, 1), true),
            // March of 2023 has five Wednesdays, that of 2024 four.
            (date(2023, 3, 29), false),
            (date(2024, 3, 27), true),
            (date(2024, 3, 29), false),
        ] {
            assert_eq!(is_open(&calendar, day), open, "{day}");
        }
        let closed = "monday tuesday wednesday thursday friday saturday sunday";
        let closed: Vec<String> = closed.split(' ').map(|day| format!("{day:?}")).collect();
        let text = format!("[calendar]\nclosed = [{}]", closed.join(", "));
        let calendar = Manifest::read(&text, "ruin.toml").unwrap().calendar.unwrap();
        assert_eq!(next_open(&calendar, date(2024, 2, 28)), None);
    }
}
