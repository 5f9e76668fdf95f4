//! Composition: the answer from the evidence.

mod reason;
mod ways;

pub use reason::{Composed, compose, compose_plain, compose_with, row_positions};
pub use ways::{OfferedWay, WaysReply, compose_ways};
