//! Values in parts: a price that is a node with an amount and a currency is given by these, not by
//! the key of its node.

use crate::bind::{Doubt, Mend};
use crate::syntax::{Body, ColumnRef, Expression, From, Item, Join, Query, Select, Source};
use crate::tables::{Kind, Place, Tables};

/// Gives the parts of values instead of their nodes' keys, if a query gives nothing else.
pub fn parts_of_values(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let select = query.select().filter(|select| select.group.is_empty())?;
    let [item] = select.items.as_slice() else { return None };
    let Expression::Column(column) = &item.expression else { return None };
    let of = tables.leads_to(column.place?).filter(|of| tables.holds_values(*of))?;
    let table = tables.table(of)?;
    let alias = format!("the_{}", table.id);
    let part = |column: usize| {
        let name = table.columns.get(column).map(|column| column.id.clone()).unwrap_or_default();
        let place = Some(Place { table: of, column });
        Expression::Column(ColumnRef { table: Some(alias.clone()), name, place })
    };
    // Amounts come first.
    let is_number =
        |at: &usize| table.columns.get(*at).is_some_and(|column| matches!(column.kind, Kind::Number { .. }));
    let (numbers, others): (Vec<usize>, Vec<usize>) = (1..table.columns.len()).partition(is_number);
    let parts = numbers.into_iter().chain(others).map(|at| Item { expression: part(at), alias: None });
    let select = Select {
        items: parts.collect(),
        from: vec![From {
            source: Source::Table(table.id.clone(), Some(of)),
            alias: alias.clone(),
            join: Join::Inner(None),
        }],
        filter: Some(Expression::InQuery(Box::new(part(0)), Box::new(query.clone()))),
        ..Select::default()
    };
    let text = format!("each {} is given by its parts", table.title);
    *query = Query { body: Body::Select(Box::new(select)), order: Vec::new(), limit: None, offset: 0 };
    Some(Mend { text, doubt: Doubt::None })
}
