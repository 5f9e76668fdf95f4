//! Counts of the things that the question counts: "customers with more than ten orders" counts
//! orders, and "the brewery with the most beers" beers, not the hops in them.

use quipu_language::{Language, Operation, are_pieces, asks_for, is_code_word, wanted};
use quipu_query::{
    Aggregate, Body, Column, ColumnRef, Comparison, Doubt, Expression, From, Item, Join, Kind, Mend, Place,
    Query, Select, SetOperator, Source, Table, Tables, words_of,
};

use super::each::called as called_behind;
use crate::slips::each_query;

/// The name of the things that a set operation gives, and of its rows.
const COUNTED: &str = "counted";
/// Most nouns of "how many season passes" that are looked at.
const MOST_NOUNS: usize = 3;

/// Joins the things that the question counts for each row, if the query counts only the rows
/// themselves: "customers with more than ten orders" grouped by the customer's name or number. A
/// row without any counts none. The rows are named, unless the question asks for their numbers.
/// `None` if no table named in the question refers to the rows, or if it does so in several ways.
/// For a query that is not bound yet.
pub(crate) fn with_counted(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let mut mend = None;
    each_query(query, &mut |query| {
        let counts_in_order = query.order.iter().any(|order| counts_rows(&order.expression));
        let Body::Select(select) = &mut query.body else { return };
        let Some((alias, of, key)) = each_row(select, tables) else { return };
        let counts = counts_in_order || select.expressions_mut().into_iter().any(|of| counts_rows(of));
        let Some(link) = counts.then(|| counted(&words, of, tables)).flatten() else { return };
        let Some(rows) = tables.table(of) else { return };
        let id = |at: usize| rows.columns.get(at).map(|column| column.id.as_str());
        let (Some(own), Some(name), Some(key)) = (id(link.own), id(0), id(key)) else { return };
        let code = key.to_lowercase();
        let asks_for_key = words.iter().any(|word| is_code_word(word) && code.ends_with(word.as_str()));
        let column = |table: &str, name: &str| {
            let (table, name) = (Some(table.to_owned()), name.to_owned());
            ColumnRef { table, name, place: None }
        };
        let things = column(&link.table, &link.things);
        let in_order = query.order.iter_mut().map(|order| &mut order.expression);
        for expression in select.expressions_mut().into_iter().chain(in_order) {
            qualify(expression, &alias);
            count_each(expression, &things);
            if !asks_for_key && !rows.unnamed {
                rename(expression, key, name);
            }
        }
        let side = |table: &str, name: &str| Box::new(Expression::Column(column(table, name)));
        let on = Expression::Compare(Comparison::Equal, side(&link.table, &link.column), side(&alias, own));
        select.from.push(From {
            source: Source::Table(link.table.clone(), None),
            alias: link.table.clone(),
            join: Join::Left(Some(on)),
        });
        let text = format!("the rows of {} that belong to each {alias} are counted", link.table);
        mend = Some(Mend { text, doubt: Doubt::Little });
    });
    mend
}

/// Counts the groups that a condition leaves, instead of the rows of each: "how many varieties are
/// offered by more than one grower" asks for one number. For a query that is not bound yet.
pub(crate) fn counts_the_groups(question: &str, query: &mut Query) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let groups = |word: &String| language.meanings(word).iter().any(|meaning| meaning.means == "group");
    if asks_for(question) != Some("count") || words.iter().any(groups) || !query.order.is_empty() {
        return None;
    }
    let select = query.select().filter(|select| select.having.is_some() && !select.group.is_empty())?;
    let [Item { expression: Expression::Aggregate { function: Aggregate::Count, .. }, .. }] =
        select.items.as_slice()
    else {
        return None;
    };
    let count = Expression::Aggregate { function: Aggregate::Count, distinct: false, of: None };
    let mut inner = query.clone();
    let Body::Select(select) = &mut inner.body else { return None };
    let group = select.group.clone();
    select.items = group.into_iter().map(|expression| Item { expression, alias: None }).collect();
    let from =
        From { source: Source::Derived(Box::new(inner)), alias: "groups".into(), join: Join::Inner(None) };
    let items = vec![Item { expression: count, alias: None }];
    *query = Query::of(Select { items, from: vec![from], ..Select::default() });
    Some(Mend { text: "the groups are counted, not the rows of each".into(), doubt: Doubt::Little })
}

