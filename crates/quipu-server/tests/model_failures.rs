//! A failing language model: every surface reports the same, for every kind of failure.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quipu_model::{EndpointConfig, HttpModel, ModelError, Scripted, ScriptedModel};
use serde_json::{Value, json};
use support::{Running, config, error, error_of, events, ok, scripted, serve, with_model};
use tokio::net::TcpListener;

const QUESTION: &str = "who directed Kauwboy?";

/// The failures of a model, and the HTTP status of each if nothing was found without the model.
fn failures() -> Vec<(ModelError, u16)> {
    let endpoint = || "http://model".to_owned();
    vec![
        (ModelError::Unreachable { endpoint: endpoint(), reason: "reset".into(), attempts: 5 }, 502),
        (ModelError::Refused { endpoint: endpoint(), status: 401, reason: "wrong key".into() }, 502),
        (ModelError::Foreign { endpoint: endpoint(), reason: "expected JSON".into() }, 502),
        (ModelError::TimedOut { model: "scripted".into(), limit: Duration::from_secs(9) }, 504),
    ]
}

async fn failing(failure: &ModelError) -> Running {
    let failure = failure.clone();
    let model = ScriptedModel::new().when(move |_| Some(Scripted::Fail(failure.clone())));
    serve(config(), scripted(model).await).await
}

fn chat(method: &str, stream: bool) -> Value {
    let messages = json!([{ "role": "user", "content": QUESTION }]);
    json!({ "model": format!("quipu/{method}"), "messages": messages, "stream": stream })
}

fn response(method: &str, stream: bool) -> Value {
    json!({ "model": format!("quipu/{method}"), "input": QUESTION, "stream": stream })
}

/// The result of the tool `ask_question`.
async fn tool(server: &Running, method: &str) -> Value {
    let arguments =
        json!({ "question": QUESTION, "method": method, "set": { "fallback": method == "kerag" } });
    let params = json!({ "name": "ask_question", "arguments": arguments });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let request = server.post("/mcp", &call).header("accept", "application/json, text/event-stream");
    let text = request.send().await.unwrap().text().await.unwrap();
    let data = events(&text).into_iter().map(|(_, data)| data).find(|data| data.contains("result"));
    serde_json::from_str::<Value>(&data.unwrap_or(text)).unwrap()["result"].clone()
}

#[tokio::test]
async fn where_nothing_is_found_without_the_model_its_failure_is_the_error() {
    for (failure, status) in failures() {
        let server = failing(&failure).await;
        let said = failure.to_string();
        let ask = json!({ "question": QUESTION, "method": "io" });
        for request in [
            server.post("/api/v1/ask", &ask),
            server.post("/v1/chat/completions", &chat("io", false)),
            server.post("/v1/responses", &response("io", false)),
        ] {
            let response = request.send().await.unwrap();
            assert_eq!(error_of(response).await, (status, "model_error".into()), "{said}");
        }
        let streams = [
            server.post("/api/v1/ask", &ask).header("accept", "text/event-stream"),
            server.post("/v1/chat/completions", &chat("io", true)),
        ];
        for request in streams {
            let text = request.send().await.unwrap().text().await.unwrap();
            assert!(text.contains("model_error") && !text.contains("I don't know"), "{said}: {text}");
        }
        let streamed = server.post("/v1/responses", &response("io", true)).send().await.unwrap();
        let text = streamed.text().await.unwrap();
        assert!(text.contains("response.failed") && !text.contains("I don't know"), "{said}: {text}");
        let both = json!({ "ask": { "question": QUESTION }, "methods": ["io", "cot"] });
        let compared = ok(server.post("/api/v1/compare", &both)).await;
        for result in compared["results"].as_array().unwrap() {
            assert_eq!((&result["error"]["code"], &result["reply"]), (&"model_error".into(), &Value::Null));
            assert!(result["error"]["message"].as_str().unwrap().contains(&said), "{said}: {result}");
        }
        let told = tool(&server, "io").await;
        assert_eq!(told["isError"], true, "{said}: {told}");
        assert!(told["content"][0]["text"].as_str().unwrap().contains(&said), "{told}");
    }
}

#[tokio::test]
async fn what_is_found_without_the_model_says_that_it_failed() {
    for (failure, _) in failures() {
        let server = failing(&failure).await;
        let said = failure.to_string();
        let failed = |notes: &Value| {
            let notes = notes.as_array().unwrap();
            notes.iter().any(|note| note["note"] == "model_failed" && note["reason"] == said.as_str())
        };
        let fallback = json!({ "fallback": true });
        let ask = json!({ "question": QUESTION, "method": "kerag", "set": fallback });
        let answer = ok(server.post("/api/v1/ask", &ask)).await;
        assert_eq!(answer["answers"], json!(["Boudewijn Koole"]), "{said}: {answer}");
        assert!(failed(&answer["notes"]), "{said}: {answer}");
        let told = answer["failures"][0].as_str().unwrap();
        assert!(told.starts_with("scripted failed") && told.contains(&said), "{told}");
        let one = json!({ "ask": { "question": QUESTION, "set": fallback }, "methods": ["kerag"] });
        let compared = ok(server.post("/api/v1/compare", &one)).await;
        let reply = &compared["results"][0]["reply"];
        assert!(failed(&reply["notes"]), "{said}: {compared}");
        let mut asked = chat("kerag", false);
        asked["quipu"]["set"] = fallback.clone();
        let reply = ok(server.post("/v1/chat/completions", &asked)).await;
        assert!(failed(&reply["quipu"]["notes"]), "{said}: {reply}");
        let content = reply["choices"][0]["message"]["content"].as_str().unwrap();
        assert!(content.contains("Boudewijn Koole") && content.contains("scripted failed"), "{content}");
        let mut asked = response("kerag", false);
        asked["quipu"]["set"] = fallback;
        let reply = ok(server.post("/v1/responses", &asked)).await;
        assert!(failed(&reply["quipu"]["notes"]), "{said}: {reply}");
        let told = tool(&server, "kerag").await;
        assert!(failed(&told["structuredContent"]["notes"]), "{said}: {told}");
    }
}

/// A model that accepts connections and never replies, over a real connection.
#[tokio::test]
async fn a_model_that_hangs_costs_its_question_and_no_other() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let hanging = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = listener.accept().await {
            held.push(stream);
        }
    });
    let model = HttpModel::new("hangs", EndpointConfig::at(url)).unwrap();
    let server = serve(config(), with_model(Arc::new(model)).await).await;
    let started = Instant::now();
    let ask = json!({ "question": QUESTION, "method": "io", "timeout": 1 });
    assert_eq!(error(server.post("/api/v1/ask", &ask)).await, (504, "model_error".into()));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    // The places of the question and of its call are free again.
    server.wait_for("quipu_questions_working", 0.0).await;
    ok(server.get("/api/v1/entities/Tonio")).await;
    hanging.abort();
}

#[tokio::test]
async fn a_follow_up_that_was_not_understood_is_not_answered() {
    let (failure, status) = failures().remove(0);
    let server = failing(&failure).await;
    let mut asked = chat("paths", false);
    asked["messages"] = json!([
        { "role": "user", "content": QUESTION },
        { "role": "assistant", "content": "Boudewijn Koole" },
        { "role": "user", "content": "born when exactly?" },
    ]);
    let response = server.post("/v1/chat/completions", &asked).send().await.unwrap();
    assert_eq!(error_of(response).await, (status, "model_error".into()));
}
