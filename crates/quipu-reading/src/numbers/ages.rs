//! Ages, which count whole years: a model subtracts the dates, which would count days.

use quipu_language::{Language, are_ages};
use quipu_query::{Arithmetic, Body, Doubt, Expression, Function, Kind, Mend, Query, Tables, words_of};

/// Counts the years between two days where the question asks for an age and names no other unit.
/// For a bound query.
pub(crate) fn ages_in_years(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    if !words.iter().any(|word| are_ages(word)) || words.iter().any(|word| language.is_unit(word)) {
        return None;
    }
    let Body::Select(select) = &mut query.body else { return None };
    let mut mended = false;
    for item in &mut select.items {
        let Some([later, earlier]) = days_of(&item.expression) else { continue };
        if is_day(later, tables) && is_day(earlier, tables) {
            let parts = vec![later.clone(), earlier.clone()];
            item.expression = Expression::Call(Function::YearsBetween, parts);
            mended = true;
        }
    }
    mended.then(|| Mend { text: "an age counts whole years".into(), doubt: Doubt::None })
}

/// The two values whose difference in days, or in calendar years, an expression is.
fn days_of(expression: &Expression) -> Option<[&Expression; 2]> {
    match expression {
        Expression::Arithmetic(Arithmetic::Subtract, later, earlier) => {
            Some([inner(later)?, inner(earlier)?])
        }
        Expression::Call(Function::DaysBetween, parts) => match parts.as_slice() {
            [later, earlier] => Some([later, earlier]),
            _ => None,
        },
        _ => None,
    }
}

/// The value of which one side takes the day's number or the year.
fn inner(side: &Expression) -> Option<&Expression> {
    match side {
        Expression::Call(Function::DaysBetween | Function::Year, parts) => match parts.as_slice() {
            [of] => Some(of),
            _ => None,
        },
        side => Some(side),
    }
}

/// Whether a value is a column of whole days.
fn is_day(of: &Expression, tables: &Tables) -> bool {
    let Expression::Column(column) = of else { return false };
    let column = column.place.and_then(|place| tables.column(place));
    let is_whole = |value: &String| quipu_query::is_date(value);
    column.is_some_and(|column| {
        let ends = column.range.iter().flat_map(|(least, most)| [least, most]);
        column.kind == Kind::Date && ends.chain(&column.examples).all(is_whole)
    })
}
