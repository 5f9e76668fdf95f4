//! Words that name a relation of a query's own tables, which the query does not use.

use quipu_language::Language;

use crate::syntax::{Comparison, Expression, Query};
use crate::tables::{Column, Kind, Tables, words_of};

/// The word of the question, among those that a query leaves out, that is the whole title of a
/// column of its tables which holds things like one that the query names. "Of which country is
/// Casablanca the capital" is not answered by the country of a city of that name, if countries have
/// a column `capital` of cities.
pub(super) fn column_left_out(
    left_out: &[String],
    query: &Query,
    tables: &Tables,
    language: Language,
) -> Option<String> {
    let named = named_tables(query, tables);
    let holds_such = |column: &&Column| matches!(column.kind, Kind::Entity(Some(of)) if named.contains(&of));
    let titles: Vec<String> = query
        .tables()
        .into_iter()
        .filter_map(|(_, at)| tables.table(at?))
        .flat_map(|table| table.columns.iter().skip(1))
        .filter(holds_such)
        .filter_map(|column| <[String; 1]>::try_from(words_of(&column.title)).ok().map(|[title]| title))
        .collect();
    left_out.iter().find(|word| titles.iter().any(|title| language.is_form(word, title))).cloned()
}

/// The tables of the things that a query names.
fn named_tables(query: &Query, tables: &Tables) -> Vec<usize> {
    let mut named = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Compare(Comparison::Equal, of, value) = part
            && let (Expression::Column(column), Expression::Terms(..)) = (&**of, &**value)
            && let Some(place) = column.place
        {
            let of = tables.column(place).and_then(|column| match column.kind {
                _ if place.column == 0 => Some(place.table),
                Kind::Entity(of) => of,
                _ => None,
            });
            named.extend(of);
        }
    });
    named
}
