//! Pruning: which relations bear on the question.

mod choice;
mod relations;

pub use choice::pick_numbers;
pub use relations::{Verdict, filter_by_model, filter_by_similarity, judge_scope, relevance, similarities};
