//! Endpoints that work, refuse, hang, break off, send wrong replies or never end.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use crate::common;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{conformance, request};
use quipu_model::{
    Alternatives, ChatRequest, Constraint, EndpointConfig, HttpModel, LanguageModel, ModelError,
    ScoreRequest, Tool, ask_json, ask_tool,
};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use wiremock::matchers::{header, method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

fn config(url: &str) -> EndpointConfig {
    let mut config = EndpointConfig::at(url);
    config.pause = Duration::from_millis(2);
    config.attempts = 3;
    config
}

fn model(url: &str) -> HttpModel {
    HttpModel::new("m", config(url)).unwrap()
}

fn completion(text: &str) -> Value {
    json!({
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 16}},
    })
}

fn ok(text: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_json(completion(text))
}

fn refusal(status: u16, message: &str) -> ResponseTemplate {
    ResponseTemplate::new(status).set_body_json(json!({"error": {"message": message}}))
}

/// An endpoint that answers each request by a function of its number, from 0, and its body.
async fn serve(
    reply: impl Fn(usize, &Value) -> ResponseTemplate + Send + Sync + 'static,
) -> (MockServer, Arc<AtomicUsize>) {
    let server = MockServer::start().await;
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let respond = move |request: &Request| {
        let body = serde_json::from_slice(&request.body).unwrap();
        reply(counted.fetch_add(1, Ordering::SeqCst), &body)
    };
    Mock::given(method("POST")).respond_with(respond).mount(&server).await;
    (server, count)
}

/// Serves raw bytes once for each connection, then closes or, with `hang`, keeps it open.
async fn serve_raw(bytes: &'static [u8], hang: bool) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut buffer = vec![0; 65536];
                let _ = stream.read(&mut buffer).await;
                let _ = stream.write_all(bytes).await;
                if hang {
                    std::future::pending::<()>().await;
                }
            });
        }
    });
    url
}

/// The reply of a correct endpoint with an obedient model.
fn obedient(body: &Value) -> ResponseTemplate {
    let schema = &body["response_format"]["json_schema"]["schema"];
    if let Some(options) = schema["properties"]["choice"]["enum"].as_array() {
        ok(&json!({"choice": options[0]}).to_string())
    } else if schema.is_object() {
        ok("{\"hops\": 1, \"relations\": [\"capital\"]}")
    } else {
        ok("Lima")
    }
}

#[tokio::test]
async fn it_passes_the_suite() {
    let (server, _) = serve(|_, body| obedient(body)).await;
    conformance(&model(&server.uri())).await;
}

#[tokio::test]
async fn the_request_is_what_endpoints_expect() {
    let server = MockServer::start().await;
    Mock::given(path("/v1/chat/completions"))
        .and(header("authorization", "Bearer secret"))
        .respond_with(ok("<think>Peru…</think>Lima"))
        .expect(1)
        .mount(&server)
        .await;
    let mut config = config(&format!("{}/v1/", server.uri()));
    config.base_url = format!("{}/v1", server.uri());
    config.api_key = Some("secret".into());
    let model = HttpModel::new("m", config).unwrap();
    let mut asked = request("capital?");
    asked.stop = vec!["\n\n".into()];
    let reply = model.chat(&asked).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.thinking.as_deref()), ("Lima", Some("Peru…")));
    assert_eq!(
        (reply.usage.prompt_tokens, reply.usage.reused_tokens, reply.usage.completion_tokens),
        (20, 16, 3)
    );
    let sent: Value = serde_json::from_slice(&server.received_requests().await.unwrap()[0].body).unwrap();
    assert_eq!(sent["model"], "m");
    assert_eq!(sent["messages"][1], json!({"role": "user", "content": "capital?"}));
    assert_eq!(
        (&sent["max_tokens"], &sent["temperature"], &sent["stop"]),
        (&json!(24), &json!(0.0), &json!(["\n\n"]))
    );
}

