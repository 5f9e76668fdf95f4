//! OpenAI's responses.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::routing::post;
use quipu_answer::AnswerUsage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::extension::{Extension, Told};
use super::formats::{AnswerObject, Said, TextFormat, Wanted};
use super::messages::{Content, Message, question};
use super::refused::{refuse, refuse_tools, refuse_value, says};
use super::responses_stream::{ResponseEvent, Typed};
use super::{new_id, now};
use crate::access::Client;
use crate::app::{App, Reply};
use crate::error::{ApiError, Kind};
use crate::http::extract::{Json, object};
use crate::http::operations::{Operations, events_of};
use crate::http::{Answered, stream};
use crate::reply::ok;

pub(super) fn operations(operations: &mut Operations) {
    let (body, whole) = (operations.schema::<ResponseRequest>(), operations.schema::<Response>());
    let events = events_of(&[operations.schema::<ResponseEvent>()], None, "Each is named by its `type`.");
    // What the text is in the form `json_object`.
    operations.schema::<AnswerObject>();
    let respond = Operations::describe("post", "/v1/responses", "OpenAI", "Answer the last message of the input")
        .details(
            "As OpenAI's responses. Nothing is kept: earlier messages stand in `input`, and `previous_response_id` is refused. \
             Parameters of sampling are taken and not used; tools and the like are refused by name. The field `quipu` of request and \
             response holds what OpenAI's API has no place for.",
        )
        .body(&[("application/json", body)])
        .example(json!({
            "model": "quipu",
            "input": "What is the capital of Peru?",
            "text": { "format": { "type": "json_schema", "name": "capital", "schema": {
                "type": "object", "properties": { "capital": { "type": "string" } }, "required": ["capital"] } } },
        }))
        .replies(
            "The answer, whole or as server-sent events",
            &[("application/json", whole), ("text/event-stream", events)],
        );
    operations.add(respond, Some(post(create)));
}

/// A response that is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "parameters of sampling are taken, for clients send them, and not used")]
struct ResponseRequest {
    /// `quipu`, `quipu/METHOD`, `WORKSPACE` or `WORKSPACE/METHOD`, as `/v1/models` lists them.
    model: String,
    /// The question, or messages of which the last is the question.
    input: Input,
    /// What holds for the whole conversation, as a system message says it.
    #[serde(default)]
    instructions: Option<String>,
    /// Whether the answer comes as server-sent events.
    #[serde(default)]
    stream: Option<bool>,
    /// How it comes then.
    #[serde(default, deserialize_with = "object")]
    stream_options: Option<StreamOptions>,
    /// The form of the answer's text.
    #[serde(default, deserialize_with = "object")]
    text: Option<TextOptions>,
    /// Given back.
    #[serde(default)]
    metadata: Option<BTreeMap<String, String>>,
    /// What OpenAI's API has no place for.
    #[serde(default, deserialize_with = "object")]
    quipu: Option<Extension>,

    /// Refused: nothing is kept. Send earlier messages in `input`.
    #[serde(default)]
    previous_response_id: Option<String>,
    /// Refused: nothing is kept. Send earlier messages in `input`.
    #[serde(default)]
    conversation: Option<Value>,
    /// Refused unless false: nothing is kept.
    #[serde(default)]
    background: Option<bool>,
    /// Refused: no prompts are kept.
    #[serde(default)]
    prompt: Option<Value>,
    /// Refused where there is one.
    #[serde(default)]
    #[schemars(length(max = 0))]
    tools: Option<Vec<Value>>,
    /// Refused unless `none` or `auto`.
    #[serde(default)]
    tool_choice: Option<Value>,
    /// Refused unless 0: an answer's words are not sampled.
    #[serde(default)]
    #[schemars(range(min = 0, max = 0))]
    top_logprobs: Option<i64>,
    /// What of other kinds of output shall be told; `message.output_text.logprobs` is refused, and the rest is not used.
    #[serde(default)]
    include: Option<Vec<String>>,

    /// Not used.
    #[serde(default)]
    temperature: Option<f64>,
    /// Not used.
    #[serde(default)]
    top_p: Option<f64>,
    /// Not used: the length of one text; `quipu.max_tokens` limits the whole question.
    #[serde(default)]
    max_output_tokens: Option<i64>,
    /// Not used: there are no tools.
    #[serde(default)]
    max_tool_calls: Option<i64>,
    /// Not used: there are no tools.
    #[serde(default)]
    parallel_tool_calls: Option<bool>,
    /// Not used.
    #[serde(default)]
    reasoning: Option<Value>,
    /// Not used: nothing is kept.
    #[serde(default)]
    store: Option<bool>,
    /// Not used.
    #[serde(default)]
    truncation: Option<String>,
    /// Not used.
    #[serde(default)]
    user: Option<String>,
    /// Not used.
    #[serde(default)]
    safety_identifier: Option<String>,
    /// Not used.
    #[serde(default)]
    prompt_cache_key: Option<String>,
    /// Not used.
    #[serde(default)]
    prompt_cache_retention: Option<String>,
    /// Not used.
    #[serde(default)]
    service_tier: Option<String>,
}

