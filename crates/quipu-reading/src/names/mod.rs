//! Names: in parts, made up, unknown to the graph, or of things that stand in for others.

pub(crate) mod common_nouns;
pub(crate) mod honours;
pub(crate) mod invented;
pub(crate) mod made_up;
pub(crate) mod stand_ins;
pub(crate) mod unknown;
pub(crate) mod whole_names;
