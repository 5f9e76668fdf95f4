//! What things lack: "which dams have no operator" asks for those without a value, whatever else a
//! model negates.

use quipu_language::{Language, Side, asks_for, meanings_at, role_of_heads, side_of, subject_of};
use quipu_query::{
    Body, Column, ColumnRef, Comparison, Doubt, Expression, From, Item, Join, Kind, Mend, Place, Query,
    Select, Source, Table, Tables, words_of,
};

use crate::Nearness;
use crate::things::kinds::things_called;

/// From this similarity on, a word and a reading speak of the same thing.
const SYNONYMS: f64 = 0.6;

/// The words behind a negation, without articles and other small words, up to the next of them: the
/// key holder of "has no key holder", "repaired" of "have never been repaired".
pub(crate) fn denied(words: &[String]) -> Vec<String> {
    let language = Language::of_words(words);
    let denies = |at: &usize| meanings_at(words, *at).iter().any(|meaning| meaning.means == "negation");
    let Some(negation) = (0..words.len()).find(denies) else { return Vec::new() };
    let tells = |word: &&String| language.meanings(word).is_empty();
    let behind = words.iter().skip(negation + 1).skip_while(|word| !tells(word));
    behind.take_while(tells).cloned().collect()
}

/// A denied verb and its object of any kind: "returned" and "book" of "has not returned a book".
pub(crate) fn object_of_denied(words: &[String]) -> Option<(&String, &String)> {
    let language = Language::of_words(words);
    let denies = |at: &usize| meanings_at(words, *at).iter().any(|meaning| meaning.means == "negation");
    let negation = (0..words.len()).find(denies)?;
    match words.get(negation + 1..)? {
        [verb, article, object, ..]
            if language.meanings(verb).is_empty() && language.is_any_article(article) =>
        {
            Some((verb, object))
        }
        _ => None,
    }
}

/// The noun of "no noun", "without a noun" or "lacks a noun", if a query leaves all of it out: "the
/// tools that have no manual" are not those that nobody borrowed.
pub(crate) fn nothing_of_what_is_denied(
    words: &[String],
    left_out: &[String],
    near: &Nearness,
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    // "Without a manual", "do not have a manual", but "nobody has used it".
    let denies_having = |at: &usize| {
        let denies = meanings_at(words, *at).iter().any(|meaning| meaning.means == "negation");
        let word = |by: usize| words.get(at + by);
        let has = word(1).is_some_and(|next| language.is_having(next));
        denies && has && word(2).is_some_and(|article| language.is_any_article(article))
    };
    let at = words
        .iter()
        .position(|word| language.denies_a_thing(word))
        .or_else(|| (0..words.len()).find(denies_having))?;
    let tells = |word: &&String| language.meanings(word).is_empty() && !language.is_having(word);
    let noun: Vec<&String> =
        words.iter().skip(at + 1).skip_while(|word| !tells(word)).take_while(tells).collect();
    let first = noun.first()?;
    // "Without any cars" is said of vehicles.
    let is_other = |word: &&String| {
        left_out.contains(word)
            && near.to(word).is_none_or(|near| near < SYNONYMS)
            && !is_at_an_end(word, query, tables)
    };
    noun.iter().all(is_other).then(|| (*first).clone())
}

/// Whether a noun names the things that a relation of a query's tables of links leads to: "no
/// patron" is said of those that are not among the heads of `commissioned by`.
pub(crate) fn is_at_an_end(noun: &str, query: &Query, tables: &Tables) -> bool {
    let kinds = things_called(noun, Language::of(noun), tables);
    let links = query.tables().into_iter().filter_map(|(_, table)| table);
    let links = links.filter(|at| tables.table(*at).is_some_and(Table::is_links));
    let mut ends = links.filter_map(|table| tables.leads_to(Place { table, column: 1 }));
    ends.any(|end| kinds.contains(&end))
}

/// The noun behind "nor", if a query leaves it out: the towns with "neither a headquarters nor a
/// school" are not all without a headquarters.
pub(crate) fn second_denied(words: &[String], left_out: &[String]) -> Option<String> {
    let language = Language::of_words(words);
    let at = words.iter().position(|word| language.denies_a_second(word))?;
    let tells = |word: &&String| language.meanings(word).is_empty();
    let mut noun = words.iter().skip(at + 1).skip_while(|word| !tells(word)).take_while(tells);
    noun.find(|word| left_out.contains(word)).cloned()
}

