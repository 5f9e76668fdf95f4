//! Numbers in another unit than their column has: "less than 10 cm" of a width in millimetres.

use quipu_language::Language;

use super::slips::each_query;
use crate::bind::{Doubt, Mend};
use crate::syntax::{Body, ColumnRef, Expression, Query};
use crate::tables::{Kind, Tables, words_of};

/// Converts numbers that a query compares with a column of another unit, if the question states
/// their unit and the column's title its own.
pub(super) fn right_units(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let amounts = amounts(question);
    if amounts.is_empty() {
        return None;
    }
    let language = Language::of(question);
    let mut mend = None;
    let mut convert = |column: &ColumnRef, number: &mut String| {
        let title = column.place.and_then(|place| tables.column(place));
        let Some(title) = title.filter(|column| matches!(column.kind, Kind::Number { .. })) else { return };
        let Some(found) = converted(&amounts, number, &title.title, language) else { return };
        mend = Some(Mend {
            text: format!("{number} {} are {} in {}", found.unit, found.number, title.title),
            doubt: Doubt::None,
        });
        *number = found.number;
    };
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        for condition in select.filter.iter_mut().chain(select.having.iter_mut()) {
            each_comparison(condition, &mut convert);
        }
    });
    mend
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
}
