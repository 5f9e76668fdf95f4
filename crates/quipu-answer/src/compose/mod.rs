//! Composition: the answer from the evidence.

mod reason;

pub use reason::{Composed, compose, compose_plain, compose_with, row_positions};
