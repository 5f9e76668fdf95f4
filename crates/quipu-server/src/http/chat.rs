//! OpenAI's chat completions, so that whatever speaks to OpenAI speaks to Quipu.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::State;
use axum::routing::{get, post};
use quipu_answer::{
    AnswerTable, AnswerUsage, Conversation, Evidence, Method, Note, Reading, Speaker, Status, TimedEvent,
    Turn,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Answered;
use super::extract::Json;
use super::operations::Operations;
use super::stream::{self, Protocol, event};
use crate::access::Client;
use crate::app::{App, Ask, Reply};
use crate::cite::Cited;
use crate::error::{ApiError, Kind};
use crate::markdown::citations;
use crate::reply::ok;
use crate::trust::Trust;

/// The model id that stands for the first workspace.
const QUIPU: &str = "quipu";
const DONE: &str = "data: [DONE]\n\n";

pub(super) fn operations(operations: &mut Operations) {
    let models = operations.schema::<Models>();
    let list = Operations::describe("get", "/v1/models", "OpenAI", "Workspaces and methods as models")
        .replies("The models that the key may ask", &[("application/json", models)]);
    operations.add(list, Some(get(list_models)));
    let (body, whole) = (operations.schema::<ChatRequest>(), operations.schema::<ChatCompletion>());
    let chat = Operations::describe("post", "/v1/chat/completions", "OpenAI", "Answer the last message")
        .details(
            "As OpenAI's chat completions. Earlier messages serve to understand a follow-up question. Parameters of sampling, \
             tools and the like are not used. The field `quipu` of request and response holds what OpenAI's API has no place for.",
        )
        .body(&[("application/json", body)])
        .replies(
            "The answer, whole or as server-sent events",
            &[("application/json", whole), ("text/event-stream", super::operations::text())],
        );
    operations.add(chat, Some(post(complete)));
}

/// A chat completion that is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
struct ChatRequest {
    /// `quipu`, `quipu/METHOD`, `WORKSPACE` or `WORKSPACE/METHOD`, as `/v1/models` lists them.
    model: String,
    /// The conversation; the last message is the question.
    #[schemars(length(min = 1))]
    messages: Vec<ChatMessage>,
    /// Whether the answer comes as server-sent events.
    #[serde(default)]
    stream: Option<bool>,
    /// How it comes then.
    #[serde(default)]
    stream_options: Option<StreamOptions>,
    /// What OpenAI's API has no place for.
    #[serde(default)]
    quipu: Option<Extension>,
}

/// How a stream comes.
#[derive(Debug, Deserialize, JsonSchema)]
struct StreamOptions {
    /// Whether the cost comes in a last event of its own.
    #[serde(default)]
    include_usage: Option<bool>,
}

/// What OpenAI's API has no place for.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Extension {
    /// Entities to start from, by id or name.
    #[schemars(length(max = 20))]
    anchors: Vec<String>,
    /// When the question is asked (RFC 3339); now where it is left out.
    asked_at: Option<String>,
    /// Most seconds.
    timeout: Option<u64>,
    /// When the answer is of no more use (RFC 3339).
    deadline: Option<String>,
    /// Most model calls.
    max_llm_calls: Option<u32>,
    /// Most tokens of all prompts and replies together; OpenAI's own `max_tokens` means the text of one reply, and is not used.
    max_tokens: Option<u64>,
    /// Most tokens of evidence in one prompt.
    evidence_tokens: Option<usize>,
    /// Whether the answer carries the story of how it came about.
    trace: bool,
    /// Answer by this one of the readings that an earlier answer listed, from 1; 0 leaves the choice to the method.
    reading: usize,
    /// Whether the question is only read: the answer then holds readings and no values, and nothing is run.
    plan_only: bool,
    /// Whether a stream tells what happens on the way.
    events: bool,
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

/// What was said: a text, or parts of which the texts count.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Content {
    /// A text.
    Text(String),
    /// Parts.
    Parts(Vec<Part>),
}

/// A part of a message.
#[derive(Debug, Deserialize, JsonSchema)]
struct Part {
    /// The text of a part of type `text`.
    #[serde(default)]
    text: Option<String>,
}