/// Counts the rows of each group, where a query counts the different values of the group's own
/// column, which are always one: `COUNT(DISTINCT brewery.name) … GROUP BY brewery.name`. For a
/// bound query of joined tables whose question counts something else.
pub(crate) fn counts_the_rows(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let nouns = nouns_counted(&words);
    let mut mend = None;
    each_query(query, &mut |query| {
        let Query { body: Body::Select(select), order, .. } = query else { return };
        let [group] = select.group.as_slice() else { return };
        let group = group.clone();
        let has_others = select.from.iter().any(|from| matches!(from.join, Join::Left(_)));
        let is_group = |noun: &&String| {
            let column = called_behind(noun, language, select, tables);
            column.is_some_and(|column| is_grouped(&column, select, tables))
        };
        if select.from.len() < 2 || has_others || nouns.iter().all(is_group) {
            return;
        }
        let in_order = order.iter_mut().map(|order| &mut order.expression);
        for expression in select.expressions_mut().into_iter().chain(in_order) {
            if count_rows_of(&group, expression) {
                let text = "the rows of each group are counted, not the group itself".to_owned();
                mend = Some(Mend { text, doubt: Doubt::Little });
            }
        }
    });
    mend
}

/// Makes a count of a group's own different values one of its rows. Returns whether there was one.
fn count_rows_of(group: &Expression, expression: &mut Expression) -> bool {
    if let Expression::Aggregate { function: Aggregate::Count, distinct: distinct @ true, of } = expression
        && of.as_deref() == Some(group)
    {
        (*distinct, *of) = (false, None);
        return true;
    }
    let mut found = false;
    for part in expression.parts_mut() {
        found |= count_rows_of(group, part);
    }
    found
}

/// Counts the rows of a set operation between two counts: "how many novels exist in both
/// translations" counts those in both, and two equal numbers tell nothing. For a bound query.
pub(crate) fn counts_the_set(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let Body::Set { left, right, .. } = &mut query.body else { return None };
    let named = |side: &mut Query| -> Option<()> {
        let Body::Select(select) = &mut side.body else { return None };
        let ([from], [item], true) =
            (select.from.as_slice(), select.items.as_mut_slice(), select.group.is_empty())
        else {
            return None;
        };
        let Source::Table(_, Some(at)) = &from.source else { return None };
        let counts = matches!(item.expression, Expression::Aggregate { function: Aggregate::Count, .. });
        let name = tables.table(*at)?.columns.first()?.id.clone();
        let place = Some(Place { table: *at, column: 0 });
        let of = Expression::Column(ColumnRef { table: Some(from.alias.clone()), name, place });
        counts.then(|| *item = Item { expression: of, alias: Some(COUNTED.to_owned()) })
    };
    let (mut first, mut second) = (left.clone(), right.clone());
    named(&mut first)?;
    named(&mut second)?;
    (*left, *right) = (first, second);
    let inner = std::mem::replace(query, Query::of(Select::default()));
    let count = Expression::Aggregate { function: Aggregate::Count, distinct: false, of: None };
    let from =
        From { source: Source::Derived(Box::new(inner)), alias: COUNTED.to_owned(), join: Join::Inner(None) };
    *query = Query::of(Select {
        items: vec![Item { expression: count, alias: None }],
        from: vec![from],
        ..Select::default()
    });
    Some(Mend { text: "the things of both queries are counted together".into(), doubt: Doubt::Little })
}