/// Demands the record that lacks what the question denies, where a left join also takes things
/// without any record: "who has not returned a hire" has hired something. For a bound query.
pub(crate) fn with_a_record_that_lacks(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let denied = denied(&words);
    let is_denied = |column: &Column| {
        let mut naming = words_of(&column.title).into_iter().filter(|of| language.meanings(of).is_empty());
        naming.any(|of| denied.iter().any(|word| language.is_form(word, &of)))
    };
    let Body::Select(select) = &mut query.body else { return None };
    let conditions: Vec<&Expression> = select.filter.iter().flat_map(Expression::conjuncts).collect();
    let lacks = |from: &From| {
        conditions.iter().any(|condition| {
            let Expression::IsNull(of) = condition else { return false };
            let Expression::Column(of) = &**of else { return false };
            let place = of.place.filter(|place| place.column > 0 && of.table.as_ref() == Some(&from.alias));
            let table = place.and_then(|place| tables.table(place.table)).filter(|table| !table.is_links());
            let column = place.and_then(|place| tables.column(place));
            table.zip(column).is_some_and(|(table, column)| {
                column.filled > 0 && column.filled < table.rows && is_denied(column)
            })
        })
    };
    let at = select.from.iter().position(|from| matches!(from.join, Join::Left(Some(_))) && lacks(from))?;
    let from = select.from.get_mut(at)?;
    if let Join::Left(on) = &mut from.join {
        from.join = Join::Inner(on.take());
    }
    let text = format!("only {} that exist may lack it", from.alias);
    Some(Mend { text, doubt: Doubt::Little })
}

/// Mends a negation of something else than the question denies. Where a thing may lack the value
/// that the question denies, those without it are meant; where a record of the thing may lack it,
/// those with such a record. For a bound query whose only negation is `name NOT IN (SELECT …)`.
pub(crate) fn those_that_lack(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let denied = denied(&words);
    if denied.is_empty() {
        return None;
    }
    let mut used: Vec<Place> = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Column(column) = part {
            used.extend(column.place);
        }
    });
    let is_denied = |place: Place, column: &Column| {
        let mut title = words_of(&column.title);
        title.retain(|word| language.meanings(word).is_empty());
        let is_said = |word: &String| denied.iter().any(|denied| language.is_form(denied, word));
        !used.contains(&place) && !title.is_empty() && title.iter().all(is_said)
    };
    let lacked = |table: usize| {
        let of = tables.table(table).filter(|of| !of.is_links())?;
        let columns = (1..).zip(of.columns.get(1..)?);
        let mut gaps = columns
            .filter(|(column, of_column)| {
                is_denied(Place { table, column: *column }, of_column) && of_column.filled < of.rows
            })
            .map(|(column, of_column)| (Place { table, column }, of_column.id.clone()));
        gaps.next().filter(|_| gaps.next().is_none())
    };
    if let Some(mend) = those_that_hold_none(question, query, tables) {
        return Some(mend);
    }
    let Body::Select(select) = &mut query.body else { return None };
    let (name, within) = lone_negation(select)?;
    let own = name.place.filter(|place| place.column == 0).and_then(|place| lacked(place.table));
    let of_records = within.and_then(|within| only_table(&within)).and_then(|(alias, at)| {
        let (place, id) = lacked(at)?;
        Some((alias, place, id))
    });
    let none = |table: Option<String>, name: String, place: Place| {
        Expression::IsNull(Box::new(Expression::Column(ColumnRef { table, name, place: Some(place) })))
    };
    let filter = select.filter.as_mut()?;
    if let Some((place, id)) = own {
        let text = format!("the question asks for those without {id}");
        *negation_in(filter)? = none(name.table, id, place);
        return Some(Mend { text, doubt: Doubt::Little });
    }
    let (alias, place, id) = of_records?;
    let negation = negation_in(filter)?;
    let Expression::Not(inner) = std::mem::replace(negation, Expression::Null) else { return None };
    let Expression::InQuery(of, mut within) = *inner else { return None };
    if let Body::Select(within) = &mut within.body {
        within.filter = Some(Expression::both(within.filter.take(), none(Some(alias), id.clone(), place)));
    }
    *negation = Expression::InQuery(of, within);
    Some(Mend { text: format!("the question asks for those with one without {id}"), doubt: Doubt::Little })
}

