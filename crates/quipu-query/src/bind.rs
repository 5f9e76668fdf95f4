//! Binding: finds the tables, columns and values that SQL names in the graph, leniently, as a
//! colleague would. Every mend is reported.

mod absent;
mod aggregates;
mod amounts;
mod columns;
mod ends;
mod joins;
mod links;
mod literals;
mod negation;
mod orders;
mod several;
mod shape;

pub use shape::{with_groups, with_measures, with_things};

use std::collections::HashSet;

use self::joins::{joins_the_second, joins_two_columns, joins_two_tables};
use crate::QueryError;
use crate::mend::{Doubt, Mend};
use crate::syntax::{Body, Comparison, Expression, From, Item, Join, Order, Query, Select, Source};
use crate::tables::{Place, Tables, covers, words_of};
use crate::values::{Found, Values};

/// A query with all names found.
#[derive(Debug, Clone, PartialEq)]
pub struct Bound {
    /// The query; aliases of tables are unique in it.
    pub query: Query,
    /// The changes that made it fit the graph, in their order.
    pub mends: Vec<Mend>,
}

/// Binds a query to a graph.
///
/// # Errors
/// [`QueryError::Unbound`] with the name that the graph lacks, and the names that it has instead.
pub fn bind(mut query: Query, tables: &Tables, values: &Values, found: &Found) -> Result<Bound, QueryError> {
    let mends = std::mem::take(query.mends_mut());
    let mut binder = Binder { tables, values, found, mends, aliases: HashSet::new(), gives_a_number: false };
    let query = binder.query(query, &mut Vec::new())?;
    Ok(Bound { query, mends: binder.mends })
}

/// Whether a query uses any table; one without tables asks nothing of the graph.
pub fn asks_tables(query: &Query) -> bool {
    let of_source = |from: &From| match &from.source {
        Source::Table(..) => true,
        Source::Derived(query) => asks_tables(query),
    };
    let within = |expression: &Expression| {
        let mut found = false;
        expression.visit(&mut |part| found |= part.query().is_some_and(asks_tables));
        found
    };
    match &query.body {
        Body::Set { left, right, .. } => asks_tables(left) || asks_tables(right),
        Body::Select(select) => {
            select.from.iter().any(of_source) || select.expressions().into_iter().any(within)
        }
    }
}

struct Binder<'a> {
    tables: &'a Tables,
    values: &'a Values,
    found: &'a Found,
    mends: Vec<Mend>,
    aliases: HashSet<String>,
    /// Whether the subquery that is bound next is calculated or compared with.
    gives_a_number: bool,
}

/// A table that a SELECT's expressions may use.
#[derive(Debug, Clone)]
struct Reach {
    /// Its names in the SQL.
    names: Vec<String>,
    /// Its alias after binding.
    alias: String,
    /// Its place; `None` for the rows of a subquery.
    table: Option<usize>,
    /// The columns of a subquery's rows.
    columns: Vec<String>,
}

impl Reach {
    /// Whether this is its alias. A table's own name may also be the alias of another.
    fn is_called(&self, name: &str) -> bool {
        self.names.first().is_some_and(|alias| alias.eq_ignore_ascii_case(name))
    }

    fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// The tables of a SELECT, and those joined to reach a column.
#[derive(Debug, Default)]
struct Scope {
    reaches: Vec<Reach>,
    added: Vec<From>,
    /// The items, for clauses that refer to them.
    items: Vec<Item>,
}

impl Binder<'_> {
    fn mend(&mut self, doubt: Doubt, text: impl Into<String>) {
        let mend = Mend { text: text.into(), doubt };
        if !self.mends.contains(&mend) {
            self.mends.push(mend);
        }
    }

    fn query(&mut self, mut query: Query, outer: &mut Vec<Scope>) -> Result<Query, QueryError> {
        match query.body {
            Body::Set { operator, all, left, right } => {
                let written = [orders::given(&left), orders::given(&right)].concat();
                let (left, mut right) = (self.query(*left, outer)?, self.query(*right, outer)?);
                self.same_columns(&left, &mut right);
                for by in &mut query.order {
                    orders::by_a_column(by, &written, &left, &right)?;
                }
                query.body = Body::Set { operator, all, left: Box::new(left), right: Box::new(right) };
                Ok(query)
            }
            Body::Select(select) => {
                let (select, order) = self.select(*select, query.order, outer)?;
                let mut query = Query { body: Body::Select(Box::new(select)), order, ..query };
                self.reshape(&mut query)?;
                Ok(query)
            }
        }
    }

