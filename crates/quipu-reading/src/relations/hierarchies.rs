//! What lies below a thing: "how many people work in the Hull Department, everything underneath it
//! included" counts those of the departments that are part of it, too. "Who reports to her,
//! directly or indirectly" asks for a relation over all levels.

use std::ops::Range;

use quipu_language::{Language, below_clause, through_levels};
use quipu_query::{
    BELOW, Body, ColumnRef, Comparison, Doubt, Expression, From, Item, Join, Kind, Mend, Place, Query,
    Select, SetOperator, Source, Tables, words_of,
};

use crate::slips::each_query;

/// Levels below a thing that are taken in. SQL without recursion says each level by a query of its
/// own.
const LEVELS: usize = 6;

/// The words of a question that take in what lies below, if a query uses things that lie below one
/// another. The second part is the column that leads up: `part of`.
pub(crate) fn taken_below(words: &[String], query: &Query, tables: &Tables) -> Option<(Range<usize>, Place)> {
    let language = Language::of_words(words);
    if let Some(clause) = through_levels(words) {
        let up = |place: &Place| leads_up(place.table, tables) == Some(*place);
        return query.places().into_iter().find(up).map(|up| (clause, up));
    }
    query.places().into_iter().find_map(|place| {
        let of = if place.column == 0 { place.table } else { tables.leads_to(place)? };
        let title = &tables.table(of)?.title;
        let is_kind = |noun: &str| words_of(title).last().is_some_and(|kind| language.is_noun(noun, kind));
        Some((below_clause(words, is_kind)?, leads_up(of, tables)?))
    })
}

/// A word that takes in what lies below a thing, if a query does not look at what lies above its
/// things.
pub(crate) fn below_left_out(words: &[String], query: &Query, tables: &Tables) -> Option<String> {
    let taken = taken_below(words, query, tables);
    let clause =
        taken.as_ref().map(|(clause, _)| clause.clone()).or_else(|| below_clause(words, |_| false))?;
    let uses = match through_levels(words) {
        // A second level alone leaves out the first.
        Some(_) => takes_levels(query),
        None => taken.is_some_and(|(_, up)| query.places().contains(&up)),
    };
    words.get(clause.end - 1).filter(|_| !uses).cloned()
}

/// Whether a query takes in the levels below a thing.
fn takes_levels(query: &Query) -> bool {
    let mut takes = false;
    query.visit(&mut |part| {
        if let Expression::Column(ColumnRef { table: Some(table), .. }) = part {
            takes |= table.contains(BELOW);
        }
    });
    takes
}

/// The only column of things that refers to other things of the same kind, one each.
fn leads_up(of: usize, tables: &Tables) -> Option<Place> {
    let columns = tables.table(of).filter(|table| !table.is_links())?.columns.iter().enumerate().skip(1);
    let mut up = columns.filter(|(_, column)| column.kind == Kind::Entity(Some(of)));
    let (column, _) = up.next().filter(|_| up.next().is_none())?;
    Some(Place { table: of, column })
}

/// Takes in what lies below the named thing, if the question asks for it and the query speaks of
/// the thing alone. For a bound query.
pub(crate) fn with_what_lies_below(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let (_, up) = taken_below(&words, query, tables)?;
    let through = through_levels(&words).is_some();
    if query.places().contains(&up) && !through {
        return None;
    }
    let (id, title) = tables.table(up.table).map(|table| (table.id.clone(), table.title.clone()))?;
    let mut told = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        // The queries that this mend adds stand within.
        if told.is_some() {
            return;
        }
        let Some(filter) = &mut select.filter else { return };
        let all =
            filter.conjuncts().into_iter().map(|condition| match named_thing(condition, up.table, tables) {
                Some((of, value)) if told.is_none() && (!through || of.place() == Some(up)) => {
                    told = Some(format!("up to {LEVELS} levels below the {title} are taken in"));
                    Expression::InQuery(Box::new(of.clone()), Box::new(below(&id, up, value, tables, LEVELS)))
                }
                _ => condition.clone(),
            });
        let all: Vec<Expression> = all.collect();
        if let Some(all) = all.into_iter().fold(None, |all, next| Some(Expression::both(all, next))) {
            *filter = all;
        }
    });
    Some(Mend { text: told?, doubt: Doubt::Little })
}

/// The column and the name of a condition that names a thing of a table.
fn named_thing<'a>(
    condition: &'a Expression,
    table: usize,
    tables: &Tables,
) -> Option<(&'a Expression, &'a Expression)> {
    let Expression::Compare(Comparison::Equal, of, value) = condition else { return None };
    let place = of.place().filter(|_| matches!(**value, Expression::Terms(..)))?;
    let is_of_it = place == Place { table, column: 0 } || tables.leads_to(place) == Some(table);
    is_of_it.then_some((&**of, &**value))
}

/// The names of a thing and of those up to some levels below it: a query for each level, so that
/// each is a join.
fn below(id: &str, up: Place, thing: &Expression, tables: &Tables, levels: usize) -> Query {
    let level = |level: usize| at_level(id, up, thing, tables, (level, level));
    let union = |left: Query, right: Query| Query {
        body: Body::Set {
            operator: SetOperator::Union,
            all: false,
            left: Box::new(left),
            right: Box::new(right),
        },
        order: Vec::new(),
        limit: None,
        offset: 0,
    };
    (1..=levels).map(level).fold(level(0), union)
}

/// The names of what lies exactly so many levels below a thing; `of` tells the aliases of the level
/// that is looked for from those of others.
fn at_level(id: &str, up: Place, thing: &Expression, tables: &Tables, (of, level): (usize, usize)) -> Query {
    let alias = format!("{id}{BELOW}{of}_{level}");
    let column = |place: Place| {
        let name = tables.column(place).map(|column| column.id.clone()).unwrap_or_default();
        Expression::Column(ColumnRef { table: Some(alias.clone()), name, place: Some(place) })
    };
    let name = column(Place { column: 0, ..up });
    let is = |of: Expression| Expression::Compare(Comparison::Equal, Box::new(of), Box::new(thing.clone()));
    let filter = match level {
        0 => is(name.clone()),
        1 => is(column(up)),
        _ => {
            let above = Box::new(at_level(id, up, thing, tables, (of, level - 1)));
            Expression::InQuery(Box::new(column(up)), above)
        }
    };
    let source = Source::Table(id.to_owned(), Some(up.table));
    Query::of(Select {
        items: vec![Item { expression: name, alias: None }],
        from: vec![From { source, alias, join: Join::Inner(None) }],
        filter: Some(filter),
        ..Select::default()
    })
}
