//! Linking: the words of the question to the entities of the graph.

mod anchors;
mod given;
mod grounding;
mod keywords;
mod values;

pub(crate) use anchors::apart;
pub use anchors::{
    Anchor, Mentioned, anchors_for_names, detected, mask, mentions, named, names_passed_over, shape_of,
    without,
};
pub use grounding::{RelationVectors, relation_scores};
pub use keywords::{keywords, merge};
