//! Relatives of whom a question speaks: a step that a reading leaves out, and the sex that a word
//! for a relative tells.

use quipu_language::{Language, is_possessive};
use quipu_query::{
    Body, ColumnRef, Comparison, Doubt, Expression, Found, From, How, Item, Join, Kind, Mend, Place, Query,
    Select, Source, Tables, Values, words_of,
};

use super::roles::head_noun;
use crate::said::Said;
use crate::slips::each_query;

/// A relative of somebody, if a query goes to no other thing of their kind: "who owns the mother of
/// Misty" is not who owns Misty.
pub(crate) fn relative_left_out(
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
    let goes = query.places().into_iter().any(|place| {
        let heads = tables.table(place.table).and_then(|table| table.columns.first()).map(|of| of.kind);
        let tails = tables.column(place).filter(|_| place.column > 0).map(|of| of.kind);
        heads == tails && matches!(heads, Some(Kind::Entity(Some(_))))
    });
    (!goes).then(|| relative.clone())
}

/// A noun for people of one sex that a query leaves out, although it takes them from a table that
/// tells it: "the men of a house" are not all its people.
pub(crate) fn sex_left_out(
    left_out: &[String],
    language: Language,
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let noun = left_out.iter().find(|word| language.names_a_gender(word))?;
    let tells = |place: Place| sex_of(place.table, language, tables).is_some();
    query.places().into_iter().any(tells).then(|| noun.clone())
}

/// Whether a query, which takes the relation of a relative in general, heeds the sex that a word
/// tells: the "mother" among the `parents`. It need not where the graph does not state the sex of
/// these people. None if the query takes no such relation, or one with a single value: the only
/// `parent` may be the father.
pub(crate) fn heeds_sex(
    word: &str,
    language: Language,
    query: &Query,
    said: &Said,
    tables: &Tables,
) -> Option<bool> {
    let (mut is_used, mut is_one, mut is_told) = (false, false, false);
    for place in query.places() {
        if is_of_either_sex(word, language, place, tables) {
            is_used = true;
            is_one |= tables.table(place.table).is_some_and(|table| !table.is_links());
            is_told |= tables.leads_to(place).is_some_and(|kind| sex_of(kind, language, tables).is_some());
        }
    }
    let told = language.genders_told_by(word);
    let is_told_by_it = |value: &String| match told.as_slice() {
        [] => language.states_a_gender(value),
        told => told.iter().any(|of| of.eq_ignore_ascii_case(value)),
    };
    let compares_sex = || said.values.iter().any(is_told_by_it);
    match is_told {
        _ if !is_used => None,
        _ if language.is_partner(word) || compares_sex() => Some(true),
        true => Some(false),
        false => (!is_one).then_some(true),
    }
}

/// Whether a relation goes to the relatives that a word names, and to those of the other sex too:
/// `parents` for "mother".
fn is_of_either_sex(word: &str, language: Language, place: Place, tables: &Tables) -> bool {
    let wider = language.relatives_of_either_sex(word);
    let title = tables.column(place).map(|column| words_of(&column.title)).unwrap_or_default();
    title.last().is_some_and(|last| wider.iter().any(|of| language.is_form(of, last)))
}

/// The column of a kind of people that tells their sex.
fn sex_of(kind: usize, language: Language, tables: &Tables) -> Option<Place> {
    let mut own = tables.columns().filter(|(place, _)| place.table == kind && place.column > 0);
    let tells = |title: &str| words_of(title).iter().any(|word| language.tells_genders(word));
    own.find(|(_, column)| tells(&column.title)).map(|(place, _)| place)
}

