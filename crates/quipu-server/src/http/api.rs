//! `/api/v1/ask` and `/api/v1/status`.

use std::collections::BTreeMap;

use axum::extract::{FromRequest as _, Request, State};
use axum::routing::{get, post};
use quipu_answer::{Conversation, NamedMethod, Speaker, TimedEvent, Turn, Value};
use quipu_model::{Amount, Price};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Answered;
use super::extract::{Json, names_type};
use super::operations::{Operations, events_of};
use super::stream::{self, Protocol, event};
use crate::access::Client;
use crate::app::{App, Ask, Reply};
use crate::error::{ApiError, ErrorBody};
use crate::reply::ok;
use crate::settings::{MOST_SET, SetValue, assignments, read_method};

pub(super) fn operations(operations: &mut Operations) {
    let (body, reply) = (operations.schema::<AskRequest>(), operations.schema::<Reply>());
    let told = [operations.schema::<TimedEvent>(), reply.clone(), operations.schema::<ErrorBody>()];
    let events =
        events_of(&told, None, "`trace` holds the first of these, `answer` the second, `error` the third.");
    let ask = Operations::describe("post", "/api/v1/ask", "Questions", "Answer a question, with evidence")
        .details(
            "With `Accept: text/event-stream` the answer comes as server-sent events: `trace` for each thing that happens on the \
             way, then `answer` or `error`.",
        )
        .body(&[("application/json", body)])
        .example(json!({ "question": "What is the capital of Peru?", "max_llm_calls": 4, "set": { "kerag.max_hops": 2 } }))
        .replies("The answer", &[("application/json", reply), ("text/event-stream", events)]);
    operations.add(ask, Some(post(answer)));
    let reply = operations.schema::<ServerStatus>();
    let status = Operations::describe(
        "get",
        "/api/v1/status",
        "Questions",
        "The workspaces, methods and model of the server",
    )
    .replies("The server's state", &[("application/json", reply)]);
    operations.add(status, Some(get(status_of)));
}

/// A question.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AskRequest {
    /// The question.
    #[schemars(length(min = 1))]
    question: String,
    /// The workspace; the first one by default.
    #[serde(default)]
    workspace: Option<String>,
    /// The method, as `kerag`, or with a built-in planner in the place of the paper's, as `kerag +
    /// paths`; the server's default if omitted.
    #[serde(default)]
    method: Option<String>,
    /// Entities to start from, by id or name; linking then looks for no others.
    #[serde(default)]
    #[schemars(length(max = 20))]
    anchors: Vec<String>,
    /// Time of asking (RFC 3339), for "yesterday" and "last year"; now by default.
    #[serde(default)]
    asked_at: Option<String>,
    /// Time limit in seconds.
    #[serde(default)]
    timeout: Option<u64>,
    /// Time after which the answer is useless (RFC 3339).
    #[serde(default)]
    deadline: Option<String>,
    /// Maximum number of model calls.
    #[serde(default)]
    max_llm_calls: Option<u32>,
    /// Maximum number of tokens of all prompts and replies together.
    #[serde(default)]
    max_tokens: Option<u64>,
    /// Maximum number of tokens of evidence in one prompt.
    #[serde(default)]
    evidence_tokens: Option<usize>,
    /// Highest cost of the model's tokens, in the currency of its price.
    #[serde(default)]
    #[schemars(range(min = 0, max = 10_000_000))]
    max_cost: Option<f64>,
    /// Settings of the method: `{"kerag.max_hops": 2}`. `quipu methods` lists the keys; numbers are
    /// bounded.
    #[serde(default)]
    #[schemars(extend("maxProperties" = MOST_SET))]
    set: BTreeMap<String, SetValue>,
    /// Whether the answer includes its trace.
    #[serde(default)]
    trace: bool,
    /// Answer with this one of the readings that an earlier answer listed, from 1; 0 leaves the
    /// choice to the method.
    #[serde(default)]
    reading: usize,
    /// Whether the question is only read: the answer then has readings and no values, and nothing
    /// is run.
    #[serde(default)]
    plan_only: bool,
    /// The conversation before the question, oldest turn first.
    #[serde(default)]
    conversation: Vec<TurnRequest>,
}

/// # Errors
/// An invalid amount of money.
fn check_cost(units: Option<f64>) -> Result<(), ApiError> {
    match units {
        Some(units) if Amount::of_units(units).is_none() => {
            let message = format!("max_cost: {units} is not an amount; it must be a number from 0");
            Err(ApiError::invalid(message).about("max_cost"))
        }
        _ => Ok(()),
    }
}

/// A turn of the conversation before the question.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TurnRequest {
    /// Its speaker.
    speaker: SpeakerRequest,
    /// Its text.
    text: String,
    /// For an answer: its values, which are those in the first column of the answer's table, in
    /// order; at most 50 are read. Words like "them" and "the second one" then refer to these
    /// entities, not to others of the same name.
    #[serde(default)]
    values: Vec<ValueRequest>,
}

/// A value of an earlier answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ValueRequest {
    /// The entity's key; none for a literal.
    #[serde(default)]
    key: Option<String>,
    /// Its name.
    name: String,
}

/// The speaker of a turn.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SpeakerRequest {
    /// The person who asks.
    Person,
    /// Quipu.
    Answer,
}

