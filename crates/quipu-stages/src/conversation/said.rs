//! Data passed from turn to turn: the entities named so far, and a message restated so that it
//! stands alone.

use std::ops::Range;

use quipu_graph::{NodeId, NodeSummary};

use crate::answer::Bound;

/// The result of reading a message by code.
pub(super) enum ByCode {
    /// It does not depend on earlier turns.
    Alone,
    /// It is restated.
    Said(Said),
    /// It depends on earlier turns in a way that code does not understand: by this word, or
    /// silently.
    Unclear(Option<String>),
}

/// A message that stands alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) bound: Vec<Bound>,
}

/// An entity that an earlier turn named or answered.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Thing {
    /// The entity and its key; `None` for a name without an entity in the graph.
    pub(super) entity: Option<(NodeId, String)>,
    pub(super) name: String,
    pub(super) types: Vec<NodeId>,
}

impl Thing {
    pub(super) fn without_entity(name: &str) -> Self {
        Self { entity: None, name: name.to_owned(), types: Vec::new() }
    }

    pub(super) fn node(&self) -> Option<NodeId> {
        self.entity.as_ref().map(|(node, _)| *node)
    }

    /// The entity, bound to its place in a text.
    pub(super) fn bound(&self, span: Range<usize>) -> Option<Bound> {
        let (_, key) = self.entity.as_ref()?;
        Some(Bound { key: key.clone(), name: self.name.clone(), span })
    }
}

impl From<NodeSummary> for Thing {
    fn from(node: NodeSummary) -> Self {
        Self { entity: Some((node.node, node.key)), name: node.name, types: node.types }
    }
}
