//! Tables that a query lacks: the one whose things are counted ("customers with more than ten
//! orders"), and the one that has the things named, if another with the same columns was written.
//! Both change a query that is not bound yet. And tables that it has too many of, once it is bound.

use quipu_language::Language;

use super::slips::each_query;
use crate::bind::{Doubt, Mend};
use crate::syntax::{Aggregate, Body, ColumnRef, Comparison, Expression, From, Join, Query, Select, Source};
use crate::tables::{Kind, Place, Table, Tables, words_of};
use crate::values::{Found, Values};

/// Joins the things that the question counts for each row, if the query counts only the rows
/// themselves: "customers with more than ten orders" grouped by the customer's name. `None` if no
/// table named in the question refers to the rows, or if it does so in several ways.
pub(super) fn with_counted(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let mut mend = None;
    each_query(query, &mut |query| {
        let counts_in_order = query.order.iter().any(|order| counts_rows(&order.expression));
        let Body::Select(select) = &mut query.body else { return };
        let Some((alias, of)) = rows_by_name(select, tables) else { return };
        let counts = counts_in_order || select.having.iter().any(counts_rows);
        let Some(link) = counts.then(|| counted(&words, of, tables)).flatten() else { return };
        for expression in select.expressions_mut() {
            qualify(expression, &alias);
        }
        query.order.iter_mut().for_each(|order| qualify(&mut order.expression, &alias));
        let Some(own) = tables.table(of).and_then(|table| table.columns.first()) else { return };
        let side = |table: &str, name: &str| {
            let (table, name) = (Some(table.to_owned()), name.to_owned());
            Box::new(Expression::Column(ColumnRef { table, name, place: None }))
        };
        let on =
            Expression::Compare(Comparison::Equal, side(&link.table, &link.column), side(&alias, &own.id));
        select.from.push(From {
            source: Source::Table(link.table.clone(), None),
            alias: link.table.clone(),
            join: Join::Inner(Some(on)),
        });
        let text = format!("the rows of {} that belong to each {alias} are counted", link.table);
        mend = Some(Mend { text, doubt: Doubt::Little });
    });
    mend
}

/// The alias and the table of a SELECT over one table that has a group for each of its rows.
fn rows_by_name(select: &Select, tables: &Tables) -> Option<(String, usize)> {
    let ([from], [Expression::Column(group)]) = (select.from.as_slice(), select.group.as_slice()) else {
        return None;
    };
    let Source::Table(id, _) = &from.source else { return None };
    let of = tables.find(id)?;
    let table = tables.table(of).filter(|table| !table.is_links())?;
    (table.find(&group.name) == Some(0)).then(|| (from.alias.clone(), of))
}

/// Whether an expression counts rows.
fn counts_rows(expression: &Expression) -> bool {
    let mut counts = false;
    expression.visit(&mut |part| {
        counts |= matches!(part, Expression::Aggregate { function: Aggregate::Count, of: None, .. });
    });
    counts
}

/// A column of another table that refers to the rows.
struct Link {
    table: String,
    column: String,
}

/// The only column of a table that the question names by which its rows belong to those of `of`.
fn counted(words: &[String], of: usize, tables: &Tables) -> Option<Link> {
    let language = Language::of_words(words);
    let is_named = |title: &str| {
        words_of(title).last().is_some_and(|last| words.iter().any(|word| language.is_noun(word, last)))
    };
    let rows = tables.table(of)?;
    let mut links = Vec::new();
    for table in tables.tables.iter().filter(|table| table.within.is_none() && table.id != rows.id) {
        let leads =
            |at: &usize| table.columns.get(*at).is_some_and(|column| column.kind == Kind::Entity(Some(of)));
        // A link table is named by the things at its other end.
        let named = match table.is_links() {
            true => table
                .columns
                .iter()
                .enumerate()
                .any(|(at, column)| !leads(&at) && is_named_by(column, tables, &is_named)),
            false => is_named(&table.title),
        };
        let from = if table.is_links() { 0 } else { 1 };
        let columns = (from..table.columns.len()).filter(leads).filter(|_| named);
        links.extend(columns.filter_map(|at| {
            let column = table.columns.get(at)?;
            Some(Link { table: table.id.clone(), column: column.id.clone() })
        }));
    }
    let [_] = links.as_slice() else { return None };
    links.pop()
}

