//! The interface of language models: chat, constrained chat, and scoring.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{ModelError, Price, Usage};

/// The author of a message.
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
    /// The author.
    pub role: Role,
    /// The text.
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
    /// Its result and its purpose.
    pub description: String,
    /// JSON Schema of its arguments, an object.
    pub parameters: serde_json::Value,
}

/// The required form of a reply. A model without the ability gets it in words, and its reply is
/// parsed leniently.
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
    /// Text that satisfies this grammar in GBNF (llama.cpp's notation); root rule `root`. Local
    /// models only.
    Grammar(String),
    /// One call of one of these functions. The reply's text is `{"tool": NAME, "arguments":
    /// {...}}`, whether it came through the endpoint's function calling or as JSON that satisfies
    /// [`Constraint::schema`].
    Tools(Vec<Tool>),
}

impl Constraint {
    /// The JSON schema of the constraint; `None` if the reply is not JSON. A choice among texts has
    /// none: each model implements it in its own way.
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

/// A chat request. Equal requests to one model share a cache entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The stage of the request, for usage and traces; not sent and not part of the cache key.
    pub stage: String,
    /// The conversation: instructions and examples first, variable parts last, so that prefixes are
    /// reused.
    pub messages: Vec<Message>,
    /// How many messages behind the instructions are worked examples. A model tuned for the stage
    /// does not get them. No part of the cache key.
    #[serde(default)]
    pub worked: usize,
    /// Whether other requests will begin with all messages but the last: a local model that keeps
    /// its instructions stores what it computed for them at once. No part of the cache key.
    #[serde(default)]
    pub lasting: bool,
    /// The ISO 639 code of the question's language, if the stage is tuned for some languages only:
    /// a model tuned for others answers without its adapter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The required form of the reply.
    pub constraint: Constraint,
    /// Most tokens of the reply.
    pub max_tokens: u32,
    /// 0 is greedy.
    pub temperature: f32,
    /// Seed for sampling at a temperature above 0.
    pub seed: u64,
    /// The reply ends before any of these texts.
    pub stop: Vec<String>,
    /// Whether to report the reply's likelihood ([`ChatReply::likelihood`]).
    #[serde(default)]
    pub likelihood: bool,
    /// The other replies that are wanted, if the likeliest one is known
    /// ([`ChatReply::alternatives`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alternatives: Option<Alternatives>,
    /// Limit for the whole call with its retries; not part of the cache key.
    pub timeout: Duration,
}

/// A wish for other replies than a known one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alternatives {
    /// The known reply.
    pub to: String,
    /// Most other replies.
    pub count: u32,
}

impl ChatRequest {
    /// A greedy request of at most 512 tokens and 120 seconds.
    pub fn new(stage: impl Into<String>, messages: Vec<Message>) -> Self {
        Self {
            stage: stage.into(),
            messages,
            worked: 0,
            lasting: false,
            language: None,
            constraint: Constraint::None,
            max_tokens: 512,
            temperature: 0.0,
            seed: 0,
            stop: Vec::new(),
            likelihood: false,
            alternatives: None,
            timeout: Duration::from_secs(120),
        }
    }

    /// The conversation as a model tuned for the stage gets it: without the worked examples.
    pub fn messages_for_tuned(&self) -> Vec<Message> {
        let instructions = self.messages.iter().take_while(|message| message.role == Role::System).count();
        let (before, after) = self.messages.split_at(instructions);
        before.iter().chain(after.iter().skip(self.worked)).cloned().collect()
    }

    /// Sets the required form of the reply.
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

/// The reason for a reply's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model finished.
    #[default]
    Stop,
    /// The token limit cut it.
    Length,
}

/// A chat reply.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ChatReply {
    /// The text, without `<think>` blocks.
    pub text: String,
    /// The text in `<think>` blocks.
    pub thinking: Option<String>,
    /// The reason for its end.
    pub finish: FinishReason,
    /// Its cost.
    pub usage: Usage,
    /// Its likelihood, if requested and known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likelihood: Option<Likelihood>,
    /// The other replies, if the request wants [`Alternatives`], the likeliest first; `text` is
    /// then empty. A local model departs from the known reply where it was least sure; an endpoint
    /// takes samples at the request's temperature, which may repeat the known reply. A reply that
    /// was cut at its limit is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<Alternative>,
}

impl ChatReply {
    /// The reply of a model that writes one reply only, as the only alternative if the request
    /// wants some. A reply that was cut at its limit is none.
    pub(crate) fn answering(mut self, request: &ChatRequest) -> Self {
        if request.alternatives.is_some() {
            let (text, likelihood) = (std::mem::take(&mut self.text), self.likelihood.take());
            if self.finish != FinishReason::Length {
                self.alternatives.push(Alternative { text, likelihood });
            }
        }
        self
    }
}

/// Another reply than the known one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// The text, without `<think>` blocks.
    pub text: String,
    /// Its likelihood, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likelihood: Option<Likelihood>,
}

/// The likelihood of a reply to its model: natural logarithms of its tokens' probabilities, before
/// any temperature.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Likelihood {
    /// The mean over its tokens.
    pub mean: f64,
    /// The least over its tokens.
    pub least: f64,
}

impl Likelihood {
    /// From the tokens' logarithms; `None` for a reply without tokens, and for logarithms whose sum
    /// is no number.
    pub(crate) fn of(tokens: impl IntoIterator<Item = f64>) -> Option<Self> {
        let (mut count, mut sum, mut least) = (0_u32, 0.0, 0.0_f64);
        for token in tokens {
            (count, sum, least) = (count + 1, sum + token, least.min(token));
        }
        (count > 0 && f64::is_finite(sum)).then(|| Self { mean: sum / f64::from(count), least })
    }
}

/// A request for the log-likelihoods of continuations after one prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScoreRequest {
    /// The stage of the request; not part of the cache key.
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
    /// For each continuation, the sum of its tokens' natural-log probabilities and its number of
    /// tokens.
    pub scores: Vec<(f64, u32)>,
    /// Its cost (one call for the whole batch).
    pub usage: Usage,
}

/// The abilities of a model beyond free chat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Abilities {
    /// Honours [`Constraint::JsonSchema`] and [`Constraint::Choice`] while decoding.
    pub constrained: bool,
    /// Honours [`Constraint::Grammar`].
    pub grammar: bool,
    /// Scores continuations.
    pub score: bool,
    /// Tokens for prompt and reply together.
    pub context_tokens: usize,
}

/// A language model. Calls may run concurrently; an implementation queues those beyond its
/// capacity. Dropping the future stops the generation.
#[async_trait::async_trait]
pub trait LanguageModel: Send + Sync {
    /// Name for people and reports: as in `models.toml`, or `openai:MODEL`.
    fn name(&self) -> &str;

    /// Its abilities.
    fn abilities(&self) -> Abilities;

    /// The price of its tokens; `None` if unknown.
    fn price(&self) -> Option<Price> {
        None
    }

    /// Number of tokens of a text: exact for local models, an upper estimate for endpoints.
    fn count_tokens(&self, text: &str) -> usize;

    /// Answers a conversation.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError>;

    /// Scores continuations; [`ModelError::Unsupported`] if `abilities().score` is false.
    async fn score(&self, request: &ScoreRequest) -> Result<ScoreReply, ModelError>;
}
