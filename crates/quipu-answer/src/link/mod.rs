//! Linking: the words of the question to the entities of the graph.

mod anchors;

pub use anchors::{Anchor, Mentioned, anchors_for_names, mask, mentions, without};
