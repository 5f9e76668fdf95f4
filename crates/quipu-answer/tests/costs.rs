//! The cost of questions: reported if the price is known, limited, and estimated before the first
//! model call.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "set-up of tests")]

use crate::common;
use std::sync::Arc;

use common::{CARDS, FILMS, MORE_CARDS, embedder, options, run, setting, with_cards};
use quipu_answer::{AskOptions, Engine, Estimate, Limits, Method, Question, Status};
use quipu_model::{Amount, LanguageModel, Price, ScriptedModel};
use serde_json::json;

const QUESTION: &str = "who directed Kauwboy?";

/// A prompt token costs a millionth, a reply token two.
fn price() -> Price {
    serde_json::from_value(json!({ "input": 1, "output": 2, "currency": "EUR" })).unwrap()
}

fn knows() -> ScriptedModel {
    ScriptedModel::new().with_price(price()).always("compose.io", r#"{"answers": ["Boudewijn Koole"]}"#)
}

fn at_most(method: Method, cost: f64) -> AskOptions {
    let limits = Limits { cost: Amount::of_units(cost), ..Limits::default() };
    AskOptions { limits, ..options(method) }
}

#[tokio::test]
async fn an_answer_says_what_its_tokens_cost() {
    let (answer, _) = run(&setting(FILMS).await, knows(), QUESTION, &options(Method::Io)).await;
    let cost = answer.usage.cost.unwrap();
    let tokens = answer.usage.prompt_tokens + 2 * answer.usage.completion_tokens;
    assert!((cost.amount * 1e6 - tokens as f64).abs() < 1e-6, "{cost} {tokens}");
    assert_eq!(cost.currency, "EUR");
    let free = ScriptedModel::new().always("compose.io", r#"{"answers": ["x"]}"#);
    let (answer, _) = run(&setting(FILMS).await, free, QUESTION, &options(Method::Io)).await;
    assert_eq!(answer.usage.cost, None);
}

#[tokio::test]
async fn a_call_that_would_cost_too_much_is_not_made() {
    let (answer, model) = run(&setting(FILMS).await, knows(), QUESTION, &at_most(Method::Io, 1e-6)).await;
    assert_eq!((answer.status, model.calls()), (Status::Abstained, 0));
    assert_eq!(answer.reason.as_deref(), Some("the limit of 0.0000010 EUR was reached"));
    assert_eq!(answer.usage.cost.unwrap().amount, 0.0);
    // If the budget covers the prompt but only a part of the reply, the reply is cut to the rest.
    let (whole, _) = run(&setting(FILMS).await, knows(), QUESTION, &options(Method::Io)).await;
    let prompt = (whole.usage.prompt_tokens + 30) as f64 * 1e-6;
    let (answer, model) =
        run(&setting(FILMS).await, knows(), QUESTION, &at_most(Method::Io, prompt + 100e-6)).await;
    assert_eq!(answer.status, Status::Answered);
    let reply = model.requests()[0].max_tokens;
    assert!((16..=65).contains(&reply), "{reply}");
}

#[tokio::test]
async fn a_budget_without_a_price_is_refused_with_what_to_do() {
    let model: Arc<dyn LanguageModel> = Arc::new(ScriptedModel::new());
    let engine = Engine::new(setting(FILMS).await.workspace, Some(model), None).unwrap();
    let question = Question::new(QUESTION, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    let error = engine.ask(&question, &at_most(Method::Io, 1.0)).await.unwrap_err().to_string();
    assert!(error.contains("[prices.\"scripted\"]"), "{error}");
}

async fn estimate(model: ScriptedModel, options: &AskOptions) -> (Estimate, Arc<ScriptedModel>) {
    let model = Arc::new(model);
    let setting = with_cards(setting(FILMS).await, &format!("{CARDS}{MORE_CARDS}"));
    let engine = Engine::new(setting.workspace.clone(), Some(model.clone()), Some(embedder().await)).unwrap();
    let question = Question::new(QUESTION, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    (engine.estimate(&question, options).await.unwrap(), model)
}

#[tokio::test]
async fn an_estimate_counts_the_prompt_and_asks_nobody() {
    let (estimate, model) = estimate(knows(), &options(Method::Io)).await;
    assert_eq!(model.calls(), 0);
    assert_eq!((estimate.method, estimate.expected.calls, estimate.most.calls), ("io", 1, 2));
    let (answer, _) = run(&setting(FILMS).await, knows(), QUESTION, &options(Method::Io)).await;
    let (expected, most) = (&estimate.expected, &estimate.most);
    assert!(expected.tokens >= answer.usage.prompt_tokens, "{estimate:?}");
    assert!(expected.tokens < 2 * answer.usage.prompt_tokens + 200, "{estimate:?}");
    assert_eq!(most.tokens, 2 * 8192);
    let (usual, dear) = (expected.cost.as_ref().unwrap(), most.cost.as_ref().unwrap());
    assert!(usual.amount > 0.0 && usual.amount < dear.amount && dear.currency == "EUR", "{estimate:?}");
    // Limits also bound the estimate.
    let (limited, _) = self::estimate(knows(), &at_most(Method::SelfConsistency, 1e-3)).await;
    assert_eq!((limited.expected.calls, limited.most.calls), (3, 6));
    assert!(limited.most.cost.unwrap().amount <= 1e-3);
}

#[tokio::test]
async fn where_no_call_is_needed_the_estimate_is_nothing() {
    let (estimate, model) = estimate(knows(), &options(Method::Paths)).await;
    assert_eq!((estimate.most.calls, estimate.most.tokens, model.calls()), (0, 0, 0));
    assert_eq!(estimate.expected.cost.unwrap().amount, 0.0);
}
