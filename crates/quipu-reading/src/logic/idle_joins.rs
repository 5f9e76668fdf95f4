//! Joins that ask nothing: they only make the reading seem to speak of a table.

use quipu_language::{Language, is_aside};
use quipu_query::{
    Aggregate, Body, ColumnRef, Comparison, Doubt, Expression, From, Item, Join, Mend, Order, Place, Query,
    Select, Source, Table, Tables, words_of,
};

use crate::said::Said;
use crate::slips::each_query;

/// Leaves out tables that are joined by their name to a column that always has a value and leads to
/// them, and that are used for nothing else. A join that some rows have no partner for is a
/// condition, and stays: "employees that have a manager". For a bound query.
pub(crate) fn without_idle_joins(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let mut mend = None;
    each_query(query, &mut |query| {
        let Query { body: Body::Select(select), order, .. } = query else { return };
        let mut at = select.from.len();
        while at > 1 {
            at -= 1;
            let Some(from) = select.from.get(at).filter(|from| is_idle(from, select, order, tables)) else {
                continue;
            };
            let text = format!("the join with {} is left out: the query uses nothing of it", from.alias);
            mend = Some(Mend { text, doubt: Doubt::None });
            select.from.remove(at);
        }
    });
    mend
}

/// Gives the property of the thing that a named thing is joined to in its own table, where a query
/// gives the named thing's and uses the join for nothing: the supervisor's e-mail of "Ada's
/// supervisor". For a bound query.
pub(crate) fn of_the_joined_other(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let Query { body: Body::Select(select), order, .. } = query else { return None };
    let ([Item { expression: Expression::Column(given), .. }], [first, other]) =
        (select.items.as_slice(), select.from.as_slice())
    else {
        return None;
    };
    let (Source::Table(_, Some(own)), Source::Table(_, Some(joined))) = (&first.source, &other.source) else {
        return None;
    };
    let (Join::Inner(Some(Expression::Compare(Comparison::Equal, a, b)))
    | Join::Left(Some(Expression::Compare(Comparison::Equal, a, b)))) = &other.join
    else {
        return None;
    };
    let (Expression::Column(a), Expression::Column(b)) = (&**a, &**b) else { return None };
    let is_of = |column: &ColumnRef, from: &From| column.table.as_ref() == Some(&from.alias);
    let (link, name) = if is_of(a, first) { (a, b) } else { (b, a) };
    let leads = link.place.is_some_and(|place| place.column > 0 && tables.leads_to(place) == Some(*own));
    let names_one = select.filter.iter().flat_map(Expression::conjuncts).any(|condition| match condition {
        Expression::Compare(Comparison::Equal, of, value) => {
            let place = Some(Place { table: *own, column: 0 });
            matches!(&**of, Expression::Column(of) if is_of(of, first) && of.place == place)
                && matches!(**value, Expression::Terms(..))
        }
        _ => false,
    });
    let is_other = given.place.is_some_and(|place| place.column > 0) && given.name != link.name;
    let gives_own = own == joined && is_of(link, first) && is_of(name, other) && is_of(given, first);
    if !(gives_own && is_other && leads && names_one && uses(&other.alias, select, order) == 1) {
        return None;
    }
    let alias = other.alias.clone();
    let text = format!("{} is that of the {}, which the query joins", given.name, link.name);
    let Some(Item { expression: Expression::Column(given), .. }) = select.items.first_mut() else {
        return None;
    };
    given.table = Some(alias);
    Some(Mend { text, doubt: Doubt::Little })
}

