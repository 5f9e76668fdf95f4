//! Faults of a reading's conditions: bounds that are turned round, and either of two conditions
//! where the question has both.

use std::collections::HashSet;

use quipu_graph::LiteralValue;
use quipu_language::{Condition, Language, are_ranks, conditions, meanings_at};
use quipu_query::{Body, Comparison, Expression, Place, Query, SetOperator, Tables, words_of};

/// Whether a query turns a bound of the question round: "founded before 1988" is not answered by
/// those founded after it. Behind a negation nothing is said, nor of ranks, whose greater ones are
/// lower.
pub(super) fn turns_a_bound(question: &str, query: &Query, tables: &Tables) -> bool {
    let language = Language::of(question);
    let in_figures = |word: &str| match language.cardinal(word) {
        Some(number) => number.to_string(),
        None => word.to_owned(),
    };
    let question = question.split(' ').map(in_figures).collect::<Vec<_>>().join(" ");
    let said: Vec<(bool, String)> =
        conditions(&question).iter().filter(|of| !is_denied(&question, of)).filter_map(side_of).collect();
    // Within a NOT all is turned round.
    if said.is_empty() || denies(query) {
        return false;
    }
    let mut compared = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Compare(..) = part {
            compared.extend(sides(part, tables));
        }
    });
    said.iter().any(|(above, value)| {
        let has = |above: bool| compared.iter().any(|(of, known)| *of == above && known == value);
        has(!above) && !has(*above)
    })
}

/// Whether a negation stands anywhere before a condition.
fn is_denied(question: &str, condition: &Condition) -> bool {
    let before = words_of(question.get(..condition.span.start).unwrap_or_default());
    (0..before.len()).any(|at| meanings_at(&before, at).iter().any(|meaning| meaning.means == "negation"))
}

/// Whether a query denies a condition.
fn denies(query: &Query) -> bool {
    let mut denies = false;
    query.visit(&mut |part| denies |= matches!(part, Expression::Not(_)));
    denies
}

/// Whether a condition has only a lower bound (true) or only an upper one, with its value.
fn side_of(condition: &Condition) -> Option<(bool, String)> {
    let (above, bound) = match (condition.above(), condition.below()) {
        (Some(bound), None) => (true, bound),
        (None, Some(bound)) => (false, bound),
        _ => return None,
    };
    let value = match &bound.0 {
        LiteralValue::Number(number) => number.to_string(),
        LiteralValue::Date { year, month: None, .. } => year.to_string(),
        LiteralValue::Date { year, month: Some(month), day: Some(day) } => {
            format!("{year:04}-{month:02}-{day:02}")
        }
        _ => return None,
    };
    Some((above, value))
}

/// The sides of a comparison of a value with a number or a date: whether it is a lower bound, with
/// the bound; of a date also with its year.
fn sides(part: &Expression, tables: &Tables) -> Vec<(bool, String)> {
    let Expression::Compare(comparison, left, right) = part else { return Vec::new() };
    let value = |of: &Expression| match of {
        Expression::Number(number) => number.parse::<f64>().ok().map(|number| number.to_string()),
        Expression::Text(text) if text.starts_with(|c: char| c.is_ascii_digit()) => Some(text.clone()),
        _ => None,
    };
    let is_above = match comparison {
        Comparison::Greater | Comparison::AtLeast => true,
        Comparison::Less | Comparison::AtMost => false,
        Comparison::Equal | Comparison::Unequal => return Vec::new(),
    };
    let (of, bound, above) = match (value(left), value(right)) {
        (None, Some(bound)) => (left, bound, is_above),
        (Some(bound), None) => (right, bound, !is_above),
        _ => return Vec::new(),
    };
    let mut ranks = false;
    of.visit(&mut |part| {
        let column = match part {
            Expression::Column(column) => column.place.and_then(|place| tables.column(place)),
            _ => None,
        };
        ranks |= column.is_some_and(|column| are_ranks(&column.title));
    });
    if ranks {
        return Vec::new();
    }
    let year = bound.get(..4).filter(|_| bound.contains('-')).and_then(|year| year.parse::<u16>().ok());
    let year = year.map(|year| (above, year.to_string()));
    year.into_iter().chain([(above, bound)]).collect()
}

/// Whether a query takes what meets either of two conditions on different properties, whose values
/// the question joins by "and": "countries that border Peru and speak Portuguese".
pub(super) fn takes_either(question: &str, query: &Query) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    if words.iter().any(|word| language.offers_a_choice(word)) || denies(query) {
        return false;
    }
    let joined = |one: &str, other: &str| {
        let at = |name: &str| {
            let name = words_of(name);
            words.windows(name.len().max(1)).position(|window| *window == name)
        };
        let [Some(one), Some(other)] = [at(one), at(other)] else { return false };
        let between = words.get(one.min(other)..one.max(other)).unwrap_or_default();
        between.iter().any(|word| language.takes_together(word))
    };
    let are_apart = |one: &Compared, other: &Compared| {
        // Either side of a match may be compared with both.
        let names_two = |(place, name): &(Place, String)| {
            one.iter().chain(other).any(|(of, known)| of == place && known != name)
        };
        if one.iter().chain(other).any(names_two) {
            return false;
        }
        one.iter().any(|(place, name)| {
            other.iter().any(|(of, known)| place != of && name != known && joined(name, known))
        })
    };
    let mut found = false;
    query.visit(&mut |part| match part {
        Expression::Or(one, other) => {
            found |= are_apart(&compared(|visit| one.visit(visit)), &compared(|visit| other.visit(visit)));
        }
        Expression::InQuery(_, query) => {
            if let Body::Set { operator: SetOperator::Union, left, right, .. } = &query.body {
                found |=
                    are_apart(&compared(|visit| left.visit(visit)), &compared(|visit| right.visit(visit)));
            }
        }
        _ => {}
    });
    found
}

/// Columns with the names that they are compared with.
type Compared = HashSet<(Place, String)>;

fn compared<'a>(visit: impl FnOnce(&mut dyn FnMut(&'a Expression))) -> Compared {
    let mut found = HashSet::new();
    let mut queries = Vec::new();
    visit(&mut |part| match part {
        Expression::InQuery(_, query) => queries.push(&**query),
        part => found.extend(equal(part)),
    });
    for query in queries {
        query.visit(&mut |part| found.extend(equal(part)));
    }
    found
}

/// The column and the name of a comparison that says they are equal.
fn equal(part: &Expression) -> Option<(Place, String)> {
    let Expression::Compare(Comparison::Equal, of, value) = part else { return None };
    match (&**of, &**value) {
        (Expression::Column(of), Expression::Terms(_, name) | Expression::Text(name)) => {
            of.place.map(|place| (place, name.clone()))
        }
        _ => None,
    }
}
