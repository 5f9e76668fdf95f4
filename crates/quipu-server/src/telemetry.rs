//! OpenTelemetry traces: a span for each request, each question and each call of the language
//! model, named by the GenAI conventions. Without a configured endpoint nothing is collected or
//! sent. Texts of questions, prompts and replies are excluded unless requested.

mod export;
mod spans;
mod wire;

use std::sync::Arc;

use axum::http::{HeaderMap, Method};
use quipu_answer::NamedMethod;
use tokio::sync::mpsc;

use crate::config::TelemetryConfig;
use crate::metrics::Metrics;
pub(crate) use export::{Exporter, Exporting};
pub(crate) use spans::{QuestionSpan, RequestSpan, SpanContext};
use wire::Span;

/// Most spans waiting for export. Further spans are dropped and counted, so that a collector that
/// is down slows no question.
const WAITING: usize = 4096;

/// The destination of spans; none without an endpoint.
#[derive(Clone, Default)]
pub(crate) struct Telemetry(Option<Arc<Inner>>);

struct Inner {
    spans: mpsc::Sender<Span>,
    metrics: Metrics,
    /// Whether to include texts of questions, prompts and replies.
    content: bool,
}

impl Telemetry {
    /// The destination of spans, and their exporter; none without an endpoint.
    ///
    /// # Errors
    /// An unusable endpoint or header.
    pub(crate) fn new(
        config: &TelemetryConfig,
        metrics: &Metrics,
    ) -> Result<(Self, Option<Exporter>), String> {
        if config.endpoint.is_empty() {
            return Ok((Self::default(), None));
        }
        let (sender, spans) = mpsc::channel(WAITING);
        let exporter = Exporter::new(config, spans, metrics.clone())?;
        let inner = Inner { spans: sender, metrics: metrics.clone(), content: config.content };
        Ok((Self(Some(Arc::new(inner))), Some(exporter)))
    }

    /// Begins the span of an HTTP request, below the caller's span if the request names one.
    pub(crate) fn request(&self, verb: &Method, route: &str, headers: &HeaderMap) -> Option<RequestSpan> {
        self.0.is_some().then(|| RequestSpan::new(self.clone(), verb, route, headers))
    }

    /// Begins the span of a question, below that of its request.
    pub(crate) fn question(
        &self,
        parent: Option<SpanContext>,
        method: NamedMethod,
        question: &str,
    ) -> Option<QuestionSpan> {
        self.0.is_some().then(|| QuestionSpan::new(self.clone(), parent, method, question))
    }

    fn content(&self) -> bool {
        self.0.as_ref().is_some_and(|inner| inner.content)
    }

    /// Queues a span; never waits.
    fn send(&self, span: Span) {
        if let Some(inner) = &self.0
            && inner.spans.try_send(span).is_err()
        {
            inner.metrics.spans("dropped", 1);
        }
    }
}
