//! Composition: the answer from the evidence.

mod reason;

pub use reason::{Composed, compose, compose_plain, row_positions};
