//! Helpers of several tests: the installed models, and the conformance suite of language models.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::path::PathBuf;
use std::time::Duration;

use quipu_model::{
    ChatRequest, Constraint, FinishReason, LanguageModel, LocalConfig, LocalModel, Message, ModelError,
    Registry, ScoreRequest, ask_json, choose,
};
use serde_json::json;

/// Path of an installed model. The tests require it, and explain how to get it.
pub fn model_path(name: &str) -> PathBuf {
    let registry = Registry::open().unwrap();
    registry.path(name).unwrap_or_else(|error| {
        panic!("{error}\n`make test` fetches the models that the tests need; this one alone: quipu models pull {name}")
    })
}

/// One thread: tests run in parallel, and threads that wait for each other on busy cores are slow.
pub fn small_config(context_tokens: u32) -> LocalConfig {
    LocalConfig { context_tokens, threads: 1, ..LocalConfig::default() }
}

/// The smallest local model, with a small context.
pub fn small_model() -> LocalModel {
    let config = small_config(2048);
    LocalModel::load("smollm2-135m", &model_path("smollm2-135m"), &config).unwrap()
}

pub fn request(text: &str) -> ChatRequest {
    ChatRequest::new("test", vec![Message::system("Answer briefly."), Message::user(text)])
        .with_max_tokens(24)
}

/// The conformance suite of language models.
pub async fn conformance(model: &dyn LanguageModel) {
    let abilities = model.abilities();
    assert!(!model.name().is_empty());
    assert!(abilities.context_tokens >= 1024);
    counts_tokens(model);
    free_chat(model).await;
    choices(model).await;
    schemas(model).await;
    scores(model).await;
    if !abilities.grammar {
        let request = request("yes?").with_constraint(Constraint::Grammar("root ::= \"yes\"".into()));
        assert!(matches!(model.chat(&request).await, Err(ModelError::Unsupported { .. })));
    }
}

fn counts_tokens(model: &dyn LanguageModel) {
    assert_eq!(model.count_tokens(""), 0);
    let (short, long) = (model.count_tokens("capital"), model.count_tokens("What is the capital of Peru?"));
    assert!(0 < short && short < long);
}

async fn free_chat(model: &dyn LanguageModel) {
    let reply = model.chat(&request("What is the capital of Peru?")).await.unwrap();
    assert!(!reply.text.is_empty());
    assert_eq!(reply.usage.llm_calls, 1);
    assert!(reply.usage.prompt_tokens > 0 && reply.usage.completion_tokens > 0 && reply.usage.seconds > 0.0);
    let again = model.chat(&request("What is the capital of Peru?")).await.unwrap();
    assert_eq!(again.text, reply.text, "greedy replies repeat");
}

async fn choices(model: &dyn LanguageModel) {
    let options = ["Lima", "Quito", "La Paz"].map(str::to_owned);
    let request = request("Which is the capital of Peru?\n1. Lima\n2. Quito\n3. La Paz");
    let constrained = request.clone().with_constraint(Constraint::Choice(options.to_vec()));
    let reply = model.chat(&constrained).await.unwrap();
    assert!(options.contains(&reply.text), "{:?} is none of the options", reply.text);
    assert_eq!(reply.finish, FinishReason::Stop);
    let (index, replies) = choose(model, &request, &options).await.unwrap();
    assert!(index < options.len() && !replies.is_empty());
}

async fn schemas(model: &dyn LanguageModel) {
    #[derive(serde::Deserialize)]
    struct Plan {
        hops: u32,
        relations: Vec<String>,
    }
    let schema = json!({
        "type": "object",
        "properties": {
            "hops": {"type": "integer", "minimum": 1, "maximum": 3},
            "relations": {"type": "array", "items": {"enum": ["capital", "neighbour"]}, "minItems": 1, "maxItems": 2},
        },
        "required": ["hops", "relations"],
    });
    let request =
        request("How many hops, along which relations, to the capital of Peru?").with_max_tokens(64);
    let (plan, _) = ask_json::<Plan>(model, &request, &schema).await.unwrap();
    assert!((1..=3).contains(&plan.hops));
    assert!((1..=2).contains(&plan.relations.len()));
    assert!(plan.relations.iter().all(|relation| ["capital", "neighbour"].contains(&relation.as_str())));
}

async fn scores(model: &dyn LanguageModel) {
    let request = ScoreRequest {
        stage: "test".into(),
        messages: vec![Message::user("The capital of France is")],
        continuations: vec![" Paris.".into(), " zxqv kk 7~".into(), " Paris, of course.".into()],
        timeout: Duration::from_secs(60),
    };
    let result = model.score(&request).await;
    if !model.abilities().score {
        assert!(matches!(result, Err(ModelError::Unsupported { .. })));
        return;
    }
    let reply = result.unwrap();
    assert_eq!(reply.scores.len(), 3);
    assert!(reply.scores.iter().all(|&(score, tokens)| score < 0.0 && tokens > 0));
    let likely = reply.scores[0].0;
    assert!(likely > reply.scores[1].0 && likely >= reply.scores[2].0, "{:?}", reply.scores);
    assert_eq!(reply.usage.llm_calls, 1);
}
