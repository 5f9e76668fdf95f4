//! SPARQL 1.1 over the embedded store: spareval evaluates queries on the store, this module
//! prepares them and writes the results.

mod bounds;
mod countable;
mod dataset;
mod deep;
mod graphs;
mod planning;
pub(crate) mod results;
mod syntax;
mod text;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use spareval::{CancellationToken, QueryEvaluationError, QueryEvaluator};
use spargebra::algebra::GraphPattern;
use spargebra::{Query, SparqlParser};

use crate::{EmbeddedGraph, GraphError};
use bounds::{Bounds, Ended, goes_on, within};
use countable::{Countable, MOST_PARTS, countable, with_functions};
use dataset::{Damage, StoreDataset};
pub use graphs::QueryGraphs;
pub use results::QueryFormat;

/// Interval between two checks of the cancel flag.
const LOOK: Duration = Duration::from_millis(20);

/// Prefixes that a query may use without declaring them.
pub(crate) const PREFIXES: [(&str, &str); 12] = [
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("schema", "http://schema.org/"),
    ("wd", "http://www.wikidata.org/entity/"),
    ("wdt", "http://www.wikidata.org/prop/direct/"),
    ("dbo", "http://dbpedia.org/ontology/"),
    ("dbr", "http://dbpedia.org/resource/"),
    ("ns", "http://rdf.freebase.com/ns/"),
    ("quipu", crate::NAME_IRI_PREFIX),
];

/// How a query is run.
#[derive(Debug, Clone, Default)]
pub struct QueryOptions {
    /// How results are written.
    pub format: QueryFormat,
    /// After this long the query ends with an error.
    pub timeout: Option<Duration>,
    /// Set it to stop the query.
    pub cancel: Arc<AtomicBool>,
    /// Most rows (triples, for CONSTRUCT and DESCRIBE); more are an error.
    pub rows: Option<u64>,
    /// Most bytes of solutions and texts that the embedded store's evaluation may hold at once, as
    /// counted by their terms; more is an error.
    pub memory: Option<u64>,
}

/// The kind of a query's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryKind {
    /// Rows, or a boolean: SELECT and ASK.
    Rows,
    /// Triples: CONSTRUCT and DESCRIBE.
    Triples,
}

/// The kind of a query's result.
///
/// # Errors
/// [`GraphError::Usage`] for a text that is not a query.
pub fn query_kind(sparql: &str) -> Result<QueryKind, GraphError> {
    read_query(sparql, |query| match query {
        Query::Select { .. } | Query::Ask { .. } => QueryKind::Rows,
        Query::Construct { .. } | Query::Describe { .. } => QueryKind::Triples,
    })
}

impl EmbeddedGraph {
    /// Runs a SELECT, ASK, CONSTRUCT or DESCRIBE query and writes its results; returns their
    /// number.
    ///
    /// All triples are in the default graph. An entity or relation whose key is no IRI has the IRI
    /// `urn:quipu:` with its percent-encoded key (prefix `quipu:`).
    ///
    /// Limits of time and memory and cancellation take effect at the next read of the store or copy
    /// of a term.
    ///
    /// # Errors
    /// [`GraphError::Usage`] for a text that is not a query, or a query that exceeds the options'
    /// limits; errors of the store and of `out`.
    pub fn query(
        &self,
        sparql: &str,
        options: &QueryOptions,
        out: &mut (dyn Write + Send),
    ) -> Result<u64, GraphError> {
        self.query_over(&QueryGraphs::default(), sparql, options, out)
    }

