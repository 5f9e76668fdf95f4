//! Numbers in another unit than their column has: "less than 10 cm" of a width in millimetres, "in
//! hours" of a duration in minutes.

use quipu_language::Language;
use quipu_query::{
    Arithmetic, Body, Column, ColumnRef, Doubt, Expression, Function, Item, Kind, Mend, Query, Tables,
    words_of,
};

use crate::slips::each_query;

/// Converts numbers that a query compares with a column of another unit, if the question states
/// their unit and the column's title its own.
pub(crate) fn right_units(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let amounts = amounts(question);
    if amounts.is_empty() {
        return None;
    }
    let language = Language::of(question);
    let mut mend = None;
    let mut convert = |column: &ColumnRef, number: &mut String| {
        let title = column.place.and_then(|place| tables.column(place));
        let Some(title) = title.filter(|column| matches!(column.kind, Kind::Number { .. })) else { return };
        if let Some(found) = converted(&amounts, number, &title.title, language) {
            mend = Some(Mend {
                text: format!("{number} {} are {} in {}", found.unit, found.number, title.title),
                doubt: Doubt::None,
            });
            *number = found.number;
        } else if let Some(said) = as_said(&amounts, number, &title.title, language) {
            mend = Some(Mend {
                text: format!("{} is compared with {said}, as the question has it", title.title),
                doubt: Doubt::Little,
            });
            *number = said;
        }
    };
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        for condition in select.filter.iter_mut().chain(select.having.iter_mut()) {
            each_comparison(condition, &mut convert);
        }
    });
    mend
}

/// Gives a difference of two times in the unit that the question asks for: "how many hours lie
/// between" is 24 times the days. For a bound query.
pub(crate) fn differences_in_units(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let is_day = |word: &String| language.is_unit_called(word, "day");
    let (unit, factor) = words.iter().enumerate().find_map(|(at, unit)| {
        // "Within 2 hours" limits.
        let limits = at > 0 && words.get(at - 1).is_some_and(|word| language.figures(word).is_some());
        let factor = language.unit_factor("day", unit).filter(|factor| !limits && *factor > 1.0)?;
        Some((unit, factor))
    })?;
    if words.iter().any(is_day) {
        return None;
    }
    let Query { body: Body::Select(select), order, .. } = query else { return None };
    let mut mended = false;
    let orders = order.iter_mut().map(|order| &mut order.expression);
    for expression in select.items.iter_mut().map(|item| &mut item.expression).chain(orders) {
        mended |= in_parts_of_days(expression, factor, tables);
    }
    let text = format!("the difference of two times is given in {unit}");
    mended.then_some(Mend { text, doubt: Doubt::None })
}

fn in_parts_of_days(expression: &mut Expression, factor: f64, tables: &Tables) -> bool {
    let is_time = |of: &Expression| match of {
        Expression::Column(column) => {
            let column = column.place.and_then(|place| tables.column(place));
            column.is_some_and(|column| matches!(column.kind, Kind::Date))
        }
        _ => false,
    };
    match expression {
        Expression::Arithmetic(Arithmetic::Subtract, later, earlier)
            if is_time(later) && is_time(earlier) =>
        {
            let day = |of: &Expression| Box::new(Expression::Call(Function::DaysBetween, vec![of.clone()]));
            let days = Expression::Arithmetic(Arithmetic::Subtract, day(later), day(earlier));
            let factor = Box::new(Expression::Number(factor.to_string()));
            *expression = Expression::Arithmetic(Arithmetic::Multiply, Box::new(days), factor);
            true
        }
        Expression::Aggregate { of: Some(of), .. } => in_parts_of_days(of, factor, tables),
        Expression::Call(Function::Abs | Function::Round, parts) => {
            parts.first_mut().is_some_and(|of| in_parts_of_days(of, factor, tables))
        }
        _ => false,
    }
}

/// Gives a number in the unit that the question asks for, if its column's title states another one
/// that converts: "in hours" of `duration minutes`. Where the title states no unit, or the query
/// groups or orders, a remark says so. Of several numbers the question may mean any. For a bound
/// query.
pub(crate) fn in_the_unit(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let unit = language.unit_asked_for(&words)?;
    let column = only_measured(query, tables)?;
    let of = of_title(unit, &words_of(&column.title), language);
    let is_plain = query.order.is_empty();
    let Body::Select(select) = &mut query.body else { return None };
    let (doubt, text) = match of {
        Of::Converted(factor) if is_plain && select.group.is_empty() => {
            let item = select.items.iter_mut().find(|item| measured(item, tables).is_some())?;
            item.alias = Some(format!("{} in {unit}", column.title));
            item.expression = times(item.expression.clone(), factor);
            (Doubt::None, format!("{} is given in {unit}", column.title))
        }
        Of::Converted(_) => (Doubt::Told, format!("{} is not given in {unit}", column.title)),
        Of::Unknown => (Doubt::Told, format!("the graph does not say that {} is in {unit}", column.title)),
        Of::Same | Of::Another => return None,
    };
    Some(Mend { text, doubt })
}

