//! The things between which a question lets choose: "which is older, the Alte Oper or the Scala".

use std::ops::Range;

use quipu_language::{Language, is_written_as_name};
use quipu_query::{
    Aggregate, Body, ColumnRef, Comparison, Doubt, Expression, From, Item, Kind, Mend, Mention, Place, Query,
    Select, Source, Tables, Values, words_of,
};

/// Takes the extreme among the things that the question offers instead of among all. For a query
/// that is not bound yet.
pub(crate) fn among_the_offered(
    question: &str,
    query: &mut Query,
    tables: &Tables,
    values: &Values,
) -> Option<Mend> {
    let ordered = query.order.len() == 1 && query.limit == Some(1);
    let Body::Select(select) = &mut query.body else { return None };
    if !ordered && !gives_an_extreme(select) {
        return None;
    }
    let offered = offered(question, values);
    let names: Vec<&str> = offered.iter().map(|mention| mention.text.as_str()).collect();
    if names.len() < 2 {
        return None;
    }
    let conditions: Vec<Expression> = select.filter.iter().flat_map(Expression::conjuncts).cloned().collect();
    // A condition on one of them leaves no choice; one on all of them needs no mend.
    let (alone, others): (Vec<_>, Vec<_>) =
        conditions.into_iter().partition(|condition| is_one_of(condition, &names));
    if others.iter().any(|condition| names.iter().any(|name| speaks_of(condition, name))) {
        return None;
    }
    let of = match alone.first() {
        Some(Expression::Compare(_, of, _)) => (**of).clone(),
        _ => Expression::Column(their_column(select, &offered, tables)?),
    };
    let list = names.iter().map(|name| Expression::Text((*name).to_owned())).collect();
    let among = Expression::InList(Box::new(of), list);
    select.filter =
        others.into_iter().chain([among]).fold(None, |all, next| Some(Expression::both(all, next)));
    let text = format!("the question lets choose between {} only", names.join(" and "));
    Some(Mend { text, doubt: Doubt::Little })
}

fn gives_an_extreme(select: &Select) -> bool {
    matches!(
        select.items.as_slice(),
        [Item { expression: Expression::Aggregate { function: Aggregate::Min | Aggregate::Max, .. }, .. }]
    )
}

/// The values named on both sides of the question's only "or", in the question's order: "A, B or
/// C". None, or two at least.
pub(crate) fn offered(question: &str, values: &Values) -> Vec<Mention> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let mut choices =
        (0..words.len()).filter(|at| words.get(*at).is_some_and(|word| language.offers_a_choice(word)));
    let (Some(or), None) = (choices.next(), choices.next()) else { return Vec::new() };
    let has_capitals = question.chars().any(char::is_uppercase);
    // A part of a name names too: "Verdi or Wagner".
    let names_nothing = |word: &str| {
        !language.meanings(word).is_empty() || (has_capitals && !is_written_as_name(question, word))
    };
    let parts = values.parts(question, names_nothing);
    let mut mentions: Vec<(Range<usize>, Mention)> = Vec::new();
    for mention in values.mentions(question).into_iter().chain(parts) {
        let named = words_of(&mention.text);
        let at = words.windows(named.len().max(1)).position(|window| window == named);
        let Some(span) = at.map(|at| at..at + named.len()) else { continue };
        if !mentions.iter().any(|(known, _)| known.start < span.end && span.start < known.end) {
            mentions.push((span, mention));
        }
    }
    mentions.sort_by_key(|(words, _)| words.start);
    // Between two of them stand articles only.
    let is_idle = |from: usize, to: usize| {
        let between = words.get(from..to);
        between.is_some_and(|between| between.iter().all(|word| language.is_article(word)))
    };
    let last = mentions.iter().position(|(words, _)| words.start > or && is_idle(or + 1, words.start));
    let Some(last) = last else { return Vec::new() };
    let (mut first, mut end) = (last, or);
    while let Some((words, _)) = first.checked_sub(1).and_then(|before| mentions.get(before))
        && is_idle(words.end, end)
    {
        (first, end) = (first - 1, words.start);
    }
    if first == last {
        return Vec::new();
    }
    mentions.drain(first..=last).map(|(_, mention)| mention).collect()
}

/// Whether a condition lets one of the names through.
fn is_one_of(condition: &Expression, names: &[&str]) -> bool {
    let Expression::Compare(Comparison::Equal, of, value) = condition else { return false };
    let (Expression::Column(_), Expression::Text(text)) = (&**of, &**value) else { return false };
    names.iter().any(|name| words_of(name) == words_of(text))
}

fn speaks_of(condition: &Expression, name: &str) -> bool {
    let mut speaks = false;
    condition.visit(&mut |part| {
        if let Expression::Text(text) = part {
            speaks |= words_of(text) == words_of(name);
        }
    });
    speaks
}

/// The column of a SELECT's tables that holds all of the named things: the names of a table's rows,
/// else the only column of things of that table.
fn their_column(select: &Select, offered: &[Mention], tables: &Tables) -> Option<ColumnRef> {
    let holds = |table: usize| {
        let place = Place { table, column: 0 };
        offered.iter().all(|mention| mention.matches.iter().any(|found| found.place == place))
    };
    let table = |from: &From| match &from.source {
        Source::Table(id, _) => tables.find(id),
        Source::Derived(_) => None,
    };
    let column = |from: &From, at: usize| {
        let name = tables.table(table(from)?)?.columns.get(at)?.id.clone();
        Some(ColumnRef { table: Some(from.alias.clone()), name, place: None })
    };
    if let Some(from) = select.from.iter().find(|from| table(from).is_some_and(holds)) {
        return column(from, 0);
    }
    let mut links = select.from.iter().flat_map(|from| {
        let columns = table(from).and_then(|at| tables.table(at)).map(|table| table.columns.as_slice());
        let is_link = |(at, kind): (usize, Kind)| {
            matches!(kind, Kind::Entity(Some(to)) if holds(to)).then(|| column(from, at)).flatten()
        };
        let kinds = columns.unwrap_or_default().iter().map(|column| column.kind).enumerate();
        kinds.filter_map(is_link).collect::<Vec<_>>()
    });
    links.next().filter(|_| links.next().is_none())
}