    /// The same over the graphs that the query's sender names. The store's only graph has no name,
    /// so none of them is in it.
    ///
    /// # Errors
    /// As [`EmbeddedGraph::query`]; [`GraphError::Usage`] for a graph name that is no IRI.
    pub fn query_over(
        &self,
        graphs: &QueryGraphs,
        sparql: &str,
        options: &QueryOptions,
        out: &mut (dyn Write + Send),
    ) -> Result<u64, GraphError> {
        let (start, token) = (Instant::now(), CancellationToken::new());
        let stopped = Arc::new(AtomicBool::new(false));
        let cancel = || {
            token.cancel();
            stopped.store(true, Ordering::Relaxed);
        };
        if is_due(options, start) {
            cancel();
        }
        let (finished, watched) = channel::<()>();
        let (stop, token) = (stopped.clone(), token.clone());
        std::thread::scope(|scope| {
            let worker = deep::spawn(scope, move || {
                let _finished = finished;
                let query = graphs.instead_of(parse(sparql)?)?;
                self.evaluate(query, options, token, stop, out)
            })?;
            watch(options, start, cancel, &watched);
            worker.join().unwrap_or_else(|reason| std::panic::resume_unwind(reason))
        })
    }

    fn evaluate(
        &self,
        query: Query,
        options: &QueryOptions,
        token: CancellationToken,
        stopped: Arc<AtomicBool>,
        out: &mut dyn Write,
    ) -> Result<u64, GraphError> {
        let Countable { query, width, parts, work } = countable(query);
        if parts > MOST_PARTS {
            return Err(GraphError::Usage(format!(
                "the query has {parts} patterns, operators and functions; the limit is {MOST_PARTS}: ask in parts, or put lists \
                 into VALUES"
            )));
        }
        if work > planning::MOST_WORK {
            return Err(GraphError::Usage(
                "the query takes too long to plan: it joins too many patterns, or its OPTIONALs are nested too deep; ask \
                 in parts"
                    .into(),
            ));
        }
        let evaluator = with_functions(QueryEvaluator::new().with_cancellation_token(token));
        let bounds = Bounds { stopped, memory: options.memory, width };
        let damage = Damage::default();
        let outcome = within(bounds, || {
            let dataset = StoreDataset::new(self, damage.clone());
            let results = evaluator.prepare(&query).execute(dataset);
            results.map_err(results::WriteError::Evaluation).and_then(|results| {
                results::write(results, || damage.found().and_then(|()| goes_on()), options, out)
            })
        });
        damage.found()?;
        let outcome = outcome.unwrap_or_else(|ended| Err(results::WriteError::Ended(ended)));
        outcome.map_err(|error| explain(error, options))
    }
}

/// Parses a query and passes it to `read`, both on a stack for deep nesting.
///
/// # Errors
/// [`GraphError::Usage`] for a text that is not a query.
pub(crate) fn read_query<T: Send>(
    sparql: &str,
    read: impl FnOnce(&Query) -> T + Send,
) -> Result<T, GraphError> {
    deep::deeply(|| parse(sparql).map(|query| read(&query)))?
}

/// Requires a large stack: see [`deep`].
fn parse(sparql: &str) -> Result<Query, GraphError> {
    if sparql.len() > deep::LONGEST_QUERY {
        let most = deep::LONGEST_QUERY >> 10;
        return Err(GraphError::Usage(format!("the query is longer than {most} KiB; ask in parts")));
    }
    let bad = |error: &dyn std::fmt::Display| GraphError::Usage(format!("bad query: {error}"));
    let mut parser = SparqlParser::new();
    for (name, iri) in PREFIXES {
        parser = parser.with_prefix(name, iri).map_err(|error| bad(&error))?;
    }
    let parsed = parser.clone().parse_query(sparql);
    let refused = |text: &str| parser.clone().parse_query(text).err().map(|error| error.to_string());
    let mut query =
        parsed.map_err(|error| GraphError::Usage(syntax::explain(sparql, &error.to_string(), refused)))?;
    if let (Query::Select { pattern, .. }, Some(names)) = (&mut query, text::all_variables(sparql)) {
        order_variables(pattern, &names);
    }
    Ok(query)
}

