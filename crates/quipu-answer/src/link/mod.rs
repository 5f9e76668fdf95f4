//! Linking: the words of the question to the entities of the graph.

mod anchors;
mod given;
mod values;

pub use anchors::{Anchor, Mentioned, anchors_for_names, mask, mentions, without};
