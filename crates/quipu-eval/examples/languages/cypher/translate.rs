//! Translates Cypher to a query over tables.

mod patterns;
mod values;

use std::collections::HashMap;

use quipu_query::{
    Body, ColumnRef, Comparison, Expression, From, Item, Join, Order, Query, QueryError, Select, SetOperator,
    Source,
};

use super::syntax::{Clause, Cypher, Projection, Value};
use crate::names::Names;

type Made<T> = Result<T, QueryError>;

/// Translates a query. Only labels and relationships are bound to the graph yet.
pub fn translate(cypher: &Cypher, names: Names) -> Made<Query> {
    let mut translator = Translator { names, fresh: 0 };
    let mut queries = Vec::new();
    for part in &cypher.parts {
        queries.push(translator.part(part)?);
    }
    let union = |left, right| {
        let (left, right) = (Box::new(left), Box::new(right));
        plain(Body::Set { operator: SetOperator::Union, all: false, left, right })
    };
    queries.into_iter().reduce(union).ok_or_else(|| QueryError::Refused("there is no Cypher".into()))
}

fn plain(body: Body) -> Query {
    Query { body, order: Vec::new(), limit: None, offset: 0 }
}

fn refuse<T>(reason: impl Into<String>) -> Made<T> {
    Err(QueryError::Refused(reason.into()))
}

fn column(table: &str, name: &str) -> Expression {
    Expression::Column(ColumnRef { table: Some(table.to_owned()), name: name.to_owned(), place: None })
}

fn equal(a: Expression, b: Expression) -> Expression {
    Expression::Compare(Comparison::Equal, Box::new(a), Box::new(b))
}

struct Translator<'a> {
    names: Names<'a>,
    fresh: usize,
}

/// The referent of a variable.
#[derive(Debug, Clone, PartialEq)]
enum Bound {
    /// A row of a table: the alias, the table.
    Thing(String, usize),
    /// A value.
    Value(Expression),
}

/// The scope of the clauses so far.
#[derive(Debug, Clone, Default)]
struct Scope {
    from: Vec<From>,
    filter: Option<Expression>,
    bound: Vec<(String, Bound)>,
    /// Link tables that are joined for their values, by alias and table.
    joined: HashMap<(String, usize), String>,
    /// An open WITH: only RETURN may follow it directly.
    open: Option<Open>,
}

/// A WITH that counts, orders or limits.
#[derive(Debug, Clone, Default)]
struct Open {
    aggregates: bool,
    distinct: bool,
    group: Vec<Expression>,
    having: Option<Expression>,
    order: Vec<Order>,
    limit: Option<u64>,
    skip: u64,
}

impl Scope {
    fn get(&self, name: &str) -> Option<&Bound> {
        self.bound.iter().rev().find(|(known, _)| known == name).map(|(_, bound)| bound)
    }

    fn bind(&mut self, name: &str, bound: Bound) {
        self.bound.retain(|(known, _)| known != name);
        self.bound.push((name.to_owned(), bound));
    }

    fn require(&mut self, condition: Expression) {
        self.filter = Some(Expression::both(self.filter.take(), condition));
    }

    /// Joins a table. A condition of the first table belongs to the whole query.
    fn join(&mut self, source: Source, alias: &str, on: Option<Expression>, optional: bool) {
        let first = self.from.is_empty();
        let join = match on {
            Some(on) if first => {
                self.require(on);
                Join::Inner(None)
            }
            on if optional && !first => Join::Left(on),
            on => Join::Inner(on),
        };
        self.from.push(From { source, alias: alias.to_owned(), join });
    }

    /// Adds a condition to the last join if that is optional, else to the query.
    fn require_of(&mut self, condition: Expression, optional: bool) {
        match self.from.last_mut().map(|from| &mut from.join) {
            Some(Join::Left(on)) if optional => *on = Some(Expression::both(on.take(), condition)),
            _ => self.require(condition),
        }
    }
}

