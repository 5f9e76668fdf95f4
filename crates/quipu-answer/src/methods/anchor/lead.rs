//! A retriever's current entities, and the entities that it sees from there.

use quipu_graph::{Direction, NodeId, Step};
use quipu_stages::plan::OfferedRelation;

/// An entity that a retriever has reached.
pub(super) struct Spot {
    pub node: NodeId,
    pub name: String,
    /// The path from the anchor, in words.
    pub way: String,
}

/// Spots named in one line; the line may stand for triples from more of them.
const MOST_NAMED: usize = 5;

/// An entity along a relation, with the spots that lead to it: one triple for each spot.
pub(super) struct Lead {
    /// Positions of the spots.
    pub from: Vec<usize>,
    pub relation: OfferedRelation,
    pub to: NodeId,
    pub name: String,
}

impl Lead {
    /// The line that the model and the trace see.
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

/// A triple in its own order, in whichever direction it was walked.
pub(super) fn arrow(step: Step, relation: &str, from: &str, to: &str) -> String {
    match step.direction {
        Direction::Forward => format!("{from} - {relation} -> {to}"),
        Direction::Backward => format!("{to} - {relation} -> {from}"),
    }
}
