//! Amounts of money beside a column of currencies: "the euro prices" are those in euros, and
//! amounts of several currencies are not one sum.

use quipu_language::Language;
use quipu_query::{
    Aggregate, Body, ColumnRef, Comparison, Doubt, Expression, From, Kind, Mend, Place, Query, Select,
    Source, Table, Tables, Values, words_of,
};

use crate::slips::each_query;

/// Keeps the amounts in the currency that a question names, where the query uses numbers beside a
/// column of currencies and does not look at it. For a bound query.
pub(crate) fn in_the_currency(
    question: &str,
    query: &mut Query,
    tables: &Tables,
    values: &Values,
) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let code = words.iter().find_map(|word| language.currency_code(word))?;
    let mentions = values.mentions(code);
    let mut mend = None;
    each_query(query, &mut |query| {
        let Query { body: Body::Select(select), order, .. } = query else { return };
        for from in &select.from {
            let Source::Table(_, Some(table)) = &from.source else { continue };
            let Some(columns) = tables.table(*table).filter(|of| !of.is_links()).map(|of| &of.columns) else {
                continue;
            };
            let is_currency = |at: &usize| {
                let title = columns.get(*at).map(|of| words_of(&of.title)).unwrap_or_default();
                title.iter().any(|word| language.is_currency(word))
            };
            let coded = (1..columns.len()).filter(is_currency).find_map(|column| {
                let place = Place { table: *table, column };
                let mut found = mentions.iter().flat_map(|mention| &mention.matches);
                found.find(|found| found.place == place).map(|found| (place, found))
            });
            let Some((place, found)) = coded else { continue };
            let (mut looks, mut uses) = (false, false);
            let in_order = order.iter().map(|order| &order.expression);
            for expression in select.expressions().into_iter().chain(in_order) {
                expression.visit(&mut |part| {
                    let Expression::Column(of) = part else { return };
                    let is_its = of.table.as_ref() == Some(&from.alias);
                    let Some(used) = of.place.filter(|used| is_its && used.table == *table) else { return };
                    looks |= used == place;
                    let kind = tables.column(used).map(|column| column.kind);
                    uses |= matches!(kind, Some(Kind::Number { .. }));
                });
            }
            if looks || !uses {
                continue;
            }
            let name = columns.get(place.column).map(|column| column.id.clone()).unwrap_or_default();
            let of = ColumnRef { table: Some(from.alias.clone()), name, place: Some(place) };
            let shown = found.shown.first().cloned().unwrap_or_default();
            let equals = Expression::Compare(
                Comparison::Equal,
                Box::new(Expression::Column(of)),
                Box::new(Expression::Terms(found.terms.clone(), shown)),
            );
            select.filter = Some(Expression::both(select.filter.take(), equals));
            mend =
                Some(Mend { text: format!("the question asks for amounts in {code}"), doubt: Doubt::None });
            return;
        }
    });
    mend
}

/// Tells that amounts of several currencies were added up, ordered or compared as they stand,
/// because the query does not look at the currency beside them.
pub(crate) fn in_several_currencies(query: &Query, tables: &Tables) -> Option<Mend> {
    let mut mend = None;
    each_query(&mut query.clone(), &mut |query| {
        let Body::Select(select) = &query.body else { return };
        let order: Vec<&Expression> = query.order.iter().map(|order| &order.expression).collect();
        mend = mend
            .take()
            .or_else(|| select.from.iter().find_map(|from| of_several(from, select, &order, tables)));
    });
    mend
}

fn of_several(from: &From, select: &Select, order: &[&Expression], tables: &Tables) -> Option<Mend> {
    /// Currencies that are named.
    const NAMED: usize = 4;
    let Source::Table(_, Some(at)) = &from.source else { return None };
    let table = tables.table(*at)?;
    let language = Language::of(&table.title);
    let is_of_currency = |title: &str| words_of(title).iter().any(|word| language.is_currency(word));
    let at_currency = table.columns.iter().position(|column| is_of_currency(&column.title))?;
    let currency = table.columns.get(at_currency).filter(|column| column.distinct > 1)?;
    let its = |part: &Expression| match part {
        Expression::Column(of) if of.table.as_ref() == Some(&from.alias) => {
            of.place.map(|place| place.column)
        }
        _ => None,
    };
    let is_amount = |part: &Expression| its(part).is_some_and(|column| is_money(table, column));
    let (mut looks, mut used) = (false, order.iter().any(|part| is_amount(part)));
    for expression in select.expressions().into_iter().chain(order.iter().copied()) {
        expression.visit(&mut |part| {
            looks |= its(part) == Some(at_currency);
            used |= match part {
                Expression::Aggregate { function: Aggregate::Count, .. } => false,
                Expression::Aggregate { of: Some(of), .. } => is_amount(of),
                Expression::Compare(_, one, other) | Expression::Arithmetic(_, one, other) => {
                    is_amount(one) || is_amount(other)
                }
                _ => false,
            };
        });
    }
    let named: Vec<&str> = currency.examples.iter().take(NAMED).map(String::as_str).collect();
    let text =
        format!("the amounts may be in several currencies ({}) and are not converted", named.join(", "));
    (used && !looks).then_some(Mend { text, doubt: Doubt::Told })
}

/// Whether a column holds amounts of money, in a table that has their currency: its title says so,
/// or it has the only numbers.
fn is_money(table: &Table, column: usize) -> bool {
    let is_number = |of: &quipu_query::Column| matches!(of.kind, Kind::Number { .. });
    let numbers = table.columns.iter().filter(|of| is_number(of)).count();
    table.columns.get(column).filter(|of| is_number(of)).is_some_and(|of| {
        let words = words_of(&of.title);
        let language = Language::of_words(&words);
        numbers == 1 || words.iter().any(|word| language.is_amount_of_money(word))
    })
}
