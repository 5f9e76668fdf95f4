//! Options of whole-path planning in tests.

use quipu_answer::{AskOptions, Method};

/// Whole paths alone, the subject of these tests.
pub fn by_paths() -> AskOptions {
    AskOptions { method: Method::Paths, ..AskOptions::default() }
}
