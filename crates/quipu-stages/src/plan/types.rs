//! The types of things in a graph.

use std::collections::HashMap;

use quipu_graph::{Graph, GraphError, NodeId};

use crate::answer::{AnswerError, cell};

/// Names of the types with the most entities, at most `most`; none if the graph has no schema.
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

/// For each group of nodes, the name of the most specific type that more than half of them have.
///
/// # Errors
/// The graph's.
pub(in crate::plan) async fn types_in_common<const N: usize>(
    graph: &dyn Graph,
    groups: [&[NodeId]; N],
) -> Result<[Option<String>; N], GraphError> {
    if graph.describe().types == 0 {
        return Ok([const { None }; N]);
    }
    let summaries = graph.summaries(&groups.concat()).await?;
    let types: HashMap<NodeId, Vec<NodeId>> = summaries.into_iter().map(|s| (s.node, s.types)).collect();
    let usual = groups.map(|nodes| {
        let mut often: HashMap<NodeId, usize> = HashMap::new();
        for of_node in nodes.iter().filter_map(|node| types.get(node)).flatten() {
            *often.entry(*of_node).or_default() += 1;
        }
        often.retain(|_, count| *count * 2 > nodes.len());
        often
    });
    let named: Vec<NodeId> = usual.iter().flat_map(HashMap::keys).copied().collect();
    let named = graph.summaries(&named).await?;
    Ok(usual.map(|usual| {
        // In a type hierarchy, the rarest type is the most specific.
        let rarest = named.iter().filter(|s| usual.contains_key(&s.node)).min_by_key(|s| (s.degree, s.node));
        rarest.map(|s| cell(&s.name).to_lowercase())
    }))
}
