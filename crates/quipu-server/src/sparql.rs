//! Runs SPARQL queries with limits on time, rows and bytes.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use quipu_answer::Engine;
use quipu_graph::{GraphError, QueryFormat, QueryGraphs, QueryOptions};
use tokio::task::{JoinError, JoinHandle};

use crate::access::Client;
use crate::app::App;
use crate::config::seconds;
use crate::error::{ApiError, Kind};
use crate::gate::Permit;

/// Time beyond its limit that an evaluation gets to stop by itself.
const GRACE: Duration = Duration::from_secs(2);
/// The short turn of a query: several times the need of most interactive queries.
const QUICK: Duration = Duration::from_millis(250);

/// A query and the format of its result.
#[derive(Debug, Clone)]
pub(crate) struct SparqlQuery {
    pub(crate) query: String,
    pub(crate) graphs: QueryGraphs,
    pub(crate) format: QueryFormat,
}

/// Runs a query within the server's limits. It stops if the client leaves.
///
/// The cost of a query shows only when it runs. Each query therefore first gets a short turn, in a
/// queue of short turns only. A query that takes longer is restarted in the queue of long ones.
///
/// # Errors
/// A bad query, or one that exceeds the limits.
pub(crate) async fn run(
    app: &App,
    client: &Client,
    engine: Engine,
    query: SparqlQuery,
) -> Result<Vec<u8>, ApiError> {
    let (who, time) = (client.who(), seconds(app.config.sparql.timeout));
    // An endpoint is not asked twice, because its work is not the server's own.
    if engine.workspace().embedded().is_some() {
        let permit = app.quick_sparql.enter(&who, time).await?;
        let mut quick = Evaluation::begin(app, permit, engine.clone(), query.clone());
        let mut done = quick.within(QUICK).await;
        if done.is_none() {
            quick.stop.set();
            done = quick.within(time + GRACE).await;
        }
        if !matches!(done, Some(Ok(Err(GraphError::Cancelled)))) {
            return outcome(app, done);
        }
    }
    let permit = app.sparql.enter(&who, time).await?;
    let done = Evaluation::begin(app, permit, engine, query).within(time + GRACE).await;
    outcome(app, done)
}

/// The end of an evaluation: its result, or that it ended without one.
type Done = Result<Result<Vec<u8>, GraphError>, JoinError>;

/// A running evaluation, which is stopped on drop.
struct Evaluation {
    work: JoinHandle<Result<Vec<u8>, GraphError>>,
    stop: StopWhenDropped,
}

impl Evaluation {
    fn begin(app: &App, permit: Permit, engine: Engine, query: SparqlQuery) -> Self {
        let SparqlQuery { query, graphs, format } = query;
        let limits = &app.config.sparql;
        let stop = StopWhenDropped(Arc::default());
        let options = QueryOptions {
            format,
            timeout: Some(seconds(limits.timeout)),
            cancel: stop.0.clone(),
            rows: Some(limits.rows),
            memory: Some(limits.memory),
        };
        let most = limits.bytes;
        let work = move || {
            // Held until the evaluation ends, even beyond its time limit, so that the number of
            // running evaluations stays limited.
            let _permit = permit;
            let mut out = Bounded { bytes: Vec::new(), most };
            let workspace = engine.workspace();
            let done = match (workspace.endpoint(), workspace.embedded()) {
                (Some(graph), _) => {
                    let asked = graph.query_over(&graphs, &query, &options, &mut out);
                    tokio::runtime::Handle::current().block_on(asked)
                }
                (None, Some(graph)) => graph.query_over(&graphs, &query, &options, &mut out),
                (None, None) => Ok(0),
            };
            done.map(|_| out.bytes)
        };
        Self { work: tokio::task::spawn_blocking(work), stop }
    }

    /// Its result; `None` if it takes longer than `time`.
    async fn within(&mut self, time: Duration) -> Option<Done> {
        tokio::time::timeout(time, &mut self.work).await.ok()
    }
}

fn outcome(app: &App, done: Option<Done>) -> Result<Vec<u8>, ApiError> {
    let limits = &app.config.sparql;
    match done {
        Some(Ok(done)) => done.map_err(|error| explain(error, limits.bytes)),
        Some(Err(_)) => {
            Err(ApiError::new(Kind::Internal, "internal_error", "the query ended without a result"))
        }
        None => {
            let message = format!("the query took longer than {} s; narrow it", limits.timeout);
            Err(ApiError::new(Kind::Invalid, "query_timeout", message))
        }
    }
}

fn explain(error: GraphError, most: usize) -> ApiError {
    match error {
        GraphError::Io { source, .. } if source.kind() == io::ErrorKind::FileTooLarge => {
            let message = format!("the result is larger than {most} bytes; add a LIMIT");
            ApiError::new(Kind::Invalid, "result_too_large", message)
        }
        error => error.into(),
    }
}

/// Sets the stop flag of an abandoned query.
struct StopWhenDropped(Arc<AtomicBool>);

impl StopWhenDropped {
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Drop for StopWhenDropped {
    fn drop(&mut self) {
        self.set();
    }
}

/// Accepts up to a limited number of bytes.
struct Bounded {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for Bounded {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + buffer.len() > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(buffer);
        Ok(buffer.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
