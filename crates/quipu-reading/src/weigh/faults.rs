//! Faults of a reading, each of which forbids a sure answer.

mod chains;
mod conditions;
mod numbers;

use std::collections::HashSet;

use oxrdf::Term;
use quipu_language::{Language, asks_for, meanings_at};
use quipu_query::{
    Aggregate, CellValue, ColumnRef, Comparison, Doubt, Expression, Item, Join, Kind, Place, Query, Select,
    Source, Table, Tables, words_of,
};

use chains::{stays_at_one_end, takes_a_relation_less_often, takes_the_other_end, takes_what_lies_in_it};
use conditions::{takes_either, turns_a_bound};
use numbers::{
    adds_up_another_measure, adds_up_one_value, adds_up_what_one_has, averages_what_is_counted,
    calculates_with_names, counts_what_is_there, gives_a_number_for_a_thing, gives_a_number_twice,
    gives_no_date, gives_no_number, gives_no_number_of_each, gives_numbers_of_each, gives_parts_of_an_amount,
    multiplies_by_itself, orders_numbers_as_texts,
};

use super::explain::{FAR_FROM_ROLE, Unexplained};
use crate::logic::choices::{gives_no_choice, leaves_out_a_choice};
use crate::logic::others::{compares_with_itself, shares_an_unsaid_value};
use crate::names::stand_ins::is_numbered;
use crate::numbers::each::named_behind;
use crate::numbers::units::gives_another_unit;
use crate::relations::named_kinds::takes_a_narrower_kind;
use crate::things::kinds::called;
use crate::things::mixed_kinds::{counts_what_nothing_is_called, wants_one_to_be_two};
use crate::things::types_of::{is_named_as_type, is_part_of_others};
use crate::{Candidate, TableQuestion};

/// With more ties for the first place, an order answers nothing: sixteen rivers do not have "the
/// most tributaries".
const MOST_TIES: usize = 4;

/// Whether a fault is forgiven to a reading whose rows the model also reached by other words.
///
/// Such a fault says that words of the question and of the reading are far apart: "fans" and an
/// attendance. The five were chosen because 23 of 25 answers with one were right on the 44 graphs
/// looked at (docs/results/unseen-graphs-by-day.md). A word like "not" is never forgiven, nor the
/// adjective of an order: all queries for "the spiciest dish" may order by the rating.
pub(super) fn forgives(fault: &str, query: &Query) -> bool {
    const OF_WORDS: [&str; 5] = [
        "asks for another kind",
        "gives something else",
        "leaves out a value of the graph",
        "leaves out most words",
        "uses another value for a name",
    ];
    OF_WORDS.contains(&fault) && (query.order.is_empty() || fault != "gives something else")
}

/// A fault that does no harm if a query without it has the same rows: the link changes none.
pub(crate) const OF_JOINS: &str = "uses a link in part";
/// A fault of a path, too, that has the rows of a query with it: the path does not know the link.
pub(crate) const STAYS: &str = "stays at one end of a link";

