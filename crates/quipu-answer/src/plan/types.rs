//! What kinds of things a graph is about.

use std::collections::HashMap;

use quipu_graph::{Graph, GraphError, NodeId};

use crate::AnswerError;
use crate::evidence::cell;

/// Names of the types of the most entities, at most `most`; none where the graph has no schema.
///
/// # Errors
/// The graph's.
pub async fn common_types(graph: &dyn Graph, most: usize) -> Result<Vec<String>, AnswerError> {
    if graph.describe().types == 0 {
        return Ok(Vec::new());
    }
    let mut entities: HashMap<NodeId, u64> = HashMap::new();
    for edge in graph.schema(&[]).await? {
        for node in edge.head_type.into_iter() {
            let count = entities.entry(node).or_default();
            *count = (*count).max(edge.heads);
        }
    }
    let mut types: Vec<(NodeId, u64)> = entities.into_iter().collect();
    types.sort_by_key(|(node, count)| (std::cmp::Reverse(*count), *node));
    types.truncate(most);
    let nodes: Vec<NodeId> = types.into_iter().map(|(node, _)| node).collect();
    Ok(graph.summaries(&nodes).await?.into_iter().map(|s| cell(&s.name)).collect())
}

/// The name of the most telling type that more than half of the nodes have.
///
/// # Errors
/// The graph's.
pub(in crate::plan) async fn common_type(
    graph: &dyn Graph,
    nodes: &[NodeId],
) -> Result<Option<String>, GraphError> {
    if graph.describe().types == 0 {
        return Ok(None);
    }
    let mut often: HashMap<NodeId, usize> = HashMap::new();
    for of_node in graph.summaries(nodes).await?.iter().flat_map(|s| &s.types) {
        *often.entry(*of_node).or_default() += 1;
    }
    let usual: Vec<NodeId> =
        often.into_iter().filter(|(_, count)| count * 2 > nodes.len()).map(|(node, _)| node).collect();
    // Of a hierarchy's types the rarest says most.
    let named = graph.summaries(&usual).await?.into_iter().min_by_key(|s| (s.degree, s.node));
    Ok(named.map(|s| cell(&s.name).to_lowercase()))
}
