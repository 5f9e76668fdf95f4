//! Earlier queries for the same question that failed or gave no rows.

use quipu_language::Language;

use super::explain::Unexplained;
use crate::syntax::{Expression, Query};
use crate::tables::{Tables, words_of};

/// The words of a query's tables, columns and values.
pub fn words_tried(query: &Query) -> Vec<String> {
    let mut names: Vec<String> = query.tables().into_iter().map(|(name, _)| name.to_owned()).collect();
    query.visit(&mut |part| match part {
        Expression::Column(column) => names.push(column.name.clone()),
        Expression::Text(text) | Expression::Terms(_, text) | Expression::Like(_, text) => {
            names.push(text.clone());
        }
        _ => {}
    });
    names.iter().flat_map(|name| words_of(name)).collect()
}

/// The question's words that an earlier query asked for, that no table and no column is called by,
/// and that this reading leaves out: the graph lacks what the model read first, and the reading is
/// about something else. "The earliest submission deadline" is not the earliest start.
pub(super) fn given_up(
    question: &str,
    unexplained: &Unexplained,
    tried: &[String],
    tables: &Tables,
) -> Vec<String> {
    let language = Language::of(question);
    let is_among =
        |word: &String, others: &[String]| others.iter().any(|other| language.is_form(word, other));
    let given_up: Vec<&String> = unexplained.names.iter().filter(|word| is_among(word, tried)).collect();
    if given_up.is_empty() {
        return Vec::new();
    }
    let titles = tables.tables.iter().map(|table| &table.title);
    let titles = titles.chain(tables.columns().map(|(_, column)| &column.title));
    let known: Vec<String> = titles.flat_map(|title| words_of(title)).collect();
    given_up.into_iter().filter(|word| !is_among(word, &known)).cloned().collect()
}
