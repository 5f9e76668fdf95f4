//! The answer: what is said, how sure it is, what it rests on and what it cost.

use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;
use crate::trace::TimedEvent;

/// How a question ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// There is an answer.
    Answered,
    /// The evidence holds no answer: "I don't know".
    Abstained,
    /// The question rests on something that is not so.
    InvalidQuestion,
}

/// What a question cost, in all and by stage.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct AnswerUsage {
    /// Model calls (those that the cache answered are not among them).
    pub llm_calls: u32,
    /// Calls that the cache answered.
    pub cached_calls: u32,
    /// Tokens of all prompts.
    pub prompt_tokens: u64,
    /// Of these, tokens reused from an earlier prompt's prefix.
    pub reused_tokens: u64,
    /// Tokens of all replies.
    pub completion_tokens: u64,
    /// Wall-clock seconds from question to answer.
    pub seconds: f64,
    /// The same by stage, in the order of the stages' first work.
    pub by_stage: Vec<StageUsage>,
}

/// What one stage cost.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct StageUsage {
    /// Name of the stage: `link`, `plan`, `retrieve`, ...
    pub stage: String,
    /// Model calls.
    pub llm_calls: u32,
    /// Calls that the cache answered.
    #[serde(default)]
    pub cached_calls: u32,
    /// Tokens of the prompts.
    pub prompt_tokens: u64,
    /// Tokens of the replies.
    pub completion_tokens: u64,
    /// Wall-clock seconds, the model's included.
    pub seconds: f64,
    /// Of these, seconds spent waiting for the language model and the embedder.
    pub model_seconds: f64,
}

/// An entity with its place in a ranking.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RankedEntity {
    /// Its key.
    pub key: String,
    /// Its name.
    pub name: String,
    /// What it was ranked by, higher is better; comparable within one ranking.
    pub score: f64,
    /// How the question's entities lead to it, in words: `Baltic League → member → Visby`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The question as asked.
    pub question: String,
    /// How it ended.
    pub status: Status,
    /// The answer in words; "I don't know" and the like when there is none.
    pub answer: String,
    /// The bare values, best first; empty unless answered.
    pub answers: Vec<String>,
    /// Whether every value was found in the evidence, by code.
    pub grounded: bool,
    /// From 0 to 1: the method's own estimate that the answer is right.
    pub confidence: f64,
    /// Name of the method.
    pub method: String,
    /// Name of the language model; `none` when no model was asked.
    pub llm: String,
    /// The entities that may be the answer, best first, of methods that rank entities by their documents.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranked: Vec<RankedEntity>,
    /// What the answer rests on.
    pub evidence: Vec<Evidence>,
    /// Ids of the evidence that holds the answer's values.
    pub citations: Vec<String>,
    /// What it cost.
    pub usage: AnswerUsage,
    /// Why there is no answer, when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What happened on the way, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<TimedEvent>>,
}
