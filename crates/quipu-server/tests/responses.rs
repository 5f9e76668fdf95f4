//! OpenAI's responses: whole, as typed events, and with refused parameters.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test ends where something fails"
)]

use crate::support;
use quipu_model::ScriptedModel;
use serde_json::{Value, json};
use support::{config, error, events, no_model, ok, scripted, serve};

const QUESTION: &str = "who directed Kauwboy?";

fn request(more: Value) -> Value {
    let mut body = json!({ "model": "quipu", "input": QUESTION });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

fn text(response: &Value) -> &str {
    response["output"][0]["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn one_model_can_be_looked_at() {
    let server = serve(config(), no_model().await).await;
    for id in ["quipu", "films", "films/kerag"] {
        for path in [id.to_owned(), id.replace('/', "%2F")] {
            let model = ok(server.get(&format!("/v1/models/{path}"))).await;
            assert_eq!((&model["id"], &model["object"]), (&json!(id), &json!("model")));
        }
    }
    for id in ["gpt-99", "films/magic", "elsewhere/kerag", "films/"] {
        assert_eq!(
            error(server.get(&format!("/v1/models/{id}"))).await,
            (404, "model_not_found".into()),
            "{id}"
        );
    }
}

#[tokio::test]
async fn a_response_says_what_a_completion_says() {
    let server = serve(config(), no_model().await).await;
    let response = ok(server.post("/v1/responses", &request(json!({ "metadata": { "a": "b" } })))).await;
    assert_eq!((&response["object"], &response["status"]), (&json!("response"), &json!("completed")));
    assert!(response["id"].as_str().unwrap().starts_with("resp_"));
    let output = &response["output"][0];
    assert_eq!((&output["type"], &output["role"]), (&json!("message"), &json!("assistant")));
    assert_eq!(output["content"][0]["type"], "output_text");
    let chat = json!({ "model": "quipu", "messages": [{ "role": "user", "content": QUESTION }] });
    let chat = ok(server.post("/v1/chat/completions", &chat)).await;
    assert_eq!(text(&response), chat["choices"][0]["message"]["content"]);
    assert_eq!(response["quipu"]["answers"], chat["quipu"]["answers"]);
    assert_eq!((&response["metadata"], &response["store"]), (&json!({ "a": "b" }), &json!(false)));
    assert!(response["usage"]["total_tokens"].is_u64() && response["error"].is_null());
}

#[tokio::test]
async fn earlier_messages_stand_in_the_input() {
    let server = serve(config(), no_model().await).await;
    let first = ok(server.post("/v1/responses", &request(json!({})))).await;
    let input = json!([
        { "role": "user", "content": QUESTION },
        first["output"][0],
        { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "and where was he born?" }] },
    ]);
    let body = request(json!({ "input": input, "instructions": "Be brief." }));
    let response = ok(server.post("/v1/responses", &body)).await;
    assert_eq!(response["quipu"]["answers"], json!(["Leidschendam"]));
    assert_eq!(response["instructions"], "Be brief.");
}

#[tokio::test]
async fn typed_events_follow_one_another() {
    let server = serve(config(), no_model().await).await;
    let whole = ok(server.post("/v1/responses", &request(json!({})))).await;
    let body = request(json!({ "stream": true, "quipu": { "events": true } }));
    let streamed = server.post("/v1/responses", &body).send().await.unwrap().text().await.unwrap();
    let told = events(&streamed);
    let data: Vec<Value> = told.iter().map(|(_, data)| serde_json::from_str(data).unwrap()).collect();
    for (number, ((name, _), data)) in told.iter().zip(&data).enumerate() {
        assert_eq!((&data["type"], &data["sequence_number"]), (&json!(name), &json!(number)));
    }
    let kinds: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
    let mut once = kinds.clone();
    once.dedup();
    let expected = [
        "response.created",
        "response.in_progress",
        "quipu.event",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ];
    assert_eq!(once, expected);
    let said: String = data.iter().filter_map(|event| event["delta"].as_str()).collect();
    assert_eq!(said, text(&whole));
    let last = &data.last().unwrap()["response"];
    assert_eq!((text(last), &last["status"]), (text(&whole), &json!("completed")));
    assert!(!streamed.contains("[DONE]"));
}

#[tokio::test]
async fn a_schema_is_met_or_refused() {
    let server = serve(config(), no_model().await).await;
    let by = |kind: &str| {
        let schema =
            json!({ "type": "object", "properties": { "it": { "type": kind } }, "required": ["it"] });
        request(json!({ "text": { "format": { "type": "json_schema", "name": "x", "schema": schema } } }))
    };
    let response = ok(server.post("/v1/responses", &by("string"))).await;
    assert_eq!(serde_json::from_str::<Value>(text(&response)).unwrap(), json!({ "it": "Boudewijn Koole" }));
    assert_eq!(response["text"]["format"]["name"], "x");
    let refused = ok(server.post("/v1/responses", &by("integer"))).await;
    let part = &refused["output"][0]["content"][0];
    assert_eq!(part["type"], "refusal");
    assert!(part["refusal"].as_str().unwrap().contains("not a whole number"), "{part}");
    assert_eq!(error(server.post("/v1/responses", &by("colour"))).await, (400, "invalid_json_schema".into()));
    let mut streamed = by("integer");
    streamed["stream"] = true.into();
    let streamed = server.post("/v1/responses", &streamed).send().await.unwrap().text().await.unwrap();
    assert!(
        streamed.contains("event: response.refusal.done") && !streamed.contains("output_text"),
        "{streamed}"
    );
}

#[tokio::test]
async fn what_is_not_here_is_refused_by_name() {
    let server = serve(config(), no_model().await).await;
    for (name, value) in [
        ("previous_response_id", json!("resp_1")),
        ("conversation", json!("conv_1")),
        ("background", json!(true)),
        ("prompt", json!({ "id": "p" })),
        ("tools", json!([{ "type": "web_search" }])),
        ("tool_choice", json!({ "type": "file_search" })),
        ("top_logprobs", json!(2)),
        ("include", json!(["message.output_text.logprobs"])),
    ] {
        let response = server.post("/v1/responses", &request(json!({ name: value }))).send().await.unwrap();
        assert_eq!(response.status(), 400, "{name}");
        assert_eq!(response.json::<Value>().await.unwrap()["error"]["param"], name);
    }
    let picture = json!([{ "role": "user", "content": [{ "type": "input_image", "image_url": "x" }] }]);
    for input in [picture, json!([]), json!([{ "type": "item_reference", "id": "x" }]), json!("  ")] {
        assert_eq!(
            error(server.post("/v1/responses", &request(json!({ "input": input })))).await.0,
            400,
            "{input}"
        );
    }
    assert_eq!(error(server.post("/v1/responses", &request(json!({ "model": "gpt-99" })))).await.0, 404);
}

#[tokio::test]
async fn a_failure_is_the_last_event() {
    let server = serve(config(), scripted(ScriptedModel::new()).await).await;
    let body = request(json!({ "model": "quipu/io", "stream": true }));
    let text = server.post("/v1/responses", &body).send().await.unwrap().text().await.unwrap();
    let told = events(&text);
    let (name, data) = told.last().unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    assert_eq!((name.as_str(), &data["response"]["status"]), ("response.failed", &json!("failed")));
    assert!(
        data["response"]["error"]["message"].as_str().is_some_and(|message| !message.is_empty()),
        "{data}"
    );
}
