//! Other columns of the things that a query gives: the parts of a price that is a node with an
//! amount and a currency, and the city of a site if the question asks for a city.

use quipu_language::Language;

use crate::bind::{Doubt, Mend};
use crate::syntax::{Body, ColumnRef, Expression, From, Item, Join, Query, Select, Source};
use crate::tables::{Kind, Place, Table, Tables, words_of};

/// Gives the parts of values instead of their nodes' keys, if a query gives nothing else.
pub(super) fn parts_of_values(query: &mut Query, tables: &Tables) -> Option<Mend> {
    let (_, of) = given(query, tables).filter(|(_, of)| tables.holds_values(*of))?;
    let table = tables.table(of)?;
    // Amounts come first.
    let is_number =
        |at: &usize| table.columns.get(*at).is_some_and(|column| matches!(column.kind, Kind::Number { .. }));
    let (numbers, others): (Vec<usize>, Vec<usize>) = (1..table.columns.len()).partition(is_number);
    *query = columns_of(query.clone(), of, table, numbers.into_iter().chain(others));
    Some(Mend { text: format!("each {} is given by its parts", table.title), doubt: Doubt::None })
}

/// Gives the column that the question asks for by its name instead of the things that have it: "in
/// which city is it made" is not answered by the site. `None` if the things are called so too.
pub(super) fn column_asked_for(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(question);
    let language = Language::of_words(&words);
    let asks = words.iter().position(|word| language.asks_by_a_noun(word)).filter(|at| *at < 3)?;
    let noun = words.get(asks + 1).filter(|noun| language.meanings(noun).is_empty())?;
    let (title, of) = given(query, tables)?;
    let table = tables.table(of)?;
    let is_called = |title: &str| words_of(title).iter().any(|word| language.is_noun(noun, word));
    if is_called(&title) || is_called(&table.title) || table.kinds.iter().any(|kind| is_called(kind)) {
        return None;
    }
    let named = |(at, column): (usize, &crate::tables::Column)| {
        (words_of(&column.title).last().is_some_and(|last| language.is_noun(noun, last))).then_some(at)
    };
    let mut columns = table.columns.iter().enumerate().skip(1).filter_map(named);
    let column = columns.next().filter(|_| columns.next().is_none())?;
    let text = format!("the question asks for the {noun} of each {}", table.title);
    *query = columns_of(query.clone(), of, table, std::iter::once(column));
    if let Body::Select(select) = &mut query.body {
        select.distinct = true;
    }
    Some(Mend { text, doubt: Doubt::Little })
}

/// The title of the only column that a query gives, and the table of the things in it.
fn given(query: &Query, tables: &Tables) -> Option<(String, usize)> {
    let select = query.select().filter(|select| select.group.is_empty())?;
    let [item] = select.items.as_slice() else { return None };
    let Expression::Column(column) = &item.expression else { return None };
    Some((tables.column(column.place?)?.title.clone(), tables.leads_to(column.place?)?))
}

/// Some columns of the things that a query gives.
fn columns_of(things: Query, of: usize, table: &Table, columns: impl Iterator<Item = usize>) -> Query {
    let alias = format!("the_{}", table.id);
    let part = |column: usize| {
        let name = table.columns.get(column).map(|column| column.id.clone()).unwrap_or_default();
        let place = Some(Place { table: of, column });
        Expression::Column(ColumnRef { table: Some(alias.clone()), name, place })
    };
    let select = Select {
        items: columns.map(|at| Item { expression: part(at), alias: None }).collect(),
        from: vec![From {
            source: Source::Table(table.id.clone(), Some(of)),
            alias: alias.clone(),
            join: Join::Inner(None),
        }],
        filter: Some(Expression::InQuery(Box::new(part(0)), Box::new(things))),
        ..Select::default()
    };
    Query::of(select)
}
