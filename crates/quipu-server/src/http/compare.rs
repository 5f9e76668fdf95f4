//! `/api/v1/compare`: one question, several methods.

use axum::extract::State;
use axum::routing::post;
use futures::future::join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Answered;
use super::api::AskRequest;
use super::extract::Json;
use super::operations::Operations;
use crate::access::Client;
use crate::app::{App, Ask, Reply};
use crate::error::{ApiError, ErrorDetail};
use crate::reply::ok;
use crate::settings::read_method;

/// Most methods of one comparison.
const MOST_METHODS: usize = 4;

pub(super) fn operations(operations: &mut Operations) {
    let (body, reply) = (operations.schema::<CompareRequest>(), operations.schema::<Comparison>());
    let compare = Operations::describe(
        "post",
        "/api/v1/compare",
        "Questions",
        "Answer a question by several methods",
    )
    .body(&[("application/json", body)])
    .example(json!({ "ask": { "question": "What is the capital of Peru?" }, "methods": ["paths", "graph"] }))
    .replies("An answer or an error of each method, in their order", &[("application/json", reply)]);
    operations.add(compare, Some(post(answer)));
}

/// A question and the methods to compare.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CompareRequest {
    /// The question; its method is ignored.
    ask: AskRequest,
    /// The methods.
    #[schemars(length(min = 1, max = 4))]
    methods: Vec<String>,
}

/// The results of each method.
#[derive(Debug, Serialize, JsonSchema)]
struct Comparison {
    /// In the order of the methods.
    results: Vec<Compared>,
}

/// The result of one method.
#[derive(Debug, Serialize, JsonSchema)]
struct Compared {
    /// The method.
    method: String,
    /// Its answer.
    reply: Option<Reply>,
    /// Its error, if it failed.
    error: Option<ErrorDetail>,
}

async fn answer(State(app): State<App>, client: Client, Json(request): Json<CompareRequest>) -> Answered {
    if request.methods.is_empty() || request.methods.len() > MOST_METHODS {
        return Err(ApiError::invalid(format!("methods: name from 1 to {MOST_METHODS} methods to compare")));
    }
    let ask = request.ask.into_ask()?;
    let mut asks = Vec::new();
    for name in &request.methods {
        asks.push(Ask { method: Some(read_method(name)?), ..ask.clone() });
    }
    let replies = join_all(asks.iter().map(|ask| app.ask(&client, ask, None))).await;
    let results = request.methods.into_iter().zip(replies).map(|(method, reply)| match reply {
        Ok(reply) => Compared { method, reply: Some(reply), error: None },
        Err(error) => Compared { method, reply: None, error: Some(error.body().error) },
    });
    Ok(ok(&Comparison { results: results.collect() }))
}
