//! Roles that a question's noun names: "hosts born after 1985" are people who host something, where
//! all people are one table. And steps that a query only states: "Ada's spouse" is not Ada, who has
//! one.

use quipu_language::{Language, asking_clause, is_possessive, without_request};
use quipu_query::{
    Aggregate, Body, Column, ColumnRef, Doubt, Expression, From, Item, Join, Kind, Mend, Place, Query, Rows,
    Select, Source, Tables, words_of,
};

use crate::Nearness;
use crate::things::kinds::{called, naming_words, nouns};

/// The noun that a question asks for: behind "which", else its first word.
pub(super) fn head_noun(question: &str) -> Option<String> {
    let language = Language::of(question);
    let first = || {
        let words = without_request(asking_clause(question));
        let word = words.into_iter().find(|word| !language.is_article(word))?;
        (language.meanings(&word).is_empty() && language.is_plural(&word)).then_some(word)
    };
    nouns(question).into_iter().next().or_else(first)
}

/// Leaves only the things that have the role which the question's noun names: those that a column
/// of this name leads to. For a bound query that gives or counts things of one table and does not
/// use the column.
pub(crate) fn of_the_named_role(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let language = Language::of(question);
    let noun = head_noun(question).filter(|noun| called(noun, language, tables).is_empty())?;
    let select = query.select().filter(|select| select.group.is_empty())?;
    let given = given_things(select, tables)?;
    let things = tables.leads_to(given.place?)?;
    let is_role = |title: &str| words_of(title).last().is_some_and(|last| language.is_noun(&noun, last));
    let mut roles = tables.columns().filter(|(place, column)| {
        place.column > 0 && column.kind == Kind::Entity(Some(things)) && is_role(&column.title)
    });
    let (role, column) = roles.next().filter(|_| roles.next().is_none())?;
    let title = tables.table(things).map(|table| words_of(&table.title)).unwrap_or_default();
    let mut is_said = title.iter().any(|word| language.is_noun(&noun, word));
    query.visit(&mut |part| match part {
        Expression::Column(of) => is_said |= of.place == Some(role),
        Expression::Terms(_, text) | Expression::Text(text) | Expression::Like(_, text) => {
            is_said |= words_of(text).iter().any(|word| language.is_noun(&noun, word));
        }
        _ => {}
    });
    if is_said {
        return None;
    }
    let owner = tables.table(role.table)?;
    let alias = format!("{}_with_{}", owner.id, column.id);
    let of = ColumnRef { table: Some(alias.clone()), name: column.id.clone(), place: Some(role) };
    let source = Source::Table(owner.id.clone(), Some(role.table));
    let those = Select {
        items: vec![Item { expression: Expression::Column(of), alias: None }],
        from: vec![From { source, alias, join: Join::Inner(None) }],
        ..Select::default()
    };
    let text = format!("the question asks for those that are a {} of something", column.title);
    let condition = Expression::InQuery(Box::new(Expression::Column(given)), Box::new(Query::of(those)));
    let Body::Select(select) = &mut query.body else { return None };
    select.filter = Some(Expression::both(select.filter.take(), condition));
    Some(Mend { text, doubt: Doubt::Little })
}