/// Whether the things that a column leads to are named.
fn is_named_by(column: &crate::tables::Column, tables: &Tables, is_named: &impl Fn(&str) -> bool) -> bool {
    let Kind::Entity(Some(at)) = column.kind else { return false };
    tables.table(at).is_some_and(|table| is_named(&table.title))
}

/// Counts each of the things that the question counts once, where a query counts the rows of several
/// joined tables: "which brewery makes the most beers" counts beers, not their hops. For a bound
/// query.
pub(super) fn counts_the_named(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let noun = noun_counted(&words)?;
    let language = Language::of_words(&words);
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        if select.from.len() < 2 {
            return;
        }
        let Some(column) = named_in(select, noun, language, tables) else { return };
        let mut count = |expression: &mut Expression| {
            if count_each(expression, &column) {
                let text = format!("each {noun} is counted once");
                mend = Some(Mend { text, doubt: Doubt::None });
            }
        };
        select.expressions_mut().into_iter().for_each(&mut count);
        query.order.iter_mut().for_each(|order| count(&mut order.expression));
    });
    mend
}

/// The noun of the things that a question counts: behind "most", "how many" and "more than two".
fn noun_counted(words: &[String]) -> Option<&String> {
    let language = Language::of_words(words);
    let counts = |word: &String| {
        language.is_quantity(word)
            || language.wants_the_many(word)
            || language.cardinal(word).is_some()
            || word.chars().all(|c| c.is_ascii_digit())
    };
    let at = words.iter().position(counts)?;
    words.get(at + 1..)?.iter().find(|word| language.meanings(word).is_empty())
}

/// The column that holds the things of a noun in the tables of a SELECT: their own names, else the
/// column that leads to them.
fn named_in(select: &Select, noun: &str, language: Language, tables: &Tables) -> Option<ColumnRef> {
    let is_it = |at: usize| {
        let title = tables.table(at).map(|table| words_of(&table.title)).unwrap_or_default();
        title.last().is_some_and(|last| language.is_noun(noun, last))
    };
    let bound = select.from.iter().filter_map(|from| match &from.source {
        Source::Table(_, Some(at)) => Some((from.alias.clone(), *at, tables.table(*at)?)),
        _ => None,
    });
    let columns = bound.flat_map(|(alias, at, table)| {
        table.columns.iter().enumerate().map(move |(column, of)| {
            let place = Place { table: at, column };
            (place, ColumnRef { table: Some(alias.clone()), name: of.id.clone(), place: Some(place) })
        })
    });
    let mut holding: Vec<(Place, ColumnRef)> =
        columns.filter(|(place, _)| tables.leads_to(*place).is_some_and(is_it)).collect();
    holding.sort_by_key(|(place, _)| place.column);
    holding.into_iter().next().map(|(_, column)| column)
}

/// Makes a count of rows one of the different values of a column. Returns whether there was one.
fn count_each(expression: &mut Expression, column: &ColumnRef) -> bool {
    if let Expression::Aggregate { function: Aggregate::Count, distinct, of: of @ None } = expression {
        (*distinct, *of) = (true, Some(Box::new(Expression::Column(column.clone()))));
        return true;
    }
    expression.parts_mut().into_iter().fold(false, |found, part| count_each(part, column) || found)
}

/// Leaves out tables that are joined by their name and used for nothing else: they only pretend
/// that the reading speaks of them. For a bound query.
pub(super) fn without_idle_joins(query: &mut Query) {
    each_query(query, &mut |query| {
        let Query { body: Body::Select(select), order, .. } = query else { return };
        let mut at = select.from.len();
        while at > 1 {
            at -= 1;
            if select.from.get(at).is_some_and(|from| is_idle(from, select, order)) {
                select.from.remove(at);
            }
        }
    });
}

