//! HybGRAG over an API: what is read again after each kind of feedback of Table 12, and how often the model is asked.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    dead_code,
    reason = "set-up of tests"
)]

#[path = "../../quipu-graph/tests/apis/mod.rs"]
mod apis;
mod common;

use std::sync::Arc;

use common::{Setting, options, run};
use quipu_answer::{AskOptions, CriticKind, Event, Method, Page, Refinement, Status};
use quipu_graph::ApiConfig;
use quipu_index::{ApiRequest, Workspace};
use quipu_model::ScriptedModel;
use wiremock::MockServer;

const QUESTION: &str = "when was ada berg born?";

async fn over_library() -> (MockServer, Setting) {
    let server = apis::library().await;
    let folder = tempfile::tempdir().unwrap();
    let place = |file: &str, text: &str| {
        std::fs::write(folder.path().join(file), text).unwrap();
        folder.path().join(file).display().to_string()
    };
    let config = ApiConfig {
        openapi: place("openapi.json", apis::LIBRARY),
        manifest: Some(place("manifest.toml", apis::LIBRARY_MANIFEST)),
        base: Some(format!("{}/v1", server.uri())),
        allow_hosts: vec!["127.0.0.1".into()],
        cache_hours: 0,
        pause: 1,
        ..ApiConfig::default()
    };
    let path = folder.path().join("workspace");
    Workspace::add_api(&path, &ApiRequest { name: "library".into(), config }).await.unwrap();
    let workspace = Arc::new(Workspace::open(&path).unwrap());
    (server, Setting { folder, workspace })
}

fn form(kind: &str, dynamism: &str) -> String {
    serde_json::json!({ "type": kind, "dynamism": dynamism, "domain": "books" }).to_string()
}

fn subject(name: &str) -> String {
    serde_json::json!({ "domain": "books", "entities": [{ "name": name, "kind": "author" }] }).to_string()
}

fn composed(rows: &[&str], answers: &[&str]) -> String {
    serde_json::json!({ "reasoning": "By the rows.", "status": "answered", "rows": rows, "operation": "none", "answers": answers }).to_string()
}

/// A model that reads the question rightly; its answer is refused once, with this comment.
fn refused_once(comment: &str) -> ScriptedModel {
    ScriptedModel::new()
        .always("plan.form", form("simple", "static"))
        .always("plan.subject", subject("ada berg"))
        .always("compose", composed(&["E0.born"], &[]))
        .on("critique.validate", "no")
        .on("critique.validate", "yes")
        .on("critique.comment", comment)
}

fn asked(model: &ScriptedModel) -> Vec<String> {
    model.requests().into_iter().map(|request| request.stage).collect()
}

fn hybrid() -> AskOptions {
    options(Method::Hybrid)
}

#[tokio::test]
async fn an_answer_that_is_accepted_takes_four_calls() {
    let (_server, setting) = over_library().await;
    let model = ScriptedModel::new()
        .on("plan.form", form("simple", "static"))
        .on("plan.subject", subject("ada berg"))
        .on("compose", composed(&["E0.born"], &[]))
        .on("critique.validate", "yes");
    let (answer, model) = run(&setting, model, QUESTION, &hybrid()).await;
    assert_eq!(
        (answer.status, answer.answers.as_slice()),
        (Status::Answered, ["1911-05-04".to_owned()].as_slice())
    );
    assert!(answer.grounded && answer.usage.llm_calls == 4);
    assert_eq!(asked(&model), ["plan.form", "plan.subject", "compose", "critique.validate"]);
    let mut uncritical = hybrid();
    uncritical.config.hybrid.critic = CriticKind::Off;
    let (_, model) = run(&setting, refused_once("incorrect question type"), QUESTION, &uncritical).await;
    assert_eq!(asked(&model), ["plan.form", "plan.subject", "compose"]);
}

#[tokio::test]
async fn each_kind_of_feedback_has_that_part_read_again() {
    let (_server, setting) = over_library().await;
    for (kind, again) in [
        ("incorrect question type", &["plan.form"][..]),
        ("incorrect question dynamism", &["plan.form"]),
        ("incorrect question domain", &["plan.form", "plan.subject"]),
        ("incorrect entity and relation", &["plan.subject"]),
        ("incorrect retrieval module", &[]),
    ] {
        let (answer, model) = run(&setting, refused_once(kind), QUESTION, &hybrid()).await;
        let stages = asked(&model);
        let (before, after) = (stages[..5].to_vec(), stages[5..].to_vec());
        assert_eq!(before, ["plan.form", "plan.subject", "compose", "critique.validate", "critique.comment"]);
        // In a field that is not known nothing is looked up, and what is not answered needs no validation.
        if kind != "incorrect question domain" {
            assert_eq!(after, [again, &["compose", "critique.validate"]].concat(), "{kind}");
        } else {
            assert_eq!(after[..2], *again);
        }
        let told = answer.trace.iter().flatten().any(|event| {
            matches!(&event.event, Event::Refined { step: Refinement::Feedback { kind: told, .. }, .. } if told == kind)
        });
        assert!(told, "{kind}");
        let reread = model.requests().into_iter().skip(5).find(|request| request.stage.starts_with("plan"));
        let Some(reread) = reread else { continue };
        let text = &reread.messages.last().unwrap().content;
        let expected = match kind {
            "incorrect entity and relation" => "Looking up this was wrong: ada berg (author)",
            _ => "This reading was wrong in",
        };
        assert!(text.contains(expected), "{kind}: {text}");
    }
}

#[tokio::test]
async fn a_graph_without_use_gives_way_to_pages_batch_by_batch() {
    let (_server, setting) = over_library().await;
    let pages: Vec<Page> = (0..20)
        .map(|number| Page {
            name: format!("Page {number}"),
            text: format!("Ada Berg was born in the year {}.", 1900 + number),
            ..Page::default()
        })
        .collect();
    let mut options = hybrid();
    options.pages = pages.into();
    let model = ScriptedModel::new()
        .always("plan.form", form("simple", "static"))
        .always("plan.subject", subject("nobody at all"))
        .on("critique.comment", "incorrect retrieval module")
        .always("compose", composed(&[], &["1911"]))
        .on("critique.validate", "no")
        .on("critique.validate", "yes");
    let (answer, model) = run(&setting, model, QUESTION, &options).await;
    // Nothing was found in the graph: nothing to answer from or to validate. After the first batch no comment is needed.
    let expected = [
        "plan.form",
        "plan.subject",
        "critique.comment",
        "compose",
        "critique.validate",
        "compose",
        "critique.validate",
    ];
    assert_eq!(asked(&model), expected);
    assert_eq!(answer.evidence.len(), 5, "the second batch is what the first of fifteen left");
}

#[tokio::test]
async fn four_rounds_are_the_most() {
    let (_server, setting) = over_library().await;
    let model = ScriptedModel::new()
        .always("plan.form", form("simple", "static"))
        .always("plan.subject", subject("ada berg"))
        .always("compose", composed(&["E0.born"], &[]))
        .always("critique.validate", "no")
        .always("critique.comment", "incorrect entity and relation");
    let (answer, model) = run(&setting, model, QUESTION, &hybrid()).await;
    let rounds = asked(&model).iter().filter(|stage| *stage == "critique.validate").count();
    assert_eq!((rounds, answer.status), (4, Status::Answered));
    assert!(answer.confidence < 0.3);
}
