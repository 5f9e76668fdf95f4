//! Earlier queries for the same question that failed or gave no rows.

use quipu_language::Language;

use super::explain::Unexplained;
use crate::syntax::{Body, Expression, Query, Source};
use crate::tables::words_of;

/// The words of a query's tables, columns and values.
pub fn words_tried(query: &Query) -> Vec<String> {
    let mut names = Vec::new();
    tables_of(query, &mut names);
    query.visit(&mut |part| {
        match part {
            Expression::Column(column) => names.push(column.name.clone()),
            Expression::Text(text) | Expression::Terms(_, text) | Expression::Like(_, text) => {
                names.push(text.clone());
            }
            _ => {}
        }
        if let Some(query) = part.query() {
            tables_of(query, &mut names);
        }
    });
    names.iter().flat_map(|name| words_of(name)).collect()
}

fn tables_of(query: &Query, names: &mut Vec<String>) {
    match &query.body {
        Body::Set { left, right, .. } => {
            tables_of(left, names);
            tables_of(right, names);
        }
        Body::Select(select) => {
            for from in &select.from {
                match &from.source {
                    Source::Table(name, _) => names.push(name.clone()),
                    Source::Derived(query) => tables_of(query, names),
                }
            }
        }
    }
}

/// The question's words that an earlier query asked for and that this reading leaves out: the graph
/// lacks what the model read first, and the reading is about something else. "The earliest
/// submission deadline" is not the earliest start.
pub(super) fn given_up(question: &str, unexplained: &Unexplained, tried: &[String]) -> Vec<String> {
    let language = Language::of(question);
    let was_tried = |word: &&String| tried.iter().any(|other| language.is_form(word, other));
    unexplained.names.iter().filter(was_tried).cloned().collect()
}
