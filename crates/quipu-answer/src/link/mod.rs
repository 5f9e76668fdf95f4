//! Linking: the words of the question to the entities of the graph.

mod anchors;
mod given;
mod keywords;
mod linked;
mod values;
mod vectors;

pub use anchors::{
    Anchor, Mentioned, anchors_for_names, detected, mask, mentions, named, names_passed_over, shape_of,
    without,
};
pub(crate) use anchors::{apart, masked};

pub use keywords::{keywords, merge};
pub(crate) use linked::{NOTHING_LINKED, close_anchors, linked, nodes};
pub use vectors::RelationVectors;
