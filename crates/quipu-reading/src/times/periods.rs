//! Times of a question that are longer or shorter than a year. A query states decades and centuries
//! as years: "in the 19th century" is from 1801 to 1900. It states quarters, halves and seasons as
//! days: "in the second half of 2024" is from 1 July on.

use jiff::civil::{Date, date};
use quipu_language::{Language, TimeFrame, time_frames};
use quipu_query::{
    Body, Column, ColumnRef, Comparison, Doubt, Expression, Function, Kind, Mend, Place, Query, Tables,
    words_of,
};

use crate::said::Said;
use crate::slips::each_query;

/// A shorter time is said by its own year.
const LEAST_YEARS: i16 = 9;
/// The day against which times like "the last decade" would be resolved: no query states these.
pub(crate) const ANY_DAY: Date = date(2000, 1, 1);

/// The times that a question names and that are no years.
pub(crate) struct Periods {
    frames: Vec<TimeFrame>,
}

/// Whether a time is a quarter, a half or a season of one year.
fn is_part_of_a_year(frame: &TimeFrame) -> bool {
    /// Months of a quarter or a season.
    const QUARTER: i8 = 3;
    /// Months of a half.
    const HALF: i8 = 6;
    let months = frame.to.month() - frame.from.month() + 1;
    let whole = frame.from.day() == 1 && frame.to == frame.to.last_of_month();
    whole && frame.from.year() == frame.to.year() && (months == QUARTER || months == HALF)
}

fn is_long(frame: &TimeFrame) -> bool {
    frame.to.year() - frame.from.year() >= LEAST_YEARS
}

impl Periods {
    pub(crate) fn of(question: &str) -> Self {
        let mut frames = time_frames(question, ANY_DAY);
        frames.retain(|frame| is_long(frame) || is_part_of_a_year(frame));
        Self { frames }
    }

    /// Whether the word at a position belongs to a time whose first and last year, or day, a query
    /// states. A century may begin with its year 0 or 1.
    pub(crate) fn explain(&self, words: &[String], at: usize, said: &Said) -> bool {
        let years: Vec<i16> =
            said.values.iter().chain(&said.words).filter_map(|value| year_of(value)).collect();
        let states = |year: i16| years.iter().any(|stated| (stated - year).abs() <= 1);
        let states_ends = |frame: &TimeFrame| match is_long(frame) {
            true => states(frame.from.year()) && states(frame.to.year()),
            false => states_days(frame, &said.values.iter().map(String::as_str).collect::<Vec<_>>()),
        };
        self.frames.iter().any(|frame| {
            let of_frame = words_of(&frame.text);
            let stands = |start: usize| words.get(start..start + of_frame.len()) == Some(of_frame.as_slice());
            let is_within = (at.saturating_sub(of_frame.len())..=at)
                .any(|start| stands(start) && (start..start + of_frame.len()).contains(&at));
            is_within && states_ends(frame)
        })
    }

    /// Whether a value is the first or last year of such a time, or a day next to one.
    pub(crate) fn hold(&self, value: &str) -> bool {
        let is_end = |year: i16, end: i16| (year - end).abs() <= 1;
        let holds = |frame: &TimeFrame, year: i16| match is_long(frame) {
            true => is_end(year, frame.from.year()) || is_end(year, frame.to.year()),
            false => [Some(frame.from), Some(frame.to), frame.to.tomorrow().ok()]
                .into_iter()
                .flatten()
                .any(|day| value == day.to_string()),
        };
        year_of(value).is_some_and(|year| self.frames.iter().any(|frame| holds(frame, year)))
    }
}

/// Whether values state the first day of a time, and its last one or the one behind it.
fn states_days(frame: &TimeFrame, values: &[&str]) -> bool {
    let states = |day: Date| values.iter().any(|value| *value == day.to_string());
    states(frame.from) && (states(frame.to) || frame.to.tomorrow().is_ok_and(states))
}

