//! The limits of one question.

use std::time::Duration;

use quipu_model::Amount;

/// What one question may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most model calls.
    pub llm_calls: u32,
    /// Most wall-clock time.
    pub time: Duration,
    /// Most tokens of all prompts and replies together.
    pub tokens: u64,
    /// Most tokens of evidence in one prompt.
    pub evidence_tokens: usize,
    /// Most that the model's tokens may cost, in the currency of the model's price.
    pub cost: Option<Amount>,
}

impl Default for Limits {
    /// 16 calls (Think-on-Graph's 14 and two repairs), 5 minutes, any number of tokens at any cost, 3,000 tokens of evidence in one prompt.
    fn default() -> Self {
        let time = Duration::from_secs(300);
        Self { llm_calls: 16, time, tokens: u64::MAX, evidence_tokens: 3000, cost: None }
    }
}
