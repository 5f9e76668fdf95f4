//! The vectors of a workspace's entities: one for each entity, from its name, types and
//! description.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use quipu_graph::{EmbeddedGraph, Generations, NodeId};
use quipu_model::Embedder;

use super::VECTORS;
use super::progress::{LET_GO_STEP, NAMES_STEP, WorkspaceProgress, WorkspaceProgressSink, report, stop_if};
use crate::{IndexError, VectorBuilder};

const BUILDING: &str = "vectors.building";
/// Bytes of an entity's description that go into its vector: about a sentence.
const SNIPPET: usize = 160;

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

/// The text of an entity's vector: `name (type, type): description`, the last two if there are any.
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
