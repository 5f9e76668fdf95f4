//! The limits of one question.

use std::time::Duration;

use quipu_model::Amount;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The limits on the cost of one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Most model calls.
    pub llm_calls: u32,
    /// Most wall-clock time; set by name in seconds.
    #[serde(rename = "seconds", with = "whole_seconds")]
    #[schemars(with = "u64")]
    pub time: Duration,
    /// Most tokens of all prompts and replies together.
    pub tokens: u64,
    /// Most tokens of evidence in one prompt.
    pub evidence_tokens: usize,
    /// Most money for the model's tokens, in the currency of the model's price.
    #[serde(skip)]
    pub cost: Option<Amount>,
}

impl Default for Limits {
    /// 60 calls (AnchorRAG's 50 and repairs), 5 minutes, any number of tokens at any cost, 3,000
    /// tokens of evidence in one prompt.
    fn default() -> Self {
        let time = Duration::from_secs(300);
        Self { llm_calls: 60, time, tokens: u64::MAX, evidence_tokens: 3000, cost: None }
    }
}

mod whole_seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(time.as_secs())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_secs)
    }
}
