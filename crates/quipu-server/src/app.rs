//! The core of all surfaces: takes a question with its limits and returns an answer with its
//! citations.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::{Timestamp, Zoned};
use parking_lot::Mutex;
use quipu_answer::{
    Answer, AnswerError, AskOptions, Conversation, Engine, EventSink, Limits, NamedMethod, Question,
    parse_time, set_option_of_request,
};
use quipu_model::Amount;
use schemars::JsonSchema;
use serde::Serialize;

use crate::access::{Access, Client};
use crate::cite::{Cited, cite, sentence};
use crate::config::ServerConfig;
use crate::error::{ApiError, Kind};
use crate::explored::Explored;
use crate::gate::Gate;
use crate::given::Given;
use crate::markdown::markdown;
use crate::metrics::Metrics;
use crate::readings::check_readings;
use crate::remarks::failure;
use crate::shown::{Coordinates, Shown, shown};
use crate::telemetry::{Exporter, Exporting, QuestionSpan, Telemetry};
use crate::trust::Trust;
use crate::workspaces::Workspaces;

/// Concurrent light requests, which need no language model.
const LIGHT: usize = 64;
/// Time beyond its limits that an engine gets to stop by itself.
const GRACE: Duration = Duration::from_secs(2);

/// The server's state; shared by all requests.
#[derive(Clone)]
pub(crate) struct App(Arc<Shared>);

/// State shared by all requests.
pub(crate) struct Shared {
    pub(crate) config: ServerConfig,
    pub(crate) workspaces: Workspaces,
    pub(crate) method: NamedMethod,
    pub(crate) access: Access,
    pub(crate) given: Arc<Given>,
    pub(crate) questions: Gate,
    pub(crate) light: Gate,
    /// Gates for queries with a short turn, and for queries that need longer.
    pub(crate) quick_sparql: Gate,
    pub(crate) sparql: Gate,
    pub(crate) metrics: Metrics,
    pub(crate) telemetry: Telemetry,
    exporter: Mutex<Option<Exporter>>,
}

impl std::ops::Deref for App {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// A question and its options. A field that is `None` takes the server's default.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ask {
    pub(crate) question: String,
    pub(crate) workspace: Option<String>,
    pub(crate) method: Option<NamedMethod>,
    pub(crate) anchors: Vec<String>,
    pub(crate) asked_at: Option<String>,
    pub(crate) timeout: Option<u64>,
    pub(crate) deadline: Option<String>,
    pub(crate) max_llm_calls: Option<u32>,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) evidence_tokens: Option<usize>,
    /// In the currency of the model's price.
    pub(crate) max_cost: Option<f64>,
    /// Settings of the method, by the keys of `eval --set`.
    pub(crate) set: Vec<(String, String)>,
    pub(crate) trace: bool,
    /// The number of the reading to answer, from 1; 0 leaves the choice to the method.
    pub(crate) reading: usize,
    /// Whether the question is only read, not answered.
    pub(crate) plan_only: bool,
    pub(crate) conversation: Conversation,
}

/// An answer in the form that the server sends.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Reply {
    /// The workspace of the answer.
    pub(crate) workspace: String,
    /// The answer with citation numbers, and the citations.
    pub(crate) cited: Cited,
    /// Each piece of evidence as a sentence, in the order of `evidence`.
    pub(crate) sentences: Vec<String>,
    /// The answer as Markdown: a table if there is one, and the reading of the question. It does
    /// not list the citations.
    pub(crate) markdown: String,
    /// The values with the values that decided and the places of entities, for display.
    pub(crate) shown: Option<Shown>,
    /// How far the answer can be trusted; null without an answer.
    pub(crate) trust: Option<Trust>,
    /// Failures on the way, a sentence each: the language model, a source, a limit.
    pub(crate) failures: Vec<String>,
    /// The answer itself.
    #[serde(flatten)]
    pub(crate) answer: Answer,
}