/// The faults of a reading, each in a few words for the trace.
pub(super) fn faults(
    asking: &TableQuestion<'_>,
    candidate: &Candidate,
    unexplained: &Unexplained,
) -> Vec<&'static str> {
    let (question, tables, query) = (asking.text, asking.tables, &candidate.bound.query);
    let much = candidate.bound.mends.iter().any(|mend| mend.doubt == Doubt::Much);
    let many = candidate.rows.rows.len() > MOST_TIES;
    let denies = denies(question, candidate);
    let finds_none = finds_none(candidate);
    let found = [
        ("the path fails a check", candidate.path.is_some_and(|path| path.doubts > 0)),
        ("gives another role", candidate.role >= FAR_FROM_ROLE),
        ("leaves out a value of the graph", !unexplained.values.is_empty()),
        ("speaks of things that the question does not mention", !unexplained.unsaid.is_empty()),
        ("leaves out most words", unexplained.leaves_out_most()),
        ("gives no number", gives_no_number(question, candidate)),
        ("gives no date", gives_no_date(question, candidate, tables)),
        (OF_JOINS, uses_a_link_in_part(query, tables)),
        (STAYS, !unexplained.names.is_empty() && stays_at_one_end(query, tables)),
        ("counts what is there", counts_what_is_there(question, query, tables)),
        ("gives a number for a thing", gives_a_number_for_a_thing(question, query, tables)),
        ("gives a number of each", gives_numbers_of_each(question, candidate)),
        ("adds up another measure", adds_up_another_measure(question, query, tables)),
        ("gives no number of each", gives_no_number_of_each(question, candidate)),
        ("gives only things that the question names", only_repeats(candidate)),
        ("gives the parts of an amount", gives_parts_of_an_amount(question, candidate)),
        ("adds up one value", adds_up_one_value(query)),
        ("gives a number twice", gives_a_number_twice(query)),
        ("adds up what one has", adds_up_what_one_has(question, query, tables)),
        ("averages what is counted", averages_what_is_counted(question, query)),
        ("calculates with names", calculates_with_names(query, tables)),
        ("multiplies a value by itself", multiplies_by_itself(query)),
        ("states one condition twice", states_one_twice(query)),
        ("gives another unit", gives_another_unit(question, query, tables)),
        ("takes a narrower kind", takes_a_narrower_kind(question, query, tables)),
        ("turns a bound round", turns_a_bound(question, query, tables)),
        ("takes either where the question has both", takes_either(question, query)),
        ("takes a relation less often", takes_a_relation_less_often(question, query, tables)),
        (
            "takes a relation from its other end",
            takes_the_other_end(question, query, tables) || takes_what_lies_in_it(question, query, tables),
        ),
        ("orders by a condition", orders_by_a_condition(query)),
        ("orders by one value", orders_by_one_value(query, tables)),
        ("orders numbers as texts", orders_numbers_as_texts(query, tables)),
        ("counts all of them", counts_all(question, query, unexplained)),
        ("compares a property with itself", compares_with_itself(question, query)),
        ("shares a value that nobody mentioned", shares_an_unsaid_value(question, query, tables)),
        ("groups by one value", groups_by_one_value(query)),
        (
            "denies another thing",
            denies_another_thing(question, query, tables) || denies_the_given(question, query, tables),
        ),
        ("compares those offered for a choice", gives_no_choice(question, query)),
        ("leaves out a choice", leaves_out_a_choice(asking, query)),
        ("counts only the thing itself", counts_the_named_itself(candidate, tables)),
        ("states a lack that nobody asked for", states_an_unasked_lack(question, query)),
        ("gives records", gives_records(question, candidate, tables)),
        ("gives one row where each was asked for", gives_one_of_each(question, candidate, tables)),
        ("has many ties", candidate.ties > MOST_TIES && !gives_the_order(candidate)),
        ("gives many for the most", many && !query.order.is_empty() && asks_for_the_most(question)),
        (
            "denies by a text that the question lacks",
            (denies || finds_none) && compares_unsaid(asking, candidate),
        ),
        ("denies by one thing of a kind", denies && is_one_of_a_kind(asking, candidate)),
        ("denies by a guess", much && (denies || finds_none)),
        ("wants one thing to be two", wants_one_to_be_two(query)),
        (
            "counts what nothing is called",
            finds_none && counts_what_nothing_is_called(question, query, tables).is_some(),
        ),
        ("counts none and leaves out words", finds_none && !unexplained.names.is_empty()),
        ("counts none by a join of unlike columns", finds_none && joins_unlike(query, tables)),
    ];
    let found = found.into_iter().filter_map(|(fault, is_there)| is_there.then_some(fault));
    unexplained.checks.iter().copied().chain(found).collect()
}

/// Whether a query orders first by whether something holds: "the first" of those that are not the
/// tallest is any.
fn orders_by_a_condition(query: &Query) -> bool {
    query.order.first().is_some_and(|order| matches!(order.expression, Expression::Compare(..)))
}

