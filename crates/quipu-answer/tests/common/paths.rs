//! Whole-path planning as tests ask it.

use quipu_answer::{AskOptions, Method};

/// Whole paths alone: what these tests are about.
pub fn by_paths() -> AskOptions {
    AskOptions { method: Method::Paths, ..AskOptions::default() }
}
