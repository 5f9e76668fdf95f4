//! The plan of an answer that a path gave.

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
    /// The path in words, with X for its start.
    pub way: String,
    /// The same with the names of its starts.
    pub said: String,
    /// Other paths that lead to the same values: the answer is where all meet.
    pub met: Vec<Self>,
    /// The operation on the values of the steps.
    pub made: Made,
    /// All values of the path, if the answer is yes or no.
    pub gives: Option<Vec<Value>>,
}

/// The start of a plan.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanStart {
    /// An entity, and the place of its mention in the question, in bytes.
    Entity(NodeId, std::ops::Range<usize>),
    /// Several entities, whose values are compared.
    Several(Vec<NodeId>),
    /// The result of another plan.
    Found(Box<Planned>),
}

impl Planned {
    /// The number of entities that it starts from.
    pub fn starts(&self) -> usize {
        let own = match &self.start {
            PlanStart::Entity(..) => 1,
            PlanStart::Several(nodes) => nodes.len(),
            PlanStart::Found(inner) => inner.starts(),
        };
        own + self.met.iter().map(Self::starts).sum::<usize>()
    }

    /// The number of its steps, with those to its start; of paths that meet, that of the longest.
    pub fn all_steps(&self) -> usize {
        let before = if let PlanStart::Found(inner) = &self.start { inner.all_steps() } else { 0 };
        let met = self.met.iter().map(Self::all_steps).max().unwrap_or_default();
        (before + self.steps.len()).max(met)
    }

    /// Whether the question asks for values of several entities: of each, or those where their
    /// paths meet.
    pub fn is_of_several(&self) -> bool {
        let of_each = matches!(self.start, PlanStart::Several(_)) && self.made == Made::Values;
        of_each || !self.met.is_empty()
    }

    /// The entity of a path without an operation on its values, and its mention in the question;
    /// `None` if there is an operation.
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
