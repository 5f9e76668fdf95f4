//! Amounts in one currency: "the euro prices" of a column that has prices in several.

use quipu_language::Language;
use quipu_query::{
    Body, ColumnRef, Comparison, Doubt, Expression, Kind, Mend, Place, Query, Source, Tables, Values,
    words_of,
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
