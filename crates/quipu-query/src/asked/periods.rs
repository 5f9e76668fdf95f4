//! Decades and centuries of a question, which a query states as years: "in the 19th century" is
//! from 1801 to 1900.

use jiff::civil::{Date, date};
use quipu_language::{Language, TimeFrame, time_frames};

use super::said::Said;
use super::slips::each_query;
use crate::mend::{Doubt, Mend};
use crate::syntax::{Body, Comparison, Expression, Function, Query};
use crate::tables::{Column, Kind, Place, Tables, words_of};

/// A shorter time is said by its own year.
const LEAST_YEARS: i16 = 9;
/// The day against which times like "the last decade" would be resolved: no query states these.
pub(super) const ANY_DAY: Date = date(2000, 1, 1);

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

/// Takes all years of a decade where a query takes only its first: "opened in the 1860s" is not
/// only 1860. For a bound query.
pub(super) fn whole_periods(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
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
        let frame = periods.frames.iter().find(|frame| Ok(frame.from.year()) == year.parse())?;
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
pub(super) fn of_the_named_event(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
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
    let is_time = |column: &Column| column.kind == Kind::Date || column.holds_years();
    let better =
        |place: Place| {
            let column = tables.column(place).filter(|column| place.column > 0 && is_time(column))?;
            if is_said(&column.title) {
                return None;
            }
            let table = tables.table(place.table)?;
            let mut others =
                table.columns.iter().enumerate().skip(1).filter(|(at, other)| {
                    *at != place.column && is_time(other) && tells_the_time(&other.title)
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