impl App {
    /// # Errors
    /// Unreadable keys; an unusable telemetry endpoint.
    pub(crate) fn new(
        config: ServerConfig,
        workspaces: Workspaces,
        method: NamedMethod,
    ) -> Result<Self, String> {
        let unknown = config.keys.iter().flat_map(|key| &key.workspaces);
        if let Some(unknown) = unknown.into_iter().find(|name| workspaces.folder(name).is_none()) {
            return Err(format!("a key names the workspace {unknown:?}, which is not served"));
        }
        if config.max_cost.is_some() {
            amount("max_cost", config.max_cost)?;
            let model = workspaces.models().model.as_ref();
            if let Some(model) = model.filter(|model| model.price().is_none()) {
                let name = model.name();
                return Err(format!(
                    "max_cost: the price of {name} is not known; set it in [prices.{name:?}]"
                ));
            }
        }
        let metrics = Metrics::new();
        let (telemetry, exporter) = Telemetry::new(&config.telemetry, &metrics)?;
        Ok(Self(Arc::new(Shared {
            access: Access::new(&config.keys)?,
            given: Arc::default(),
            questions: Gate::new(config.concurrency, config.queue),
            light: Gate::new(LIGHT, 4 * LIGHT),
            quick_sparql: Gate::new(config.sparql.concurrency, config.queue),
            sparql: Gate::new(config.sparql.concurrency, config.queue),
            metrics,
            telemetry,
            exporter: Mutex::new(exporter),
            config,
            workspaces,
            method,
        })))
    }

    /// Starts the export of traces, if it is configured.
    pub(crate) fn start_telemetry(&self) -> Option<Exporting> {
        self.exporter.lock().take().map(Exporter::start)
    }

    /// The workspace with this name, or the first one open to the client; checks the client's right
    /// to it.
    pub(crate) fn workspace(&self, client: &Client, name: Option<&str>) -> Result<String, ApiError> {
        match name {
            None => self.workspaces.names().find(|name| client.may_ask(name)).map(str::to_owned).ok_or_else(
                || ApiError::new(Kind::Forbidden, "workspace_forbidden", "this key opens no workspace"),
            ),
            Some(name) if self.workspaces.folder(name).is_some() && !client.may_ask(name) => {
                let message = format!("this key does not open the workspace {name}");
                Err(ApiError::new(Kind::Forbidden, "workspace_forbidden", message))
            }
            Some(name) => Ok(name.to_owned()),
        }
    }

    /// The engine of a workspace, if the client may use it.
    pub(crate) async fn engine(
        &self,
        client: &Client,
        name: Option<&str>,
    ) -> Result<(String, Engine), ApiError> {
        let name = self.workspace(client, name)?;
        let engine = self.workspaces.engine(&name).await?;
        Ok((name, engine))
    }

    /// The engine of a workspace, if the client may use it, with the cached exploration of its
    /// graph.
    pub(crate) async fn explored(
        &self,
        client: &Client,
        name: Option<&str>,
    ) -> Result<(String, Engine, Arc<Explored>), ApiError> {
        let name = self.workspace(client, name)?;
        let (engine, explored) = self.workspaces.explored(&name).await?;
        Ok((name, engine, explored))
    }

    /// Answers a question: waits for its turn, enforces the limits, counts the cost. Dropping the
    /// future stops the work and its model calls.
    pub(crate) async fn ask(
        &self,
        client: &Client,
        ask: &Ask,
        sink: Option<EventSink>,
    ) -> Result<Reply, ApiError> {
        let started = Instant::now();
        let method = ask.method.unwrap_or(self.method);
        let mut outcome = Outcome { app: self, method, started, done: false };
        let span = self.telemetry.question(client.span(), method, &ask.question);
        let reply = self.ask_within(client, ask, method, listening(self, span.as_ref(), sink), started).await;
        outcome.done = true;
        match &reply {
            Ok(reply) => self.metrics.answered(&reply.answer),
            Err(error) => {
                self.metrics.question(&method.to_string(), error.code, started.elapsed().as_secs_f64());
            }
        }
        match (span, &reply) {
            (Some(span), Ok(reply)) => span.answered(&reply.workspace, &reply.answer),
            (Some(span), Err(error)) => span.failed(error.code),
            (None, _) => {}
        }
        reply
    }

