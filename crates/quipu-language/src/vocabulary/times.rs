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
    /// Halves of a year.
    pub(crate) half: Words,
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
    /// A thing's times: "the last time that it was used".
    pub(crate) occasion: Words,
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
    /// "Am", behind an hour.
    before_noon: Words,
    /// "Pm".
    after_noon: Words,
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

/// The time of day that begins at a word, as graphs state it ("19:30"), and the number of its
/// words: "7 pm", "7:30 pm", "7pm". `None` if there is none.
pub fn clock_time(words: &[String], at: usize) -> Option<(String, usize)> {
    let times = Language::of_words(words).times();
    let half = |word: &str| match (times.before_noon.has(word), times.after_noon.has(word)) {
        (true, _) => Some(0),
        (_, true) => Some(12),
        _ => None,
    };
    let word = words.get(at)?;
    let letters = word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len());
    let (hour, end) = word.split_at(letters);
    let hour: u32 = hour.parse().ok().filter(|hour| (1..=12).contains(hour))?;
    let next = |by: usize| words.get(at + by).map_or("", String::as_str);
    let minutes = next(1).parse::<u32>().ok().filter(|of| *of < 60 && next(1).len() == 2);
    let (minutes, half, count) = match (half(end), half(next(1)), minutes.zip(half(next(2)))) {
        (Some(half), ..) => (0, half, 1),
        (_, Some(half), _) if end.is_empty() => (0, half, 2),
        (.., Some((minutes, half))) if end.is_empty() => (minutes, half, 3),
        _ => return None,
    };
    Some((format!("{:02}:{minutes:02}", hour % 12 + half), count))
}

impl Language {
    pub(crate) fn times(self) -> &'static TimeWords {
        &self.words().times
    }

    /// Whether a word means one of the times that something happened: "the most times".
    pub fn is_occasion(self, word: &str) -> bool {
        self.times().occasion.has(word)
    }
}

#[cfg(test)]
mod tests {
    use super::clock_time;
    use crate::words_of;

    #[test]
    fn hours_before_and_after_noon_are_times_of_day() {
        for (text, expected) in [
            ("7 pm", Some(("19:00", 2))),
            ("7pm", Some(("19:00", 1))),
            ("7:30 am", Some(("07:30", 3))),
            ("12 am", Some(("00:00", 2))),
            ("12 pm", Some(("12:00", 2))),
            ("7 days", None),
            ("13 pm", None),
        ] {
            let found = clock_time(&words_of(text), 0);
            let expected = expected.map(|(time, count)| (time.to_owned(), count));
            assert_eq!(found, expected, "{text}");
        }
    }
}