impl ChatMessage {
    fn text(&self) -> String {
        match &self.content {
            None => String::new(),
            Some(Content::Text(text)) => text.clone(),
            Some(Content::Parts(parts)) => {
                parts.iter().filter_map(|part| part.text.as_deref()).collect::<Vec<_>>().join("\n")
            }
        }
    }
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
    /// The model that was asked for.
    model: String,
    /// One choice.
    choices: [Choice; 1],
    /// What it cost.
    usage: ChatUsage,
    /// Evidence, citations and the like.
    quipu: Told,
}

/// The answer.
#[derive(Debug, Serialize, JsonSchema)]
struct Choice {
    /// 0.
    index: u32,
    /// The answer's message.
    message: Said,
    /// `stop`.
    finish_reason: &'static str,
    /// Null.
    logprobs: Option<()>,
}

/// The answer's message.
#[derive(Debug, Serialize, JsonSchema)]
struct Said {
    /// `assistant`.
    role: &'static str,
    /// The answer as Markdown, with `[1]` after what is cited, how the question was read, and a list of what is cited.
    content: String,
    /// Null.
    refusal: Option<()>,
}

/// Tokens.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
struct ChatUsage {
    /// Of all prompts.
    prompt_tokens: u64,
    /// Of all replies.
    completion_tokens: u64,
    /// Both.
    total_tokens: u64,
}

/// What OpenAI's API has no place for.
#[derive(Debug, Serialize, JsonSchema)]
struct Told {
    /// The question as it was understood.
    question: String,
    /// How it ended.
    status: Status,
    /// The bare values, best first.
    answers: Vec<String>,
    /// The same as a table, where the answer has columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<AnswerTable>,
    /// The reading that was answered, then others that are close and lead elsewhere.
    readings: Vec<Reading>,
    /// How far the answer can be trusted; null where nothing was answered.
    trust: Option<Trust>,
    /// Whether every value was found in the evidence.
    grounded: bool,
    /// From 0 to 1.
    confidence: f64,
    /// Why there is no answer, when there is none.
    reason: Option<String>,
    /// Remarks: a model or a source that failed, a limit, namesakes.
    notes: Vec<Note>,
    /// The text with numbers, and what they stand for.
    cited: Cited,
    /// What the answer rests on.
    evidence: Vec<Evidence>,
    /// What it cost, by stage.
    usage: AnswerUsage,
    /// The workspace that was asked.
    workspace: String,
    /// The method that answered.
    method: String,
    /// The language model behind it.
    llm: String,
    /// What happened on the way, when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<TimedEvent>>,
}

impl From<Reply> for Told {
    fn from(Reply { workspace, cited, trust, answer, .. }: Reply) -> Self {
        Self {
            question: answer.question,
            status: answer.status,
            answers: answer.answers,
            table: answer.table,
            readings: answer.readings,
            trust,
            grounded: answer.grounded,
            confidence: answer.confidence,
            reason: answer.reason,
            notes: answer.notes,
            cited,
            evidence: answer.evidence,
            usage: answer.usage,
            workspace,
            method: answer.method,
            llm: answer.llm,
            trace: answer.trace,
        }
    }
}

/// The models as OpenAI's API lists them.
#[derive(Debug, Serialize, JsonSchema)]
struct Models {
    /// `list`.
    object: &'static str,
    /// The models.
    data: Vec<Model>,
}

/// A workspace with a method.
#[derive(Debug, Serialize, JsonSchema)]
struct Model {
    /// Its id.
    id: String,
    /// `model`.
    object: &'static str,
    /// 0: a workspace's age says nothing.
    created: u64,
    /// `quipu`.
    owned_by: &'static str,
}

async fn list_models(State(app): State<App>, client: Client) -> Answered {
    let first = app.workspace(&client, None)?;
    let open = app.workspaces.names().filter(|name| client.may_ask(name) && *name != QUIPU);
    let bases = std::iter::once(QUIPU.to_owned()).chain(open.map(str::to_owned));
    let mut data = Vec::new();
    tracing::debug!(target: "quipu", workspace = first, "{QUIPU} stands for this workspace");
    for base in bases {
        let model = |id| Model { id, object: "model", created: 0, owned_by: QUIPU };
        let with_methods =
            Method::ALL.iter().map(|method| model(format!("{base}/{}", method.name()))).collect::<Vec<_>>();
        data.push(model(base));
        data.extend(with_methods);
    }
    Ok(ok(&Models { object: "list", data }))
}

