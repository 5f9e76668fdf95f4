//! Subqueries: membership in a subquery's rows, and subqueries that give one value.

use std::collections::HashSet;

use oxrdf::Variable;
use spargebra::algebra::{Expression as Sparql, GraphPattern};

use super::base::{Base, Nothing, left_join};
use super::cells::cell_of;
use super::exists::exists;
use super::frame::aliases_of;
use super::{Planner, ValueKind, distinct, join, renamed};
use crate::QueryError;
use crate::syntax::{
    Aggregate, ColumnRef, Comparison, Expression, From, Function, Item, Join, Query, Select, Source,
};

impl Planner<'_> {
    /// One condition of WHERE or ON.
    pub(super) fn condition(&mut self, base: Base, condition: &Expression) -> Result<Base, QueryError> {
        match condition {
            Expression::Compare(Comparison::Equal, a, b) => {
                if let (Expression::Column(a), Expression::Column(b)) = (&**a, &**b)
                    && let (Some(a), Some(b)) = (cell_of(a), cell_of(b))
                    && self.cells.are_one(&a, &b)
                {
                    return Ok(base);
                }
                if let (Expression::Column(column), Expression::Scalar(query)) = (&**a, &**b)
                    && !is_one_value(query)
                {
                    return self.one_of(base, column, query, false);
                }
            }
            Expression::InQuery(of, query) => {
                if let Expression::Column(column) = &**of {
                    return self.one_of(base, column, query, false);
                }
            }
            Expression::Not(inner) => {
                if let Expression::InQuery(of, query) = &**inner
                    && let Expression::Column(column) = &**of
                {
                    return self.one_of(base, column, query, true);
                }
            }
            _ => {}
        }
        let (base, expr) = self.with_scalars(base, condition)?;
        let expr = self.truth(&expr)?;
        Ok(base.both(|inner| GraphPattern::Filter { expr: expr.clone(), inner: Box::new(inner) }))
    }

    /// `column IN (query)` and its negation.
    fn one_of(
        &mut self,
        base: Base,
        column: &ColumnRef,
        query: &Query,
        not: bool,
    ) -> Result<Base, QueryError> {
        let Some(cell) = cell_of(column) else {
            return Err(QueryError::Unbound(format!("unknown column {}", column.name)));
        };
        let variable = self.cells.variable(&cell, &column.name);
        let before = std::mem::take(&mut self.replaced);
        if let Some(select) = query.select().filter(|_| is_correlated(query)) {
            if query.limit.is_some() || query.offset > 0 {
                return Err(QueryError::Refused(
                    "LIMIT in a query behind IN that speaks of the outer row is not read; join the tables"
                        .into(),
                ));
            }
            let inner = self.base(select, &query.order)?;
            let part = self.finish(select, &[], None, 0, inner.clone())?;
            self.replaced = before;
            let Some(output) = part.outputs.first() else { return Ok(base) };
            let same = Sparql::SameTerm(Box::new(output.variable.clone().into()), Box::new(variable.into()));
            let pattern = match part.pattern {
                GraphPattern::Distinct { inner } | GraphPattern::Project { inner, .. } => *inner,
                other => other,
            };
            let pattern = match pattern {
                GraphPattern::Project { inner, .. } => *inner,
                other => other,
            };
            let outer = self.outer_variables(query);
            let exists = exists(GraphPattern::Filter { expr: same, inner: Box::new(pattern) }, &outer);
            let exists = self.where_bound(exists, outer);
            let expr = if not { Sparql::Not(Box::new(exists)) } else { exists };
            return Ok(base.both(|inner| GraphPattern::Filter { expr: expr.clone(), inner: Box::new(inner) }));
        }
        if not && let Some(select) = query.select() {
            // Virtuoso's MINUS does not match a column under a second name.
            if let Some(Expression::Column(inner)) = select.items.first().map(|item| &item.expression)
                && let Some(inner) = cell_of(inner)
            {
                self.cells.assign(&inner, &variable);
            }
        }
        let part = self.query(query)?;
        self.replaced = before;
        let open = part.support.clone().filter(|_| !part.aggregated && query.limit.is_none());
        let output = part.outputs.first().map(|column| column.variable.clone());
        let given = distinct(renamed(part, std::slice::from_ref(&variable)));
        if not {
            let minus = |left: GraphPattern| GraphPattern::Minus {
                left: Box::new(left),
                right: Box::new(given.clone()),
            };
            return Ok(base.both(minus));
        }
        let opened = match (open, output) {
            (Some(support), Some(output)) => {
                let pattern = GraphPattern::Extend {
                    inner: Box::new(support.pattern),
                    variable: variable.clone(),
                    expression: output.into(),
                };
                Some((pattern, support.triples))
            }
            _ => None,
        };
        let mut triples = base.triples;
        let open = match opened {
            Some((pattern, more)) => {
                triples.extend(more);
                join(base.open, pattern)
            }
            None => join(base.open, given.clone()),
        };
        Ok(Base { pattern: join(base.pattern, given), open, triples, ..base })
    }

    /// Joins the one-value subqueries of an expression; returns the expression that refers to their
    /// variables.
    pub(super) fn with_scalars(
        &mut self,
        mut base: Base,
        expression: &Expression,
    ) -> Result<(Base, Expression), QueryError> {
        let mut expression = expression.clone();
        count_what_exists(&mut expression);
        let mut named = Vec::new();
        self.name_entities(&mut expression, &mut named);
        for column in named {
            let marker = Expression::Call(Function::Text, vec![column.clone()]);
            if self.replaced.iter().any(|(known, ..)| *known == marker) {
                continue;
            }
            let (value, _) = self.value(&column)?;
            let name = self.cells.fresh("name");
            let (with, text) = self.name_of(base, value, super::texts::text);
            base = with.extended(&name, &text);
            self.replaced.push((marker, name, ValueKind::Text));
        }
        let mut memberships = Vec::new();
        take_memberships(&expression, &mut memberships);
        for (column, query) in memberships {
            base = self.with_membership(base, &column, &query)?;
        }
        let mut queries = Vec::new();
        take_scalars(&mut expression, &mut queries);
        for (at, query) in queries.into_iter().enumerate() {
            let _ = at;
            let before = std::mem::take(&mut self.replaced);
            let is_count = query.select().is_some_and(|select| {
                matches!(
                    select.items.first().map(|item| &item.expression),
                    Some(Expression::Aggregate { function: Aggregate::Count, .. })
                )
            });
            let is_correlated = is_correlated(&query);
            let (part, shared) = match query.select().filter(|_| is_correlated) {
                Some(_) if !query.order.is_empty() || query.limit.is_some() || query.offset > 0 => {
                    return Err(QueryError::Refused(
                        "ORDER BY and LIMIT in a query for one value of each row are not read; write MIN or MAX"
                            .into(),
                    ));
                }
                Some(select) => {
                    let inner = self.base(select, &[])?;
                    let shared = inner.outer.clone();
                    (self.finish_grouped(select, inner, &shared)?, shared)
                }
                None => {
                    let item = query.select().and_then(|select| select.items.first());
                    self.nothing_as = item.map_or(Nothing::Absent, |item| nothing_of(&item.expression));
                    let part = self.query(&query)?;
                    self.nothing_as = Nothing::Absent;
                    (part, Vec::new())
                }
            };
            self.replaced = before;
            let Some(output) = part.outputs.first() else {
                return Err(QueryError::Refused("a query within gives no column".into()));
            };
            let kind = output.kind;
            let variable = match shared.contains(&output.variable) {
                true => self.cells.fresh("value"),
                false => output.variable.clone(),
            };
            let names: Vec<Variable> = std::iter::once(variable.clone()).chain(shared).collect();
            let origins = GraphPattern::Bgp { patterns: self.origins_of(names.iter().skip(1)) };
            let pattern = join(origins, renamed(part, &names));
            let always = gives_one_row(&query);
            base = base.both(|left| match always {
                true => join(left, pattern.clone()),
                false => left_join(left, pattern.clone()),
            });
            let marker = Expression::Scalar(Box::new(query));
            let mut name = variable.clone();
            if is_count {
                // A missing row counts as zero.
                let zero = super::texts::integer(0);
                name = self.cells.fresh("count");
                let expression = Sparql::Coalesce(vec![variable.into(), zero]);
                base = base.both(|inner| GraphPattern::Extend {
                    inner: Box::new(inner),
                    variable: name.clone(),
                    expression: expression.clone(),
                });
            }
            self.replaced.push((marker, name, kind));
        }
        Ok((base, expression))
    }

    /// Joins a flag that tells whether an entity is among a query's rows. An endpoint computes it
    /// once, not for each row.
    fn with_membership(&mut self, base: Base, column: &ColumnRef, query: &Query) -> Result<Base, QueryError> {
        let marker =
            Expression::InQuery(Box::new(Expression::Column(column.clone())), Box::new(query.clone()));
        let is_known = self.replaced.iter().any(|(known, ..)| *known == marker);
        let Some(cell) = cell_of(column).filter(|_| !is_known && !is_correlated(query)) else {
            return Ok(base);
        };
        let variable = self.cells.variable(&cell, &column.name);
        if self.origins.contains_key(&variable) {
            // An unbound variable would join with every row.
            return Ok(base);
        }
        let before = std::mem::take(&mut self.replaced);
        if let Some(inner) = super::expressions::plain_item(query) {
            self.cells.assign(&inner, &variable);
        }
        let part = self.query(query)?;
        self.replaced = before;
        if part.outputs.is_empty() {
            return Ok(base);
        }
        let flag = self.cells.fresh("is_one");
        let given = GraphPattern::Extend {
            inner: Box::new(distinct(renamed(part, std::slice::from_ref(&variable)))),
            variable: flag.clone(),
            expression: oxrdf::Literal::from(true).into(),
        };
        self.replaced.push((marker, flag, ValueKind::Flag));
        Ok(base.both(|left| left_join(left, given.clone())))
    }

    /// Makes text functions of entities use the entities' names; collects the columns that need a
    /// name.
    fn name_entities(&self, expression: &mut Expression, named: &mut Vec<Expression>) {
        if self.tables.labels.is_empty() || self.replaced.iter().any(|(known, ..)| known == expression) {
            return;
        }
        if let Expression::Call(function, parts) = expression {
            let is_of_text = matches!(
                function,
                Function::Lower | Function::Upper | Function::Length | Function::Substring | Function::Concat
            );
            let is_entity = |part: &Expression| match part {
                Expression::Column(column) => self.kind_of(column) == ValueKind::Entity,
                _ => false,
            };
            if is_of_text {
                for part in parts.iter_mut().filter(|part| is_entity(part)) {
                    *part = Expression::Call(Function::Text, vec![part.clone()]);
                }
            } else if *function == Function::Text {
                named.extend(parts.iter().filter(|part| is_entity(part)).cloned());
                return;
            }
        }
        expression.parts_mut().into_iter().for_each(|part| self.name_entities(part, named));
    }
}

