//! The cost of calls to a model, in tokens and time.

use serde::{Deserialize, Serialize};

/// The cost of calls.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Usage {
    /// Calls to a model. Calls answered by the cache count in `cached_calls`.
    pub llm_calls: u32,
    /// Calls that the cache answered.
    pub cached_calls: u32,
    /// Tokens of the prompts.
    pub prompt_tokens: u64,
    /// Prompt tokens whose computation was reused from an earlier prompt's prefix.
    pub reused_tokens: u64,
    /// Tokens of the replies.
    pub completion_tokens: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.llm_calls += other.llm_calls;
        self.cached_calls += other.cached_calls;
        self.prompt_tokens += other.prompt_tokens;
        self.reused_tokens += other.reused_tokens;
        self.completion_tokens += other.completion_tokens;
        self.seconds += other.seconds;
    }
}
