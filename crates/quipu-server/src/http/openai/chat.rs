//! OpenAI's chat completions.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::routing::post;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::chat_stream::{ChatChunk, Chunks, Head};
use super::chat_usage::ChatUsage;
use super::extension::{Extension, Told};
use super::formats::{AnswerObject, ResponseFormat, Said, Wanted};
use super::messages::{Content, Message, question};
use super::refused::{refuse, refuse_tools, refuse_value, says};
use super::{new_id, now};
use crate::access::Client;
use crate::app::App;
use crate::error::{ApiError, ErrorBody};
use crate::http::extract::{Json, object};
use crate::http::operations::{Operations, events_of};
use crate::http::{Answered, stream};
use crate::reply::ok;

pub(super) fn operations(operations: &mut Operations) {
    let (body, whole) = (operations.schema::<ChatRequest>(), operations.schema::<ChatCompletion>());
    let chunks = [operations.schema::<ChatChunk>(), operations.schema::<ErrorBody>()];
    let chunks =
        events_of(&chunks, Some("[DONE]"), "Chunks; an error, if any, is the last one. Then `[DONE]`.");
    // The schema of the content in the form `json_object`.
    operations.schema::<AnswerObject>();
    let chat = Operations::describe("post", "/v1/chat/completions", "OpenAI", "Answer the last message")
        .details(
            "Works like OpenAI's chat completions. Earlier messages serve to understand a follow-up question. Sampling parameters \
             are accepted and ignored. Tools, more than one choice, likelihoods and similar parameters give an error that names \
             the parameter. The field `quipu` of request and response holds Quipu's additions to OpenAI's API.",
        )
        .body(&[("application/json", body)])
        .example(json!({
            "model": "quipu",
            "messages": [{ "role": "user", "content": "What is the capital of Peru?" }],
            "response_format": { "type": "json_schema", "json_schema": { "name": "capital", "schema": {
                "type": "object", "properties": { "capital": { "type": "string" } }, "required": ["capital"] } } },
            "quipu": { "max_llm_calls": 4 },
        }))
        .replies(
            "The answer, whole or as server-sent events",
            &[("application/json", whole), ("text/event-stream", chunks)],
        );
    operations.add(chat, Some(post(complete)));
}

/// A request for a chat completion.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "parameters of sampling are taken, for clients send them, and not used")]
struct ChatRequest {
    /// `quipu`, `quipu/METHOD`, `WORKSPACE` or `WORKSPACE/METHOD`, as `/v1/models` lists them.
    model: String,
    /// The conversation; the last message is the question.
    #[schemars(length(min = 1))]
    messages: Vec<ChatMessage>,
    /// Whether the answer is sent as server-sent events.
    #[serde(default)]
    stream: Option<bool>,
    /// Options of the stream.
    #[serde(default, deserialize_with = "object")]
    stream_options: Option<StreamOptions>,
    /// The form of the answer's text.
    #[serde(default, deserialize_with = "object")]
    response_format: Option<ResponseFormat>,
    /// Quipu's extension of OpenAI's API.
    #[serde(default, deserialize_with = "object")]
    quipu: Option<Extension>,

    /// Refused if given.
    #[serde(default)]
    #[schemars(length(max = 0))]
    tools: Option<Vec<Value>>,
    /// Refused unless `none` or `auto`.
    #[serde(default)]
    tool_choice: Option<Value>,
    /// Refused if given.
    #[serde(default)]
    #[schemars(length(max = 0))]
    functions: Option<Vec<Value>>,
    /// Refused unless `none` or `auto`.
    #[serde(default)]
    function_call: Option<Value>,
    /// Refused unless 1: a question has one answer.
    #[serde(default)]
    #[schemars(range(min = 1, max = 1))]
    n: Option<i64>,
    /// Refused unless false: an answer's words are not sampled.
    #[serde(default)]
    logprobs: Option<bool>,
    /// Refused unless 0.
    #[serde(default)]
    #[schemars(range(min = 0, max = 0))]
    top_logprobs: Option<i64>,
    /// Refused if given.
    #[serde(default)]
    #[schemars(extend("maxProperties" = 0))]
    logit_bias: Option<BTreeMap<String, f64>>,
    /// Refused if given: an answer is not cut.
    #[serde(default)]
    stop: Option<Value>,
    /// Refused unless `text`.
    #[serde(default)]
    modalities: Option<Vec<String>>,
    /// Refused.
    #[serde(default)]
    audio: Option<Value>,
    /// Refused.
    #[serde(default)]
    prediction: Option<Value>,
    /// Refused: answers come from the graph alone.
    #[serde(default)]
    web_search_options: Option<Value>,

    /// Not used.
    #[serde(default)]
    temperature: Option<f64>,
    /// Not used.
    #[serde(default)]
    top_p: Option<f64>,
    /// Not used.
    #[serde(default)]
    top_k: Option<i64>,
    /// Not used.
    #[serde(default)]
    min_p: Option<f64>,
    /// Not used.
    #[serde(default)]
    seed: Option<i64>,
    /// Not used.
    #[serde(default)]
    presence_penalty: Option<f64>,
    /// Not used.
    #[serde(default)]
    frequency_penalty: Option<f64>,
    /// Not used.
    #[serde(default)]
    repetition_penalty: Option<f64>,
    /// Not used: the length of one text; `quipu.max_tokens` limits the whole question.
    #[serde(default)]
    max_tokens: Option<i64>,
    /// Not used: the length of one text; `quipu.max_tokens` limits the whole question.
    #[serde(default)]
    max_completion_tokens: Option<i64>,
    /// Not used: there are no tools.
    #[serde(default)]
    parallel_tool_calls: Option<bool>,
    /// Not used: nothing is kept.
    #[serde(default)]
    store: Option<bool>,
    /// Not used.
    #[serde(default)]
    metadata: Option<BTreeMap<String, Value>>,
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
    reasoning_effort: Option<String>,
    /// Not used.
    #[serde(default)]
    verbosity: Option<String>,
    /// Not used.
    #[serde(default)]
    service_tier: Option<String>,
}

