//! Extremes: among the things that a question names instead of among all, and only of things whose
//! values differ.

use quipu_language::{Language, Measured, asks_for, is_measure};

use crate::bind::{Doubt, Mend};
use crate::syntax::{Aggregate, Body, ColumnRef, Comparison, Expression, Item, Order, Query, Select, Source};
use crate::tables::{Place, Tables, words_of};

/// Most things whose values are compared to tell whether they differ.
const COMPARED: u64 = 50;

/// Mends "the largest city of Peru" written as "the city that is the largest of all and lies in
/// Peru": the extreme is taken among the rows that satisfy the other conditions. `None` if no other
/// condition names a value, or if the query already orders or counts.
pub(super) fn among_those(query: &mut Query, tables: &Tables) -> Option<Mend> {
    if !query.order.is_empty() || query.limit.is_some() {
        return None;
    }
    let Body::Select(select) = &mut query.body else { return None };
    if !select.group.is_empty() || select.items.iter().any(|item| item.expression.has_aggregate()) {
        return None;
    }
    let conditions: Vec<Expression> = select.filter.iter().flat_map(Expression::conjuncts).cloned().collect();
    let (at, order) = conditions
        .iter()
        .enumerate()
        .find_map(|(at, condition)| Some((at, extreme_of_all(condition, select, tables)?)))?;
    let others: Vec<Expression> = conditions
        .into_iter()
        .enumerate()
        .filter(|(other, _)| *other != at)
        .map(|(_, other)| other)
        .collect();
    if !others.iter().any(names_a_value) {
        return None;
    }
    select.filter = others.into_iter().fold(None, |all, next| Some(Expression::both(all, next)));
    select.distinct = false;
    query.order = vec![order];
    query.limit = Some(1);
    let text = "the extreme is taken among the rows that satisfy the other conditions".to_owned();
    Some(Mend { text, doubt: Doubt::Little })
}

/// Gives the thing with the extreme value instead of the value alone: "what is the highest point"
/// asks for a thing, "what is the highest elevation" for a number.
pub(super) fn thing_of_extreme(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let asks_what = words.first().is_some_and(|word| language.asks_by_a_noun(word));
    let Body::Select(select) = &mut query.body else { return None };
    let [item] = select.items.as_slice() else { return None };
    let Expression::Aggregate {
        function: function @ (Aggregate::Min | Aggregate::Max), of: Some(of), ..
    } = &item.expression
    else {
        return None;
    };
    let Expression::Column(column) = &**of else { return None };
    let plain = select.group.is_empty() && query.order.is_empty() && query.limit.is_none();
    if !asks_what || !plain || !names_a_thing(&words, column, tables) {
        return None;
    }
    let table = tables.table(column.place?.table).filter(|table| !table.is_links())?;
    let name = table.columns.first()?.id.clone();
    let place = column.place.map(|place| Place { column: 0, ..place });
    let named = Expression::Column(ColumnRef { table: column.table.clone(), name, place });
    let (value, descending) = ((**of).clone(), *function == Aggregate::Max);
    let both = [named, value.clone()];
    let title = table.title.clone();
    select.items = both.into_iter().map(|expression| Item { expression, alias: None }).collect();
    query.order = vec![Order { expression: value, descending }];
    query.limit = Some(1);
    let text = format!("the question asks for the {title}, not for its value alone");
    Some(Mend { text, doubt: Doubt::Little })
}

/// Gives the thing with the extreme value of two that the question offers, instead of the value:
/// "what's dearer, A or B" asks for one of them.
pub(super) fn one_of_two(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let offers = words.iter().any(|word| language.offers_a_choice(word));
    let is_measured = words.iter().any(|word| language.is_unit(word)) || asks_for(question) == Some("amount");
    let Body::Select(select) = &mut query.body else { return None };
    let [item] = select.items.as_slice() else { return None };
    let Expression::Aggregate {
        function: function @ (Aggregate::Min | Aggregate::Max), of: Some(of), ..
    } = &item.expression
    else {
        return None;
    };
    let Expression::Column(column) = &**of else { return None };
    let is_among_two = select.filter.iter().flat_map(Expression::conjuncts).any(|condition| match condition {
        Expression::InList(of, list) => {
            let is_name = matches!(&**of, Expression::Column(name) if name.table == column.table && name.place.is_some_and(|place| place.column == 0));
            is_name && list.len() == 2
        }
        _ => false,
    });
    let plain = select.group.is_empty() && query.order.is_empty() && query.limit.is_none();
    let table = tables.table(column.place?.table).filter(|table| !table.is_links())?;
    let title = words_of(&tables.column(column.place?)?.title);
    // "What is the higher price, that of A or of B" asks for the price.
    let names_value = title.iter().any(|of| words.iter().any(|word| language.is_form(word, of)));
    if !offers || is_measured || !is_among_two || !plain || names_value {
        return None;
    }
    let name = table.columns.first()?.id.clone();
    let place = column.place.map(|place| Place { column: 0, ..place });
    let named = Expression::Column(ColumnRef { table: column.table.clone(), name, place });
    let (value, descending) = ((**of).clone(), *function == Aggregate::Max);
    select.items = vec![Item { expression: named, alias: None }];
    query.order = vec![Order { expression: value, descending }];
    query.limit = Some(1);
    Some(Mend {
        text: "the question asks for one of the two, not for its value".into(),
        doubt: Doubt::Little,
    })
}

