//! Retrieves all triples within a scope (KERAG §4.1, step 2), under a budget that keeps the most
//! relevant.

use std::collections::{BTreeSet, HashMap, HashSet};

use quipu_graph::{Graph, GraphError, NodeId, NodeSummary, Step};

use super::triples::{Walked, triple};
use crate::answer::{Evidence, to_markdown};
use crate::ledger::Context;
use crate::plan::Scope;

/// Most neighbours fetched for one node and step.
const MOST_NEIGHBOURS: usize = 100;
/// Most nodes that one hop starts from.
const MOST_NODES: usize = 500;
/// The factor on a triple's relevance for each hop: near evidence goes first if the budget is
/// short.
const HOP_DISCOUNT: f32 = 0.9;
/// Bytes of a table per token, as a first estimate.
const BYTES_PER_TOKEN: usize = 3;

/// Halvings in search of the largest part that fits, if the first estimate was too large.
const ROUNDS: usize = 6;

/// The retrieved evidence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Retrieved {
    /// The evidence, hop by hop, with the triples of each entity together.
    pub evidence: Vec<Evidence>,
    /// Triples of the scope that the budget or the limit per relation left out.
    pub left_out: usize,
}

/// A triple found on the walk: its hop, its start, its step and its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Found {
    hop: usize,
    from: NodeId,
    step: Step,
    to: NodeId,
}

/// Fetches the scope around `anchors`. If its table exceeds `budget_tokens`, by the model's count,
/// the relevance of steps decides which triples stay. A triple stays only with its way back to an
/// anchor.
///
/// # Errors
/// The graph's.
pub async fn retrieve_scope(
    context: &Context<'_>,
    anchors: &[NodeId],
    scope: &Scope,
    relevance: &HashMap<Step, f32>,
    budget_tokens: usize,
) -> Result<Retrieved, GraphError> {
    let graph = context.graph();
    let (found, cut) = walk(graph, anchors, scope).await?;
    let summaries = summaries(graph, &found).await?;
    let mut ranked: Vec<usize> = (0..found.len()).collect();
    let priority = |f: &Found| {
        let hop = i32::try_from(f.hop).unwrap_or(i32::MAX);
        relevance.get(&f.step).copied().unwrap_or(0.0) * HOP_DISCOUNT.powi(hop)
    };
    ranked.sort_by(|a, b| {
        let key = |i: &usize| found.get(*i).map_or(f32::MIN, priority);
        key(b).total_cmp(&key(a)).then(a.cmp(b))
    });
    let all: usize = found.iter().map(|f| cost(f, &summaries)).sum();
    let first = all.min(budget_tokens.saturating_mul(BYTES_PER_TOKEN));
    let mut best = Retrieved { evidence: Vec::new(), left_out: cut + found.len() };
    let mut stated: HashMap<Walked, String> = HashMap::new();
    // The rows' overhead, and its tokens, are only known after rendering.
    let (mut most, mut too_much) = (0_usize, first);
    for round in 0..=ROUNDS {
        let bytes = if round == 0 { first } else { most.midpoint(too_much) };
        let kept = within(&found, &ranked, bytes, |f| cost(f, &summaries));
        let kept = kept.iter().filter_map(|at| found.get(*at));
        let walked: Vec<Walked> = kept.map(|f| (f.from, f.step, f.to)).collect();
        let unknown: Vec<Walked> = walked.iter().filter(|w| !stated.contains_key(*w)).copied().collect();
        let sources = graph.stated_by(&unknown).await?;
        stated.extend(unknown.into_iter().zip(sources));
        let left_out = cut + found.len() - walked.len();
        let mut seen = HashSet::new();
        let evidence: Vec<Evidence> = (walked.into_iter())
            .filter_map(|walked| triple(graph, stated.get(&walked)?, &summaries, walked))
            .filter(|piece| seen.insert(piece.id.clone()))
            .collect();
        if context.count_tokens(&to_markdown(&evidence)) > budget_tokens {
            too_much = bytes;
            continue;
        }
        best = Retrieved { evidence, left_out };
        most = bytes;
        if round == 0 {
            break;
        }
    }
    Ok(best)
}