/// Whether a query without a condition counts things, and leaves out what the question says of them
/// at its end: "restaurants in each city that offer takeout services" are not all restaurants.
fn counts_all(question: &str, query: &Query, unexplained: &Unexplained) -> bool {
    /// Fewest words that tell a condition.
    const LEAST: usize = 3;
    let words = words_of(question);
    let language = Language::of_words(&words);
    let left_out = &unexplained.names;
    let mut last = words.iter().rev().filter(|word| language.meanings(word).is_empty());
    let ends = last.by_ref().take(2).all(|word| left_out.contains(word));
    let counts =
        |item: &Item| matches!(item.expression, Expression::Aggregate { function: Aggregate::Count, .. });
    query.select().is_some_and(|select| {
        // That a value is known limits nothing.
        let is_known =
            |of: &Expression| matches!(of, Expression::Not(of) if matches!(**of, Expression::IsNull(_)));
        let limits = select.filter.iter().flat_map(Expression::conjuncts).any(|of| !is_known(of));
        let is_all = !limits && select.having.is_none() && query.limit.is_none();
        let is_most = left_out.len() >= LEAST && left_out.len() * 2 >= unexplained.all;
        is_all && ends && is_most && select.items.iter().any(counts)
    })
}

/// Whether a query takes the first of things that all have one value: the best possible rating of
/// each shop is 5.
fn orders_by_one_value(query: &Query, tables: &Tables) -> bool {
    let order = query.order.first().filter(|_| query.limit.is_some());
    let place = order.and_then(|order| match &order.expression {
        Expression::Column(column) => column.place,
        _ => None,
    });
    place.is_some_and(|place| {
        let rows = tables.table(place.table).map_or(0, |table| table.rows);
        rows > 1 && tables.column(place).is_some_and(|column| column.distinct == 1 && column.filled > 1)
    })
}

/// Whether a question asks for a property as it is stated: it neither counts, orders, compares nor
/// denies, and has one clause.
pub(super) fn asks_of_one(question: &str) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let is_plain = |at: usize| {
        let stands_alone = |of: &str| !matches!(of, "negation" | "comparison" | "time" | "only" | "reason");
        meanings_at(&words, at).iter().all(|meaning| !meaning.sure || stands_alone(&meaning.means))
    };
    let joins = |word: &String| language.joins_two(word) || language.offers_a_choice(word);
    asks_for(question) != Some("count") && !words.iter().any(joins) && (0..words.len()).all(is_plain)
}

/// Whether a question asks for the one thing that has the most of others: "which river has the most
/// tributaries".
fn asks_for_the_most(question: &str) -> bool {
    /// Words before it: "in which of the provinces are the most".
    const MOST_BEFORE: usize = 5;
    let words = words_of(question);
    let language = Language::of_words(&words);
    let asks = words.first().is_some_and(|word| language.asks_by_a_noun(word));
    let places = words.iter().take(MOST_BEFORE);
    asks && words.iter().all(|word| language.cardinal(word).is_none_or(|number| number < 2))
        && !words.iter().any(|word| word.chars().all(|c| c.is_ascii_digit()))
        && places
            .zip(words.iter().skip(1))
            .any(|(before, word)| language.is_article(before) && language.is_quantity(word))
}

/// Whether a reading gives only the values by which it orders: they are the same however many
/// things share them.
fn gives_the_order(candidate: &Candidate) -> bool {
    let query = &candidate.bound.query;
    let given = query.select().map(|select| select.items.as_slice()).unwrap_or_default();
    let is_order = |item: &Item| query.order.iter().any(|order| order.expression == item.expression);
    !given.is_empty() && given.iter().all(is_order)
}

