//! Trading days of the American stock exchanges: weekdays without their holidays, by the exchanges' published rules. Closings for other
//! reasons (mourning, storms) are not known here.

use jiff::civil::{Date, Weekday, date};
use jiff::{Span, ToSpan as _};

/// Whether stocks are traded on a day.
pub(super) fn is_trading_day(day: Date) -> bool {
    !matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday) && !is_holiday(day)
}

/// The trading day before a day.
pub(super) fn previous_trading_day(day: Date) -> Option<Date> {
    next_from(day.yesterday().ok()?, (-1).days())
}

/// The trading day after a day.
pub(super) fn next_trading_day(day: Date) -> Option<Date> {
    next_from(day.tomorrow().ok()?, 1.days())
}

/// The first trading day from a day on, in steps of one day.
pub(super) fn next_from(mut day: Date, step: Span) -> Option<Date> {
    // No closing by rule lasts longer.
    for _ in 0..10 {
        if is_trading_day(day) {
            return Some(day);
        }
        day = day.checked_add(step).ok()?;
    }
    None
}

fn is_holiday(day: Date) -> bool {
    let year = day.year();
    let nth = |month: i8, nth: i8, weekday| date(year, month, 1).nth_weekday_of_month(nth, weekday).ok();
    let fixed = [(1, 1, 1800), (6, 19, 2022), (7, 4, 1800), (12, 25, 1800)];
    let moving = [
        nth(1, 3, Weekday::Monday).filter(|_| year >= 1998),
        nth(2, 3, Weekday::Monday),
        easter(year).and_then(|sunday| sunday.checked_sub(2.days()).ok()),
        nth(5, -1, Weekday::Monday),
        nth(9, 1, Weekday::Monday),
        nth(11, 4, Weekday::Thursday),
    ];
    fixed.iter().any(|(month, on, since)| year >= *since && observed(year, *month, *on) == Some(day))
        || moving.contains(&Some(day))
}

/// A holiday on a Saturday is kept on the Friday before (but New Year's is then not kept), on a Sunday on the Monday after.
fn observed(year: i16, month: i8, day: i8) -> Option<Date> {
    let holiday = Date::new(year, month, day).ok()?;
    match holiday.weekday() {
        Weekday::Saturday if month == 1 => None,
        Weekday::Saturday => holiday.yesterday().ok(),
        Weekday::Sunday => holiday.tomorrow().ok(),
        _ => Some(holiday),
    }
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
        let mut found = Vec::new();
        let mut day = date(2022, 1, 1);
        while day < date(2025, 1, 1) {
            let weekend = matches!(day.weekday(), Weekday::Saturday | Weekday::Sunday);
            if !weekend && !is_trading_day(day) {
                found.push(day.to_string());
            }
            day = day.tomorrow().unwrap();
        }
        assert_eq!(found, closed);
    }

    #[test]
    fn days_are_skipped_in_both_directions() {
        assert_eq!(previous_trading_day(date(2024, 2, 20)), Some(date(2024, 2, 16)));
        assert_eq!(next_trading_day(date(2023, 12, 22)), Some(date(2023, 12, 26)));
        assert_eq!(previous_trading_day(date(2024, 2, 28)), Some(date(2024, 2, 27)));
    }
}
