//! Dates and times in the cells of tables, as people write them.

/// A date of the calendar, as `2024-02-28` writes it.
type Date = (u32, u32, u32);

/// The orders of day and month that a date with slashes allows: `28/02/2024` has no 28th month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Orders {
    day_first: bool,
    month_first: bool,
}

impl Orders {
    /// The orders of one date, `None` if the text is no date with slashes.
    pub(super) fn of(text: &str) -> Option<Self> {
        let allows = |day_first| slashed(text, day_first).is_some();
        let orders = Self { day_first: allows(true), month_first: allows(false) };
        (orders.day_first || orders.month_first).then_some(orders)
    }

    /// The orders that this date and another allow.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            day_first: self.day_first && other.day_first,
            month_first: self.month_first && other.month_first,
        }
    }

    /// A date with slashes as RDF writes it; `None` if both orders are possible, or neither.
    pub(super) fn read(self, text: &str) -> Option<String> {
        (self.day_first != self.month_first).then(|| slashed(text, self.day_first).map(written))?
    }
}

fn number(text: &str, digits: std::ops::RangeInclusive<usize>) -> Option<u32> {
    let is_number = digits.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

fn of_calendar(date: Date) -> Option<Date> {
    ((1..=12).contains(&date.1) && (1..=31).contains(&date.2)).then_some(date)
}

/// `2024-02-28`.
fn iso(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let mut next = |digits| parts.next().and_then(|part| number(part, digits..=digits));
    let date = (next(4)?, next(2)?, next(2)?);
    of_calendar(date).filter(|_| parts.next().is_none())
}

/// The three numbers of a date that ends with its year.
fn of_parts(text: &str, between: char) -> Option<(u32, u32, u32)> {
    let mut parts = text.split(between);
    let mut next = |digits| parts.next().and_then(|part| number(part, digits));
    let numbers = (next(1..=2)?, next(1..=2)?, next(4..=4)?);
    parts.next().is_none().then_some(numbers)
}

/// `28.02.2024`: with dots the day comes first.
fn dotted(text: &str) -> Option<Date> {
    let (day, month, year) = of_parts(text, '.')?;
    of_calendar((year, month, day))
}

/// `28/02/2024` or `02/28/2024`.
fn slashed(text: &str, day_first: bool) -> Option<Date> {
    let (first, second, year) = of_parts(text, '/')?;
    let (month, day) = if day_first { (second, first) } else { (first, second) };
    of_calendar((year, month, day))
}

fn written((year, month, day): Date) -> String {
    format!("{year:04}-{month:02}-{day:02}")
}

/// Whether a text is a date as RDF writes it: `2024-02-28`.
pub(super) fn is_date(text: &str) -> bool {
    iso(text).is_some()
}

/// A date as RDF writes it: `2024-02-28`, `28.02.2024`. Dates with slashes need their column.
pub(super) fn date(text: &str) -> Option<String> {
    iso(text).or_else(|| dotted(text)).map(written)
}

/// The date and the time of a cell with both.
pub(super) fn date_and_time(text: &str) -> Option<(String, &str)> {
    let (day, time) = text.split_once(['T', ' '])?;
    Some((date(day)?, time)).filter(|(_, time)| is_time(time))
}

/// `12:30`, `12:30:59`, with a fraction and a zone or without.
fn is_time(text: &str) -> bool {
    let clock = text.strip_suffix('Z').unwrap_or(text);
    let clock = match clock.get(1..).and_then(|rest| rest.find(['+', '-'])) {
        Some(at) => clock.get(..=at).unwrap_or(clock),
        None => clock,
    };
    let clock = clock.split_once('.').map_or(clock, |(clock, _)| clock);
    let parts: Vec<Option<u32>> = clock.split(':').map(|part| number(part, 2..=2)).collect();
    matches!(parts.len(), 2 | 3)
        && parts.iter().zip([24, 60, 61]).all(|(part, end)| part.is_some_and(|part| part < end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_with_dots_and_with_slashes() {
        assert_eq!(date("1.9.2003").as_deref(), Some("2003-09-01"));
        assert_eq!(date("28.02.2024").as_deref(), Some("2024-02-28"));
        assert!(
            ["13.13.2003", "1.2.3", "1.2.20", "1.2", "192.168.1.2003"]
                .iter()
                .all(|text| date(text).is_none())
        );
        let read = |cells: &[&str]| {
            let orders = cells.iter().filter_map(|cell| Orders::of(cell)).reduce(Orders::and)?;
            orders.read(cells.first()?)
        };
        assert_eq!(read(&["03/04/2024", "28/02/2024"]).as_deref(), Some("2024-04-03"));
        assert_eq!(read(&["03/04/2024", "02/28/2024"]).as_deref(), Some("2024-03-04"));
        assert_eq!(read(&["03/04/2024", "05/06/2024"]), None);
        assert_eq!(read(&["28/02/2024", "02/28/2024"]), None);
        assert!(Orders::of("13/13/2024").is_none() && Orders::of("1/2").is_none());
        assert_eq!(date_and_time("01.09.2003 14:05"), Some(("2003-09-01".into(), "14:05")));
    }
}
