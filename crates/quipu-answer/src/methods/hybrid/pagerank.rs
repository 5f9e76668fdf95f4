//! Personalised PageRank by local pushes (Andersen, Chung and Lang, 2006): the paper's graph
//! retriever. It reads only the neighbourhood of its starts, however large the graph is.

use std::collections::HashMap;

use quipu_graph::{Graph, NodeId, RelationRole, Step};
use quipu_stages::answer::AnswerError;
use quipu_stages::ledger::Context;
use quipu_stages::retrieve::Documents;

use super::found::FoundEntity;

/// Probability of returning to a start.
const RESTART: f64 = 0.15;
/// The least residue per neighbour that is pushed on.
const PRECISION: f64 = 1e-5;
/// Most pushes, to bound the work.
const MOST_PUSHES: usize = 20_000;
/// Most neighbours of one node along one step.
const MOST_NEIGHBOURS: usize = 2000;

fn is_ordinary(graph: &dyn Graph, step: Step) -> bool {
    let info = usize::try_from(step.relation.0).ok().and_then(|at| graph.relations().get(at));
    info.is_some_and(|info| info.role == RelationRole::Ordinary)
}

/// The entities with documents near `starts`, nearest first, at most `most`, without the starts
/// themselves.
///
/// # Errors
/// The graph's and the index's.
pub(super) async fn near(
    context: &Context<'_>,
    documents: &Documents<'_>,
    starts: &[NodeId],
    most: usize,
) -> Result<Vec<FoundEntity>, AnswerError> {
    let mut entities = Vec::new();
    for (node, score) in pagerank(context, starts).await? {
        let first = documents.index().passages_of(node)?.first().copied();
        if first.is_some() && !starts.contains(&node) {
            entities.push(FoundEntity { node, passage: first, score, satisfies: true });
        }
        if entities.len() == most {
            break;
        }
    }
    Ok(entities)
}

/// Entities near `starts`, by their share of a random walk that restarts there, greatest first.
async fn pagerank(context: &Context<'_>, starts: &[NodeId]) -> Result<Vec<(NodeId, f64)>, AnswerError> {
    let graph = context.graph();
    let mut shares: HashMap<NodeId, f64> = HashMap::new();
    #[expect(clippy::cast_precision_loss, reason = "a handful of starts")]
    let each = 1.0 / starts.len().max(1) as f64;
    let mut frontier: HashMap<NodeId, f64> = starts.iter().map(|start| (*start, each)).collect();
    let mut pushes = 0;
    while !frontier.is_empty() && pushes < MOST_PUSHES {
        context.check_time()?;
        let mut nodes: Vec<(NodeId, f64)> = frontier.drain().collect();
        // Sorted, so that every run adds up the same sums.
        nodes.sort_by_key(|(node, _)| *node);
        pushes += nodes.len();
        let ids: Vec<NodeId> = nodes.iter().map(|(node, _)| *node).collect();
        let around = graph.expand(&ids, None, MOST_NEIGHBOURS).await?;
        for ((node, residue), expansions) in nodes.into_iter().zip(around) {
            *shares.entry(node).or_default() += RESTART * residue;
            let ordinary = expansions.into_iter().filter(|e| is_ordinary(graph, e.step));
            let neighbours: Vec<NodeId> =
                ordinary.flat_map(|e| e.nodes).filter(|n| !graph.is_literal(*n)).collect();
            #[expect(clippy::cast_precision_loss, reason = "a few thousand neighbours")]
            let share = (1.0 - RESTART) * residue / neighbours.len().max(1) as f64;
            if share >= PRECISION {
                for neighbour in neighbours {
                    *frontier.entry(neighbour).or_default() += share;
                }
            }
        }
    }
    let mut ranked: Vec<(NodeId, f64)> = shares.into_iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Ok(ranked)
}