/// The column of the things that a SELECT gives or counts.
pub(super) fn given_things(select: &Select, tables: &Tables) -> Option<ColumnRef> {
    let name_of = |from: &From| {
        let Source::Table(_, Some(at)) = &from.source else { return None };
        let table = tables.table(*at).filter(|table| !table.is_links())?;
        let place = Some(Place { table: *at, column: 0 });
        Some(ColumnRef { table: Some(from.alias.clone()), name: table.columns.first()?.id.clone(), place })
    };
    match &select.items.first()?.expression {
        Expression::Column(of) => Some(of.clone()),
        Expression::Aggregate { function: Aggregate::Count, of: None, .. } => match select.from.as_slice() {
            [from] => name_of(from),
            _ => None,
        },
        Expression::Aggregate { function: Aggregate::Count, of: Some(of), .. } => match &**of {
            Expression::Column(of) => Some(of.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The noun behind a possessive, if a query only states that there is one: "on which episodes was
/// Ada's spouse a guest" is not answered by those on which Ada was, who has a spouse.
/// Nor is she where a query leaves the noun out that a column of the graph is called by or that is
/// a role, or gives a property of hers for that of a relative.
pub(crate) fn possessed_left_out(
    question: &str,
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of(question);
    let texts: Vec<&str> = question.split_whitespace().collect();
    let behind = texts.windows(2).filter_map(|pair| match pair {
        [owner, noun] if is_possessive(owner) => words_of(noun).into_iter().next(),
        _ => None,
    });
    let is_titled = |noun: &String| {
        let is_it = |title: &str| words_of(title).last().is_some_and(|last| language.is_noun(noun, last));
        tables.columns().any(|(place, column)| place.column > 0 && is_it(&column.title))
    };
    let mut properties = query.places().into_iter().filter(|place| place.column > 0);
    let first = properties.next();
    let takes_one = properties.all(|place| Some(place) == first);
    let is_relative = |noun: &String| (language.is_kin(noun) || language.is_partner(noun)) && takes_one;
    let may_be = |noun: &String| is_titled(noun) || is_relative(noun) || language.is_known_role(noun);
    let mut behind = behind;
    behind.find(|noun| {
        let is_it = |part: &Expression| {
            let column = part.place().and_then(|place| tables.column(place));
            let title = column.map(|column| words_of(&column.title)).unwrap_or_default();
            title.last().is_some_and(|last| language.is_form(noun, last))
        };
        let (mut used, mut stated) = (0, 0);
        query.visit(&mut |part| {
            used += usize::from(is_it(part));
            if let Expression::Not(inner) = part
                && let Expression::IsNull(of) = &**inner
            {
                stated += usize::from(is_it(of));
            }
        });
        used == stated && (used > 0 || (left_out.contains(noun) && may_be(noun)))
    })
}

/// The first noun of a question, if a query gives the things behind its "of" for what they are
/// asked for: "neighbours of the region that …" are not that region.
pub(crate) fn role_left_out(
    question: &str,
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of(question);
    let words = without_request(asking_clause(question));
    let tells = |word: &String| language.meanings(word).is_empty();
    let at = words.iter().position(tells)?;
    let role = words.get(at).filter(|role| left_out.contains(role) && !language.is_light_noun(role))?;
    words.get(at + 1).filter(|of| language.is_of(of))?;
    let kind = words.iter().skip(at + 2).find(|word| tells(word))?;
    let given = given_things(query.select()?, tables)?.place.filter(|place| place.column == 0)?;
    let title = tables.table(given.table).map(|table| words_of(&table.title))?;
    let is_kind = title.last().is_some_and(|last| language.is_noun(kind, last));
    is_kind.then(|| role.clone())
}

/// A word before a role that names somebody else, if a query leaves it out: the head is not the
/// deputy head.
pub(crate) fn deputy_left_out(words: &[String], left_out: &[String]) -> Option<String> {
    let language = Language::of_words(words);
    let mut pairs = words.windows(2);
    pairs.find_map(|pair| match pair {
        [deputy, role] if language.names_a_deputy(deputy) && language.meanings(role).is_empty() => {
            left_out.contains(deputy).then(|| deputy.clone())
        }
        _ => None,
    })
}

/// A noun before "of the author", if a query gives that author: who supervised the doctorate of the
/// author of a book did not write it.
pub(crate) fn role_of_a_role_left_out(
    words: &[String],
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let select = query.select()?;
    let given = given_things(select, tables).filter(|_| select.group.is_empty())?;
    let tells = |word: &&String| language.meanings(word).is_empty();
    let behind = |at: usize| {
        let of = words.get(at + 1).filter(|of| language.is_of(of));
        of.and_then(|_| words.iter().skip(at + 2).find(tells))
    };
    // The columns that hold the things given: their own, and those that a join leads to them by.
    let mut titles: Vec<&str> = Vec::new();
    let mut hold = |of: &Expression, other: Option<&Expression>| {
        let Expression::Column(column) = of else { return };
        let is_given =
            *column == given || other.is_some_and(|other| *other == Expression::Column(given.clone()));
        if let Some(column) =
            column.place.filter(|place| is_given && place.column > 0).and_then(|place| tables.column(place))
        {
            titles.push(&column.title);
        }
    };
    hold(&Expression::Column(given.clone()), None);
    for join in &select.from {
        if let Join::Inner(Some(Expression::Compare(_, a, b)))
        | Join::Left(Some(Expression::Compare(_, a, b))) = &join.join
        {
            hold(a, Some(b));
            hold(b, Some(a));
        }
    }
    let is_given = |noun: &String| {
        titles.iter().any(|title| words_of(title).last().is_some_and(|last| language.is_noun(noun, last)))
    };
    words.iter().enumerate().find_map(|(at, word)| {
        let is_left = left_out.contains(word) && !language.is_light_noun(word);
        (is_left && behind(at).is_some_and(is_given)).then(|| word.clone())
    })
}

/// A role before a name, behind a preposition, if a query leaves it out: "the e-mail of the head of
/// Sales" is not that of everybody there, and "by the maker of the urn" not of the urn's year. A
/// role ends like one ("winner"), has other names ("head"), or is what a column of the graph tells
/// ("maker").
pub(crate) fn role_before_a_name_left_out(
    words: &[String],
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let mut names: Vec<Vec<String>> = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Terms(_, name) = part {
            names.push(words_of(name));
        }
    });
    let without_article = |from: usize| match words.get(from) {
        Some(word) if language.is_any_article(word) => from + 1,
        _ => from,
    };
    let tells = |column: &Column, noun: &String| {
        let is_it = |word: &String| language.is_agent(noun, word) || language.is_of_one_root(noun, word);
        matches!(column.kind, Kind::Entity(_)) && words_of(&column.title).iter().any(is_it)
    };
    let is_told = |noun: &String| tables.columns().any(|(_, column)| tells(column, noun));
    let is_used = |noun: &String| {
        query.places().into_iter().filter_map(|place| tables.column(place)).any(|column| tells(column, noun))
    };
    let is_role = |noun: &String| {
        let may_be = language.ends_like_a_role(noun) || !language.other_words(noun).is_empty();
        (may_be || is_told(noun)) && !is_used(noun)
    };
    words.iter().enumerate().find_map(|(at, noun)| {
        let before = |back: usize| at.checked_sub(back).and_then(|at| words.get(at));
        let article = before(1).filter(|word| language.is_any_article(word));
        let leads = before(if article.is_some() { 2 } else { 1 })?;
        let is_behind = language.is_of(leads) || language.is_preposition(leads);
        words.get(at + 1).filter(|of| is_behind && language.is_of(of))?;
        let name = words.get(without_article(at + 2)..)?;
        let is_named = names.iter().any(|words| !words.is_empty() && name.starts_with(words));
        let is_left = is_named && left_out.contains(noun) && !language.is_light_noun(noun);
        (is_left && language.meanings(noun).is_empty() && is_role(noun)).then(|| noun.clone())
    })
}

/// A noun for what somebody does, before "of the person who", if a query leaves it out: the teacher
/// of the person who carved a puppet did not carve it.
pub(crate) fn agent_left_out(words: &[String], left_out: &[String]) -> Option<String> {
    let language = Language::of_words(words);
    let is_of_somebody = |of: &str, the: &str, who: &str| {
        language.is_of(of) && language.is_article(the) && language.is_question_word(who)
    };
    let mut fives = words.windows(5);
    fives.find_map(|five| match five {
        [agent, of, the, _, who] if is_of_somebody(of, the, who) => {
            (left_out.contains(agent) && language.ends_like_a_role(agent)).then(|| agent.clone())
        }
        _ => None,
    })
}

/// The verb that ends a question behind a name ("which ships did Ada paint"), if a query leaves it
/// out and it is far in meaning from all that the query speaks of: their captain painted none.
pub(crate) fn last_verb_left_out(
    words: &[String],
    left_out: &[String],
    near: &Nearness,
    query: &Query,
) -> Option<String> {
    /// Verbs nearer than this may say in other words what the query takes: "command" of a captain.
    const FAR: f64 = 0.35;
    let (verb, before) = words.split_last()?;
    let mut follows_a_name = false;
    query.visit(&mut |part| {
        if let Expression::Terms(_, name) = part {
            let name = words_of(name);
            follows_a_name |= !name.is_empty() && before.ends_with(&name) && before.len() > name.len();
        }
    });
    let is_far = near.to(verb).is_some_and(|near| near < FAR);
    (follows_a_name && left_out.contains(verb) && is_far).then(|| verb.clone())
}

/// What somebody made for or of a named thing ("the music for A"), if a query gives who made the
/// thing itself, and the noun is far in meaning from all that it speaks of.
pub(crate) fn made_part_left_out(
    words: &[String],
    left_out: &[String],
    near: &Nearness,
    query: &Query,
) -> Option<String> {
    /// Nouns nearer than this may say in other words what the query gives.
    const FAR: f64 = 0.4;
    let language = Language::of_words(words);
    let mut named: Vec<String> = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Terms(_, text) = part {
            named.extend(words_of(text).into_iter().next());
        }
    });
    let mut fives = words.windows(5);
    fives.find_map(|five| match five {
        [verb, the, noun, of, name]
            if left_out.contains(verb)
                && language.is_article(the)
                && language.follows_a_role(of)
                && named.contains(name) =>
        {
            let is_far = near.to(noun).is_some_and(|near| near < FAR);
            (left_out.contains(noun) && is_far).then(|| noun.clone())
        }
        _ => None,
    })
}

