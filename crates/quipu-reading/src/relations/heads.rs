//! The noun that a question begins with: perfume houses are houses, and who asks how many perfumes
//! come from some houses does not count the houses.

use quipu_language::{Language, meanings_at};
use quipu_query::{Aggregate, Expression, Query, Tables, words_of};

use super::roles::given_things;
use crate::Nearness;
use crate::things::kinds::{called, is_among, things_called};

/// The noun behind a kind's name that a query leaves out, if it gives things of that kind:
/// "perfume houses" are no perfumes. For the first noun of a question.
pub(crate) fn compound_left_out(
    words: &[String],
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let tells = |word: &String| language.meanings(word).is_empty();
    let first = words.iter().position(tells)?;
    let (kind, head) = words.get(first).zip(words.get(first + 1))?;
    // "Which museum holds the painting" has a verb there.
    let is_object = |next: &String| language.is_any_article(next) || tells(next);
    let is_verb = words.get(first + 2).is_some_and(is_object);
    let is_head = left_out.contains(head) && tells(head) && language.is_plural(head) && !is_verb;
    let given = given_things(query.select()?, tables)?.place?;
    let given = tables.leads_to(given).filter(|_| is_head && !language.is_light_noun(head))?;
    (!language.is_plural(kind) && things_called(kind, language, tables).contains(&given))
        .then(|| head.clone())
}

/// The word between "which" and a kind's name that a query leaves out: "panto costumes" are not all
/// costumes. `None` if it is near to the reading in meaning, or if that is not known.
pub(crate) fn modifier_left_out(
    words: &[String],
    left_out: &[String],
    near: &Nearness,
    tables: &Tables,
) -> Option<String> {
    /// Less similar words say something that the reading lacks.
    const FAR: f64 = 0.4;
    let language = Language::of_words(words);
    let asks = |at: &usize| {
        words.get(*at).is_some_and(|word| language.asks_by_a_noun(word) || language.wants_the_many(word))
    };
    let first = (0..words.len()).find(asks)? + 1;
    let (modifier, kind) = words.get(first).zip(words.get(first + 1))?;
    let is_far = left_out.contains(modifier) && near.to(modifier).is_some_and(|near| near < FAR);
    let names_things = |word: &str| !things_called(word, language, tables).is_empty();
    let is_kind = language.is_plural(kind) && names_things(kind) && !names_things(modifier);
    (is_far && is_kind).then(|| modifier.clone())
}

/// The noun between "what" and its verb that a query leaves out, if it gives things that are far
/// from it in meaning: a leader's nationality is not the leader.
pub(crate) fn noun_left_out(
    words: &[String],
    left_out: &[String],
    near: &Nearness,
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    /// Less similar words say something that the reading lacks.
    const FAR: f64 = 0.4;
    let language = Language::of_words(words);
    let asked = words.windows(3).find_map(|of| match of {
        [what, noun, verb] if language.asks_by_a_noun(what) => {
            (language.is_be(verb) || language.stands_before_a_subject(verb)).then_some(noun)
        }
        _ => None,
    })?;
    let is_far = left_out.contains(asked) && near.to(asked).is_some_and(|near| near < FAR);
    let given = given_things(query.select()?, tables)?.place?;
    let gives_things = tables.leads_to(given).is_some();
    (is_far && gives_things && !language.is_light_noun(asked)).then(|| asked.clone())
}

/// The noun of the things that a question counts, if a query counts only things of another kind
/// that the question has too: "how many different perfumes come from houses" counts no houses.
pub(crate) fn counts_another(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    /// Words between "how many" and the noun, with it: "different novels".
    const NEAR: usize = 2;
    let language = Language::of_words(words);
    let many = words.iter().position(|word| language.wants_the_many(word))?;
    let is_kind = |word: &&String| !things_called(word, language, tables).is_empty();
    let near = words.iter().enumerate().skip(many + 1).take(NEAR);
    let (at, _) = near.into_iter().find(|(_, word)| is_kind(word))?;
    // "How many vessel inspections" counts inspections.
    let noun = words.iter().skip(at).take_while(is_kind).last()?;
    let kinds = things_called(noun, language, tables);
    let [item] = query.select()?.items.as_slice() else { return None };
    let Expression::Aggregate { function: Aggregate::Count, of: Some(of), .. } = &item.expression else {
        return None;
    };
    let place = of.place()?;
    let counted = tables.leads_to(place)?;
    let title = tables.column(place).filter(|_| place.column > 0).map(|column| words_of(&column.title));
    let is_it = |of: &String| language.is_noun(noun, of) || language.is_form(noun, of);
    let is_called = title.unwrap_or_default().iter().any(is_it);
    (!is_called && !is_among(counted, &kinds, tables)).then(|| noun.clone())
}

/// The noun of the things that a question counts, if a query counts others and leaves them out:
/// "episodes per genre" are not the series of each genre, and "how many hectolitres" no breweries.
pub(crate) fn another_kind_counted(
    words: &[String],
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let select = query.select()?;
    let is_count =
        |part: &Expression| matches!(part, Expression::Aggregate { function: Aggregate::Count, .. });
    // "At least six tours" counts tours in its condition.
    let mut by_condition = false;
    select.having.iter().for_each(|having| having.visit(&mut |part| by_condition |= is_count(part)));
    if !by_condition && !select.items.iter().any(|item| is_count(&item.expression)) {
        return None;
    }
    let used: Vec<usize> = query.tables().into_iter().filter_map(|(_, at)| at).collect();
    let groups = |at: usize| meanings_at(words, at).iter().any(|meaning| meaning.means == "group");
    let is_counted = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        let is_number = |word: &str| language.cardinal(word).is_some() || word.parse::<u32>().is_ok();
        let counts = |word: &str| language.wants_the_many(word) || (by_condition && is_number(word));
        groups(at + 1) || before.is_some_and(|before| counts(before))
    };
    let is_other = |noun: &String| {
        let kinds = called(noun, language, tables);
        !kinds.is_empty() && !kinds.iter().any(|kind| is_among(*kind, &used, tables))
    };
    // "On how many days" counts days.
    let is_quantity = |at: usize, noun: &String| {
        let inside = at.checked_sub(3).and_then(|at| words.get(at));
        language.is_unit(noun) && !groups(at + 1) && !inside.is_some_and(|word| language.is_inside(word))
    };
    let mut counted = words.iter().enumerate().filter(|(at, _)| is_counted(*at));
    // "How many vessel inspections" counts inspections.
    let is_modifier = |at: usize| {
        let head = words.get(at + 1).map(|head| called(head, language, tables)).unwrap_or_default();
        head.iter().any(|kind| is_among(*kind, &used, tables))
    };
    let other = counted.find(|(at, word)| {
        left_out.contains(word) && ((is_other(word) && !is_modifier(*at)) || is_quantity(*at, word))
    });
    other.map(|(_, word)| word.clone())
}