/// How a one-value query shows that it has no value: a sum or an average does so by giving no row.
pub(super) fn nothing_of(item: &Expression) -> Nothing {
    match item {
        Expression::Aggregate { function: Aggregate::Sum | Aggregate::Avg, .. } => Nothing::NoRow,
        Expression::Call(Function::Round, parts) => parts.first().map_or(Nothing::Absent, nothing_of),
        _ => Nothing::Absent,
    }
}

/// Whether a query gives at most one value.
fn is_one_value(query: &Query) -> bool {
    query.limit == Some(1)
        || query.select().is_some_and(|select| {
            select.group.is_empty() && select.items.iter().all(|item| item.expression.has_aggregate())
        })
}

/// Whether a query uses tables outside of it.
fn is_correlated(query: &Query) -> bool {
    let mut used = HashSet::new();
    query.visit(&mut |expression| {
        if let Expression::Column(column) = expression {
            used.extend(column.table.clone());
        }
    });
    let mut own = HashSet::new();
    aliases_of(query, &mut own);
    !used.is_subset(&own)
}

/// Whether a query always gives one row.
fn gives_one_row(query: &Query) -> bool {
    let of_all = |select: &Select| {
        select.group.is_empty()
            && select.having.is_none()
            && select.items.first().is_some_and(|item| {
                item.expression.has_aggregate() && nothing_of(&item.expression) == Nothing::Absent
            })
    };
    let is_whole = query.limit != Some(0) && query.offset == 0;
    is_whole && query.select().is_some_and(of_all) && !is_correlated(query)
}