/// Asks for the people, instead of the things without any: "who holds no key" are the members that
/// hold none, not the sheds that nobody holds the key of.
fn those_that_hold_none(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let select = query.select().filter(|select| select.group.is_empty())?;
    let ([item], [from], Some(Expression::IsNull(of))) =
        (select.items.as_slice(), select.from.as_slice(), &select.filter)
    else {
        return None;
    };
    let (Expression::Column(given), Expression::Column(lacked)) = (&item.expression, &**of) else {
        return None;
    };
    let (given, place) = (given.place.filter(|given| given.column == 0)?, lacked.place?);
    let Kind::Entity(Some(people)) = tables.column(place)?.kind else { return None };
    let (things, holders) = (tables.table(given.table)?, tables.table(people)?);
    let is_said =
        |title: &str| words_of(title).iter().any(|of| words.iter().any(|word| language.is_noun(word, of)));
    let asks_for_them = asks_for(question) == Some("person") || is_said(&holders.title);
    if given.table != place.table || people == given.table || is_said(&things.title) || !asks_for_them {
        return None;
    }
    let name = holders.columns.first()?.id.clone();
    let names =
        ColumnRef { table: Some(holders.id.clone()), name, place: Some(Place { table: people, column: 0 }) };
    let holding = Select {
        items: vec![Item { expression: Expression::Column(lacked.clone()), alias: None }],
        from: vec![from.clone()],
        ..Select::default()
    };
    let body = Body::Select(Box::new(holding));
    let holding = Query { body, order: Vec::new(), limit: None, offset: 0 };
    let names = Expression::Column(names);
    let among = Expression::InQuery(Box::new(names.clone()), Box::new(holding));
    let source = Source::Table(holders.id.clone(), Some(people));
    let text = format!("the question asks for the {}, not for the {}", holders.title, things.title);
    query.body = Body::Select(Box::new(Select {
        items: vec![Item { expression: names, alias: None }],
        from: vec![From { source, alias: holders.id.clone(), join: Join::Inner(None) }],
        filter: Some(Expression::Not(Box::new(among))),
        ..Select::default()
    }));
    Some(Mend { text, doubt: Doubt::Little })
}

/// Asks for those without a value where a query denies the values of a relation whose own name
/// calls its heads: who has never been "anyone's apprentice" is `apprentice of` nobody, and not
/// nobody's master. For a bound query whose only negation is `name NOT IN (SELECT …)`.
pub(crate) fn denied_role(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let Body::Select(select) = &mut query.body else { return None };
    let (name, within) = lone_negation(select)?;
    let within = within?;
    let (_, table) = only_table(&within)?;
    let [Item { expression: Expression::Column(held), .. }] = within.items.as_slice() else { return None };
    let place = held.place.filter(|place| place.column > 0 && place.table == table)?;
    if name.place != Some(Place { table, column: 0 }) || tables.leads_to(place) != Some(table) {
        return None;
    }
    let column = tables.column(place)?;
    let role = role_of_heads(&column.title)?;
    let said = denied(&words).into_iter().chain(words.iter().rev().take(1).cloned());
    if !said.into_iter().any(|word| language.is_noun(&word, &role)) {
        return None;
    }
    let own = ColumnRef { name: column.id.clone(), place: Some(place), ..name };
    let negation = negation_in(select.filter.as_mut()?)?;
    *negation = Expression::IsNull(Box::new(Expression::Column(own)));
    Some(Mend { text: format!("the question asks for those without {}", column.id), doubt: Doubt::Little })
}

/// Denies a relation within one kind from the side that the question asks for. Who "was not taught
/// by anyone" has no `taught_by`, and who "taught nobody" is no value of it. For a bound query of
/// which the only negation is `name NOT IN (SELECT …)`, or the only condition a missing value.
pub(crate) fn denied_side(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let Body::Select(select) = &mut query.body else { return None };
    let conditions = select.filter.as_ref()?.conjuncts();
    let only = if let [condition] = conditions[..] { Some(condition) } else { None };
    let (name, denied) = match (lone_negation(select), only) {
        (Some((name, within)), _) => {
            let within = within?;
            only_table(&within)?;
            let [Item { expression: Expression::Column(denied), .. }] = within.items.as_slice() else {
                return None;
            };
            (name, denied.place?)
        }
        (None, Some(Expression::IsNull(of))) => match (select.items.as_slice(), &**of) {
            ([Item { expression: Expression::Column(name), .. }], Expression::Column(of)) => {
                (name.clone(), Place { column: 0, ..of.place? })
            }
            _ => return None,
        },
        _ => return None,
    };
    let missing = match only {
        Some(Expression::IsNull(of)) => Some(&**of),
        _ => None,
    };
    let of = tables.table(denied.table)?;
    let tail = match missing {
        Some(Expression::Column(of)) => of.place?,
        _ if of.is_links() => Place { column: 1, ..denied },
        _ => denied,
    };
    let kind = name.place.filter(|place| place.column == 0)?.table;
    let ends = [Place { column: 0, ..tail }, tail];
    if tail.column == 0 || ends.iter().any(|end| tables.leads_to(*end) != Some(kind)) {
        return None;
    }
    let relation = tables.column(tail)?;
    let wanted = match side_of_subject(&words, &relation.title)? {
        Side::Head => ends[0],
        Side::Tail => tail,
    };
    if wanted == denied {
        return None;
    }
    let column = |table: &str, place: Place| {
        let name = tables.column(place)?.id.clone();
        Some(Expression::Column(ColumnRef { table: Some(table.to_owned()), name, place: Some(place) }))
    };
    let lacks = if wanted.column == 0 && !of.is_links() {
        Expression::IsNull(Box::new(column(name.table.as_ref()?, tail)?))
    } else {
        let alias = format!("{}_denied", of.id);
        let within = Select {
            items: vec![Item { expression: column(&alias, wanted)?, alias: None }],
            from: vec![From {
                source: Source::Table(of.id.clone(), Some(wanted.table)),
                alias,
                join: Join::Inner(None),
            }],
            ..Select::default()
        };
        let body = Body::Select(Box::new(within));
        let within = Query { body, order: Vec::new(), limit: None, offset: 0 };
        let among = Expression::InQuery(Box::new(Expression::Column(name)), Box::new(within));
        Expression::Not(Box::new(among))
    };
    let filter = select.filter.as_mut()?;
    match negation_in(filter) {
        Some(negation) => *negation = lacks,
        None => *filter = lacks,
    }
    let text = format!("the question denies the other side of “{}”", relation.title);
    Some(Mend { text, doubt: Doubt::Little })
}

