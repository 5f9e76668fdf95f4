//! Extremes: among the things that a question names instead of among all, and only of things whose
//! values differ.

use std::collections::HashSet;

use quipu_language::{
    End, Language, Measured, Ordered, asks_for, asks_for_the_better, is_measure, is_written_as_name,
};
use quipu_query::{
    Aggregate, Body, ColumnRef, Comparison, Doubt, Expression, From, Item, Mend, Order, Place, Query, Select,
    Source, Table, Tables, words_of,
};

use super::each::named_behind;
use crate::said::Said;
use crate::slips::{each_query, superlatives};
use crate::things::kinds::nouns_of_kinds;

/// Most things whose values are compared to tell whether they differ.
const COMPARED: u64 = 50;

/// Mends "the largest city of Peru" written as "the city that is the largest of all and lies in
/// Peru": the extreme is taken among the rows that satisfy the other conditions. `None` if no other
/// condition names a value, or if the query already orders or counts.
pub(crate) fn among_those(query: &mut Query, tables: &Tables) -> Option<Mend> {
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

/// Moves a condition whose column only the table of an extreme has to that table's query: "how many
/// countries border the largest country in Africa". For a query that is not bound yet.
pub(crate) fn within_extreme(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let Some(filter) = select.filter.take() else { return };
        let known: Option<Vec<&Table>> = select
            .from
            .iter()
            .map(|from| match &from.source {
                Source::Table(id, _) => tables.table(tables.find(id)?),
                Source::Derived(_) => None,
            })
            .collect();
        let mut parts: Vec<Expression> = filter.conjuncts().into_iter().cloned().collect();
        let has = |table: &Table, part: &Expression| {
            tested_column(part).is_some_and(|column| table.find(&column.name).is_some())
        };
        let extremes: Vec<usize> = (0..parts.len())
            .filter(|at| parts.get(*at).is_some_and(|part| extreme_within(part).is_some()))
            .collect();
        if let (Some(known), [extreme]) = (known, extremes.as_slice())
            && let Some(of) = parts.get(*extreme).and_then(|part| extreme_within(part)).cloned()
            && let Some(table) = tables.find(&of).and_then(|at| tables.table(at))
        {
            // A qualifier names another table, unless it names that of the extreme.
            let may_be_its = |part: &Expression| {
                let named = tested_column(part).and_then(|column| column.table.as_ref());
                named.is_none_or(|named| named.eq_ignore_ascii_case(&of))
            };
            let moves = |part: &Expression| {
                has(table, part) && may_be_its(part) && !known.iter().any(|own| has(own, part))
            };
            let (moved, mut kept): (Vec<_>, Vec<_>) = parts.into_iter().partition(moves);
            for part in moved {
                let column = tested_column(&part).map(|column| column.name.clone()).unwrap_or_default();
                let its = kept.iter_mut().find(|part| extreme_table(part) == Some(&of));
                let inner = its.and_then(extreme_within_mut);
                if let Some(inner) = inner {
                    inner.filter = Some(Expression::both(inner.filter.take(), unqualified(part)));
                    let text = format!(
                        "{column} is a column of {}: the condition limits the rows that the extreme is taken from",
                        table.id
                    );
                    mend = Some(Mend { text, doubt: Doubt::Little });
                }
            }
            parts = kept;
        }
        select.filter = parts.into_iter().fold(None, |all, next| Some(Expression::both(all, next)));
    });
    mend
}

/// The column that a condition compares with a text.
fn tested_column(condition: &Expression) -> Option<&ColumnRef> {
    match condition {
        Expression::Compare(Comparison::Equal, of, value) => match (&**of, &**value) {
            (Expression::Column(column), Expression::Text(_)) => Some(column),
            _ => None,
        },
        _ => None,
    }
}

/// A condition on a column without the name of a table.
fn unqualified(mut condition: Expression) -> Expression {
    for part in condition.parts_mut() {
        if let Expression::Column(column) = part {
            column.table = None;
        }
    }
    condition
}

/// The table among all of whose rows a condition's subquery takes the extreme one.
fn extreme_within(condition: &Expression) -> Option<&String> {
    let query = match condition {
        Expression::Compare(Comparison::Equal, _, value) => value.query()?,
        Expression::InQuery(_, query) => query,
        _ => return None,
    };
    let select = query.select().filter(|select| select.filter.is_none() && select.group.is_empty())?;
    match (select.from.as_slice(), query.order.len(), query.limit) {
        ([From { source: Source::Table(id, _), .. }], 1, Some(1)) => Some(id),
        _ => None,
    }
}