/// The alias and the table of a SELECT over one table that has a group for each of its rows, and
/// the column by which it has: the rows' name or another key.
fn each_row(select: &Select, tables: &Tables) -> Option<(String, usize, usize)> {
    let ([from], [Expression::Column(group)]) = (select.from.as_slice(), select.group.as_slice()) else {
        return None;
    };
    let Source::Table(id, _) = &from.source else { return None };
    let of = tables.find(id)?;
    let table = tables.table(of).filter(|table| !table.is_links())?;
    let column = table.find(&group.name)?;
    (column == 0 || table.is_key(column)).then(|| (from.alias.clone(), of, column))
}

/// Whether an expression counts rows.
fn counts_rows(expression: &Expression) -> bool {
    let mut counts = false;
    expression.visit(&mut |part| {
        counts |= matches!(part, Expression::Aggregate { function: Aggregate::Count, of: None, .. });
    });
    counts
}

/// A table whose rows belong to those of another.
struct Link {
    table: String,
    /// The column that refers to the other table's rows.
    column: String,
    /// The column of the things that are counted.
    things: String,
    /// The position of the column of the other table to which it refers: its name or its key.
    own: usize,
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
        let refers_to = |at: usize| match table.columns.get(at)? {
            column if column.kind == Kind::Entity(Some(of)) => Some(0),
            column => column.references.filter(|(table, _)| *table == of).map(|(_, key)| key),
        };
        let leads = |at: &usize| refers_to(*at).is_some();
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
            let things = table.columns.get(if at == 0 { 1 } else { 0 })?;
            let [table, column, things] = [&table.id, &column.id, &things.id].map(Clone::clone);
            Some(Link { table, column, things, own: refers_to(at)? })
        }));
    }
    let [_] = links.as_slice() else { return None };
    links.pop()
}

/// Whether the things that a column leads to are named.
fn is_named_by(column: &Column, tables: &Tables, is_named: &impl Fn(&str) -> bool) -> bool {
    let Kind::Entity(Some(at)) = column.kind else { return false };
    tables.table(at).is_some_and(|table| is_named(&table.title))
}

/// Counts each of the things that the question counts once, where a query counts the rows of
/// several joined tables, or those of links from these things. For a bound query.
pub(crate) fn counts_the_named(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let nouns = nouns_counted(&words);
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        // A tea with three prizes stands in three rows of a table of links.
        let of_links = match select.from.as_slice() {
            [From { source: Source::Table(_, Some(at)), .. }] => {
                tables.table(*at).is_some_and(Table::is_links)
            }
            _ => false,
        };
        if select.from.len() < 2 && !of_links {
            return;
        }
        let is_head = |column: &ColumnRef| column.place.is_some_and(|place| place.column == 0);
        let find = |noun: &&String| {
            let column = called_behind(noun, language, select, tables);
            let column = column.filter(|column| !of_links || is_head(column))?;
            // The "hl" of "more than 200 hl" are no things.
            let kind = column.place.and_then(|place| tables.column(place)).map(|column| column.kind);
            let is_number = matches!(kind, Some(Kind::Number { .. }));
            (!is_number && !is_grouped(&column, select, tables)).then(|| ((*noun).clone(), column))
        };
        // In "which two breweries make the most beers" groups count what is named last.
        let found = match select.group.is_empty() {
            true => nouns.iter().find_map(find),
            false => nouns.iter().rev().find_map(find),
        };
        let Some((noun, column)) = found else { return };
        let in_order = query.order.iter_mut().map(|order| &mut order.expression);
        for expression in select.expressions_mut().into_iter().chain(in_order) {
            if count_each(expression, &column) {
                let text = format!("each {noun} is counted once");
                mend = Some(Mend { text, doubt: Doubt::None });
            }
        }
    });
    mend
}

