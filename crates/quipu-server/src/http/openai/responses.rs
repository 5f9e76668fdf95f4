//! OpenAI's responses.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::routing::post;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::extension::Extension;
use super::formats::{AnswerObject, TextFormat, Wanted};
use super::messages::{Content, Message, question};
use super::new_id;
use super::refused::{refuse, refuse_tools, refuse_value, says};
use super::response::{Response, message};
use super::responses_stream::{ResponseEvent, Typed};
use crate::access::Client;
use crate::app::App;
use crate::error::{ApiError, Kind};
use crate::http::extract::{Json, object};
use crate::http::operations::{Operations, events_of};
use crate::http::{Answered, stream};
use crate::reply::ok;

pub(super) fn operations(operations: &mut Operations) {
    let (body, whole) = (operations.schema::<ResponseRequest>(), operations.schema::<Response>());
    let events =
        events_of(&[operations.schema::<ResponseEvent>()], None, "The field `type` names the event.");
    // The schema of the text in the form `json_object`.
    operations.schema::<AnswerObject>();
    let respond = Operations::describe("post", "/v1/responses", "OpenAI", "Answer the last message of the input")
        .details(
            "Works like OpenAI's responses. Quipu keeps no conversation: send earlier messages in `input`; `previous_response_id` gives \
             an error. Sampling parameters are accepted and ignored. Tools and similar parameters give an error that names the \
             parameter. The field `quipu` of request and response holds Quipu's additions to OpenAI's API.",
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

/// A request for a response.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "parameters of sampling are taken, for clients send them, and not used")]
struct ResponseRequest {
    /// `quipu`, `quipu/METHOD`, `WORKSPACE` or `WORKSPACE/METHOD`, as `/v1/models` lists them.
    model: String,
    /// The question, or messages that end with the question.
    input: Input,
    /// Instructions for the whole conversation, like a system message.
    #[serde(default)]
    instructions: Option<String>,
    /// Whether the answer is sent as server-sent events.
    #[serde(default)]
    stream: Option<bool>,
    /// Options of the stream.
    #[serde(default, deserialize_with = "object")]
    stream_options: Option<StreamOptions>,
    /// The form of the answer's text.
    #[serde(default, deserialize_with = "object")]
    text: Option<TextOptions>,
    /// Returned unchanged.
    #[serde(default)]
    metadata: Option<BTreeMap<String, String>>,
    /// Quipu's extension of OpenAI's API.
    #[serde(default, deserialize_with = "object")]
    quipu: Option<Extension>,

    /// Refused: nothing is stored. Send earlier messages in `input`.
    #[serde(default)]
    previous_response_id: Option<String>,
    /// Refused: nothing is stored. Send earlier messages in `input`.
    #[serde(default)]
    conversation: Option<Value>,
    /// Refused unless false: nothing is stored.
    #[serde(default)]
    background: Option<bool>,
    /// Refused: no prompts are stored.
    #[serde(default)]
    prompt: Option<Value>,
    /// Refused if given.
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
    /// Additional output; `message.output_text.logprobs` is refused, and the rest is ignored.
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
    /// Not used: nothing is stored.
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

/// The question, or messages that end with the question.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Input {
    /// The question.
    Text(String),
    /// Messages.
    Items(Vec<Item>),
}

/// A message, written by a client or copied from an earlier response.
#[derive(Debug, Deserialize, JsonSchema)]
struct Item {
    /// `message`; `reasoning` is skipped, and anything else is refused.
    #[serde(default)]
    r#type: Option<String>,
    /// `system`, `developer`, `user` or `assistant`.
    #[serde(default)]
    role: Option<String>,
    /// What was said.
    #[serde(default)]
    content: Option<Content>,
}

/// Options of a stream.
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

impl ResponseRequest {
    /// # Errors
    /// An unsupported parameter, by name.
    fn check(&self) -> Result<(), ApiError> {
        let kept = "no conversation is kept between requests. Send the earlier messages in `input`";
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
    let metadata = request.metadata.unwrap_or_default();
    let begun = Response::begun(request.model, request.instructions, format, metadata);
    if request.stream.unwrap_or_default() {
        let typed = Typed::new(begun, wanted, events, Arc::clone(&app.given));
        return Ok(stream::respond(app, client, ask, typed));
    }
    let reply = app.ask(&client, &ask, None).await?;
    let output = message(new_id("msg_"), wanted.say(&reply, &app.given).into());
    Ok(ok(&begun.completed(output, reply)))
}
