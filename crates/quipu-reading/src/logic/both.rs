//! Things that must have two values: "use both butter and cream". A model often asks for either, or
//! for one value that equals both.

use quipu_language::Language;
use quipu_query::{
    Body, ColumnRef, Comparison, Doubt, Expression, From, Item, Join, Mend, Query, Select, SetOperator,
    Source, Table, Tables, words_of,
};

use crate::slips::{each_condition, each_query};
use crate::things::kinds::things_called;

/// Turns queries for either of two things into the rows that both share, if the question names
/// "both". Names are as the model wrote them; nothing is bound yet.
pub(crate) fn with_both(question: &str, query: &mut Query) -> Option<Mend> {
    let mut mend = None;
    each_query(query, &mut |query| {
        if let (both, Some(found)) = both_of(question, query.clone()) {
            (*query, mend) = (both, Some(found));
        }
    });
    mend
}

fn both_of(question: &str, query: Query) -> (Query, Option<Mend>) {
    let Some((at, column, values)) = either(&query) else { return (query, None) };
    let asked = words_of(question);
    let language = Language::of_words(&asked);
    // "The capitals of both" are those of each.
    let behind = match language.both(&asked) {
        Some((both, false)) => both + 1,
        // "Did A and B work together".
        None if asked.iter().any(|word| language.says_together(word)) && !are_given(&column, &query) => 0,
        _ => return (query, None),
    };
    let named = |text: &str, from: usize| {
        let name = words_of(text);
        let rest = asked.get(from..).unwrap_or_default();
        rest.windows(name.len().max(1)).position(|window| window == name).map(|at| from + at)
    };
    let mut places: Vec<usize> = values.iter().filter_map(|value| named(value, behind)).collect();
    places.sort_unstable();
    let [first, second] = places.as_slice() else { return (query, None) };
    let joined = asked
        .get(*first..*second)
        .is_some_and(|between| between.iter().any(|word| language.takes_together(word)));
    if !joined {
        return (query, None);
    }
    let of = |value: &String| {
        let mut one = query.clone();
        if let Body::Select(select) = &mut one.body {
            let mut conditions: Vec<Expression> =
                select.filter.iter().flat_map(Expression::conjuncts).cloned().collect();
            let equal = Expression::Compare(
                Comparison::Equal,
                Box::new(column.clone()),
                Box::new(Expression::Text(value.clone())),
            );
            if let Some(condition) = conditions.get_mut(at) {
                *condition = equal;
            }
            select.filter = conditions.into_iter().fold(None, |all, next| Some(Expression::both(all, next)));
            select.distinct = true;
        }
        Box::new(one)
    };
    let [one, other] = values.each_ref().map(of);
    let mend = Mend {
        text: format!("the question asks for both {} and {}, not for either", values[0], values[1]),
        doubt: Doubt::Little,
    };
    let body = Body::Set { operator: SetOperator::Intersect, all: false, left: one, right: other };
    (Query { body, order: Vec::new(), limit: None, offset: 0 }, Some(mend))
}

/// Whether a column holds the names of the very things that a query tells about: no thing has two
/// names, and what A and B cost together is a sum.
fn are_given(column: &Expression, query: &Query) -> bool {
    let Expression::Column(of) = column else { return false };
    let items = query.select().map(|select| select.items.as_slice()).unwrap_or_default();
    let of_another = |item: &Item| match &item.expression {
        Expression::Column(given) => given.table.is_some() && of.table.is_some() && given.table != of.table,
        _ => false,
    };
    of.name.eq_ignore_ascii_case("name") && !items.iter().all(of_another)
}

/// Takes each of several objects of one verb: "who speaks Abyssal, Sylvan and Elven" asks for those
/// who speak all of them, where one may speak several. For a query that is not bound yet.
pub(crate) fn with_each_object(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let asked = words_of(question);
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let from = select.clone();
        let Some(filter) = &mut select.filter else { return };
        each_condition(filter, &mut |condition| {
            let Some((column, values)) = one_of(condition) else { return };
            let Some((_, links)) = table_of(&column, &from, tables).filter(|(_, of)| of.is_links()) else {
                return;
            };
            let Some(tail) = links.columns.get(1).filter(|tail| tail.id.eq_ignore_ascii_case(&column.name))
            else {
                return;
            };
            if !are_objects(&asked, &tail.title, &values, tables) {
                return;
            }
            let equal = |value: &String| {
                let (of, value) = (Expression::Column(column.clone()), Expression::Text(value.clone()));
                Expression::Compare(Comparison::Equal, Box::new(of), Box::new(value))
            };
            let all = values.iter().map(equal).fold(None, |all, next| Some(Expression::both(all, next)));
            let Some(all) = all else { return };
            *condition = all;
            let text = format!("“{}” holds for each of {}", tail.title, values.join(", "));
            mend = Some(Mend { text, doubt: Doubt::Little });
        });
    });
    mend
}

