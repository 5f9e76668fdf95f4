//! The words of time expressions.

use jiff::civil::Weekday;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Language, Listed, Words};

/// The words of time expressions.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct TimeWords {
    #[serde(rename = "reason")]
    _reason: IgnoredAny,
    /// From Monday.
    weekdays: Listed,
    /// Endings of repeated weekdays: "Mondays".
    weekday_ends: Words,
    /// From spring, which begins in March.
    seasons: Listed,
    pub(crate) day: Words,
    pub(crate) week: Words,
    pub(crate) weekend: Words,
    pub(crate) month: Words,
    pub(crate) quarter: Words,
    pub(crate) year: Words,
    pub(crate) decade: Words,
    pub(crate) century: Words,
    /// Indefinite numbers from one on: "a", "couple", "few".
    counts: Listed,
    /// Named days: "yesterday".
    pub(crate) days: Vec<NamedDay>,
    /// The year up to the day of asking.
    pub(crate) year_to_date: Vec<String>,
    /// Phrases for the most recent one: "most recent".
    pub(crate) nearest: Vec<String>,
    /// Words that mean the most recent one behind an article: "the last Friday".
    pub(crate) nearest_behind_article: Words,
    pub(crate) last: Words,
    pub(crate) this: Words,
    pub(crate) next: Words,
    /// The first part of a longer time: "the first week of".
    pub(crate) first_part: Words,
    pub(crate) last_part: Words,
    /// The first day of a longer time: "the beginning of".
    pub(crate) first_day: Words,
    pub(crate) last_day: Words,
    /// Words that put the stretch of days before them into the past: "three weeks ago".
    pub(crate) ago: Words,
    /// Words that put the stretch of days behind them into the past.
    pub(crate) ago_before: Words,
    /// Words that put the stretch of days behind them into the future: "in ten days".
    pub(crate) ahead: Words,
    pub(crate) since: Words,
    pub(crate) until: Words,
    pub(crate) before: Words,
    pub(crate) after: Words,
    /// Words that begin a range: "between 1990 and 1995".
    pub(crate) ranges: Words,
    /// Words inside a range.
    pub(crate) joining: Words,
    pub(crate) article: Words,
    pub(crate) of: Words,
    /// Words between a part and its time: "the first week of March".
    pub(crate) parts_of: Words,
    /// Words between a weekday and its week.
    pub(crate) of_week: Words,
    /// Words that belong to the date behind them.
    pub(crate) leading: Words,
    /// Words that make a bare number behind them a year.
    pub(crate) before_years: Words,
    /// Words that make a bare number before them a year: "her 2002 songs".
    pub(crate) behind_years: Words,
    /// Endings of a year that stands for its decade: "1990s".
    pub(crate) decade_ends: Words,
}

/// A day by its distance from the day of asking.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedDay {
    pub(crate) phrase: String,
    pub(crate) days: i64,
}

impl TimeWords {
    /// `friday`, `fri`, `tues`. The short forms count only where another word shows that a day is
    /// meant.
    pub(crate) fn weekday(&self, word: &str) -> Option<Weekday> {
        let short = || {
            let begins = |day: &str| (3..=4).contains(&word.chars().count()) && day.starts_with(word);
            self.weekdays.words.split_whitespace().position(begins)
        };
        let single = || {
            let day = self.weekday_ends.iter().find_map(|end| word.strip_suffix(end))?;
            self.weekdays.place(Some(day).filter(|day| day.chars().count() > 4)?)
        };
        let place = self.weekdays.place(word).or_else(single).or_else(short)?;
        Weekday::from_monday_zero_offset(i8::try_from(place).ok()?).ok()
    }

    /// The first month of a season in the north, as meteorologists give it.
    pub(crate) fn season(&self, word: &str) -> Option<i8> {
        let place = self.seasons.place(word).and_then(|place| i8::try_from(place).ok())?;
        (place < 4).then_some(3 + 3 * place)
    }

    /// The number that an indefinite word stands for: 3 for `few`.
    pub(crate) fn count(&self, word: &str) -> Option<usize> {
        self.counts.place(word).map(|place| place + 1)
    }
}

impl Language {
    pub(crate) fn times(self) -> &'static TimeWords {
        &self.words().times
    }
}