#[tokio::test]
async fn what_an_endpoint_refuses_is_asked_otherwise_and_remembered() {
    let (server, count) = serve(|_, body| match body["response_format"]["type"].as_str() {
        Some(form) => refusal(400, &format!("response_format {form} is not supported")),
        None => ok("Sure: {'hops': 2,}"),
    })
    .await;
    let model = model(&server.uri());
    assert!(model.abilities().constrained);
    let schema = json!({"type": "object", "properties": {"hops": {"type": "integer"}}, "required": ["hops"]});
    let (value, replies) = ask_json::<Value>(&model, &request("hops?"), &schema).await.unwrap();
    assert_eq!((value, replies.len()), (json!({"hops": 2}), 1));
    assert_eq!(count.load(Ordering::SeqCst), 3, "json_schema, json_object, words");
    assert!(!model.abilities().constrained);
    ask_json::<Value>(&model, &request("hops?"), &schema).await.unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 4);
    let last = server.received_requests().await.unwrap().pop().unwrap();
    let sent: Value = serde_json::from_slice(&last.body).unwrap();
    let words = sent["messages"][1]["content"].as_str().unwrap();
    assert!(words.starts_with("hops?\n\nReply with JSON"), "{words}");
}

#[tokio::test]
async fn old_and_new_parameters_are_found_out() {
    let (server, count) = serve(|_, body| {
        if body.get("max_tokens").is_some() {
            refusal(400, "Unsupported parameter: use 'max_completion_tokens' instead")
        } else if body.get("temperature").is_some() {
            refusal(400, "'temperature' does not support 0 with this model")
        } else {
            ok("Lima")
        }
    })
    .await;
    let model = model(&server.uri());
    model.chat(&request("a")).await.unwrap();
    model.chat(&request("b")).await.unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn alternatives_are_several_choices_of_one_request() {
    let wanting = || {
        let mut request = request("capital?");
        (request.temperature, request.likelihood) = (0.7, true);
        request.alternatives = Some(Alternatives { to: "Lima".into(), count: 3 });
        request
    };
    let several = |_: usize, body: &Value| {
        let choice = |n: u64| {
            json!({
                "message": {"role": "assistant", "content": format!("city {n}")},
                "finish_reason": "stop",
                "logprobs": {"content": [{"logprob": -(n as f64)}]},
            })
        };
        let choices: Vec<Value> = (1..=body["n"].as_u64().unwrap()).map(choice).collect();
        ResponseTemplate::new(200).set_body_json(json!({"choices": choices}))
    };
    let (server, count) = serve(several).await;
    let reply = model(&server.uri()).chat(&wanting()).await.unwrap();
    let texts: Vec<&str> = reply.alternatives.iter().map(|other| other.text.as_str()).collect();
    assert_eq!((reply.text.as_str(), texts), ("", vec!["city 1", "city 2", "city 3"]));
    assert_eq!(reply.alternatives[1].likelihood.unwrap().mean, -2.0);
    assert_eq!((count.load(Ordering::SeqCst), reply.usage.llm_calls), (1, 1));
    // One that refuses `n` writes one reply, and is not asked for several again.
    let refuses = |_: usize, body: &Value| match body.get("n") {
        Some(_) => refusal(400, "n must be 1"),
        None => ok("Arequipa"),
    };
    let (server, count) = serve(refuses).await;
    let model = model(&server.uri());
    for _ in 0..2 {
        let reply = model.chat(&wanting()).await.unwrap();
        assert_eq!(reply.alternatives.len(), 1);
        assert_eq!(reply.alternatives[0].text, "Arequipa");
    }
    assert_eq!(count.load(Ordering::SeqCst), 3, "refused once");
}

#[tokio::test]
async fn how_likely_a_reply_was_is_told_where_the_endpoint_gives_it() {
    let told = |_: usize, body: &Value| {
        let mut reply = completion("SELECT 1");
        if body["logprobs"] == true {
            reply["choices"][0]["logprobs"] = json!({"content": [{"logprob": -0.5}, {"logprob": -0.1}]});
        }
        ResponseTemplate::new(200).set_body_json(reply)
    };
    let (server, _) = serve(told).await;
    let asked = ChatRequest { likelihood: true, ..request("a") };
    let likelihood = model(&server.uri()).chat(&asked).await.unwrap().likelihood.unwrap();
    assert!((likelihood.mean + 0.3).abs() < 1e-9 && (likelihood.least + 0.5).abs() < 1e-9, "{likelihood:?}");
    assert_eq!(model(&server.uri()).chat(&request("a")).await.unwrap().likelihood, None);

    let refuses = |_: usize, body: &Value| match body.get("logprobs") {
        Some(_) => refusal(400, "logprobs is not supported"),
        None => ok("SELECT 1"),
    };
    let (server, count) = serve(refuses).await;
    let model = model(&server.uri());
    for _ in 0..2 {
        let reply = model.chat(&asked).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.likelihood), ("SELECT 1", None));
    }
    assert_eq!(count.load(Ordering::SeqCst), 3, "refused once, then never asked for again");
}

