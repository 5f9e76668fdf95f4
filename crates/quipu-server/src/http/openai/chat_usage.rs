//! The tokens of a chat completion.

use quipu_answer::AnswerUsage;
use schemars::JsonSchema;
use serde::Serialize;

/// Tokens.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub(super) struct ChatUsage {
    /// Of all prompts.
    prompt_tokens: u64,
    /// Of all replies.
    completion_tokens: u64,
    /// Both.
    total_tokens: u64,
    /// Details on the prompts' tokens.
    prompt_tokens_details: PromptDetails,
}

/// Details on tokens of prompts.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
struct PromptDetails {
    /// Tokens that were computed for an earlier prompt.
    cached_tokens: u64,
}

impl From<&AnswerUsage> for ChatUsage {
    fn from(usage: &AnswerUsage) -> Self {
        let (prompt_tokens, completion_tokens) = (usage.prompt_tokens, usage.completion_tokens);
        Self {
            prompt_tokens,
            completion_tokens,
            total_tokens: prompt_tokens + completion_tokens,
            prompt_tokens_details: PromptDetails { cached_tokens: usage.reused_tokens },
        }
    }
}