    async fn ask_within(
        &self,
        client: &Client,
        ask: &Ask,
        method: NamedMethod,
        sink: Option<EventSink>,
        started: Instant,
    ) -> Result<Reply, ApiError> {
        let time = self.time_for(ask)?;
        let question = question(ask)?;
        check_readings(method.method, ask.reading, ask.plan_only).map_err(ApiError::invalid)?;
        let set = settings(ask, method)?;
        let cost = self.cost(ask)?;
        client.check_tokens()?;
        let (workspace, engine, explored) = self.explored(client, ask.workspace.as_deref()).await?;
        let _permit = self.questions.enter(&client.who(), time).await?;
        let left = time.saturating_sub(started.elapsed());
        let mut conversation = ask.conversation.clone();
        self.given.recall(&workspace, &mut conversation);
        let options = AskOptions {
            method: method.method,
            config: set.config,
            limits: Limits { cost, ..self.limits(ask, &set.limits, left) },
            anchors: ask.anchors.clone(),
            conversation,
            learn: self.config.learn,
            reading: ask.reading,
            plan_only: ask.plan_only,
            sink,
            keep_trace: ask.trace,
            ..AskOptions::default()
        };
        let answer = match tokio::time::timeout(left + GRACE, engine.ask(&question, &options)).await {
            Ok(answer) => answer.map_err(|error| self.explain(error))?,
            Err(_) => {
                let message = format!("the question took longer than {} s", time.as_secs_f64());
                return Err(ApiError::new(Kind::TimedOut, "timeout", message));
            }
        };
        client.spend(answer.usage.prompt_tokens + answer.usage.completion_tokens);
        let sentences = answer.evidence.iter().map(sentence).collect();
        let cited = cite(&answer);
        let shown = look(&engine, &explored, &answer).await;
        let markdown = markdown(&cited, &answer, ask.reading);
        let failures = answer.notes.iter().filter_map(failure).collect();
        let trust = Trust::of(&answer);
        Ok(Reply { workspace, cited, sentences, markdown, shown, trust, failures, answer })
    }

    /// The smallest limits among those of the server, of the request and of its settings.
    fn limits(&self, ask: &Ask, set: &Limits, time: Duration) -> Limits {
        let ServerConfig { max_llm_calls, max_tokens, evidence_tokens, .. } = self.config;
        Limits {
            llm_calls: ask.max_llm_calls.unwrap_or(max_llm_calls).min(max_llm_calls).min(set.llm_calls),
            time: time.min(set.time),
            tokens: ask.max_tokens.unwrap_or(max_tokens).min(max_tokens).min(set.tokens),
            evidence_tokens: ask
                .evidence_tokens
                .unwrap_or(evidence_tokens)
                .min(evidence_tokens)
                .min(set.evidence_tokens),
            cost: None,
        }
    }

    /// The cost limit of the question: the lower one of the server's and the request's.
    fn cost(&self, ask: &Ask) -> Result<Option<Amount>, ApiError> {
        let asked =
            amount("max_cost", ask.max_cost).map_err(|why| ApiError::invalid(why).about("max_cost"))?;
        let own = self.config.max_cost.and_then(Amount::of_units);
        Ok(asked.into_iter().chain(own).min())
    }

