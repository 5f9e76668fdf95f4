//! Composition: the answer from the evidence, or from the model alone.

pub mod alone;
mod answer;
mod counts;
mod mend;
mod operands;
mod reason;
mod role;
mod ways;

pub use alone::{alone, from_own_knowledge, think, thinking};
pub use answer::{answer_from, why_not};
pub use operands::row_positions;
pub use reason::{Composed, compose, compose_about, compose_plain, compose_triples, compose_with};
pub use role::role_not_held;
pub use ways::{OfferedWay, WaysReply, compose_ways};