impl AskRequest {
    /// # Errors
    /// An empty question; an unknown method; invalid settings.
    pub(super) fn into_ask(self) -> Result<Ask, ApiError> {
        if self.question.is_empty() {
            return Err(ApiError::invalid("the question is empty").about("question"));
        }
        check_cost(self.max_cost)?;
        let method = self.method.as_deref().map(read_method).transpose()?;
        let turns = self.conversation.into_iter().map(|turn| {
            let speaker = match turn.speaker {
                SpeakerRequest::Person => Speaker::Person,
                SpeakerRequest::Answer => Speaker::Answer,
            };
            let value = |value: ValueRequest| Value { key: value.key, name: value.name, datatype: None };
            Turn { values: turn.values.into_iter().map(value).collect(), ..Turn::new(speaker, turn.text) }
        });
        Ok(Ask {
            conversation: Conversation { turns: turns.collect(), ..Conversation::default() },
            question: self.question,
            workspace: self.workspace,
            method,
            anchors: self.anchors,
            asked_at: self.asked_at,
            timeout: self.timeout,
            deadline: self.deadline,
            max_llm_calls: self.max_llm_calls,
            max_tokens: self.max_tokens,
            evidence_tokens: self.evidence_tokens,
            max_cost: self.max_cost,
            set: assignments(self.set)?,
            trace: self.trace,
            reading: self.reading,
            plan_only: self.plan_only,
        })
    }
}

async fn answer(State(app): State<App>, client: Client, request: Request) -> Answered {
    let streamed = names_type(request.headers(), "text/event-stream");
    let Json(request) = Json::<AskRequest>::from_request(request, &app).await?;
    let ask = request.into_ask()?;
    if streamed {
        return Ok(stream::respond(app, client, ask, Story));
    }
    Ok(ok(&app.ask(&client, &ask, None).await?))
}

/// The events of `/api/v1/ask`.
struct Story;

impl Protocol for Story {
    fn happened(&self, happened: &TimedEvent) -> String {
        event(Some("trace"), &json!(happened).to_string())
    }

    fn close(&self, outcome: Result<Reply, ApiError>) -> String {
        match outcome {
            Ok(reply) => event(Some("answer"), &json!(reply).to_string()),
            Err(error) => event(Some("error"), &json!(error.body()).to_string()),
        }
    }
}

/// The server's status.
#[derive(Debug, Serialize, JsonSchema)]
struct ServerStatus {
    /// Quipu's version.
    version: &'static str,
    /// The workspaces that are open to the client.
    workspaces: Vec<WorkspaceStatus>,
    /// The methods.
    methods: Vec<String>,
    /// The default method.
    method: String,
    /// The language model; null without one.
    llm: Option<String>,
    /// Why there is no language model, and what to do next.
    llm_problem: Option<String>,
    /// The price of a million tokens of the language model; null if unknown.
    price: Option<PriceStatus>,
    /// Whether feedback is kept.
    feedback: bool,
}

/// The price of a million tokens.
#[derive(Debug, Serialize, JsonSchema)]
struct PriceStatus {
    /// Tokens of prompts.
    input: f64,
    /// Prompt tokens that were computed for an earlier prompt.
    cached_input: f64,
    /// Tokens of replies.
    output: f64,
    /// The currency's ISO 4217 code.
    currency: String,
}

impl From<Price> for PriceStatus {
    fn from(price: Price) -> Self {
        Self {
            input: price.input.units(),
            cached_input: price.cached_input.units(),
            output: price.output.units(),
            currency: price.currency.to_string(),
        }
    }
}

/// A workspace and its size.
#[derive(Debug, Serialize, JsonSchema)]
struct WorkspaceStatus {
    /// Its name.
    name: String,
    /// Number of triples.
    triples: u64,
    /// Number of entities.
    entities: u64,
    /// Number of relations.
    relations: u64,
    /// Number of documents.
    documents: u64,
    /// Why it cannot be used, if so.
    problem: Option<String>,
}

async fn status_of(State(app): State<App>, client: Client) -> Answered {
    let models = app.workspaces.models();
    let mut workspaces = Vec::new();
    for name in app.workspaces.names().filter(|name| client.may_ask(name)) {
        let (graph, problem) = match app.workspaces.engine(name).await {
            Ok(engine) => (engine.workspace().graph().describe().clone(), None),
            Err(error) => (quipu_graph::GraphDescription::default(), Some(error.message)),
        };
        workspaces.push(WorkspaceStatus {
            name: name.to_owned(),
            triples: graph.triples,
            entities: graph.entities,
            relations: graph.relations,
            documents: graph.documents,
            problem,
        });
    }
    Ok(ok(&ServerStatus {
        version: env!("CARGO_PKG_VERSION"),
        workspaces,
        methods: NamedMethod::all().map(|named| named.to_string()).collect(),
        method: app.method.to_string(),
        llm: models.model.as_ref().map(|model| model.name().to_owned()),
        llm_problem: if models.model.is_some() { None } else { models.problem.clone() },
        price: models.model.as_ref().and_then(|model| model.price()).map(PriceStatus::from),
        feedback: app.config.feedback,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: serde_json::Value) -> Option<Ask> {
        serde_json::from_value::<AskRequest>(body).ok()?.into_ask().ok()
    }

    #[test]
    fn a_request_names_a_reading_or_leaves_the_choice() {
        let asked = read(json!({ "question": "Why?", "reading": 2, "plan_only": true })).unwrap();
        assert_eq!((asked.reading, asked.plan_only), (2, true));
        let plain = read(json!({ "question": "Why?" })).unwrap();
        assert_eq!((plain.reading, plain.plan_only), (0, false));
        for wrong in [json!(-1), json!("2"), json!(1.5), json!(null)] {
            assert!(read(json!({ "question": "Why?", "reading": wrong })).is_none(), "{wrong}");
        }
    }
}
