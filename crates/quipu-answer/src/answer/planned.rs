//! The plan of an answer that a path of the graph gave.

use quipu_graph::{NodeId, Step};
use quipu_query::Made;

use super::Value;

/// A plan that led to an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Planned {
    /// Where it starts.
    pub start: PlanStart,
    /// The steps from there.
    pub steps: Vec<Step>,
    /// The way in words, X where it starts.
    pub way: String,
    /// The same from the names that it starts from.
    pub said: String,
    /// Other paths that lead to the same values: what is asked for is where all meet.
    pub met: Vec<Self>,
    /// What is made of the values that the steps lead to.
    pub made: Made,
    /// All that it gives, where the answer is said of that: yes or no.
    pub gives: Option<Vec<Value>>,
}

/// Where a plan starts.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanStart {
    /// From an entity, and where the question mentions it, in bytes.
    Entity(NodeId, std::ops::Range<usize>),
    /// From several entities, whose values are compared.
    Several(Vec<NodeId>),
    /// From what another plan led to.
    Found(Box<Planned>),
}

impl Planned {
    /// How many entities it starts from.
    pub fn starts(&self) -> usize {
        let own = match &self.start {
            PlanStart::Entity(..) => 1,
            PlanStart::Several(nodes) => nodes.len(),
            PlanStart::Found(inner) => inner.starts(),
        };
        own + self.met.iter().map(Self::starts).sum::<usize>()
    }

    /// Whether values of several things are asked for: of each, or those where their ways meet.
    pub fn is_of_several(&self) -> bool {
        let of_each = matches!(self.start, PlanStart::Several(_)) && self.made == Made::Values;
        of_each || !self.met.is_empty()
    }

    /// The entity of a plain path and where the question mentions it: nothing where something is made of its values.
    pub fn plain(&self) -> Option<(NodeId, &std::ops::Range<usize>)> {
        match &self.start {
            PlanStart::Entity(node, span)
                if self.made == Made::Values && self.gives.is_none() && self.met.is_empty() =>
            {
                Some((*node, span))
            }
            _ => None,
        }
    }
}
