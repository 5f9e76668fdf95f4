//! Verbs beside the names of a question: they say which relation is meant, and from which end.

use std::ops::Range;

use quipu_language::{Language, Side, side_of};
use quipu_query::{Column, Comparison, Expression, Place, Query, Tables, words_of};

use crate::said::Said;
use crate::things::kinds::is_among;

/// The relation that a verb of the question, beside a name, stands for, if the reading uses other
/// relations only: "who reports to A" does not ask whom A saw. The relation must belong to the kind
/// of the named thing or of the given things: a verb that is only said of orchards may ask about a
/// farm in another way.
pub(crate) fn by_another_verb(
    words: &[String],
    query: &Query,
    said: &Said,
    tables: &Tables,
) -> Option<String> {
    let given = query.select().and_then(|select| match &select.items.first()?.expression {
        Expression::Column(column) => tables.leads_to(column.place?),
        _ => None,
    });
    named(words, query, tables).into_iter().find_map(|(span, kind)| {
        if said.columns.keys().any(|title| side_in_other_words(words, &span, title).is_some()) {
            return None;
        }
        let mut columns = tables.columns().filter(|(place, _)| place.column > 0);
        let meant = columns.find(|(place, column)| {
            let (head, tail) = (tables.leads_to(Place { column: 0, ..*place }), tables.leads_to(*place));
            if !is_whole(&column.title, words) {
                return false;
            }
            let ends = match side_in_other_words(words, &span, &column.title) {
                Some(Side::Head) => (head, tail),
                Some(Side::Tail) => (tail, head),
                None => return false,
            };
            ends.0.is_some() && ends.0 == kind || ends.1.is_some() && ends.1 == given
        });
        meant.map(|(_, column)| column.title.clone())
    })
}

/// The end of a relation on which a name stands, by the relation's own verb or by another verb for
/// the same: "manufacture" for "made by".
fn side_in_other_words(words: &[String], name: &Range<usize>, relation: &str) -> Option<Side> {
    let language = Language::of_words(words);
    let title = words_of(relation).join(" ");
    side_of(words, name, relation).or_else(|| {
        let is_other = |word: &String| language.other_words(word).contains(&title);
        let at = words.iter().position(is_other).filter(|at| !name.contains(at))?;
        let mut said = words.to_vec();
        said.get_mut(at)?.clone_from(words_of(relation).first()?);
        side_of(&said, name, relation)
    })
}

/// The relation of a reading whose verb stands beside a name in the question, if the named thing
/// can be no end of it: doctors report to doctors, so that none reports to a patient.
pub(crate) fn verb_of_another_kind(
    words: &[String],
    query: &Query,
    said: &Said,
    tables: &Tables,
) -> Option<String> {
    named(words, query, tables).into_iter().find_map(|(span, kind)| {
        let mut beside = said.columns.keys().filter(|title| side_of(words, &span, title).is_some());
        beside.find(|title| kind.is_some_and(|kind| is_of_others(title, kind, tables))).cloned()
    })
}

/// The names in a question that a query compares with, each with the kind of the thing there.
fn named(words: &[String], query: &Query, tables: &Tables) -> Vec<(Range<usize>, Option<usize>)> {
    let mut named = Vec::new();
    query.visit(&mut |part| {
        let Expression::Compare(Comparison::Equal, of, value) = part else { return };
        let (Expression::Column(of), Expression::Terms(_, name)) = (&**of, &**value) else { return };
        let name = words_of(name);
        let start = words.windows(name.len().max(1)).position(|window| *window == name);
        let kind = of.place.and_then(|place| tables.leads_to(place));
        named.extend(start.map(|start| (start..start + name.len(), kind)));
    });
    named
}

/// Whether a relation leads from things to things of the same kind, as managers are employees, and
/// nowhere from or to things of this kind.
fn is_of_others(title: &str, kind: usize, tables: &Tables) -> bool {
    let columns = || tables.columns().filter(|(place, column)| place.column > 0 && column.title == title);
    let ends = |place: Place| (tables.leads_to(Place { column: 0, ..place }), tables.leads_to(place));
    let is_of_one_kind = |(place, _): (Place, &Column)| {
        let (head, tail) = ends(place);
        head.is_some() && head == tail
    };
    let excludes = |(place, column): (Place, &Column)| match ends(place) {
        (Some(head), Some(tail)) => !column.mixed && !is_among(kind, &[head, tail], tables),
        _ => false,
    };
    columns().any(is_of_one_kind) && columns().all(excludes)
}

/// Whether the question has the final preposition of a relation's name: someone who "runs" a line
/// does not run on it. "By" only occurs in the passive, so it may be missing.
fn is_whole(title: &str, words: &[String]) -> bool {
    let language = Language::of_words(words);
    let last =
        words_of(title).pop().filter(|last| !language.meanings(last).is_empty() && !language.is_by(last));
    last.is_none_or(|last| words.contains(&last))
}

/// A named thing that acts in a relation according to the question, if the query uses it as neither
/// end of that relation: "which divers did the boat train" is not answered by those who trained
/// somebody on that boat.
pub(crate) fn acts_by_a_link(
    words: &[String],
    query: &Query,
    said: &Said,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let mut found = None;
    query.visit(&mut |part| {
        let Expression::Compare(Comparison::Equal, of, value) = part else { return };
        let (Expression::Column(of), Expression::Terms(_, name)) = (&**of, &**value) else { return };
        let named: Vec<String> = words_of(name).iter().map(|word| quipu_language::normalise(word)).collect();
        let Some(start) = words.windows(named.len().max(1)).position(|window| window == named) else {
            return;
        };
        let before = |at: usize| start.checked_sub(at).and_then(|at| words.get(at));
        // "Did the boat train": the name follows the auxiliary and acts. "Has tasted Ad Astra": the
        // name is the object.
        let ahead =
            if before(1).is_some_and(|word| language.is_article(word)) { before(2) } else { before(1) };
        let follows_a_verb = ahead.is_some_and(|word| language.begins_yes_or_no(word));
        let (Some(place), true) = (of.place, follows_a_verb) else { return };
        let Some(table) = tables.table(place.table) else { return };
        let is_end = |title: &String| {
            let is_it = |at: usize| table.columns.get(at).is_some_and(|column| column.title == *title);
            is_it(place.column) || (place.column == 0 && (0..table.columns.len()).any(is_it))
        };
        let span = start..start + named.len();
        let acts = |title: &&String| side_of(words, &span, title).is_some() && !is_end(title);
        if said.columns.keys().any(|title| acts(&title)) {
            found = Some(name.clone());
        }
    });
    found
}

/// The verb of a question whether it is possible, allowed or wise to do something, if a reading
/// leaves it out with the word before: "is it safe to eat off a plate" does not ask whether there
/// is a plate.
pub(crate) fn purpose_left_out(words: &[String], left_out: &[String]) -> Option<String> {
    let language = Language::of_words(words);
    let [be, it, rest @ ..] = words else { return None };
    if !language.is_be(be) || !language.is_expletive(it) {
        return None;
    }
    rest.windows(3).find_map(|three| match three {
        [how, to, verb] if language.leads_towards(to) => {
            (left_out.contains(how) && left_out.contains(verb)).then(|| verb.clone())
        }
        _ => None,
    })
}