/// Counts the things that the question asks for the number of, where a query sums one of their
/// values: the number of grants is not their amount. For a bound query.
pub(crate) fn counts_the_things(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    // "How many manuscripts in total" may be taken for a sum.
    if !matches!(wanted(question).operation, Some(Operation::Count | Operation::Sum)) {
        return None;
    }
    // "How many season passes": the passes are counted. In "for each brewery, how many beers" the
    // brewery is not.
    let tells = |word: &&String| language.meanings(word).is_empty();
    let many = words.iter().position(|word| language.wants_the_many(word));
    if many.is_none() && wanted(question).operation == Some(Operation::Sum) {
        return None;
    }
    let asked = words.get(many.map_or(0, |many| many + 1)..)?.iter();
    let nouns = asked.skip_while(|word| !tells(word)).take_while(tells).take(MOST_NOUNS);
    let Query { body: Body::Select(select), order, .. } = query else { return None };
    let is_group = |item: &&Item| select.group.contains(&item.expression);
    let mut others = select.items.iter().filter(|item| !is_group(item)).map(|item| &item.expression);
    let sum = others.next().filter(|_| others.next().is_none())?.clone();
    let Expression::Aggregate { function: Aggregate::Sum, of: Some(of), .. } = &sum else { return None };
    let Expression::Column(summed) = &**of else { return None };
    let table = tables.table(summed.place?.table).filter(|table| !table.is_links())?;
    let title = words_of(&table.title);
    let is_thing = |noun: &String| title.last().is_some_and(|last| language.is_noun(noun, last));
    let nouns: Vec<&String> = nouns.take_while(|noun| !language.is_unit(noun)).collect();
    let own = ColumnRef {
        name: table.columns.first()?.id.clone(),
        place: summed.place.map(|place| Place { column: 0, ..place }),
        ..summed.clone()
    };
    // The things whose value is added, or those of another table. What its own rows lead to may be
    // in several of them: "how many books were sold" adds up the copies.
    let of_other = |noun: &String| {
        let of = called_behind(noun, language, select, tables)?;
        let kind = tables.leads_to(of.place?)?;
        let leads = |column: &Column| column.kind == Kind::Entity(Some(kind));
        (!table.columns.iter().any(leads) && !are_pieces(&summed.name)).then_some(of)
    };
    let named = |noun: &String| if is_thing(noun) { Some(own.clone()) } else { of_other(noun) };
    let (noun, own) = nouns.iter().find_map(|noun| Some((*noun, named(noun)?)))?;
    if is_grouped(&own, select, tables) {
        return None;
    }
    let is_called = words_of(&summed.name).iter().any(|word| language.is_noun(noun, word));
    if is_called {
        return None;
    }
    let text = format!("the question asks for the number of {noun}, not for the sum of {}", summed.name);
    let of = Some(Box::new(Expression::Column(own)));
    let count = Expression::Aggregate { function: Aggregate::Count, distinct: true, of };
    let in_order = order.iter_mut().map(|order| &mut order.expression);
    for expression in select.items.iter_mut().map(|item| &mut item.expression).chain(in_order) {
        if *expression == sum {
            expression.clone_from(&count);
        }
    }
    Some(Mend { text, doubt: Doubt::Little })
}