/// Whether a query joins a table of links of which it uses one end only: the supplier of the thing
/// that it names is not asked for where the thing is stored.
fn uses_a_link_in_part(query: &Query, tables: &Tables) -> bool {
    let Some(select) = query.select().filter(|select| select.from.len() > 2) else { return false };
    let mut used: HashSet<(&str, usize)> = HashSet::new();
    let mut counts_rows = false;
    let in_order = query.order.iter().map(|order| &order.expression);
    for expression in select.expressions().into_iter().chain(in_order) {
        expression.visit(&mut |part| match part {
            Expression::Column(ColumnRef { table: Some(alias), place: Some(place), .. }) => {
                used.insert((alias, place.column));
            }
            Expression::Aggregate { of: None, .. } => counts_rows = true,
            _ => {}
        });
    }
    select.from.iter().any(|from| {
        let Source::Table(_, Some(at)) = &from.source else { return false };
        let is_links = tables.table(*at).is_some_and(Table::is_links);
        let ends = [0, 1].into_iter().filter(|end| used.contains(&(from.alias.as_str(), *end))).count();
        is_links && ends == 1 && !counts_rows
    })
}

/// Whether a query has the same subquery in two of its conditions, whatever the aliases: "neither
/// have a mentor nor are one" are two conditions.
fn states_one_twice(query: &Query) -> bool {
    // An alias ends in a number: `instr AS instr_2`.
    let without_aliases = |condition: &Expression| -> String {
        let text = condition.to_string();
        let text: String =
            text.split('_').map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit())).collect();
        let mut parts = text.split(" AS ");
        let first = parts.next().unwrap_or_default().to_owned();
        let is_of_alias = |c: char| c.is_alphanumeric() || c == '_';
        let text = parts.fold(first, |all, part| all + part.trim_start_matches(is_of_alias));
        // Nothing is among the values that are missing anyway.
        match text.rsplit_once(" WHERE ") {
            Some((kept, stated)) if stated.ends_with(" IS NOT NULL)") => format!("{kept})"),
            _ => text,
        }
    };
    let conditions = query.select().and_then(|select| select.filter.as_ref()).map(Expression::conjuncts);
    let holds_query = |condition: &&Expression| {
        let mut found = false;
        condition.visit(&mut |part| found |= part.query().is_some());
        found
    };
    let mut seen = Vec::new();
    conditions.unwrap_or_default().into_iter().filter(holds_query).any(|condition| {
        let text = without_aliases(condition);
        let again = seen.contains(&text);
        seen.push(text);
        again
    })
}

/// Whether a query counts the rows of one named thing, which is one: "how many grandchildren has
/// Ada" does not ask how many there are of Ada.
fn counts_the_named_itself(candidate: &Candidate, tables: &Tables) -> bool {
    let query = &candidate.bound.query;
    let Some(select) = query.select().filter(|select| select.group.is_empty()) else { return false };
    let counts =
        |item: &Item| matches!(item.expression, Expression::Aggregate { function: Aggregate::Count, .. });
    let [from] = select.from.as_slice() else { return false };
    // A thing has several links.
    let is_of_things = |source: &Source| match source {
        Source::Table(_, Some(at)) => tables.table(*at).is_some_and(|table| !table.is_links()),
        _ => false,
    };
    let is_its = |of: &Expression, alias: &str| {
        matches!(of, Expression::Column(of) if of.table.as_deref() == Some(alias)
            && of.place.is_some_and(|place| place.column == 0))
    };
    // "The name is among the names that are Ada".
    fn names_one(condition: &Expression, alias: &str, is_its: &dyn Fn(&Expression, &str) -> bool) -> bool {
        match condition {
            Expression::Compare(Comparison::Equal, of, value) => {
                is_its(of, alias) && matches!(**value, Expression::Terms(..))
            }
            Expression::InQuery(of, within) => {
                is_its(of, alias)
                    && within.select().is_some_and(|within| match within.from.as_slice() {
                        [from] => {
                            let given = within.items.first().map(|item| &item.expression);
                            let conditions = within.filter.iter().flat_map(Expression::conjuncts);
                            given.is_some_and(|given| is_its(given, &from.alias))
                                && conditions.into_iter().any(|one| names_one(one, &from.alias, is_its))
                        }
                        _ => false,
                    })
            }
            _ => false,
        }
    }
    let conditions: Vec<&Expression> = select.filter.iter().flat_map(Expression::conjuncts).collect();
    select.items.iter().all(counts)
        && is_of_things(&from.source)
        && !conditions.is_empty()
        && conditions.into_iter().all(|condition| names_one(condition, &from.alias, &is_its))
}