/// The column and the texts of a condition that the column is one of them.
fn one_of(condition: &Expression) -> Option<(ColumnRef, Vec<String>)> {
    let text = |expression: &Expression| match expression {
        Expression::Text(text) => Some(text.clone()),
        _ => None,
    };
    match condition {
        Expression::InList(of, list) => match &**of {
            Expression::Column(column) if list.len() > 1 => {
                Some((column.clone(), list.iter().map(text).collect::<Option<_>>()?))
            }
            _ => None,
        },
        Expression::Or(left, right) => {
            let one = |side: &Expression| {
                fixes(side).map(|(column, text)| (column, vec![text])).or_else(|| one_of(side))
            };
            let ((column, mut values), (other, more)) = (one(left)?, one(right)?);
            values.extend(more);
            (column == other).then_some((column, values))
        }
        _ => None,
    }
}

/// Whether a question has values as the objects of a relation's verb, joined by "and": "speak A, B
/// and C", "call at A and B", but not "the pupils of A and B".
fn are_objects(asked: &[String], relation: &str, values: &[String], tables: &Tables) -> bool {
    let language = Language::of_words(asked);
    let place = |value: &String| {
        let name = words_of(value);
        let mut starts = asked.windows(name.len().max(1)).enumerate();
        starts.find(|(_, window)| *window == name).map(|(start, _)| start..start + name.len())
    };
    let Some(mut places) = values.iter().map(place).collect::<Option<Vec<_>>>() else { return false };
    places.sort_by_key(|place| place.start);
    let is_small = |word: &String| language.takes_together(word) || language.is_article(word);
    let gaps: Option<Vec<_>> =
        places.windows(2).map(|pair| asked.get(pair.first()?.end..pair.last()?.start)).collect();
    let joined = gaps.is_some_and(|gaps| {
        let ends = gaps.last().is_some_and(|gap| gap.iter().any(|word| language.takes_together(word)));
        ends && gaps.iter().all(|gap| gap.iter().all(is_small))
    });
    let Some(first) = places.first() else { return false };
    let before = language.without_article(asked.get(..first.start).unwrap_or_default());
    let is_its_verb = |verb: &String| {
        words_of(relation).iter().any(|of| language.is_form(verb, of) || language.changes_within(verb, of))
    };
    let is_noun = |word: &String| {
        language.is_plural(word)
            || !things_called(word, language, tables).is_empty()
            || words_of(relation).iter().any(|of| language.is_noun(word, of))
    };
    // "Call at A and B": the verb of the relation itself. "Speak A and B": any verb.
    let is_verb = match before {
        [.., verb, last] if language.is_preposition(last) => is_its_verb(verb),
        [.., verb] => is_its_verb(verb) || (language.meanings(verb).is_empty() && !is_noun(verb)),
        [] => false,
    };
    joined && is_verb
}

/// The condition of a plain query that a column is one of two texts: its place, the column, the
/// texts. `None` if the query gives that column, groups, orders or counts.
fn either(query: &Query) -> Option<(usize, Expression, [String; 2])> {
    let select = query.select()?;
    let plain = query.order.is_empty() && query.limit.is_none() && select.group.is_empty();
    if !plain || select.items.iter().any(|item| item.expression.has_aggregate()) {
        return None;
    }
    let conditions = select.filter.as_ref()?.conjuncts();
    let text = |expression: &Expression| match expression {
        Expression::Text(text) => Some(text.clone()),
        _ => None,
    };
    conditions.iter().enumerate().find_map(|(at, condition)| {
        let (column, one, other) = match condition {
            Expression::InList(of, list) => match list.as_slice() {
                [one, other] => ((**of).clone(), text(one)?, text(other)?),
                _ => return None,
            },
            Expression::Or(left, right) => match (&**left, &**right) {
                (
                    Expression::Compare(Comparison::Equal, a, one),
                    Expression::Compare(Comparison::Equal, b, other),
                ) if a == b => ((**a).clone(), text(one)?, text(other)?),
                _ => return None,
            },
            _ => return None,
        };
        let Expression::Column(of) = &column else { return None };
        let gives = |item: &Item| {
            let of_another = |given: &ColumnRef| given.table.is_some() && of.table.is_some() && given.table != of.table;
            matches!(&item.expression, Expression::Column(given) if given.name == "*" || (given.name.eq_ignore_ascii_case(&of.name) && !of_another(given)))
        };
        (!select.items.iter().any(gives)).then_some((at, column, [one, other]))
    })
}

