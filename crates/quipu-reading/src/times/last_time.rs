//! The last time of several: "when was the sander last used" asks for the latest date.

use quipu_language::{End, Language, end_of_times};
use quipu_query::{
    Aggregate, Body, Comparison, Doubt, Expression, Kind, Mend, Query, Select, Tables, words_of,
};

/// Takes the latest of the dates that a query gives if the question asks when something happened
/// last, and the earliest if it asks when it happened first. For a bound query that gives one
/// column of dates or years. `None` if the query orders, groups or takes an extreme itself.
pub(crate) fn at_its_last(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let (word, end) = end_of_times(question)?;
    if !query.order.is_empty() || query.limit.is_some() {
        return None;
    }
    let Body::Select(select) = &mut query.body else { return None };
    if !select.group.is_empty() || picks_one_row(select) {
        return None;
    }
    let [item] = select.items.as_mut_slice() else { return None };
    let column = tables.column(item.expression.place()?)?;
    let is_year = || words_of(&column.title).last().is_some_and(|last| Language::english().is_year(last));
    if column.kind != Kind::Date && !column.years && !is_year() {
        return None;
    }
    let (function, which) = match end {
        End::Descending => (Aggregate::Max, "latest"),
        End::Ascending => (Aggregate::Min, "earliest"),
    };
    let of = Some(Box::new(item.expression.clone()));
    item.expression = Expression::Aggregate { function, distinct: false, of };
    select.distinct = false;
    let text = format!("“{word}” asks for the {which} {}", column.title);
    Some(Mend { text, doubt: Doubt::Little })
}

/// Whether a query gives a value of the one thing that its name picks.
fn picks_one_row(select: &Select) -> bool {
    let [item] = select.items.as_slice() else { return false };
    let table = item.expression.place().map(|place| place.table);
    let is_name = |condition: &Expression| match condition {
        Expression::Compare(Comparison::Equal, of, _) => {
            of.place().is_some_and(|of| of.column == 0 && Some(of.table) == table)
        }
        _ => false,
    };
    select.from.len() == 1 && select.filter.iter().flat_map(Expression::conjuncts).any(is_name)
}
