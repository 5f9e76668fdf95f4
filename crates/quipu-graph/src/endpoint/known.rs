//! What is known of nodes once they were asked for.

use std::sync::Arc;

use crate::{Direction, NodeId, RelationUse, Step};

/// What there is to show of a node.
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
    /// Not all triples were counted: the fan-outs are lower bounds.
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
    /// Whether these are all there are.
    pub(super) all: bool,
}

impl Known {
    pub(super) fn serves(&self, limit: usize) -> bool {
        self.all || self.nodes.len() >= limit
    }
}
