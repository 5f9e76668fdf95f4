//! The workspace for programs.

mod entity;
mod import;
mod rows;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quipu_graph::QueryOptions;
use quipu_index::{LookupConfig, WorkspaceInfo};
use quipu_query::{Relevance, RenderConfig, open_tables};

use crate::{Error, Result};

pub use entity::{EntityView, FoundEntity, NamedNode, RelationView};
pub use import::{Import, Imported};
pub use rows::{QueryRows, SqlAnswer, SqlPlan};

/// A graph and its indexes in a folder, opened. Cheap to open at any size, and cheap to clone. A
/// new import does not change an open workspace.
#[derive(Debug, Clone)]
pub struct Workspace {
    inner: Arc<quipu_index::Workspace>,
}

impl Workspace {
    /// Begins an import into a folder, which is created if it is missing:
    /// `Workspace::import("films").files([...]).run()`.
    pub fn import(folder: impl AsRef<Path>) -> Import {
        Import::new(folder.as_ref())
    }

    /// Opens a folder with an imported graph or an endpoint's data.
    ///
    /// # Errors
    /// [`Error::Index`] and [`Error::Graph`] for a folder that is no workspace, and for files that
    /// are damaged or of another version.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        Ok(quipu_index::Workspace::open(folder.as_ref())?.into())
    }

    /// Opens only graph and names; damage to the other parts does not matter.
    ///
    /// # Errors
    /// As [`Workspace::open`].
    pub fn open_graph(folder: impl AsRef<Path>) -> Result<Self> {
        Ok(quipu_index::Workspace::open_graph(folder.as_ref())?.into())
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.inner.folder()
    }

    /// The graph's name, as evidence cites it.
    pub fn name(&self) -> &str {
        &self.inner.graph().describe().name
    }

    /// Its sizes, and its missing parts.
    pub fn info(&self) -> WorkspaceInfo {
        self.inner.info()
    }

    /// The inner workspace, for functions that this crate lacks.
    pub fn inner(&self) -> &Arc<quipu_index::Workspace> {
        &self.inner
    }

    /// Entities whose name matches `text`, best first; at most `most`.
    ///
    /// # Errors
    /// Errors of the index, or of the endpoint.
    pub async fn entities(&self, text: &str, most: usize) -> Result<Vec<NamedNode>> {
        let config = LookupConfig { k: most, ..LookupConfig::default() };
        let found = self.inner.lookup(text, &config).await?;
        let nodes: Vec<_> = found.iter().map(|candidate| candidate.node).collect();
        let summaries = self.inner.graph().summaries(&nodes).await?;
        Ok(summaries.into_iter().map(NamedNode::from).collect())
    }

    /// Runs a SPARQL query and returns its rows, its boolean, or its triples.
    ///
    /// # Errors
    /// [`Error::Graph`] for an invalid query, one that exceeds a limit, and errors of the endpoint;
    /// [`Error::Usage`] without a graph.
    pub async fn query(&self, sparql: &str, options: &QueryOptions) -> Result<QueryRows> {
        let kind = quipu_graph::query_kind(sparql)?;
        let format = QueryRows::format(kind);
        let out = self.query_into(sparql, &QueryOptions { format, ..options.clone() }, Vec::new()).await?;
        QueryRows::read(kind, out)
    }

    /// Runs a SPARQL query, writes its results in [`QueryOptions::format`], and returns the writer.
    /// Dropping the future stops the query.
    ///
    /// # Errors
    /// As [`Workspace::query`]; errors of `out`.
    pub async fn query_into<W: Write + Send + 'static>(
        &self,
        sparql: &str,
        options: &QueryOptions,
        mut out: W,
    ) -> Result<W> {
        if !self.inner.has_graph() {
            let folder = self.folder().display();
            return Err(Error::Usage(format!(
                "the sources of {folder} are APIs, which take no SPARQL; ask a question"
            )));
        }
        if let Some(graph) = self.inner.endpoint() {
            graph.query(sparql, options, &mut out).await?;
            return Ok(out);
        }
        let Some(graph) = self.inner.embedded().cloned() else { return Ok(out) };
        let stop = StopOnDrop::new(&options.cancel);
        let (sparql, options) = (sparql.to_owned(), options.clone());
        let work = move || graph.query(&sparql, &options, &mut out).map(|_| out);
        let outcome = tokio::task::spawn_blocking(work).await;
        stop.done();
        Ok(outcome.map_err(|_| Error::Lost)??)
    }

    /// The graph as tables, in the form for a language model (`CREATE TABLE` lines), and whether
    /// they are complete. With a question, only the tables that it can need are included; the text
    /// has at most `bytes` bytes.
    ///
    /// # Errors
    /// Errors of the graph, while its tables are counted for the first time.
    pub async fn tables(&self, question: Option<&str>, bytes: usize) -> Result<(String, bool)> {
        let tables = open_tables(&self.inner).await?;
        let relevance = Relevance::by_words(&tables, question.unwrap_or_default());
        let rendered = tables.render(&relevance, &RenderConfig { bytes, ..RenderConfig::default() });
        Ok((rendered.text, rendered.whole))
    }
}

impl From<quipu_index::Workspace> for Workspace {
    fn from(workspace: quipu_index::Workspace) -> Self {
        Self { inner: Arc::new(workspace) }
    }
}

impl From<Arc<quipu_index::Workspace>> for Workspace {
    fn from(inner: Arc<quipu_index::Workspace>) -> Self {
        Self { inner }
    }
}

/// Stops work on another thread when it is no longer needed.
struct StopOnDrop(Option<Arc<AtomicBool>>);

impl StopOnDrop {
    /// Dropping it before the work is done stops the work.
    pub(crate) fn new(cancel: &Arc<AtomicBool>) -> Self {
        Self(Some(cancel.clone()))
    }

    /// Marks the work as done, so that the flag's owner may reuse the flag.
    fn done(mut self) {
        self.0 = None;
    }
}

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        if let Some(cancel) = &self.0 {
            cancel.store(true, Ordering::Relaxed);
        }
    }
}
