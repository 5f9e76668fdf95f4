//! Follow-up questions: one model call when something was said before, none otherwise.

use crate::common;
use common::{CARDS, FILMS, run, setting};
use quipu_answer::{AskOptions, Conversation, Event, Method, Speaker, Status, Turn};
use quipu_model::{ModelError, Scripted, ScriptedModel};

fn after(turns: &[(Speaker, &str)]) -> AskOptions {
    let turns =
        turns.iter().map(|(speaker, text)| Turn { speaker: *speaker, text: (*text).into() }).collect();
    AskOptions {
        method: Method::Io,
        conversation: Conversation { instructions: "Be brief.".into(), turns },
        keep_trace: true,
        ..AskOptions::default()
    }
}

const EARLIER: [(Speaker, &str); 2] =
    [(Speaker::Person, "who directed Kauwboy?"), (Speaker::Answer, "Boudewijn Koole")];
const KNOWS: &str = r#"{"answers": ["Leidschendam"]}"#;

#[tokio::test]
async fn a_follow_up_is_said_so_that_it_stands_alone() {
    let model = ScriptedModel::new()
        .on("plan.restate", r#"{"question": "where was Boudewijn Koole born?"}"#)
        .on("compose.io", KNOWS);
    let (answer, model) = run(&setting(FILMS).await, model, "and where was he born?", &after(&EARLIER)).await;
    assert_eq!(answer.question, "where was Boudewijn Koole born?");
    assert_eq!((model.calls(), answer.usage.llm_calls), (2, 2));
    let told = common::told(&model, 0);
    assert!(told.contains("Boudewijn Koole") && told.contains("Be brief."), "{told}");
    assert!(told.ends_with("Last question: and where was he born?"), "{told}");
    let restated = |event: &Event| matches!(event, Event::Restated { question } if question == "where was Boudewijn Koole born?");
    assert!(answer.trace.unwrap().iter().any(|timed| restated(&timed.event)));
}

#[tokio::test]
async fn a_first_question_asks_no_model_for_that() {
    let model = ScriptedModel::new().on("compose.io", KNOWS);
    let (answer, model) = run(&setting(FILMS).await, model, "where was Koole born?", &after(&[])).await;
    assert_eq!((model.calls(), answer.question.as_str()), (1, "where was Koole born?"));
}

#[tokio::test]
async fn what_cannot_be_restated_is_asked_as_it_is() {
    let model =
        ScriptedModel::new().always("plan.restate", "Leidschendam, I believe!").on("compose.io", KNOWS);
    let (answer, _) = run(&setting(FILMS).await, model, "and where was he born?", &after(&EARLIER)).await;
    assert_eq!((answer.question.as_str(), answer.status), ("and where was he born?", Status::Answered));
    let degraded =
        |event: &Event| matches!(event, Event::Degraded { reason } if reason.contains("as it stands"));
    assert!(answer.trace.unwrap().iter().any(|timed| degraded(&timed.event)));
}

#[tokio::test]
async fn without_a_model_a_follow_up_is_asked_as_it_is() {
    let setting = setting(FILMS).await;
    std::fs::write(setting.workspace.folder().join("relations.toml"), CARDS).unwrap();
    let options = AskOptions { method: Method::Paths, ..after(&EARLIER) };
    let answer =
        common::ask(&setting, None, Some(common::embedder().await), "who directed Tonio?", &options).await;
    assert_eq!(answer.question, "who directed Tonio?");
    assert!(answer.trace.unwrap().iter().any(|timed| matches!(timed.event, Event::Degraded { .. })));
}

#[tokio::test]
async fn a_model_that_fails_is_an_error_and_no_wrong_question() {
    let gone = ModelError::Engine { model: "scripted".into(), reason: "gone".into() };
    let model = std::sync::Arc::new(ScriptedModel::new().on("plan.restate", Scripted::Fail(gone)));
    let setting = setting(FILMS).await;
    let engine = quipu_answer::Engine::new(setting.workspace.clone(), Some(model), None).unwrap();
    let question =
        quipu_answer::Question::new("and he?", "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    let error = engine.ask(&question, &after(&EARLIER)).await.unwrap_err();
    assert!(error.to_string().contains("gone"), "{error}");
}