/// Whether a query asks that a value is missing, although the question denies nothing and does not
/// ask for what lasts.
fn states_an_unasked_lack(question: &str, query: &Query) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let may_ask = |at: usize| {
        let word = words.get(at).map_or("", String::as_str);
        meanings_at(&words, at).iter().any(|meaning| matches!(&*meaning.means, "negation" | "only" | "time"))
            || language.asks_whether_it_lasts(word)
            || language.tells_an_end(word)
    };
    let mut is_stated = false;
    query.visit(&mut |part| is_stated |= matches!(part, Expression::IsNull(_)));
    let mut denied = false;
    query.visit(&mut |part| {
        denied |= matches!(part, Expression::Not(inner) if matches!(**inner, Expression::IsNull(_)));
    });
    is_stated && !denied && !(0..words.len()).any(may_ask)
}

/// Whether a query takes all but a named thing where the question denies a column of that thing:
/// "what is not the status of order 3" does not ask for the status of the other orders.
fn denies_another_thing(question: &str, query: &Query, tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let denies = |word: &String| language.meanings(word).iter().any(|meaning| meaning.means == "negation");
    let items = query.select().map(|select| select.items.as_slice()).unwrap_or_default();
    let places = items.iter().flat_map(|item| item.expression.places()).filter(|place| place.column > 0);
    let columns = places.filter_map(|place| tables.column(place));
    let given: Vec<String> = columns.flat_map(|column| words_of(&column.title)).collect();
    let mut found = false;
    query.visit(&mut |part| {
        let Expression::Compare(Comparison::Unequal, of, value) = part else { return };
        let (Expression::Column(of), Expression::Terms(_, name)) = (&**of, &**value) else { return };
        let named = words_of(name);
        let start = words.windows(named.len().max(1)).position(|window| *window == named);
        let before = words.get(..start.unwrap_or_default()).unwrap_or_default();
        let Some(negation) = before.iter().rposition(denies) else { return };
        let between = before.get(negation + 1..).unwrap_or_default();
        let is_given = |word: &String| given.iter().any(|title| language.is_form(word, title));
        found |= of.place.is_some_and(|place| place.column == 0) && between.iter().any(is_given);
    });
    found
}

/// Whether a query has one group for the only value that its condition leaves: "for each of the
/// goods from Sufar" does not ask for one number of Sufar.
fn groups_by_one_value(query: &Query) -> bool {
    let Some(select) = query.select().filter(|select| select.group.len() == 1) else { return false };
    let place = |expression: &Expression| match expression {
        Expression::Column(column) => column.place,
        _ => None,
    };
    let Some(group) = select.group.first().and_then(place) else { return false };
    select.filter.iter().flat_map(Expression::conjuncts).any(|condition| match condition {
        Expression::Compare(Comparison::Equal, of, value) => {
            place(of) == Some(group) && matches!(&**value, Expression::Terms(..))
        }
        _ => false,
    })
}

/// Whether a reading denies the name before the question's negation and states what the question
/// denies: the members of a club that have never won are not those who won outside of it.
fn denies_the_given(question: &str, query: &Query, tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let Some(negation) = words.iter().position(|word| language.means(word, "negation")) else { return false };
    let (before, behind) = words.split_at(negation);
    let Some(filter) = query.select().and_then(|select| select.filter.as_ref()) else { return false };
    let uses = |condition: &Expression| {
        let (mut names, mut titles) = (Vec::new(), Vec::new());
        let mut add = |part: &Expression| match part {
            Expression::Terms(_, name) => names.push(words_of(name)),
            Expression::Column(ColumnRef { place: Some(place), .. }) if place.column > 0 => {
                titles.extend(tables.column(*place).into_iter().flat_map(|column| words_of(&column.title)));
            }
            _ => {}
        };
        condition.visit(&mut |part| {
            add(part);
            if let Some(query) = part.query() {
                query.visit(&mut |part| add(part));
            }
        });
        (names, titles)
    };
    let is_denied = |titles: &[String]| {
        let telling = behind.iter().filter(|word| language.meanings(word).is_empty());
        telling.into_iter().any(|word| titles.iter().any(|title| language.is_form(word, title)))
    };
    let stands_before = |name: &Vec<String>| before.windows(name.len().max(1)).any(|window| window == name);
    let (denied, stated): (Vec<&Expression>, Vec<&Expression>) =
        filter.conjuncts().into_iter().partition(|condition| matches!(condition, Expression::Not(_)));
    let denies_it = denied.iter().any(|condition| {
        let (names, titles) = uses(condition);
        !names.is_empty() && names.iter().all(stands_before) && !is_denied(&titles)
    });
    denies_it && stated.iter().any(|condition| is_denied(&uses(condition).1))
}

