//! Faults of a reading beside "the … of …": a relation that is asked for more often than the
//! reading takes it, and a relation that is taken from its other end.

use std::collections::HashSet;

use quipu_language::{Language, is_mutual};
use quipu_query::{ColumnRef, Comparison, Expression, From, Place, Query, Source, Table, Tables, words_of};

/// Whether a question asks for a relation of a relation more often than the query takes it: "the
/// father of the father of Ada" is not her father.
pub(super) fn takes_a_relation_less_often(question: &str, query: &Query, tables: &Tables) -> bool {
    let language = Language::of(question);
    let text = language.without_articles_behind_of(&words_of(question));
    let words: Vec<&str> = text.split(' ').collect();
    let Some((relation, times)) = repeated(&words, language) else { return false };
    let takes = |part: &Expression| {
        let Expression::Column(of) = part else { return 0 };
        let title = of.place.and_then(|place| tables.column(place)).map(|column| words_of(&column.title));
        usize::from(title.is_some_and(|title| relation.iter().all(|word| title.iter().any(|of| of == word))))
    };
    // That a value is known takes no step.
    let (mut taken, mut known) = (0, 0);
    query.visit(&mut |part| match part {
        Expression::IsNull(of) => known += takes(of),
        part => taken += takes(part),
    });
    taken < times + known
}