/// Options of a stream.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "`include_obfuscation` is taken and not used")]
struct StreamOptions {
    /// Whether the cost is sent in a separate last event; it is null in all others then.
    #[serde(default)]
    include_usage: Option<bool>,
    /// Not used.
    #[serde(default)]
    include_obfuscation: Option<bool>,
}

/// One message.
#[derive(Debug, Deserialize, JsonSchema)]
struct ChatMessage {
    /// `system`, `developer`, `user`, `assistant` or `tool`.
    role: String,
    /// What was said.
    #[serde(default)]
    content: Option<Content>,
}

/// A chat completion.
#[derive(Debug, Serialize, JsonSchema)]
struct ChatCompletion {
    /// Its id.
    id: String,
    /// `chat.completion`.
    object: &'static str,
    /// Seconds since 1970.
    created: u64,
    /// The requested model.
    model: String,
    /// One choice.
    choices: [Choice; 1],
    /// Its cost.
    usage: ChatUsage,
    /// Quipu's extension: evidence, citations and more.
    quipu: Told,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Choice {
    /// 0.
    index: u32,
    /// The answer's message.
    message: ChatAnswer,
    /// `stop`.
    finish_reason: &'static str,
    /// Null.
    logprobs: Option<()>,
}

/// The answer's message.
#[derive(Debug, Serialize, JsonSchema)]
struct ChatAnswer {
    /// `assistant`.
    role: &'static str,
    /// The answer as Markdown, with `[1]` after each cited value, the reading of the question, and
    /// a list of citations; or as JSON, if `response_format` requests it. Null if the answer does
    /// not fit the schema.
    content: Option<String>,
    /// Why the answer does not fit the requested schema; null if it does.
    refusal: Option<String>,
}

impl From<Said> for ChatAnswer {
    fn from(said: Said) -> Self {
        match said {
            Said::Text(text) => Self { role: "assistant", content: Some(text), refusal: None },
            Said::Refusal(reason) => Self { role: "assistant", content: None, refusal: Some(reason) },
        }
    }
}

impl ChatRequest {
    /// # Errors
    /// An unsupported parameter, by name.
    fn check(&self) -> Result<(), ApiError> {
        refuse_tools(self.tools.as_deref().unwrap_or_default(), self.tool_choice.as_ref())?;
        let functions = self.functions.as_ref().is_some_and(|functions| !functions.is_empty());
        refuse("functions", functions, "Quipu calls no functions of the client. Leave it out")?;
        let needs_none = matches!(self.function_call.as_ref().and_then(Value::as_str), Some("none" | "auto"));
        let call = says(self.function_call.as_ref()) && !needs_none;
        refuse("function_call", call, "there are no functions to call. Leave it out")?;
        refuse_value("n", self.n.is_some_and(|n| n != 1), "a question has one answer. Leave it out")?;
        let likelihoods = "an answer's words are made by code, not sampled. Leave it out";
        refuse("logprobs", self.logprobs == Some(true), likelihoods)?;
        refuse("top_logprobs", self.top_logprobs.is_some_and(|number| number != 0), likelihoods)?;
        refuse("logit_bias", self.logit_bias.as_ref().is_some_and(|bias| !bias.is_empty()), likelihoods)?;
        refuse("stop", says(self.stop.as_ref()), "answers are not cut at stop sequences. Leave it out")?;
        let others = self.modalities.iter().flatten().any(|modality| modality != "text");
        refuse_value("modalities", others, "answers are texts")?;
        refuse("audio", says(self.audio.as_ref()), "answers are texts. Leave it out")?;
        refuse(
            "prediction",
            says(self.prediction.as_ref()),
            "answers are made from the graph. Leave it out",
        )?;
        let searches = self.web_search_options.as_ref().is_some_and(|options| !options.is_null());
        refuse("web_search_options", searches, "answers are made from the graph alone. Leave it out")
    }
}

async fn complete(State(app): State<App>, client: Client, Json(request): Json<ChatRequest>) -> Answered {
    request.check()?;
    let wanted = Wanted::of_chat(request.response_format)?;
    let messages =
        request.messages.into_iter().map(|ChatMessage { role, content }| Message { role, content });
    let question = question(messages.collect(), None, "messages")?;
    let extension = request.quipu.unwrap_or_default();
    let events = extension.events;
    let ask = extension.into_ask(&app, &request.model, question)?;
    let head = Head { id: new_id("chatcmpl-"), created: now(), model: request.model };
    if request.stream.unwrap_or_default() {
        let usage_apart =
            request.stream_options.and_then(|options| options.include_usage).unwrap_or_default();
        let chunks = Chunks { head, usage_apart, events, wanted, given: Arc::clone(&app.given) };
        return Ok(stream::respond(app, client, ask, chunks));
    }
    let reply = app.ask(&client, &ask, None).await?;
    let Head { id, created, model } = head;
    let usage = ChatUsage::from(&reply.answer.usage);
    let message = ChatAnswer::from(wanted.say(&reply, &app.given));
    let choices = [Choice { index: 0, message, finish_reason: "stop", logprobs: None }];
    let object = "chat.completion";
    Ok(ok(&ChatCompletion { id, object, created, model, choices, usage, quipu: reply.into() }))
}
