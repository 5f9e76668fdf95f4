//! Turns walked triples into evidence with names.

use std::collections::{HashMap, HashSet};

use quipu_graph::{Direction, Graph, GraphError, NodeId, NodeSummary, Step};

use crate::answer::Evidence;

/// A triple as it was walked: start, step, end.
pub type Walked = (NodeId, Step, NodeId);

/// Evidence for triples given as (from, step, to), in their order, each once.
///
/// # Errors
/// The graph's.
pub async fn triples_to_evidence(
    graph: &dyn Graph,
    walked: &[(NodeId, Step, NodeId)],
) -> Result<Vec<Evidence>, GraphError> {
    Ok(with_evidence(graph, walked).await?.into_iter().map(|(_, evidence)| evidence).collect())
}

/// The same with each triple beside its evidence.
///
/// # Errors
/// The graph's.
pub async fn with_evidence(
    graph: &dyn Graph,
    walked: &[Walked],
) -> Result<Vec<(Walked, Evidence)>, GraphError> {
    let mut nodes: Vec<NodeId> = walked.iter().flat_map(|(from, _, to)| [*from, *to]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let summaries = graph.summaries(&nodes).await?;
    let summaries: HashMap<NodeId, NodeSummary> = nodes.into_iter().zip(summaries).collect();
    let mut seen = HashSet::new();
    let once: Vec<Walked> = walked.iter().copied().filter(|walked| seen.insert(*walked)).collect();
    let sources = graph.stated_by(&once).await?;
    let piece =
        |(walked, source): (Walked, String)| Some((walked, triple(graph, &source, &summaries, walked)?));
    Ok(once.into_iter().zip(sources).filter_map(piece).collect())
}

/// One triple by name, stated by `source`; `None` only for a node or relation that the graph lacks.
pub(super) fn triple(
    graph: &dyn Graph,
    source: &str,
    summaries: &HashMap<NodeId, NodeSummary>,
    (from, step, to): (NodeId, Step, NodeId),
) -> Option<Evidence> {
    let (head, tail) = match step.direction {
        Direction::Forward => (from, to),
        Direction::Backward => (to, from),
    };
    let (head, tail) = (summaries.get(&head)?, summaries.get(&tail)?);
    let relation = graph.relations().get(usize::try_from(step.relation.0).ok()?)?;
    let names = [head.name.as_str(), &relation.name, &tail.name];
    Some(Evidence::triple(source, names, [&head.key, &relation.key, &tail.key]))
}
