//! Expressions that lean on the day of asking, or on another expression.

use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use quipu_graph::Calendar;

use super::calendar::{is_open, next_from, next_open, open_day, previous_open};
use super::words::{begins, month, number, unit_span, weekday, word};
use super::{Resolved, plain};

/// `last Tuesday`, `this year`, `next month`, `past five years`, `the most recent Friday`, `the last trading day`.
pub(super) fn relative(
    words: &[String],
    before: Option<&str>,
    today: Date,
    open: Option<&Calendar>,
) -> Option<Resolved> {
    if begins(words, &["most", "recent"]) || begins(words, &["this", "past"]) {
        return nearest(words.get(2..)?, -1, today, open).map(|(from, to, n)| (from, to, n + 2));
    }
    let direction = match word(words, 0) {
        // "the last Friday" is the one just gone, as "most recent" is; "last Friday" is that of the week before.
        "last" | "latest" if before == Some("the") && weekday(word(words, 1)).is_some() => {
            return nearest(words.get(1..)?, -1, today, open).map(|(from, to, n)| (from, to, n + 1));
        }
        "last" | "past" | "previous" | "latest" => -1,
        "this" | "current" => 0,
        "next" | "coming" | "upcoming" => 1,
        _ => return None,
    };
    let used = usize::from(word(words, 2) == "of");
    if let Some(count) = number(word(words, 1)) {
        if let Some((calendar, said)) = open_day(words, 2 + used, open) {
            return open_days(calendar, count, direction, today)
                .map(|(from, to)| (from, to, 2 + used + said));
        }
        let span = unit_span(word(words, 2 + used), count * direction)?;
        let other = today.checked_add(span).ok()?;
        return (direction != 0).then(|| (today.min(other), today.max(other), 3 + used));
    }
    let unit = word(words, 1);
    if let Some((calendar, said)) = open_day(words, 1, open) {
        let day = nearest_open(calendar, direction, today)?;
        return Some((day, day, 1 + said));
    }
    if let Some(weekday) = weekday(unit).filter(|_| unit.len() > 2) {
        let monday = whole_unit("week", direction, today)?.0;
        let of_week = monday.checked_add(i64::from(weekday.to_monday_zero_offset()).days()).ok()?;
        // A day of this week may be behind or ahead; "next Friday" is the first one to come.
        let day = if direction > 0 { today.nth_weekday(1, weekday).ok()? } else { of_week };
        return Some((day, day, 2));
    }
    if let Some(month) = month(unit).filter(|_| unit.len() > 3) {
        let year = today.year()
            + match direction {
                -1 if month >= today.month() => -1,
                1 if month <= today.month() => 1,
                _ => 0,
            };
        let from = Date::new(year, month, 1).ok()?;
        return Some((from, from.last_of_month(), 2));
    }
    let (from, to) = whole_unit(unit, direction, today)?;
    Some((from, to, 2))
}

/// The weekday, week, month or open day just gone.
fn nearest(words: &[String], direction: i64, today: Date, open: Option<&Calendar>) -> Option<Resolved> {
    if let Some((calendar, said)) = open_day(words, 0, open) {
        let day = nearest_open(calendar, direction, today)?;
        return Some((day, day, said));
    }
    let unit = word(words, 0);
    if let Some(weekday) = weekday(unit) {
        let day = today.nth_weekday(-1, weekday).ok()?;
        return Some((day, day, 1));
    }
    let (from, to) = whole_unit(unit, direction, today)?;
    Some((from, to, 1))
}

fn nearest_open(calendar: &Calendar, direction: i64, today: Date) -> Option<Date> {
    match direction {
        0 if is_open(calendar, today) => Some(today),
        1 => next_open(calendar, today),
        _ => previous_open(calendar, today),
    }
}

/// The last (or next) so many open days.
fn open_days(calendar: &Calendar, count: i64, direction: i64, today: Date) -> Option<(Date, Date)> {
    let mut days = Vec::new();
    let mut day = today;
    for _ in 0..count.clamp(1, 500) {
        day = if direction > 0 { next_open(calendar, day)? } else { previous_open(calendar, day)? };
        days.push(day);
    }
    Some((*days.iter().min()?, *days.iter().max()?))
}

/// The week (from Monday), month, quarter, year or decade `shift` away from the one that holds `today`.
pub(super) fn whole_unit(unit: &str, shift: i64, today: Date) -> Option<(Date, Date)> {
    match unit {
        "week" => {
            let monday = today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?;
            let from = monday.checked_add(shift.weeks()).ok()?;
            Some((from, from.checked_add(6.days()).ok()?))
        }
        "weekend" => {
            let (monday, sunday) = whole_unit("week", shift, today)?;
            Some((monday.checked_add(5.days()).ok()?, sunday))
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
            let year = today.year().checked_add(i16::try_from(shift).ok()?)?;
            Some((Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?))
        }
        "decade" => {
            let start = (today.year() / 10 * 10).checked_add(10 * i16::try_from(shift).ok()?)?;
            Some((Date::new(start, 1, 1).ok()?, Date::new(start + 9, 12, 31).ok()?))
        }
        _ => None,
    }
}

/// `the first trading day of January 2024`, `the last week of 2023`, `the end of last year`.
pub(super) fn of_a_unit(words: &[String], today: Date, open: Option<&Calendar>) -> Option<Resolved> {
    let mut at = usize::from(word(words, 0) == "the");
    let last = match word(words, at) {
        "first" | "beginning" | "start" => false,
        "last" | "final" | "end" => true,
        _ => return None,
    };
    let edge = matches!(word(words, at), "beginning" | "start" | "end");
    at += 1;
    let open_unit = open_day(words, at, open).filter(|_| !edge);
    let unit = if edge { "day" } else { word(words, at) };
    at += open_unit.map_or(usize::from(!edge), |(_, said)| said);
    if !matches!(word(words, at), "of" | "in") {
        return None;
    }
    at += 1;
    let (from, to, used) = plain(words.get(at..)?, Some("of"), today, open)?;
    if let Some((calendar, _)) = open_unit {
        let day =
            if last { next_from(calendar, to, (-1).days())? } else { next_from(calendar, from, 1.days())? };
        return Some((day, day, at + used));
    }
    let (from, to) = match unit {
        "day" => {
            if last {
                (to, to)
            } else {
                (from, from)
            }
        }
        "week" if last => (to.checked_sub(6.days()).ok()?, to),
        "week" => (from, from.checked_add(6.days()).ok()?),
        "month" if last => (to.first_of_month(), to),
        "month" => (from, from.last_of_month()),
        _ => return None,
    };
    Some((from, to, at + used))
}

/// `three weeks ago`, `in ten days`.
pub(super) fn ago(words: &[String], before: Option<&str>, today: Date) -> Option<Resolved> {
    let count = number(word(words, 0))?;
    let of = usize::from(word(words, 1) == "of");
    let forward = before == Some("in");
    let backward = matches!(word(words, 2 + of), "ago" | "back");
    if !forward && !backward {
        return None;
    }
    let span = unit_span(word(words, 1 + of), if backward { -count } else { count })?;
    let day = today.checked_add(span).ok()?;
    Some((day, day, of + if backward { 3 } else { 2 }))
}