/// Whether a query's only number has a column whose title states a unit that does not convert to
/// the one asked for: a duration in minutes is none in miles.
pub(crate) fn gives_another_unit(question: &str, query: &Query, tables: &Tables) -> bool {
    matches!(unit_given(question, query, tables), Some(Of::Another))
}

/// Whether a query gives its only number in the unit that the question asks for, by the column's
/// title, or the question asks for none.
pub fn is_in_the_unit(question: &str, query: &Query, tables: &Tables) -> bool {
    matches!(unit_given(question, query, tables), None | Some(Of::Same))
}

/// What the title of a query's only number says of the unit asked for; `None` if there is no unit
/// or not one such number.
fn unit_given(question: &str, query: &Query, tables: &Tables) -> Option<Of> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let unit = language.unit_asked_for(&words)?;
    let column = only_measured(query, tables)?;
    Some(of_title(unit, &words_of(&column.title), language))
}

/// The column of the only item with numbers of a column.
fn only_measured<'a>(query: &Query, tables: &'a Tables) -> Option<&'a Column> {
    let mut columns = query.select()?.items.iter().filter_map(|item| measured(item, tables));
    columns.next().filter(|_| columns.next().is_none())
}

/// What a column's title says of a unit.
enum Of {
    /// It states this unit, or one of several, such as `km h`.
    Same,
    /// It states a unit of which so many make one of this one, or the other way round.
    Converted(f64),
    /// It states a unit of something else.
    Another,
    /// It states none.
    Unknown,
}

fn of_title(unit: &str, title: &[String], language: Language) -> Of {
    let currency = |word: &str| language.currency_code(word);
    // A `year` is a date, `min price` is no time, and `km h` is a unit of its own.
    let is_unit = |(at, own): &(usize, &String)| {
        let is_short = at + 1 < title.len() && !language.is_plural(own);
        (language.names_a_unit(own) && !is_short) || (currency(own).is_some() && !language.is_unit(own))
    };
    let units: Vec<&String> = title.iter().enumerate().filter(is_unit).map(|(_, own)| own).collect();
    let last_two = title.iter().rev().take(2).filter(|own| language.names_a_unit(own)).count();
    let [own] = units.as_slice() else { return if units.is_empty() { Of::Unknown } else { Of::Same } };
    if last_two > 1 {
        return Of::Same;
    }
    let is_same =
        language.is_unit_called(unit, own) || (currency(unit).is_some() && currency(unit) == currency(own));
    match language.unit_factor(own, unit) {
        _ if is_same => Of::Same,
        Some(factor) => Of::Converted(factor),
        None => Of::Another,
    }
}

/// The column of numbers that an item gives as they are, or adds up.
fn measured<'a>(item: &Item, tables: &'a Tables) -> Option<&'a Column> {
    use quipu_query::Aggregate::{Avg, Max, Min, Sum};
    let of = match &item.expression {
        Expression::Aggregate { function: Sum | Avg | Min | Max, of: Some(of), .. } => of,
        expression => expression,
    };
    tables.column(of.place()?).filter(|column| matches!(column.kind, Kind::Number { .. }))
}

/// A number times a factor; a factor below one divides.
fn times(number: Expression, factor: f64) -> Expression {
    let (operation, factor) =
        if factor < 1.0 { (Arithmetic::Divide, 1.0 / factor) } else { (Arithmetic::Multiply, factor) };
    let factor = (factor * PRECISION).round() / PRECISION;
    Expression::Arithmetic(operation, Box::new(number), Box::new(Expression::Number(factor.to_string())))
}

/// The numbers of a question with the word behind each, in lower case: (10, "cm").
fn amounts(question: &str) -> Vec<(f64, String)> {
    let language = Language::of(question);
    let mut words: Vec<String> = Vec::new();
    for word in question.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        // "10cm".
        let end = word.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(word.len());
        let (number, unit) = word.split_at(end);
        words.extend([number, unit].into_iter().filter(|part| !part.is_empty()).map(str::to_owned));
    }
    let number =
        |word: &str| language.figures(word).or_else(|| language.cardinal(word).map(|number| number as f64));
    let pairs = words.iter().zip(words.iter().skip(1));
    pairs.filter_map(|(word, unit)| Some((number(word)?, unit.clone()))).collect()
}

/// One over the smallest part of a number that is kept.
const PRECISION: f64 = 1e9;

struct Converted {
    number: String,
    unit: String,
}

