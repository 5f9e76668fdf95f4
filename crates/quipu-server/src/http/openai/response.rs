//! A response of OpenAI's API as data: what is given whole, and what its events are made of.

use std::collections::BTreeMap;

use quipu_answer::AnswerUsage;
use schemars::JsonSchema;
use serde::Serialize;

use super::extension::Told;
use super::formats::{Said, TextFormat};
use super::{new_id, now};
use crate::app::Reply;

/// A response.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Response {
    /// Its id; nothing is kept under it.
    id: String,
    /// `response`.
    object: &'static str,
    /// Seconds since 1970.
    created_at: u64,
    /// How far it is.
    status: ResponseStatus,
    /// Why there is none.
    error: Option<ResponseError>,
    /// Null.
    incomplete_details: Option<()>,
    /// As asked.
    instructions: Option<String>,
    /// Null.
    max_output_tokens: Option<()>,
    /// The model that was asked for.
    model: String,
    /// One message; none before it is there.
    output: Vec<Output>,
    /// False: there are no tools.
    parallel_tool_calls: bool,
    /// Null.
    previous_response_id: Option<()>,
    /// Empty.
    reasoning: Reasoning,
    /// False: nothing is kept.
    store: bool,
    /// Null: nothing is sampled.
    temperature: Option<()>,
    /// The form of the text.
    text: FormOfText,
    /// `none`.
    tool_choice: &'static str,
    /// None.
    tools: [(); 0],
    /// Null: nothing is sampled.
    top_p: Option<()>,
    /// `disabled`.
    truncation: &'static str,
    /// What it cost; null before that is known.
    usage: Option<ResponseUsage>,
    /// Null.
    user: Option<()>,
    /// As asked.
    metadata: BTreeMap<String, String>,
    /// Evidence, citations and the like; only of a completed response.
    #[serde(skip_serializing_if = "Option::is_none")]
    quipu: Option<std::sync::Arc<Told>>,
}

/// How far a response is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ResponseStatus {
    /// It is worked on.
    InProgress,
    /// It is whole.
    Completed,
    /// There is none.
    Failed,
}

/// Why there is no response.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct ResponseError {
    /// For programs.
    pub(super) code: &'static str,
    /// For people.
    pub(super) message: String,
}

/// What other models tell of their reasoning.
#[derive(Debug, Clone, Copy, Default, Serialize, JsonSchema)]
struct Reasoning {
    /// Null.
    effort: Option<()>,
    /// Null.
    summary: Option<()>,
}

/// The form of the text.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct FormOfText {
    /// As asked.
    format: TextFormat,
}

/// A message of the response.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Output {
    /// `message`.
    pub(super) r#type: &'static str,
    /// Its id.
    pub(super) id: String,
    /// How far it is.
    pub(super) status: ResponseStatus,
    /// `assistant`.
    pub(super) role: &'static str,
    /// One part; none before it is there.
    pub(super) content: Vec<OutputPart>,
}

/// A part of the message.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum OutputPart {
    /// The answer.
    OutputText {
        /// As Markdown with citations, or as JSON where `text.format` asks for that.
        text: String,
        /// None.
        annotations: [(); 0],
        /// None.
        logprobs: [(); 0],
    },
    /// Why the answer does not fit the schema that was asked for.
    Refusal {
        /// The reason.
        refusal: String,
    },
}

impl OutputPart {
    pub(super) fn text(text: String) -> Self {
        Self::OutputText { text, annotations: [], logprobs: [] }
    }
}

impl From<Said> for OutputPart {
    fn from(said: Said) -> Self {
        match said {
            Said::Text(text) => Self::text(text),
            Said::Refusal(refusal) => Self::Refusal { refusal },
        }
    }
}

/// Tokens.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub(super) struct ResponseUsage {
    /// Of all prompts.
    input_tokens: u64,
    /// Of these, those reused.
    input_tokens_details: InputDetails,
    /// Of all replies.
    output_tokens: u64,
    /// Of these, those that were thought and not said.
    output_tokens_details: OutputDetails,
    /// Both.
    total_tokens: u64,
}

/// Tokens of prompts, more closely.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
struct InputDetails {
    /// Those that were computed for an earlier prompt.
    cached_tokens: u64,
}

/// Tokens of replies, more closely.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
struct OutputDetails {
    /// 0: they are not counted apart.
    reasoning_tokens: u64,
}

impl From<&AnswerUsage> for ResponseUsage {
    fn from(usage: &AnswerUsage) -> Self {
        Self {
            input_tokens: usage.prompt_tokens,
            input_tokens_details: InputDetails { cached_tokens: usage.reused_tokens },
            output_tokens: usage.completion_tokens,
            output_tokens_details: OutputDetails { reasoning_tokens: 0 },
            total_tokens: usage.prompt_tokens + usage.completion_tokens,
        }
    }
}

impl Response {
    /// The response while it is worked on.
    pub(super) fn begun(
        model: String,
        instructions: Option<String>,
        format: TextFormat,
        metadata: BTreeMap<String, String>,
    ) -> Self {
        Self {
            id: new_id("resp_"),
            object: "response",
            created_at: now(),
            status: ResponseStatus::InProgress,
            error: None,
            incomplete_details: None,
            instructions,
            max_output_tokens: None,
            model,
            output: Vec::new(),
            parallel_tool_calls: false,
            previous_response_id: None,
            reasoning: Reasoning::default(),
            store: false,
            temperature: None,
            text: FormOfText { format },
            tool_choice: "none",
            tools: [],
            top_p: None,
            truncation: "disabled",
            usage: None,
            user: None,
            metadata,
            quipu: None,
        }
    }

    /// The completed response.
    pub(super) fn completed(&self, output: Output, reply: Reply) -> Self {
        Self {
            status: ResponseStatus::Completed,
            output: vec![output],
            usage: Some(ResponseUsage::from(&reply.answer.usage)),
            quipu: Some(std::sync::Arc::new(Told::from(reply))),
            ..self.clone()
        }
    }

    /// The response that could not be given.
    pub(super) fn failed(&self, error: ResponseError) -> Self {
        Self { status: ResponseStatus::Failed, error: Some(error), ..self.clone() }
    }
}

/// A message that is whole.
pub(super) fn message(id: String, part: OutputPart) -> Output {
    Output {
        r#type: "message",
        id,
        status: ResponseStatus::Completed,
        role: "assistant",
        content: vec![part],
    }
}