/// Whether the noun behind a question's superlative names a thing: neither the column nor any other
/// measure, but the things of the column's table or their kind, or any where the superlative itself
/// names the measure. "The highest grade" may be a `mark`.
fn names_a_thing(words: &[String], column: &ColumnRef, tables: &Tables) -> bool {
    let language = Language::of_words(words);
    let Some((title, table)) =
        column.place.and_then(|place| Some((&tables.column(place)?.title, tables.table(place.table)?)))
    else {
        return false;
    };
    let superlative = |word: &String| {
        language.looks_superlative(word)
            || language.meanings(word).iter().any(|meaning| meaning.means == "superlative")
    };
    let Some(at) = words.iter().position(superlative) else { return false };
    let is_called =
        |title: &str, noun: &String| words_of(title).iter().any(|word| language.is_noun(noun, word));
    let is_kind =
        |noun: &String| is_called(&table.title, noun) || table.kinds.iter().any(|kind| is_called(kind, noun));
    let measures = words.get(at).is_some_and(|word| language.measured(word, title) == Measured::Alike);
    words.get(at + 1).is_some_and(|noun| {
        (measures || is_kind(noun))
            && language.meanings(noun).is_empty()
            && !is_measure(noun)
            && !language.is_unit(noun)
            && !words_of(title).iter().any(|word| language.is_form(noun, word))
    })
}

/// The order of a condition that takes the extreme of all rows of a table, if the SELECT uses that
/// table too.
fn extreme_of_all(condition: &Expression, select: &Select, tables: &Tables) -> Option<Order> {
    let Expression::Compare(Comparison::Equal, of, value) = condition else { return None };
    let (Expression::Column(of), Expression::Scalar(inner)) = (&**of, &**value) else { return None };
    let table = |alias: Option<&String>, select: &Select| {
        let from = select.from.iter().find(|from| Some(&from.alias) == alias)?;
        if let Source::Table(_, at) = &from.source { *at } else { None }
    };
    let within = inner.select().filter(|within| {
        within.filter.is_none() && within.from.len() == 1 && within.group.is_empty() && inner.offset == 0
    })?;
    let [Item { expression: given, .. }] = within.items.as_slice() else { return None };
    let (by, descending) = match (given, inner.order.as_slice(), inner.limit) {
        (Expression::Column(given), [order], Some(1)) if given.place == of.place => {
            (&order.expression, order.descending)
        }
        (Expression::Aggregate { function, of: Some(by), .. }, [], _) => match (function, &**by) {
            (Aggregate::Max, Expression::Column(column)) if column.place == of.place => (&**by, true),
            (Aggregate::Min, Expression::Column(column)) if column.place == of.place => (&**by, false),
            _ => return None,
        },
        _ => return None,
    };
    let Expression::Column(by) = by else { return None };
    let outer = table(of.table.as_ref(), select)?;
    if table(by.table.as_ref(), within)? != outer || tables.column(by.place?).is_none() {
        return None;
    }
    let by = ColumnRef { table: of.table.clone(), ..by.clone() };
    Some(Order { expression: Expression::Column(by), descending })
}

/// Whether a condition names a value, beyond columns and bounds.
fn names_a_value(condition: &Expression) -> bool {
    let mut names = false;
    condition.visit(&mut |part| names |= matches!(part, Expression::Terms(..) | Expression::Like(..)));
    names
}

/// The query for all things among which a query chooses one by a value of another table, each with
/// that value. If all share it, it decides nothing: two states do not differ by the area of their
/// country. `None` if the query chooses in another way.
pub fn compared(query: &Query) -> Option<Query> {
    let [order] = query.order.as_slice() else { return None };
    let Expression::Column(by) = &order.expression else { return None };
    let is_own = |item: &Item| match &item.expression {
        Expression::Column(given) => given.table == by.table,
        _ => true,
    };
    let select = query.select()?;
    if query.limit != Some(1)
        || query.offset > 0
        || !select.group.is_empty()
        || select.items.iter().any(is_own)
    {
        return None;
    }
    let mut compared = query.clone();
    let Body::Select(select) = &mut compared.body else { return None };
    select.items.push(Item { expression: order.expression.clone(), alias: None });
    select.distinct = true;
    compared.limit = Some(COMPARED);
    Some(compared)
}