/// The positions in `found` that fit into `bytes`, ascending. The best triples go first, each with
/// the missing part of its way back to an anchor: a triple that nothing leads to is no evidence.
fn within(
    found: &[Found],
    ranked: &[usize],
    mut bytes: usize,
    cost: impl Fn(&Found) -> usize,
) -> BTreeSet<usize> {
    // Of several ways to a node, the one whose last triple ranks best.
    let mut leads: HashMap<(usize, NodeId), usize> = HashMap::new();
    for index in ranked {
        if let Some(f) = found.get(*index) {
            leads.entry((f.hop + 1, f.to)).or_insert(*index);
        }
    }
    let mut kept = BTreeSet::new();
    for index in ranked {
        let mut way = Vec::new();
        let mut at = Some(*index);
        while let Some(f) = at.filter(|at| !kept.contains(at)).and_then(|at| found.get(at)) {
            way.extend(at);
            at = leads.get(&(f.hop, f.from)).copied();
        }
        let price: usize = way.iter().filter_map(|at| found.get(*at)).map(&cost).sum();
        if price <= bytes {
            bytes -= price;
            kept.extend(way);
        }
    }
    kept
}

async fn walk(
    graph: &dyn Graph,
    anchors: &[NodeId],
    scope: &Scope,
) -> Result<(Vec<Found>, usize), GraphError> {
    let mut found = Vec::new();
    let mut left_out = 0;
    let mut nodes = anchors.to_vec();
    for (hop, steps) in scope.hops.iter().enumerate() {
        let expanded = graph.expand(&nodes, Some(steps), MOST_NEIGHBOURS).await?;
        let mut next = Vec::new();
        for (from, expansions) in nodes.iter().zip(expanded) {
            for expansion in expansions {
                let fan_out = usize::try_from(expansion.fan_out).unwrap_or(usize::MAX);
                left_out += fan_out.saturating_sub(expansion.nodes.len());
                found.extend(expansion.nodes.iter().map(|to| Found {
                    hop,
                    from: *from,
                    step: expansion.step,
                    to: *to,
                }));
                next.extend(expansion.nodes);
            }
        }
        let mut seen = HashSet::new();
        next.retain(|node| seen.insert(*node));
        next.truncate(MOST_NODES);
        nodes = next;
    }
    Ok((found, left_out))
}

async fn summaries(graph: &dyn Graph, found: &[Found]) -> Result<HashMap<NodeId, NodeSummary>, GraphError> {
    let mut nodes: Vec<NodeId> = found.iter().flat_map(|f| [f.from, f.to]).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let summaries = graph.summaries(&nodes).await?;
    Ok(nodes.into_iter().zip(summaries).collect())
}

/// Bytes that the triple adds to its row; relation and heading are shared with its neighbours.
fn cost(found: &Found, summaries: &HashMap<NodeId, NodeSummary>) -> usize {
    const SHARED: usize = 12;
    summaries.get(&found.to).map_or(0, |s| s.name.len().min(200)) + SHARED
}

#[cfg(test)]
mod tests {
    use quipu_graph::{Direction, RelationId};

    use super::*;

    fn found(hop: usize, from: u64, to: u64) -> Found {
        let step = Step { relation: RelationId(u32::try_from(hop).unwrap()), direction: Direction::Forward };
        Found { hop, from: NodeId(from), step, to: NodeId(to) }
    }

    /// Checks the triples kept out of two hops: 0 leads to 1 and 2, these to 3 and 4; each costs 10
    /// bytes.
    fn check(ranked: [usize; 4], bytes: usize, expected: &[usize]) {
        let all = [found(0, 0, 1), found(0, 0, 2), found(1, 1, 3), found(1, 2, 4)];
        let kept: Vec<usize> = within(&all, &ranked, bytes, |_| 10).into_iter().collect();
        assert_eq!(kept, expected, "{ranked:?} in {bytes} bytes");
    }

    #[test]
    fn a_triple_is_paid_for_with_its_way_back() {
        check([2, 3, 0, 1], 40, &[0, 1, 2, 3]);
        check([2, 3, 0, 1], 20, &[0, 2]);
        check([2, 3, 0, 1], 30, &[0, 1, 2]);
        check([0, 1, 2, 3], 20, &[0, 1]);
        check([3, 0, 1, 2], 10, &[0]);
        check([0, 1, 2, 3], 0, &[]);
    }

    #[test]
    fn a_way_is_found_from_wherever_it_leads() {
        // 1 leads back to 0, the anchor, and on from there again.
        let all = [found(0, 0, 1), found(1, 1, 0), found(2, 0, 2)];
        let kept: Vec<usize> = within(&all, &[2, 0, 1], 30, |_| 10).into_iter().collect();
        assert_eq!(kept, [0, 1, 2]);
    }
}