/// The side of a relation on which the things that a question with a negation asks for stand.
fn side_of_subject(words: &[String], relation: &str) -> Option<Side> {
    let language = Language::of_words(words);
    let subject = subject_of(words)?;
    // "Who did not teach anyone" asks for the same side as "who taught anyone".
    let is_aside = |at: usize, word: &String| {
        let denies = meanings_at(words, at).iter().any(|meaning| meaning.means == "negation");
        let helps = at == subject.end && language.begins_yes_or_no(word);
        at >= subject.end && (denies || (helps && !language.is_be(word) && !language.is_having(word)))
    };
    // "Was never apprenticed to anyone" is said of the heads of `apprenticed to`.
    let title = words_of(relation);
    let is_predicate = |at: usize| {
        let before = words.iter().take(at).rev();
        let mut before =
            before.skip_while(|word| language.meanings(word).iter().any(|m| m.means == "negation"));
        before.next().is_some_and(|word| language.is_be(word))
    };
    let full = (subject.end..words.len()).find(|at| {
        title.len() > 1 && words.iter().skip(*at).zip(&title).filter(|(a, b)| a == b).count() == title.len()
    });
    if full.is_some_and(|at| at + title.len() < words.len() && is_predicate(at)) {
        return Some(Side::Head);
    }
    let stated = words.iter().enumerate().filter(|(at, word)| !is_aside(*at, word));
    side_of(&stated.map(|(_, word)| word.clone()).collect::<Vec<_>>(), &subject, relation)
}

/// The only negation of a SELECT, if it denies that a thing is among those of a plain query.
pub(super) fn lone_negation(select: &Select) -> Option<(ColumnRef, Option<Select>)> {
    let all = select.filter.as_ref()?.conjuncts();
    let mut negations = all.into_iter().filter(|one| matches!(one, Expression::Not(_)));
    let (Some(Expression::Not(inner)), None) = (negations.next(), negations.next()) else { return None };
    let (of, within) = match &**inner {
        Expression::InQuery(of, within) => (&**of, within),
        Expression::Exists(within) => return joined_within(within.select()?),
        _ => return None,
    };
    let Expression::Column(name) = of else { return None };
    let is_whole = within.limit.is_none() && within.offset == 0;
    Some((name.clone(), within.select().filter(|_| is_whole).cloned()))
}

/// The outer column of an EXISTS whose only condition is that a column of its table equals it, and
/// the SELECT of the values of that column.
fn joined_within(within: &Select) -> Option<(ColumnRef, Option<Select>)> {
    let [from] = within.from.as_slice() else { return None };
    let Some(Expression::Compare(Comparison::Equal, one, other)) = &within.filter else { return None };
    let (Expression::Column(one), Expression::Column(other)) = (&**one, &**other) else { return None };
    let is_own = |column: &ColumnRef| column.table.as_ref() == Some(&from.alias);
    let (own, outer) = match (is_own(one), is_own(other)) {
        (true, false) => (one, other),
        (false, true) => (other, one),
        _ => return None,
    };
    let items = vec![Item { expression: Expression::Column(own.clone()), alias: None }];
    Some((outer.clone(), Some(Select { items, from: vec![from.clone()], ..Select::default() })))
}

/// The negation among the conditions.
pub(super) fn negation_in(condition: &mut Expression) -> Option<&mut Expression> {
    match condition {
        Expression::Not(_) => Some(condition),
        Expression::And(left, right) => match negation_in(left) {
            Some(found) => Some(found),
            None => negation_in(right),
        },
        _ => None,
    }
}

/// The only table of a SELECT without conditions, with its alias.
pub(crate) fn only_table(select: &Select) -> Option<(String, usize)> {
    match select.from.as_slice() {
        [from] if select.filter.is_none() && select.group.is_empty() => match from.source {
            Source::Table(_, Some(at)) => Some((from.alias.clone(), at)),
            _ => None,
        },
        _ => None,
    }
}
