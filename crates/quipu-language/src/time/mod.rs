//! Resolves time expressions to dates against the day of asking. Code does this, never a model
//! (self-verification paper §4; KERAG App. I.1 asks a model, which gets "last Tuesday" wrong).

mod calendar;
mod figures;
mod last;
mod relative;
mod words;

#[cfg(test)]
mod tests;

use jiff::ToSpan as _;
use jiff::civil::{Date, date};
use quipu_graph::Calendar;

pub use last::end_of_times;

use figures::in_figures;
use words::{tokenize, word, year};

use crate::vocabulary::{self, Language, TimeWords, Words};
use crate::words::begin;

/// A stretch of days that a question names.
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
    /// Whether the day, or any day of the month or year, at the start of `text` (`2024-02-28`,
    /// `2024-02`, `2024`) lies within it.
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
/// Understood: ISO dates and months, `02/28/2024`, `May 13, 1968`, `13 May 1968`, `May 1968`, `in
/// 1968`, `the 1990s`, `the 19th century`, `Q3 2021`, `2021 Q3`, `first half of 2021`, `summer of
/// 1999`, these with `last|this|next year` too, `between 1990 and 1995`, `from 1990 to 1995`,
/// `1990-1995`, `today`, `yesterday`, `tomorrow`, `last|this|next` with a weekday, weekend, week,
/// month, quarter, year or decade, `the Tuesday of last week`,
/// `past|last|next N days|weeks|months|years`, `N days|... ago`, `in N days`, `year to date`,
/// `since|before|after` with any of these, `the day before|after` with any of these, `the
/// first|last day|week|month of` any of these.
///
/// `last Tuesday` is the Tuesday of the week before; `this past` and `the most recent Tuesday` mean
/// the nearest one before today. A bare number is a year only after a word such as `in`, `of`,
/// `since` or a month, or before one such as `season`: "what is 1984 about" holds no time. The
/// words come from the text's language.
pub fn time_frames(text: &str, today: Date) -> Vec<TimeFrame> {
    time_frames_with(text, today, None)
}

/// Like [`time_frames`], and resolves a service's open days by the phrases of its calendar: `the
/// last trading day`, `the past three trading days`, `the first trading day of January 2024`. A
/// number before one of its yearly events is a year: `the 2015 oscars`.
pub fn time_frames_with(text: &str, today: Date, open: Option<&Calendar>) -> Vec<TimeFrame> {
    let language = Language::of(text);
    Reader { language, times: language.times(), today, open }.frames(text)
}

/// The times of a text in a language.
pub(crate) fn frames_in(language: Language, text: &str, today: Date) -> Vec<TimeFrame> {
    Reader { language, times: language.times(), today, open: None }.frames(text)
}

/// First day, last day, and the number of words read.
type Resolved = (Date, Date, usize);

/// The word before an expression.
#[derive(Clone, Copy)]
enum Before<'a> {
    Nothing,
    Word(&'a str),
    /// A word that only a time can follow, so that a bare number is a year.
    Time,
}

impl Before<'_> {
    fn is(self, words: &Words) -> bool {
        matches!(self, Self::Word(word) if words.has(word))
    }
}

/// Reads expressions of a language against the day of asking.
struct Reader<'a> {
    language: Language,
    times: &'static TimeWords,
    today: Date,
    /// The open days and yearly events of a service.
    open: Option<&'a Calendar>,
}

