//! The OpenAI-compatible API: whole, streamed, follow-ups, errors; with the tests' own client and
//! with OpenAI's.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use quipu_model::ScriptedModel;
use serde_json::{Value, json};
use support::{
    config, error, events, import_twins, no_model, ok, python, run_python, scripted, serve, serve_workspaces,
};

const QUESTION: &str = "who directed Kauwboy?";

fn request(model: &str, question: &str) -> Value {
    json!({ "model": model, "messages": [{ "role": "user", "content": question }] })
}

#[tokio::test]
async fn models_are_workspaces_with_methods() {
    let server = serve(config(), no_model().await).await;
    let models = ok(server.get("/v1/models")).await;
    let ids: Vec<&str> =
        models["data"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap()).collect();
    for id in ["quipu", "quipu/kerag", "films", "films/paths"] {
        assert!(ids.contains(&id), "{ids:?}");
    }
}

#[tokio::test]
async fn a_completion_cites_its_evidence() {
    let server = serve(config(), no_model().await).await;
    let whole = ok(server.post("/v1/chat/completions", &request("quipu", QUESTION))).await;
    let content = whole["choices"][0]["message"]["content"].as_str().unwrap();
    let parts: Vec<&str> = content.split("\n\n").collect();
    assert!(
        parts[1].starts_with("I read this as: who Kauwboy was directed by. The value stands"),
        "{content}"
    );
    assert_eq!([parts[0], parts[2]], ["Boudewijn Koole [1]", "[1] Kauwboy – directed by – Boudewijn Koole"]);
    assert_eq!(whole["choices"][0]["finish_reason"], "stop");
    assert_eq!((&whole["object"], &whole["model"]), (&json!("chat.completion"), &json!("quipu")));
    let told = &whole["quipu"];
    assert_eq!((&told["status"], &told["grounded"]), (&json!("answered"), &json!(true)));
    assert_eq!(told["evidence"][0]["id"], told["cited"]["citations"][0]["id"]);
    assert!(whole["usage"]["total_tokens"].is_u64() && told.get("trace").is_none());
}

