//! Linking: from the words of the question to the entities of the graph.

mod anchors;
mod given;
mod keywords;
mod linked;
mod mentioned;
mod values;
mod vectors;

pub(crate) use anchors::masked;
pub use anchors::{anchors_for_names, detected, mask, mentions, named, names_passed_over, shape_of, without};
pub(crate) use keywords::candidates;
pub use keywords::{keywords, merge};
pub(crate) use linked::{NOTHING_LINKED, close_anchors, linked, nodes};
pub(crate) use mentioned::apart;
pub use mentioned::{Anchor, Mentioned};
pub use vectors::RelationVectors;
