//! Where a retriever stands, and what it sees from there.

use quipu_graph::{Direction, NodeId, Step};

use crate::plan::OfferedRelation;

/// Where a retriever stands.
pub(super) struct Spot {
    pub node: NodeId,
    pub name: String,
    /// The way from the anchor, in words.
    pub way: String,
}

/// Spots that a line names; it may stand for triples from more of them.
const MOST_NAMED: usize = 5;

/// One entity along a relation, with the spots that it is reached from: a triple for each.
pub(super) struct Lead {
    /// Positions of the spots.
    pub from: Vec<usize>,
    pub relation: OfferedRelation,
    pub to: NodeId,
    pub name: String,
}

impl Lead {
    /// As the model and the trace see it.
    pub(super) fn line(&self, spots: &[Spot]) -> String {
        let named = self.from.iter().take(MOST_NAMED).filter_map(|at| spots.get(*at));
        let mut names: Vec<&str> = named.map(|spot| spot.name.as_str()).collect();
        let more = format!("and {} more", self.from.len().saturating_sub(MOST_NAMED));
        if self.from.len() > MOST_NAMED {
            names.push(&more);
        }
        arrow(self.relation.step, &self.relation.relation, &names.join("; "), &self.name)
    }
}

/// A triple as it stands, whichever way it was walked.
pub(super) fn arrow(step: Step, relation: &str, from: &str, to: &str) -> String {
    match step.direction {
        Direction::Forward => format!("{from} - {relation} -> {to}"),
        Direction::Backward => format!("{to} - {relation} -> {from}"),
    }
}
