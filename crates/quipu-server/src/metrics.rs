//! The server's metrics, for Prometheus. Labels have few values: the names of the server's own
//! stages, methods, outcomes and routes, never data from a client.

use std::sync::Arc;
use std::sync::atomic::AtomicI64;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use quipu_answer::{Answer, Status};

type Labels<const N: usize> = [(&'static str, String); N];
type Timings = Family<Vec<(&'static str, String)>, Histogram, fn() -> Histogram>;
type Counts = Family<Vec<(&'static str, String)>, Counter>;

/// The server's counters; clones share their counts.
#[derive(Clone)]
pub(crate) struct Metrics {
    registry: Arc<Registry>,
    questions: Counts,
    question_seconds: Timings,
    stage_seconds: Timings,
    model_seconds: Timings,
    model_calls: Counts,
    model_tokens: Counts,
    answers: Counts,
    requests: Counts,
    request_seconds: Timings,
    spans: Counts,
    /// Open connections.
    pub(crate) connections: Gauge<i64, AtomicI64>,
    waiting: Gauge<i64, AtomicI64>,
    working: Gauge<i64, AtomicI64>,
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("quipu");
        let timings = || Timings::new_with_constructor(buckets);
        let metrics = Self {
            questions: Counts::default(),
            question_seconds: timings(),
            stage_seconds: timings(),
            model_seconds: timings(),
            model_calls: Counts::default(),
            model_tokens: Counts::default(),
            answers: Counts::default(),
            requests: Counts::default(),
            request_seconds: timings(),
            spans: Counts::default(),
            connections: Gauge::default(),
            waiting: Gauge::default(),
            working: Gauge::default(),
            registry: Arc::default(),
        };
        registry.register("questions", "Questions, by method and outcome", metrics.questions.clone());
        registry.register(
            "question_seconds",
            "Seconds for a question, by method",
            metrics.question_seconds.clone(),
        );
        registry.register("stage_seconds", "Seconds of a question's stage", metrics.stage_seconds.clone());
        let help = "Seconds of a question's stage spent waiting for models";
        registry.register("stage_model_seconds", help, metrics.model_seconds.clone());
        registry.register(
            "model_calls",
            "Calls to the language model, by stage",
            metrics.model_calls.clone(),
        );
        registry.register(
            "model_tokens",
            "Tokens of the language model, by kind",
            metrics.model_tokens.clone(),
        );
        registry.register("answers", "Answers, by whether the evidence holds them", metrics.answers.clone());
        registry.register("http_requests", "HTTP requests, by route and status", metrics.requests.clone());
        registry.register(
            "http_request_seconds",
            "Seconds for a response to begin",
            metrics.request_seconds.clone(),
        );
        registry.register("spans", "Spans of traces, by whether they were sent", metrics.spans.clone());
        registry.register("connections", "Connections that are open", metrics.connections.clone());
        registry.register("questions_waiting", "Questions in the queue", metrics.waiting.clone());
        registry.register("questions_working", "Questions being answered", metrics.working.clone());
        Self { registry: Arc::new(registry), ..metrics }
    }

    /// Counts an answer.
    pub(crate) fn answered(&self, answer: &Answer) {
        let outcome = match answer.status {
            Status::Answered => "answered",
            Status::Abstained => "abstained",
            Status::InvalidQuestion => "invalid_question",
        };
        self.question(&answer.method, outcome, answer.usage.seconds);
        for stage in &answer.usage.by_stage {
            let labels = labels([("stage", stage.stage.clone())]);
            self.stage_seconds.get_or_create(&labels).observe(stage.seconds);
            self.model_seconds.get_or_create(&labels).observe(stage.model_seconds);
            self.model_calls.get_or_create(&labels).inc_by(stage.llm_calls.into());
        }
        for (kind, tokens) in
            [("prompt", answer.usage.prompt_tokens), ("completion", answer.usage.completion_tokens)]
        {
            self.model_tokens.get_or_create(&labels([("kind", kind.into())])).inc_by(tokens);
        }
        if answer.status == Status::Answered {
            let grounded = answer.grounded.to_string();
            self.answers.get_or_create(&labels([("grounded", grounded)])).inc();
        }
    }

    /// Counts a question that failed, or whose client left.
    pub(crate) fn question(&self, method: &str, outcome: &str, seconds: f64) {
        let by_outcome = labels([("method", method.to_owned()), ("outcome", outcome.to_owned())]);
        self.questions.get_or_create(&by_outcome).inc();
        let by_method = labels([("method", method.to_owned())]);
        self.question_seconds.get_or_create(&by_method).observe(seconds);
    }

    /// Counts an HTTP request. `route` is one of the server's routes, never the requested path.
    pub(crate) fn request(&self, route: &str, status: u16, seconds: f64) {
        let by_status = labels([("route", route.to_owned()), ("status", status.to_string())]);
        self.requests.get_or_create(&by_status).inc();
        self.request_seconds.get_or_create(&labels([("route", route.to_owned())])).observe(seconds);
    }

    /// Counts spans: `sent` or `dropped`.
    pub(crate) fn spans(&self, outcome: &str, count: u64) {
        self.spans.get_or_create(&labels([("outcome", outcome.to_owned())])).inc_by(count);
    }

    /// Sets the numbers of waiting and running questions.
    pub(crate) fn gauge(&self, waiting: usize, working: usize) {
        self.waiting.set(i64::try_from(waiting).unwrap_or(i64::MAX));
        self.working.set(i64::try_from(working).unwrap_or(i64::MAX));
    }

    /// In the text format of OpenMetrics.
    pub(crate) fn to_text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

fn labels<const N: usize>(labels: Labels<N>) -> Vec<(&'static str, String)> {
    labels.into()
}

/// From one millisecond to two minutes.
fn buckets() -> Histogram {
    Histogram::new(exponential_buckets(0.001, 2.0, 18))
}
