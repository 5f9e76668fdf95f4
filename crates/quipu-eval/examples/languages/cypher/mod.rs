//! Cypher as a model writes it, translated to the syntax tree of SQL: labels are tables, relationships are columns and tables
//! of links, and the binder of `quipu_query` does the rest, with all its mends.
//!
//! Read are MATCH, OPTIONAL MATCH, UNWIND of a property that is a list, WITH, RETURN and UNION; labels, properties and WHERE in
//! nodes; relationships of some types or of any, whose arrow is turned round where only that fits the labels; patterns as
//! conditions, EXISTS and COUNT with braces; comparisons, IN, CONTAINS, STARTS WITH, ENDS WITH, `=~` of plain texts, IS NULL,
//! AND, OR, NOT, CASE, arithmetic, the aggregates, DISTINCT, ORDER BY, SKIP and LIMIT, and the functions that SQL has too.
//! A property that is a list may be compared as if it were one value, and ORDER BY and LIMIT may stand before RETURN.
//!
//! Not read, so that a reply with it does not run: paths of any length, list comprehensions and places of lists, `any`, `all`
//! and `none`, UNWIND of anything else, `duration`, CALL, FOREACH, and whatever writes.

mod lexer;
mod parser;
mod syntax;
mod translate;

use quipu_answer::AnswerTable;
use quipu_query::{Found, QueryError};

use crate::Graph;
use crate::names::Names;

/// The rows of a query as the model wrote it.
pub async fn rows(graph: &Graph, text: &str) -> Result<AnswerTable, QueryError> {
    let found = Found::default();
    let names = Names { tables: &graph.tables, values: &graph.values, found: &found };
    let query = translate::translate(&parser::read(text)?, names)?;
    crate::rows::of_query(graph, query).await
}