#[tokio::test]
async fn a_refusal_for_another_reason_stands() {
    for (status, message) in [(401, "wrong key"), (404, "no model m"), (400, "bad request")] {
        let (server, count) = serve(move |_, _| refusal(status, message)).await;
        let error = model(&server.uri()).chat(&request("a")).await.unwrap_err();
        assert!(matches!(&error, ModelError::Refused { status: s, .. } if *s == status), "{error}");
        assert!(error.to_string().contains(message) && error.to_string().contains(&server.uri()), "{error}");
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn a_prompt_beyond_the_context_teaches_its_size() {
    let words = "This model's maximum context length is 4096 tokens. However, you requested 9000 tokens";
    let (server, _) = serve(move |_, _| refusal(400, words)).await;
    let model = model(&server.uri());
    let error = model.chat(&request("a")).await.unwrap_err();
    assert!(matches!(error, ModelError::TooLong { limit: 4096, .. }), "{error}");
    assert_eq!(model.abilities().context_tokens, 4096);
}

#[tokio::test]
async fn busy_and_broken_endpoints_are_asked_again() {
    for (status, name) in [(429, "busy"), (500, "broken"), (503, "overloaded")] {
        let (server, count) =
            serve(move |number, _| if number < 2 { refusal(status, name) } else { ok("Lima") }).await;
        assert_eq!(model(&server.uri()).chat(&request("a")).await.unwrap().text, "Lima");
        assert_eq!(count.load(Ordering::SeqCst), 3);
    }
}

#[tokio::test]
async fn retry_after_is_honoured() {
    // A pause beyond the time limit: the call fails at once instead of waiting.
    let (server, count) = serve(|_, _| refusal(429, "slow down").insert_header("retry-after", "30")).await;
    let mut asked = request("a");
    asked.timeout = Duration::from_secs(5);
    let error = model(&server.uri()).chat(&asked).await.unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { attempts: 1, .. }), "{error}");
    assert_eq!(count.load(Ordering::SeqCst), 1);
    // A pause of zero replaces a configured pause beyond the time limit.
    let (server, count) = serve(|number, _| match number {
        0 => refusal(429, "slow down").insert_header("retry-after", "0"),
        _ => ok("Lima"),
    })
    .await;
    let mut config = config(&server.uri());
    config.pause = Duration::from_secs(3600);
    assert_eq!(HttpModel::new("m", config).unwrap().chat(&asked).await.unwrap().text, "Lima");
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn attempts_are_bounded() {
    let (server, count) = serve(|_, _| refusal(500, "out of memory")).await;
    let error = model(&server.uri()).chat(&request("a")).await.unwrap_err();
    assert!(
        matches!(&error, ModelError::Unreachable { attempts: 3, reason, .. } if reason.contains("out of memory"))
    );
    assert_eq!(count.load(Ordering::SeqCst), 3);
    let (server, count) = serve(|_, _| {
        ResponseTemplate::new(429)
            .set_body_json(json!({"error": {"message": "quota", "code": "insufficient_quota"}}))
    })
    .await;
    let error = model(&server.uri()).chat(&request("a")).await.unwrap_err();
    assert!(matches!(error, ModelError::Refused { status: 429, .. }), "{error}");
    assert_eq!(count.load(Ordering::SeqCst), 1, "an empty account does not fill by asking again");
}

#[tokio::test]
async fn an_endpoint_that_is_not_there_is_named() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = model(&url).chat(&request("a")).await.unwrap_err();
    assert!(matches!(&error, ModelError::Unreachable { attempts: 3, .. }), "{error}");
    assert!(error.to_string().contains(&url), "{error}");
}

