//! A paper's name runs the paper on every surface; a planner's name beside it, and settings, change
//! the calls that are made.

use crate::support;
use std::sync::Arc;

use quipu_model::ScriptedModel;
use serde_json::{Value, json};
use support::{Running, config, events, ok, serve, with_model};

const QUESTION: &str = "who directed Kauwboy?";

/// Replies to KERAG as published, whose summary names rows, and with whole paths, whose summary
/// names ways.
fn model() -> Arc<ScriptedModel> {
    let topic = r#"{"domain": "other", "entities": ["Kauwboy"], "time": "", "operation": "list"}"#;
    let rows = r#"{"reasoning": "By the rows.", "status": "answered", "rows": ["E0"], "operation": "none", "answers": ["Boudewijn Koole"]}"#;
    let ways = r#"{"reasoning": "It leads there.", "status": "answered", "ways": ["W1"], "operation": "none", "all": true, "answers": []}"#;
    let model = ScriptedModel::new()
        .always("plan.topic", topic)
        .always("prune.relations", r#"{"irrelevant": [], "verdict": "more"}"#)
        .when(move |request| {
            let is_of_ways = request.messages.last().is_some_and(|last| last.content.contains("| W1 |"));
            (request.stage == "compose").then(|| if is_of_ways { ways } else { rows }.into())
        });
    Arc::new(model)
}

/// A request for KERAG with a planner or without, and with settings.
struct Asked {
    planner: &'static str,
    set: Value,
}

impl Asked {
    fn method(&self) -> String {
        format!("kerag{}", self.planner)
    }

    async fn by_api(&self, server: &Running) -> Value {
        let body = json!({ "question": QUESTION, "method": self.method(), "set": self.set });
        ok(server.post("/api/v1/ask", &body)).await
    }

    async fn by_chat(&self, server: &Running) -> Value {
        let messages = json!([{ "role": "user", "content": QUESTION }]);
        let extension = json!({ "method": self.method(), "set": self.set });
        let body = json!({ "model": "quipu", "messages": messages, "quipu": extension });
        ok(server.post("/v1/chat/completions", &body)).await["quipu"].clone()
    }

    async fn by_responses(&self, server: &Running) -> Value {
        let extension = json!({ "method": self.method(), "set": self.set });
        let body = json!({ "model": "quipu", "input": QUESTION, "quipu": extension });
        ok(server.post("/v1/responses", &body)).await["quipu"].clone()
    }

    async fn by_tool(&self, server: &Running) -> Value {
        let arguments = json!({ "question": QUESTION, "method": self.method(), "set": self.set });
        let params = json!({ "name": "ask_question", "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let request = server.post("/mcp", &call).header("accept", "application/json, text/event-stream");
        let text = request.send().await.unwrap().text().await.unwrap();
        let data = events(&text).into_iter().map(|(_, data)| data).find(|data| data.contains("result"));
        let told: Value = serde_json::from_str(&data.unwrap_or(text)).unwrap();
        told["result"]["structuredContent"].clone()
    }
}

#[tokio::test]
async fn every_surface_runs_the_paper_or_its_planner_with_the_settings() {
    let model = model();
    let server = serve(config(), with_model(model.clone()).await).await;
    let hop = "prune.relations";
    for (planner, set, calls) in [
        ("", json!({}), vec!["plan.topic", hop, hop, hop, "compose"]),
        ("", json!({ "kerag.max_hops": 1 }), vec!["plan.topic", hop, "compose"]),
        (" + paths", json!({}), vec!["plan.topic", "compose"]),
    ] {
        let asked = Asked { planner, set };
        for surface in ["api", "chat", "responses", "tool"] {
            let before = model.calls();
            let reply = match surface {
                "api" => asked.by_api(&server).await,
                "chat" => asked.by_chat(&server).await,
                "responses" => asked.by_responses(&server).await,
                _ => asked.by_tool(&server).await,
            };
            let made: Vec<String> =
                model.requests().into_iter().skip(before).map(|request| request.stage).collect();
            assert_eq!(made, calls, "{surface}: {}, {}: {reply}", asked.method(), asked.set);
            assert_eq!(reply["method"], asked.method(), "{surface}: {reply}");
        }
    }
}
