//! Properties with several values. A condition on such a property asks whether the thing has that
//! value. If it were a join, "it speaks Elven and it speaks Common" would hold for nothing, and a
//! thing with three values would count three times.

use super::{Binder, Doubt};
use crate::syntax::{
    Body, ColumnRef, Comparison, Expression, From, Item, Join, Order, Query, Select, Source,
};
use crate::tables::Kind;

/// A table joined for its values: the joining columns, and the tables that hang on it.
struct Joined {
    ours: ColumnRef,
    theirs: ColumnRef,
    /// Positions in FROM, the table itself first.
    places: Vec<usize>,
}

impl Binder<'_> {
    /// Turns tables that are joined only for conditions on one of their columns into tests whether
    /// the thing has such a value. The first `written` tables belong to the query itself; the
    /// others were joined to reach a column.
    pub(super) fn several_values(&mut self, select: &mut Select, order: &mut [Order], written: usize) {
        if select.having.is_some() {
            // "HAVING COUNT(*) = 2" counts joined rows.
            return;
        }
        let mut at = select.from.len();
        while at > 1 {
            at -= 1;
            let Some(joined) = self.joined_for_values(select, at) else { continue };
            let is_written = joined.places.iter().any(|place| *place < written);
            if !may_be_asked(select, order, &joined, is_written) {
                continue;
            }
            let tables: Vec<From> =
                joined.places.iter().filter_map(|place| select.from.get(*place).cloned()).collect();
            let mut number = 0;
            select.from = std::mem::take(&mut select.from)
                .into_iter()
                .filter(|_| {
                    number += 1;
                    !joined.places.contains(&(number - 1))
                })
                .collect();
            let mut said = String::new();
            for expression in select.expressions_mut() {
                self.ask(expression, &joined, &tables, &mut said);
            }
            for order in order.iter_mut() {
                self.ask(&mut order.expression, &joined, &tables, &mut said);
            }
            let doubt = if is_written { Doubt::Little } else { Doubt::None };
            self.mend(doubt, format!("{said} has several values: one match is enough"));
            at = at.min(select.from.len());
        }
    }

    /// The table at a position of FROM, if it may hold several rows for one thing before it, with
    /// the tables that hang on it.
    fn joined_for_values(&self, select: &Select, at: usize) -> Option<Joined> {
        let from = select.from.get(at)?;
        let Source::Table(_, Some(table)) = &from.source else { return None };
        let (Join::Inner(Some(on)) | Join::Left(Some(on))) = &from.join else { return None };
        let Expression::Compare(Comparison::Equal, a, b) = on else { return None };
        let (Expression::Column(a), Expression::Column(b)) = (&**a, &**b) else { return None };
        let is_theirs = |column: &ColumnRef| column.table.as_ref() == Some(&from.alias);
        let (ours, theirs) = match (is_theirs(a), is_theirs(b)) {
            (true, false) => (b, a),
            (false, true) => (a, b),
            _ => return None,
        };
        let (of_ours, of_theirs) = (ours.place?, theirs.place?);
        let leads_here = self.tables.column(of_theirs).is_some_and(|column| {
            column.references == Some((of_ours.table, of_ours.column))
                || (of_ours.column == 0 && column.kind == Kind::Entity(Some(of_ours.table)))
        });
        let is_links = self.tables.table(*table)?.is_links();
        if !(is_links || (leads_here && of_theirs.column != 0)) {
            return None;
        }
        let mut places = vec![at];
        let mut aliases = vec![from.alias.clone()];
        for (place, other) in select.from.iter().enumerate() {
            let (Join::Inner(on) | Join::Left(on)) = &other.join;
            if place != at
                && let Some(on) = on
                && columns_of(on).iter().any(|column| is_of(column, &aliases))
            {
                places.push(place);
                aliases.push(other.alias.clone());
            }
        }
        let is_first = places.contains(&0);
        (!is_first).then(|| Joined { ours: ours.clone(), theirs: theirs.clone(), places })
    }

    /// Replaces each condition on the joined tables by "is one of those with such a value".
    fn ask(&mut self, expression: &mut Expression, joined: &Joined, tables: &[From], said: &mut String) {
        let aliases: Vec<String> = tables.iter().map(|from| from.alias.clone()).collect();
        let Some(column) = condition_on(expression, &aliases) else {
            for part in expression.parts_mut() {
                self.ask(part, joined, tables, said);
            }
            return;
        };
        said.clone_from(&column.name);
        let mut condition = std::mem::replace(expression, Expression::Null);
        let mut denied = false;
        if let Expression::Compare(comparison @ Comparison::Unequal, ..) = &mut condition {
            *comparison = Comparison::Equal;
            denied = true;
        }
        let mut select = Select {
            items: vec![Item { expression: Expression::Column(joined.theirs.clone()), alias: None }],
            from: tables.to_vec(),
            filter: Some(condition),
            ..Select::default()
        };
        for (place, from) in select.from.iter_mut().enumerate() {
            from.join = match std::mem::replace(&mut from.join, Join::Inner(None)) {
                Join::Inner(on) | Join::Left(on) if place > 0 => Join::Inner(on),
                _ => Join::Inner(None),
            };
        }
        for alias in &aliases {
            let new = self.new_alias(alias);
            for from in select.from.iter_mut().filter(|from| from.alias == *alias) {
                from.alias.clone_from(&new);
            }
            select.expressions_mut().into_iter().for_each(|part| part.under_alias(alias, &new));
        }
        let query = Query { body: Body::Select(Box::new(select)), order: Vec::new(), limit: None, offset: 0 };
        let among = Expression::InQuery(Box::new(Expression::Column(joined.ours.clone())), Box::new(query));
        *expression = if denied { Expression::Not(Box::new(among)) } else { among };
    }
}

