//! Compares the description with the server's replies: every field of every reply is described, and
//! every reply satisfies its schema.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test ends where something fails"
)]

use crate::support;
use quipu_model::ScriptedModel;
use quipu_server::ServerConfig;
use serde_json::{Map, Value, json};
use support::{Running, config, events, import, import_towns, ok, scripted, serve_workspaces};

/// Makes a schema forbid fields that it does not name.
fn close(schema: &mut Value, is_value: bool) {
    let Value::Object(fields) = schema else { return };
    for (keyword, part) in fields.iter_mut() {
        match (keyword.as_str(), part) {
            ("properties", Value::Object(properties)) => {
                properties.values_mut().for_each(|property| close(property, true));
            }
            ("anyOf" | "oneOf" | "allOf", Value::Array(parts)) => {
                parts.iter_mut().for_each(|part| close(part, false));
            }
            ("prefixItems", Value::Array(parts)) => parts.iter_mut().for_each(|part| close(part, true)),
            ("items" | "additionalProperties" | "contentSchema", part) => close(part, true),
            _ => {}
        }
    }
    let says =
        ["type", "$ref", "anyOf", "oneOf", "allOf"].iter().any(|keyword| fields.contains_key(*keyword));
    if is_value && says {
        fields.insert("unevaluatedProperties".into(), false.into());
    }
}

struct Description {
    whole: Value,
    schemas: Value,
}

impl Description {
    async fn of(server: &Running) -> Self {
        let whole = ok(server.get("/openapi.json")).await;
        let mut schemas = whole["components"]["schemas"].clone();
        schemas.as_object_mut().unwrap().values_mut().for_each(|schema| close(schema, false));
        Self { whole, schemas }
    }

    /// The schema of an operation's reply.
    #[track_caller]
    fn reply(&self, verb: &str, path: &str, status: u16, kind: &str) -> Value {
        let content = &self.whole["paths"][path][verb]["responses"][status.to_string()]["content"];
        let schema = &content[kind]["schema"];
        assert!(schema.is_object(), "{verb} {path} {status} {kind}: {content}");
        schema.clone()
    }

    #[track_caller]
    fn check(&self, schema: &Value, value: &Value, what: &str) {
        let mut closed = schema.clone();
        close(&mut closed, true);
        let mut root: Map<String, Value> = closed.as_object().unwrap().clone();
        root.insert("components".into(), json!({ "schemas": self.schemas }));
        let validator = jsonschema::draft202012::new(&root.into()).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{what}: {errors:#?}\n{value:#}");
    }
}

async fn server() -> Running {
    let folder = tempfile::tempdir().unwrap();
    let films = import(folder.path(), "films", support::FILMS).await;
    let towns = import_towns(folder.path()).await;
    let config = ServerConfig { feedback: true, learn_from_feedback: true, ..config() };
    let price = toml::from_str("input = 1\noutput = 2").unwrap();
    let model = ScriptedModel::new().with_price(price).always("compose.io", r#"{"answers": ["Kauwboy"]}"#);
    serve_workspaces(folder, config, scripted(model).await, &[films, towns]).await
}

const QUESTION: &str = "who directed Kauwboy?";

#[tokio::test]
async fn every_field_of_every_reply_is_described() {
    let server = server().await;
    let description = Description::of(&server).await;
    let ask = json!({ "question": QUESTION, "trace": true });
    let io = json!({ "question": QUESTION, "method": "io", "trace": true });
    let chat = json!({ "model": "quipu", "messages": [{ "role": "user", "content": QUESTION }], "quipu": { "trace": true } });
    for (path, body) in [
        ("/api/v1/ask", ask.clone()),
        ("/api/v1/ask", io),
        ("/api/v1/ask", json!({ "question": "who painted Xyzzyplugh?" })),
        ("/api/v1/compare", json!({ "ask": ask, "methods": ["paths", "io", "hybrid + paths"] })),
        ("/v1/chat/completions", chat),
        ("/v1/responses", json!({ "model": "quipu/paths", "input": QUESTION })),
        ("/api/v1/link", json!({ "text": QUESTION })),
        ("/api/v1/feedback", json!({ "question": QUESTION, "right": true, "answers": ["Boudewijn Koole"] })),
    ] {
        let reply = ok(server.post(path, &body)).await;
        description.check(&description.reply("post", path, 200, "application/json"), &reply, path);
    }
    for (path, url) in [
        ("/v1/models", "/v1/models"),
        ("/v1/models/{id}", "/v1/models/films%2Fkerag"),
        ("/api/v1/status", "/api/v1/status"),
        ("/api/v1/entities", "/api/v1/entities?name=Kauwboy"),
        ("/api/v1/entities/{id}", "/api/v1/entities/Tonio"),
        ("/api/v1/neighbourhood", "/api/v1/neighbourhood?id=Tonio"),
        ("/api/v1/search", "/api/v1/search?q=Tonio"),
        ("/api/v1/search", "/api/v1/search?q=cheese&in=documents&workspace=towns"),
        ("/api/v1/overview", "/api/v1/overview"),
        ("/api/v1/overview", "/api/v1/overview?workspace=towns"),
        ("/api/v1/starters", "/api/v1/starters"),
        ("/api/v1/tables/{table}", "/api/v1/tables/town?workspace=towns"),
        ("/healthz", "/healthz"),
        ("/readyz", "/readyz"),
    ] {
        let reply = ok(server.get(url)).await;
        description.check(&description.reply("get", path, 200, "application/json"), &reply, url);
    }
    let refused = server.get("/api/v1/entities/Nobody").send().await.unwrap();
    assert_eq!(refused.status(), 404);
    let schema = description.reply("get", "/api/v1/entities/{id}", 404, "application/json");
    description.check(&schema, &refused.json().await.unwrap(), "an error");
}

#[tokio::test]
async fn every_field_of_every_event_is_described() {
    let server = server().await;
    let description = Description::of(&server).await;
    let chat = json!({ "model": "quipu", "messages": [{ "role": "user", "content": QUESTION }], "stream": true,
        "stream_options": { "include_usage": true }, "quipu": { "events": true } });
    let response =
        json!({ "model": "quipu", "input": QUESTION, "stream": true, "quipu": { "events": true } });
    for (path, body) in [
        ("/api/v1/ask", json!({ "question": QUESTION })),
        ("/v1/chat/completions", chat),
        ("/v1/responses", response),
    ] {
        let request = server.post(path, &body).header("accept", "text/event-stream");
        let text = request.send().await.unwrap().text().await.unwrap();
        let told = events(&text);
        assert!(told.len() > 4, "{text}");
        let schema = description.reply("post", path, 200, "text/event-stream");
        let data = &schema["properties"]["data"];
        let data = data.get("anyOf").map_or(data, |ways| &ways[0]);
        let schema = data["contentSchema"].clone();
        for (name, data) in told.iter().filter(|(_, data)| data != "[DONE]") {
            description.check(&schema, &serde_json::from_str(data).unwrap(), &format!("{path} {name}"));
        }
    }
}