/// Whether a reading gives one row where the question asks for one of each of several things: "for
/// each range, what is its highest peak".
fn gives_one_of_each(question: &str, candidate: &Candidate, tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let noun = named_behind(&words).and_then(|mut nouns| nouns.next());
    let are_several = |noun: &String| {
        let mut kinds = called(noun, language, tables).into_iter();
        kinds.any(|kind| tables.table(kind).is_some_and(|table| table.rows > 1))
    };
    // "The most goals per match", by a quotient.
    let is_quotient = |of: &Expression| matches!(of, Expression::Arithmetic(..)) || of.has_aggregate();
    let query = &candidate.bound.query;
    let is_alone = |select: &Select| {
        select.group.is_empty()
            && !select.items.iter().any(|item| is_quotient(&item.expression))
            && !query.order.iter().any(|order| is_quotient(&order.expression))
    };
    candidate.rows.rows.len() == 1 && noun.is_some_and(are_several) && query.select().is_some_and(is_alone)
}

/// Whether a reading gives rows called by their table and a number that the question does not speak
/// of: "what did she see" asks for no sighting 12.
fn gives_records(question: &str, candidate: &Candidate, tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let is_asked = |table: &Table| {
        let last = words_of(&table.title).pop();
        last.is_none_or(|last| words.iter().any(|word| language.is_noun(word, &last)))
    };
    let is_record = |item: &Item| {
        let Expression::Column(ColumnRef { place: Some(Place { table, column: 0 }), .. }) = &item.expression
        else {
            return false;
        };
        tables.table(*table).is_some_and(|table| is_numbered(table) && !table.is_links() && !is_asked(table))
    };
    candidate.bound.query.select().is_some_and(|select| select.items.iter().all(is_record))
}

/// Whether the reading answers no. A "no" has no triples as its evidence, so it is worth no more
/// than the query: one that was guessed in part proves nothing.
fn denies(question: &str, candidate: &Candidate) -> bool {
    let is_no = |cell: &CellValue| matches!(cell.name.as_str(), "false" | "0");
    let asks_yes = asks_for(question) == Some("yes_or_no") && !candidate.planned;
    asks_yes && candidate.rows.rows.iter().flatten().flatten().all(is_no)
}

/// Whether a reading asks one thing where the question asks for a kind, and other things of the
/// table have its name in theirs: "any type of zombie" may be a Brute Zombie.
fn is_one_of_a_kind(asking: &TableQuestion<'_>, candidate: &Candidate) -> bool {
    let words = words_of(asking.text);
    let mut found = false;
    candidate.bound.query.visit(&mut |part| {
        let Expression::Compare(Comparison::Equal, of, value) = part else { return };
        if let (Expression::Column(of), Expression::Terms(terms, name)) = (&**of, &**value) {
            found |= is_named_as_type(&words, name) && is_part_of_others(of, terms, name, asking.values);
        }
    });
    found
}