/// Adds the pieces of the things that the question counts, where a query counts the rows about
/// them: "how many filters were used" on orders with quantities. For a bound query.
pub(crate) fn adds_the_pieces(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let many = words.iter().position(|word| language.wants_the_many(word))?;
    let asked = words.get(many + 1..)?;
    // "How many pieces of the step".
    let of_which = asked.get(1).filter(|of| language.is_of(of)).and_then(|_| asked.get(2..));
    let asked = of_which.unwrap_or(asked);
    let articles = asked.iter().take_while(|word| language.is_any_article(word)).count();
    let asked = asked.get(articles..)?;
    let Body::Select(select) = &mut query.body else { return None };
    // The rows themselves, or the records that links lead to.
    let is_links = |at: usize| tables.table(at).is_some_and(Table::is_links);
    let is_rows = |from: &&From| {
        let Source::Table(_, Some(at)) = &from.source else { return false };
        let mut links = select.from.iter().filter_map(|other| match &other.source {
            Source::Table(_, at) if other.alias != from.alias => *at,
            _ => None,
        });
        select.from.len() == 1
            || (select.from.len() == 2 && links.any(|of| is_links(of) && tables.shows_records(of, *at)))
    };
    let from = select.from.iter().find(is_rows)?;
    let [item] = select.items.as_mut_slice() else { return None };
    let Source::Table(_, Some(at)) = &from.source else { return None };
    let counts =
        matches!(item.expression, Expression::Aggregate { function: Aggregate::Count, of: None, .. });
    if !counts || !select.group.is_empty() {
        return None;
    }
    // The name of the one thing that the rows are about stands right behind "how many".
    let is_asked = |name: &str| {
        let name = words_of(name);
        let same = |(word, other): (&String, &String)| language.is_noun(word, other);
        !name.is_empty() && asked.len() >= name.len() && asked.iter().zip(&name).all(same)
    };
    let about = select.filter.iter().flat_map(Expression::conjuncts).any(|condition| match condition {
        Expression::Compare(Comparison::Equal, of, value) => match (&**of, &**value) {
            (Expression::Column(column), Expression::Terms(_, name)) => {
                // "How many solvents" counts things of a kind, not pieces of one thing.
                let leads = |place: &Place| place.column > 0 && tables.leads_to(*place).is_some();
                column.place.filter(leads).is_some() && is_asked(name)
            }
            _ => false,
        },
        _ => false,
    });
    let table = tables.table(*at).filter(|table| about && !table.is_links())?;
    let is_pieces = |column: &usize| {
        table
            .columns
            .get(*column)
            .is_some_and(|of| matches!(of.kind, Kind::Number { .. }) && are_pieces(&of.title))
    };
    let mut pieces = (1..table.columns.len()).filter(is_pieces);
    let (Some(column), None) = (pieces.next(), pieces.next()) else { return None };
    let name = table.columns.get(column)?.id.clone();
    let text = format!("the query adds up {name} instead of counting rows");
    let place = Some(Place { table: *at, column });
    let of = Expression::Column(ColumnRef { table: Some(from.alias.clone()), name, place });
    item.expression =
        Expression::Aggregate { function: Aggregate::Sum, distinct: false, of: Some(Box::new(of)) };
    Some(Mend { text, doubt: Doubt::Little })
}

/// The query that adds up the numbers of all rows, where the question asks how many: "how many
/// people were injured on this route" has one answer, whatever each accident's number is. For a
/// bound query; meant if there are several rows.
pub fn added_up(question: &str, query: &Query, tables: &Tables) -> Option<(Query, Mend)> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let each = |word: &String| language.meanings(word).iter().any(|meaning| meaning.means == "group");
    let asks = words.iter().any(|word| language.wants_the_many(word)) && !words.iter().any(each);
    if !asks || !query.order.is_empty() || query.limit.is_some() {
        return None;
    }
    let mut added = as_one(query).unwrap_or_else(|| query.clone());
    let Body::Select(select) = &mut added.body else { return None };
    let [item] = select.items.as_mut_slice() else { return None };
    let Expression::Column(column) = &item.expression else { return None };
    let numbers = tables.column(column.place?)?;
    let is_said = |of: &String| words.iter().any(|word| language.is_form(word, of));
    let is_number = matches!(numbers.kind, Kind::Number { .. }) && !numbers.holds_years();
    if !is_number || !select.group.is_empty() || !words_of(&numbers.title).iter().any(is_said) {
        return None;
    }
    // A table that has several rows for one thing would add its number several times.
    let adds_once = |from: &From| match (&from.source, &from.join) {
        _ if Some(&from.alias) == column.table.as_ref() => true,
        (Source::Table(_, Some(at)), Join::Inner(Some(on)) | Join::Left(Some(on))) => {
            let is_name = |side: &Expression| {
                matches!(side, Expression::Column(side) if side.table.as_ref() == Some(&from.alias)
                    && side.place.is_some_and(|place| place.column == 0))
            };
            let joins =
                matches!(on, Expression::Compare(Comparison::Equal, a, b) if is_name(a) || is_name(b));
            joins && tables.table(*at).is_some_and(|table| !table.is_links())
        }
        _ => false,
    };
    if !select.from.iter().all(adds_once) {
        return None;
    }
    // The numbers of things that are named are given one by one, unless "together".
    let together = words.iter().any(|word| language.adds_both(word));
    let names = |condition: &Expression| match condition {
        Expression::Compare(Comparison::Equal, of, _) | Expression::InList(of, _) => {
            matches!(&**of, Expression::Column(of) if of.table == column.table
                && of.place.is_some_and(|place| place.column == 0))
        }
        Expression::Or(..) => true,
        _ => false,
    };
    if !together && select.filter.iter().flat_map(Expression::conjuncts).any(names) {
        return None;
    }
    let text = format!("the query adds up {} over all rows", numbers.title);
    let of = Some(Box::new(item.expression.clone()));
    item.expression = Expression::Aggregate { function: Aggregate::Sum, distinct: false, of };
    select.distinct = false;
    Some((added, Mend { text, doubt: Doubt::Little }))
}

