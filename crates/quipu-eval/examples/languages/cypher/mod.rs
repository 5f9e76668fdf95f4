//! Translates Cypher, as models write it, to the syntax tree of SQL: labels are tables,
//! relationships are columns and link tables. The binder of `quipu_query` does the rest, with all
//! its repairs.
//!
//! Supported: MATCH, OPTIONAL MATCH, UNWIND of a list property, WITH, RETURN and UNION; labels,
//! properties and WHERE in nodes; relationships of given types or of any, whose arrow is reversed
//! if only that fits the labels; patterns as conditions, EXISTS and COUNT with braces; comparisons,
//! IN, CONTAINS, STARTS WITH, ENDS WITH, `=~` of plain texts, IS NULL, AND, OR, NOT, CASE,
//! arithmetic, the aggregates, DISTINCT, ORDER BY, SKIP and LIMIT, and the functions that SQL has
//! too. A list property may be compared as if it were one value, and ORDER BY and LIMIT may stand
//! before RETURN.
//!
//! A reply with anything else does not run: paths of variable length, list comprehensions and list
//! indices, `any`, `all` and `none`, other uses of UNWIND, `duration`, CALL, FOREACH, and all
//! writing clauses.

mod lexer;
mod parser;
mod syntax;
mod translate;

use quipu_answer::AnswerTable;
use quipu_query::{Found, QueryError};

use crate::Graph;
use crate::names::Names;

/// The rows of a query in the model's own words.
pub async fn rows(graph: &Graph, text: &str) -> Result<AnswerTable, QueryError> {
    let found = Found::default();
    let names = Names { tables: &graph.tables, values: &graph.values, found: &found };
    let query = translate::translate(&parser::read(text)?, names)?;
    crate::rows::of_query(graph, query).await
}
