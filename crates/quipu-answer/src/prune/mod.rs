//! Pruning: which relations bear on the question.

mod relations;

pub use relations::{Verdict, filter_by_model, filter_by_similarity, judge_scope, relevance, similarities};
