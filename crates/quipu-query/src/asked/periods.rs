//! Decades and centuries of a question, which a query states as years: "in the 19th century" is
//! from 1801 to 1900.

use jiff::civil::{Date, date};
use quipu_language::{TimeFrame, time_frames};

use super::said::Said;
use crate::tables::words_of;

/// A shorter time is said by its own year.
const LEAST_YEARS: i16 = 9;
/// The day against which times like "the last decade" would be resolved: no query states these.
const ANY_DAY: Date = date(2000, 1, 1);

/// The long times that a question names.
pub(super) struct Periods {
    frames: Vec<TimeFrame>,
}

impl Periods {
    pub(super) fn of(question: &str) -> Self {
        let mut frames = time_frames(question, ANY_DAY);
        frames.retain(|frame| frame.to.year() - frame.from.year() >= LEAST_YEARS);
        Self { frames }
    }

    /// Whether the word at a position belongs to a time whose first and last year a query states.
    /// A century may begin with its year 0 or 1.
    pub(super) fn explain(&self, words: &[String], at: usize, said: &Said) -> bool {
        let years: Vec<i16> =
            said.values.iter().chain(&said.words).filter_map(|value| year_of(value)).collect();
        let states = |year: i16| years.iter().any(|stated| (stated - year).abs() <= 1);
        self.frames.iter().any(|frame| {
            let of_frame = words_of(&frame.text);
            let stands = |start: usize| words.get(start..start + of_frame.len()) == Some(of_frame.as_slice());
            let is_within = (at.saturating_sub(of_frame.len())..=at)
                .any(|start| stands(start) && (start..start + of_frame.len()).contains(&at));
            is_within && states(frame.from.year()) && states(frame.to.year())
        })
    }

    /// Whether a value is the first or last year of such a time, or a day next to one.
    pub(super) fn hold(&self, value: &str) -> bool {
        let is_end = |year: i16, end: i16| (year - end).abs() <= 1;
        year_of(value).is_some_and(|year| {
            self.frames.iter().any(|frame| is_end(year, frame.from.year()) || is_end(year, frame.to.year()))
        })
    }
}

/// The year of a date or of a number of four digits.
fn year_of(value: &str) -> Option<i16> {
    let (year, rest) = value.split_at_checked(4)?;
    (rest.is_empty() || rest.starts_with('-')).then(|| year.parse().ok()).flatten()
}
