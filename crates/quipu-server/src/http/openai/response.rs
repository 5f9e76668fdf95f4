//! A response of OpenAI's API as data: the whole response, and the parts of its events.

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
    /// Its id; it is not stored.
    id: String,
    /// `response`.
    object: &'static str,
    /// Seconds since 1970.
    created_at: u64,
    /// Its progress.
    status: ResponseStatus,
    /// Why it failed.
    error: Option<ResponseError>,
    /// Null.
    incomplete_details: Option<()>,
    /// As in the request.
    instructions: Option<String>,
    /// Null.
    max_output_tokens: Option<()>,
    /// The requested model.
    model: String,
    /// One message; empty before it exists.
    output: Vec<Output>,
    /// False: there are no tools.
    parallel_tool_calls: bool,
    /// Null.
    previous_response_id: Option<()>,
    /// Empty.
    reasoning: Reasoning,
    /// False: nothing is stored.
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
    /// The cost; null before it is known.
    usage: Option<ResponseUsage>,
    /// Null.
    user: Option<()>,
    /// As in the request.
    metadata: BTreeMap<String, String>,
    /// Quipu's extension: evidence, citations and more; only in a completed response.
    #[serde(skip_serializing_if = "Option::is_none")]
    quipu: Option<std::sync::Arc<Told>>,
}

/// The progress of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum ResponseStatus {
    /// In progress.
    InProgress,
    /// Complete.
    Completed,
    /// Failed.
    Failed,
}

/// Why a response failed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct ResponseError {
    /// For programs.
    pub(super) code: &'static str,
    /// For people.
    pub(super) message: String,
}

/// Reasoning settings of other models.
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
    /// As in the request.
    format: TextFormat,
}

/// A message of the response.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(super) struct Output {
    /// `message`.
    pub(super) r#type: &'static str,
    /// Its id.
    pub(super) id: String,
    /// Its progress.
    pub(super) status: ResponseStatus,
    /// `assistant`.
    pub(super) role: &'static str,
    /// One part; empty before it exists.
    pub(super) content: Vec<OutputPart>,
}

/// A part of the message.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum OutputPart {
    /// The answer.
    OutputText {
        /// As Markdown with citations, or as JSON if `text.format` requests it.
        text: String,
        /// None.
        annotations: [(); 0],
        /// None.
        logprobs: [(); 0],
    },
    /// Why the answer does not fit the requested schema.
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
    /// Details on the prompts' tokens.
    input_tokens_details: InputDetails,
    /// Of all replies.
    output_tokens: u64,
    /// Details on the replies' tokens.
    output_tokens_details: OutputDetails,
    /// Both.
    total_tokens: u64,
}

/// Details on tokens of prompts.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
struct InputDetails {
    /// Tokens that were computed for an earlier prompt.
    cached_tokens: u64,
}

/// Details on tokens of replies.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
struct OutputDetails {
    /// 0: they are not counted separately.
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
    /// The response in progress.
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

    /// The failed response.
    pub(super) fn failed(&self, error: ResponseError) -> Self {
        Self { status: ResponseStatus::Failed, error: Some(error), ..self.clone() }
    }
}

/// A complete message.
pub(super) fn message(id: String, part: OutputPart) -> Output {
    Output {
        r#type: "message",
        id,
        status: ResponseStatus::Completed,
        role: "assistant",
        content: vec![part],
    }
}
