//! Composition: the answer from the evidence, or from the model alone.

mod alone;
mod answer;
mod reason;
mod ways;

pub(crate) use alone::{alone, from_own_knowledge, think, thinking};
pub(crate) use answer::{answer_from, why_not};
pub use reason::{Composed, compose, compose_plain, compose_with, row_positions};
pub use ways::{OfferedWay, WaysReply, compose_ways};