/// Replaces EXISTS of an uncorrelated query by a comparison: the count of its first row is above
/// zero. Behind EXISTS engines join patterns in the order in which they stand, which can be slow.
fn count_what_exists(expression: &mut Expression) {
    if let Expression::Exists(query) = expression
        && !is_correlated(query)
    {
        let one = Query { limit: Some(query.limit.unwrap_or(1).min(1)), ..(**query).clone() };
        let found =
            From { source: Source::Derived(Box::new(one)), alias: "found".into(), join: Join::Inner(None) };
        let count = Expression::Aggregate { function: Aggregate::Count, distinct: false, of: None };
        let select = Select {
            items: vec![Item { expression: count, alias: None }],
            from: vec![found],
            ..Select::default()
        };
        let body = crate::syntax::Body::Select(Box::new(select));
        let count = Expression::Scalar(Box::new(Query { body, order: Vec::new(), limit: None, offset: 0 }));
        let none = Expression::Number("0".into());
        *expression = Expression::Compare(Comparison::Greater, Box::new(count), Box::new(none));
        return;
    }
    for part in expression.parts_mut() {
        count_what_exists(part);
    }
}

/// The columns that are tested for membership in a subquery, each with that subquery.
fn take_memberships(expression: &Expression, found: &mut Vec<(ColumnRef, Query)>) {
    expression.visit(&mut |part| {
        if let Expression::InQuery(of, query) = part
            && let Expression::Column(column) = &**of
        {
            found.push((column.clone(), (**query).clone()));
        }
    });
}

/// Collects the one-value subqueries of an expression; they stay in it as markers.
fn take_scalars(expression: &mut Expression, queries: &mut Vec<Query>) {
    if let Expression::Scalar(query) = expression {
        queries.push((**query).clone());
        return;
    }
    for part in expression.parts_mut() {
        take_scalars(part, queries);
    }
}
