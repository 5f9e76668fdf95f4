//! Running spans: of a request, and of a question with its calls of the language model.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use axum::http::{HeaderMap, Method};
use parking_lot::Mutex;
use quipu_answer::{Answer, Event, EventSink, NamedMethod, Status, TimedEvent};
use serde_json::{Value, json};

use super::Telemetry;
use super::wire::{Attribute, CLIENT, INTERNAL, SERVER, Span, SpanEvent, SpanStatus, nanos};

/// W3C's header with the caller's span.
const TRACEPARENT: &str = "traceparent";
/// Most events of one question in its span; a long search has thousands.
const MOST_EVENTS: usize = 128;

/// The identity of a span in its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SpanContext {
    trace: u128,
    span: u64,
    /// Whether the trace's creator wants it recorded.
    sampled: bool,
}

impl SpanContext {
    /// The first span of a trace.
    fn root() -> Self {
        let (high, low) = (random(), random());
        Self { trace: (u128::from(high) << 64) | u128::from(low), span: random(), sampled: true }
    }

    fn child(self) -> Self {
        Self { span: random(), ..self }
    }

    /// Reads `00-TRACE-SPAN-FLAGS`; `None` for anything else.
    fn parse(header: &str) -> Option<Self> {
        let mut parts = header.trim().split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let plain = |part: &str, length| {
            part.len() == length && part.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        };
        let known = version == "00" && parts.next().is_none();
        if !(known && plain(trace, 32) && plain(span, 16) && plain(flags, 2)) {
            return None;
        }
        let trace = u128::from_str_radix(trace, 16).ok().filter(|id| *id != 0)?;
        let span = u64::from_str_radix(span, 16).ok().filter(|id| *id != 0)?;
        Some(Self { trace, span, sampled: u8::from_str_radix(flags, 16).ok()? & 1 == 1 })
    }
}

/// A random number other than 0, which means no id.
fn random() -> u64 {
    let mut bytes = [0; 8];
    // Without random numbers ids may collide, which only makes the trace less useful.
    let _ = getrandom::fill(&mut bytes);
    u64::from_ne_bytes(bytes).max(1)
}

/// The common data of running spans.
struct Running {
    telemetry: Telemetry,
    context: SpanContext,
    parent: Option<SpanContext>,
    started: SystemTime,
}

impl Running {
    fn new(telemetry: Telemetry, parent: Option<SpanContext>) -> Self {
        let context = parent.map_or_else(SpanContext::root, SpanContext::child);
        Self { telemetry, context, parent, started: SystemTime::now() }
    }

    fn finish(
        &self,
        name: String,
        kind: u8,
        attributes: Vec<Attribute>,
        events: Vec<SpanEvent>,
        failed: bool,
    ) {
        if !self.context.sampled {
            return;
        }
        self.telemetry.send(Span {
            trace_id: format!("{:032x}", self.context.trace),
            span_id: format!("{:016x}", self.context.span),
            parent_span_id: self.parent.map(|parent| format!("{:016x}", parent.span)).unwrap_or_default(),
            name,
            kind,
            start_time_unix_nano: nanos(self.started),
            end_time_unix_nano: nanos(SystemTime::now()),
            attributes,
            events,
            status: SpanStatus { code: if failed { 2 } else { 0 } },
        });
    }
}

/// A running HTTP request.
pub(crate) struct RequestSpan {
    running: Running,
    verb: Method,
    route: String,
}

impl RequestSpan {
    pub(super) fn new(telemetry: Telemetry, verb: &Method, route: &str, headers: &HeaderMap) -> Self {
        let caller = headers.get(TRACEPARENT).and_then(|value| SpanContext::parse(value.to_str().ok()?));
        Self { running: Running::new(telemetry, caller), verb: verb.clone(), route: route.to_owned() }
    }

    pub(crate) fn context(&self) -> SpanContext {
        self.running.context
    }

    /// Ends the span when the response begins.
    pub(crate) fn finish(self, status: u16, id: &str) {
        let attributes = vec![
            Attribute::text("http.request.method", self.verb.as_str()),
            Attribute::text("http.route", &self.route),
            Attribute::number("http.response.status_code", status.into()),
            Attribute::text("quipu.request_id", id),
        ];
        let name = format!("{} {}", self.verb, self.route);
        self.running.finish(name, SERVER, attributes, Vec::new(), status >= 500);
    }
}

/// A running question. If it is dropped, its client left.
pub(crate) struct QuestionSpan {
    running: Arc<Running>,
    heard: Arc<Mutex<Heard>>,
    method: NamedMethod,
    question: String,
    finished: bool,
}

#[derive(Default)]
struct Heard {
    events: Vec<SpanEvent>,
    model: Arc<str>,
}

impl QuestionSpan {
    pub(super) fn new(
        telemetry: Telemetry,
        parent: Option<SpanContext>,
        method: NamedMethod,
        question: &str,
    ) -> Self {
        let running = Arc::new(Running::new(telemetry, parent));
        Self { running, heard: Arc::default(), method, question: question.to_owned(), finished: false }
    }

