//! Tables of links between things of one kind have two ends that models easily confuse: "the
//! neighbours of A" joined by the end that is A. If one end is fixed to a thing, and the rest of
//! the query asks only about that thing, the other end is meant.

use super::{Binder, Doubt};
use crate::syntax::{
    Body, ColumnRef, Comparison, Expression, From, Item, Join, Order, Query, Select, Source,
};
use crate::tables::Place;

/// An end of a link table: its alias and the end's column.
type End = (String, usize);

impl Binder<'_> {
    /// Turns joins, conditions and items of links within one kind to the end that they must mean.
    /// The tables from `written` on were joined by the binder.
    pub(super) fn right_ends(&mut self, select: &mut Select, order: &mut [Order], written: usize) {
        let links: Vec<(String, usize)> = select
            .from
            .iter()
            .filter_map(|from| Some((from.alias.clone(), self.links_within_a_kind(from)?)))
            .collect();
        for (alias, table) in links {
            let ends = [0, 1].map(|end| (alias.clone(), end));
            let fixed: Vec<End> = ends.into_iter().filter(|end| is_fixed(select, end)).collect();
            // If both ends are fixed, there is no doubt.
            if let [fixed] = fixed.as_slice() {
                self.turn_added(select, fixed, written, table);
                self.turn_joins(select, order, fixed, table);
                self.turn_items(select, order, fixed, table);
            }
            for end in [0, 1].map(|end| (alias.clone(), end)) {
                self.turn_condition(select, order, &end, table);
                self.drop_repeated_name(select, &end);
            }
        }
    }

    /// The table of links, if both of its ends are rows of one table.
    fn links_within_a_kind(&self, from: &From) -> Option<usize> {
        let Source::Table(_, Some(at)) = &from.source else { return None };
        let table = self.tables.table(*at).filter(|table| table.is_links())?;
        let [head, tail] = table.columns.as_slice() else { return None };
        (head.kind == tail.kind && matches!(head.kind, crate::tables::Kind::Entity(Some(_)))).then_some(*at)
    }

    /// A property that the binder joined belongs to the other thing.
    fn turn_added(&mut self, select: &mut Select, fixed: &End, written: usize, table: usize) {
        let mut turned = false;
        for from in select.from.iter_mut().skip(written) {
            if let Join::Left(Some(on)) | Join::Inner(Some(on)) = &mut from.join {
                turned |= self.turn(on, fixed, table);
            }
        }
        self.tell_of(turned, table);
    }

    /// A thing joined by the fixed end is that thing itself. If nothing uses the other end, it is
    /// joined by that one.
    fn turn_joins(&mut self, select: &mut Select, order: &[Order], fixed: &End, table: usize) {
        let other = (fixed.0.clone(), 1 - fixed.1);
        // A thing that is named and joined is rightly counted or shown by its end. The other end is
        // meant only if the query also gives this end.
        let gives = gives(select, order, fixed);
        if uses(select, order, &other) > 0 || !gives && !is_named(select, &|of| is_end(of, fixed)) {
            return;
        }
        let mut turned = false;
        for from in &mut select.from {
            if let Join::Left(Some(on)) | Join::Inner(Some(on)) = &mut from.join
                && joins_a_thing(on, fixed)
            {
                turned |= self.turn(on, fixed, table);
            }
        }
        self.tell_of(turned, table);
    }

    /// The fixed thing itself is no answer.
    fn turn_items(&mut self, select: &mut Select, order: &[Order], fixed: &End, table: usize) {
        let other = (fixed.0.clone(), 1 - fixed.1);
        let aggregates = select.items.iter().map(|item| &item.expression);
        let mut aggregates = aggregates.chain(order.iter().map(|order| &order.expression));
        let counts = aggregates.any(Expression::has_aggregate) || !select.group.is_empty();
        let gives_other = select.items.iter().any(|item| is_end(&item.expression, &other));
        if counts || gives_other || !is_fixed(select, fixed) {
            return;
        }
        let mut turned = false;
        for item in &mut select.items {
            if is_end(&item.expression, fixed) {
                turned |= self.turn(&mut item.expression, fixed, table);
            }
        }
        self.tell_of(turned, table);
    }

    /// The condition that tells which thing is joined by an end, if the query asks for that thing
    /// and uses the links for nothing else: it tells the thing at the other end. "The capitals of
    /// the neighbours of A" joins the neighbours and calls them A.
    fn turn_condition(&mut self, select: &mut Select, order: &[Order], end: &End, table: usize) {
        let other = (end.0.clone(), 1 - end.1);
        let items = select.items.iter().map(|item| &item.expression);
        let mut given = items.chain(order.iter().map(|order| &order.expression));
        let counts = given.any(Expression::has_aggregate) || !select.group.is_empty();
        if counts || gives(select, order, end) || uses(select, order, &other) > 0 {
            return;
        }
        let joined = conditions(select).into_iter().find_map(|condition| thing_joined(condition, end));
        let (Some(Expression::Column(thing)), Some(column)) =
            (joined.cloned(), self.tables.column(Place { table, column: other.1 }))
        else {
            return;
        };
        let other = Expression::Column(ColumnRef {
            table: Some(other.0),
            name: column.id.clone(),
            place: Some(Place { table, column: other.1 }),
        });
        let mut turned = false;
        if let Some(filter) = &mut select.filter {
            turned = self.told_of(filter, &thing, &other);
        }
        self.tell_of(turned, table);
    }

    /// Makes the first condition that tells one thing tell that at the other end; returns whether
    /// there is one. A value that no two things share tells one thing too: its capital a country.
    fn told_of(&mut self, condition: &mut Expression, thing: &ColumnRef, other: &Expression) -> bool {
        if let Expression::And(a, b) = condition {
            return self.told_of(a, thing, other) || self.told_of(b, thing, other);
        }
        let Expression::Compare(Comparison::Equal, of, value) = condition else { return false };
        let Expression::Column(column) = &mut **of else { return false };
        if column.table != thing.table || !matches!(**value, Expression::Terms(..)) {
            return false;
        }
        if column.place == thing.place {
            **of = other.clone();
            return true;
        }
        let Some(place) = column.place.filter(|place| self.tells_one(*place)) else { return false };
        let Some(of_kind) = self.tables.table(place.table).map(|table| table.id.clone()) else {
            return false;
        };
        let alias = self.new_alias(&of_kind);
        column.table = Some(alias.clone());
        let name = ColumnRef { table: Some(alias.clone()), ..thing.clone() };
        let within = Select {
            items: vec![Item { expression: Expression::Column(name), alias: None }],
            from: vec![From {
                source: Source::Table(of_kind, Some(place.table)),
                alias,
                join: Join::Inner(None),
            }],
            filter: Some(condition.clone()),
            ..Select::default()
        };
        let within =
            Query { body: Body::Select(Box::new(within)), order: Vec::new(), limit: None, offset: 0 };
        *condition = Expression::InQuery(Box::new(other.clone()), Box::new(within));
        true
    }

    /// Whether no two rows share a value of this column.
    fn tells_one(&self, place: Place) -> bool {
        /// Fewer values may all differ by chance.
        const LEAST: u64 = 20;
        let column = self.tables.column(place);
        column.is_some_and(|column| column.distinct == column.filled && column.filled >= LEAST)
    }

    /// Drops the name of one end from a query for the things at the other end: "the neighbours of A
    /// among (those that are A and use the euro)" are not A again.
    fn drop_repeated_name(&mut self, select: &mut Select, end: &End) {
        let named = conditions(select).into_iter().find_map(|condition| match condition {
            Expression::Compare(Comparison::Equal, of, name) if is_end(of, end) => Some((**name).clone()),
            _ => None,
        });
        let other = (end.0.clone(), 1 - end.1);
        let (Some(name @ Expression::Terms(..)), Some(filter)) = (named, &mut select.filter) else { return };
        if let Some(within) = query_of_end(filter, &other)
            && let Some(repeated) = without_name(within, &name)
        {
            let Expression::Terms(_, text) = &name else { return };
            within.filter = Some(repeated);
            self.mend(
                Doubt::Little,
                format!("the second condition “{text}” is left out: only one end of the link has this name"),
            );
        }
    }

    fn tell_of(&mut self, turned: bool, table: usize) {
        if turned {
            let id = self.tables.table(table).map_or_else(String::new, |table| table.id.clone());
            self.mend(Doubt::Little, format!("the other end of {id} is meant"));
        }
    }

    /// Replaces one end by the other; returns whether it occurred.
    fn turn(&self, expression: &mut Expression, end: &End, table: usize) -> bool {
        if is_end(expression, end)
            && let Expression::Column(column) = expression
        {
            let place = Place { table, column: 1 - end.1 };
            column.place = Some(place);
            if let Some(other) = self.tables.column(place) {
                column.name.clone_from(&other.id);
            }
            return true;
        }
        let mut turned = false;
        for part in expression.parts_mut() {
            turned |= self.turn(part, end, table);
        }
        turned
    }
}