/// Counts the things themselves where a query counts them by links that the question does not
/// mention: "how many Nigerian authors are there" does not ask for authors with editions. Only if
/// the query without the links says every naming word of the question. For a bound query.
pub(crate) fn without_unsaid_links(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let mut without = query.clone();
    let Query { body: Body::Select(select), limit: None, .. } = &mut without else { return None };
    if select.from.len() != 2 || !select.group.is_empty() {
        return None;
    }
    let table_of = |from: &From| match &from.source {
        Source::Table(_, at) => *at,
        Source::Derived(_) => None,
    };
    let at = select.from.iter().position(|from| table_of(from).is_some_and(|at| is_links(at, tables)))?;
    let things = select.from.get(1 - at).and_then(table_of).filter(|table| !is_links(*table, tables))?;
    let links = select.from.remove(at);
    let kept = select.from.first_mut()?;
    let alias = kept.alias.clone();
    let joins = [&links.join, &kept.join].into_iter().any(|join| {
        let Join::Inner(Some(Expression::Compare(Comparison::Equal, a, b))) = join else { return false };
        let leads = |of: &Expression| match of {
            Expression::Column(of) => of.place.is_some_and(|place| {
                place == Place { table: things, column: 0 } || tables.leads_to(place) == Some(things)
            }),
            _ => false,
        };
        leads(a) && leads(b)
    });
    kept.join = Join::Inner(None);
    let [Item { expression: Expression::Aggregate { function: Aggregate::Count, distinct, of }, .. }] =
        select.items.as_mut_slice()
    else {
        return None;
    };
    let name = tables.table(things)?.columns.first()?.id.clone();
    let place = Some(Place { table: things, column: 0 });
    let named = Expression::Column(ColumnRef { table: Some(alias), name, place });
    (*distinct, *of) = (true, Some(Box::new(named)));
    let uses_links = |expression: &&Expression| {
        let mut uses = false;
        expression.visit(&mut |part| {
            uses |= matches!(part, Expression::Column(of) if of.table.as_ref() == Some(&links.alias));
        });
        uses
    };
    if !joins || select.filter.iter().any(|filter| uses_links(&filter)) {
        return None;
    }
    let said = Said::of(&without, tables);
    let names = |(at, word): (usize, &String)| language.meanings(word).is_empty() && !is_aside(&words, at);
    let mut naming = words.iter().enumerate().filter(|(at, word)| names((*at, word)));
    if !naming.all(|(_, word)| said.names(word, language)) {
        return None;
    }
    *query = without;
    let text = format!("the join with {} is left out: the question does not mention it", links.alias);
    Some(Mend { text, doubt: Doubt::Little })
}

/// Leaves out a table that repeats the rows of a sum or an average, and that neither the
/// question nor another part of the query mentions: the prices of sales, once for each photo of the
/// car. For a bound query.
pub(crate) fn without_unsaid_repeats(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let Query { body: Body::Select(select), order, .. } = query else { return None };
    let is_said = |title: &str| {
        let mut naming = words_of(title).into_iter().filter(|of| !language.is_function_word(of));
        naming.any(|of| words.iter().any(|word| language.is_form(word, &of)))
    };
    let repeats = |from: &From, select: &Select| {
        let Join::Inner(Some(Expression::Compare(Comparison::Equal, a, b))) = &from.join else {
            return false;
        };
        let (Expression::Column(a), Expression::Column(b)) = (&**a, &**b) else { return false };
        let is_its = |column: &ColumnRef| column.table.as_ref() == Some(&from.alias);
        let (its, other) = if is_its(a) { (a, b) } else { (b, a) };
        let (Some(place), Some(to)) = (its.place, other.place) else { return false };
        let is_many = place.column > 0 && to.column == 0 && tables.leads_to(place) == Some(to.table);
        let titles = [tables.table(place.table).map(|t| &t.title), tables.column(place).map(|c| &c.title)];
        let unsaid = !titles.into_iter().flatten().any(|title| is_said(title));
        is_its(its) && !is_its(other) && is_many && unsaid && uses(&from.alias, select, order) == 1
    };
    // The first table repeats the second: "the costumes" joined to the lines that hired them.
    let repeats_the_second = |select: &Select| {
        let [first, second] = select.from.as_slice() else { return false };
        let Join::Inner(Some(Expression::Compare(Comparison::Equal, a, b))) = &second.join else {
            return false;
        };
        let (Expression::Column(a), Expression::Column(b)) = (&**a, &**b) else { return false };
        let (its, other) = if a.table.as_ref() == Some(&first.alias) { (a, b) } else { (b, a) };
        let (Some(place), Some(to)) = (its.place, other.place) else { return false };
        let is_many = place.column > 0 && to.column == 0 && tables.leads_to(place) == Some(to.table);
        let kind = tables.table(to.table).map(|table| words_of(&table.title)).unwrap_or_default();
        let is_kind = |title: &String| {
            words_of(title).iter().all(|of| kind.iter().any(|kind| language.is_noun(kind, of)))
        };
        let of_column = tables.column(place).map(|column| &column.title).filter(|title| !is_kind(title));
        let of_table = tables.table(place.table).map(|table| &table.title);
        let unsaid = !of_column.into_iter().chain(of_table).any(|title| is_said(title));
        its.table.as_ref() == Some(&first.alias)
            && is_many
            && unsaid
            && uses(&first.alias, select, order) == 1
    };
    let (mut adds, mut counts) = (false, false);
    for expression in select.expressions().into_iter().chain(order.iter().map(|order| &order.expression)) {
        expression.visit(&mut |part| match part {
            Expression::Aggregate { function: Aggregate::Sum | Aggregate::Avg, .. } => adds = true,
            // The rows of the join may be what is counted, in other words.
            Expression::Aggregate { of: None, .. } => counts = true,
            _ => {}
        });
    }
    if adds && !counts && repeats_the_second(select) {
        let first = select.from.remove(0);
        let second = select.from.first_mut()?;
        second.join = Join::Inner(None);
        let text = format!("the join with {} is left out: the question does not mention it", first.alias);
        return Some(Mend { text, doubt: Doubt::Little });
    }
    let mut joined = (1..select.from.len()).rev();
    let at = joined
        .find(|at| adds && !counts && select.from.get(*at).is_some_and(|from| repeats(from, select)))?;
    let from = select.from.remove(at);
    let text = format!("the join with {} is left out: the question does not mention it", from.alias);
    Some(Mend { text, doubt: Doubt::Little })
}

