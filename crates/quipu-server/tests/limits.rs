//! Load and attacks: permits, queues, clients that leave, are slow or send garbage; workspaces that
//! change.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use quipu_model::{
    Abilities, ChatReply, ChatRequest, LanguageModel, ModelError, ScoreReply, ScoreRequest, Scripted,
    ScriptedModel,
};
use quipu_server::{KeyConfig, ServerConfig, SparqlConfig, key_hash};
use serde_json::{Value, json};
use support::{Running, config, error, import, no_model, ok, scripted, serve, serve_workspaces, with_model};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A model that never answers in time, and counts its running calls.
#[derive(Default)]
struct Endless {
    under_way: AtomicUsize,
    begun: AtomicUsize,
}

struct Call<'a>(&'a AtomicUsize);

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Endless {
    async fn until(&self, counter: &AtomicUsize, value: usize) {
        for _ in 0..3000 {
            if counter.load(Ordering::SeqCst) == value {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} calls instead of {value}", counter.load(Ordering::SeqCst));
    }
}

#[async_trait::async_trait]
impl LanguageModel for Endless {
    fn name(&self) -> &str {
        "endless"
    }

    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    fn count_tokens(&self, text: &str) -> usize {
        text.len()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        self.under_way.fetch_add(1, Ordering::SeqCst);
        self.begun.fetch_add(1, Ordering::SeqCst);
        let _call = Call(&self.under_way);
        let late = |_| ModelError::TimedOut { model: "endless".into(), limit: request.timeout };
        tokio::time::timeout(request.timeout, std::future::pending()).await.map_err(late)
    }

    async fn score(&self, _: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        Err(ModelError::Cancelled)
    }
}

fn ask_io() -> Value {
    json!({ "question": "who directed Kauwboy?", "method": "io" })
}

#[tokio::test]
async fn a_client_that_leaves_cancels_its_model_calls() {
    let model = Arc::new(Endless::default());
    let server = serve(config(), with_model(model.clone()).await).await;
    let chat =
        json!({ "model": "quipu/io", "stream": true, "messages": [{ "role": "user", "content": "who?" }] });
    let requests = [
        server.post("/api/v1/ask", &ask_io()),
        server.post("/api/v1/ask", &ask_io()).header("accept", "text/event-stream"),
        server.post("/v1/chat/completions", &chat),
        server.post("/api/v1/compare", &json!({ "ask": ask_io(), "methods": ["io"] })),
    ];
    for (number, request) in requests.into_iter().enumerate() {
        let left = tokio::spawn(async move { request.send().await.unwrap().text().await });
        model.until(&model.begun, number + 1).await;
        assert_eq!(model.under_way.load(Ordering::SeqCst), 1);
        left.abort();
        model.until(&model.under_way, 0).await;
    }
    server.wait_for("quipu_questions_working", 0.0).await;
    server.wait_for(r#"quipu_questions_total{method="io",outcome="client_left"}"#, 4.0).await;
}

#[tokio::test]
async fn beyond_permits_and_queue_clients_are_told_when_to_come_back() {
    let model = Arc::new(Endless::default());
    let limits = ServerConfig { concurrency: 1, queue: 1, ..config() };
    let server = serve(limits, with_model(model.clone()).await).await;
    let first = tokio::spawn(server.post("/api/v1/ask", &ask_io()).send());
    model.until(&model.begun, 1).await;
    let second = tokio::spawn(server.post("/api/v1/ask", &ask_io()).send());
    server.wait_for("quipu_questions_waiting", 1.0).await;
    let third = server.post("/api/v1/ask", &ask_io()).send().await.unwrap();
    assert!(third.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() >= 1);
    assert_eq!(support::error_of(third).await, (429, "server_busy".into()));
    // Requests without a model still succeed.
    ok(server.get("/api/v1/entities/Tonio")).await;
    first.abort();
    model.until(&model.begun, 2).await;
    second.abort();
    model.until(&model.under_way, 0).await;
}

/// Who wants no limit writes the largest number.
#[tokio::test]
async fn the_largest_limits_are_no_limits() {
    let endless = i64::MAX.unsigned_abs();
    let limits = ServerConfig {
        timeout: endless,
        header_timeout: endless,
        body_timeout: endless,
        write_timeout: endless,
        shutdown_timeout: endless,
        connections: usize::MAX,
        concurrency: usize::MAX,
        queue: usize::MAX,
        sparql: SparqlConfig { timeout: endless, ..config().sparql },
        ..config()
    };
    let model = ScriptedModel::new().always("compose.io", r#"{"answers": ["x"]}"#);
    let mut server = serve(limits, scripted(model).await).await;
    ok(server.post("/api/v1/ask", &ask_io())).await;
    ok(server.get("/sparql?query=ASK%7B%7D")).await;
    server.stop().await;
}

#[tokio::test]
async fn a_question_has_a_deadline_and_a_budget() {
    let model = Arc::new(Endless::default());
    let server = serve(config(), with_model(model.clone()).await).await;
    let mut body = ask_io();
    body["timeout"] = 1.into();
    assert_eq!(error(server.post("/api/v1/ask", &body)).await, (504, "model_error".into()));
    for past in [json!({ "deadline": "2001-01-01T00:00:00Z" }), json!({ "timeout": 0 })] {
        let mut body = ask_io();
        body.as_object_mut().unwrap().extend(past.as_object().unwrap().clone());
        assert_eq!(error(server.post("/api/v1/ask", &body)).await, (400, "deadline_passed".into()));
    }
    body["deadline"] = "soon".into();
    assert_eq!(error(server.post("/api/v1/ask", &body)).await.0, 400);
    let model = ScriptedModel::new().always("compose.io", r#"{"answers": ["x"]}"#);
    let poor = serve(config(), scripted(model).await).await;
    let mut body = ask_io();
    body["max_llm_calls"] = 0.into();
    assert!(ok(poor.post("/api/v1/ask", &body)).await["reason"].as_str().unwrap().contains("0 model calls"));
}

#[tokio::test]
async fn tokens_are_limited_by_the_server_and_by_the_request() {
    let asked = async |most: u64, body: &Value| {
        let model = ScriptedModel::new().always("compose.io", r#"{"answers": ["x"]}"#);
        let server = serve(ServerConfig { max_tokens: most, ..config() }, scripted(model).await).await;
        let (path, answer) =
            if body["messages"].is_null() { ("/api/v1/ask", "") } else { ("/v1/chat/completions", "/quipu") };
        let reply = ok(server.post(path, body)).await;
        let answer = reply.pointer(answer).unwrap();
        (
            answer["status"].as_str().unwrap().to_owned(),
            answer["reason"].as_str().unwrap_or_default().to_owned(),
        )
    };
    let with = |tokens: u64| {
        let mut body = ask_io();
        body["max_tokens"] = tokens.into();
        body
    };
    let told = |(status, reason): (String, String), tokens: &str| {
        assert!(status == "abstained" && reason.contains(tokens), "{status}: {reason}");
    };
    assert_eq!(asked(100_000, &with(50_000)).await.0, "answered");
    told(asked(100_000, &with(7)).await, "7 tokens");
    // A request cannot raise the server's limit.
    told(asked(7, &with(50_000)).await, "7 tokens");
    told(asked(7, &ask_io()).await, "7 tokens");
    let chat = json!({
        "model": "quipu/io", "messages": [{ "role": "user", "content": "who directed Kauwboy?" }], "quipu": { "max_tokens": 7 },
    });
    told(asked(100_000, &chat).await, "7 tokens");
    // OpenAI's own parameter limits the length of a text, not the budget of a question.
    let mut chat = chat;
    chat["quipu"] = json!({});
    chat["max_tokens"] = 7.into();
    assert_eq!(asked(100_000, &chat).await.0, "answered");
}

#[tokio::test]
async fn the_end_is_orderly() {
    let late = || Scripted::Late(Duration::from_millis(300), r#"{"answers": ["Boudewijn Koole"]}"#.into());
    let model = ScriptedModel::new().when(move |_| Some(late()));
    let mut server = serve(config(), scripted(model).await).await;
    let asked = tokio::spawn(server.post("/api/v1/ask", &ask_io()).send());
    server.wait_for("quipu_questions_working", 1.0).await;
    server.stop().await;
    let answer: Value = asked.await.unwrap().unwrap().json().await.unwrap();
    assert_eq!(answer["answers"][0], "Boudewijn Koole");
    assert!(TcpStream::connect(server.address).await.is_err());
}

fn key(name: &str, secret: &str) -> KeyConfig {
    let hash = key_hash(secret);
    KeyConfig { name: name.into(), hash, workspaces: Vec::new(), per_minute: None, tokens_per_day: None }
}

#[tokio::test]
async fn keys_open_what_they_may() {
    let keys = vec![
        key("all", "one"),
        KeyConfig { workspaces: vec!["films".into()], per_minute: Some(3), ..key("some", "two") },
        KeyConfig { tokens_per_day: Some(1), ..key("poor", "three") },
    ];
    let folder = tempfile::tempdir().unwrap();
    let workspaces = [
        import(folder.path(), "films", support::FILMS).await,
        import(folder.path(), "towns", "Lima\tin\tPeru\n").await,
    ];
    let model = ScriptedModel::new().always("compose.io", r#"{"answers": ["x"]}"#);
    let models = scripted(model).await;
    let server = serve_workspaces(folder, ServerConfig { keys, ..config() }, models, &workspaces).await;
    for open in ["/", "/healthz", "/readyz", "/docs", "/openapi.json"] {
        assert_eq!(server.get(open).send().await.unwrap().status(), 200, "{open}");
    }
    for closed in
        ["/v1/models", "/api/v1/status", "/metrics", "/sparql?query=ASK%7B%7D", "/api/v1/entities/Tonio"]
    {
        let refused = server.get(closed).send().await.unwrap();
        assert_eq!(refused.headers()["www-authenticate"], "Bearer");
        assert_eq!(support::error_of(refused).await, (401, "invalid_api_key".into()), "{closed}");
    }
    assert_eq!(error(server.get("/api/v1/status").bearer_auth("wrong")).await.0, 401);
    assert_eq!(error(server.post("/mcp", &json!({}))).await.0, 401);
    let status = ok(server.get("/api/v1/status").bearer_auth("two")).await;
    assert_eq!(status["workspaces"].as_array().unwrap().len(), 1);
    let forbidden = server.get("/api/v1/entities/Lima?workspace=towns").header("x-api-key", "two");
    assert_eq!(error(forbidden).await, (403, "workspace_forbidden".into()));
    ok(server.get("/api/v1/entities/Lima?workspace=towns").header("x-api-key", "one")).await;
    ok(server.get("/api/v1/entities/Tonio").bearer_auth("two")).await;
    assert_eq!(
        error(server.get("/api/v1/entities/Tonio").bearer_auth("two")).await,
        (429, "rate_limit_exceeded".into())
    );
    ok(server.post("/api/v1/ask", &ask_io()).bearer_auth("three")).await;
    let spent = server.post("/api/v1/ask", &ask_io()).bearer_auth("three");
    assert_eq!(error(spent).await, (429, "token_budget_exceeded".into()));
}

#[tokio::test]
async fn lists_are_no_objects_and_fields_that_there_are_not_no_fields() {
    let server = serve(config(), no_model().await).await;
    let chat = |more: (&str, Value)| {
        let messages = json!([{ "role": "user", "content": "who directed Kauwboy?" }]);
        let mut body = json!({ "model": "quipu", "messages": messages });
        body[more.0] = more.1;
        server.post("/v1/chat/completions", &body)
    };
    assert_eq!(error(chat(("stream_options", json!([true, false])))).await.0, 400);
    assert_eq!(error(chat(("quipu", json!([])))).await.0, 400);
    let text = json!({ "model": "quipu", "input": "who directed Kauwboy?", "text": [] });
    assert_eq!(error(server.post("/v1/responses", &text)).await.0, 400);
    assert_eq!(error(server.post("/api/v1/ask", &json!(["who directed Kauwboy?"]))).await.0, 400);
    let compared = json!({ "ask": { "question": "" }, "methods": ["paths"] });
    assert_eq!(error(server.post("/api/v1/compare", &compared)).await.0, 400);
    let more = ("response_format", json!({ "type": "json_object", "schema": {} }));
    assert_eq!(error(chat(more)).await.0, 400);
}

#[tokio::test]
async fn rubbish_is_refused_with_a_reason() {
    let server = serve(ServerConfig { max_body: 10_000, ..config() }, no_model().await).await;
    let raw = |body: &str| {
        let request = server.client.post(format!("{}/api/v1/ask", server.base));
        request.header("content-type", "application/json").body(body.to_owned())
    };
    for broken in
        ["", "{", "[]", "null", r#"{"question": 7}"#, r#"{"question": "x"} {}"#, r#"{"quest": "x"}"#, "\u{0}"]
    {
        assert_eq!(error(raw(broken)).await.0, 400, "{broken:?}");
    }
    assert_eq!(error(raw(&format!(r#"{{"question": "{}"}}"#, "x".repeat(20_000)))).await.0, 413);
    assert_eq!(error(raw(&format!(r#"{{"question": "{}"}}"#, "why ".repeat(2000)))).await.0, 400);
    assert_eq!(error(raw(&"[".repeat(9_000))).await.0, 400);
    let chunks = futures::stream::iter((0..100).map(|_| Ok::<_, std::io::Error>("x".repeat(1000))));
    let endless =
        server.client.post(format!("{}/api/v1/ask", server.base)).header("content-type", "application/json");
    assert_eq!(error(endless.body(reqwest::Body::wrap_stream(chunks))).await.0, 413);
    let text = server.client.post(format!("{}/api/v1/ask", server.base)).body("who?");
    assert_eq!(error(text).await.0, 415);
    let ask = |body: Value| server.post("/api/v1/ask", &body);
    assert_eq!(
        error(ask(json!({ "question": "x", "workspace": "no" }))).await,
        (404, "workspace_not_found".into())
    );
    assert_eq!(
        error(ask(json!({ "question": "x", "method": "no" }))).await,
        (404, "method_not_found".into())
    );
    assert_eq!(error(server.get("/api/v1/ask")).await.0, 405);
    assert_eq!(error(server.get("/api/v2/ask")).await.0, 404);
    assert_eq!(error(server.get("/api/v1/entities?name=x&limit=1000")).await.0, 400);
    assert_eq!(error(server.get("/api/v1/entities?name=x&limit=many")).await.0, 400);
}

async fn connect(server: &Running, text: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(text.as_bytes()).await.unwrap();
    stream
}

/// The server's output until it closes the connection.
async fn until_closed(mut stream: TcpStream) -> String {
    let mut said = Vec::new();
    let reading = tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut said)).await;
    assert!(reading.is_ok(), "the server holds on to a slow client");
    String::from_utf8_lossy(&said).into_owned()
}

#[tokio::test]
async fn slow_clients_are_let_go() {
    let limits = ServerConfig { header_timeout: 1, body_timeout: 1, ..config() };
    let server = serve(limits, no_model().await).await;
    until_closed(connect(&server, "").await).await;
    until_closed(connect(&server, "GET /healthz HT").await).await;
    let head = "POST /api/v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    assert!(until_closed(connect(&server, head).await).await.starts_with("HTTP/1.1 408"));
    let large = format!("GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: {}\r\n\r\n", "x".repeat(100_000));
    assert!(until_closed(connect(&server, &large).await).await.starts_with("HTTP/1.1 431"));
    ok(server.get("/healthz")).await;
}

#[tokio::test]
async fn a_client_that_stops_reading_is_let_go() {
    let limits = ServerConfig { write_timeout: 1, ..config() };
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(1000);
    let triples: String = (0..9000).map(|number| format!("Film {number}\tnote\t{long}{number}\n")).collect();
    let workspace = import(folder.path(), "films", &triples).await;
    let server = serve_workspaces(folder, limits, no_model().await, &[workspace]).await;
    let request =
        "GET /sparql?query=SELECT%20*%20%7B%3Fs%20%3Fp%20%3Fo%7D HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let stuck = connect(&server, request).await;
    server.wait_for("quipu_connections", 2.0).await;
    server.wait_for("quipu_connections", 1.0).await;
    drop(stuck);
}

/// A model whose first reply exceeds every buffer, and whose next one never comes.
#[derive(Default)]
struct Wordy(Endless);

#[async_trait::async_trait]
impl LanguageModel for Wordy {
    fn name(&self) -> &str {
        "wordy"
    }

    fn abilities(&self) -> Abilities {
        Abilities::default()
    }

    fn count_tokens(&self, _: &str) -> usize {
        1
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        if self.0.begun.load(Ordering::SeqCst) > 0 {
            return self.0.chat(request).await;
        }
        self.0.begun.fetch_add(1, Ordering::SeqCst);
        let (finish, usage) = (quipu_model::FinishReason::Stop, quipu_model::Usage::default());
        Ok(ChatReply { text: "word ".repeat(8 << 20), finish, usage, ..ChatReply::default() })
    }

    async fn score(&self, _: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        Err(ModelError::Cancelled)
    }
}

#[tokio::test]
async fn a_stream_that_nobody_reads_ends_its_question() {
    let model = Arc::new(Wordy::default());
    let limits = ServerConfig { write_timeout: 1, ..config() };
    let server = serve(limits, with_model(model.clone()).await).await;
    let body = ask_io().to_string();
    let head = "Host: localhost\r\nContent-Type: application/json\r\nAccept: text/event-stream";
    let request =
        format!("POST /api/v1/ask HTTP/1.1\r\n{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let stuck = connect(&server, &request).await;
    // The second call is running; it ends because the client does not read the first one's events.
    model.0.until(&model.0.begun, 2).await;
    model.0.until(&model.0.under_way, 0).await;
    server.wait_for(r#"quipu_questions_total{method="io",outcome="client_left"}"#, 1.0).await;
    drop(stuck);
}

#[tokio::test]
async fn a_new_import_is_served_at_once_and_a_deleted_workspace_says_so() {
    let server = serve(config(), no_model().await).await;
    let ask = || server.post("/api/v1/ask", &json!({ "question": "who directed Kauwboy?" }));
    assert_eq!(ok(ask()).await["answers"], json!(["Boudewijn Koole"]));
    let changed = support::FILMS
        .replace("Kauwboy\tdirected_by\tBoudewijn Koole", "Kauwboy\tdirected_by\tSomebody Else");
    let asking = async {
        for _ in 0..20 {
            ok(ask()).await;
        }
    };
    tokio::join!(asking, import(server.folder.path(), "films", &changed));
    assert_eq!(ok(ask()).await["answers"], json!(["Somebody Else"]));
    std::fs::remove_dir_all(server.folder.path().join("films")).unwrap();
    assert_eq!(error(ask()).await, (503, "workspace_gone".into()));
    assert_eq!(error(server.get("/readyz")).await, (503, "not_ready".into()));
    assert!(ok(server.get("/api/v1/status")).await["workspaces"][0]["problem"].is_string());
    import(server.folder.path(), "films", support::FILMS).await;
    assert_eq!(ok(ask()).await["answers"], json!(["Boudewijn Koole"]));
}

#[tokio::test]
async fn a_failing_model_is_told_without_its_secrets() {
    let refused =
        || ModelError::Refused { endpoint: "http://model".into(), status: 401, reason: "wrong key".into() };
    let model = ScriptedModel::new().when(move |_| Some(Scripted::Fail(refused())));
    let server = serve(config(), scripted(model).await).await;
    assert_eq!(error(server.post("/api/v1/ask", &ask_io())).await, (502, "model_error".into()));
}

#[tokio::test]
async fn servers_share_nothing_and_outlive_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = import(folder.path(), "films", support::FILMS).await;
    let elsewhere = tempfile::tempdir().unwrap();
    let spaces = [workspace];
    let one = serve_workspaces(folder, config(), no_model().await, &spaces).await;
    let mut other = serve_workspaces(elsewhere, config(), no_model().await, &spaces).await;
    let question = json!({ "question": "who directed Kauwboy?" });
    for server in [&one, &other, &one] {
        assert_eq!(ok(server.post("/api/v1/ask", &question)).await["answers"], json!(["Boudewijn Koole"]));
    }
    other.stop().await;
    assert!(other.get("/healthz").send().await.is_err());
    assert_eq!(ok(one.post("/api/v1/ask", &question)).await["status"], "answered");
}