    fn select(
        &mut self,
        mut select: Select,
        order: Vec<Order>,
        outer: &mut Vec<Scope>,
    ) -> Result<(Select, Vec<Order>), QueryError> {
        let mut scope = Scope::default();
        let mut unknown = None;
        let mut kept = Vec::new();
        for mut from in std::mem::take(&mut select.from) {
            match self.table(&mut from, &mut scope, outer) {
                Ok(()) => kept.push(from),
                Err(QueryError::Unbound(reason)) if matches!(from.source, Source::Table(..)) => {
                    unknown.get_or_insert((from, reason));
                }
                Err(error) => return Err(error),
            }
        }
        select.from = kept;
        if let Some((from, reason)) = unknown {
            // The columns of a missing table may belong to a table that is there.
            if scope.reaches.is_empty() {
                let mut from = from;
                let Some(table) = self.table_of_columns(&from, &select, &order) else {
                    return Err(QueryError::Unbound(reason));
                };
                let id = self.tables.table(table).map_or_else(String::new, |table| table.id.clone());
                self.mend(
                    Doubt::Much,
                    format!("{reason}; the query reads {id}, which has the columns asked for"),
                );
                if let Source::Table(name, _) = &mut from.source {
                    scope.reaches.push(Reach {
                        names: vec![from.alias.clone(), name.clone(), id.clone()],
                        alias: String::new(),
                        table: Some(table),
                        columns: Vec::new(),
                    });
                    name.clone_from(&id);
                }
                from.alias = self.new_alias(&id);
                from.source = Source::Table(id, Some(table));
                if let Some(reach) = scope.reaches.first_mut() {
                    reach.alias.clone_from(&from.alias);
                }
                select.from.push(from);
                outer.push(scope);
                let bound = self.clauses(select, order, outer);
                let scope = outer.pop().unwrap_or_default();
                let (select, order) = bound?;
                return Ok(self.with_added(select, order, scope.added));
            }
            let Some(first) = scope.reaches.first_mut() else { return Err(QueryError::Unbound(reason)) };
            first.names.push(from.alias.clone());
            if let Source::Table(name, _) = &from.source {
                first.names.push(name.clone());
            }
            // The new first table has no table before it to join.
            let of_first =
                select.from.first_mut().map(|first| std::mem::replace(&mut first.join, Join::Inner(None)));
            for join in of_first.into_iter().chain([from.join]) {
                if let Join::Inner(Some(on)) | Join::Left(Some(on)) = join
                    && !matches!(on, Expression::Compare(Comparison::Equal, ..))
                {
                    select.filter = Some(Expression::both(select.filter.take(), on));
                }
            }
            let of = first.names.first().cloned().unwrap_or_default();
            self.mend(Doubt::Much, format!("{reason}; the columns of the unknown table are taken from {of}"));
        }
        outer.push(scope);
        let bound = self.clauses(select, order, outer);
        let scope = outer.pop().unwrap_or_default();
        let (select, order) = bound?;
        Ok(self.with_added(select, order, scope.added))
    }

    /// Adds the tables that are joined to reach columns.
    fn with_added(
        &mut self,
        mut select: Select,
        mut order: Vec<Order>,
        added: Vec<From>,
    ) -> (Select, Vec<Order>) {
        let written = select.from.len();
        select.from.extend(added);
        self.conditions_of_rows(&mut select);
        self.right_ends(&mut select, &mut order, written);
        self.several_values(&mut select, &mut order, written);
        self.before_negations(&mut select);
        (select, order)
    }

    /// The table of entities that has, itself or by a link, all columns that a query uses of a
    /// missing table; the largest if there are several.
    fn table_of_columns(&self, from: &From, select: &Select, order: &[Order]) -> Option<usize> {
        let mut wanted: Vec<Vec<String>> = Vec::new();
        let of_order = order.iter().map(|order| &order.expression);
        for expression in select.expressions().into_iter().chain(of_order) {
            expression.visit(&mut |part| {
                if let Expression::Column(column) = part
                    && column.table.as_ref().is_none_or(|table| table.eq_ignore_ascii_case(&from.alias))
                {
                    wanted.push(words_of(&column.name));
                }
            });
        }
        // Every table has names, so these columns tell nothing.
        let tells = |name: &Vec<String>| !matches!(name.as_slice(), [] | [_] if name.iter().all(|word| word == "name" || word == "id"));
        if !wanted.iter().any(tells) {
            return None;
        }
        let has = |table: usize, name: &[String]| {
            let is_called = |id: &str| {
                let words = words_of(id);
                alike(name, &words) >= LEAST_ALIKE || covers(&words, name)
            };
            let own =
                self.tables.table(table).is_some_and(|table| table.columns.iter().any(|c| is_called(&c.id)));
            own || self.links_of(table).iter().any(|link| {
                self.tables.table(link.to.table).is_some_and(|other| {
                    other.is_links() && other.columns.iter().skip(1).any(|column| is_called(&column.id))
                })
            })
        };
        let all = self.tables.tables.iter().enumerate().filter(|(_, table)| !table.is_links());
        let fits = all.filter(|(at, _)| wanted.iter().all(|name| has(*at, name)));
        fits.max_by_key(|(_, table)| table.rows).map(|(at, _)| at)
    }