/// Limits a year to the part of it that the question names: "ran out in the second half of 2024".
/// For a bound query whose conditions on one column of dates state the year and no months.
pub(crate) fn part_of_the_year(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let mut frames = Periods::of(question).frames;
    frames.retain(is_part_of_a_year);
    let [frame] = frames.as_slice() else { return None };
    let (year, next) = (frame.from.year(), frame.to.tomorrow().ok()?);
    let is_of_it = |value: &str| {
        year_of(value) == Some(year) || value == date(year + 1, 1, 1).to_string() || value == next.to_string()
    };
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let Some(filter) = &mut select.filter else { return };
        let conditions = filter.conjuncts();
        let dated: Vec<_> = conditions.iter().map(|condition| date_and_value(condition, tables)).collect();
        let mut columns = dated.iter().flatten().map(|(of, _)| of.clone());
        let Some(of) = columns.next().filter(|of| columns.all(|other| other == *of)) else { return };
        let values: Vec<&str> = dated.iter().flatten().map(|(_, value)| *value).collect();
        let place = Expression::Column(of.clone()).place();
        let speaks_of_it =
            |condition: &Expression| condition.places().into_iter().any(|at| Some(at) == place);
        let others = || conditions.iter().zip(&dated).filter(|(_, dated)| dated.is_none());
        let more = others().any(|(condition, _)| speaks_of_it(condition));
        if more || !values.iter().all(|value| is_of_it(value)) || states_days(frame, &values) {
            return;
        }
        let bound = |comparison, day: Date| {
            let sides = (Expression::Column(of.clone()), Expression::Text(day.to_string()));
            Expression::Compare(comparison, Box::new(sides.0), Box::new(sides.1))
        };
        let kept = others().map(|(condition, _)| (*condition).clone());
        let bounds = [bound(Comparison::AtLeast, frame.from), bound(Comparison::Less, next)];
        let all = kept.chain(bounds).fold(None, |all, next| Some(Expression::both(all, next)));
        if let Some(all) = all {
            *filter = all;
            mend = Some(format!("“{}” lasts from {} to {}", frame.text, frame.from, frame.to));
        }
    });
    Some(Mend { text: mend?, doubt: Doubt::None })
}

/// The column of dates that a condition compares with a date or a year, and the date or the year.
fn date_and_value<'a>(condition: &'a Expression, tables: &Tables) -> Option<(ColumnRef, &'a str)> {
    let Expression::Compare(comparison, of, value) = condition else { return None };
    let (Expression::Text(value) | Expression::Number(value)) = &**value else { return None };
    let of = match &**of {
        Expression::Call(Function::Year | Function::DatePart, parts) => parts.first()?,
        of => of,
    };
    let Expression::Column(column) = of else { return None };
    let is_date = tables.column(column.place?)?.kind == Kind::Date;
    (is_date && *comparison != Comparison::Unequal).then(|| (column.clone(), value.as_str()))
}

/// Takes all years of a decade where a query takes only its first: "opened in the 1860s" is not
/// only 1860. For a bound query.
pub(crate) fn whole_periods(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let periods = Periods::of(question);
    // The year of a date or of a year; a date that equals a year begins with it.
    let year_of = |of: &Expression| match of {
        Expression::Call(Function::Year, _) => Some(of.clone()),
        Expression::Column(column) => {
            let held = column.place.and_then(|place| tables.column(place))?;
            let year = || Expression::Call(Function::Year, vec![of.clone()]);
            if held.holds_years() { Some(of.clone()) } else { (held.kind == Kind::Date).then(year) }
        }
        _ => None,
    };
    let years_of = |condition: &Expression| {
        let Expression::Compare(Comparison::Equal, of, value) = condition else { return None };
        let (Expression::Number(year) | Expression::Text(year)) = &**value else { return None };
        let is_it = |frame: &&TimeFrame| is_long(frame) && Ok(frame.from.year()) == year.parse();
        let frame = periods.frames.iter().find(is_it)?;
        Some((year_of(of)?, frame))
    };
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let Some(filter) = &mut select.filter else { return };
        let conditions: Vec<Expression> = filter.conjuncts().into_iter().cloned().collect();
        let whole = conditions.into_iter().map(|condition| {
            let Some((of, frame)) = years_of(&condition) else { return condition };
            mend = Some(format!("“{}” lasts from {} to {}", frame.text, frame.from.year(), frame.to.year()));
            let bound = |comparison, year: i16| {
                Expression::Compare(
                    comparison,
                    Box::new(of.clone()),
                    Box::new(Expression::Number(year.to_string())),
                )
            };
            let (from, to) = (frame.from.year(), frame.to.year());
            Expression::both(Some(bound(Comparison::AtLeast, from)), bound(Comparison::AtMost, to))
        });
        let whole = whole.fold(None, |all, next| Some(Expression::both(all, next)));
        if let Some(whole) = whole {
            *filter = whole;
        }
    });
    Some(Mend { text: mend?, doubt: Doubt::None })
}

