//! Records without names: "what did the school borrow" asks for the costumes, not for the codes of
//! the lines that tell it.

use quipu_language::{Language, asking_clause};
use quipu_query::{Body, Doubt, Expression, Kind, Mend, Place, Query, Tables, words_of};

use super::kinds::is_record;

/// Gives the things that records are about instead of their codes, if the question asks what or who
/// and does not mention the records. For a bound query that gives records, and of which exactly one
/// column that it does not use leads to things with names.
pub(crate) fn things_of_records(question: &str, query: &mut Query, tables: &Tables) -> Option<Mend> {
    let words = words_of(asking_clause(question));
    let language = Language::of_words(&words);
    let used = query.places();
    let Body::Select(select) = &mut query.body else { return None };
    let ([item], []) = (select.items.as_mut_slice(), select.group.as_slice()) else { return None };
    let Expression::Column(given) = &mut item.expression else { return None };
    let place = given.place.filter(|place| place.column == 0)?;
    let table = tables.table(place.table).filter(|table| !table.is_links() && is_record(table))?;
    let is_said = |title: &str| {
        let title = words_of(title);
        let Some(last) = title.last() else { return false };
        words.iter().any(|word| language.is_noun(word, last) || language.is_noun(last, word))
    };
    // "Which hires" and "which ids" ask for the records.
    let first = words.first().filter(|first| language.is_question_word(first))?;
    let asks_for_a_kind = words.get(1).is_some_and(|noun| language.meanings(noun).is_empty());
    let is_open = !language.asks_by_a_noun(first) || !asks_for_a_kind;
    let asks_for_a_key = words.iter().any(|word| language.makes_an_attribute(word));
    if !is_open || asks_for_a_key || is_said(&table.title) {
        return None;
    }
    let leads = |column: &usize| {
        let place = Place { table: place.table, column: *column };
        let named = match tables.column(place).map(|column| column.kind) {
            Some(Kind::Entity(Some(to))) => tables.table(to).is_some_and(|to| !is_record(to)),
            _ => false,
        };
        named && !used.contains(&place)
    };
    let mut columns = (1..table.columns.len()).filter(leads);
    let (column, None) = (columns.next()?, columns.next()) else { return None };
    let of = table.columns.get(column)?;
    (given.name, given.place) = (of.id.clone(), Some(Place { column, ..place }));
    select.distinct = true;
    Some(Mend {
        text: format!("the question asks for the {} of each {}", of.title, table.title),
        doubt: Doubt::Little,
    })
}
