//! Triples around entities, whatever the relation, and what of them a prompt can hold.

use std::collections::HashSet;

use quipu_graph::{Direction, Graph, GraphError, NodeId, RelationId, RelationRole, Step};

use super::triples::Walked;
use crate::evidence::{Evidence, EvidenceContent};
use crate::plan::Scope;

/// Bytes that one token of a table stands for, at least: an upper estimate of the tokens.
const BYTES_PER_TOKEN: usize = 3;
/// Bytes of a row beside its value, and of a heading beside its entity.
const ROW: usize = 12;
const HEADING: usize = 40;

/// The scope of one hop along every ordinary relation of `anchors`, in both directions.
///
/// # Errors
/// The graph's.
pub async fn one_hop(graph: &dyn Graph, anchors: &[NodeId]) -> Result<Scope, GraphError> {
    Ok(Scope { hops: vec![ordinary_steps(graph, anchors).await?] })
}

/// Triples within `hops` hops of `anchors`, nearest first, at most `most`, and at most `each` along one step of one node.
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

/// The triple as the graph states it, whichever way it was walked.
fn stated((from, step, to): Walked) -> (NodeId, RelationId, NodeId) {
    match step.direction {
        Direction::Forward => (from, step.relation, to),
        Direction::Backward => (to, step.relation, from),
    }
}

/// The steps of `nodes` that methods may walk.
pub(super) async fn ordinary_steps(graph: &dyn Graph, nodes: &[NodeId]) -> Result<Vec<Step>, GraphError> {
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

/// What of `evidence` fits a budget, and how much was left out. The end stays: what was looked up last is nearest to the
/// answer.
pub fn latest_within_budget(mut evidence: Vec<Evidence>, budget_tokens: usize) -> (Vec<Evidence>, usize) {
    let mut bytes = budget_tokens.saturating_mul(BYTES_PER_TOKEN);
    let mut kept = 0;
    let mut later: Option<&Evidence> = None;
    for piece in evidence.iter().rev() {
        let cost = cost(piece, later);
        if cost > bytes {
            break;
        }
        bytes -= cost;
        kept += 1;
        later = Some(piece);
    }
    let left_out = evidence.len() - kept;
    evidence.drain(..left_out);
    (evidence, left_out)
}

/// Bytes that a piece adds to a table beside its neighbour.
fn cost(piece: &Evidence, beside: Option<&Evidence>) -> usize {
    match &piece.content {
        EvidenceContent::Triple { head, tail, .. } => {
            let shares = beside.is_some_and(|other| match &other.content {
                EvidenceContent::Triple { head: h, tail: t, .. } => h == head || t == tail,
                EvidenceContent::Passage { .. }
                | EvidenceContent::Record(_)
                | EvidenceContent::Calculation { .. } => false,
            });
            let value = ROW + tail.len().max(head.len()).min(200);
            if shares { value } else { value + HEADING + head.len().min(200) }
        }
        EvidenceContent::Passage { entity, passage, .. } => ROW + entity.len() + passage.len(),
        EvidenceContent::Record(record) => HEADING + record.to_line().len(),
        EvidenceContent::Calculation { operation, result, .. } => ROW + operation.len() + result.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_budget_keeps_the_end() {
        let triple = |tail: &str| Evidence::triple("g", ["Ada", "wrote", tail], ["Ada", "wrote", tail]);
        let evidence: Vec<Evidence> = (0..100).map(|n| triple(&format!("book number {n}"))).collect();
        let (kept, left_out) = latest_within_budget(evidence.clone(), 100);
        assert!(!kept.is_empty() && kept.len() < 20, "{}", kept.len());
        assert_eq!(kept.last(), evidence.last());
        assert_eq!(kept.len() + left_out, 100);
        assert_eq!(latest_within_budget(evidence.clone(), 10_000), (evidence, 0));
    }
}