    /// The time limit of the question: the lowest of the server's, the request's timeout and its
    /// deadline.
    fn time_for(&self, ask: &Ask) -> Result<Duration, ApiError> {
        let mut time = self.config.question_time();
        if let Some(seconds) = ask.timeout {
            time = time.min(Duration::from_secs(seconds));
        }
        if let Some(deadline) = &ask.deadline {
            let deadline =
                parse_time(deadline).map_err(|error| ApiError::invalid(format!("deadline: {error}")))?;
            let left = deadline.timestamp().duration_since(Timestamp::now());
            time = time.min(Duration::try_from(left).unwrap_or_default());
        }
        if time.is_zero() {
            let message = "the deadline has passed; ask again with a later one";
            return Err(ApiError::new(Kind::Invalid, "deadline_passed", message));
        }
        Ok(time)
    }

    /// If there is no language model or no embedder, the error explains why.
    fn explain(&self, error: AnswerError) -> ApiError {
        let models = self.workspaces.models();
        match error {
            AnswerError::Usage(message) if models.model.is_none() || models.embedder.is_none() => {
                let problem = models.problem.as_deref().unwrap_or("the server was started without one");
                ApiError::new(Kind::Unavailable, "model_missing", format!("{message} ({problem})"))
            }
            error => error.into(),
        }
    }
}

/// The values of an answer for display. If the graph fails now, only this part is missing.
async fn look(engine: &Engine, explored: &Explored, answer: &Answer) -> Option<Shown> {
    let graph = engine.workspace().graph().as_ref();
    let coordinates = explored.coordinates.get_or_init(async || Coordinates::of(graph)).await;
    shown(graph, coordinates, answer).await.unwrap_or_else(|error| {
        tracing::warn!(target: "quipu", %error, "the places of an answer could not be read");
        None
    })
}

/// Counts a question whose client left, which no one else counts.
struct Outcome<'a> {
    app: &'a App,
    method: NamedMethod,
    started: Instant,
    done: bool,
}

impl Drop for Outcome<'_> {
    fn drop(&mut self) {
        if !self.done {
            let seconds = self.started.elapsed().as_secs_f64();
            self.app.metrics.question(&self.method.to_string(), "client_left", seconds);
        }
    }
}

/// The listeners of events: the client's, and the question's span.
fn listening(app: &App, span: Option<&QuestionSpan>, sink: Option<EventSink>) -> Option<EventSink> {
    let Some(span) = span else { return sink };
    let model = app.workspaces.models().model.as_ref().map_or("none", |model| model.name());
    Some(span.sink(model, sink))
}

fn question(ask: &Ask) -> Result<Question, ApiError> {
    let asked_at = match &ask.asked_at {
        Some(text) => parse_time(text).map_err(|error| ApiError::invalid(format!("asked_at: {error}")))?,
        None => Zoned::now(),
    };
    Ok(Question::new(&ask.question, asked_at)?)
}

/// An amount of money from a setting or a request.
///
/// # Errors
/// An invalid amount.
fn amount(name: &str, units: Option<f64>) -> Result<Option<Amount>, String> {
    let read = |units: f64| {
        Amount::of_units(units)
            .ok_or_else(|| format!("{name}: {units} is not an amount; it must be a number from 0"))
    };
    units.map(read).transpose()
}

/// The request's settings over the defaults. Limits that it does not set are unlimited here.
///
/// # Errors
/// An unknown key; a value that is invalid, or beyond the limit for requests.
fn settings(ask: &Ask, method: NamedMethod) -> Result<AskOptions, ApiError> {
    let limits = Limits {
        llm_calls: u32::MAX,
        time: Duration::MAX,
        tokens: u64::MAX,
        evidence_tokens: usize::MAX,
        cost: None,
    };
    let mut options = AskOptions { method: method.method, limits, ..AskOptions::default() };
    options.config.planner = method.planner;
    for (key, value) in &ask.set {
        set_option_of_request(&mut options, key, value)
            .map_err(|error| ApiError::invalid(format!("set: {error}")).about("set"))?;
    }
    options.named().map_err(|error| ApiError::invalid(error.to_string()).about("method"))?;
    Ok(options)
}