fn is_end(expression: &Expression, end: &End) -> bool {
    matches!(
        expression,
        Expression::Column(ColumnRef { table: Some(alias), place: Some(place), .. })
            if *alias == end.0 && place.column == end.1
    )
}

/// The SELECT among whose rows a condition wants an end to be.
fn query_of_end<'e>(condition: &'e mut Expression, end: &End) -> Option<&'e mut Select> {
    match condition {
        Expression::And(a, b) => query_of_end(a, end).or_else(|| query_of_end(b, end)),
        Expression::InQuery(of, query) if is_end(of, end) => match &mut query.body {
            Body::Select(select) => Some(select),
            Body::Set { .. } => None,
        },
        _ => None,
    }
}

/// The other conditions of a SELECT that gives one column and fixes it to a name, if it has any.
fn without_name(select: &Select, name: &Expression) -> Option<Expression> {
    let [item] = select.items.as_slice() else { return None };
    let conditions = select.filter.as_ref()?.conjuncts();
    let names = |condition: &&Expression| {
        matches!(condition, Expression::Compare(Comparison::Equal, of, value)
            if **of == item.expression && **value == *name)
    };
    let others: Vec<Expression> = conditions.iter().filter(|of| !names(of)).map(|of| (*of).clone()).collect();
    if others.len() == conditions.len() {
        return None;
    }
    others.into_iter().reduce(|all, next| Expression::both(Some(all), next))
}