/// The only table of a condition's subquery that takes an extreme, whatever its conditions.
fn extreme_table(condition: &Expression) -> Option<&String> {
    let query = match condition {
        Expression::Compare(Comparison::Equal, _, value) => value.query()?,
        Expression::InQuery(_, query) => query,
        _ => return None,
    };
    match (query.select()?.from.as_slice(), query.limit) {
        ([From { source: Source::Table(id, _), .. }], Some(1)) => Some(id),
        _ => None,
    }
}

/// The SELECT of such a subquery, whatever its conditions.
fn extreme_within_mut(condition: &mut Expression) -> Option<&mut Select> {
    let query = match condition {
        Expression::Compare(Comparison::Equal, _, value) => value.query_mut()?,
        Expression::InQuery(_, query) => query,
        _ => return None,
    };
    match (&mut query.body, query.limit) {
        (Body::Select(select), Some(1)) => Some(select),
        _ => None,
    }
}

/// The one MIN or MAX that a query gives, of a column of things, without groups and orders.
struct LoneExtreme {
    column: ColumnRef,
    /// The name of the thing that has the value.
    named: Expression,
    /// The title of the things.
    things: String,
    descending: bool,
}

impl LoneExtreme {
    fn of(query: &Query, tables: &Tables) -> Option<Self> {
        let select = query.select()?;
        let [Item { expression: Expression::Aggregate { function, of: Some(of), .. }, .. }] =
            select.items.as_slice()
        else {
            return None;
        };
        let Expression::Column(column) = &**of else { return None };
        let plain = select.group.is_empty() && query.order.is_empty() && query.limit.is_none();
        let descending = match function {
            Aggregate::Max if plain => true,
            Aggregate::Min if plain => false,
            _ => return None,
        };
        let table = tables.table(column.place?.table).filter(|table| !table.is_links())?;
        let name = table.columns.first()?.id.clone();
        let place = column.place.map(|place| Place { column: 0, ..place });
        let named = Expression::Column(ColumnRef { table: column.table.clone(), name, place });
        Some(Self { column: column.clone(), named, things: table.title.clone(), descending })
    }

    /// Makes a query give items of the row with the extreme value.
    fn give(self, query: &mut Query, items: Vec<Expression>) {
        if let Body::Select(select) = &mut query.body {
            select.items = items.into_iter().map(|expression| Item { expression, alias: None }).collect();
        }
        let expression = Expression::Column(self.column);
        query.order = vec![Order { expression, descending: self.descending }];
        query.limit = Some(1);
    }
}

/// Gives the thing with the extreme value instead of the value alone: "what is the highest point"
/// asks for a thing, "what is the highest elevation" for a number.
pub(crate) fn thing_of_extreme(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let asks_what = words.first().is_some_and(|word| language.asks_by_a_noun(word));
    let extreme = LoneExtreme::of(query, tables)?;
    if !asks_what || !names_a_thing(&words, &extreme.column, tables) {
        return None;
    }
    let text = format!("the question asks for the {}, not for its value alone", extreme.things);
    let both = vec![extreme.named.clone(), Expression::Column(extreme.column.clone())];
    extreme.give(query, both);
    Some(Mend { text, doubt: Doubt::Little })
}

/// Orders the things where a query takes the extreme of each thing's own only value: "which
/// manuscript was finished latest, and when" asks for one of them. `None` if the question asks for
/// each, or for no extreme.
pub(crate) fn extreme_among_all(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let (_, word) = superlatives(&words, query).into_iter().next()?;
    if named_behind(&words).is_some() || !query.order.is_empty() || query.limit.is_some() {
        return None;
    }
    let Body::Select(select) = &mut query.body else { return None };
    let ([Expression::Column(name)], None) = (select.group.as_slice(), &select.having) else { return None };
    let table = name.place.filter(|place| place.column == 0)?.table;
    tables.table(table).filter(|table| !table.is_links())?;
    // The position of the only extreme, its value, and whether the greatest is taken.
    let mut extremes = select.items.iter().enumerate().filter_map(|(at, item)| match &item.expression {
        Expression::Aggregate { function, of: Some(of), .. } => Some((at, *function, (**of).clone())),
        _ => None,
    });
    let (at, function, of) = extremes.next().filter(|_| extremes.next().is_none())?;
    let descending = match function {
        Aggregate::Max => true,
        Aggregate::Min => false,
        _ => return None,
    };
    if !matches!(&of, Expression::Column(column) if column.table == name.table) {
        return None;
    }
    select.items.get_mut(at)?.expression = of.clone();
    let order = Order { expression: of, descending };
    select.group = Vec::new();
    (query.order, query.limit) = (vec![order], Some(1));
    Some(Mend { text: format!("“{word}” is asked of all, not of each one"), doubt: Doubt::Little })
}

