//! Earlier queries for the same question that failed or gave no rows.

use quipu_language::Language;
use quipu_query::{Expression, Query, Tables, Values, words_of};

use super::explain::Unexplained;
use crate::Candidate;

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

/// The columns of a query of which no title of the graph has a word: `salary`.
pub fn columns_lacking(query: &Query, tables: &Tables) -> Vec<String> {
    let language = Language::english();
    let known = titles(tables);
    let is_known = |word: &String| known.iter().any(|other| language.is_form(word, other));
    let mut lacking = Vec::new();
    query.visit(&mut |part| {
        if let Expression::Column(column) = part {
            let words = words_of(&column.name);
            if !words.is_empty() && !words.iter().any(is_known) {
                lacking.push(column.name.clone());
            }
        }
    });
    lacking
}

/// The first word that a path leaves out, where the model's own query asked for a column that the
/// graph lacks: "what does the director earn" is not answered by the director.
pub(super) fn given_up_by_a_path(
    question: &str,
    unexplained: &Unexplained,
    candidate: &Candidate,
) -> Option<String> {
    let language = Language::of(question);
    let asked = words_of(question);
    let is_said = |column: &String| {
        words_of(column).iter().any(|of| asked.iter().any(|word| language.is_form(word, of)))
    };
    let lacks = candidate.path.is_some() && candidate.lacking.iter().any(|column| !is_said(column));
    unexplained.names.first().filter(|_| lacks).cloned()
}

/// The words of all titles of tables and columns.
fn titles(tables: &Tables) -> Vec<String> {
    let titles = tables.tables.iter().map(|table| &table.title);
    let titles = titles.chain(tables.columns().map(|(_, column)| &column.title));
    titles.flat_map(|title| words_of(title)).collect()
}

/// The question's words that an earlier query asked for, that no table and no column is called by
/// and no name holds, and that this reading leaves out: the graph lacks what the model read first,
/// and the reading is about something else. "The earliest submission deadline" is not the earliest
/// start.
pub(super) fn given_up(
    question: &str,
    unexplained: &Unexplained,
    tried: &[String],
    tables: &Tables,
    values: &Values,
) -> Vec<String> {
    let language = Language::of(question);
    let is_among =
        |word: &String, others: &[String]| others.iter().any(|other| language.is_form(word, other));
    let given_up: Vec<&String> = unexplained.names.iter().filter(|word| is_among(word, tried)).collect();
    if given_up.is_empty() {
        return Vec::new();
    }
    let known = titles(tables);
    // What stands in names of the graph is not lacking: "books" beside a Book of Hours.
    let is_lacking = |word: &&String| !is_among(word, &known) && values.parts(word, |_| false).is_empty();
    given_up.into_iter().filter(is_lacking).cloned().collect()
}
