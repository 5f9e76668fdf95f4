//! Relatives of whom a question speaks: a step that a reading leaves out, and the sex that a word
//! for a relative tells.

use quipu_language::Language;

use super::roles::{head_noun, owns};
use super::said::Said;
use crate::syntax::{ColumnRef, Comparison, Expression, Query};
use crate::tables::{Kind, Place, Tables, words_of};

/// A relative of somebody, if a query goes to no other thing of their kind: "who owns the mother of
/// Misty" is not who owns Misty.
pub(super) fn relative_left_out(
    words: &[String],
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let relative = words.windows(2).find_map(|pair| match pair {
        [kin, of] if language.is_kin(kin) && language.is_of(of) => Some(kin),
        _ => None,
    });
    let relative = relative.filter(|kin| left_out.contains(kin))?;
    let mut goes = false;
    query.visit(&mut |part| {
        if let Expression::Column(ColumnRef { place: Some(place), .. }) = part {
            let heads = tables.table(place.table).and_then(|table| table.columns.first()).map(|of| of.kind);
            let tails = tables.column(*place).filter(|_| place.column > 0).map(|of| of.kind);
            goes |= heads == tails && matches!(heads, Some(Kind::Entity(Some(_))));
        }
    });
    (!goes).then(|| relative.clone())
}

/// A noun for people of one sex that a query leaves out, although it takes them from a table that
/// tells it: "the men of a house" are not all its people.
pub(super) fn sex_left_out(
    left_out: &[String],
    language: Language,
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let noun = left_out.iter().find(|word| language.names_a_gender(word))?;
    let tells = |place: Place| {
        let mut own = tables.columns().filter(|(of, _)| of.table == place.table && of.column > 0);
        own.any(|(_, column)| words_of(&column.title).iter().any(|word| language.tells_genders(word)))
    };
    let mut is_told = false;
    query.visit(&mut |part| {
        if let Expression::Column(ColumnRef { place: Some(place), .. }) = part {
            is_told |= tells(*place);
        }
    });
    is_told.then(|| noun.clone())
}

/// Whether a query, which takes the relation of a relative in general, heeds the sex that a word
/// tells: the "mother" among the `parents`. It need not where the graph does not state the sex of
/// these people. None if the query takes no such relation, or one with a single value: the only
/// `parent` may be the father.
pub(super) fn heeds_sex(
    word: &str,
    language: Language,
    query: &Query,
    said: &Said,
    tables: &Tables,
) -> Option<bool> {
    let wider = language.relatives_of_either_sex(word);
    let is_wider = |title: &str| {
        words_of(title).last().is_some_and(|last| wider.iter().any(|of| language.is_form(of, last)))
    };
    let tells_sex = |kind: usize| {
        let mut titles = tables.columns().filter(|(place, _)| place.table == kind).map(|(_, of)| &of.title);
        titles.any(|title| words_of(title).iter().any(|word| language.tells_genders(word)))
    };
    let (mut is_used, mut is_one, mut is_told) = (false, false, false);
    query.visit(&mut |part| {
        let Expression::Column(ColumnRef { place: Some(place), .. }) = part else { return };
        if tables.column(*place).is_some_and(|column| is_wider(&column.title)) {
            is_used = true;
            is_one |= tables.table(place.table).is_some_and(|table| !table.is_links());
            is_told |= tables.leads_to(*place).is_some_and(tells_sex);
        }
    });
    let compares_sex = || said.values.iter().any(|value| language.states_a_gender(value));
    match is_told {
        _ if !is_used => None,
        _ if language.is_partner(word) || compares_sex() => Some(true),
        true => Some(false),
        false => (!is_one).then_some(true),
    }
}

/// A word for two steps of one kind, if a query takes one step only: a grandson is no son, and the
/// teacher of Ida's teacher did not teach Ida.
pub(super) fn second_step_left_out(
    question: &str,
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of(question);
    if steps(query, tables) > 1 {
        return None;
    }
    let is_of_kin = |word: &String| language.is_kin_of_kin(word) && left_out.contains(word);
    words_of(question).into_iter().find(is_of_kin).or_else(|| role_of_the_same_role(question, language))
}

/// A role of a named thing, if a query takes the named thing for it: the clocks made by pupils of
/// Piers are not those that he made. The first noun of the question is no such role: "members of
/// the club" are those with the club.
pub(super) fn role_of_the_named_left_out(
    question: &str,
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of(question);
    let words = words_of(question);
    let first = head_noun(question)?;
    if steps(query, tables) != 1 {
        return None;
    }
    let mut named: Vec<Vec<String>> = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Compare(Comparison::Equal, of, value) = part
            && let (Expression::Column(ColumnRef { place: Some(place), .. }), Expression::Terms(_, name)) =
                (&**of, &**value)
            && place.column > 0
        {
            named.push(words_of(name));
        }
    });
    let is_named = |behind: &[String]| named.iter().any(|name| !name.is_empty() && behind.starts_with(name));
    words.iter().enumerate().find_map(|(at, role)| {
        let behind = words.get(at + 1).filter(|of| language.is_of(of)).and(words.get(at + 2..))?;
        let is_role = *role != first && left_out.contains(role) && !language.is_light_noun(role);
        (is_role && is_named(behind)).then(|| role.clone())
    })
}

/// The links between things that a query follows, each use of a column under its own alias.
fn steps(query: &Query, tables: &Tables) -> usize {
    let mut steps: Vec<(Option<String>, Place)> = Vec::new();
    query.visit(&mut |part| {
        let Expression::Column(ColumnRef { table, place: Some(place), .. }) = part else { return };
        let leads = tables.column(*place).is_some_and(|column| matches!(column.kind, Kind::Entity(_)));
        let step = (table.clone(), *place);
        if place.column > 0 && leads && !steps.contains(&step) {
            steps.push(step);
        }
    });
    steps.len()
}

/// A noun that a question says of itself: "the teacher of Ida's teacher", "the rival of the rival
/// of Ida", "Ida's teacher's teacher".
fn role_of_the_same_role(question: &str, language: Language) -> Option<String> {
    let texts: Vec<(String, bool)> = question
        .split_whitespace()
        .filter_map(|text| Some((words_of(text).into_iter().next()?, owns(text))))
        .collect();
    let is_role = |word: &str| language.meanings(word).is_empty() && !language.is_light_noun(word);
    let is_same = |at: usize, role: &str| texts.get(at).is_some_and(|(word, _)| language.is_noun(role, word));
    texts.iter().enumerate().find_map(|(at, (role, is_owner))| {
        let behind = texts.get(at + 1).map(|(word, _)| word.as_str()).unwrap_or_default();
        let of_the_same = || {
            let article = texts.get(at + 2).is_some_and(|(word, _)| language.is_article(word));
            is_same(at + if article { 3 } else { 2 }, role)
        };
        let of_an_owner = || {
            let owner = texts.iter().skip(at + 2).position(|(_, owns)| *owns);
            owner.is_some_and(|owner| is_same(at + 2 + owner + 1, role))
        };
        let is_twice = match is_owner {
            true => is_same(at + 1, role),
            false => language.is_of(behind) && (of_the_same() || of_an_owner()),
        };
        (is_twice && is_role(role)).then(|| role.clone())
    })
}
