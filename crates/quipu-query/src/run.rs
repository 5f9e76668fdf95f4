//! Runs a plan: on the store within limits, at an endpoint by one request.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use oxrdf::Term;
use quipu_graph::{GraphError, QueryFormat, QueryOptions, key_of_iri};
use quipu_index::Workspace;
use sparesults::{QueryResultsFormat, QueryResultsParser, SliceQueryResultsParserOutput};

use crate::QueryError;
use crate::plan::{Plan, ValueKind};

/// The limits of one query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunLimits {
    /// Most time.
    pub time: Duration,
    /// Most bytes of solutions that the store's evaluation may hold.
    pub memory: u64,
    /// Most rows that are returned; there may be more.
    pub rows: usize,
}

impl Default for RunLimits {
    /// 10 s, 512 MiB, 1,000 rows.
    fn default() -> Self {
        Self { time: Duration::from_secs(10), memory: 512 << 20, rows: 1_000 }
    }
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CellValue {
    /// The graph's term, or a calculated one.
    pub term: Term,
    /// The entity's key; `None` for a literal.
    pub key: Option<String>,
    /// The text to show.
    pub name: String,
}

/// The rows of a plan.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RowSet {
    /// The rows, one cell per column; `None` for a missing value.
    pub rows: Vec<Vec<Option<CellValue>>>,
    /// Whether there are more rows than the limit.
    pub more: bool,
}

/// Sets the flag when the caller no longer waits, so that the work ends.
struct StopWithCaller(Arc<AtomicBool>);

impl Drop for StopWithCaller {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs a plan on a workspace's graph.
///
/// # Errors
/// [`QueryError::Graph`] if the query exceeds its limits or the graph fails;
/// [`QueryError::Refused`] for graphs that take no SPARQL.
pub async fn run(workspace: &Workspace, plan: &Plan, limits: &RunLimits) -> Result<RowSet, QueryError> {
    let mut query = plan.query.clone();
    if let spargebra::Query::Select { pattern, .. } = &mut query {
        let inner = Box::new(std::mem::replace(
            pattern,
            spargebra::algebra::GraphPattern::Bgp { patterns: Vec::new() },
        ));
        let length = Some(limits.rows.saturating_add(1));
        *pattern = spargebra::algebra::GraphPattern::Slice { inner, start: 0, length };
    }
    let columns: Vec<&str> = plan.columns.iter().map(|column| column.variable.as_str()).collect();
    let mut rows = solutions(workspace, &query.to_string(), &columns, limits).await?;
    let more = rows.len() > limits.rows;
    rows.truncate(limits.rows);
    let names = names_of(workspace, rows.iter().flatten().flatten()).await?;
    let cell = |term: Term, kind: ValueKind| {
        let (key, name) = match &term {
            Term::NamedNode(node) => {
                let key = key_of_iri(node.as_str()).into_owned();
                let name = names
                    .get(&key)
                    .cloned()
                    .unwrap_or_else(|| quipu_graph::readable_entity(&key).into_owned());
                (Some(key), name)
            }
            Term::BlankNode(node) => {
                let key = format!("_:{}", node.as_str());
                let name = names.get(&key).cloned().unwrap_or_else(|| node.as_str().to_owned());
                (Some(key), name)
            }
            // Virtuoso gives truth values as numbers.
            Term::Literal(literal) if kind == ValueKind::Flag && literal.value() == "1" => {
                (None, "true".to_owned())
            }
            Term::Literal(literal) if kind == ValueKind::Flag && literal.value() == "0" => {
                (None, "false".to_owned())
            }
            Term::Literal(literal) => (None, shown(literal.value(), literal.datatype().as_str())),
        };
        CellValue { term, key, name }
    };
    let kinds: Vec<ValueKind> = plan.columns.iter().map(|column| column.kind).collect();
    let row = |row: Vec<Option<Term>>| {
        row.into_iter().zip(&kinds).map(|(term, kind)| term.map(|term| cell(term, *kind))).collect()
    };
    let rows = rows.into_iter().map(row).collect();
    Ok(RowSet { rows, more })
}

/// Most digits behind the point of a number that is shown as it is.
const DIGITS: usize = 9;

/// A literal as people write it: numbers as the graph states them, without the trailing digits and
/// exponents that arithmetic leaves.
fn shown(lexical: &str, datatype: &str) -> String {
    let is_decimal =
        ["decimal", "double", "float"].iter().any(|name| datatype.ends_with(&format!("#{name}")));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, behind) = lexical.split_once('.').unwrap_or((lexical, ""));
    let is_plain = is_digits(whole.trim_start_matches('-')) && is_digits(behind) && behind.len() <= DIGITS;
    if !is_decimal || is_plain {
        return lexical.to_owned();
    }
    match lexical.parse::<f64>() {
        Ok(number) if number.is_finite() => {
            let rounded = (number * 1e9).round() / 1e9;
            format!("{rounded}")
        }
        _ => lexical.to_owned(),
    }
}