    fn clauses(
        &mut self,
        mut select: Select,
        mut order: Vec<Order>,
        scopes: &mut Vec<Scope>,
    ) -> Result<(Select, Vec<Order>), QueryError> {
        self.expand_stars(&mut select, scopes);
        let by_amounts = std::mem::take(&mut self.gives_a_number) || select.items.len() > 1;
        for item in &mut select.items {
            self.expression(&mut item.expression, scopes)?;
            if by_amounts {
                self.amount_given(item, scopes);
            }
        }
        if let Some(scope) = scopes.last_mut() {
            scope.items = select.items.clone();
        }
        let mut from = std::mem::take(&mut select.from);
        for from in &mut from {
            if let Join::Inner(Some(on)) | Join::Left(Some(on)) = &mut from.join {
                joins_the_second(on, &from.alias, scopes);
                self.joins(on, scopes)?;
                self.expression(on, scopes)?;
                joins_two_columns(on)?;
                joins_two_tables(on)?;
            }
        }
        select.from = from;
        if let Some(filter) = &mut select.filter {
            self.expression(filter, scopes)?;
            joins_two_columns(filter)?;
        }
        for group in &mut select.group {
            self.by_position(group, scopes, "GROUP BY")?;
            self.by_item(group, scopes, false);
            self.expression(group, scopes)?;
        }
        if let Some(having) = &mut select.having {
            self.by_item(having, scopes, true);
            self.expression(having, scopes)?;
        }
        for by in &mut order {
            self.by_position(&mut by.expression, scopes, "ORDER BY")?;
            self.by_item(&mut by.expression, scopes, true);
            // An item's subquery is bound already; bound again it would get other aliases.
            let is_item = select.items.iter().any(|item| item.expression == by.expression);
            if !(is_item && by.expression.has_query()) {
                self.expression(&mut by.expression, scopes)?;
            }
            self.by_amount(&mut by.expression, scopes);
            self.orders_words(&by.expression);
        }
        Ok((select, order))
    }

    fn exact_column(&self, scopes: &[Scope], name: &str) -> Option<Place> {
        let reaches = scopes.last()?.reaches.iter();
        reaches.filter_map(|reach| reach.table).find_map(|table| {
            let column = self.tables.table(table)?.find(name)?;
            Some(Place { table, column })
        })
    }

    fn expand_stars(&self, select: &mut Select, scopes: &[Scope]) {
        let Some(scope) = scopes.last() else { return };
        let items = std::mem::take(&mut select.items);
        for item in items {
            let star = match &item.expression {
                Expression::Column(column) if column.name == "*" => Some(column.table.clone()),
                _ => None,
            };
            let Some(of) = star else {
                select.items.push(item);
                continue;
            };
            let is_alias =
                of.as_ref().is_some_and(|of| scope.reaches.iter().any(|reach| reach.is_called(of)));
            let reaches = scope.reaches.iter().filter(|reach| match &of {
                None => true,
                Some(of) if is_alias => reach.is_called(of),
                Some(of) => reach.has_name(of),
            });
            for reach in reaches {
                let columns: Vec<String> = match reach.table.and_then(|table| self.tables.table(table)) {
                    Some(table) => table.columns.iter().map(|column| column.id.clone()).collect(),
                    None => reach.columns.clone(),
                };
                for name in columns {
                    let table = reach.names.first().cloned();
                    let column = crate::syntax::ColumnRef { table, name, place: None };
                    select.items.push(Item { expression: Expression::Column(column), alias: None });
                }
            }
        }
    }

    fn table(
        &mut self,
        from: &mut From,
        scope: &mut Scope,
        outer: &mut Vec<Scope>,
    ) -> Result<(), QueryError> {
        let alias = self.new_alias(&from.alias);
        let mut names = vec![from.alias.clone()];
        let mut reach = match &mut from.source {
            Source::Table(name, place) => {
                let at = self.find_table(name)?;
                names.push(name.clone());
                *place = Some(at);
                if let Some(table) = self.tables.table(at) {
                    name.clone_from(&table.id);
                    names.push(table.id.clone());
                }
                Reach { names, alias: alias.clone(), table: Some(at), columns: Vec::new() }
            }
            Source::Derived(query) => {
                let bound = self.query((**query).clone(), outer)?;
                let columns = columns_of(&bound);
                **query = bound;
                Reach { names, alias: alias.clone(), table: None, columns }
            }
        };
        if !reach.has_name(&alias) {
            reach.names.push(alias.clone());
        }
        from.alias = alias;
        scope.reaches.push(reach);
        Ok(())
    }

