//! Forms of queries that tell what a question's words can mean in them.

use quipu_language::Language;
use quipu_query::{Aggregate, Expression, From, Join, Query, Select, Source, Tables, words_of};

/// Whether a query only asks whether things of some names exist.
pub(crate) fn says_only_that_it_is(query: &Query) -> bool {
    let (mut exists, mut named, mut more) = (false, false, false);
    query.visit(&mut |part| match part {
        Expression::Exists(_) | Expression::Aggregate { function: Aggregate::Count, .. } => exists = true,
        Expression::Compare(_, of, value) => {
            let is_name =
                matches!(&**of, Expression::Column(of) if of.place.is_some_and(|place| place.column == 0));
            match (is_name, &**value) {
                (true, Expression::Terms(..)) => named = true,
                (_, Expression::Number(_)) if !matches!(&**of, Expression::Column(_)) => {}
                _ => more = true,
            }
        }
        Expression::InQuery(..) | Expression::InList(..) | Expression::Like(..) | Expression::IsNull(_) => {
            more = true;
        }
        _ => {}
    });
    exists && named && !more
}

/// Whether a query takes the average of one table whose rows a noun names: "goals per match" of the
/// matches.
pub(crate) fn is_of_rows(query: &Query, noun: &str, language: Language, tables: &Tables) -> bool {
    query.select().is_some_and(|select| {
        let averages = select
            .items
            .iter()
            .all(|item| matches!(item.expression, Expression::Aggregate { function: Aggregate::Avg, .. }));
        match select.from.as_slice() {
            [From { source: Source::Table(_, Some(at)), .. }] => {
                let title = tables.table(*at).map(|table| words_of(&table.title)).unwrap_or_default();
                averages && title.last().is_some_and(|last| language.is_noun(noun, last))
            }
            _ => false,
        }
    })
}

/// Whether a query lists values of one table without any condition, order or calculation.
pub(crate) fn lists_a_whole_column(query: &Query) -> bool {
    let plain = query.order.is_empty() && query.limit.is_none();
    query.select().is_some_and(|select| {
        let is_bare = select.filter.is_none() && select.having.is_none() && select.group.is_empty();
        let gives = select.items.iter().all(|item| matches!(item.expression, Expression::Column(_)));
        plain && is_bare && gives && select.from.len() == 1
    })
}

/// Whether a query counts only things that have what it counts: it groups or joins, and keeps no
/// row without a partner.
pub(crate) fn has_only_partners(query: &Query) -> bool {
    query.select().is_some_and(|select| {
        let is_left = |from: &From| matches!(from.join, Join::Left(_));
        let combines = !select.group.is_empty() || select.from.len() > 1;
        combines && !select.from.iter().any(is_left)
    })
}

/// Whether a query gives one value for all its rows.
pub(crate) fn gives_one_value(query: &Query) -> bool {
    let is_one = |select: &Select| {
        select.group.is_empty() && select.items.iter().all(|item| item.expression.has_aggregate())
    };
    query.select().is_some_and(|select| {
        let within = select.from.iter().any(|from| matches!(from.source, Source::Derived(_)));
        is_one(select) && !within
    })
}

/// Whether a query gives the first of its rows only.
pub(crate) fn gives_one_row(query: &Query) -> bool {
    query.limit == Some(1) && query.select().is_some_and(|select| select.group.is_empty())
}