async fn complete(State(app): State<App>, client: Client, Json(request): Json<ChatRequest>) -> Answered {
    let head = Head { id: completion_id(), created: now(), model: request.model.clone() };
    let stream = request.stream.unwrap_or_default();
    let usage_apart = request.stream_options.as_ref().and_then(|o| o.include_usage).unwrap_or_default();
    let events = request.quipu.as_ref().is_some_and(|extension| extension.events);
    let ask = to_ask(&app, request)?;
    if stream {
        return Ok(stream::respond(app, client, ask, Chunks { head, usage_apart, events }));
    }
    let reply = app.ask(&client, &ask, None).await?;
    let Head { id, created, model } = head;
    let usage = ChatUsage::from(&reply.answer.usage);
    let message = Said { role: "assistant", content: content(&reply), refusal: None };
    let choices = [Choice { index: 0, message, finish_reason: "stop", logprobs: None }];
    let object = "chat.completion";
    Ok(ok(&ChatCompletion { id, object, created, model, choices, usage, quipu: reply.into() }))
}

/// From OpenAI's request to a question with what was said before it.
fn to_ask(app: &App, request: ChatRequest) -> Result<Ask, ApiError> {
    let (workspace, method) = read_model(app, &request.model)?;
    let mut messages = request.messages;
    let last = messages.pop().ok_or_else(|| ApiError::invalid("messages: there is none"))?;
    if last.role != "user" {
        return Err(ApiError::invalid("messages: the last one must be the user's: it is the question"));
    }
    let mut conversation = Conversation::default();
    for message in messages {
        let text = message.text();
        let speaker = match message.role.as_str() {
            "system" | "developer" => {
                conversation.instructions.push_str(&text);
                conversation.instructions.push('\n');
                continue;
            }
            "user" => Speaker::Person,
            "assistant" => Speaker::Answer,
            "tool" | "function" => continue,
            role => return Err(ApiError::invalid(format!("messages: there is no role {role:?}"))),
        };
        if !text.trim().is_empty() {
            conversation.turns.push(Turn::new(speaker, text));
        }
    }
    let asked = request.quipu.unwrap_or_default();
    Ok(Ask {
        question: last.text(),
        workspace,
        method,
        anchors: asked.anchors,
        asked_at: asked.asked_at,
        timeout: asked.timeout,
        deadline: asked.deadline,
        max_llm_calls: asked.max_llm_calls,
        max_tokens: asked.max_tokens,
        evidence_tokens: asked.evidence_tokens,
        trace: asked.trace,
        reading: asked.reading,
        plan_only: asked.plan_only,
        conversation,
    })
}

/// The workspace and the method that a model's id names.
fn read_model(app: &App, id: &str) -> Result<(Option<String>, Option<Method>), ApiError> {
    let unknown = || {
        let message = format!("there is no model {id:?}; /v1/models lists those that there are");
        ApiError::new(Kind::NotFound, "model_not_found", message)
    };
    let (base, method) = match id.rsplit_once('/') {
        Some((base, method)) => (base, Some(method.parse::<Method>().map_err(|_| unknown())?)),
        None => (id, None),
    };
    match base {
        _ if app.workspaces.folder(base).is_some() => Ok((Some(base.to_owned()), method)),
        QUIPU => Ok((None, method)),
        _ => Err(unknown()),
    }
}

/// The answer with its citations below it.
fn content(reply: &Reply) -> String {
    let cited = citations(&reply.cited);
    let blocks = [reply.markdown.as_str(), &cited].map(str::trim_end);
    blocks.into_iter().filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n\n")
}

impl From<&AnswerUsage> for ChatUsage {
    fn from(usage: &AnswerUsage) -> Self {
        let (prompt_tokens, completion_tokens) = (usage.prompt_tokens, usage.completion_tokens);
        Self { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
    }
}

/// What all chunks of a stream begin with.
struct Head {
    id: String,
    created: u64,
    model: String,
}

/// OpenAI's chunks.
struct Chunks {
    head: Head,
    usage_apart: bool,
    events: bool,
}

impl Chunks {
    fn chunk(&self, delta: &Value, finish_reason: Option<&str>, more: &[(&str, Value)]) -> String {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": null });
        self.with_choices(&json!([choice]), more)
    }