/// The parser sorts the variables of `SELECT *` by name; people expect them in the query's order.
fn order_variables(pattern: &mut GraphPattern, names: &[&str]) {
    match pattern {
        GraphPattern::Slice { inner, .. }
        | GraphPattern::Distinct { inner }
        | GraphPattern::Reduced { inner } => {
            order_variables(inner, names);
        }
        GraphPattern::Project { variables, .. } => variables.sort_by_key(|variable| {
            names.iter().position(|name| *name == variable.as_str()).unwrap_or(names.len())
        }),
        _ => {}
    }
}

/// Cancels the query at its time limit or on the caller's flag; ends when the query has ended.
fn watch(options: &QueryOptions, start: Instant, cancel: impl Fn(), finished: &Receiver<()>) {
    while finished.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
        if is_due(options, start) {
            cancel();
        }
    }
}

fn is_due(options: &QueryOptions, start: Instant) -> bool {
    let late = options.timeout.is_some_and(|timeout| start.elapsed() >= timeout);
    late || options.cancel.load(Ordering::Relaxed)
}

/// A failed evaluation. Services and custom functions are the query's own fault.
fn failed(error: &QueryEvaluationError) -> GraphError {
    use QueryEvaluationError as Failed;
    let message = format!("the query failed: {error}");
    match error {
        Failed::UnboundService
        | Failed::InvalidServiceName(_)
        | Failed::UnsupportedService(_)
        | Failed::UnsupportedCustomFunction(_)
        | Failed::UnsupportedCustomFunctionArity { .. } => GraphError::Usage(message),
        _ => GraphError::Internal(message),
    }
}

pub(crate) fn explain(error: results::WriteError, options: &QueryOptions) -> GraphError {
    match error {
        results::WriteError::Ended(Ended::Memory) => GraphError::Usage(format!(
            "the query holds more than {} MiB of solutions at once; narrow it, or sort and group less",
            options.memory.unwrap_or_default() >> 20
        )),
        results::WriteError::Ended(Ended::LongText) => GraphError::Usage(
            "a function of the query makes a text that is too long; shorten it with SUBSTR".into(),
        ),
        results::WriteError::Evaluation(QueryEvaluationError::Cancelled)
        | results::WriteError::Ended(Ended::Stopped) => match options.timeout {
            Some(timeout) if !options.cancel.load(Ordering::Relaxed) => GraphError::Usage(format!(
                "the query took longer than {} s; narrow it, add a LIMIT or allow more time",
                timeout.as_secs_f64()
            )),
            _ => GraphError::Cancelled,
        },
        results::WriteError::Evaluation(QueryEvaluationError::Dataset(error)) => {
            match error.downcast::<GraphError>() {
                Ok(error) => *error,
                Err(error) => GraphError::Internal(format!("the query failed: {error}")),
            }
        }
        results::WriteError::Evaluation(error) => failed(&error),
        results::WriteError::Io(source) => {
            GraphError::Io { action: "cannot write results to", path: "<output>".into(), source }
        }
        results::WriteError::Format(reason) => GraphError::Usage(reason),
        results::WriteError::TooMany(rows) => {
            GraphError::Usage(format!("the query has more than {rows} results; add a LIMIT"))
        }
    }
}

#[cfg(test)]
mod tests {
    use oxrdf::NamedNode;

    use super::*;
    use crate::ErrorClass;

    #[test]
    fn only_the_querys_own_faults_are_wrong_usage() {
        let class = |error| explain(results::WriteError::Evaluation(error), &QueryOptions::default()).class();
        let service = NamedNode::new("http://e.org/sparql").unwrap();
        assert_eq!(class(QueryEvaluationError::UnsupportedService(service)), ErrorClass::User);
        assert_eq!(class(QueryEvaluationError::UnexpectedDefaultGraph), ErrorClass::Permanent);
        let broken = QueryEvaluationError::Dataset("a read failed".into());
        assert_eq!(class(broken), ErrorClass::Permanent);
        let file = GraphError::Corrupt { path: "terms".into(), reason: "cut".into() };
        assert_eq!(class(QueryEvaluationError::Dataset(Box::new(file))), ErrorClass::Corrupt);
    }
}