    /// A sink that records the events and passes them to `inner`.
    pub(crate) fn sink(&self, model: &str, inner: Option<EventSink>) -> EventSink {
        self.heard.lock().model = model.into();
        let (running, heard) = (self.running.clone(), self.heard.clone());
        Arc::new(move |event: &TimedEvent| {
            hear(&running, &heard, event);
            if let Some(inner) = &inner {
                inner(event);
            }
        })
    }

    /// Ends the span of an answered or abstained question.
    pub(crate) fn answered(mut self, workspace: &str, answer: &Answer) {
        let outcome = match answer.status {
            Status::Answered => "answered",
            Status::Abstained => "abstained",
            Status::InvalidQuestion => "invalid_question",
        };
        let usage = &answer.usage;
        let mut attributes = vec![
            Attribute::text("quipu.workspace", workspace),
            Attribute::truth("quipu.grounded", answer.grounded),
            Attribute::number("quipu.evidence", answer.evidence.len() as u64),
            Attribute::number("quipu.model_calls", usage.llm_calls.into()),
            Attribute::number("gen_ai.usage.input_tokens", usage.prompt_tokens),
            Attribute::number("gen_ai.usage.output_tokens", usage.completion_tokens),
        ];
        if self.running.telemetry.content() {
            attributes.push(Attribute::text("gen_ai.output.messages", messages("assistant", &answer.answer)));
        }
        self.end(outcome, attributes, false);
    }

    /// Ends the span of a failed question.
    pub(crate) fn failed(mut self, code: &'static str) {
        self.end("failed", vec![Attribute::text("error.type", code)], true);
    }

    fn end(&mut self, outcome: &str, mut attributes: Vec<Attribute>, failed: bool) {
        self.finished = true;
        attributes.extend([
            Attribute::text("gen_ai.operation.name", "invoke_agent"),
            Attribute::text("gen_ai.agent.name", "quipu"),
            Attribute::text("quipu.method", self.method.to_string()),
            Attribute::text("quipu.outcome", outcome),
        ]);
        if self.running.telemetry.content() {
            attributes.push(Attribute::text("gen_ai.input.messages", messages("user", &self.question)));
        }
        let events = std::mem::take(&mut self.heard.lock().events);
        self.running.finish("invoke_agent quipu".into(), INTERNAL, attributes, events, failed);
    }
}

impl Drop for QuestionSpan {
    fn drop(&mut self) {
        if !self.finished {
            self.end("client_left", Vec::new(), false);
        }
    }
}

/// A model call becomes a separate span, any other event an event of the question's span, by its
/// name only.
fn hear(running: &Running, heard: &Mutex<Heard>, event: &TimedEvent) {
    let stage = Attribute::text("quipu.stage", event.stage.name());
    if let Event::ModelCalled { request, prompt, reply, usage } = &event.event {
        let model = heard.lock().model.clone();
        let (provider, name) = model.split_once(':').unwrap_or(("local", &model));
        let mut attributes = vec![
            Attribute::text("gen_ai.operation.name", "chat"),
            Attribute::text("gen_ai.provider.name", provider),
            Attribute::text("gen_ai.request.model", name),
            Attribute::number("gen_ai.usage.input_tokens", usage.prompt_tokens),
            Attribute::number("gen_ai.usage.output_tokens", usage.completion_tokens),
            Attribute::text("quipu.request", request),
            Attribute::truth("quipu.cached", usage.cached_calls > 0),
            stage,
        ];
        if running.telemetry.content() {
            attributes.push(Attribute::text("gen_ai.input.messages", messages("user", prompt)));
            attributes.push(Attribute::text("gen_ai.output.messages", messages("assistant", reply)));
        }
        let took = Duration::try_from_secs_f64(usage.seconds).unwrap_or_default();
        let now = SystemTime::now();
        let call = Running {
            telemetry: running.telemetry.clone(),
            context: running.context.child(),
            parent: Some(running.context),
            started: now.checked_sub(took).unwrap_or(now),
        };
        call.finish(format!("chat {name}"), CLIENT, attributes, Vec::new(), false);
        return;
    }
    let name = match json!(event.event).get("event") {
        Some(Value::String(name)) => name.clone(),
        _ => return,
    };
    let events = &mut heard.lock().events;
    if events.len() < MOST_EVENTS {
        let time_unix_nano = nanos(SystemTime::now());
        events.push(SpanEvent { time_unix_nano, name, attributes: vec![stage] });
    }
}

/// Messages in one attribute, in the form of the GenAI conventions.
fn messages(role: &str, text: &str) -> String {
    json!([{ "role": role, "parts": [{ "type": "text", "content": text }] }]).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callers_span_is_read_or_left() {
        let header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let read = SpanContext::parse(header).unwrap();
        assert_eq!(format!("{:032x}", read.trace), "0af7651916cd43dd8448eb211c80319c");
        assert!(read.sampled && read.span == 0xb7ad_6b71_6920_3331);
        assert!(!SpanContext::parse(&header.replace("-01", "-00")).unwrap().sampled);
        for wrong in [
            "",
            "00",
            "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-00",
        ] {
            assert_eq!(SpanContext::parse(wrong), None, "{wrong}");
        }
    }
}
