//! KERAG with whole paths or queries instead of its own plan, and its fallbacks.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use crate::common;
use std::sync::Arc;

use common::kerag::{TOPIC, by_model, composed, kerag};
use common::{CARDS, FILMS, ask, embedder, setting};
use quipu_answer::{Answer, AskOptions, Event, KeragConfig, Method, Planner, Status, Summary};
use quipu_model::ScriptedModel;

fn with_planner(planner: Planner, config: KeragConfig) -> AskOptions {
    let mut options = kerag(config);
    options.config.planner = planner;
    options
}

/// Asks by whole paths, with the real embedder and relation cards.
async fn by_paths(model: ScriptedModel, question: &str, config: KeragConfig) -> (Answer, Arc<ScriptedModel>) {
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), CARDS).unwrap();
    let model = Arc::new(model);
    let options = with_planner(Planner::Paths, config);
    let answer = ask(&setting, Some(model.clone()), Some(embedder().await), question, &options).await;
    (answer, model)
}

fn way(ways: &str, operation: &str, some: &str) -> String {
    let all = some.is_empty();
    format!(
        r#"{{"reasoning": "It leads there.", "status": "answered", "ways": [{ways}], "operation": "{operation}", "all": {all}, "answers": [{some}]}}"#
    )
}

fn topic_and(composed: &str) -> ScriptedModel {
    ScriptedModel::new().on("plan.topic", TOPIC).on("compose", composed)
}

/// Number of calls without those for cards and word meanings, which a workspace makes once.
fn asked(model: &ScriptedModel) -> usize {
    model.calls() - model.calls_of("plan.word") - model.calls_of("plan.card")
}

#[tokio::test]
async fn by_whole_paths_any_number_of_hops_takes_two_calls() {
    let question = "what are the release years of the films directed by Boudewijn Koole?";
    for (question, expected) in
        [("who starred in Kauwboy?", ["Loek Peters", "Rick Lens"]), (question, ["2012", "2017"])]
    {
        let model = topic_and(&way("\"W1\"", "none", ""));
        let (answer, model) = by_paths(model, question, KeragConfig::default()).await;
        let mut answers = answer.answers.clone();
        answers.sort();
        assert_eq!(answers, expected, "{answer:#?}");
        assert_eq!((asked(&model), answer.grounded), (2, true));
        let told = model.requests().last().unwrap().messages.last().unwrap().content.clone();
        assert!(told.contains("| W1 |") && told.contains("| E0"), "{told}");
    }
}

#[tokio::test]
async fn by_whole_paths_the_values_are_the_ways() {
    let stars = "who starred in Kauwboy?";
    // Only a copy of a value counts as a choice among the values.
    let (answer, _) =
        by_paths(topic_and(&way("\"W1\"", "none", "\"rick lens\"")), stars, KeragConfig::default()).await;
    assert_eq!(answer.answers, ["Rick Lens"]);
    let (answer, _) =
        by_paths(topic_and(&way("\"W1\"", "none", "\"Hollywood\"")), stars, KeragConfig::default()).await;
    assert_eq!(answer.answers.len(), 2);
    // Two paths from the same name: the likelier one wins.
    let (answer, _) =
        by_paths(topic_and(&way("\"W1\", \"W2\"", "none", "")), stars, KeragConfig::default()).await;
    assert_eq!(answer.answers.len(), 2, "{:?}", answer.answers);
    // The question does not ask for a number.
    let (answer, _) = by_paths(topic_and(&way("\"W1\"", "count", "")), stars, KeragConfig::default()).await;
    assert_eq!(answer.answers.len(), 2, "{:?}", answer.answers);
    let how_many = "how many actors starred in Kauwboy?";
    let (answer, _) =
        by_paths(topic_and(&way("\"W1\"", "count", "")), how_many, KeragConfig::default()).await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (["2".to_owned()].as_slice(), true));
}

#[tokio::test]
async fn by_whole_paths_a_sure_meeting_stands_beside_one_way_of_each_name() {
    let question = "which films directed by Boudewijn Koole starred Rick Lens?";
    let (answer, model) =
        by_paths(topic_and(&way("\"W1\"", "none", "")), question, KeragConfig::default()).await;
    assert_eq!(answer.answers, ["Kauwboy"]);
    let told = model.requests().last().unwrap().messages.last().unwrap().content.clone();
    let ways: Vec<&str> = told.lines().filter(|line| line.starts_with("| W")).collect();
    assert!(ways[0].contains("” and “") && ways.len() <= 3, "{ways:#?}");
}

#[tokio::test]
async fn by_whole_paths_the_model_may_say_that_it_does_not_know() {
    let unknown = r#"{"reasoning": "No way leads to a publisher.", "status": "unknown", "ways": [], "operation": "none", "all": false, "answers": []}"#;
    let (answer, model) = by_paths(topic_and(unknown), "who directed Kauwboy?", KeragConfig::default()).await;
    assert_eq!((answer.status, asked(&model)), (Status::Abstained, 2));
    assert!(answer.reason.unwrap().contains("No way leads to a publisher"));
    let prose = "It is a lovely film.";
    let model = ScriptedModel::new().on("plan.topic", TOPIC).on("compose", prose).on("compose", prose);
    let (answer, model) = by_paths(model, "who directed Kauwboy?", KeragConfig::default()).await;
    assert_eq!((answer.status, asked(&model)), (Status::Abstained, 3));
}