/// Gives the thing with the extreme value of two that the question offers, instead of the value:
/// "what's dearer, A or B" asks for one of them.
pub(crate) fn one_of_two(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let extreme = LoneExtreme::of(query, tables)?;
    let filter = query.select()?.filter.as_ref()?;
    let is_among_two = filter.conjuncts().into_iter().any(|condition| match condition {
        Expression::InList(of, list) => **of == extreme.named && list.len() == 2,
        _ => false,
    });
    // "What is the higher price, that of A or of B" asks for the price.
    let title = words_of(&tables.column(extreme.column.place?)?.title);
    let names_value = title.iter().any(|of| words.iter().any(|word| language.is_form(word, of)));
    let asks_for_a_value = matches!(asks_for(question), Some("amount" | "date" | "count"));
    let is_measured = asks_for_a_value || names_value || words.iter().any(|word| language.is_unit(word));
    if !asks_for_the_better(&words) || is_measured || !is_among_two {
        return None;
    }
    let named = vec![extreme.named.clone()];
    extreme.give(query, named);
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

/// Whether a superlative and the word behind it name a column of extremes: "the maximum speed" is
/// the `top_speed`.
pub(crate) fn names_extremes(words: &[String], at: usize, said: &Said, language: Language) -> bool {
    let end = |word: &String| match language.is_top(word) {
        true => Some(End::Descending),
        false => language.end_asked_for(word, Ordered::Numbers),
    };
    // "The deepest point" of a column called `maximum depth`.
    let takes_end = |title: &String| {
        let measures = words.get(at).is_some_and(|word| language.measured(word, title) == Measured::Alike);
        measures && words_of(title).iter().any(|word| end(word) == Some(End::Descending))
    };
    let is_most = words
        .get(at)
        .is_some_and(|word| language.end_asked_for(word, Ordered::Numbers) == Some(End::Descending));
    if is_most && said.columns.keys().any(takes_end) {
        return true;
    }
    let (Some(of), Some(noun)) = (words.get(at).and_then(end), words.get(at + 1)) else { return false };
    // "The highest maximum speed" takes the extreme of extremes.
    if end(noun).is_some() {
        return false;
    }
    said.columns.keys().any(|title| {
        let title = words_of(title);
        title.iter().any(|word| language.is_form(noun, word))
            && title.iter().any(|word| end(word) == Some(of))
    })
}

/// The adjective of "the most dangerous mountain" or "is the most dangerous", if a query leaves it
/// out: whatever the query orders by measures something else, unless it is near in meaning.
pub(crate) fn adjective_left_out(words: &[String], left_out: &[String], tables: &Tables) -> Option<String> {
    let language = Language::of_words(words);
    let before = |at: usize, by: usize| at.checked_sub(by).and_then(|at| words.get(at));
    let is_most = |at: &usize| {
        words.get(*at).is_some_and(|word| language.is_quantity(word))
            && before(*at, 1).is_some_and(|word| language.is_article(word))
    };
    let most = (0..words.len()).find(is_most)?;
    let is_said_of_it = before(most, 2).is_some_and(|word| language.is_be(word));
    let next = words.get(most + 2);
    let is_of_a_kind =
        next.is_some_and(|next| !nouns_of_kinds(std::slice::from_ref(next), tables).is_empty());
    let adjective = words.get(most + 1).filter(|word| left_out.contains(word))?;
    (is_said_of_it || is_of_a_kind).then(|| adjective.clone())
}

/// The names of a choice that a query leaves out: "who died first, Verdi or Wagner" does not ask
/// who died first of all.
pub(crate) fn choice_left_out(question: &str, words: &[String], left_out: &[String]) -> Vec<String> {
    let language = Language::of_words(words);
    let is_name = |word: &&String| left_out.contains(word) && is_written_as_name(question, word);
    let offers = |at: &usize| words.get(*at).is_some_and(|word| language.offers_a_choice(word));
    let Some(at) = (1..words.len()).find(offers) else { return Vec::new() };
    let before = words.get(at - 1).filter(is_name);
    let behind = words.get(at + 1).filter(is_name);
    before.zip(behind).map(|(before, behind)| vec![before.clone(), behind.clone()]).unwrap_or_default()
}

/// The superlatives of a question that a query leaves out: the second of "the largest city of the
/// smallest country" if it takes one extreme, and all if it takes the extreme of a single thing.
pub(crate) fn extremes_left_out(
    words: &[String],
    query: &Query,
    said: &Said,
    tables: &Tables,
) -> Vec<String> {
    let language = Language::of_words(words);
    let is_superlative = |word: &String| {
        language.looks_superlative(word)
            || language.meanings(word).iter().any(|meaning| meaning.means == "superlative")
    };
    let asked: Vec<(usize, String)> = superlatives(words, query)
        .into_iter()
        .filter(|(_, word)| is_superlative(word) && !language.is_top(word) && !said.names(word, language))
        .filter(|(at, _)| !names_extremes(words, *at, said, language) && !is_one_end(words, *at, language))
        .collect();
    let mut seen = HashSet::new();
    // "The latest version" of a thing is its version.
    let given = given_and_ordered(query, tables);
    let is_given =
        |at: usize| words.get(at + 1).is_some_and(|next| given.iter().any(|of| language.is_form(next, of)));
    let asked: Vec<(usize, String)> =
        asked.into_iter().filter(|(at, word)| !is_given(*at) && seen.insert(word.clone())).collect();
    let together = words.iter().any(|word| language.takes_together(word));
    let (mut taken, mut of_one) = (0, false);
    each_query(&mut query.clone(), &mut |query| {
        let sorts = !query.order.is_empty() && query.limit != Some(1);
        // An order of several rows goes from one end to the other.
        // A second key decides among equals only: "the lowest price and the highest rating".
        taken += if together { query.order.len() } else { query.order.len().min(1) } + usize::from(sorts);
        let items = query.select().map(|select| select.items.as_slice()).unwrap_or_default();
        for item in items {
            item.expression.visit(&mut |part| {
                taken += usize::from(matches!(
                    part,
                    Expression::Aggregate { function: Aggregate::Min | Aggregate::Max, .. }
                ));
            });
        }
        of_one |= orders_one_thing(query, tables);
    });
    match (of_one, taken) {
        (true, _) => asked.into_iter().map(|(_, word)| word).collect(),
        (false, 1) => asked.into_iter().skip(1).map(|(_, word)| word).collect(),
        // "The priciest extra in each category" is not all extras.
        (false, 0) if groups(query) => {
            asked.into_iter().map(|(_, word)| word).filter(|word| language.looks_superlative(word)).collect()
        }
        _ => Vec::new(),
    }
}

fn groups(query: &Query) -> bool {
    query.select().is_some_and(|select| !select.group.is_empty())
}

/// Whether a word names one end of things: the bottom of "between bottom and top".
fn is_one_end(words: &[String], at: usize, language: Language) -> bool {
    let is_end = |at: usize| {
        words.get(at).is_some_and(|word| {
            language.is_top(word) || language.meanings(word).iter().any(|of| of.means == "superlative")
        })
    };
    let joins = |at: usize| words.get(at).is_some_and(|word| language.joins_two(word));
    let before = at.checked_sub(2).is_some_and(|other| joins(other + 1) && is_end(other));
    let looks = words.get(at).is_some_and(|word| language.looks_superlative(word));
    !looks && (before || joins(at + 1) && is_end(at + 2))
}

/// The words of the title of the only column that a query gives, if it orders by that column.
fn given_and_ordered(query: &Query, tables: &Tables) -> Vec<String> {
    let items = query.select().map(|select| select.items.as_slice()).unwrap_or_default();
    match (items, query.order.as_slice()) {
        ([item], [order]) if item.expression == order.expression => match &item.expression {
            Expression::Column(column) => {
                let column = column.place.and_then(|place| tables.column(place));
                column.map(|column| words_of(&column.title)).unwrap_or_default()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// Whether a query chooses by a value of a thing that its conditions name: the most populous of
/// those countries that are Chad.
fn orders_one_thing(query: &Query, tables: &Tables) -> bool {
    let ([Order { expression: Expression::Column(by), .. }], Some(_), Some(select)) =
        (query.order.as_slice(), query.limit, query.select())
    else {
        return false;
    };
    // Links have many rows for one thing.
    let of_things = by.place.is_some_and(|place| {
        place.column > 0 && tables.table(place.table).is_some_and(|table| !table.is_links())
    });
    of_things && is_one_thing(select, by.table.as_deref())
}

/// Whether a SELECT's conditions name the one thing that a table's rows may be.
fn is_one_thing(select: &Select, alias: Option<&str>) -> bool {
    select.filter.iter().flat_map(Expression::conjuncts).any(|condition| {
        let Expression::Compare(Comparison::Equal, of, value) = condition else { return false };
        let Expression::Column(column) = &**of else { return false };
        let is_name = column.table.as_deref() == alias && column.place.is_some_and(|place| place.column == 0);
        is_name
            && match &**value {
                Expression::Terms(terms, _) => terms.len() == 1,
                Expression::Scalar(inner) => {
                    inner.select().is_some_and(|within| match within.items.as_slice() {
                        [Item { expression: Expression::Column(given), .. }] => {
                            given.place == column.place && is_one_thing(within, given.table.as_deref())
                        }
                        _ => false,
                    })
                }
                _ => false,
            }
    })
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
