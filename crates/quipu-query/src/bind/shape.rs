//! Clauses that SQL databases read in ways of their own: columns beside an aggregate that are in no group.

use super::{Binder, Doubt};
use crate::syntax::{Aggregate, Body, Expression, Order, Query, Select};

impl Binder<'_> {
    /// Gives columns beside an aggregate the meaning that they have for whoever writes them so.
    pub(super) fn reshape(&mut self, query: &mut Query) {
        let Query { body: Body::Select(select), order, limit, .. } = query else { return };
        let has_aggregate = select.items.iter().any(|item| item.expression.has_aggregate());
        if !has_aggregate {
            return;
        }
        let bare: Vec<Expression> = bare_columns(select);
        if bare.is_empty() {
            return;
        }
        if select.group.is_empty() && limit.is_none() && order.is_empty() {
            // "SELECT name, MAX(price)": the row that has it.
            if let Some((at, of, descending)) = only_extreme(select) {
                if let Some(item) = select.items.get_mut(at) {
                    item.expression = of.clone();
                }
                *order = vec![Order { expression: of, descending }];
                *limit = Some(1);
                self.mend(Doubt::None, "the row that has the extreme value is asked for");
                return;
            }
        }
        let names: Vec<String> = bare.iter().map(ToString::to_string).collect();
        if select.group.is_empty() {
            self.mend(Doubt::Little, format!("the values are grouped by {}", names.join(", ")));
        }
        select.group.extend(bare);
    }
}

/// Columns of the items that stand in no aggregate and in no group.
fn bare_columns(select: &Select) -> Vec<Expression> {
    let mut bare = Vec::new();
    for item in &select.items {
        collect(&item.expression, &select.group, &mut bare);
    }
    bare
}

fn collect(expression: &Expression, group: &[Expression], bare: &mut Vec<Expression>) {
    if matches!(expression, Expression::Aggregate { .. }) || group.contains(expression) {
        return;
    }
    if matches!(expression, Expression::Column(_)) && !bare.contains(expression) {
        bare.push(expression.clone());
    }
    for part in expression.parts() {
        collect(part, group, bare);
    }
}

/// The place, value and direction of the one aggregate, where that is MIN or MAX of a value.
fn only_extreme(select: &Select) -> Option<(usize, Expression, bool)> {
    let mut aggregates = select.items.iter().enumerate().filter(|(_, item)| item.expression.has_aggregate());
    let (at, item) = aggregates.next()?;
    match (&item.expression, aggregates.next()) {
        (Expression::Aggregate { function: Aggregate::Max, of: Some(of), .. }, None) => {
            Some((at, (**of).clone(), true))
        }
        (Expression::Aggregate { function: Aggregate::Min, of: Some(of), .. }, None) => {
            Some((at, (**of).clone(), false))
        }
        _ => None,
    }
}