#[tokio::test]
async fn by_whole_paths_an_unknown_that_names_ways_is_held_against_the_plan() {
    let unsure = r#"{"reasoning": "W1 leads there, or W2.", "status": "unknown", "ways": ["W1", "W2"], "operation": "none", "all": false, "answers": []}"#;
    let (answer, model) = by_paths(topic_and(unsure), "who directed Kauwboy?", KeragConfig::default()).await;
    assert_eq!((answer.answers.as_slice(), asked(&model)), (["Boudewijn Koole".to_owned()].as_slice(), 2));
    assert!(answer.trace.iter().flatten().any(|event| matches!(event.event, Event::Degraded { .. })));
    // If the plan is unsure too, the answer stays unknown.
    let budget = "what did the poster of Kauwboy cost?";
    let without_cards = topic_and(unsure).always("plan.card", "-");
    let (answer, _) = by_paths(without_cards, budget, KeragConfig::default()).await;
    assert_eq!(answer.status, Status::Abstained, "{:?}", answer.answers);
}

#[tokio::test]
async fn by_whole_paths_without_reasoning_none_is_asked_for() {
    let plain = r#"{"status": "answered", "ways": ["W1"], "operation": "none", "all": true, "answers": []}"#;
    let config = KeragConfig { summary: Summary::Plain, ..KeragConfig::default() };
    let (answer, model) = by_paths(topic_and(plain), "who directed Kauwboy?", config).await;
    assert_eq!(answer.answers, ["Boudewijn Koole"]);
    assert!(!model.requests().last().unwrap().messages[0].content.contains("step by step"));
}

#[tokio::test]
async fn where_no_way_is_likely_the_model_is_not_asked_to_compose() {
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), CARDS).unwrap();
    let check = async |question: &str, least_confidence: f64| {
        let ways = r#"{"reasoning": "", "status": "answered", "ways": ["W1"], "operation": "none", "all": true, "answers": []}"#;
        let model = Arc::new(
            ScriptedModel::new().on("plan.topic", TOPIC).on("compose", ways).always("plan.card", "-"),
        );
        let config = KeragConfig { least_confidence, ..KeragConfig::default() };
        let options = with_planner(Planner::Paths, config);
        let answer = ask(&setting, Some(model.clone()), Some(embedder().await), question, &options).await;
        (answer, model.calls_of("compose"))
    };
    let absurd = "what is the boiling point of Kauwboy in the Swiss parliament?";
    let (answer, composed) = check(absurd, KeragConfig::default().least_confidence).await;
    assert_eq!((answer.status, composed), (Status::Abstained, 0), "{answer:#?}");
    assert!(answer.reason.unwrap().contains("the nearest is"));
    let (answer, composed) = check(absurd, 0.0).await;
    assert_eq!((answer.status, composed), (Status::Answered, 1));
    let (answer, composed) = check("who directed Kauwboy?", KeragConfig::default().least_confidence).await;
    assert_eq!((answer.answers, composed), (vec!["Boudewijn Koole".to_owned()], 1));
}

/// With the planner `query` the plan is a query, and the paper's summary reasons over the evidence
/// of its rows: two calls.
#[tokio::test]
async fn with_queries_the_summary_reasons_over_the_rows() {
    let rows: String =
        (1..=6).map(|n| format!("Film {n}\tdirector\tPerson {n}\nFilm {n}\tyear\t200{n}\n")).collect();
    let model = ScriptedModel::new()
        .always("compose", composed("\"Person 3\"").as_str())
        .when(|request| (request.stage == "plan.kinds").then(|| "film".into()))
        .when(|request| {
            (request.stage == "plan.query").then(|| "SELECT director FROM film WHERE name = 'Film 3'".into())
        });
    let model = Arc::new(model);
    let options = with_planner(Planner::Query, KeragConfig::default());
    let question = "who is the director of Film 3?";
    let answer =
        ask(&setting(&rows).await, Some(model.clone()), Some(embedder().await), question, &options).await;
    assert_eq!(answer.method, "kerag + query");
    assert_eq!(
        (answer.answers, model.calls_of("compose")),
        (vec!["Person 3".to_owned()], 1),
        "{:?}",
        model.requests()
    );
}

#[tokio::test]
async fn a_method_that_runs_out_says_so_and_nothing_stands_in_for_it() {
    let limited = |fallback: bool| {
        let mut options = kerag(by_model());
        options.limits.llm_calls = 1;
        options.config.fallback = fallback;
        options
    };
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), CARDS).unwrap();
    let asked = async |options: AskOptions| {
        let model = Arc::new(ScriptedModel::new().on("plan.topic", TOPIC));
        ask(&setting, Some(model), Some(embedder().await), "who directed Kauwboy?", &options).await
    };
    let alone = asked(limited(false)).await;
    assert_eq!(alone.status, Status::Abstained, "{alone:#?}");
    assert!(alone.reason.unwrap().contains("call"), "it says which limit");
    let with_fallback = asked(limited(true)).await;
    assert_eq!(with_fallback.answers, ["Boudewijn Koole"]);
    let named = |note: &quipu_answer::Note| match note {
        quipu_answer::Note::Fallback { method, reason } => method == "auto" && reason.contains("call"),
        _ => false,
    };
    assert!(with_fallback.notes.iter().any(named), "{:?}", with_fallback.notes);
}

#[tokio::test]
async fn a_method_without_a_plan_takes_no_planner() {
    let mut options = kerag(by_model());
    options.method = Method::Cot;
    options.config.planner = Planner::Paths;
    let engine = quipu_answer::Engine::new(setting(FILMS).await.workspace.clone(), None, None).unwrap();
    let question = quipu_answer::Question::new("who directed Kauwboy?", jiff::Zoned::now()).unwrap();
    let error = engine.ask(&question, &options).await.unwrap_err().to_string();
    assert!(error.contains("cot has its own planner") && error.contains("kerag, anchor"), "{error}");
}
