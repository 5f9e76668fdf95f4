//! Answers in requested forms, and parameters that are refused by name.
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

fn chat(more: Value) -> Value {
    let mut body = json!({ "model": "quipu", "messages": [{ "role": "user", "content": QUESTION }] });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

fn by_schema(schema: Value) -> Value {
    chat(
        json!({ "response_format": { "type": "json_schema", "json_schema": { "name": "x", "schema": schema } } }),
    )
}

fn director() -> Value {
    let properties = json!({ "director": { "type": "string" }, "confidence": { "type": "number" },
        "evidence": { "type": "array", "items": { "type": "string" } } });
    json!({ "type": "object", "properties": properties, "required": ["director", "confidence", "evidence"],
        "additionalProperties": false })
}

fn said(whole: &Value) -> Value {
    serde_json::from_str(whole["choices"][0]["message"]["content"].as_str().unwrap()).unwrap()
}

#[tokio::test]
async fn what_is_asked_for_and_not_here_is_refused_by_name() {
    let server = serve(config(), no_model().await).await;
    let tool = json!([{ "type": "function", "function": { "name": "f" } }]);
    for (name, value, code) in [
        ("tools", tool.clone(), "unsupported_parameter"),
        ("tool_choice", json!("required"), "unsupported_parameter"),
        ("functions", tool, "unsupported_parameter"),
        ("function_call", json!({ "name": "f" }), "unsupported_parameter"),
        ("n", json!(2), "unsupported_value"),
        ("logprobs", json!(true), "unsupported_parameter"),
        ("top_logprobs", json!(3), "unsupported_parameter"),
        ("logit_bias", json!({ "50256": -100 }), "unsupported_parameter"),
        ("stop", json!(["\n"]), "unsupported_parameter"),
        ("modalities", json!(["text", "audio"]), "unsupported_value"),
        ("audio", json!({ "voice": "alloy" }), "unsupported_parameter"),
        ("prediction", json!({ "type": "content", "content": "x" }), "unsupported_parameter"),
        ("web_search_options", json!({}), "unsupported_parameter"),
    ] {
        let response =
            server.post("/v1/chat/completions", &chat(json!({ name: value }))).send().await.unwrap();
        assert_eq!(response.status(), 400, "{name}");
        let body: Value = response.json().await.unwrap();
        let told = &body["error"];
        assert_eq!((&told["param"], &told["code"]), (&json!(name), &json!(code)), "{told}");
        assert!(told["message"].as_str().unwrap().contains(&format!("`{name}`")), "{told}");
    }
    let unknown = server.post("/v1/chat/completions", &chat(json!({ "beams": 3 })));
    let text = unknown.send().await.unwrap().text().await.unwrap();
    assert!(text.contains("unknown field `beams`"), "{text}");
}

#[tokio::test]
async fn what_changes_nothing_is_taken() {
    let server = serve(config(), no_model().await).await;
    let harmless = json!({ "temperature": 0.2, "top_p": 1, "seed": 7, "user": "ana", "max_tokens": 5, "max_completion_tokens": 5,
        "presence_penalty": 0, "frequency_penalty": 0, "n": 1, "stop": null, "tools": [], "tool_choice": "none", "logprobs": false,
        "store": true, "metadata": { "a": "b" }, "service_tier": "auto", "reasoning_effort": "low", "logit_bias": {},
        "response_format": { "type": "text" }, "modalities": ["text"], "parallel_tool_calls": true });
    let whole = ok(server.post("/v1/chat/completions", &chat(harmless))).await;
    let content = whole["choices"][0]["message"]["content"].as_str().unwrap();
    assert!(content.starts_with("Boudewijn Koole [1]"), "{content}");
}

#[tokio::test]
async fn a_schema_gets_the_answer_as_it_asks() {
    let server = serve(config(), no_model().await).await;
    let whole = ok(server.post("/v1/chat/completions", &by_schema(director()))).await;
    let object = said(&whole);
    assert_eq!(object["director"], "Boudewijn Koole");
    assert_eq!(object["evidence"], json!(["Kauwboy – directed by – Boudewijn Koole"]));
    assert_eq!(object["confidence"], whole["quipu"]["confidence"]);
    assert_eq!(whole["choices"][0]["message"]["refusal"], Value::Null);
    // The form needs no further call.
    assert_eq!(whole["quipu"]["usage"]["llm_calls"], 0);
}

#[tokio::test]
async fn what_does_not_fit_is_said_in_the_refusal() {
    let server = serve(config(), no_model().await).await;
    let schema =
        json!({ "type": "object", "properties": { "year": { "type": "integer" } }, "required": ["year"] });
    let whole = ok(server.post("/v1/chat/completions", &by_schema(schema))).await;
    let message = &whole["choices"][0]["message"];
    assert_eq!(message["content"], Value::Null);
    let refusal = message["refusal"].as_str().unwrap();
    assert!(refusal.contains("/year: “Boudewijn Koole” is not a whole number"), "{refusal}");
    let mut unknown = by_schema(director());
    unknown["messages"][0]["content"] = "who painted Xyzzyplugh?".into();
    let whole = ok(server.post("/v1/chat/completions", &unknown)).await;
    let refusal = whole["choices"][0]["message"]["refusal"].as_str().unwrap();
    assert!(refusal.starts_with("I don't know."), "{refusal}");
}

#[tokio::test]
async fn a_schema_that_cannot_be_met_is_refused_before_the_question_is_asked() {
    // A model call would fail the test, because the script is empty.
    let server = serve(config(), scripted(ScriptedModel::new()).await).await;
    for schema in
        [json!({ "not": {} }), json!({ "type": "colour" }), json!({ "$ref": "https://elsewhere.example/s" })]
    {
        let mut body = by_schema(schema);
        body["model"] = "quipu/io".into();
        let (status, code) = error(server.post("/v1/chat/completions", &body)).await;
        assert_eq!((status, code.as_str()), (400, "invalid_json_schema"));
    }
}

#[tokio::test]
async fn an_object_is_the_documented_one() {
    let server = serve(config(), no_model().await).await;
    let body = chat(json!({ "response_format": { "type": "json_object" } }));
    let object = said(&ok(server.post("/v1/chat/completions", &body)).await);
    assert_eq!((&object["answer"], &object["status"]), (&json!("Boudewijn Koole"), &json!("answered")));
    let api = ok(server.get("/openapi.json")).await;
    let described = api["components"]["schemas"]["AnswerObject"]["properties"].as_object().unwrap();
    let given: Vec<&String> = object.as_object().unwrap().keys().collect();
    assert!(given.iter().all(|name| described.contains_key(*name)), "{given:?}");
    assert_eq!(given.len(), described.len());
}

#[tokio::test]
async fn a_stream_gives_json_and_refusals_in_pieces_too() {
    let server = serve(config(), no_model().await).await;
    let mut body = by_schema(director());
    body["stream"] = true.into();
    body["stream_options"] = json!({ "include_usage": true });
    let text = server.post("/v1/chat/completions", &body).send().await.unwrap().text().await.unwrap();
    let chunks = events(&text);
    let chunks: Vec<Value> = chunks.iter().filter_map(|(_, data)| serde_json::from_str(data).ok()).collect();
    let content: String =
        chunks.iter().filter_map(|c| c["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(serde_json::from_str::<Value>(&content).unwrap()["director"], "Boudewijn Koole");
    // The cost is null until its own event.
    let (last, others) = chunks.split_last().unwrap();
    assert!(last["usage"]["total_tokens"].is_u64());
    assert!(
        others.iter().all(|chunk| chunk["usage"].is_null() && chunk.get("usage").is_some()),
        "{others:?}"
    );
    let schema =
        json!({ "type": "object", "properties": { "year": { "type": "integer" } }, "required": ["year"] });
    let mut body = by_schema(schema);
    body["stream"] = true.into();
    let text = server.post("/v1/chat/completions", &body).send().await.unwrap().text().await.unwrap();
    assert!(
        text.contains(r#""refusal":"The answer does not fit"#) && text.ends_with("data: [DONE]\n\n"),
        "{text}"
    );
}

#[tokio::test]
async fn a_request_says_method_settings_and_budget() {
    let model = ScriptedModel::new().always("compose.io", r#"{"answers": ["Kauwboy"]}"#);
    let server = serve(config(), scripted(model).await).await;
    let extended =
        |extension: Value| server.post("/v1/chat/completions", &chat(json!({ "quipu": extension })));
    let whole =
        ok(extended(json!({ "method": "io", "set": { "tog.width": 2, "anchor.triple_filter": false } })))
            .await;
    assert_eq!(whole["quipu"]["method"], "io");
    for (extension, param) in [
        (json!({ "set": { "beam": 3 } }), "set"),
        (json!({ "set": { "tog.width": 1000 } }), "set"),
        (json!({ "set": { "kerag.filter": "luck" } }), "set"),
        (json!({ "max_cost": -1 }), "max_cost"),
    ] {
        let response = extended(extension.clone()).send().await.unwrap();
        assert_eq!(response.status(), 400, "{extension}");
        assert_eq!(response.json::<Value>().await.unwrap()["error"]["param"], param, "{extension}");
    }
    let mut twice = chat(json!({ "quipu": { "method": "paths" } }));
    twice["model"] = "quipu/io".into();
    assert_eq!(error(server.post("/v1/chat/completions", &twice)).await.0, 400);
    // Quipu's own API accepts the same settings, up to the server's limits.
    let ask =
        |set: Value| server.post("/api/v1/ask", &json!({ "question": QUESTION, "method": "io", "set": set }));
    let none = ok(ask(json!({ "llm_calls": 0 }))).await;
    assert_eq!((&none["status"], &none["usage"]["llm_calls"]), (&json!("abstained"), &json!(0)));
    assert_eq!(ok(ask(json!({ "llm_calls": 1_000_000 }))).await["status"], "answered");
    assert_eq!(error(ask(json!({ "hybrid.critic": "oracle" }))).await.0, 400);
}

#[tokio::test]
async fn what_an_answer_costs_is_told_and_limited() {
    let price = |toml: &str| toml::from_str(toml).unwrap();
    let model = ScriptedModel::new()
        .with_price(price("input = 1\noutput = 2\ncurrency = 'EUR'"))
        .always("compose.io", r#"{"answers": ["Kauwboy"]}"#);
    let server = serve(config(), scripted(model).await).await;
    let ask = |more: Value| {
        let mut body = json!({ "question": QUESTION, "method": "io" });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        server.post("/api/v1/ask", &body)
    };
    let reply = ok(ask(json!({ "max_cost": 1 }))).await;
    let usage = &reply["usage"];
    let (input, output) =
        (usage["prompt_tokens"].as_f64().unwrap(), usage["completion_tokens"].as_f64().unwrap());
    let expected = input.mul_add(1e-6, output * 2e-6);
    assert!((usage["cost"]["amount"].as_f64().unwrap() - expected).abs() < 1e-9, "{usage}");
    assert_eq!(usage["cost"]["currency"], "EUR");
    let none = ok(ask(json!({ "max_cost": 0.000_001 }))).await;
    assert_eq!((&none["status"], &none["usage"]["llm_calls"]), (&json!("abstained"), &json!(0)));
    assert_eq!(none["reason"], "the limit of 0.0000010 EUR was reached");
    let status = ok(server.get("/api/v1/status")).await;
    assert_eq!(
        status["price"],
        json!({ "input": 1.0, "cached_input": 1.0, "output": 2.0, "currency": "EUR" })
    );
    // A cost limit cannot be enforced without prices.
    let free = ScriptedModel::new().always("compose.io", r#"{"answers": ["Kauwboy"]}"#);
    let server = serve(config(), scripted(free).await).await;
    let body = json!({ "question": QUESTION, "method": "io", "max_cost": 1 });
    let text = server.post("/api/v1/ask", &body).send().await.unwrap().text().await.unwrap();
    assert!(text.contains(r#"[prices.\"scripted\"]"#), "{text}");
}
