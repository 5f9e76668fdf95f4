//! Joins that ask nothing: they only make the reading seem to speak of a table.

use super::slips::each_query;
use crate::bind::{Doubt, Mend};
use crate::syntax::{Body, ColumnRef, Comparison, Expression, From, Join, Order, Query, Select, Source};
use crate::tables::{Place, Table, Tables};

/// Leaves out tables that are joined by their name to a column that always has a value and leads to
/// them, and that are used for nothing else. A join that some rows have no partner for is a
/// condition, and stays: "employees that have a manager". For a bound query.
pub(super) fn without_idle_joins(query: &mut Query, tables: &Tables) -> Option<Mend> {
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
            // Rows of a join that a subquery speaks of, or that are counted, are used.
            Expression::Exists(_)
            | Expression::Scalar(_)
            | Expression::InQuery(..)
            | Expression::Aggregate { .. } => uses += 1,
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
