//! The open days and yearly events of a service, as its manifest lists them. Their format:
//! docs/sources.md.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The open days of a service, all but the closed weekdays and the holidays, and its yearly events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Calendar {
    /// Phrases for an open day, in lower case and in the singular: `trading day`. A word of them
    /// may get a plural's s.
    pub words: Vec<String>,
    /// Weekdays that are never open.
    pub closed: Vec<Weekday>,
    /// Days of the year that are not open.
    pub holidays: Vec<Holiday>,
    /// Words for events of every year, in lower case: in `the 2015 oscars` the number is a year.
    pub events: Vec<String>,
}

/// A day of the week, by its English name in small letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weekday {
    /// `monday`
    Monday,
    /// `tuesday`
    Tuesday,
    /// `wednesday`
    Wednesday,
    /// `thursday`
    Thursday,
    /// `friday`
    Friday,
    /// `saturday`
    Saturday,
    /// `sunday`
    Sunday,
}

impl Weekday {
    /// Days since Monday: 0 to 6.
    pub fn since_monday(self) -> i8 {
        self as i8
    }
}

/// A holiday that returns every year.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "HolidayEntry")]
pub struct Holiday {
    /// The day that it falls on.
    pub on: HolidayRule,
    /// The first year that has it; `None`: every year.
    pub since: Option<i16>,
    /// Days by which it is moved when it falls on a weekday: -1 keeps it on the day before.
    pub observed: BTreeMap<Weekday, i8>,
}

/// The day of a year that a holiday falls on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HolidayRule {
    /// The same day every year.
    Fixed {
        /// 1 to 12.
        month: i8,
        /// 1 to 31.
        day: i8,
    },
    /// A weekday of a month.
    Nth {
        /// 1 to 12.
        month: i8,
        /// 1 to 5 from the month's start; -1 to -5 from its end.
        nth: i8,
        /// The weekday.
        weekday: Weekday,
    },
    /// A day that moves with Easter Sunday of the Gregorian calendar.
    Easter {
        /// Days after it; below 0 before it.
        days: i16,
    },
}

/// A holiday as written in a manifest.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct HolidayEntry {
    month: Option<i8>,
    day: Option<i8>,
    nth: Option<i8>,
    weekday: Option<Weekday>,
    easter: Option<i16>,
    since: Option<i16>,
    observed: BTreeMap<Weekday, i8>,
}

impl TryFrom<HolidayEntry> for Holiday {
    type Error = String;

    fn try_from(entry: HolidayEntry) -> Result<Self, String> {
        let HolidayEntry { month, day, nth, weekday, easter, since, observed } = entry;
        let on = match (month, day, nth, weekday, easter) {
            (Some(month), Some(day), None, None, None) => {
                within("month", month, 1, 12)?;
                within("day", day, 1, most_days(month))?;
                HolidayRule::Fixed { month, day }
            }
            (Some(month), None, Some(nth), Some(weekday), None) => {
                within("month", month, 1, 12)?;
                if !(1..=5).contains(&nth.unsigned_abs()) {
                    return Err(format!("nth {nth} is not within 1 to 5 or -5 to -1"));
                }
                HolidayRule::Nth { month, nth, weekday }
            }
            (None, None, None, None, Some(days)) => {
                within("easter", days, -100, 250)?;
                HolidayRule::Easter { days }
            }
            _ => return Err("a holiday takes month and day, or month, nth and weekday, or easter".into()),
        };
        for days in observed.values() {
            within("observed", *days, -6, 6)?;
        }
        Ok(Self { on, since, observed })
    }
}

fn within(key: &str, value: impl Into<i16>, least: i16, most: i16) -> Result<(), String> {
    let value = value.into();
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!("{key} {value} is not within {least} to {most}"))
}

/// Days of a month in a leap year.
fn most_days(month: i8) -> i16 {
    match month {
        2 => 29,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Manifest;

    fn read(holiday: &str) -> Result<Option<Calendar>, String> {
        let text = format!("[calendar]\nclosed = ['friday']\nholidays = [{holiday}]");
        Manifest::read(&text, "api.toml").map(|manifest| manifest.calendar).map_err(|error| error.to_string())
    }

    #[test]
    fn a_holiday_has_one_of_three_forms() {
        for (text, on) in [
            ("{ month = 2, day = 29 }", HolidayRule::Fixed { month: 2, day: 29 }),
            (
                "{ month = 5, nth = -1, weekday = 'monday' }",
                HolidayRule::Nth { month: 5, nth: -1, weekday: Weekday::Monday },
            ),
            ("{ easter = -2 }", HolidayRule::Easter { days: -2 }),
        ] {
            let calendar = read(text).unwrap().unwrap();
            assert_eq!(calendar.closed, [Weekday::Friday]);
            assert_eq!(calendar.holidays, [Holiday { on, since: None, observed: BTreeMap::new() }]);
        }
        let calendar =
            read("{ month = 1, day = 1, since = 1998, observed = { sunday = 1 } }").unwrap().unwrap();
        let [holiday] = calendar.holidays.as_slice() else { panic!("{calendar:?}") };
        assert_eq!(holiday.since, Some(1998));
        assert_eq!(holiday.observed, BTreeMap::from([(Weekday::Sunday, 1)]));
        assert_eq!(Manifest::read("zone = 'UTC'", "api.toml").unwrap().calendar, None);
    }

    #[test]
    fn what_no_calendar_has_is_named() {
        for (text, expected) in [
            ("{ month = 13, day = 1 }", "month 13"),
            ("{ month = 0, nth = 1, weekday = 'monday' }", "month 0"),
            ("{ month = 2, day = 30 }", "day 30"),
            ("{ month = 5, nth = 0, weekday = 'monday' }", "nth 0"),
            ("{ month = 5, nth = -6, weekday = 'monday' }", "nth -6"),
            ("{ month = 5, nth = 1, weekday = 'mon' }", "unknown variant `mon`"),
            ("{ month = 5, weekday = 'monday' }", "or easter"),
            ("{ easter = 1, day = 3 }", "or easter"),
            ("{ easter = 999 }", "easter 999"),
            ("{ month = 1, day = 1, observed = { sunday = 7 } }", "observed 7"),
            ("{ month = 1, day = 1, observed = { sonntag = 1 } }", "unknown variant `sonntag`"),
            ("{ month = 1, date = 1 }", "unknown field `date`"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains("api.toml") && error.contains(expected), "{error}");
        }
        let error = Manifest::read("[calendar]\nclosed = ['saturdy']", "api.toml").unwrap_err().to_string();
        assert!(error.contains("unknown variant `saturdy`"), "{error}");
    }
}