/// Takes the date of the event that a question names, where a query takes another date of the same
/// things: contracts are "awarded in 2022" by their `award date`. For a bound query.
pub(crate) fn of_the_named_event(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    /// Letters of a short form.
    const SHORTEST: usize = 3;
    let words = words_of(question);
    let language = Language::of_words(&words);
    let naming = |title: &str| -> Vec<String> {
        let mut words = words_of(title);
        words.retain(|of| {
            let is_unit = language.is_unit_of_dates(of) || language.is_unit(of);
            !is_unit && language.meanings(of).is_empty()
        });
        words
    };
    // "Inv date" is said by "invoiced".
    let is_said = |title: &str| {
        let says = |word: &String, of: &String| {
            language.is_form(word, of) || (of.len() >= SHORTEST && word.starts_with(of.as_str()))
        };
        naming(title).iter().any(|of| words.iter().any(|word| says(word, of)))
    };
    // "Awarded in", not "paid or unpaid".
    let leads =
        |next: &String| language.is_inside(next) || language.is_after(next) || language.begins_a_time(next);
    let tells_the_time = |title: &str| {
        naming(title).iter().any(|of| {
            let is_it = |(word, next): (&String, &String)| language.is_form(word, of) && leads(next);
            words.iter().zip(words.iter().skip(1)).any(is_it)
        })
    };
    // "Picked up in May" by the date `collected`, not by that of the booking.
    let tells_the_event = |title: &str, taken: &str| {
        words.iter().any(|word| {
            language.tells_the_event(word, title)
                && !language.tells_the_event(word, taken)
                && !words_of(taken).iter().any(|of| words.iter().any(|word| language.is_form(word, of)))
        })
    };
    let is_time = |column: &Column| column.kind == Kind::Date || column.holds_years();
    let better = |place: Place| {
        let column = tables.column(place).filter(|column| place.column > 0 && is_time(column))?;
        if is_said(&column.title) {
            return None;
        }
        let table = tables.table(place.table)?;
        let mut others = table.columns.iter().enumerate().skip(1).filter(|(at, other)| {
            *at != place.column
                && is_time(other)
                && (tells_the_time(&other.title) || tells_the_event(&other.title, &column.title))
        });
        let (at, other) = others.next().filter(|_| others.next().is_none())?;
        Some((Place { column: at, ..place }, other, &column.title))
    };
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        // The dates that rows are grouped or chosen by, not those that are given or ordered.
        let places: Vec<Place> =
            select.group.iter().chain(&select.filter).flat_map(Expression::places).collect();
        let Some((from, (to, column, title))) =
            places.into_iter().find_map(|place| Some((place, better(place)?)))
        else {
            return;
        };
        mend = Some(format!("the question tells the {}, not the {title}", column.title));
        let in_order = query.order.iter_mut().map(|order| &mut order.expression);
        for expression in select.expressions_mut().into_iter().chain(in_order) {
            moved(expression, from, to, &column.id);
        }
    });
    Some(Mend { text: mend?, doubt: Doubt::Little })
}

/// Puts a column in the place of another.
fn moved(expression: &mut Expression, from: Place, to: Place, id: &str) {
    if let Expression::Column(column) = expression
        && column.place == Some(from)
    {
        column.place = Some(to);
        id.clone_into(&mut column.name);
    }
    expression.parts_mut().into_iter().for_each(|part| moved(part, from, to, id));
}

/// The year of a date or of a number of four digits.
fn year_of(value: &str) -> Option<i16> {
    let (year, rest) = value.split_at_checked(4)?;
    (rest.is_empty() || rest.starts_with('-')).then(|| year.parse().ok()).flatten()
}