    fn new_alias(&mut self, wanted: &str) -> String {
        let base = words_of(wanted).join("_");
        let base = if base.is_empty() { "part".to_owned() } else { base };
        let mut alias = base.clone();
        let mut number = 2;
        while !self.aliases.insert(alias.clone()) {
            alias = format!("{base}_{number}");
            number += 1;
        }
        alias
    }

    fn find_table(&mut self, name: &str) -> Result<usize, QueryError> {
        if let Some(at) = self.tables.find(name) {
            return Ok(at);
        }
        let wanted = words_of(name);
        let score = |id: &str| alike(&wanted, &words_of(id));
        let best = self.tables.tables.iter().enumerate().map(|(at, table)| (score(&table.id), at));
        let best = best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        match best.and_then(|(score, at)| Some((score, at, self.tables.table(at)?.id.clone()))) {
            Some((score, at, id)) if score >= LEAST_ALIKE => {
                self.mend(Doubt::None, format!("the table {name} is called {id}"));
                Ok(at)
            }
            _ => {
                let shown = self.tables.tables.iter().filter(|table| table.within.is_none());
                let known: Vec<&str> = shown.take(12).map(|table| table.id.as_str()).collect();
                let known = if known.is_empty() { "none".into() } else { known.join(", ") };
                Err(QueryError::Unbound(format!("unknown table {name}; known: {known}")))
            }
        }
    }

    fn expression(&mut self, expression: &mut Expression, scopes: &mut Vec<Scope>) -> Result<(), QueryError> {
        if let Expression::Column(column) = expression {
            if column.place.is_some() {
                return Ok(());
            }
            *expression = self.column(column, scopes)?;
            return Ok(());
        }
        let calculates = needs_numbers(expression);
        for part in expression.parts_mut() {
            self.gives_a_number = calculates && matches!(part, Expression::Scalar(_));
            self.expression(part, scopes)?;
        }
        if let Some(query) = expression.query_mut() {
            let bound = self.query(query.clone(), scopes)?;
            *query = bound;
        }
        self.by_amounts(expression, scopes);
        self.words_among_numbers(expression);
        self.vaguer_dates(expression);
        self.counts_things(expression);
        self.averages_counts(expression);
        self.adds_numbers(expression)?;
        self.without_a_value(expression);
        self.of_one_kind(expression, scopes)?;
        self.literals(expression, scopes)
    }
}

/// Whether an expression calculates with its parts, or orders them.
fn needs_numbers(expression: &Expression) -> bool {
    match expression {
        Expression::Arithmetic(..) => true,
        Expression::Compare(comparison, ..) => !matches!(comparison, Comparison::Equal | Comparison::Unequal),
        _ => false,
    }
}

/// Names with less similarity are different names.
const LEAST_ALIKE: f64 = 0.7;

/// The similarity of two names, word by word: 1 if each word is a form of another, or abbreviates
/// others.
fn alike(wanted: &[String], known: &[String]) -> f64 {
    let is_one = |word: &String, other: &String| {
        crate::tables::is_form_of(word, other) || quipu_language::changes_within(word, other)
    };
    let is_in = |word: &String, others: &[String]| others.iter().any(|other| is_one(word, other));
    let mut shared: Vec<bool> = wanted.iter().map(|word| is_in(word, known)).collect();
    let mut hits = 0;
    for short in known {
        let stands_for = (0..wanted.len()).find_map(|start| {
            let words = crate::tables::abbreviated(short, wanted.get(start..)?);
            (words > 0).then_some(start..start + words)
        });
        let said = is_in(short, wanted);
        hits += usize::from(said || stands_for.is_some());
        if let Some(words) = stands_for.filter(|_| !said).and_then(|words| shared.get_mut(words)) {
            words.fill(true);
        }
    }
    hits += shared.iter().filter(|shared| **shared).count();
    hits as f64 / (wanted.len() + known.len()).max(1) as f64
}

/// The title of an item.
pub(crate) fn title_of(item: &Item) -> String {
    match (&item.alias, &item.expression) {
        (Some(alias), _) => alias.clone(),
        (None, Expression::Column(column)) => column.name.clone(),
        (None, other) => other.to_string(),
    }
}

/// The columns of a query's rows.
fn columns_of(query: &Query) -> Vec<String> {
    match &query.body {
        Body::Select(select) => select.items.iter().map(title_of).collect(),
        Body::Set { left, .. } => columns_of(left),
    }
}
