//! The paths of an action: in words for the validator and the answer, as triples for the evidence.

use quipu_graph::{Direction, NodeId};
use quipu_stages::answer::{AnswerError, cell};
use quipu_stages::ledger::Context;
use quipu_stages::plan::{Requirement, follow};
use quipu_stages::retrieve::Walked;

/// The paths to an entity, verbalised as in the paper.
pub(super) fn paths_to(ways: &[Requirement], node: NodeId, name: &str) -> Vec<String> {
    let leading = ways.iter().filter(|way| way.ends.binary_search(&node).is_ok());
    leading.map(|way| format!("{} {} {}", cell(&way.name), way.relations, arrowed(way, name))).collect()
}

/// The end of a path, after the arrow of its last relation.
fn arrowed(way: &Requirement, end: &str) -> String {
    let forward = way.steps.last().is_none_or(|step| step.direction == Direction::Forward);
    format!("{} {}", if forward { "→" } else { "←" }, cell(end))
}

/// The triples of a path to some of its ends, one way to each end.
///
/// # Errors
/// The graph's.
pub(super) async fn walked(
    context: &Context<'_>,
    way: &Requirement,
    ends: &[NodeId],
) -> Result<Vec<Walked>, AnswerError> {
    let walk = follow(context.graph(), way.anchor, &way.steps).await?;
    let mut walked = Vec::new();
    for end in ends {
        // A path that repeats a step also has the ends of its first hop.
        let Some(last) = walk.hops.iter().position(|hop| hop.iter().any(|(node, _)| node == end)) else {
            continue;
        };
        let mut to = *end;
        for hop in (0..=last).rev() {
            let reached = walk.hops.get(hop).and_then(|hop| hop.iter().find(|(node, _)| *node == to));
            let from = reached.and_then(|(_, from)| from.first().copied());
            let (Some(from), Some(step)) = (from, way.steps.get(hop)) else { break };
            walked.push((from, *step, to));
            to = from;
        }
    }
    Ok(walked)
}
