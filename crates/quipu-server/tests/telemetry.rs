//! Traces for OpenTelemetry, against a mock collector.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use quipu_model::ScriptedModel;
use quipu_server::{KeyConfig, ServerConfig, TelemetryConfig, key_hash};
use serde_json::{Value, json};
use support::{Running, config, error, ok, scripted, serve};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const QUESTION: &str = "who directed Kauwboy?";
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";

async fn collector(status: u16) -> MockServer {
    let collector = MockServer::start().await;
    let taken = Mock::given(method("POST")).and(path("/v1/traces")).and(header("api-key", "t0psecret"));
    taken.respond_with(ResponseTemplate::new(status)).mount(&collector).await;
    collector
}

async fn observed(collector: &MockServer, content: bool) -> Running {
    let telemetry = TelemetryConfig {
        endpoint: collector.uri(),
        headers: [("api-key".to_owned(), "t0psecret".to_owned())].into(),
        service: "films".into(),
        content,
        interval: 1,
    };
    let key = KeyConfig {
        name: "ana".into(),
        hash: key_hash("s3cret"),
        workspaces: Vec::new(),
        per_minute: None,
        tokens_per_day: None,
    };
    let model = ScriptedModel::new().always("compose.io", r#"{"answers": ["Somebody Else"]}"#);
    serve(ServerConfig { telemetry, keys: vec![key], ..config() }, scripted(model).await).await
}

fn ask(server: &Running, body: &Value, flags: &str) -> reqwest::RequestBuilder {
    let asked = server.post("/api/v1/ask", body).bearer_auth("s3cret");
    asked.header("traceparent", format!("00-{TRACE}-{CALLER}-{flags}"))
}

/// The collector's input: the text of all requests, and the spans.
async fn sent(collector: &MockServer) -> (String, Vec<Value>) {
    let requests = collector.received_requests().await.unwrap();
    let (mut text, mut spans) = (String::new(), Vec::new());
    for request in requests {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let from = &body["resourceSpans"][0];
        assert!(from["resource"]["attributes"].to_string().contains(r#""stringValue":"films""#), "{from}");
        spans.extend(from["scopeSpans"][0]["spans"].as_array().unwrap().iter().cloned());
        text.push_str(&body.to_string());
    }
    (text, spans)
}

fn named<'a>(spans: &'a [Value], name: &str) -> Vec<&'a Value> {
    spans.iter().filter(|span| span["name"] == name).collect()
}

/// The value of an attribute, whatever its type.
fn attribute(span: &Value, key: &str) -> Option<Value> {
    let attributes = span["attributes"].as_array().unwrap();
    let found = attributes.iter().find(|attribute| attribute["key"] == key)?;
    found["value"].as_object().unwrap().values().next().cloned()
}

#[tokio::test]
async fn requests_questions_and_calls_are_told_without_their_texts() {
    let collector = collector(200).await;
    let mut server = observed(&collector, false).await;
    let body = json!({ "question": QUESTION, "method": "io" });
    ok(ask(&server, &body, "01")).await;
    let stream = ask(&server, &body, "01").header("accept", "text/event-stream");
    assert!(stream.send().await.unwrap().text().await.unwrap().contains("event: answer"));
    let refused = json!({ "question": QUESTION, "deadline": "2001-01-01T00:00:00Z" });
    assert_eq!(error(ask(&server, &refused, "01")).await.0, 400);
    // Health checks get no span.
    ok(server.get("/healthz")).await;
    server.stop().await;
    let (text, spans) = sent(&collector).await;

    let (requests, questions) = (named(&spans, "POST /api/v1/ask"), named(&spans, "invoke_agent quipu"));
    let calls = named(&spans, "chat scripted");
    assert_eq!((requests.len(), questions.len(), calls.len(), spans.len()), (3, 3, 2, 8), "{text}");
    for span in &spans {
        assert_eq!(span["traceId"], TRACE);
        let time = |name: &str| span[name].as_str().unwrap().parse::<u128>().unwrap();
        assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"), "{span}");
    }
    for request in &requests {
        assert_eq!((&request["parentSpanId"], &request["kind"]), (&json!(CALLER), &json!(2)));
        assert_eq!(attribute(request, "http.route"), Some(json!("/api/v1/ask")));
    }
    let belongs = |child: &Value, parents: &[&Value]| {
        parents.iter().any(|parent| parent["spanId"] == child["parentSpanId"])
    };
    assert!(questions.iter().all(|question| belongs(question, &requests)), "{text}");
    assert!(calls.iter().all(|call| belongs(call, &questions)), "{text}");
    for call in &calls {
        assert_eq!(call["kind"], 3);
        assert_eq!(attribute(call, "gen_ai.operation.name"), Some(json!("chat")));
        assert_eq!(attribute(call, "gen_ai.request.model"), Some(json!("scripted")));
        assert!(attribute(call, "gen_ai.usage.input_tokens").is_some(), "{call}");
        assert_eq!(attribute(call, "quipu.stage"), Some(json!("compose")));
    }
    let outcomes: Vec<_> = questions.iter().map(|span| attribute(span, "quipu.outcome").unwrap()).collect();
    assert_eq!(outcomes, [json!("answered"), json!("answered"), json!("failed")], "{text}");
    let (answered, failed) = (questions[0], questions[2]);
    assert_eq!(attribute(answered, "gen_ai.operation.name"), Some(json!("invoke_agent")));
    assert_eq!(attribute(answered, "quipu.method"), Some(json!("io")));
    assert_eq!(attribute(answered, "quipu.workspace"), Some(json!("films")));
    assert!(answered["events"].to_string().contains("grounded"), "{answered}");
    assert_eq!(
        (&failed["status"]["code"], attribute(failed, "error.type")),
        (&json!(2), Some(json!("deadline_passed")))
    );
    for secret in ["Kauwboy", "Somebody", "s3cret", "t0psecret"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

#[tokio::test]
async fn texts_are_told_where_that_is_switched_on_but_never_keys() {
    let collector = collector(200).await;
    let mut server = observed(&collector, true).await;
    ok(ask(&server, &json!({ "question": QUESTION, "method": "io" }), "01")).await;
    server.stop().await;
    let (text, spans) = sent(&collector).await;
    for span in [named(&spans, "invoke_agent quipu")[0], named(&spans, "chat scripted")[0]] {
        assert!(
            attribute(span, "gen_ai.input.messages").unwrap().as_str().unwrap().contains(QUESTION),
            "{span}"
        );
        let said = attribute(span, "gen_ai.output.messages").unwrap();
        assert!(said.as_str().unwrap().contains("Somebody Else"), "{span}");
    }
    assert!(!text.contains("s3cret"), "{text}");
}

#[tokio::test]
async fn nothing_is_sent_unless_it_is_wanted() {
    let collector = collector(200).await;
    // The caller does not record its trace.
    let mut server = observed(&collector, false).await;
    ok(ask(&server, &json!({ "question": QUESTION, "method": "io" }), "00")).await;
    server.stop().await;
    // No endpoint is configured.
    let model = ScriptedModel::new().always("compose.io", r#"{"answers": ["x"]}"#);
    let silent = serve(config(), scripted(model).await).await;
    ok(silent.post("/api/v1/ask", &json!({ "question": QUESTION, "method": "io" }))).await;
    assert!(
        !silent.get("/metrics").send().await.unwrap().text().await.unwrap().contains("quipu_spans_total{")
    );
    assert_eq!(collector.received_requests().await.unwrap().len(), 0);
}

#[tokio::test]
async fn a_collector_that_fails_is_no_affair_of_those_who_ask() {
    let collector = collector(500).await;
    let server = observed(&collector, false).await;
    ok(ask(&server, &json!({ "question": QUESTION, "method": "io" }), "01")).await;
    let metric = || server.get("/metrics").bearer_auth("s3cret");
    for _ in 0..3000 {
        let text = metric().send().await.unwrap().text().await.unwrap();
        if text.contains(r#"quipu_spans_total{outcome="dropped"} 3"#) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the dropped spans were not counted");
}

#[tokio::test]
async fn a_collector_that_is_none_is_refused_at_the_start() {
    let telemetry =
        TelemetryConfig { endpoint: "me:t0psecret@collector".into(), ..TelemetryConfig::default() };
    let shown = format!("{telemetry:?}");
    let folder = tempfile::tempdir().unwrap();
    let server = quipu_server::Server::new(
        ServerConfig { telemetry, ..config() },
        &[folder.path().to_owned()],
        quipu_server::Models::default(),
        quipu_answer::Method::Paths,
    );
    let error = server.err().unwrap().to_string();
    assert!(error.contains("http://localhost:4318"), "{error}");
    assert!(!error.contains("t0psecret") && !shown.contains("t0psecret"), "{error} {shown}");
}
