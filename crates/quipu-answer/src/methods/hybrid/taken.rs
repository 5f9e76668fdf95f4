//! The router's choice in one round, in the form that the trace, the commentator and experiences
//! use.

use quipu_graph::NodeId;
use quipu_stages::answer::Refinement;

/// An entity that an action starts from.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Start {
    pub(super) name: String,
    /// The senses of its name.
    pub(super) anchors: Vec<NodeId>,
    /// The relations followed from it.
    pub(super) relations: Vec<String>,
    /// The entities that they lead to, sorted.
    pub(super) ends: Vec<NodeId>,
}

/// The router's choice.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Taken {
    /// Whether the text module was chosen.
    pub(super) is_text: bool,
    pub(super) starts: Vec<Start>,
    /// All relations, each once.
    pub(super) relations: Vec<String>,
    /// The entities that satisfy all requirements, sorted.
    pub(super) ends: Vec<NodeId>,
}

impl Taken {
    pub(super) fn module(&self) -> &'static str {
        if self.is_text { "text" } else { "hybrid" }
    }

    pub(super) fn entities(&self) -> Vec<String> {
        self.starts.iter().map(|start| start.name.clone()).collect()
    }

    /// For the trace; `reading` is each start's condition in words, if there are any.
    pub(super) fn described(&self, reading: Vec<String>) -> Refinement {
        Refinement::Routed {
            module: self.module().into(),
            entities: self.entities(),
            relations: self.starts.iter().map(|start| start.relations.join(", ")).collect(),
            reading,
        }
    }
}