/// Keeps the relatives of the sex that the question's word tells, where a query takes those of
/// either sex and the graph states the sex: the mother among the parents. For a bound query that
/// takes one such relation once, and does not ask for those without.
pub(crate) fn of_the_told_sex(
    question: &str,
    query: &mut Query,
    tables: &Tables,
    values: &Values,
) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let mut relatives = words.iter().filter(|word| !language.genders_told_by(word).is_empty());
    let word = relatives.next().filter(|_| relatives.next().is_none())?;
    let (mut used, mut lacks): (Vec<ColumnRef>, bool) = (Vec::new(), false);
    query.visit(&mut |part| match part {
        Expression::Column(column)
            if column.place.is_some_and(|place| is_of_either_sex(word, language, place, tables))
                && !used.contains(column) =>
        {
            used.push(column.clone());
        }
        Expression::IsNull(_) => lacks = true,
        _ => {}
    });
    let [relation] = used.as_slice() else { return None };
    if lacks {
        return None;
    }
    let place = relation.place?;
    let kind = tables.leads_to(place)?;
    let sex = sex_of(kind, language, tables).filter(|sex| !query.places().contains(sex))?;
    let told = language.genders_told_by(word);
    let mut stated = told.iter().filter_map(|value| values.lookup(tables, &Found::default(), sex, value));
    let stated = stated.find(|found| found.how == How::Exact)?;
    let people = tables.table(kind)?;
    let alias = format!("the_{}", people.id);
    let own = |column: usize| {
        let name = people.columns.get(column).map(|column| column.id.clone()).unwrap_or_default();
        let place = Some(Place { table: kind, column });
        Expression::Column(ColumnRef { table: Some(alias.clone()), name, place })
    };
    let shown = stated.shown.first().cloned().unwrap_or_default();
    let is_stated = Expression::Compare(
        Comparison::Equal,
        Box::new(own(sex.column)),
        Box::new(Expression::Terms(stated.terms, shown)),
    );
    let source = Source::Table(people.id.clone(), Some(kind));
    let of_the_sex = Select {
        items: vec![Item { expression: own(0), alias: None }],
        from: vec![From { source, alias: alias.clone(), join: Join::Inner(None) }],
        filter: Some(is_stated),
        ..Select::default()
    };
    let of_the_sex = Query::of(of_the_sex);
    let relation = relation.clone();
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let has_it = |from: &From| {
            relation.table.as_ref() == Some(&from.alias)
                && matches!(from.source, Source::Table(_, Some(table)) if table == place.table)
        };
        if mend.is_none() && select.from.iter().any(has_it) {
            let relative = Box::new(Expression::Column(relation.clone()));
            let among = Expression::InQuery(relative, Box::new(of_the_sex.clone()));
            select.filter = Some(Expression::both(select.filter.take(), among));
            let text = format!("the question's “{word}” tells the {}", own_title(sex, tables));
            mend = Some(Mend { text, doubt: Doubt::None });
        }
    });
    mend
}

fn own_title(place: Place, tables: &Tables) -> &str {
    tables.column(place).map_or("", |column| column.title.as_str())
}

/// A word for two steps of one kind, if a query takes one step only: a grandson is no son, and the
/// teacher of Ida's teacher did not teach Ida.
pub(crate) fn second_step_left_out(
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
/// Piers are not those that he made. The first noun of the question is no such role ("members of
/// the club" are those with the club), unless it does what the question tells: "what did the
/// students of Gisela copy".
pub(crate) fn role_of_the_named_left_out(
    question: &str,
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of(question);
    let words = words_of(question);
    let first = head_noun(question);
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
        let before = |back: usize| at.checked_sub(back).and_then(|at| words.get(at));
        let does = |word: &String| language.begins_yes_or_no(word) && !language.is_be(word);
        let is_subject = language.is_plural(role)
            && before(1).is_some_and(|word| language.is_any_article(word))
            && before(2).is_some_and(does);
        let is_other = first.as_ref().is_some_and(|first| first != role) || is_subject;
        let is_role = is_other && left_out.contains(role) && !language.is_light_noun(role);
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
        .filter_map(|text| Some((words_of(text).into_iter().next()?, is_possessive(text))))
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
