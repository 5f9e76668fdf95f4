//! Scores JSON lines of `{"messages": [[role, text]...], "continuations": [...]}` from standard input.

use std::io::BufRead as _;
use std::time::Duration;

use quipu_model::{Message, OpenOptions, ScoreRequest, open_language_model};

fn main() {
    let name = std::env::args().nth(1).unwrap_or_else(|| "qwen2.5-coder-1.5b".into());
    let model = open_language_model(&name, &OpenOptions::default()).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    for line in std::io::stdin().lock().lines() {
        let value: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        let text = |v: &serde_json::Value| v.as_str().unwrap().to_owned();
        let messages = value["messages"].as_array().unwrap().iter().map(|m| match m[0].as_str().unwrap() {
            "system" => Message::system(text(&m[1])),
            "user" => Message::user(text(&m[1])),
            _ => Message::assistant(text(&m[1])),
        });
        let request = ScoreRequest {
            stage: "x".into(),
            messages: messages.collect(),
            continuations: value["continuations"].as_array().unwrap().iter().map(text).collect(),
            timeout: Duration::from_secs(600),
        };
        let reply = runtime.block_on(model.score(&request)).unwrap();
        println!(
            "{}",
            serde_json::json!({"scores": reply.scores, "seconds": reply.usage.seconds, "tokens": reply.usage.prompt_tokens, "reused": reply.usage.reused_tokens})
        );
    }
}