/// The question, or messages of which the last is the question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Input {
    /// The question.
    Text(String),
    /// Messages.
    Items(Vec<Item>),
}

/// A message, as a client writes it or as an earlier response has it.
#[derive(Debug, Deserialize, JsonSchema)]
struct Item {
    /// `message`; `reasoning` is passed over, and all else is refused.
    #[serde(default)]
    r#type: Option<String>,
    /// `system`, `developer`, `user` or `assistant`.
    #[serde(default)]
    role: Option<String>,
    /// What was said.
    #[serde(default)]
    content: Option<Content>,
}

/// How a stream comes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "taken and not used")]
struct StreamOptions {
    /// Not used.
    #[serde(default)]
    include_obfuscation: Option<bool>,
}

/// The form of the answer's text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "`verbosity` is taken and not used")]
struct TextOptions {
    /// The form.
    #[serde(default)]
    format: Option<TextFormat>,
    /// Not used.
    #[serde(default)]
    verbosity: Option<String>,
}

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

impl ResponseRequest {
    /// # Errors
    /// A parameter that asks for what is not here, by name.
    fn check(&self) -> Result<(), ApiError> {
        let kept = "nothing is kept between requests. Send the earlier messages in `input`";
        refuse("previous_response_id", self.previous_response_id.is_some(), kept)?;
        refuse("conversation", says(self.conversation.as_ref()), kept)?;
        let waits = "nothing is kept between requests. Leave it out, and take the answer as it comes";
        refuse("background", self.background == Some(true), waits)?;
        refuse("prompt", says(self.prompt.as_ref()), "no prompts are kept here. Leave it out")?;
        refuse_tools(self.tools.as_deref().unwrap_or_default(), self.tool_choice.as_ref())?;
        let likelihoods = "an answer's words are made by code, not sampled. Leave it out";
        refuse("top_logprobs", self.top_logprobs.is_some_and(|number| number != 0), likelihoods)?;
        let asked = self.include.iter().flatten().any(|name| name == "message.output_text.logprobs");
        refuse_value("include", asked, likelihoods)
    }
}

impl Input {
    fn into_messages(self) -> Result<Vec<Message>, ApiError> {
        let items = match self {
            Self::Text(text) => {
                return Ok(vec![Message { role: "user".into(), content: Some(Content::Text(text)) }]);
            }
            Self::Items(items) => items,
        };
        let mut messages = Vec::new();
        for Item { r#type, role, content } in items {
            match (r#type.as_deref().unwrap_or("message"), role) {
                ("message", Some(role)) => messages.push(Message { role, content }),
                ("reasoning", _) => {}
                ("message", None) => {
                    return Err(ApiError::invalid("input: a message has no `role`").about("input"));
                }
                (other, _) => {
                    let message = format!("input: an item of type {other:?} cannot be read; send messages");
                    return Err(ApiError::new(Kind::Invalid, "unsupported_value", message).about("input"));
                }
            }
        }
        Ok(messages)
    }
}

async fn create(State(app): State<App>, client: Client, Json(request): Json<ResponseRequest>) -> Answered {
    request.check()?;
    let format = request.text.and_then(|text| text.format).unwrap_or(TextFormat::Text {});
    let wanted = Wanted::of_response(&format)?;
    let question = question(request.input.into_messages()?, request.instructions.as_deref(), "input")?;
    let extension = request.quipu.unwrap_or_default();
    let events = extension.events;
    let ask = extension.into_ask(&app, &request.model, question)?;
    let begun = Response {
        id: new_id("resp_"),
        object: "response",
        created_at: now(),
        status: ResponseStatus::InProgress,
        error: None,
        incomplete_details: None,
        instructions: request.instructions,
        max_output_tokens: None,
        model: request.model,
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
        metadata: request.metadata.unwrap_or_default(),
        quipu: None,
    };
    if request.stream.unwrap_or_default() {
        return Ok(stream::respond(app, client, ask, Typed::new(begun, wanted, events)));
    }
    let reply = app.ask(&client, &ask, None).await?;
    let output = message(new_id("msg_"), wanted.say(&reply).into());
    Ok(ok(&begun.completed(output, reply)))
}