/// A number in the unit of a column's title; `None` if the question states another unit, the same
/// or none.
fn converted(amounts: &[(f64, String)], number: &str, title: &str, language: Language) -> Option<Converted> {
    let value: f64 = number.parse().ok()?;
    let (_, unit) = amounts.iter().find(|(amount, unit)| *amount == value && language.is_unit(unit))?;
    let title = words_of(title);
    let is_same = |word: &String| language.is_unit_called(unit, word);
    if title.iter().any(is_same) {
        return None;
    }
    let factor = title.iter().find_map(|own| language.unit_factor(unit, own))?;
    // 2.3 kilograms are 2300 grams, whatever the product of the two is to the computer.
    let number = (value * factor * PRECISION).round() / PRECISION;
    Some(Converted { number: number.to_string(), unit: unit.clone() })
}

/// The question's own number for one that a model has put into another metric unit, if the column's
/// title has none: "more than 2 kg" of a weight is not above 2000.
fn as_said(amounts: &[(f64, String)], number: &str, title: &str, language: Language) -> Option<String> {
    /// Powers of ten between units of one measure.
    const METRIC: [f64; 4] = [10.0, 100.0, 1_000.0, 1_000_000.0];
    let value: f64 = number.parse().ok()?;
    let is_unit = |own: &String| {
        let converts = |unit: &String| language.unit_factor(unit, own).is_some();
        language.is_unit(own) || amounts.iter().any(|(_, unit)| converts(unit))
    };
    if words_of(title).iter().any(is_unit) || amounts.iter().any(|(amount, _)| *amount == value) {
        return None;
    }
    let is_it = |amount: f64| {
        let is_factor = |by: &f64| {
            let is_same = |a: f64| (a - value).abs() <= value.abs() / PRECISION;
            is_same(amount * by) || is_same(amount / by)
        };
        amount != 0.0 && METRIC.iter().any(is_factor)
    };
    let said = amounts.iter().find(|(amount, unit)| language.is_unit(unit) && is_it(*amount));
    said.map(|(amount, _)| amount.to_string())
}

/// Calls `change` with the column and the number of each comparison of the two.
fn each_comparison(condition: &mut Expression, change: &mut dyn FnMut(&ColumnRef, &mut String)) {
    if let Expression::Compare(_, left, right) = condition {
        match (&mut **left, &mut **right) {
            (Expression::Column(column), Expression::Number(number))
            | (Expression::Number(number), Expression::Column(column)) => change(column, number),
            _ => {}
        }
        return;
    }
    for part in condition.parts_mut() {
        each_comparison(part, change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_word_behind_them() {
        let found = amounts("Which are under 10cm, over 2.5 kg or 1,000 m, of the 3 seen?");
        let units: Vec<(f64, &str)> = found.iter().map(|(number, unit)| (*number, unit.as_str())).collect();
        assert_eq!(units, [(10.0, "cm"), (2.5, "kg"), (1000.0, "m"), (3.0, "seen")]);
    }

    #[test]
    fn a_number_gets_the_columns_unit() {
        let check = |question: &str, number: &str, title: &str, expected: Option<&str>| {
            let found = converted(&amounts(question), number, title, Language::of(question));
            assert_eq!(found.map(|found| found.number).as_deref(), expected, "{question}, {title}");
        };
        check("Which are less than 10 cm wide?", "10", "width (mm)", Some("100"));
        check("Which weigh more than 2 kilograms?", "2", "weight g", Some("2000"));
        check("Which weigh more than 500 grams?", "500", "weight kg", Some("0.5"));
        check("Which weigh more than 500 grams?", "500", "weight g", None);
        check("Which cost more than 500?", "500", "weight g", None);
        check("Which are longer than 10 cm?", "10", "rating", None);
        check("Which take two hours?", "2", "visit duration min", Some("120"));
        check("Which hold more than 0.35 litres?", "0.35", "bottle ml", Some("350"));
        check("Which hold more than 33 cl?", "33", "bottle ml", Some("330"));
    }

    #[test]
    fn a_number_of_a_column_without_a_unit_is_the_questions_own() {
        let check = |question: &str, number: &str, title: &str, expected: Option<&str>| {
            let said = as_said(&amounts(question), number, title, Language::of(question));
            assert_eq!(said.as_deref(), expected, "{question}, {title}");
        };
        check("Which weigh more than 2 kg?", "2000", "weight", Some("2"));
        check("Which weigh more than 2.5 kg?", "2500", "weight", Some("2.5"));
        check("Which are longer than 40 cm?", "0.4", "length", Some("40"));
        check("Which weigh more than 2 kg?", "2", "weight", None);
        check("Which weigh more than 2 kg?", "2000", "weight g", None);
        check("Which weigh more than 2 kg?", "1500", "weight", None);
        check("Which of the 2 weigh more than 2000?", "2000", "weight", None);
    }
}