#[tokio::test]
async fn an_endpoint_that_hangs_is_left_in_time() {
    let (server, _) = serve(|_, _| ok("late").set_delay(Duration::from_secs(60))).await;
    let mut asked = request("a");
    asked.timeout = Duration::from_millis(100);
    let error = model(&server.uri()).chat(&asked).await.unwrap_err();
    assert!(matches!(error, ModelError::TimedOut { .. }), "{error}");
}

#[tokio::test]
async fn a_reply_that_never_ends_is_left_in_time() {
    let url =
        serve_raw(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"choices\": [", true).await;
    let mut asked = request("a");
    asked.timeout = Duration::from_millis(100);
    let error = model(&url).chat(&asked).await.unwrap_err();
    assert!(matches!(error, ModelError::TimedOut { .. }), "{error}");
}

#[tokio::test]
async fn a_stream_that_is_cut_is_noticed() {
    let with_length =
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{\"choices\": [{";
    let without = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"choices\": [{\"message\": {\"content\": \"Li";
    let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"cho\r\n";
    let nothing = b"";
    for bytes in [&with_length[..], without, chunked, nothing] {
        let url = serve_raw(bytes, false).await;
        let error = model(&url).chat(&request("a")).await.unwrap_err();
        assert!(matches!(error, ModelError::Unreachable { attempts: 3, .. }), "{error}");
    }
}

#[tokio::test]
async fn what_is_no_completion_is_foreign() {
    let html = ResponseTemplate::new(200).set_body_raw("<html>Welcome</html>", "text/html");
    let lie = ResponseTemplate::new(200).set_body_raw("certainly! here", "application/json");
    let other = ResponseTemplate::new(200).set_body_json(json!({"object": "list", "choices": "none"}));
    let empty = ResponseTemplate::new(200).set_body_json(json!({"choices": []}));
    for (template, word) in
        [(html, "text/html"), (lie, "expected JSON"), (other, "no chat completion"), (empty, "no choice")]
    {
        let (server, count) = serve(move |_, _| template.clone()).await;
        let error = model(&server.uri()).chat(&request("a")).await.unwrap_err();
        assert!(matches!(error, ModelError::Foreign { .. }) && error.is_failure(), "{error}");
        assert!(error.to_string().contains(word), "{error}");
        assert!(error.to_string().contains("check the base URL"), "{error}");
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
    // A gateway's error with status 200.
    let (server, _) = serve(|_, _| {
        ResponseTemplate::new(200).set_body_json(json!({"error": {"message": "no such deployment"}}))
    })
    .await;
    let error = model(&server.uri()).chat(&request("a")).await.unwrap_err();
    assert!(error.to_string().contains("no such deployment"), "{error}");
}

#[tokio::test]
async fn a_reply_that_drips_is_left_in_time() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{").await;
            while stream.write_all(b" ").await.is_ok() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        }
    });
    let mut asked = request("a");
    asked.timeout = Duration::from_millis(100);
    let error = model(&url).chat(&asked).await.unwrap_err();
    assert!(matches!(error, ModelError::TimedOut { .. }) && error.is_failure(), "{error}");
}

