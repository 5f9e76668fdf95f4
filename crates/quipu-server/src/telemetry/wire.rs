//! Spans in OTLP's JSON form (opentelemetry-proto, `trace.proto`): ids in hexadecimal, times as
//! decimal texts.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde_json::{Value, json};

/// The server answered the request (`SPAN_KIND_SERVER`).
pub(super) const SERVER: u8 = 2;
/// A request to another service (`SPAN_KIND_CLIENT`).
pub(super) const CLIENT: u8 = 3;
/// Internal work (`SPAN_KIND_INTERNAL`).
pub(super) const INTERNAL: u8 = 1;

/// A finished span.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Span {
    pub(super) trace_id: String,
    pub(super) span_id: String,
    /// Empty for the first span of a trace.
    pub(super) parent_span_id: String,
    pub(super) name: String,
    pub(super) kind: u8,
    pub(super) start_time_unix_nano: String,
    pub(super) end_time_unix_nano: String,
    pub(super) attributes: Vec<Attribute>,
    pub(super) events: Vec<SpanEvent>,
    pub(super) status: SpanStatus,
}

/// An event during a span.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SpanEvent {
    pub(super) time_unix_nano: String,
    pub(super) name: String,
    pub(super) attributes: Vec<Attribute>,
}

/// The outcome of a span.
#[derive(Debug, Default, Serialize)]
pub(super) struct SpanStatus {
    /// 0: unset, 2: error.
    pub(super) code: u8,
}

/// A named value.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Attribute {
    key: &'static str,
    value: Value,
}

impl Attribute {
    pub(super) fn text(key: &'static str, text: impl Into<String>) -> Self {
        Self { key, value: json!({ "stringValue": text.into() }) }
    }

    /// OTLP writes 64-bit numbers as texts.
    pub(super) fn number(key: &'static str, number: u64) -> Self {
        Self { key, value: json!({ "intValue": number.to_string() }) }
    }

    pub(super) fn truth(key: &'static str, truth: bool) -> Self {
        Self { key, value: json!({ "boolValue": truth }) }
    }
}

/// An export of spans by a service.
pub(super) fn export(service: &str, spans: &[Span]) -> Value {
    let resource = [
        Attribute::text("service.name", service),
        Attribute::text("service.version", env!("CARGO_PKG_VERSION")),
        Attribute::text("telemetry.sdk.language", "rust"),
    ];
    let scope = json!({ "name": "quipu", "version": env!("CARGO_PKG_VERSION") });
    json!({
        "resourceSpans": [{
            "resource": { "attributes": resource },
            "scopeSpans": [{ "scope": scope, "spans": spans }],
        }],
    })
}

/// Nanoseconds since 1970.
pub(super) fn nanos(time: SystemTime) -> String {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos().to_string()
}
