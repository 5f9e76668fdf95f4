//! The limits of one question.

use std::time::Duration;

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
}

impl Default for Limits {
    /// 16 calls (Think-on-Graph's 14 and two repairs), 5 minutes, any number of tokens, 3,000 tokens of evidence in one prompt.
    fn default() -> Self {
        Self { llm_calls: 16, time: Duration::from_secs(300), tokens: u64::MAX, evidence_tokens: 3000 }
    }
}
