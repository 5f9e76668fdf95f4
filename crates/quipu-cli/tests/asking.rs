//! `quipu ask` against an endpoint that the test plays itself.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

mod support;

use std::net::TcpListener;

use support::endpoint::{answer, chat_reply, endpoint};
use support::{Bench, Outcome, finish};

/// An OpenAI-compatible endpoint whose model always says the same, on a port of its own.
fn endpoint_that_says(reply: &'static str) -> String {
    endpoint(move |stream| answer(stream, "200 OK", &chat_reply(reply)))
}

fn ask(bench: &Bench, endpoint: &str, arguments: &[&str]) -> Outcome {
    let all =
        [&["ask", "places", "What is the capital of Peru?", "--llm", "openai:parrot"], arguments].concat();
    finish(bench.command(&all).env("OPENAI_BASE_URL", endpoint).env("OPENAI_API_KEY", "none"))
}

#[test]
fn json_has_every_documented_field_even_when_the_model_talks_nonsense() {
    let bench = Bench::with_places();
    let endpoint = endpoint_that_says("Bananas are yellow, and so on and so forth.");
    let outcome = ask(&bench, &endpoint, &["--json", "--method", "kerag"]).succeeded();
    let answer = outcome.json();
    assert_eq!(answer["question"], "What is the capital of Peru?");
    assert!(["answered", "abstained", "invalid_question"].iter().any(|status| answer["status"] == *status));
    assert!(answer["answer"].is_string() && answer["answers"].is_array() && answer["grounded"].is_boolean());
    assert!(
        answer["confidence"].is_number() && answer["evidence"].is_array() && answer["citations"].is_array()
    );
    assert_eq!((&answer["method"], &answer["llm"]), (&"kerag".into(), &"openai:parrot".into()));
    for field in ["llm_calls", "prompt_tokens", "completion_tokens", "seconds"] {
        assert!(answer["usage"][field].is_number(), "{field}: {answer}");
    }
    assert!(!answer["usage"]["by_stage"].is_null(), "{answer}");
    assert!(answer["usage"]["llm_calls"].as_u64() > Some(0), "the endpoint was asked: {answer}");
    assert_eq!(answer["status"] == "abstained", answer["reason"].is_string(), "{answer}");
    assert!(answer.get("trace").is_none(), "a trace comes with --explain only: {answer}");
    for piece in answer["evidence"].as_array().unwrap() {
        assert!(
            piece["id"].is_string() && piece["kind"].is_string() && piece["source"].is_string(),
            "{piece}"
        );
    }
}

#[test]
fn people_get_the_answer_its_cost_and_on_request_its_story() {
    let bench = Bench::with_places();
    let endpoint = endpoint_that_says("I don't know.");
    let plain = ask(&bench, &endpoint, &["--method", "kerag"]).succeeded().stdout;
    assert!(
        plain.contains("model call") && plain.contains("token") && plain.contains("openai:parrot"),
        "{plain}"
    );
    let explained = ask(&bench, &endpoint, &["--method", "kerag", "--explain"]).succeeded().stdout;
    assert!(explained.contains("\nlink ") && explained.contains("Peru"), "{explained}");
    let object = ask(&bench, &endpoint, &["--method", "kerag", "--explain", "--json"]).succeeded().json();
    assert!(object["trace"].as_array().is_some_and(|events| !events.is_empty()), "{object}");
}

#[test]
fn a_model_that_is_not_here_says_how_to_get_it() {
    let bench = Bench::with_places();
    let missing = bench.run(&["ask", "places", "What is the capital of Peru?"]).failed(1);
    assert!(missing.stderr.contains("quipu models pull"), "{missing:#?}");
    let unknown = bench.run(&["ask", "places", "Why?", "--llm", "gpt-99"]).failed(2);
    assert!(unknown.stderr.contains("gpt-99"), "{unknown:#?}");
}

#[test]
fn an_endpoint_that_is_not_there_is_named() {
    let bench = Bench::with_places();
    // Nothing listens on a port that was just given back.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let gone = ask(&bench, &format!("http://{address}/v1"), &["--method", "kerag"]).failed(1);
    assert!(gone.stderr.contains(&address.to_string()), "{gone:#?}");
}

#[test]
fn an_endpoint_that_refuses_the_key_is_believed() {
    let bench = Bench::with_places();
    let body = r#"{"error":{"message":"wrong key","type":"invalid_request_error"}}"#;
    let endpoint = endpoint(move |stream| answer(stream, "401 Unauthorized", body));
    let refused = ask(&bench, &endpoint, &["--method", "kerag"]).failed(1);
    assert!(refused.stderr.contains("401") && refused.stderr.contains("wrong key"), "{refused:#?}");
}

#[test]
fn what_is_no_question_is_wrong_usage() {
    let bench = Bench::with_places();
    let endpoint = endpoint_that_says("?");
    for text in ["", "   ", &"why ".repeat(3000)] {
        let arguments = ["ask", "places", text, "--llm", "openai:parrot"];
        finish(bench.command(&arguments).env("OPENAI_BASE_URL", &endpoint)).failed(2);
    }
    let method = ask(&bench, &endpoint, &["--method", "magic"]).failed(2);
    assert!(method.stderr.contains("magic"), "{method:#?}");
}
