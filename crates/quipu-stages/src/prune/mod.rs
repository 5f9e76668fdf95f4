//! Pruning: keeps the relations and records that bear on the question.

mod choice;
mod neighbourhood;
mod records;
mod relations;

pub use choice::pick_numbers;
pub use neighbourhood::neighbourhood;
pub use records::trim_records;
pub use relations::{
    TOKENS_OF_A_NUMBER, Verdict, filter_by_model, filter_by_similarity, judge_scope, relevance, similarities,
};