impl Reader<'_> {
    fn frames(&self, text: &str) -> Vec<TimeFrame> {
        let words = tokenize(text);
        let mut frames = Vec::new();
        let mut at = 0;
        while at < words.len() {
            let rest = words.get(at..).unwrap_or_default();
            let before = at.checked_sub(1).and_then(|before| words.get(before));
            let before = before.map_or(Before::Nothing, |before| Before::Word(before));
            match self.qualified(rest, before) {
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

    /// An expression with its qualifier: `since`, `before`, `after`, `between … and …`.
    fn qualified(&self, words: &[String], before: Before<'_>) -> Option<Resolved> {
        let times = self.times;
        if let Some(day) = self.named_day(words) {
            return Some(day);
        }
        let (first, tail) = (word(words, 0), words.get(1..).unwrap_or_default());
        // "The day before" is one day; "before" alone means all days before.
        let of_day = before.is(&times.day);
        if times.ago_before.has(first)
            && let Some((from, to, n)) = self.ago(tail, Before::Word(first))
        {
            return Some((from, to, n + 1));
        }
        if times.since.has(first) {
            return self.plain(tail, Before::Time).map(|(from, to, n)| (from, to.max(self.today), n + 1));
        }
        if (times.until.has(first) || times.before.has(first)) && !of_day {
            let (from, _, n) = self.plain(tail, Before::Time)?;
            return Some((Date::MIN, from.yesterday().ok()?, n + 1));
        }
        if times.after.has(first) && !of_day {
            let (_, to, n) = self.plain(tail, Before::Time)?;
            return Some((to.tomorrow().ok()?, Date::MAX, n + 1));
        }
        if times.ranges.has(first) {
            return self.range(tail).or_else(|| self.plain(words, before));
        }
        let second = word(words, 1);
        let (is_before, is_after) = (times.before.has(second), times.after.has(second));
        if times.day.has(first) && (is_before || is_after) {
            let (from, to, n) = self.plain(words.get(2..)?, Before::Time)?;
            let day = if is_before { from.yesterday() } else { to.tomorrow() }.ok()?;
            return Some((day, day, n + 2));
        }
        self.plain(words, before)
    }

    /// `1990 and 1995`, `May 2020 to today`.
    fn range(&self, words: &[String]) -> Option<Resolved> {
        let (from, _, first) = self.plain(words, Before::Time)?;
        let joined = self.times.joining.has(word(words, first));
        let (_, to, second) = self.plain(words.get(first + 1..)?, Before::Time).filter(|_| joined)?;
        (from <= to).then_some((from, to, first + second + 2))
    }

    fn plain(&self, words: &[String], before: Before<'_>) -> Option<Resolved> {
        self.named_day(words)
            .or_else(|| self.of_a_unit(words))
            .or_else(|| self.calendar(words, before))
            .or_else(|| self.relative(words, before))
            .or_else(|| self.weekday_of_a_week(words))
            .or_else(|| self.ago(words, before))
            .or_else(|| self.behind_leading(words))
    }

    /// `in 1968`, `on the 3rd of May 1968`: the words before the date are part of the expression.
    fn behind_leading(&self, words: &[String]) -> Option<Resolved> {
        let first = word(words, 0);
        if !self.times.leading.has(first) {
            return None;
        }
        let (from, to, n) = self.plain(words.get(1..)?, Before::Word(first))?;
        Some((from, to, n + 1))
    }

    /// `yesterday`, `right now`, `year to date`.
    fn named_day(&self, words: &[String]) -> Option<Resolved> {
        if let Some(used) = self.times.year_to_date.iter().find_map(|phrase| begin(words, phrase)) {
            return Some((self.today.first_of_year(), self.today, used));
        }
        let named = self.times.days.iter().find_map(|day| Some((day.days, begin(words, &day.phrase)?)));
        let (days, used) = named?;
        let day = self.today.checked_add(days.days()).ok()?;
        Some((day, day, used))
    }

    /// Dates, months, years, decades, centuries and quarters that stand on their own.
    fn calendar(&self, words: &[String], before: Before<'_>) -> Option<Resolved> {
        let times = self.times;
        let first = word(words, 0);
        let mut endings = times.decade_ends.iter();
        let decade = || endings.find_map(|end| figures::decade(first.strip_suffix(end)?));
        if let Some((from, to)) = in_figures(first).or_else(decade) {
            return Some((from, to, 1));
        }
        if let Some(century) = self.day_number(first).filter(|_| times.century.has(word(words, 1))) {
            let last = i16::from(century) * 100;
            return Some((Date::new(last - 99, 1, 1).ok()?, Date::new(last, 12, 31).ok()?, 2));
        }
        if let Some(found) = self.part_of_a_year(words).or_else(|| self.season(words)) {
            return Some(found);
        }
        if let Some(month) = month(first) {
            return self.month_first(words, month);
        }
        if let Some(day) = self.day_number(first) {
            let of = self.of(words, 1);
            if let Some(month) = month(word(words, 1 + of)) {
                let (year, used) = self.year_behind(words, 2 + of)?;
                let day = Date::new(year, month, day).ok()?;
                return Some((day, day, used));
            }
        }
        let said = match before {
            Before::Time => true,
            Before::Word(before) => times.before_years.has(before),
            Before::Nothing => false,
        };
        let behind = word(words, 1);
        let is_event = || self.open.is_some_and(|open| open.events.iter().any(|event| event == behind));
        let year = year(first).filter(|_| said || times.behind_years.has(behind) || is_event())?;
        Some((date(year, 1, 1), date(year, 12, 31), 1))
    }

    /// `Q3 2021`, `2021 Q3`, `third quarter of 2021`, and halves likewise.
    fn part_of_a_year(&self, words: &[String]) -> Option<Resolved> {
        let (first, second) = (word(words, 0), word(words, 1));
        let in_words = || {
            let ordinal = i8::try_from(self.language.ordinal(first)?).ok()?;
            let months = if self.times.quarter.has(second) {
                figures::QUARTER
            } else if self.times.half.has(second) {
                figures::HALF
            } else {
                return None;
            };
            (1..=12 / months).contains(&ordinal).then_some((ordinal, months))
        };
        let ((part, months), (year, used)) = if let Some(part) = figures::part_of_a_year(first) {
            (part, self.year_behind(words, 1)?)
        } else if let Some(part) = figures::part_of_a_year(second) {
            (part, (year(first)?, 2))
        } else {
            (in_words()?, self.year_behind(words, 2)?)
        };
        let from = date(year, (part - 1) * months + 1, 1);
        Some((from, from.checked_add((months - 1).months()).ok()?.last_of_month(), used))
    }

    /// `summer of 1999`: the meteorological season of the northern hemisphere.
    fn season(&self, words: &[String]) -> Option<Resolved> {
        let first = self.times.season(word(words, 0))?;
        let (year, used) = self.year_behind(words, 1)?;
        let from = date(year, first, 1);
        Some((from, from.checked_add(2.months()).ok()?.last_of_month(), used))
    }

    /// `May 13 1968`, `May 1968`, `May of last year`. A month without a year is no date: which May?
    fn month_first(&self, words: &[String], month: i8) -> Option<Resolved> {
        if let Some((year, used)) = self.year_behind(words, 1) {
            let from = Date::new(year, month, 1).ok()?;
            return Some((from, from.last_of_month(), used));
        }
        let day = self.day_number(word(words, 1))?;
        let (year, used) = self.year_behind(words, 2)?;
        let day = Date::new(year, month, day).ok()?;
        Some((day, day, used))
    }

    /// The year that stands at a place, after an "of" or none, and the place behind it: `1999`, `of
    /// 1999`, `last year`.
    fn year_behind(&self, words: &[String], at: usize) -> Option<(i16, usize)> {
        let at = at + self.of(words, at);
        if let Some(year) = year(word(words, at)) {
            return Some((year, at + 1));
        }
        let shift = self.direction(word(words, at)).filter(|_| self.times.year.has(word(words, at + 1)))?;
        Some((self.today.year().checked_add(i16::try_from(shift).ok()?)?, at + 2))
    }

    /// 1 where "of" stands at a place, else 0.
    fn of(&self, words: &[String], at: usize) -> usize {
        usize::from(self.times.of.has(word(words, at)))
    }

    fn day_number(&self, word: &str) -> Option<i8> {
        let digits = self.language.ordinal_digits(word).unwrap_or(word);
        digits.parse().ok().filter(|day| (1..=31).contains(day))
    }
}

/// The month that a word names, from 1.
fn month(word: &str) -> Option<i8> {
    vocabulary::month(word).and_then(|month| i8::try_from(month).ok())
}
