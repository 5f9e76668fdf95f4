//! Relations between things: their ends, roles, steps, relatives, parts and hierarchies.

pub(crate) mod columns_left_out;
pub(crate) mod directions;
pub(crate) mod heads;
pub(crate) mod hierarchies;
pub(crate) mod inherited;
pub(crate) mod moved;
pub(crate) mod named_kinds;
pub(crate) mod parts;
pub(crate) mod reached;
pub(crate) mod relatives;
pub(crate) mod roles;
pub(crate) mod verbs;
