//! Expressions relative to the day of asking or to another expression.

use jiff::civil::{Date, date};
use jiff::{Span, ToSpan as _};
use quipu_graph::Calendar;

use super::calendar::{is_open, next_from, next_open, open_day, previous_open};
use super::words::word;
use super::{Before, Reader, Resolved, month};
use crate::words::begin;

impl Reader<'_> {
    /// `last Tuesday`, `this year`, `next month`, `past five years`, `the most recent Friday`, `the
    /// last trading day`.
    pub(super) fn relative(&self, words: &[String], before: Before<'_>) -> Option<Resolved> {
        let times = self.times;
        if let Some(used) = times.nearest.iter().find_map(|phrase| begin(words, phrase)) {
            return self.nearest(words.get(used..)?).map(|(from, to, n)| (from, to, n + used));
        }
        let first = word(words, 0);
        // "The last Friday" is the most recent one; "last Friday" is the Friday of the week before.
        let behind_article = before.is(&times.article) && times.nearest_behind_article.has(first);
        if behind_article && times.weekday(word(words, 1)).is_some() {
            return self.nearest(words.get(1..)?).map(|(from, to, n)| (from, to, n + 1));
        }
        let direction = self.direction(first)?;
        let used = usize::from(times.of.has(word(words, 2)));
        if let Some(count) = self.number(word(words, 1)) {
            if let Some((calendar, said)) = open_day(words, 2 + used, self.language, self.open) {
                let days = open_days(calendar, count, direction, self.today);
                return days.map(|(from, to)| (from, to, 2 + used + said));
            }
            let span = self.unit_span(word(words, 2 + used), count * direction)?;
            let other = self.today.checked_add(span).ok()?;
            return (direction != 0).then(|| (self.today.min(other), self.today.max(other), 3 + used));
        }
        let unit = word(words, 1);
        if let Some((calendar, said)) = open_day(words, 1, self.language, self.open) {
            let day = nearest_open(calendar, direction, self.today)?;
            return Some((day, day, 1 + said));
        }
        if let Some(weekday) = times.weekday(unit) {
            let monday = self.monday(direction)?;
            let of_week = monday.checked_add(i64::from(weekday.to_monday_zero_offset()).days()).ok()?;
            // A weekday of this week may lie before or after today; "next Friday" is the first one
            // to come.
            let day = if direction > 0 { self.today.nth_weekday(1, weekday).ok()? } else { of_week };
            return Some((day, day, 2));
        }
        if let Some(month) = month(unit).filter(|_| unit.chars().count() > 3) {
            let year = self.today.year()
                + match direction {
                    -1 if month >= self.today.month() => -1,
                    1 if month <= self.today.month() => 1,
                    _ => 0,
                };
            let from = Date::new(year, month, 1).ok()?;
            return Some((from, from.last_of_month(), 2));
        }
        let (from, to) = self.whole_unit(unit, direction)?;
        Some((from, to, 2))
    }

    /// -1 for the past, 0 for the present, 1 for the future.
    pub(super) fn direction(&self, word: &str) -> Option<i64> {
        let times = self.times;
        let directions = [(&times.last, -1), (&times.this, 0), (&times.next, 1)];
        directions.into_iter().find_map(|(words, direction)| words.has(word).then_some(direction))
    }

    /// The most recent weekday, week, month or open day.
    fn nearest(&self, words: &[String]) -> Option<Resolved> {
        if let Some((calendar, said)) = open_day(words, 0, self.language, self.open) {
            let day = nearest_open(calendar, -1, self.today)?;
            return Some((day, day, said));
        }
        let unit = word(words, 0);
        if let Some(weekday) = self.times.weekday(unit) {
            let day = self.today.nth_weekday(-1, weekday).ok()?;
            return Some((day, day, 1));
        }
        let (from, to) = self.whole_unit(unit, -1)?;
        Some((from, to, 1))
    }

    fn monday(&self, weeks: i64) -> Option<Date> {
        let days = i64::from(self.today.weekday().to_monday_zero_offset());
        self.today.checked_sub(days.days()).ok()?.checked_add(weeks.weeks()).ok()
    }

    /// The week (from Monday), weekend, month, quarter, year or decade that lies `shift` units from
    /// the current one.
    fn whole_unit(&self, unit: &str, shift: i64) -> Option<(Date, Date)> {
        let (times, today) = (self.times, self.today);
        if times.week.has(unit) {
            let monday = self.monday(shift)?;
            return Some((monday, monday.checked_add(6.days()).ok()?));
        }
        if times.weekend.has(unit) {
            let monday = self.monday(shift)?;
            return Some((monday.checked_add(5.days()).ok()?, monday.checked_add(6.days()).ok()?));
        }
        if times.month.has(unit) {
            let from = today.first_of_month().checked_add(shift.months()).ok()?;
            return Some((from, from.last_of_month()));
        }
        if times.quarter.has(unit) {
            let start = date(today.year(), (today.month() - 1) / 3 * 3 + 1, 1);
            let from = start.checked_add((3 * shift).months()).ok()?;
            return Some((from, from.checked_add(2.months()).ok()?.last_of_month()));
        }
        if times.year.has(unit) {
            let year = today.year().checked_add(i16::try_from(shift).ok()?)?;
            return Some((Date::new(year, 1, 1).ok()?, Date::new(year, 12, 31).ok()?));
        }
        if times.decade.has(unit) {
            let start = (today.year() / 10 * 10).checked_add(10 * i16::try_from(shift).ok()?)?;
            return Some((Date::new(start, 1, 1).ok()?, Date::new(start + 9, 12, 31).ok()?));
        }
        None
    }

    /// `the first trading day of January 2024`, `the last week of 2023`, `the end of last year`.
    pub(super) fn of_a_unit(&self, words: &[String]) -> Option<Resolved> {
        let times = self.times;
        let mut at = usize::from(times.article.has(word(words, 0)));
        let said = word(words, at);
        let edge = times.first_day.has(said) || times.last_day.has(said);
        let last = times.last_part.has(said) || times.last_day.has(said);
        if !edge && !last && !times.first_part.has(said) {
            return None;
        }
        at += 1;
        let open = open_day(words, at, self.language, self.open).filter(|_| !edge);
        let unit = word(words, at);
        let (is_day, is_week, is_month) =
            (edge || times.day.has(unit), times.week.has(unit), times.month.has(unit));
        at += open.map_or(usize::from(!edge), |(_, said)| said);
        if !times.parts_of.has(word(words, at)) {
            return None;
        }
        at += 1;
        let (from, to, used) = self.plain(words.get(at..)?, Before::Time)?;
        if let Some((calendar, _)) = open {
            let day = match last {
                true => next_from(calendar, to, (-1).days())?,
                false => next_from(calendar, from, 1.days())?,
            };
            return Some((day, day, at + used));
        }
        let (from, to) = if is_day {
            if last { (to, to) } else { (from, from) }
        } else if is_week {
            if last { (to.checked_sub(6.days()).ok()?, to) } else { (from, from.checked_add(6.days()).ok()?) }
        } else if is_month {
            if last { (to.first_of_month(), to) } else { (from, from.last_of_month()) }
        } else {
            return None;
        };
        Some((from, to, at + used))
    }

    /// `three weeks ago`, `in ten days`.
    pub(super) fn ago(&self, words: &[String], before: Before<'_>) -> Option<Resolved> {
        let times = self.times;
        let count = self.number(word(words, 0))?;
        let of = usize::from(times.of.has(word(words, 1)));
        let behind = times.ago.has(word(words, 2 + of));
        let backward = behind || before.is(&times.ago_before);
        if !backward && !before.is(&times.ahead) {
            return None;
        }
        let span = self.unit_span(word(words, 1 + of), if backward { -count } else { count })?;
        let day = self.today.checked_add(span).ok()?;
        Some((day, day, 2 + of + usize::from(behind)))
    }

    /// `Tuesday of last week`, `tues from the past week`, `Tuesday last week`.
    pub(super) fn weekday_of_a_week(&self, words: &[String]) -> Option<Resolved> {
        let times = self.times;
        let weekday = times.weekday(word(words, 0))?;
        let between = words.iter().skip(1).take_while(|word| times.of_week.has(word)).count();
        let at = 1 + between;
        let shift = self.direction(word(words, at))?;
        let monday = self.monday(shift).filter(|_| times.week.has(word(words, at + 1)))?;
        let day = monday.checked_add(i64::from(weekday.to_monday_zero_offset()).days()).ok()?;
        Some((day, day, at + 2))
    }

    fn unit_span(&self, unit: &str, count: i64) -> Option<Span> {
        let times = self.times;
        let spans = [
            (&times.day, count.days()),
            (&times.week, count.weeks()),
            (&times.month, count.months()),
            (&times.year, count.years()),
            (&times.decade, (10 * count).years()),
        ];
        spans.into_iter().find_map(|(words, span)| words.has(unit).then_some(span))
    }

    fn number(&self, word: &str) -> Option<i64> {
        let said = self.times.count(word).or_else(|| self.language.cardinal(word));
        let said = said.and_then(|number| i64::try_from(number).ok());
        said.or_else(|| word.parse().ok().filter(|number| (0..1000).contains(number)))
    }
}

fn nearest_open(calendar: &Calendar, direction: i64, today: Date) -> Option<Date> {
    match direction {
        0 if is_open(calendar, today) => Some(today),
        1 => next_open(calendar, today),
        _ => previous_open(calendar, today),
    }
}

/// The last (or next) `count` open days.
fn open_days(calendar: &Calendar, count: i64, direction: i64, today: Date) -> Option<(Date, Date)> {
    let mut days = Vec::new();
    let mut day = today;
    for _ in 0..count.clamp(1, 500) {
        day = if direction > 0 { next_open(calendar, day)? } else { previous_open(calendar, day)? };
        days.push(day);
    }
    Some((*days.iter().min()?, *days.iter().max()?))
}