/// Lets a thing have two values of a relation, instead of one value equal to both. For a query that
/// is not bound yet.
pub(crate) fn each_by_its_own_link(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let mut fixed: Vec<(ColumnRef, String)> = Vec::new();
        let mut kept: Vec<Expression> = Vec::new();
        let conditions: Vec<Expression> =
            select.filter.iter().flat_map(Expression::conjuncts).cloned().collect();
        for condition in conditions {
            let Some((column, text)) = fixes(&condition) else {
                kept.push(condition);
                continue;
            };
            let other = fixed.iter().find(|(known, other)| *known == column && *other != text);
            if let Some((_, other)) = other
                && let Some(links) = Links::of(&column, select, tables)
            {
                let text = format!("each of “{other}” and “{text}” is a value of its own");
                mend = Some(Mend { text, doubt: Doubt::Little });
                kept.push(links.has_too(condition));
                continue;
            }
            fixed.push((column, text));
            kept.push(condition);
        }
        select.filter = kept.into_iter().fold(None, |all, next| Some(Expression::both(all, next)));
    });
    mend
}

/// Takes the rows that satisfy each of two conditions which no thing satisfies at once: "who has
/// published at both A and B" has one paper at each, if a paper has one venue. For a query that is
/// not bound yet.
pub(crate) fn by_several_things(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let select = query.select().filter(|select| select.group.is_empty())?;
    let plain = query.order.is_empty() && query.limit.is_none();
    if !plain || select.items.iter().any(|item| item.expression.has_aggregate()) {
        return None;
    }
    let conditions: Vec<Expression> = select.filter.iter().flat_map(Expression::conjuncts).cloned().collect();
    let fixed: Vec<Option<(String, String)>> =
        conditions.iter().map(|condition| fixes_one(condition, select, tables)).collect();
    let (one, other, values) = fixed.iter().enumerate().find_map(|(at, fixes)| {
        let (of, value) = fixes.as_ref()?;
        let is_another = |other: &Option<(String, String)>| {
            other.as_ref().is_some_and(|(column, text)| column == of && text != value)
        };
        let next = fixed.iter().skip(at + 1).position(is_another)?;
        let (_, second) = fixed.get(at + 1 + next)?.as_ref()?;
        Some((at, at + 1 + next, [value.clone(), second.clone()]))
    })?;
    let without = |left_out: usize| {
        let mut query = query.clone();
        if let Body::Select(select) = &mut query.body {
            let kept = conditions.iter().enumerate().filter(|(at, _)| *at != left_out);
            let kept = kept.map(|(_, condition)| condition.clone());
            select.filter = kept.fold(None, |all, next| Some(Expression::both(all, next)));
            select.distinct = true;
        }
        Box::new(query)
    };
    let (left, right) = (without(other), without(one));
    query.body = Body::Set { operator: SetOperator::Intersect, all: false, left, right };
    let text = format!("no row has both “{}” and “{}”: each is that of another", values[0], values[1]);
    Some(Mend { text, doubt: Doubt::Little })
}

/// The column with one value for each thing that a condition fixes, directly or by a query for
/// things, and the text.
fn fixes_one(condition: &Expression, select: &Select, tables: &Tables) -> Option<(String, String)> {
    if let Some((column, text)) = fixes(condition) {
        return has_one_value(&column, select, tables).then(|| (format!("{column:?}"), text));
    }
    let Expression::InQuery(of, within) = condition else { return None };
    let inner = within.select().filter(|_| within.order.is_empty())?;
    let ([item], [_], Some(filter)) = (inner.items.as_slice(), inner.from.as_slice(), &inner.filter) else {
        return None;
    };
    let (column, text) = fixes(filter)?;
    let from = inner.from.first().map(|from| format!("{:?}", from.source))?;
    has_one_value(&column, inner, tables)
        .then(|| (format!("{of:?} {from} {:?} {column:?}", item.expression), text))
}