impl Translator<'_> {
    fn alias(&mut self, name: &str) -> String {
        self.fresh += 1;
        let letters: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        format!("{}_{}", if letters.is_empty() { "x" } else { &letters }, self.fresh)
    }

    fn part(&mut self, clauses: &[Clause]) -> Made<Query> {
        let mut scope = Scope::default();
        for clause in clauses {
            if !matches!(clause, Clause::Return(_)) {
                self.close(&mut scope)?;
            }
            match clause {
                Clause::Match { optional, patterns, filter } => {
                    for pattern in patterns {
                        self.pattern(&mut scope, pattern, *optional)?;
                    }
                    if let Some(filter) = filter {
                        let filter = self.condition(&mut scope, filter)?;
                        scope.require_of(filter, *optional);
                    }
                }
                Clause::Unwind(of, name) => {
                    let Some((alias, table)) = self.list(&scope, of) else {
                        return refuse("UNWIND is read of a property that is a list");
                    };
                    let value = self.unwound(&mut scope, &alias, table)?;
                    scope.bind(name, Bound::Value(value));
                }
                Clause::With(projection) => self.with(&mut scope, projection)?,
                Clause::Return(projection) => return self.returned(scope, projection),
            }
        }
        refuse("RETURN is missing")
    }

    /// The items of WITH and RETURN: name, referent of the variable, value.
    fn items(
        &mut self,
        scope: &mut Scope,
        projection: &Projection,
    ) -> Made<Vec<(String, Bound, Expression)>> {
        let mut items = Vec::new();
        let value = |bound: &Bound| match bound {
            Bound::Thing(alias, _) => column(alias, "name"),
            Bound::Value(value) => value.clone(),
        };
        if projection.all {
            items.extend(scope.bound.iter().map(|(name, bound)| (name.clone(), bound.clone(), value(bound))));
        }
        for (at, (item, alias)) in projection.items.iter().enumerate() {
            let bound = match item {
                Value::Variable(name) => scope.get(name).cloned(),
                _ => None,
            };
            let bound = match bound {
                Some(bound) => bound,
                None => Bound::Value(self.value(scope, item)?),
            };
            let name = match (alias, item) {
                (Some(alias), _) => alias.clone(),
                (None, Value::Variable(name) | Value::Property(_, name)) => name.clone(),
                _ => format!("value_{at}"),
            };
            let value = value(&bound);
            items.push((name, bound, value));
        }
        Ok(items)
    }

    /// The ORDER BY values; the names of items refer to the items.
    fn order(
        &mut self,
        scope: &mut Scope,
        items: &[(String, Bound, Expression)],
        order: &[(Value, bool)],
    ) -> Made<Vec<Order>> {
        let before = scope.bound.clone();
        for (name, bound, _) in items {
            scope.bind(name, bound.clone());
        }
        let mut made = Vec::new();
        for (value, descending) in order {
            made.push(Order { expression: self.value(scope, value)?, descending: *descending });
        }
        scope.bound = before;
        Ok(made)
    }

    fn with(&mut self, scope: &mut Scope, projection: &Projection) -> Made<()> {
        let items = self.items(scope, projection)?;
        let order = self.order(scope, &items, &projection.order)?;
        let aggregates = items.iter().any(|(_, _, value)| value.has_aggregate());
        let cuts = projection.limit.is_some() || projection.skip > 0;
        if aggregates || projection.distinct || cuts {
            let group = items.iter().map(|(_, _, value)| value);
            let group = group.filter(|value| aggregates && !value.has_aggregate()).cloned().collect();
            scope.open = Some(Open {
                aggregates,
                distinct: projection.distinct,
                group,
                having: None,
                order,
                limit: projection.limit,
                skip: projection.skip,
            });
        }
        scope.bound = items.into_iter().map(|(name, bound, _)| (name, bound)).collect();
        let Some(filter) = &projection.filter else { return Ok(()) };
        if !aggregates || cuts {
            self.close(scope)?;
        }
        let condition = self.condition(scope, filter)?;
        match &mut scope.open {
            Some(open) => open.having = Some(condition),
            None => scope.require(condition),
        }
        Ok(())
    }

    fn returned(&mut self, mut scope: Scope, projection: &Projection) -> Made<Query> {
        let mut items = self.items(&mut scope.clone(), projection)?;
        let counts = |items: &[(String, Bound, Expression)], scope: &Scope| {
            let names_of_open: Vec<&Expression> = scope
                .bound
                .iter()
                .filter_map(|(_, bound)| match bound {
                    Bound::Value(value) => Some(value),
                    Bound::Thing(..) => None,
                })
                .collect();
            items.iter().any(|(_, _, value)| value.has_aggregate() && !names_of_open.contains(&value))
        };
        if let Some(open) = &scope.open {
            let cuts = open.limit.is_some() || open.skip > 0;
            let orders = !projection.order.is_empty() || projection.limit.is_some() || projection.skip > 0;
            if counts(&items, &scope) || projection.distinct || (cuts && orders) {
                self.close(&mut scope)?;
            }
        }
        let open = scope.open.take();
        items = self.items(&mut scope, projection)?;
        let order = self.order(&mut scope, &items, &projection.order)?;
        let aggregates = items.iter().any(|(_, _, value)| value.has_aggregate());
        let is_group = |value: &Expression| {
            !value.has_aggregate() && !value.parts().is_empty() || matches!(value, Expression::Column(_))
        };
        let own = items.iter().map(|(_, _, value)| value).filter(|value| is_group(value));
        let mut group: Vec<Expression> = open.iter().flat_map(|open| open.group.clone()).collect();
        let grouped = aggregates || open.as_ref().is_some_and(|open| open.aggregates);
        group.extend(own.filter(|value| grouped && !group.contains(value)).cloned().collect::<Vec<_>>());
        let open = open.unwrap_or_default();
        let item =
            |(name, _, expression): (String, Bound, Expression)| Item { expression, alias: Some(name) };
        let select = Select {
            distinct: projection.distinct || open.distinct,
            items: items.into_iter().map(item).collect(),
            from: scope.from,
            filter: scope.filter,
            group,
            having: open.having,
            mends: Vec::new(),
        };
        Ok(Query {
            body: Body::Select(Box::new(select)),
            order: if order.is_empty() { open.order } else { order },
            limit: projection.limit.or(open.limit),
            offset: projection.skip.max(open.skip),
        })
    }

    /// Turns an open WITH into a subquery, whose rows the next clauses start from.
    fn close(&mut self, scope: &mut Scope) -> Made<()> {
        let Some(open) = scope.open.take() else { return Ok(()) };
        let before = std::mem::take(scope);
        let value = |bound: &Bound| match bound {
            Bound::Thing(alias, _) => column(alias, "name"),
            Bound::Value(value) => value.clone(),
        };
        let item =
            |(name, bound): &(String, Bound)| Item { expression: value(bound), alias: Some(name.clone()) };
        let select = Select {
            distinct: open.distinct,
            items: before.bound.iter().map(item).collect(),
            from: before.from,
            filter: before.filter,
            group: open.group,
            having: open.having,
            mends: Vec::new(),
        };
        let query = Query {
            body: Body::Select(Box::new(select)),
            order: open.order,
            limit: open.limit,
            offset: open.skip,
        };
        // A WITH of a single entity column becomes a condition on its table: the name is IN the
        // subquery.
        if let ([(name, Bound::Thing(_, table))], false) = (before.bound.as_slice(), open.aggregates) {
            let alias = self.declare(scope, name, *table, None, false)?;
            scope.require(Expression::InQuery(Box::new(column(&alias, "name")), Box::new(query)));
            return Ok(());
        }
        let rows = self.alias("rows");
        scope.join(Source::Derived(Box::new(query)), &rows, None, false);
        for (name, bound) in &before.bound {
            match bound {
                Bound::Thing(_, table) => {
                    self.declare(scope, name, *table, Some(column(&rows, name)), false)?;
                }
                Bound::Value(_) => scope.bind(name, Bound::Value(column(&rows, name))),
            }
        }
        Ok(())
    }

    /// Joins a table of entities for a variable, restricted by names if given.
    fn declare(
        &mut self,
        scope: &mut Scope,
        name: &str,
        table: usize,
        is: Option<Expression>,
        optional: bool,
    ) -> Made<String> {
        let Some(of) = self.names.tables.table(table) else { return refuse("there is no such table") };
        let alias = self.alias(name);
        let on = is.map(|other| equal(other, column(&alias, "name")));
        scope.join(Source::Table(of.id.clone(), None), &alias, on, optional);
        scope.bind(name, Bound::Thing(alias.clone(), table));
        Ok(alias)
    }
}
