//! The language model's seam: chat, constrained chat, and scoring.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{ModelError, Price};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Instructions.
    System,
    /// The user (Quipu, on the user's behalf).
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub content: String,
}

impl Message {
    /// A system message.
    pub fn system(content: impl Into<String>) -> Self {
        Self { role: Role::System, content: content.into() }
    }
    /// A user message.
    pub fn user(content: impl Into<String>) -> Self {
        Self { role: Role::User, content: content.into() }
    }
    /// An assistant message (for examples).
    pub fn assistant(content: impl Into<String>) -> Self {
        Self { role: Role::Assistant, content: content.into() }
    }
}

/// A function that the model may call.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// What it gives and when to call it.
    pub description: String,
    /// JSON Schema of its arguments, an object.
    pub parameters: serde_json::Value,
}

/// What the reply must look like. A model without the ability is asked in words and its reply is parsed leniently.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Constraint {
    /// Free text.
    #[default]
    None,
    /// One of these texts, to the letter.
    Choice(Vec<String>),
    /// JSON that satisfies this JSON Schema.
    JsonSchema(serde_json::Value),
    /// Text that satisfies this grammar in GBNF (llama.cpp's notation); root rule `root`. Local models only.
    Grammar(String),
    /// One call of one of these functions. The reply's text is `{"tool": NAME, "arguments": {...}}`, whether it came by the
    /// endpoint's own function calling or as JSON that satisfies [`Constraint::schema`].
    Tools(Vec<Tool>),
}

impl Constraint {
    /// The schema of the JSON that satisfies the constraint; `None` where the reply is no JSON. A choice among texts has
    /// none: see each model for how it is asked for.
    pub fn schema(&self) -> Option<serde_json::Value> {
        match self {
            Self::JsonSchema(schema) => Some(schema.clone()),
            Self::Tools(tools) => Some(calls_schema(tools)),
            Self::None | Self::Choice(_) | Self::Grammar(_) => None,
        }
    }
}

fn calls_schema(tools: &[Tool]) -> serde_json::Value {
    let call = |tool: &Tool| {
        serde_json::json!({
            "type": "object",
            "properties": { "tool": { "const": tool.name }, "arguments": tool.parameters },
            "required": ["tool", "arguments"],
        })
    };
    serde_json::json!({ "anyOf": tools.iter().map(call).collect::<Vec<_>>() })
}

/// A chat request. Equal requests to one model are the same entry of the cache.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// Which stage asks, for usage and traces; not sent and not part of the cache key.
    pub stage: String,
    /// The conversation: instructions and examples first, what changes last, so that prefixes are reused.
    pub messages: Vec<Message>,
    /// What the reply must look like.
    pub constraint: Constraint,
    /// Most tokens of the reply.
    pub max_tokens: u32,
    /// 0 is greedy.
    pub temperature: f32,
    /// Seed for sampling at a temperature above 0.
    pub seed: u64,
    /// The reply ends before any of these texts.
    pub stop: Vec<String>,
    /// Whether the reply should say how likely it was ([`ChatReply::likelihood`]).
    #[serde(default)]
    pub likelihood: bool,
    /// Limit for the whole call with its retries; not part of the cache key.
    pub timeout: Duration,
}

impl ChatRequest {
    /// A greedy request of at most 512 tokens and 120 seconds.
    pub fn new(stage: impl Into<String>, messages: Vec<Message>) -> Self {
        Self {
            stage: stage.into(),
            messages,
            constraint: Constraint::None,
            max_tokens: 512,
            temperature: 0.0,
            seed: 0,
            stop: Vec::new(),
            likelihood: false,
            timeout: Duration::from_secs(120),
        }
    }

    /// Sets what the reply must look like.
    pub fn with_constraint(mut self, constraint: Constraint) -> Self {
        self.constraint = constraint;
        self
    }

    /// Sets the most tokens of the reply.
    pub fn with_max_tokens(mut self, max_tokens: u32) -> Self {
        self.max_tokens = max_tokens;
        self
    }
}

/// Why a reply ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model was done.
    Stop,
    /// The token limit cut it.
    Length,
}

/// What a call cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Usage {
    /// Calls to a model (0 when the cache answered, which counts in `cached_calls`).
    pub llm_calls: u32,
    /// Calls that the cache answered.
    pub cached_calls: u32,
    /// Tokens of the prompts.
    pub prompt_tokens: u64,
    /// Of these, tokens whose computation was reused from an earlier prompt's prefix.
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

/// A chat reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatReply {
    /// The text, without `<think>` blocks.
    pub text: String,
    /// What stood in `<think>` blocks.
    pub thinking: Option<String>,
    /// Why it ended.
    pub finish: FinishReason,
    /// What it cost.
    pub usage: Usage,
    /// How likely it was, where that was asked for and the model can tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likelihood: Option<Likelihood>,
}

/// How likely a reply was to the model that wrote it: natural logarithms of the probabilities of its tokens, before any temperature.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Likelihood {
    /// The mean over its tokens.
    pub mean: f64,
    /// That of the token that the model was least sure of.
    pub least: f64,
}

impl Likelihood {
    /// Of the tokens' logarithms; nothing of a reply without tokens.
    pub(crate) fn of(tokens: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (mut count, mut sum, mut least) = (0_u32, 0.0, 0.0_f64);
        for token in tokens {
            (count, sum, least) = (count + 1, sum + token, least.min(token));
        }
        (count > 0).then(|| Self { mean: sum / f64::from(count), least })
    }
}

/// Asks for the log-likelihood of continuations after one prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreRequest {
    /// Which stage asks; not part of the cache key.
    pub stage: String,
    /// The conversation before the continuation; the continuation opens the assistant's turn.
    pub messages: Vec<Message>,
    /// The texts to score.
    pub continuations: Vec<String>,
    /// Limit for the whole call; not part of the cache key.
    pub timeout: Duration,
}

/// Log-likelihoods of continuations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreReply {
    /// For each continuation, the sum of its tokens' natural-log probabilities and its number of tokens.
    pub scores: Vec<(f64, u32)>,
    /// What it cost (one call for the whole batch).
    pub usage: Usage,
}

/// What a model can do beyond free chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Abilities {
    /// Honours [`Constraint::JsonSchema`] and [`Constraint::Choice`] while decoding.
    pub constrained: bool,
    /// Honours [`Constraint::Grammar`].
    pub grammar: bool,
    /// Scores continuations.
    pub score: bool,
    /// Tokens that prompt and reply share.
    pub context_tokens: usize,
}

/// A language model. Calls may run concurrently; an implementation queues what it cannot run at once. Dropping the
/// future stops the generation.
#[async_trait::async_trait]
pub trait LanguageModel: Send + Sync {
    /// Name for people and reports: as in `models.toml`, or `openai:MODEL`.
    fn name(&self) -> &str;

    /// What it can do.
    fn abilities(&self) -> Abilities;

    /// What its tokens cost; `None` where that is not known.
    fn price(&self) -> Option<Price> {
        None
    }

    /// Number of tokens of a text: exact for local models, an upper estimate for endpoints.
    fn count_tokens(&self, text: &str) -> usize;

    /// Answers a conversation.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError>;

    /// Scores continuations; [`ModelError::Unsupported`] where `abilities().score` is false.
    async fn score(&self, request: &ScoreRequest) -> Result<ScoreReply, ModelError>;
}