fn is_idle(from: &From, select: &Select, order: &[crate::syntax::Order]) -> bool {
    let Join::Inner(Some(Expression::Compare(Comparison::Equal, a, b))) = &from.join else { return false };
    let is_its = |column: &ColumnRef| column.table.as_ref() == Some(&from.alias);
    let is_name = |side: &Expression| match side {
        Expression::Column(column) => is_its(column) && column.place.is_some_and(|place| place.column == 0),
        _ => false,
    };
    let Source::Table(_, Some(_)) = &from.source else { return false };
    let mut uses = 0;
    let mut count = |expression: &Expression| {
        expression.visit(&mut |part| match part {
            Expression::Column(column) if is_its(column) => uses += 1,
            // Rows of a join that a subquery speaks of, or that are counted, are used.
            Expression::Exists(_) | Expression::Scalar(_) | Expression::InQuery(..) => uses += 1,
            Expression::Aggregate { .. } => uses += 1,
            _ => {}
        });
    };
    select.expressions().into_iter().for_each(&mut count);
    order.iter().for_each(|order| count(&order.expression));
    uses == 1 && (is_name(a) || is_name(b))
}

/// Puts a table's alias before the columns without one.
fn qualify(expression: &mut Expression, alias: &str) {
    if let Expression::Column(column) = expression
        && column.table.is_none()
    {
        column.table = Some(alias.to_owned());
    }
    for part in expression.parts_mut() {
        qualify(part, alias);
    }
}

/// Replaces a table that lacks the named thing by the only one that has it, if that one has all
/// columns used too: the weight of a product that was looked for among the parts.
pub(super) fn with_the_named(
    query: &mut Query,
    tables: &Tables,
    values: &Values,
    found: &Found,
) -> Option<Mend> {
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        let single = select.from.len() == 1;
        for at in 0..select.from.len() {
            let Some((alias, id)) = select.from.get(at).and_then(table_of) else { continue };
            let used = Used::of(select, &alias, single);
            let Some(better) = used.better_than(&id, tables, values, found) else { continue };
            let text = format!("{} has what the query looks for in {id}", better.id);
            if let Some(from) = select.from.get_mut(at) {
                from.source = Source::Table(better.id.clone(), None);
            }
            mend = Some(Mend { text, doubt: Doubt::Little });
        }
    });
    mend
}

fn table_of(from: &From) -> Option<(String, String)> {
    match &from.source {
        Source::Table(id, _) => Some((from.alias.clone(), id.clone())),
        Source::Derived(_) => None,
    }
}

/// What a SELECT uses of one table.
struct Used {
    columns: Vec<String>,
    /// Names that its rows must have.
    names: Vec<String>,
}

impl Used {
    fn of(select: &Select, alias: &str, single: bool) -> Self {
        let mut used = Self { columns: Vec::new(), names: Vec::new() };
        let is_its = |column: &ColumnRef| match &column.table {
            Some(table) => table.eq_ignore_ascii_case(alias),
            None => single,
        };
        for expression in select.expressions() {
            expression.visit(&mut |part| match part {
                Expression::Column(column) if is_its(column) => used.columns.push(column.name.clone()),
                Expression::Compare(Comparison::Equal, of, value) => {
                    if let (Expression::Column(column), Expression::Text(name)) = (&**of, &**value)
                        && is_its(column)
                        && column.name.eq_ignore_ascii_case(NAME)
                    {
                        used.names.push(name.clone());
                    }
                }
                _ => {}
            });
        }
        used
    }

    /// The only other table that has all names and columns, if the written one lacks a name.
    fn better_than<'a>(
        &self,
        id: &str,
        tables: &'a Tables,
        values: &Values,
        found: &Found,
    ) -> Option<&'a Table> {
        let has_names = |at: usize| {
            let place = Place { table: at, column: 0 };
            self.names.iter().all(|name| values.lookup(tables, found, place, name).is_some())
        };
        let written = tables.find(id)?;
        // A table whose names are not kept may have it all the same.
        let knows = values.knows(tables, Place { table: written, column: 0 });
        if self.names.is_empty() || !knows || has_names(written) {
            return None;
        }
        let fits = |(at, table): &(usize, &Table)| {
            let has_columns = self.columns.iter().all(|name| table.find(name).is_some());
            *at != written && !table.is_links() && table.within.is_none() && has_columns && has_names(*at)
        };
        let mut better = tables.tables.iter().enumerate().filter(fits).map(|(_, table)| table);
        better.next().filter(|_| better.next().is_none())
    }
}

/// The column that holds the names of a table's rows.
const NAME: &str = "name";