/// Whether only conditions on one column use the joined tables.
fn may_be_asked(select: &Select, order: &[Order], joined: &Joined, is_written: bool) -> bool {
    let aliases = joined.aliases(select);
    let mut used: Vec<&ColumnRef> = Vec::new();
    let mut in_conditions: Vec<&Expression> = Vec::new();
    let mut denied = false;
    let outside = |place: usize| !joined.places.contains(&place);
    let joins = select.from.iter().enumerate().filter(|(place, _)| outside(*place)).filter_map(
        |(_, from)| match &from.join {
            Join::Inner(on) | Join::Left(on) => on.as_ref(),
        },
    );
    let expressions: Vec<&Expression> = select
        .items
        .iter()
        .map(|item| &item.expression)
        .chain(joins)
        .chain(&select.filter)
        .chain(&select.group)
        .chain(order.iter().map(|order| &order.expression))
        .collect();
    for expression in expressions {
        used.extend(columns_of(expression).into_iter().filter(|column| is_of(column, &aliases)));
        conditions(expression, &aliases, false, &mut in_conditions, &mut denied);
    }
    // A subquery's rows may use columns from outside.
    for from in &select.from {
        if let Source::Derived(query) = &from.source {
            query.visit(&mut |part| {
                if let Expression::Column(column) = part
                    && is_of(column, &aliases)
                {
                    used.push(column);
                }
            });
        }
    }
    let Some(first) = used.first() else { return false };
    let one_column = used.iter().all(|column| column.table == first.table && column.place == first.place);
    if !one_column || in_conditions.len() != used.len() {
        return false;
    }
    if !is_written {
        return true;
    }
    // Joins of the query itself keep their SQL meaning, unless they can never hold or count a thing
    // more than once.
    let required = select.filter.iter().flat_map(Expression::conjuncts);
    let required = required.filter(|part| in_conditions.iter().any(|condition| condition == part)).count();
    let counts = select.items.iter().any(|item| item.expression.has_aggregate()) && select.group.is_empty();
    !denied && required > 0 && (required > 1 || counts)
}

impl Joined {
    fn aliases(&self, select: &Select) -> Vec<String> {
        self.places.iter().filter_map(|place| Some(select.from.get(*place)?.alias.clone())).collect()
    }
}

fn is_of(column: &ColumnRef, aliases: &[String]) -> bool {
    column.table.as_ref().is_some_and(|table| aliases.contains(table))
}

/// The columns of an expression and of its subqueries.
fn columns_of(expression: &Expression) -> Vec<&ColumnRef> {
    let mut columns = Vec::new();
    let mut queries = Vec::new();
    expression.visit(&mut |part| {
        if let Expression::Column(column) = part {
            columns.push(column);
        }
        queries.extend(part.query());
    });
    for query in queries {
        query.visit(&mut |part| {
            if let Expression::Column(column) = part {
                columns.push(column);
            }
        });
    }
    columns
}

/// The column that a condition compares with constants, if it belongs to these tables.
fn condition_on<'a>(expression: &'a Expression, aliases: &[String]) -> Option<&'a ColumnRef> {
    let is_constant = |value: &Expression| {
        matches!(
            value,
            Expression::Text(_) | Expression::Number(_) | Expression::Flag(_) | Expression::Terms(..)
        )
    };
    let of = match expression {
        Expression::Compare(_, of, value) if is_constant(value) => of,
        Expression::InList(of, list) if list.iter().all(is_constant) => of,
        Expression::Like(of, _) => of,
        _ => return None,
    };
    match &**of {
        Expression::Column(column) if is_of(column, aliases) => Some(column),
        _ => None,
    }
}

fn conditions<'a>(
    expression: &'a Expression,
    aliases: &[String],
    within_not: bool,
    found: &mut Vec<&'a Expression>,
    denied: &mut bool,
) {
    if condition_on(expression, aliases).is_some() {
        *denied |= within_not || matches!(expression, Expression::Compare(Comparison::Unequal, ..));
        found.push(expression);
        return;
    }
    let within_not = within_not || matches!(expression, Expression::Not(_));
    for part in expression.parts() {
        conditions(part, aliases, within_not, found, denied);
    }
}
