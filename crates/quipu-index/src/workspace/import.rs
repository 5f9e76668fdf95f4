//! Imports into a workspace: builds graph, name index and vectors, then publishes them at once.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quipu_graph::{
    EmbeddedGraph, Generations, Graph as _, ImportConfig, ImportReport, NewGeneration, NodeId, RelationId,
};
use quipu_model::Embedder;

use super::documents::{DocumentsSource, build_documents, forget_list_before};
use super::endpoint::refuse_import;
use super::names::index_names;
use super::progress::{WorkspaceProgress, WorkspaceProgressSink};
use super::source::Texts;
use super::vectors::build_vectors;
use super::{NAMES, VECTORS, Workspace};
use crate::IndexError;

/// A request to import.
#[derive(Clone)]
pub struct ImportRequest {
    /// Inputs, formats, profile, memory and cancellation. `progress` replaces its own progress
    /// sink.
    pub graph: ImportConfig,
    /// The embedder for vectors; `None`: no vectors (`--no-embeddings`).
    pub embedder: Option<Arc<dyn Embedder>>,
    /// Called with the progress.
    pub progress: Option<WorkspaceProgressSink>,
}

impl Workspace {
    /// Imports a graph in the place of the current one: graph, names and vectors are written beside
    /// it and published at once. Any failure (a bad line, a full disk, cancellation, a kill) leaves
    /// the old generation in place. An interrupted vector build is resumed when the same graph is
    /// imported again.
    ///
    /// Blocks its thread except while embedding, so run it on a thread that may block.
    pub async fn import(folder: &Path, request: &ImportRequest) -> Result<ImportReport, IndexError> {
        refuse_import(folder)?;
        let generation = Generations::open(folder).begin()?;
        let report = fill(folder, &generation, request).await?;
        generation.publish()?;
        forget_list_before(folder)?;
        Ok(report)
    }

    /// Adds vectors to a workspace that was imported without them, or replaces those of another
    /// embedder.
    pub async fn index_vectors(
        folder: &Path,
        embedder: &dyn Embedder,
        progress: Option<WorkspaceProgressSink>,
        cancel: &AtomicBool,
    ) -> Result<(), IndexError> {
        // A folder that is not a workspace must not become one.
        Self::open_graph(folder)?;
        let generation = Generations::open(folder).begin_without(&[VECTORS])?;
        let workspace = Self::open_graph(folder)?;
        let Some(texts) = workspace.source.texts() else {
            return Err(IndexError::Usage(format!(
                "{} searches names at its endpoint; it holds no names to embed",
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