/// The one SELECT of a union of two that differ in their conditions only.
fn as_one(query: &Query) -> Option<Query> {
    let Body::Set { operator: SetOperator::Union, left, right, .. } = &query.body else { return None };
    let (Body::Select(left), Body::Select(right)) = (&left.body, &right.body) else { return None };
    let ([one], [other]) = (left.from.as_slice(), right.from.as_slice()) else { return None };
    let mut right = right.clone();
    for expression in right.expressions_mut() {
        expression.under_alias(&other.alias, &one.alias);
    }
    if one.source != other.source || left.items != right.items || left.group != right.group {
        return None;
    }
    let mut both = left.clone();
    both.filter = Some(Expression::Or(Box::new(left.filter.clone()?), Box::new(right.filter.clone()?)));
    Some(Query { body: Body::Select(both), order: Vec::new(), limit: None, offset: 0 })
}

/// Whether the things of a column are those of which a SELECT has a group each.
fn is_grouped(column: &ColumnRef, select: &Select, tables: &Tables) -> bool {
    let kind = |column: &ColumnRef| column.place.and_then(|place| tables.leads_to(place));
    select.group.iter().any(|group| match group {
        Expression::Column(group) => {
            (kind(group).is_some() && kind(group) == kind(column)) || group == column
        }
        _ => false,
    })
}

/// The nouns of things that a question counts: behind "most", "how many", "number of" and "more
/// than two".
pub(super) fn nouns_counted(words: &[String]) -> Vec<&String> {
    let language = Language::of_words(words);
    let counts = |at: usize, word: &String| {
        language.is_quantity(word)
            || language.wants_the_many(word)
            || language.cardinal(word).is_some()
            || word.chars().all(|c| c.is_ascii_digit())
            || language.counts_up_to(words, at)
    };
    let said = || words.iter().enumerate();
    let noun = |(at, _): (usize, &String)| {
        // "Nigerian authors": the plural is counted.
        let tells = |word: &&String| language.meanings(word).is_empty();
        let behind = said().skip(at + 1).take_while(|(at, word)| !counts(*at, word));
        let behind = behind.map(|(_, word)| word).skip_while(|word| !tells(word));
        let run: Vec<&String> = behind.take_while(tells).take(MOST_NOUNS).collect();
        run.iter().find(|word| language.is_plural(word)).or(run.first()).copied()
    };
    said().filter(|(at, word)| counts(*at, word)).filter_map(noun).collect()
}

/// Makes a count of rows one of the different values of a column. Returns whether there was one.
fn count_each(expression: &mut Expression, column: &ColumnRef) -> bool {
    if let Expression::Aggregate { function: Aggregate::Count, distinct, of: of @ None } = expression {
        (*distinct, *of) = (true, Some(Box::new(Expression::Column(column.clone()))));
        return true;
    }
    let mut found = false;
    for part in expression.parts_mut() {
        found |= count_each(part, column);
    }
    found
}

/// Gives the rows' name in place of their key.
fn rename(expression: &mut Expression, key: &str, name: &str) {
    if let Expression::Column(column) = expression
        && column.name.eq_ignore_ascii_case(key)
    {
        name.clone_into(&mut column.name);
    }
    for part in expression.parts_mut() {
        rename(part, key, name);
    }
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
