//! What is handed on from message to message: things that were named, and a message as it stands alone.

use std::ops::Range;

use quipu_graph::{NodeId, NodeSummary};

use crate::answer::Bound;

/// What code makes of a message.
pub(super) enum ByCode {
    /// It leans on nothing.
    Alone,
    /// It is said so.
    Said(Said),
    /// It leans on what was said, and code does not see how: by this word, or in silence.
    Unclear(Option<String>),
}

/// A message that stands alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) bound: Vec<Bound>,
}

/// A thing that was named or answered before.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Thing {
    /// The entity and its key; none of a name that the graph has no entity for.
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

    /// The thing where a text names it.
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
