//! What several commands do with a workspace: open it, find an entity in it.

use std::path::Path;

use anyhow::{Result, bail};
use quipu_graph::{Direction, Graph, NodeId, RelationRole};
use quipu_index::{LookupConfig, MatchReason, Workspace};

use crate::output::visible;

/// Candidates looked at when a name is not an id.
const CANDIDATES: usize = 5;

/// Opens a workspace.
pub(super) fn open(folder: &Path) -> Result<Workspace> {
    Ok(Workspace::open(folder)?)
}

/// Opens the graph of a workspace and its names, without vectors and documents.
pub(super) fn open_graph(folder: &Path) -> Result<Workspace> {
    Ok(Workspace::open_graph(folder)?)
}

/// The entity of this id, else the best one of this name; others of the same name are told on standard error.
pub(super) async fn find_entity(workspace: &Workspace, text: &str) -> Result<NodeId> {
    let node = workspace.graph().resolve(&[text]).await?.into_iter().flatten().next();
    if let Some(node) = node
        && !is_only_a_name(workspace.graph().as_ref(), node).await?
    {
        return Ok(node);
    }
    let config = LookupConfig { k: CANDIDATES, ..LookupConfig::default() };
    let candidates = workspace.lookup(text, &config).await?;
    let Some((best, others)) = candidates.split_first() else {
        if let Some(node) = node {
            return Ok(node);
        }
        bail!(
            "no entity is called “{text}”, nor anything like it; `quipu link` finds the entities that a text mentions"
        );
    };
    if !matches!(best.reason, MatchReason::Exact | MatchReason::Alias) {
        tell!("no entity is called “{}”; the nearest is:", visible(text));
    }
    let namesakes: Vec<NodeId> =
        others.iter().filter(|other| other.matched == best.matched).map(|c| c.node).collect();
    if !namesakes.is_empty() {
        let keys = workspace.graph().summaries(&namesakes).await?;
        let keys: Vec<String> = keys.iter().map(|summary| visible(&summary.key)).collect();
        tell!("also called “{}”: {}", visible(&best.matched), keys.join(", "));
    }
    Ok(best.node)
}

/// Whether a node does nothing but name others: where names are ids, labels are nodes too.
async fn is_only_a_name(graph: &dyn Graph, node: NodeId) -> Result<bool> {
    let relations = graph.relations();
    let names = |step: quipu_graph::Step| {
        let info = usize::try_from(step.relation.0).ok().and_then(|at| relations.get(at));
        let role = info.map(|info| info.role);
        step.direction == Direction::Backward
            && matches!(role, Some(RelationRole::Label | RelationRole::Alias))
    };
    let uses = graph.relations_of(&[node]).await?.swap_remove(0);
    Ok(!uses.is_empty() && uses.iter().all(|used| names(used.step)))
}
