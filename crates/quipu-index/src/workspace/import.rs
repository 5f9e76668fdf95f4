//! Imports into a workspace: graph, name index, vectors; then publishes all of it at once.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quipu_graph::{
    EmbeddedGraph, Generations, Graph as _, ImportConfig, ImportProgress, ImportReport, NewGeneration,
    NodeId, RelationId,
};
use quipu_model::Embedder;

use super::documents::{DocumentsSource, build_documents, forget_list_before};
use super::endpoint::refuse_import;
use super::names::index_names;
use super::source::Texts;
use super::{NAMES, VECTORS, Workspace};
use crate::{DocumentProgress, IndexError, VectorBuilder, VectorProgress};

const BUILDING: &str = "vectors.building";
/// Names between two reports of progress and looks at the cancellation.
pub(super) const NAMES_STEP: u64 = 4096;
/// Entities walked through between two times that the store's pages are given back, which would count as this process's memory.
pub(super) const LET_GO_STEP: u64 = 64 * NAMES_STEP;
/// Bytes of an entity's description that its vector is made of: about a sentence.
const SNIPPET: usize = 160;

/// What an import is at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkspaceProgress {
    /// An endpoint is being read.
    Source {
        /// What is being done.
        what: String,
        /// How much of it is done.
        done: u64,
        /// How much there is; 0 where that is not known.
        total: u64,
    },
    /// The graph is being imported.
    Graph(ImportProgress),
    /// Names are being indexed.
    Names {
        /// Entities done.
        done: u64,
        /// Entities in all.
        total: u64,
    },
    /// Names are being embedded and their vectors joined.
    Vectors(VectorProgress),
    /// Documents are being indexed.
    Documents(DocumentProgress),
}

/// Called with each step of progress, from any thread of the import.
pub type WorkspaceProgressSink = Arc<dyn Fn(WorkspaceProgress) + Send + Sync>;

/// What to import and how.
#[derive(Clone)]
pub struct ImportRequest {
    /// Inputs, formats, profile, memory and cancellation. Its own progress sink is replaced by `progress`.
    pub graph: ImportConfig,
    /// Makes the vectors; `None` leaves them out (`--no-embeddings`).
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Told of progress.
    pub progress: Option<WorkspaceProgressSink>,
}

impl Workspace {
    /// Imports a graph, replacing what the workspace held: graph, names and vectors are written beside it and published
    /// at once. Whatever stops it (a bad line, a full disk, cancellation, a kill) leaves the old generation in place. An
    /// interrupted vector build goes on when the same graph is imported again.
    ///
    /// Blocks its thread for the parts that do not embed; run it where that does not matter.
    pub async fn import(folder: &Path, request: &ImportRequest) -> Result<ImportReport, IndexError> {
        refuse_import(folder)?;
        let generation = Generations::open(folder).begin()?;
        let report = fill(folder, &generation, request).await?;
        generation.publish()?;
        forget_list_before(folder)?;
        Ok(report)
    }

    /// Adds vectors to a workspace that was imported without them, or replaces those of another embedder.
    pub async fn index_vectors(
        folder: &Path,
        embedder: &dyn Embedder,
        progress: Option<WorkspaceProgressSink>,
        cancel: &AtomicBool,
    ) -> Result<(), IndexError> {
        // What is no workspace is not to become one.
        Self::open_graph(folder)?;
        let generation = Generations::open(folder).begin_without(&[VECTORS])?;
        let workspace = Self::open_graph(folder)?;
        let Some(texts) = workspace.source.texts() else {
            return Err(IndexError::Usage(format!(
                "{} searches names at its endpoint; there is nothing here to embed",
                folder.display()
            )));
        };
        build_vectors(folder, generation.path(), texts.store, embedder, progress.as_ref(), cancel, 256 << 20)
            .await?;
        Ok(generation.publish()?)
    }
}

async fn fill(
    folder: &Path,
    generation: &NewGeneration,
    request: &ImportRequest,
) -> Result<ImportReport, IndexError> {
    let mut config = request.graph.clone();
    config.progress = request.progress.clone().map(|sink| {
        let forward: quipu_graph::ProgressSink = Arc::new(move |step| sink(WorkspaceProgress::Graph(step)));
        forward
    });
    let report = quipu_graph::import(&config, &generation.graph())?;
    let graph = EmbeddedGraph::open(generation.graph())?;
    let parts = generation.path();
    let memory = usize::try_from(config.memory).unwrap_or(usize::MAX);
    let ids = (0..).map(RelationId).zip(graph.relations());
    let relations: HashSet<NodeId> = ids.filter_map(|(id, _)| graph.relation_node(id)).collect();
    let (texts, progress) = (Texts::of_graph(&graph), request.progress.as_ref());
    index_names(texts, &relations, &parts.join(NAMES), memory, progress, &config.cancel)?;
    if let Some(embedder) = &request.embedder {
        build_vectors(folder, parts, &graph, embedder.as_ref(), progress, &config.cancel, memory / 4).await?;
    }
    let embedder = request.embedder.as_deref();
    let source = DocumentsSource { graph: &graph, added: &Workspace::added_documents(folder)? };
    build_documents(folder, parts, source, embedder, progress, &config.cancel, memory / 4).await?;
    Ok(report)
}

pub(super) async fn build_vectors(
    folder: &Path,
    parts: &Path,
    graph: &EmbeddedGraph,
    embedder: &dyn Embedder,
    progress: Option<&WorkspaceProgressSink>,
    cancel: &AtomicBool,
    memory: usize,
) -> Result<(), IndexError> {
    let building = folder.join(BUILDING);
    let mut builder = VectorBuilder::create(&building, memory)?;
    if let Some(published) = Generations::open(folder).current()? {
        builder = builder.with_previous(&published.join(VECTORS));
    }
    for number in 0..graph.entity_count() {
        if number.is_multiple_of(NAMES_STEP) {
            stop_if(cancel)?;
        }
        if number.is_multiple_of(LET_GO_STEP) {
            graph.let_go();
        }
        let node = NodeId(number);
        builder.push(node, &text_of(graph, node)?)?;
    }
    graph.let_go();
    let mut forward = |step| report(progress, WorkspaceProgress::Vectors(step));
    builder.build(embedder, &mut forward, cancel).await?;
    let place = parts.join(VECTORS);
    std::fs::rename(&building, &place).map_err(IndexError::io("cannot write", &place))
}

/// What an entity's vector is made of: `name (type, type): description`, the last two where there are any.
fn text_of(graph: &EmbeddedGraph, node: NodeId) -> Result<String, IndexError> {
    let mut text = graph.name(node)?.into_owned();
    let mut types = Vec::new();
    for kind in graph.types(node)?.into_iter().take(3) {
        types.push(graph.name(kind)?.into_owned());
    }
    if !types.is_empty() {
        text.push_str(&format!(" ({})", types.join(", ")));
    }
    if let Some(description) = graph.description_of(node)? {
        text.push_str(": ");
        text.push_str(description.get(..description.floor_char_boundary(SNIPPET)).unwrap_or(description));
    }
    Ok(text)
}

pub(super) fn report(sink: Option<&WorkspaceProgressSink>, step: WorkspaceProgress) {
    if let Some(sink) = sink {
        sink(step);
    }
}

pub(super) fn stop_if(cancel: &AtomicBool) -> Result<(), IndexError> {
    if cancel.load(Ordering::Relaxed) { Err(IndexError::Cancelled) } else { Ok(()) }
}