/// The names of the entities among some terms, by their keys.
pub(crate) async fn names_of(
    workspace: &Workspace,
    terms: impl Iterator<Item = &Term>,
) -> Result<HashMap<String, String>, QueryError> {
    let keys: BTreeSet<String> = terms
        .filter_map(|term| match term {
            Term::NamedNode(node) => Some(key_of_iri(node.as_str()).into_owned()),
            Term::BlankNode(node) => Some(format!("_:{}", node.as_str())),
            Term::Literal(_) => None,
        })
        .collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let graph = workspace.graph();
    let nodes: Vec<_> = graph.resolve(&keys).await?.into_iter().flatten().collect();
    Ok(graph.summaries(&nodes).await?.into_iter().map(|summary| (summary.key, summary.name)).collect())
}

/// The solutions of a SELECT, in the order of `columns`.
pub(crate) async fn solutions(
    workspace: &Workspace,
    sparql: &str,
    columns: &[&str],
    limits: &RunLimits,
) -> Result<Vec<Vec<Option<Term>>>, QueryError> {
    let cancel = Arc::new(AtomicBool::new(false));
    let _stop = StopWithCaller(cancel.clone());
    let options = QueryOptions {
        format: QueryFormat::Json,
        timeout: Some(limits.time),
        cancel,
        rows: None,
        memory: Some(limits.memory),
    };
    let bytes = if let Some(endpoint) = workspace.endpoint() {
        let mut out = Vec::new();
        endpoint.query(sparql, &options, &mut out).await?;
        out
    } else if let Some(graph) = workspace.embedded() {
        let (graph, sparql) = (graph.clone(), sparql.to_owned());
        let work = tokio::task::spawn_blocking(move || {
            let mut out = Vec::new();
            graph.query(&sparql, &options, &mut out).map(|_| out)
        });
        work.await.map_err(|error| QueryError::Results(error.to_string()))??
    } else {
        return Err(QueryError::Refused(
            "this source takes no queries: it is an API, or several graphs at once".into(),
        ));
    };
    read(&bytes, columns)
}

fn read(bytes: &[u8], columns: &[&str]) -> Result<Vec<Vec<Option<Term>>>, QueryError> {
    let unreadable = |error: &dyn std::fmt::Display| QueryError::Results(error.to_string());
    let parser = QueryResultsParser::from_format(QueryResultsFormat::Json);
    match parser.for_slice(bytes).map_err(|error| unreadable(&error))? {
        SliceQueryResultsParserOutput::Boolean(_) => Err(unreadable(&"yes or no in the place of rows")),
        SliceQueryResultsParserOutput::Solutions(solutions) => {
            let mut rows = Vec::new();
            for solution in solutions {
                let solution = solution.map_err(|error| unreadable(&error))?;
                rows.push(columns.iter().map(|column| solution.get(*column).cloned()).collect());
            }
            Ok(rows)
        }
    }
}

/// Whether an error means that the query asked too much, not that something is broken.
pub fn is_too_much(error: &QueryError) -> bool {
    matches!(error, QueryError::Graph(GraphError::Usage(_)))
}