#[tokio::test]
async fn a_redirect_is_followed_within_the_endpoint_only() {
    let (elsewhere, heard) = serve(|_, _| ok("Lima")).await;
    for status in [301, 302, 303, 307, 308] {
        let place = format!("{}/chat/completions", elsewhere.uri());
        let (server, count) =
            serve(move |_, _| ResponseTemplate::new(status).insert_header("location", place.as_str())).await;
        let config = EndpointConfig { api_key: Some("s3cret".into()), ..config(&server.uri()) };
        let error = HttpModel::new("m", config).unwrap().chat(&request("a")).await.unwrap_err();
        assert!(matches!(error, ModelError::Foreign { .. }), "{error}");
        assert!(error.to_string().contains(&elsewhere.uri()), "{error}");
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
    assert_eq!(heard.load(Ordering::SeqCst), 0, "neither prompt nor key goes to another host");
    let (server, _) = serve(|number, _| match number {
        0 => ResponseTemplate::new(308).insert_header("location", "/v2/chat/completions"),
        _ => ok("Lima"),
    })
    .await;
    assert_eq!(model(&server.uri()).chat(&request("a")).await.unwrap().text, "Lima");
    let (server, count) =
        serve(|_, _| ResponseTemplate::new(307).insert_header("location", "/chat/completions")).await;
    let error = model(&server.uri()).chat(&request("a")).await.unwrap_err();
    assert!(matches!(error, ModelError::Foreign { .. }), "{error}");
    assert!(count.load(Ordering::SeqCst) < 10, "a circle has an end");
}

#[tokio::test]
async fn numbers_that_no_model_counts_do_no_harm() {
    let likely = json!({"content": [{"logprob": -1e308}, {"logprob": -1e308}]});
    let message = json!({"role": "assistant", "content": "Lima"});
    let usage = json!({
        "prompt_tokens": u64::MAX,
        "completion_tokens": u64::MAX,
        "prompt_tokens_details": {"cached_tokens": u64::MAX},
    });
    let huge = json!({"choices": [{"message": message, "logprobs": likely}], "usage": usage});
    let (server, _) = serve(move |_, _| ResponseTemplate::new(200).set_body_json(huge.clone())).await;
    let asked = ChatRequest { likelihood: true, ..request("a") };
    let reply = model(&server.uri()).chat(&asked).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.likelihood), ("Lima", None));
    assert_eq!(reply.usage.reused_tokens, reply.usage.prompt_tokens);
    let mut sum = reply.usage;
    sum += reply.usage;
    assert!(sum.prompt_tokens > reply.usage.prompt_tokens);
    let words = format!("maximum context length is {} tokens", usize::MAX);
    let (server, _) = serve(move |_, _| refusal(400, &words)).await;
    let error = model(&server.uri()).chat(&asked).await.unwrap_err();
    assert!(matches!(error, ModelError::TooLong { .. }), "{error}");
}

#[tokio::test]
async fn an_empty_reply_is_a_reply() {
    let null = json!({"choices": [{"message": {"content": null}, "finish_reason": "length"}]});
    let (server, _) = serve(move |_, _| ResponseTemplate::new(200).set_body_json(null.clone())).await;
    let reply = model(&server.uri()).chat(&request("a")).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("", quipu_model::FinishReason::Length));
    assert!(reply.usage.prompt_tokens > 0, "estimated where the endpoint does not say");
}

#[tokio::test]
async fn no_more_requests_are_under_way_than_allowed() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (under_way, peak) = (Arc::clone(&now), Arc::clone(&most));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let (under_way, peak) = (Arc::clone(&under_way), Arc::clone(&peak));
            tokio::spawn(async move {
                let mut buffer = vec![0; 65536];
                let _ = stream.read(&mut buffer).await;
                peak.fetch_max(under_way.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(10)).await;
                under_way.fetch_sub(1, Ordering::SeqCst);
                let body = completion("Lima").to_string();
                let head =
                    format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
                let _ = stream.write_all((head + &body).as_bytes()).await;
            });
        }
    });
    let mut config = config(&url);
    config.concurrency = 2;
    let model = HttpModel::new("m", config).unwrap();
    let asked = request("a");
    let replies = futures::future::join_all((0..10).map(|_| model.chat(&asked))).await;
    assert!(replies.iter().all(Result::is_ok));
    assert!(most.load(Ordering::SeqCst) <= 2);
}

