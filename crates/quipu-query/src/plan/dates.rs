//! Date arithmetic in SPARQL 1.1: on the ISO text of a date, whatever its precision and datatype.

use spargebra::algebra::{Expression, Function};

use super::texts::{call, integer, number, string, text, whole};

/// The first `length` characters of a date.
pub(super) fn part(of: Expression, length: i64) -> Expression {
    call(Function::SubStr, vec![text(of), integer(1), integer(length)])
}

/// Year, month or day of a date as a number.
pub(super) fn field(of: Expression, start: i64, length: i64) -> Expression {
    let digits = call(Function::SubStr, vec![text(of), integer(start), integer(length)]);
    super::texts::cast(digits, "integer")
}

/// The year of a date that may be before our era.
pub(super) fn signed_year(of: Expression) -> Expression {
    let year = call(Function::Replace, vec![text(of), string("^(-?[0-9]+).*$"), string("$1")]);
    super::texts::cast(year, "integer")
}

/// A date without the sign of its year.
pub(super) fn unsigned(of: Expression) -> Expression {
    call(Function::Replace, vec![text(of), string("^-"), string("")])
}

/// The day's number in a count without gaps (its Julian day number), for differences in days,
/// because SPARQL 1.1 does not subtract dates.
pub(super) fn day_number(of: &Expression) -> Expression {
    let (year, month, day) = (field(of.clone(), 1, 4), field(of.clone(), 6, 2), field(of.clone(), 9, 2));
    // January and February count as months 13 and 14 of the year before, so that leap days come
    // last.
    let early = |yes: i64, no: i64| {
        let is_early = Expression::LessOrEqual(Box::new(month.clone()), Box::new(integer(2)));
        Expression::If(Box::new(is_early), Box::new(integer(yes)), Box::new(integer(no)))
    };
    let year = add(year, early(-1, 0));
    let month = add(month.clone(), early(9, -3));
    let of_months = floor(divide(add(multiply(integer(153), month), integer(2)), 5));
    let leaps = [(4, 1), (100, -1), (400, 1)]
        .into_iter()
        .map(|(every, sign)| multiply(integer(sign), floor(divide(year.clone(), every))));
    leaps.fold(add(add(day, of_months), multiply(integer(365), year.clone())), add)
}

/// The same with the part of the day that has passed, for dates with times; 0 without a time.
pub(super) fn day_and_time(of: &Expression) -> Expression {
    let part = |start: i64, seconds: i64| multiply(integer(seconds), field(of.clone(), start, 2));
    let passed = add(add(part(12, 3600), part(15, 60)), part(18, 1));
    // Virtuoso drops the remainder of two whole numbers.
    let of_day = Expression::Divide(Box::new(whole(passed)), Box::new(number("86400.0")));
    let passed = Expression::Coalesce(vec![of_day, integer(0)]);
    add(day_number(of), passed)
}

/// The whole years from the second day to the first.
pub(super) fn years_between(later: &Expression, earlier: &Expression) -> Expression {
    let digits = |of: &Expression| {
        let (year, month, day) = (field(of.clone(), 1, 4), field(of.clone(), 6, 2), field(of.clone(), 9, 2));
        add(add(multiply(integer(10_000), year), multiply(integer(100), month)), day)
    };
    let difference = Expression::Subtract(Box::new(whole(digits(later))), Box::new(whole(digits(earlier))));
    floor(divide(difference, 10_000))
}

/// A day's number so many days later.
pub(super) fn days_later(of: &Expression, days: i64) -> Expression {
    add(day_number(of), integer(days))
}

/// A number for the day so many months later, greater for later days. Numbers of two days compare,
/// their difference means nothing.
pub(super) fn months_later(of: &Expression, months: i64) -> Expression {
    let (year, month, day) = (field(of.clone(), 1, 4), field(of.clone(), 6, 2), field(of.clone(), 9, 2));
    let months = add(add(multiply(integer(12), year), month), integer(months));
    add(multiply(integer(100), months), day)
}

fn add(a: Expression, b: Expression) -> Expression {
    Expression::Add(Box::new(whole(a)), Box::new(whole(b)))
}

fn multiply(a: Expression, b: Expression) -> Expression {
    Expression::Multiply(Box::new(whole(a)), Box::new(whole(b)))
}

fn divide(a: Expression, by: i64) -> Expression {
    Expression::Divide(Box::new(whole(a)), Box::new(integer(by)))
}

fn floor(of: Expression) -> Expression {
    call(Function::Floor, vec![of])
}

/// A date's text with a space between day and time, as SQL writes it.
pub(super) fn spaced(of: Expression) -> Expression {
    call(Function::Replace, vec![text(of), string("T"), string(" ")])
}
