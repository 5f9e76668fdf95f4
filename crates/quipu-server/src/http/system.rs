//! Health checks and counters.

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use schemars::JsonSchema;
use serde::Serialize;

use super::Answered;
use super::operations::{Operations, text};
use crate::access::Client;
use crate::app::App;
use crate::error::{ApiError, Kind};
use crate::reply::{ok, with_type};

pub(super) fn operations(operations: &mut Operations) {
    let reply = operations.schema::<Alive>();
    let alive = Operations::describe("get", "/healthz", "Server", "Whether the server runs")
        .open()
        .replies("It runs", &[("application/json", reply.clone())]);
    operations.add(alive, Some(get(healthy)));
    let ready = Operations::describe(
        "get",
        "/readyz",
        "Server",
        "Whether the server can answer: each workspace opens, with its documents",
    )
    .open()
    .details(
        "Opening a workspace checks headers, tables of contents and small files. The other pages are checked \
         when a request first reads them: damage there shows as that request's error, and in the document \
         index also here from then on. `quipu doctor` reads every byte.",
    )
    .replies("It can", &[("application/json", reply)]);
    operations.add(ready, Some(get(ready_to_answer)));
    let metrics = Operations::describe("get", "/metrics", "Server", "Counters for Prometheus")
        .replies("The counters", &[("application/openmetrics-text", text())]);
    operations.add(metrics, Some(get(counters)));
}

/// A health check's reply.
#[derive(Debug, Serialize, JsonSchema)]
struct Alive {
    /// `ok`.
    status: &'static str,
}

async fn healthy() -> Answered {
    Ok(ok(&Alive { status: "ok" }))
}

async fn ready_to_answer(State(app): State<App>) -> Answered {
    let names: Vec<String> = app.workspaces.names().map(str::to_owned).collect();
    for name in names {
        if let Err(error) = app.workspaces.check(&name).await {
            return Err(ApiError::new(Kind::Unavailable, "not_ready", error.message));
        }
    }
    Ok(ok(&Alive { status: "ok" }))
}

async fn counters(State(app): State<App>, _: Client) -> Answered {
    app.metrics.gauge(app.questions.waiting(), app.questions.working());
    let text = app.metrics.to_text();
    let text = text.map_err(|error| ApiError::new(Kind::Internal, "internal_error", error.to_string()))?;
    Ok(with_type(StatusCode::OK, "application/openmetrics-text; version=1.0.0; charset=utf-8", text))
}