/// The table of a SELECT that a column belongs to.
fn table_of<'a>(column: &ColumnRef, select: &'a Select, tables: &'a Tables) -> Option<(&'a From, &'a Table)> {
    let is_it = |from: &&From| match &column.table {
        Some(table) => from.alias.eq_ignore_ascii_case(table),
        None => select.from.len() == 1,
    };
    let from = select.from.iter().find(is_it)?;
    let Source::Table(id, _) = &from.source else { return None };
    Some((from, tables.table(tables.find(id)?)?))
}

/// Whether each thing has at most one value of a column.
fn has_one_value(column: &ColumnRef, select: &Select, tables: &Tables) -> bool {
    table_of(column, select, tables).is_some_and(|(_, table)| {
        !table.is_links() && table.columns.iter().skip(1).any(|of| of.id.eq_ignore_ascii_case(&column.name))
    })
}

/// A word of the second of two things that a question takes together, if a reading leaves all of it
/// out: those that are "both oxidising and toxic" are not all that oxidise.
pub(crate) fn second_of_both(words: &[String], left_out: &[String]) -> Option<String> {
    let language = Language::of_words(words);
    let (at, of_each) = language.both(words)?;
    let and =
        (at + 2..words.len()).find(|and| words.get(*and).is_some_and(|w| language.takes_together(w)))?;
    let tells = |word: &&String| language.meanings(word).is_empty();
    let behind = words.iter().skip(and + 1).take_while(|word| !language.takes_together(word));
    // "And done the artwork" tells by the artwork.
    let mut second = behind.filter(tells).peekable();
    let first = (*second.peek()?).clone();
    (!of_each && second.all(|word| left_out.contains(word))).then_some(first)
}

/// The word "both" of a question, where a reading takes either of two named things.
pub(crate) fn either_for_both(words: &[String], query: &Query) -> Option<String> {
    let language = Language::of_words(words);
    let (at, of_each) = language.both(words)?;
    let joins = |from: usize| words.iter().skip(from).any(|word| language.takes_together(word));
    if of_each || !joins(at + 1) {
        return None;
    }
    let mut either = false;
    query.visit(&mut |part| {
        if let Expression::InList(_, list) = part {
            let is_named = |one: &Expression| match one {
                Expression::Terms(_, name) => {
                    let name = words_of(name);
                    words.windows(name.len().max(1)).skip(at + 1).any(|window| *window == name)
                }
                _ => false,
            };
            either |= list.len() == 2 && list.iter().all(is_named);
        }
    });
    let counts = query.select().is_some_and(|select| select.having.is_some());
    (either && !counts).then(|| words.get(at).cloned()).flatten()
}

/// The column and the text that a condition equates.
fn fixes(condition: &Expression) -> Option<(ColumnRef, String)> {
    let Expression::Compare(Comparison::Equal, of, value) = condition else { return None };
    match (&**of, &**value) {
        (Expression::Column(column), Expression::Text(text)) => Some((column.clone(), text.clone())),
        _ => None,
    }
}

/// A table of links in a SELECT.
struct Links {
    alias: String,
    id: String,
    /// Its column of heads.
    head: String,
}

impl Links {
    /// The table of links whose tails a column holds.
    fn of(column: &ColumnRef, select: &Select, tables: &Tables) -> Option<Self> {
        let (from, table) = table_of(column, select, tables)?;
        let table = Some(table).filter(|table| table.is_links())?;
        let [head, tail] = table.columns.as_slice() else { return None };
        let (alias, id, head) = (from.alias.clone(), table.id.clone(), head.id.clone());
        tail.id.eq_ignore_ascii_case(&column.name).then_some(Self { alias, id, head })
    }

    /// The condition that the head has another link, for which a condition holds.
    fn has_too(self, mut condition: Expression) -> Expression {
        if let Expression::Compare(_, of, _) = &mut condition
            && let Expression::Column(column) = &mut **of
        {
            column.table = None;
        }
        let Self { alias, id, head } = self;
        let head = |table| Expression::Column(ColumnRef { table, name: head.clone(), place: None });
        let source = Source::Table(id.clone(), None);
        let select = Select {
            items: vec![Item { expression: head(None), alias: None }],
            from: vec![From { source, alias: id, join: Join::Inner(None) }],
            filter: Some(condition),
            ..Select::default()
        };
        let body = Body::Select(Box::new(select));
        let others = Query { body, order: Vec::new(), limit: None, offset: 0 };
        Expression::InQuery(Box::new(head(Some(alias))), Box::new(others))
    }
}
