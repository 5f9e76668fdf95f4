//! Measuring methods on question sets: every question counts, a failure is a zero that is listed.

mod dataset;
mod error;
mod metrics;
mod report;
mod runner;

pub use dataset::{GoldQuestion, read_questions};
pub use error::EvalError;
pub use metrics::{Score, score};
pub use report::{Summary, summarise, to_markdown};
pub use runner::{Row, RunConfig, run};