#[tokio::test]
async fn a_stream_says_the_same_in_pieces() {
    let server = serve(config(), no_model().await).await;
    let mut body = request("quipu/paths", QUESTION);
    let whole = ok(server.post("/v1/chat/completions", &body)).await;
    body["stream"] = true.into();
    body["stream_options"] = json!({ "include_usage": true });
    let response = server.post("/v1/chat/completions", &body).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let events = events(&response.text().await.unwrap());
    assert_eq!(events.last().unwrap().1, "[DONE]");
    let chunks: Vec<Value> =
        events.iter().take(events.len() - 1).map(|(_, data)| serde_json::from_str(data).unwrap()).collect();
    let said: String = chunks.iter().filter_map(|c| c["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(said, whole["choices"][0]["message"]["content"]);
    assert_eq!(chunks[0]["choices"][0]["delta"]["role"], "assistant");
    let last = chunks.last().unwrap();
    assert_eq!(last["choices"], json!([]));
    assert!(last["usage"]["total_tokens"].is_u64());
    let ended = &chunks[chunks.len() - 2];
    assert_eq!(ended["choices"][0]["finish_reason"], "stop");
    assert_eq!(ended["quipu"]["answers"], whole["quipu"]["answers"]);
}

#[tokio::test]
async fn on_request_a_stream_tells_what_happens() {
    let server = serve(config(), no_model().await).await;
    let mut body = request("quipu", QUESTION);
    body["stream"] = true.into();
    body["quipu"] = json!({ "events": true });
    let text = server.post("/v1/chat/completions", &body).send().await.unwrap().text().await.unwrap();
    assert!(text.contains(r#""event":"linked""#), "{text}");
}

#[tokio::test]
async fn earlier_turns_make_a_follow_up_plain() {
    let model =
        ScriptedModel::new().always("plan.restate", r#"{"question": "where was Boudewijn Koole born?"}"#);
    let server = serve(config(), scripted(model).await).await;
    let mut body = request("quipu", "and where was he born?");
    let turns = json!([
        { "role": "system", "content": "Be brief." },
        { "role": "user", "content": [{ "type": "text", "text": QUESTION }] },
        { "role": "assistant", "content": "Boudewijn Koole [1]" },
        { "role": "user", "content": "and where was he born?" },
    ]);
    body["messages"] = turns;
    let whole = ok(server.post("/v1/chat/completions", &body)).await;
    assert_eq!(whole["quipu"]["question"], "where was Boudewijn Koole born?");
    assert_eq!(whole["quipu"]["answers"], json!(["Leidschendam"]));
    // Code resolves "he".
    assert_eq!(whole["quipu"]["usage"]["llm_calls"], 0);
}

#[tokio::test]
async fn a_follow_up_refers_to_the_entities_of_an_answer_not_to_others_of_the_same_name() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = import_twins(folder.path()).await;
    let server = serve_workspaces(folder, config(), no_model().await, &[workspace]).await;
    for (director, stream) in [("Director One", false), ("Director Two", false), ("Director One", true)] {
        let question = format!("Which films did {director} direct?");
        let mut body = request("quipu", &question);
        body["stream"] = stream.into();
        let text = server.post("/v1/chat/completions", &body).send().await.unwrap().text().await.unwrap();
        let said: String = match stream {
            false => serde_json::from_str::<Value>(&text).unwrap()["choices"][0]["message"]["content"]
                .as_str()
                .unwrap()
                .to_owned(),
            true => events(&text)
                .iter()
                .filter_map(|(_, data)| serde_json::from_str::<Value>(data).ok())
                .filter_map(|chunk| chunk["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
                .collect(),
        };
        assert!(said.contains("Twins"), "{said}");
        body["stream"] = false.into();
        body["messages"] = json!([
            { "role": "user", "content": question },
            { "role": "assistant", "content": said },
            { "role": "user", "content": "Who directed it?" },
        ]);
        let next = ok(server.post("/v1/chat/completions", &body)).await;
        assert_eq!(next["quipu"]["answers"], json!([director]), "{said}: {next}");
        let item = |role: &str, text: &str| json!({ "role": role, "content": text });
        let input =
            json!([item("user", &question), item("assistant", &said), item("user", "Who directed it?")]);
        let response = ok(server.post("/v1/responses", &json!({ "model": "quipu", "input": input }))).await;
        assert_eq!(response["quipu"]["answers"], json!([director]), "{response}");
    }
}

#[tokio::test]
async fn errors_have_openais_form() {
    let server = serve(config(), no_model().await).await;
    let chat = |body: Value| server.post("/v1/chat/completions", &body);
    assert_eq!(error(chat(request("gpt-99", QUESTION))).await, (404, "model_not_found".into()));
    assert_eq!(error(chat(request("quipu/magic", QUESTION))).await, (404, "model_not_found".into()));
    assert_eq!(error(chat(request("quipu", "  "))).await.0, 400);
    assert_eq!(error(chat(json!({ "model": "quipu" }))).await.0, 400);
    assert_eq!(error(chat(json!({ "model": "quipu", "messages": [] }))).await.0, 400);
    let answered = json!({ "model": "quipu", "messages": [{ "role": "assistant", "content": "Hello" }] });
    assert_eq!(error(chat(answered)).await.0, 400);
    assert_eq!(error(chat(request("quipu/io", QUESTION))).await, (503, "model_missing".into()));
    let mut streamed = request("quipu/io", QUESTION);
    streamed["stream"] = true.into();
    let text = chat(streamed).send().await.unwrap().text().await.unwrap();
    assert!(text.contains(r#""code":"model_missing""#) && text.ends_with("data: [DONE]\n\n"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn openais_own_client_is_content() {
    let Some(python) = python("the test with OpenAI's client") else { return };
    let model =
        ScriptedModel::new().always("plan.restate", r#"{"question": "where was Boudewijn Koole born?"}"#);
    let server = serve(config(), scripted(model).await).await;
    run_python(&python, "openai_client.py", &[&format!("{}/v1", server.base)]).await;
}
