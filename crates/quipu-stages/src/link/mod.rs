//! Linking: from the words of the question to the entities of the graph.

mod anchors;
mod given;
mod keywords;
pub mod linked;
mod mentioned;
mod values;
mod vectors;

pub use anchors::{
    anchors_for_names, detected, mask, masked, mentions, named, names_passed_over, shape_of, without,
};
pub use keywords::{candidates, keywords, merge};
pub use linked::{NOTHING_LINKED, close_anchors, linked, nodes};
pub use mentioned::{Anchor, Mentioned, apart};
pub use vectors::RelationVectors;