/// Whether a reading compares with a text of which the question lacks a word: "can I freeze it"
/// does not ask whether it is gluten free. Parts of a thing's name name it, and so do its initials.
fn compares_unsaid(asking: &TableQuestion<'_>, candidate: &Candidate) -> bool {
    let words = words_of(asking.text);
    let mentions = asking.values.mentions(asking.text);
    let mentioned: Vec<&Term> = mentions
        .iter()
        .chain(asking.named)
        .flat_map(|mention| &mention.matches)
        .flat_map(|found| &found.terms)
        .collect();
    let language = Language::of_words(&words);
    let mut unsaid = false;
    candidate.bound.query.visit(&mut |part| {
        if let Expression::Compare(Comparison::Equal, _, value) = part
            && let Expression::Terms(terms, text) = &**value
            && !terms.iter().any(|term| mentioned.contains(&term))
        {
            let said = |word: &String| words.iter().any(|asked| language.is_form(asked, word));
            let held = words_of(text);
            let initials: String = held.iter().filter_map(|word| word.chars().next()).collect();
            let names = |word: &String| {
                let tells = |asked: &&String| language.meanings(asked).is_empty();
                words.iter().filter(tells).any(|asked| begins(asked, word) || *asked == initials)
            };
            unsaid |= match terms.iter().all(Term::is_literal) {
                true => !held.iter().all(said),
                false => !held.is_empty() && !held.iter().any(names),
            };
        }
    });
    unsaid
}

/// Whether a question's word is the beginning of a name's word, apart from one letter if it is
/// long: "boggarg" of "BoggardL", but not "freeze" of "free".
fn begins(asked: &str, word: &str) -> bool {
    /// Fewest letters of a word that may have a wrong one.
    const LONG: usize = 5;
    let length = asked.chars().count();
    let beginning: String = word.chars().take(length).collect();
    asked == beginning || length >= LONG && strsim::levenshtein(asked, &beginning) <= 1
}

/// Whether the reading counts nothing. No triple is its evidence either, so that a word of the
/// question which it leaves out may be the reason why it finds none.
fn finds_none(candidate: &Candidate) -> bool {
    let mut cells = candidate.rows.rows.iter().flatten().flatten().peekable();
    candidate.only_counts() && cells.peek().is_some() && cells.all(|cell| cell.name == "0")
}

/// Whether a query joins a column of texts to the names of things: a language's code is no name of
/// a country.
fn joins_unlike(query: &Query, tables: &Tables) -> bool {
    let kind = |expression: &Expression| {
        let place = expression.place()?;
        tables.column(place).map(|column| (column.kind, place.column))
    };
    let unlike = |a: &Expression, b: &Expression| {
        matches!((kind(a), kind(b)), (Some((Kind::Text, _)), Some((Kind::Entity(_), 0))))
    };
    let mut found = false;
    let joins = query.select().into_iter().flat_map(|select| &select.from);
    for from in joins {
        if let Join::Inner(Some(on)) | Join::Left(Some(on)) = &from.join {
            on.visit(&mut |part| {
                if let Expression::Compare(Comparison::Equal, a, b) = part {
                    found |= unlike(a, b) || unlike(b, a);
                }
            });
        }
    }
    found
}

/// Whether the reading gives only things that the question itself names: "the neighbour of Germany
/// with the largest area" is not Germany, nor are Ada and Bo the trials "that Ada or Bo judged".
fn only_repeats(candidate: &Candidate) -> bool {
    let mut named = Vec::new();
    let query = &candidate.bound.query;
    let filter = query.select().and_then(|select| select.filter.as_ref());
    let is_all = query.order.is_empty() && filter.is_some_and(|filter| filter.conjuncts().len() == 1);
    let mut offers = false;
    query.visit(&mut |part| match part {
        Expression::InList(_, values) if is_all => {
            named.extend(values.iter().flat_map(|value| match value {
                Expression::Terms(terms, _) => terms.as_slice(),
                _ => &[],
            }));
        }
        Expression::Compare(Comparison::Equal, _, value) => {
            if let Expression::Terms(terms, _) = &**value {
                named.extend(terms);
            }
        }
        // "Which is larger, A or B" offers the things that it names.
        Expression::InList(..) | Expression::Or(..) | Expression::Case(..) => offers = true,
        _ => {}
    });
    let mut given = candidate.rows.rows.iter().flatten().flatten().peekable();
    !offers && given.peek().is_some() && given.all(|cell| named.contains(&&cell.term))
}
