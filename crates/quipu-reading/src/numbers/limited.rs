//! Things that a condition limits by one of their numbers: "breweries with tanks of more than 200
//! hectolitres, and how many each".

use quipu_language::Language;
use quipu_query::{
    Aggregate, Body, ColumnRef, Comparison, Doubt, Expression, Kind, Mend, Place, Query, Tables, words_of,
};

use super::counted::nouns_counted;
use crate::slips::each_query;

/// Counts the things that a condition limits by a number, where a query counts the different values
/// of this number: two tanks of 300 hl are two. For a bound query whose question does not count the
/// values by their name.
pub(crate) fn counts_the_limited(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    // The "hl" of "200 hl" is a unit.
    let is_unit = |noun: &&String| {
        let is_number = |word: &String| word.chars().all(|c| c.is_ascii_digit());
        words.windows(2).any(|pair| matches!(pair, [number, unit] if unit == *noun && is_number(number)))
    };
    let nouns: Vec<&String> = nouns_counted(&words).into_iter().filter(|noun| !is_unit(noun)).collect();
    let mut mend = None;
    each_query(query, &mut |query| {
        let Query { body: Body::Select(select), order, .. } = query else { return };
        let mut limited: Vec<ColumnRef> = Vec::new();
        for condition in select.filter.iter().flat_map(Expression::conjuncts) {
            if let Expression::Compare(
                Comparison::Greater | Comparison::AtLeast | Comparison::Less | Comparison::AtMost,
                of,
                _,
            ) = condition
                && let Expression::Column(of) = &**of
            {
                limited.push(of.clone());
            }
        }
        let in_order = order.iter_mut().map(|order| &mut order.expression);
        for expression in select.expressions_mut().into_iter().chain(in_order) {
            each_count(expression, &mut |of| {
                let place = of.place.filter(|place| place.column > 0 && limited.contains(of))?;
                let column =
                    tables.column(place).filter(|column| matches!(column.kind, Kind::Number { .. }))?;
                let title = words_of(&column.title);
                let is_counted =
                    nouns.iter().any(|noun| title.iter().any(|word| language.is_noun(noun, word)));
                let name = tables.table(place.table).filter(|table| !table.is_links())?.columns.first()?;
                if is_counted {
                    return None;
                }
                mend = Some(Mend {
                    text: format!("things are counted, not their {}", column.title),
                    doubt: Doubt::Little,
                });
                Some(ColumnRef {
                    name: name.id.clone(),
                    place: Some(Place { column: 0, ..place }),
                    ..of.clone()
                })
            });
        }
    });
    mend
}

/// Replaces the column of each count of different values by what `instead` gives for it.
fn each_count(expression: &mut Expression, instead: &mut dyn FnMut(&ColumnRef) -> Option<ColumnRef>) {
    if let Expression::Aggregate { function: Aggregate::Count, distinct: true, of: Some(of) } = expression {
        if let Expression::Column(column) = &mut **of
            && let Some(other) = instead(column)
        {
            *column = other;
        }
        return;
    }
    for part in expression.parts_mut() {
        each_count(part, instead);
    }
}