#[tokio::test]
async fn choices_are_understood_however_they_come() {
    for reply in ["{\"choice\": \"2\"}", "2", "The answer is 2.", "```json\n{\"choice\": \"2\"}\n```"] {
        let (server, _) = serve(move |_, _| ok(reply)).await;
        let asked = request("Which?").with_constraint(Constraint::Choice(vec!["1".into(), "2".into()]));
        assert_eq!(model(&server.uri()).chat(&asked).await.unwrap().text, "2", "{reply}");
    }
}

#[tokio::test]
async fn functions_are_called_natively_or_as_json_where_refused() {
    let tools = vec![Tool {
        name: "find".into(),
        description: "finds an entity".into(),
        parameters: json!({"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}),
    }];
    let asked = request("Lima?").with_constraint(Constraint::Tools(tools.clone()));
    let expected = json!({"tool": "find", "arguments": {"name": "Lima"}});
    let (server, count) = serve(|_, body| {
        assert_eq!(body["tools"][0]["function"]["name"], "find");
        assert!(body.get("response_format").is_none() && body["tool_choice"] == "required");
        let call = json!({"type": "function", "function": {"name": "find", "arguments": "{\"name\": \"Lima\"}"}});
        ResponseTemplate::new(200).set_body_json(
            json!({"choices": [{"message": {"content": null, "tool_calls": [call]}, "finish_reason": "tool_calls"}]}),
        )
    })
    .await;
    let reply = model(&server.uri()).chat(&asked).await.unwrap();
    assert_eq!(serde_json::from_str::<Value>(&reply.text).unwrap(), expected);
    assert_eq!(count.load(Ordering::SeqCst), 1);

    let (server, count) = serve(|_, body| match body.get("tools") {
        Some(_) => refusal(400, "tools are not supported"),
        None => ok(r#"{"tool": "find", "arguments": {"name": "Lima"}}"#),
    })
    .await;
    let model = model(&server.uri());
    for calls in [2, 3] {
        let (call, _) = ask_tool(&model, &request("Lima?"), &tools).await.unwrap();
        assert_eq!(serde_json::to_value(call).unwrap(), expected);
        assert_eq!(count.load(Ordering::SeqCst), calls, "the refusal is remembered");
    }
}

#[tokio::test]
async fn scores_come_from_echoed_prompts() {
    let (server, _) = serve(|_, body| {
        let choices: Vec<Value> = body["prompt"]
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
            .map(|(index, prompt)| {
                // Tokens of four characters, each with log-probability -1; the first has none.
                let length = prompt.as_str().unwrap().chars().count();
                let offsets: Vec<usize> = (0..length).step_by(4).collect();
                let logprobs: Vec<Value> =
                    offsets.iter().map(|&offset| if offset == 0 { Value::Null } else { json!(-1.0) }).collect();
                json!({"index": index, "text": prompt, "logprobs": {"text_offset": offsets, "token_logprobs": logprobs}})
            })
            .rev()
            .collect();
        ResponseTemplate::new(200).set_body_json(json!({"choices": choices, "usage": {"prompt_tokens": 9}}))
    })
    .await;
    let request = ScoreRequest {
        stage: "test".into(),
        messages: vec![quipu_model::Message::user("The capital?")],
        continuations: vec!["x".repeat(4), "x".repeat(40)],
        timeout: Duration::from_secs(5),
    };
    let scoring = model(&server.uri()).with_scores();
    assert!(scoring.abilities().score);
    let reply = scoring.score(&request).await.unwrap();
    assert!(reply.scores[1].1 - reply.scores[0].1 == 9, "{:?}", reply.scores);
    assert!(reply.scores.iter().all(|&(score, tokens)| score == -f64::from(tokens)));
    let (server, _) = serve(|_, _| refusal(404, "no completions here")).await;
    let error = model(&server.uri()).with_scores().score(&request).await.unwrap_err();
    assert!(matches!(error, ModelError::Unsupported { .. }), "{error}");
}
