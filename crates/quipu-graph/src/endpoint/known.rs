//! Facts about nodes, kept after the first query.

use std::sync::Arc;

use crate::{Direction, NodeId, RelationUse, Step};

/// The facts that describe a node.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) name: String,
    pub(super) aliases: Vec<String>,
    pub(super) description: Option<String>,
    pub(super) types: Vec<NodeId>,
}

/// The relations of one node.
#[derive(Debug, Default)]
pub(super) struct NodeUses {
    /// Forward, then backward, each by relation id.
    pub(super) list: Vec<RelationUse>,
    /// Some triples were not counted, so the fan-outs are lower bounds.
    pub(super) bounded_forward: bool,
    pub(super) bounded_backward: bool,
}

impl NodeUses {
    pub(super) fn fan_out(&self, step: Step) -> Option<u64> {
        self.list.iter().find(|used| used.step == step).map(|used| used.fan_out)
    }

    pub(super) fn is_bounded(&self, step: Step) -> bool {
        match step.direction {
            Direction::Forward => self.bounded_forward,
            Direction::Backward => self.bounded_backward,
        }
    }
}

/// Neighbours that were fetched.
#[derive(Debug, Clone)]
pub(super) struct Known {
    /// In the order of nodes.
    pub(super) nodes: Arc<[NodeId]>,
    /// Whether the list is complete.
    pub(super) all: bool,
}

impl Known {
    pub(super) fn serves(&self, limit: usize) -> bool {
        self.all || self.nodes.len() >= limit
    }
}
