//! Composition: the answer from the evidence, or from the model alone.

mod alone;
mod answer;
mod operands;
mod reason;
mod ways;

pub(crate) use alone::{alone, from_own_knowledge, think, thinking};
pub(crate) use answer::{answer_from, why_not};
pub use operands::row_positions;
pub(crate) use reason::compose_about;
pub use reason::{Composed, compose, compose_plain, compose_triples, compose_with};
pub use ways::{OfferedWay, WaysReply, compose_ways};