/// How often a SELECT uses an end.
fn uses(select: &Select, order: &[Order], end: &End) -> usize {
    let mut found = 0;
    for expression in select.expressions().into_iter().chain(order.iter().map(|order| &order.expression)) {
        expression.visit(&mut |part| found += usize::from(is_end(part, end)));
    }
    found
}

/// Whether a SELECT gives an end, or orders by it.
fn gives(select: &Select, order: &[Order], end: &End) -> bool {
    let items = select.items.iter().map(|item| &item.expression);
    items.chain(order.iter().map(|order| &order.expression)).any(|expression| is_end(expression, end))
}

fn conditions(select: &Select) -> Vec<&Expression> {
    let joins = select.from.iter().filter_map(|from| match &from.join {
        Join::Inner(on) | Join::Left(on) => on.as_ref(),
    });
    joins.chain(&select.filter).flat_map(Expression::conjuncts).collect()
}

/// Whether some expression is fixed to a named thing.
fn is_named(select: &Select, holds: &dyn Fn(&Expression) -> bool) -> bool {
    conditions(select).into_iter().any(|condition| match condition {
        Expression::Compare(Comparison::Equal, of, value) => {
            holds(of) && matches!(**value, Expression::Terms(..))
        }
        _ => false,
    })
}

/// Whether an end is fixed to a named thing: directly, or through the thing that it is joined to.
fn is_fixed(select: &Select, end: &End) -> bool {
    let by_join = |condition: &Expression| {
        thing_joined(condition, end).is_some_and(|thing| is_named(select, &|of| of == thing))
    };
    is_named(select, &|of| is_end(of, end)) || conditions(select).into_iter().any(by_join)
}

/// The name of the thing that a condition joins to an end.
fn thing_joined<'e>(condition: &'e Expression, end: &End) -> Option<&'e Expression> {
    let Expression::Compare(Comparison::Equal, a, b) = condition else { return None };
    let is_name = |of: &Expression| matches!(of, Expression::Column(ColumnRef { table, place: Some(Place { column: 0, .. }), .. }) if table.as_ref() != Some(&end.0));
    match (&**a, &**b) {
        (one, other) if is_end(one, end) && is_name(other) => Some(other),
        (one, other) if is_end(other, end) && is_name(one) => Some(one),
        _ => None,
    }
}

fn joins_a_thing(on: &Expression, end: &End) -> bool {
    on.conjuncts().into_iter().any(|condition| thing_joined(condition, end).is_some())
}