/// How often a SELECT and its order name a table; queries within that speak of it count once.
fn uses(alias: &str, select: &Select, order: &[Order]) -> usize {
    let mut uses = 0;
    let mut count = |expression: &Expression| {
        expression.visit(&mut |part| match part {
            Expression::Column(column) if column.table.as_deref() == Some(alias) => uses += 1,
            within if within.query().is_some_and(|query| speaks_of(query, alias)) => uses += 1,
            _ => {}
        });
    };
    select.expressions().into_iter().for_each(&mut count);
    order.iter().for_each(|order| count(&order.expression));
    uses
}

/// Whether a query within another one uses a table of it.
fn speaks_of(query: &Query, alias: &str) -> bool {
    let mut speaks = false;
    query.visit(&mut |part| {
        speaks |= matches!(part, Expression::Column(column) if column.table.as_deref() == Some(alias));
    });
    speaks
}

fn is_idle(from: &From, select: &Select, order: &[Order], tables: &Tables) -> bool {
    let Join::Inner(Some(Expression::Compare(Comparison::Equal, a, b))) = &from.join else { return false };
    let Source::Table(_, Some(table)) = &from.source else { return false };
    let (Expression::Column(a), Expression::Column(b)) = (&**a, &**b) else { return false };
    let is_its = |column: &ColumnRef| column.table.as_ref() == Some(&from.alias);
    let is_name = |column: &ColumnRef| {
        is_its(column)
            && column.place == Some(Place { table: *table, column: 0 })
            && !is_links(*table, tables)
    };
    let other = match (is_name(a), is_name(b)) {
        (true, false) => b,
        (false, true) => a,
        _ => return false,
    };
    let Some(place) = other.place.filter(|place| tables.leads_to(*place) == Some(*table)) else {
        return false;
    };
    if place.column == 0 || !(has_all_values(place, tables) || is_fixed(other, select)) {
        return false;
    }
    let mut uses = 0;
    let mut count = |expression: &Expression| {
        expression.visit(&mut |part| match part {
            Expression::Column(column) if is_its(column) => uses += 1,
            // Rows of a join that are counted are used.
            Expression::Aggregate { .. } => uses += 1,
            within if within.query().is_some_and(|query| speaks_of(query, &from.alias)) => uses += 1,
            _ => {}
        });
    };
    select.expressions().into_iter().for_each(&mut count);
    order.iter().for_each(|order| count(&order.expression));
    uses == 1
}

fn is_links(table: usize, tables: &Tables) -> bool {
    tables.table(table).is_some_and(Table::is_links)
}

/// Whether a condition of a SELECT fixes the column's value.
fn is_fixed(column: &ColumnRef, select: &Select) -> bool {
    select.filter.iter().flat_map(Expression::conjuncts).any(|condition| match condition {
        Expression::Compare(Comparison::Equal, of, value) => {
            **of == Expression::Column(column.clone()) && matches!(**value, Expression::Terms(..))
        }
        _ => false,
    })
}

/// Whether each row of the column's table has a value.
fn has_all_values(place: Place, tables: &Tables) -> bool {
    let rows = tables.table(place.table).map(|table| table.rows);
    tables.column(place).zip(rows).is_some_and(|(column, rows)| column.filled >= rows)
}