    fn with_choices(&self, choices: &Value, more: &[(&str, Value)]) -> String {
        let Head { id, created, model } = &self.head;
        let mut chunk = json!({
            "id": id, "object": "chat.completion.chunk", "created": created, "model": model, "choices": choices,
        });
        if let Value::Object(fields) = &mut chunk {
            fields.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        }
        event(None, &chunk.to_string())
    }

    fn answer(&self, reply: Reply) -> String {
        let usage = json!(ChatUsage::from(&reply.answer.usage));
        let mut text = String::new();
        for piece in pieces(&content(&reply)) {
            text.push_str(&self.chunk(&json!({ "content": piece }), None, &[]));
        }
        let told = ("quipu", json!(Told::from(reply)));
        if self.usage_apart {
            text.push_str(&self.chunk(&json!({}), Some("stop"), &[told]));
            text.push_str(&self.with_choices(&json!([]), &[("usage", usage)]));
        } else {
            text.push_str(&self.chunk(&json!({}), Some("stop"), &[told, ("usage", usage)]));
        }
        text
    }
}

impl Protocol for Chunks {
    fn open(&self) -> String {
        self.chunk(&json!({ "role": "assistant", "content": "" }), None, &[])
    }

    fn happened(&self, event: &TimedEvent) -> String {
        if !self.events {
            return String::new();
        }
        self.chunk(&json!({}), None, &[("quipu", json!({ "event": event }))])
    }

    fn close(&self, outcome: Result<Reply, ApiError>) -> String {
        let last = match outcome {
            Ok(reply) => self.answer(reply),
            Err(error) => event(None, &json!(error.body()).to_string()),
        };
        last + DONE
    }
}

/// A text in pieces of some words, as clients expect it to come.
fn pieces(text: &str) -> Vec<&str> {
    const WORDS: usize = 8;
    let words: Vec<&str> = text.split_inclusive(' ').collect();
    let mut pieces = Vec::new();
    let mut from = 0;
    for words in words.chunks(WORDS) {
        let length: usize = words.iter().map(|word| word.len()).sum();
        pieces.extend(text.get(from..from + length));
        from += length;
    }
    pieces
}

fn completion_id() -> String {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    format!("chatcmpl-{:016x}", xxhash_rust::xxh3::xxh3_64(&nanos.to_le_bytes()))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn pieces_make_up_the_text() {
        let text = "One two three four five six seven eight nine ten.\n\n[1] Zus & Zo — größer — 2001";
        assert!(pieces(text).len() > 1);
        assert_eq!(pieces(text).concat(), text);
        assert!(pieces("").is_empty());
    }

    #[test]
    fn a_table_is_said_in_markdown_above_what_it_cites() {
        let said = content(&sample::reply(sample::towns()));
        let expected = "\
| # | town | people |
| ---: | --- | ---: |
| 1 | Lima | 10092000 |
| 2 | Cusco | 428000 |

At least 3 more rows are left out.

I read this as: the towns of Peru, the largest first. The values stand in the graph, but whether the question means this is doubtful (0.41).

Another reading (reading 2): the oldest towns of Peru → Caral

[1] Peru \\| town \\| Lima";
        assert_eq!(said, expected);
    }

    #[test]
    fn what_openais_form_has_no_place_for_holds_table_and_readings() {
        let told = json!(Told::from(sample::reply(sample::towns())));
        assert_eq!(told["table"]["columns"], json!(["town", "people"]));
        assert_eq!(
            told["table"]["rows"][1],
            json!([{ "key": "Cusco", "name": "Cusco" }, { "name": "428000" }])
        );
        assert_eq!((&told["table"]["ordered"], &told["table"]["left_out"]), (&json!(true), &json!(3)));
        assert_eq!(told["readings"][1]["values"], json!(["Caral"]));
        assert_eq!((&told["trust"]["sureness"], &told["grounded"]), (&json!("doubtful"), &json!(true)));
        let plain = json!(Told::from(sample::reply(sample::answered(&["Lima"]))));
        assert!(plain.get("table").is_none() && plain["readings"] == json!([]), "{plain}");
    }

    #[test]
    fn the_extension_asks_for_a_reading() {
        let asked: Extension = serde_json::from_value(json!({ "reading": 2, "plan_only": true })).unwrap();
        assert_eq!((asked.reading, asked.plan_only), (2, true));
        assert!(serde_json::from_value::<Extension>(json!({ "reading": -1 })).is_err());
    }
}