/// The longest phrase that follows itself behind "of" ("father" in "the father of father of Ada"),
/// and how often it stands there.
fn repeated<'a>(words: &'a [&'a str], language: Language) -> Option<(&'a [&'a str], usize)> {
    let is_of = |at: usize| words.get(at).is_some_and(|word| language.is_of(word));
    let times = |start: usize, length: usize| {
        let phrase = words.get(start..start + length)?;
        let stands = |time: &usize| {
            let at = start + time * (length + 1);
            words.get(at..at + length) == Some(phrase) && is_of(at + length)
        };
        let times = (0..words.len()).take_while(stands).count();
        (times > 1).then_some((phrase, times))
    };
    let starts = |length: usize| (0..words.len()).filter_map(move |start| times(start, length));
    (1..=LONGEST).rev().find_map(|length| starts(length).max_by_key(|(_, times)| *times))
}

/// Most words of a relation that may follow itself.
const LONGEST: usize = 5;

/// Whether a question only asks for "the capital of Lima" or "Lima's capital", and the query gives
/// the thing whose capital is Lima: the relation is taken from its other end.
pub(super) fn takes_the_other_end(question: &str, query: &Query, tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let says_little =
        |word: &String| language.is_question_word(word) || language.is_be(word) || language.is_article(word);
    // A relation may itself begin with a form of "be".
    let little = words.iter().take_while(|word| says_little(word)).count();
    let asks = |relation: &[String], value: &[String]| {
        (0..=little).filter_map(|at| words.get(at..)).any(|asked| {
            let Some((of, mut behind)) = asked.strip_prefix(relation).and_then(<[String]>::split_first)
            else {
                return false;
            };
            if let Some((first, rest)) = behind.split_first()
                && language.is_article(first)
                && value.first() != Some(first)
            {
                behind = rest;
            }
            language.is_of(of) && behind == value
        }) || (0..=little).filter_map(|at| words.get(at..)).any(|asked| {
            // "Lima's capital".
            let behind = asked.strip_prefix(value).and_then(<[String]>::split_first);
            behind.is_some_and(|(owns, behind)| language.owns(owns) && behind == relation)
        })
    };
    // "Father" for a `sire`.
    let called = |title: &str| {
        let kin = words.iter().filter(|word| language.calls_kin(word, title)).cloned();
        kin.map(|word| vec![word]).chain([words_of(title)]).collect::<Vec<_>>()
    };
    values_at_ends(query).into_iter().any(|(place, value)| {
        // Whose sibling is Ada is Ada's sibling.
        let column = tables.column(place).filter(|column| !is_mutual(&column.title));
        column.is_some_and(|column| called(&column.title).iter().any(|relation| asks(relation, &value)))
    })
}

/// Whether a question asks in what a named thing lies ("in which glasshouse is Marrow Hill
/// Gardens"), and the query gives what lies in it.
pub(super) fn takes_what_lies_in_it(question: &str, query: &Query, tables: &Tables) -> bool {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let [place, which, .., _] = words.as_slice() else { return false };
    if !language.is_of_a_place(place) || !language.asks_by_a_noun(which) {
        return false;
    }
    let is_asked = |value: &[String]| {
        let before = words.strip_suffix(value).map(|before| match before {
            [before @ .., the] if language.is_article(the) => before,
            before => before,
        });
        before.and_then(<[String]>::last).is_some_and(|be| language.is_be(be))
    };
    values_at_ends(query).into_iter().any(|(end, value)| {
        let title = tables.column(end).map(|column| column.title.as_str()).unwrap_or_default();
        language.leads_to_places(title) && is_asked(&value)
    })
}

/// The columns that a query holds against a named value, with the value's words: by a condition, or
/// by a join with the thing of that name.
fn values_at_ends(query: &Query) -> Vec<(Place, Vec<String>)> {
    let (mut held, mut named, mut joined) = (Vec::new(), Vec::new(), Vec::new());
    query.visit(&mut |part| {
        let Expression::Compare(Comparison::Equal, left, right) = part else { return };
        let value = match (&**left, &**right) {
            (Expression::Column(left), Expression::Column(right)) => {
                joined.extend([(left, right), (right, left)]);
                return;
            }
            (Expression::Column(_), Expression::Terms(_, name) | Expression::Text(name)) => words_of(name),
            (Expression::Column(_), Expression::Number(number)) => words_of(number),
            _ => return,
        };
        let Expression::Column(of) = &**left else { return };
        match of.place {
            Some(place) if place.column > 0 => held.push((place, value)),
            Some(_) => named.push((of, value)),
            None => {}
        }
    });
    for (of, end) in joined {
        let value = named.iter().find(|(one, _)| one.table == of.table && one.place == of.place);
        let place = end.place.filter(|place| place.column > 0);
        held.extend(place.zip(value).map(|(place, (_, value))| (place, value.clone())));
    }
    held
}

/// Whether a query joins two tables by the very end of a link at which it also names a thing or
/// says what it is, so that the link leads nowhere: the trees of the variety Iron Bess are not
/// those of its children, and who learned from somebody of a town is not that somebody.
pub(super) fn stays_at_one_end(query: &Query, tables: &Tables) -> bool {
    let Some(select) = query.select().filter(|select| select.from.len() == 2) else { return false };
    let of_links = |from: &From| match &from.source {
        Source::Table(_, Some(at)) => tables.table(*at).is_some_and(Table::is_links),
        _ => false,
    };
    let Some(links) = select.from.iter().find(|from| of_links(from)) else { return false };
    let (mut ends, mut names_one) = (HashSet::new(), false);
    let end = |part: &Expression| match part {
        Expression::Column(ColumnRef { table: Some(alias), place: Some(place), .. })
            if *alias == links.alias =>
        {
            Some(place.column).filter(|end| *end < 2)
        }
        _ => None,
    };
    let mut counts_rows = false;
    let in_order = query.order.iter().map(|order| &order.expression);
    for expression in select.expressions().into_iter().chain(in_order) {
        expression.visit(&mut |part| {
            ends.extend(end(part));
            counts_rows |= matches!(part, Expression::Aggregate { of: None, .. });
            match part {
                Expression::Compare(Comparison::Equal, one, other) => {
                    let pair = [(one, other), (other, one)];
                    let is_named = |of: &Expression, value: &Expression| {
                        end(of).is_some() && matches!(value, Expression::Terms(..))
                    };
                    names_one |= pair.iter().any(|(of, value)| is_named(of, value));
                }
                Expression::InQuery(of, _) => names_one |= end(of).is_some(),
                _ => {}
            }
        });
    }
    names_one && ends.len() == 1 && !counts_rows
}
