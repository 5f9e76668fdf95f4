//! Runs SPARQL as models write it: parsed by `spargebra`, adapted to the graph, evaluated on its
//! store.
//!
//! Deviations that it accepts, in addition to those of [`crate::names`]:
//! - prefixes that are undeclared or declared differently: only the local name counts;
//! - syntax slips, such as `SELECT COUNT(?x)` without brackets and alias, `ORDER BY ?x DESC`, GROUP
//!   BY within the braces, AND for `&&` ([`slips`]);
//! - a variable bound to the `rdfs:label` of an entity stands for the entity, as `name` does in
//!   SQL; any name of an entity finds it, and filters by language always hold;
//! - texts and prefixed names in the place of entities or values ("Ostra", `:Ostra`), in patterns,
//!   filters and VALUES; a text that matches no value is an error, as in SQL;
//! - classes include the entities of their subclasses; the ends of a property are exchanged if only
//!   that fits;
//! - a property that an entity lacks but a linked entity has; an unbound variable whose name is a
//!   property of an entity in the query;
//! - numbers stored as texts, dates of any precision, texts in any case;
//! - `COUNT(?thing)` counts each entity once; groups are given with their counts.

mod parts;
mod rewrite;
mod slips;
mod text;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use oxrdf::Term;
use quipu_answer::AnswerTable;
use quipu_graph::{EmbeddedGraph, QueryFormat, QueryOptions, key_of_iri, readable_entity};
use quipu_query::{CellValue, QueryError, RunLimits};
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};

use crate::Graph;
use crate::names::Names;

/// The rows of a query in the model's own words.
pub async fn rows(graph: &Graph, text: &str) -> Result<AnswerTable, QueryError> {
    let texts = text::texts_of(text);
    let found = graph.values.find(&graph.workspace, &graph.tables, &texts).await?;
    let names = Names { tables: &graph.tables, values: &graph.values, found: &found };
    let is_known = |word: &str| {
        let columns = graph.tables.columns().map(|(_, column)| &column.id);
        columns.chain(graph.tables.tables.iter().map(|table| &table.id)).any(|id| id == word)
    };
    let query = rewrite::rewrite(text::read(text, &is_known)?, names)?;
    let Some(store) = graph.workspace.embedded().cloned() else {
        return Err(QueryError::Refused("only graphs in a workspace of their own are asked".into()));
    };
    let sparql = query.to_string();
    let work = tokio::task::spawn_blocking(move || solutions(&store, &sparql));
    let rows = work.await.map_err(|error| QueryError::Results(error.to_string()))??;
    let names = names_of(graph, rows.iter().flatten().flatten()).await?;
    let cell = |term: Term| CellValue { key: key(&term), name: name(&term, &names), term };
    let rows = rows.into_iter().map(|row| row.into_iter().map(|term| term.map(cell)).collect()).collect();
    Ok(crate::rows::table(rows))
}

/// Rows of terms; a boolean as one row.
fn solutions(store: &Arc<EmbeddedGraph>, sparql: &str) -> Result<Vec<Vec<Option<Term>>>, QueryError> {
    let limits = RunLimits::default();
    let options = QueryOptions {
        format: QueryFormat::Json,
        timeout: Some(limits.time),
        memory: Some(limits.memory),
        ..QueryOptions::default()
    };
    let mut bytes = Vec::new();
    store.query(sparql, &options, &mut bytes)?;
    let unreadable = |error: &dyn std::fmt::Display| QueryError::Results(error.to_string());
    let parser = QueryResultsParser::from_format(QueryResultsFormat::Json);
    match parser.for_slice(&bytes).map_err(|error| unreadable(&error))? {
        SliceQueryResultsParserOutput::Boolean(yes) => {
            Ok(vec![vec![Some(Term::Literal(oxrdf::Literal::from(yes)))]])
        }
        SliceQueryResultsParserOutput::Solutions(solutions) => {
            let row = |solution: sparesults::QuerySolution| solution.values().to_vec();
            let rows = solutions.take(limits.rows).map(|solution| solution.map(row));
            rows.collect::<Result<_, _>>().map_err(|error| unreadable(&error))
        }
    }
}

async fn names_of(
    graph: &Graph,
    terms: impl Iterator<Item = &Term>,
) -> Result<HashMap<String, String>, QueryError> {
    let keys: BTreeSet<String> = terms.filter_map(key).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let store = graph.workspace.graph();
    let nodes: Vec<_> = store.resolve(&keys).await?.into_iter().flatten().collect();
    Ok(store.summaries(&nodes).await?.into_iter().map(|summary| (summary.key, summary.name)).collect())
}

fn key(term: &Term) -> Option<String> {
    match term {
        Term::NamedNode(node) => Some(key_of_iri(node.as_str()).into_owned()),
        _ => None,
    }
}

fn name(term: &Term, names: &HashMap<String, String>) -> String {
    match term {
        Term::Literal(literal) => shown(literal.value(), literal.datatype().as_str()),
        Term::BlankNode(node) => node.as_str().to_owned(),
        Term::NamedNode(node) => {
            let key = key_of_iri(node.as_str());
            names.get(key.as_ref()).cloned().unwrap_or_else(|| readable_entity(&key).into_owned())
        }
    }
}

/// A literal as people write it: decimals without the trailing zeros of arithmetic.
fn shown(lexical: &str, datatype: &str) -> String {
    let is_decimal = ["#decimal", "#double", "#float"].iter().any(|name| datatype.ends_with(name));
    match lexical.parse::<f64>() {
        Ok(number) if is_decimal && number.is_finite() => format!("{}", (number * 1e9).round() / 1e9),
        _ => lexical.to_owned(),
    }
}
