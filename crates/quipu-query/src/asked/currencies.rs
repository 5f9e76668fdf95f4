//! Amounts in one currency: "the euro prices" of a column that has prices in several.

use quipu_language::Language;

use super::slips::each_query;
use crate::bind::{Doubt, Mend};
use crate::syntax::{Body, ColumnRef, Comparison, Expression, Query, Source};
use crate::tables::{Place, Tables, words_of};
use crate::values::Values;

/// Keeps the amounts in the currency that a question names, where the query uses amounts beside a
/// column of currencies and does not look at it. For a query that is not bound yet.
pub(super) fn in_the_currency(
    question: &str,
    query: &mut Query,
    tables: &Tables,
    values: &Values,
) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let code = words.iter().find_map(|word| language.currency_code(word))?;
    let mentions = values.mentions(code);
    let holds_code = |place: Place| {
        let mut matches = mentions.iter().flat_map(|mention| &mention.matches);
        matches.any(|found| found.place == place)
    };
    let mut mend = None;
    each_query(query, &mut |query| {
        let Body::Select(select) = &mut query.body else { return };
        for from in &select.from {
            let Source::Table(id, _) = &from.source else { continue };
            let Some(table) = tables.find(id).filter(|at| tables.table(*at).is_some_and(|of| !of.is_links()))
            else {
                continue;
            };
            let columns = tables.table(table).map(|table| table.columns.as_slice()).unwrap_or_default();
            let is_currency = |(column, _): &(usize, &crate::tables::Column)| {
                let title = columns.get(*column).map(|of| words_of(&of.title)).unwrap_or_default();
                title.iter().any(|word| language.is_currency(word))
                    && holds_code(Place { table, column: *column })
            };
            let Some((_, column)) = columns.iter().enumerate().skip(1).find(is_currency) else { continue };
            let uses = |named: &str| {
                let mut used = false;
                for expression in select.expressions() {
                    expression.visit(&mut |part| {
                        used |= matches!(part, Expression::Column(of) if of.name == named);
                    });
                }
                used
            };
            let other = |of: &&crate::tables::Column| of.id != column.id && uses(&of.id);
            if uses(&column.id) || !columns.iter().skip(1).any(|of| other(&of)) {
                continue;
            }
            let of = ColumnRef { table: Some(from.alias.clone()), name: column.id.clone(), place: None };
            let equals = Expression::Compare(
                Comparison::Equal,
                Box::new(Expression::Column(of)),
                Box::new(Expression::Text(code.to_owned())),
            );
            select.filter = Some(Expression::both(select.filter.take(), equals));
            mend =
                Some(Mend { text: format!("the question asks for amounts in {code}"), doubt: Doubt::None });
            return;
        }
    });
    mend
}
