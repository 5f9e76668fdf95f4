//! Measurements that are nodes of their own, each with a number and a unit.

use quipu_language::Language;
use quipu_query::{
    Body, ColumnRef, Doubt, Expression, From, Item, Mend, Place, Query, Select, Source, Tables, words_of,
};

use crate::slips::each_query;

/// Takes a column that a query's table lacks from the record that another column of the query leads
/// to: `power_consumption IS NOT NULL AND numeric_value >= 80` compares the power, not the weight,
/// although a weight has a numeric value too. For a query that is not bound yet.
pub(crate) fn of_the_mentioned_record(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let mut mend = None;
    each_query(query, &mut |query| {
        let Query { body: Body::Select(select), order, .. } = query else { return };
        let [From { source: Source::Table(id, _), alias, .. }] = select.from.as_slice() else { return };
        let Some(at) = tables.find(id) else { return };
        let Some(table) = tables.table(at) else { return };
        let is_own = |of: &ColumnRef| of.table.as_ref().is_none_or(|named| named == alias || named == id);
        let mut used: Vec<ColumnRef> = Vec::new();
        let all = select.expressions().into_iter().chain(order.iter().map(|order| &order.expression));
        for expression in all {
            expression.visit(&mut |part| {
                if let Expression::Column(of) = part
                    && is_own(of)
                    && !used.contains(of)
                {
                    used.push(of.clone());
                }
            });
        }
        let record = |of: &ColumnRef| {
            let column = table.find(&of.name)?;
            let to = tables.leads_to(Place { table: at, column })?;
            tables.table(to).filter(|record| record.unnamed && to != at)
        };
        for lacked in used.iter().filter(|of| table.find(&of.name).is_none()) {
            let has_it = |of: &&ColumnRef| record(of).is_some_and(|to| to.find(&lacked.name).is_some());
            let mut leading = used.iter().filter(has_it);
            let (Some(by), None) = (leading.next(), leading.next()) else { continue };
            let change = &mut |expression: &mut Expression| led_by(expression, lacked, &by.name);
            select.expressions_mut().into_iter().for_each(&mut *change);
            order.iter_mut().for_each(|order| change(&mut order.expression));
            let text = format!("{} is that of {}, which the query mentions", lacked.name, by.name);
            mend = Some(Mend { text, doubt: Doubt::None });
        }
    });
    mend
}

/// Qualifies each use of a column with the column that leads to its table.
fn led_by(expression: &mut Expression, lacked: &ColumnRef, by: &str) {
    if let Expression::Column(of) = expression {
        if of == lacked {
            of.table = Some(by.to_owned());
        }
        return;
    }
    expression.parts_mut().into_iter().for_each(|part| led_by(part, lacked, by));
}

/// The queries for the units of the numbers that a query, or one within it, orders, compares or
/// calculates with, where the numbers have a column of units beside them that it does not use.
/// Grams do not compare with kilograms. For a bound query.
pub fn units_used(query: &Query, tables: &Tables) -> Vec<Query> {
    let mut found = Vec::new();
    each_query(&mut query.clone(), &mut |query| found.extend(units_of(query, tables)));
    found
}

fn units_of(query: &Query, tables: &Tables) -> Option<Query> {
    let select = query.select()?;
    let mut used: Vec<&ColumnRef> = Vec::new();
    let calculated = select.items.iter().map(|item| &item.expression);
    let calculated = calculated.filter(|of| !matches!(of, Expression::Column(_)));
    let order = query.order.iter().map(|order| &order.expression);
    for expression in calculated.chain(&select.filter).chain(order) {
        expression.visit(&mut |part| {
            if let Expression::Column(of) = part {
                used.push(of);
            }
        });
    }
    let units = used.iter().find_map(|of| {
        let place = of.place.filter(|place| place.column > 0)?;
        let column = column_of_units(place.table, tables).filter(|at| *at != place.column)?;
        let uses_units = used.iter().any(|other| other.place == Some(Place { column, ..place }));
        let is_number = tables.column(place).is_some_and(|of| of.range.is_some());
        let id = tables.table(place.table)?.columns.get(column)?.id.clone();
        let unit = ColumnRef { table: of.table.clone(), name: id, place: Some(Place { column, ..place }) };
        (is_number && !uses_units).then_some(unit)
    })?;
    let select = Select {
        items: vec![Item { expression: Expression::Column(units), alias: None }],
        distinct: true,
        group: Vec::new(),
        having: None,
        ..select.clone()
    };
    Some(Query { body: Body::Select(Box::new(select)), order: Vec::new(), limit: Some(SEEN), offset: 0 })
}

/// Units that are told.
const SEEN: u64 = 5;

/// The column of a table that holds units.
fn column_of_units(table: usize, tables: &Tables) -> Option<usize> {
    let columns = &tables.table(table)?.columns;
    let holds = |title: &str, examples: &[String]| {
        let is_unit = |text: &String| Language::english().is_unit(&text.to_lowercase());
        words_of(title).iter().any(|word| Language::english().is_noun(word, "unit"))
            && examples.iter().any(is_unit)
    };
    let at = columns.iter().skip(1).position(|column| holds(&column.title, &column.examples))?;
    (columns.get(at + 1)?.distinct > 1).then_some(at + 1)
}
