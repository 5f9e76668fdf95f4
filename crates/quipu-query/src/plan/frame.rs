//! The cells that a SELECT uses: which of them must have a value, and which are equal.

use std::collections::{BTreeMap, HashSet};

use super::cells::{Cell, cell_of};
use super::{Planner, ValueKind};
use crate::syntax::{
    Aggregate, Body, ColumnRef, Comparison, Expression, From, Function, Join, Order, Query, Select, Source,
};

/// The tables of a SELECT with the cells that it uses.
pub(super) struct Frame {
    pub(super) aliases: HashSet<String>,
    /// The columns used, by alias.
    pub(super) used: BTreeMap<Cell, ColumnRef>,
    /// Cells without which a row is left out.
    pub(super) needed: HashSet<Cell>,
    /// Cells of outer queries that the conditions use.
    pub(super) outer: Vec<(Cell, ColumnRef)>,
}

impl Planner<'_> {
    /// Finds the cells that are used, that are equal, and that must have a value.
    pub(super) fn frame(&mut self, select: &Select, order: &[Order]) -> Frame {
        let aliases: HashSet<String> = select.from.iter().map(|from| from.alias.clone()).collect();
        let mut frame = Frame { aliases, used: BTreeMap::new(), needed: HashSet::new(), outer: Vec::new() };
        let mut columns: Vec<&ColumnRef> = Vec::new();
        let of_order = order.iter().map(|order| &order.expression);
        for expression in select.expressions().into_iter().chain(of_order) {
            deep_columns(expression, &mut columns);
        }
        for column in columns {
            let Some(cell) = cell_of(column) else { continue };
            if frame.aliases.contains(&cell.0) {
                frame.used.insert(cell, column.clone());
            } else if !frame.outer.iter().any(|(known, _)| *known == cell) {
                frame.outer.push((cell, column.clone()));
            }
        }
        // A cell of an inner query's own table does not belong to an outer query.
        let own: HashSet<String> = inner_aliases(select, order);
        frame.outer.retain(|(cell, _)| !own.contains(&cell.0));
        let wheres = select.filter.iter().flat_map(Expression::conjuncts);
        for condition in wheres {
            needs(condition, &mut frame);
            self.unite(condition, &frame);
        }
        for group in &select.group {
            needs_columns(group, &mut frame);
        }
        for order in order.iter().filter(|order| !order.expression.has_aggregate()) {
            needs_columns(&order.expression, &mut frame);
        }
        for expression in needed_items(select) {
            needs_columns(expression, &mut frame);
        }
        for from in &select.from {
            if let Join::Inner(Some(on)) = &from.join {
                on.conjuncts().into_iter().for_each(|condition| needs(condition, &mut frame));
            }
        }
        // A left join that is needed needs its joining columns, which may belong to another left
        // join.
        loop {
            let before = frame.needed.len();
            for from in &select.from {
                if let Join::Left(Some(on)) = &from.join
                    && frame.needed.iter().any(|(alias, _)| *alias == from.alias)
                {
                    on.conjuncts().into_iter().for_each(|condition| needs(condition, &mut frame));
                }
            }
            if frame.needed.len() == before {
                break;
            }
        }
        for from in &select.from {
            if let Join::Inner(Some(on)) | Join::Left(Some(on)) = &from.join {
                on.conjuncts().into_iter().for_each(|condition| self.unite(condition, &frame));
            }
        }
        frame
    }

    /// Makes the two sides of an equality of columns one variable; an outer query's column comes
    /// first.
    fn unite(&mut self, condition: &Expression, frame: &Frame) {
        let Expression::Compare(Comparison::Equal, a, b) = condition else { return };
        let (Expression::Column(a), Expression::Column(b)) = (&**a, &**b) else { return };
        let (Some(cell_a), Some(cell_b)) = (cell_of(a), cell_of(b)) else { return };
        if !self.are_alike(a, b) {
            return;
        }
        if frame.aliases.contains(&cell_a.0) && !frame.aliases.contains(&cell_b.0) {
            self.cells.unite(&cell_b, &cell_a);
        } else {
            self.cells.unite(&cell_a, &cell_b);
        }
    }

    /// Whether equal values of two columns are the same term of the graph.
    fn are_alike(&self, a: &ColumnRef, b: &ColumnRef) -> bool {
        let is_calculated =
            |column: &ColumnRef| column.place.is_some_and(|place| place.table == crate::syntax::DERIVED);
        match (self.kind_of(a), self.kind_of(b)) {
            // The greatest 808.00 of a query within is 808.
            (ValueKind::Number, ValueKind::Unknown) if is_calculated(b) => false,
            (ValueKind::Unknown, ValueKind::Number) if is_calculated(a) => false,
            (ValueKind::Unknown, _) | (_, ValueKind::Unknown) => true,
            (a, b) => a == b,
        }
    }
}

