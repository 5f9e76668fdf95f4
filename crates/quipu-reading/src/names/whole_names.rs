//! Names in parts: a query that gives the given name and the family name of people, who have whole
//! names in the graph.

use quipu_graph::holds_part_of_name;
use quipu_language::Language;
use quipu_query::{Body, ColumnRef, Doubt, Expression, Item, Mend, Place, Query, Tables, words_of};

/// Gives the whole name in place of two columns that hold its parts, unless the question names a
/// part: "the surname of each teacher". For a bound query without groups.
pub(crate) fn by_whole_names(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let Body::Select(select) = &mut query.body else { return None };
    if !select.group.is_empty() {
        return None;
    }
    let parts: Vec<(usize, ColumnRef)> = (select.items.iter().enumerate())
        .filter_map(|(at, item)| Some((at, part_of_name(&item.expression, tables)?)))
        .collect();
    let [(first, part), (second, other)] = parts.as_slice() else { return None };
    let place = part.place?;
    let table = tables.table(place.table).filter(|table| !table.unnamed)?;
    let is_one_row = part.table == other.table && other.place.is_some_and(|of| of.table == place.table);
    if !is_one_row || part.place == other.place {
        return None;
    }
    let words = words_of(question);
    let language = Language::of_words(&words);
    let is_said = |part: &ColumnRef| {
        let title = part.place.and_then(|place| tables.column(place)).map(|column| words_of(&column.title));
        title
            .unwrap_or_default()
            .iter()
            .any(|of| language.meanings(of).is_empty() && words.iter().any(|word| language.is_noun(word, of)))
    };
    if is_said(part) || is_said(other) {
        return None;
    }
    let name = table.columns.first()?.id.clone();
    let text = format!("the whole name of {} is given", table.title);
    let whole = ColumnRef { name, place: Some(Place { column: 0, ..place }), ..part.clone() };
    let (first, second) = (*first, *second);
    if let Some(item) = select.items.get_mut(first) {
        *item = Item { expression: Expression::Column(whole), alias: None };
    }
    select.items.remove(second);
    Some(Mend { text, doubt: Doubt::None })
}

/// The column, if it holds one part of the names of its table's rows.
fn part_of_name(given: &Expression, tables: &Tables) -> Option<ColumnRef> {
    let Expression::Column(column) = given else { return None };
    let place = column.place.filter(|place| place.column > 0)?;
    let relation = tables.column(place)?.relation.as_ref()?;
    holds_part_of_name(relation).then(|| column.clone())
}
