//! Triples around entities, along every relation.

use std::collections::HashSet;

use quipu_graph::{Direction, Graph, GraphError, NodeId, RelationId, RelationRole, Step};

use super::triples::Walked;
use crate::plan::Scope;

/// The scope of one hop along every ordinary relation of `anchors`, in both directions.
///
/// # Errors
/// The graph's.
pub async fn one_hop(graph: &dyn Graph, anchors: &[NodeId]) -> Result<Scope, GraphError> {
    Ok(Scope { hops: vec![ordinary_steps(graph, anchors).await?] })
}

/// Triples within `hops` hops of `anchors`, nearest first, at most `most`, and at most `each` along
/// one step of one node.
///
/// # Errors
/// The graph's.
pub async fn nearby_triples(
    graph: &dyn Graph,
    anchors: &[NodeId],
    hops: usize,
    each: usize,
    most: usize,
) -> Result<Vec<Walked>, GraphError> {
    let mut triples: Vec<Walked> = Vec::new();
    let mut seen: HashSet<NodeId> = anchors.iter().copied().collect();
    let mut known = HashSet::new();
    let mut nodes = anchors.to_vec();
    for _ in 0..hops {
        let steps = ordinary_steps(graph, &nodes).await?;
        let mut next = Vec::new();
        for (from, expansions) in nodes.iter().zip(graph.expand(&nodes, Some(&steps), each).await?) {
            for expansion in expansions {
                let walked = expansion.nodes.iter().map(|to| (*from, expansion.step, *to));
                triples.extend(walked.filter(|triple| known.insert(stated(*triple))));
                next.extend(expansion.nodes.into_iter().filter(|node| seen.insert(*node)));
            }
        }
        next.truncate(most.saturating_sub(triples.len()));
        nodes = next;
        if nodes.is_empty() {
            break;
        }
    }
    triples.truncate(most);
    Ok(triples)
}

/// The triple in the graph's own direction, whichever way it was walked.
fn stated((from, step, to): Walked) -> (NodeId, RelationId, NodeId) {
    match step.direction {
        Direction::Forward => (from, step.relation, to),
        Direction::Backward => (to, step.relation, from),
    }
}

/// The steps of `nodes` that methods may walk.
pub async fn ordinary_steps(graph: &dyn Graph, nodes: &[NodeId]) -> Result<Vec<Step>, GraphError> {
    let mut steps: Vec<Step> =
        graph.relations_of(nodes).await?.into_iter().flatten().map(|used| used.step).collect();
    steps.sort_unstable();
    steps.dedup();
    let relations = graph.relations();
    steps.retain(|step| {
        let relation = usize::try_from(step.relation.0).ok().and_then(|index| relations.get(index));
        relation.is_some_and(|relation| relation.role == RelationRole::Ordinary)
    });
    Ok(steps)
}