/// A noun before "of" and the possessive of a role, if a query takes that role only: the teacher of
/// a ride's designer did not design it.
pub(crate) fn role_of_a_possessed_role_left_out(
    question: &str,
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of(question);
    let texts: Vec<&str> = question.split_whitespace().collect();
    let owner = texts.iter().position(|text| is_possessive(text))?;
    let possessed = texts.get(owner + 1).and_then(|text| words_of(text).into_iter().next())?;
    let is_taken = query.places().into_iter().filter(|place| place.column > 0).any(|place| {
        let title = tables.column(place).map(|column| words_of(&column.title)).unwrap_or_default();
        let is_it = |of: &String| language.is_form(&possessed, of) || language.is_agent(&possessed, of);
        title.iter().any(is_it)
    });
    let before = texts.get(..owner).filter(|_| is_taken && !left_out.contains(&possessed))?;
    let before: Vec<String> = before.iter().flat_map(|text| words_of(text)).collect();
    let of = before.iter().rposition(|word| language.is_of(word))?;
    let role = before.get(of.checked_sub(1)?)?;
    (left_out.contains(role) && !language.is_light_noun(role)).then(|| role.clone())
}

/// The word of a question for a relation to things of a kind, if a query takes another relation of
/// the same things to that kind, which the question does not mention: those who led an expedition
/// are not all who took part.
pub(crate) fn another_role(
    words: &[String],
    left_out: &[String],
    query: &Query,
    tables: &Tables,
) -> Option<String> {
    let language = Language::of_words(words);
    let subject = |place: Place| match tables.table(place.table).map(|table| &table.source) {
        Some(Rows::Links { heads, .. }) => *heads,
        _ => place.table,
    };
    let is_called = |word: &String, title: &str| {
        naming_words(title, language).into_iter().any(|of| {
            language.is_form(word, &of)
                || language.is_noun(word, &of)
                || language.is_agent(word, &of)
                || language.is_of_one_root(word, &of)
        })
    };
    let is_said = |title: &str| words.iter().any(|word| is_called(word, title));
    let mut unsaid = query.places().into_iter().filter_map(|place| {
        let kind = tables.leads_to(place).filter(|_| place.column > 0)?;
        let title = tables.column(place).map(|column| column.title.as_str()).unwrap_or_default();
        (!is_said(title)).then_some((place, kind))
    });
    unsaid.find_map(|(used, kind)| {
        let is_other = |place: &Place| {
            place.column > 0
                && subject(*place) == subject(used)
                && *place != used
                && tables.leads_to(*place) == Some(kind)
        };
        let mut others = tables.columns().filter(|(place, _)| is_other(place));
        others.find_map(|(_, column)| left_out.iter().find(|word| is_called(word, &column.title)).cloned())
    })
}