/// Takes the first left join whose condition uses no table that is still to be joined.
pub(super) fn next_left<'f>(later: &mut Vec<&'f From>, frame: &Frame) -> Option<&'f From> {
    let waits = |from: &From| {
        let others = later.iter().filter(|other| other.alias != from.alias);
        let others: Vec<&String> = others.map(|other| &other.alias).collect();
        joined_by(from).iter().any(|cell| frame.aliases.contains(&cell.0) && others.contains(&&cell.0))
    };
    let at = later.iter().position(|from| !waits(from)).unwrap_or(0);
    (!later.is_empty()).then(|| later.remove(at))
}

/// Marks the cells without which a condition cannot hold.
pub(super) fn needs(condition: &Expression, frame: &mut Frame) {
    match condition {
        Expression::Not(inner) => match &**inner {
            // A row without a value is not among the others, so it stays.
            Expression::InQuery(..) | Expression::Exists(_) | Expression::And(..) | Expression::Or(..) => {}
            Expression::IsNull(of) => needs_columns(of, frame),
            other => needs_columns(other, frame),
        },
        Expression::Or(..) | Expression::IsNull(_) | Expression::Exists(_) => {}
        Expression::InQuery(of, _) => needs_columns(of, frame),
        other => needs_columns(other, frame),
    }
}

/// Marks the cells of an expression that has no value without them.
fn needs_columns(expression: &Expression, frame: &mut Frame) {
    match expression {
        Expression::Column(column) => {
            if let Some(cell) = cell_of(column).filter(|cell| frame.aliases.contains(&cell.0)) {
                frame.needed.insert(cell);
            }
        }
        Expression::Case(..)
        | Expression::Aggregate { .. }
        | Expression::Exists(_)
        | Expression::Or(..)
        | Expression::IsNull(_)
        | Expression::Call(Function::Coalesce, _) => {}
        other => other.parts().into_iter().for_each(|part| needs_columns(part, frame)),
    }
}

/// Items without whose value a row tells nothing: a single item, or the argument of the aggregates
/// if all have the same.
fn needed_items(select: &Select) -> Vec<&Expression> {
    if let [item] = select.items.as_slice()
        && !item.expression.has_aggregate()
    {
        return vec![&item.expression];
    }
    let (mut all, mut counts_rows) = (Vec::new(), false);
    // COALESCE says what a group without a value gets.
    let stands_in = |part: &Expression| matches!(part, Expression::Call(Function::Coalesce, _));
    if !select.group.is_empty() {
        for item in select.items.iter().filter(|item| item.expression.has_aggregate()) {
            item.expression.visit(&mut |part| counts_rows |= stands_in(part) && part.has_aggregate());
        }
    }
    for item in &select.items {
        item.expression.visit(&mut |part| {
            if let Expression::Aggregate { function, of, .. } = part {
                match of {
                    // A group without a value stays, with the count 0.
                    Some(_) if *function == Aggregate::Count && !select.group.is_empty() => {
                        counts_rows = true;
                    }
                    Some(of) => all.push(&**of),
                    None => counts_rows = true,
                }
            }
        });
    }
    let same = all.windows(2).all(|two| two.first() == two.last());
    if same && !counts_rows { all } else { Vec::new() }
}

/// All columns of an expression, with those of its subqueries.
fn deep_columns<'a>(expression: &'a Expression, columns: &mut Vec<&'a ColumnRef>) {
    expression.visit(&mut |part| {
        if let Expression::Column(column) = part {
            columns.push(column);
        }
        if let Some(query) = part.query() {
            query.visit(&mut |inner| {
                if let Expression::Column(column) = inner {
                    columns.push(column);
                }
            });
        }
    });
}

fn inner_aliases(select: &Select, order: &[Order]) -> HashSet<String> {
    let mut aliases = HashSet::new();
    for expression in select.expressions().into_iter().chain(order.iter().map(|order| &order.expression)) {
        expression.visit(&mut |part| {
            if let Some(query) = part.query() {
                aliases_of(query, &mut aliases);
            }
        });
    }
    aliases
}

/// The cells that the condition of a join uses.
pub(super) fn joined_by(from: &From) -> Vec<Cell> {
    let (Join::Left(on) | Join::Inner(on)) = &from.join;
    let mut columns = Vec::new();
    on.iter().for_each(|on| deep_columns(on, &mut columns));
    columns.into_iter().filter_map(cell_of).collect()
}

/// The aliases of all tables of a query and its subqueries.
pub(super) fn aliases_of(query: &Query, aliases: &mut HashSet<String>) {
    match &query.body {
        Body::Set { left, right, .. } => {
            aliases_of(left, aliases);
            aliases_of(right, aliases);
        }
        Body::Select(select) => {
            for from in &select.from {
                aliases.insert(from.alias.clone());
                if let Source::Derived(query) = &from.source {
                    aliases_of(query, aliases);
                }
            }
            for expression in select.expressions() {
                expression.visit(&mut |part| {
                    if let Some(query) = part.query() {
                        aliases_of(query, aliases);
                    }
                });
            }
        }
    }
}
