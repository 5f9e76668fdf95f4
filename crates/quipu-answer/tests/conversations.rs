//! Follow-up questions: code resolves them if the graph tells the meaning, else one model call
//! does; without earlier turns there is no call.

use crate::common;
use common::{FILMS, run, setting};
use quipu_answer::{AskOptions, Conversation, Event, Method, Speaker, Status, Turn, Value};
use quipu_model::{ModelError, Scripted, ScriptedModel};

fn after(turns: &[(Speaker, &str)]) -> AskOptions {
    let turns = turns.iter().map(|(speaker, text)| Turn::new(*speaker, *text)).collect();
    AskOptions {
        method: Method::Io,
        conversation: Conversation { instructions: "Be brief.".into(), turns },
        keep_trace: true,
        ..AskOptions::default()
    }
}

const EARLIER: [(Speaker, &str); 2] =
    [(Speaker::Person, "who directed Kauwboy?"), (Speaker::Answer, "Boudewijn Koole")];
/// A follow-up whose meaning only a model can tell.
const SILENT: &str = "born when exactly?";
const KNOWS: &str = r#"{"answers": ["Leidschendam"]}"#;

#[tokio::test]
async fn what_code_does_not_understand_is_said_by_the_model_so_that_it_stands_alone() {
    let model = ScriptedModel::new()
        .on("plan.restate", r#"{"question": "when exactly was Boudewijn Koole born?"}"#)
        .on("compose.io", KNOWS);
    let (answer, model) = run(&setting(FILMS).await, model, SILENT, &after(&EARLIER)).await;
    assert_eq!(answer.question, "when exactly was Boudewijn Koole born?");
    assert_eq!((model.calls(), answer.usage.llm_calls), (2, 2));
    let told = common::told(&model, 0);
    assert!(told.contains("Boudewijn Koole") && told.contains("Be brief."), "{told}");
    assert!(told.ends_with("Last question: born when exactly?"), "{told}");
    let restated = |event: &Event| matches!(event, Event::Restated { question } if question == "when exactly was Boudewijn Koole born?");
    assert!(answer.trace.unwrap().iter().any(|timed| restated(&timed.event)));
}

#[tokio::test]
async fn a_restatement_that_says_what_nobody_said_is_not_asked() {
    for leak in [
        "what is the boiling point of helium?",
        "where was Boudewijn Koole?",
        "when was Ada Berg born exactly?",
    ] {
        let reply = format!(r#"{{"question": "{leak}"}}"#);
        let model = ScriptedModel::new().on("plan.restate", reply).on("compose.io", KNOWS);
        let (answer, _) = run(&setting(FILMS).await, model, SILENT, &after(&EARLIER)).await;
        assert_eq!(answer.question, SILENT);
        let degraded =
            |event: &Event| matches!(event, Event::Degraded { reason } if reason.contains("nobody said"));
        assert!(answer.trace.unwrap().iter().any(|timed| degraded(&timed.event)), "{leak}");
    }
}

/// Asks after earlier turns; no model call resolves the message.
async fn check(turns: &[(Speaker, &str)], message: &str, expected: &str) {
    let model = ScriptedModel::new().on("compose.io", KNOWS);
    let (answer, model) = run(&setting(FILMS).await, model, message, &after(turns)).await;
    assert_eq!(answer.question, expected, "{message}");
    assert_eq!(model.calls(), 1, "{message}");
}

#[tokio::test]
async fn words_for_earlier_things_are_understood_by_code() {
    check(&EARLIER, "and where was he born?", "where was Boudewijn Koole born?").await;
    check(&EARLIER, "when was it released?", "when was Kauwboy released?").await;
    check(&EARLIER, "what is its release year?", "what is Kauwboy's release year?").await;
    let two = [
        (Speaker::Person, "which films did Boudewijn Koole direct?"),
        (Speaker::Answer, "Kauwboy and Disappearance."),
    ];
    check(&two, "which of them is longer?", "which of Kauwboy and Disappearance is longer?").await;
    check(&two, "who starred in the second one?", "who starred in Disappearance?").await;
}

#[tokio::test]
async fn a_question_goes_on_about_another_thing() {
    check(&EARLIER, "and Tonio?", "who directed Tonio?").await;
    check(&EARLIER, "What about Tonio?", "who directed Tonio?").await;
    check(&EARLIER, "Tonio?", "who directed Tonio?").await;
    check(&EARLIER, "and the release year?", "the release year of Kauwboy?").await;
    let on =
        [EARLIER[0], EARLIER[1], (Speaker::Person, "and Tonio?"), (Speaker::Answer, "Paula van der Oest")];
    check(&on, "and Zus & Zo?", "who directed Zus & Zo?").await;
    check(&on, "where was she born?", "where was Paula van der Oest born?").await;
}

#[tokio::test]
async fn an_answer_that_the_question_named_is_what_is_spoken_of() {
    let chosen = [(Speaker::Person, "which is longer, Kauwboy or Tonio?"), (Speaker::Answer, "Kauwboy")];
    check(&chosen, "who directed it?", "who directed Kauwboy?").await;
    let told = [
        (Speaker::Person, "who directed Kauwboy?"),
        (Speaker::Answer, "Kauwboy was directed by Boudewijn Koole."),
    ];
    check(&told, "where was he born?", "where was Boudewijn Koole born?").await;
}

#[tokio::test]
async fn what_is_said_between_changes_nothing() {
    let thanked = [EARLIER[0], EARLIER[1], (Speaker::Person, "Thanks!"), (Speaker::Answer, "I don't know.")];
    check(&thanked, "and Tonio?", "who directed Tonio?").await;
    let unknown = [EARLIER[0], (Speaker::Answer, "I don't know. (the nearest leads to Tonio)")];
    check(&unknown, "when was it released?", "when was Kauwboy released?").await;
}

/// Code leaves the message to the model; if the model does not understand it either, there is no
/// answer.
async fn unclear(turns: &[(Speaker, &str)], message: &str, word: &str) {
    let model = ScriptedModel::new().always("plan.restate", "no idea");
    let (answer, model) = run(&setting(FILMS).await, model, message, &after(turns)).await;
    assert_eq!((answer.question.as_str(), answer.status), (message, Status::Abstained));
    assert!(answer.reason.unwrap().contains(&format!("“{word}”")), "{message}");
    assert!(model.calls() >= 1, "{message}");
}

#[tokio::test]
async fn what_neither_code_nor_model_can_tell_is_not_answered() {
    unclear(&EARLIER, "is Tonio longer than its sequel?", "its").await;
    unclear(&EARLIER, "who were the producers and their wives?", "their").await;
    let two = [
        (Speaker::Person, "which films did Boudewijn Koole direct?"),
        (Speaker::Answer, "Kauwboy and Disappearance"),
    ];
    unclear(&two, "when was it released?", "it").await;
    let unknown = [(Speaker::Person, "who directed Kauwboy?"), (Speaker::Answer, "I don't know.")];
    unclear(&unknown, "where was she born?", "she").await;
}

#[tokio::test]
async fn somebody_without_an_entity_may_be_meant() {
    let named = [(Speaker::Person, "what award did Sarah Brown win?"), (Speaker::Answer, "Tonio")];
    check(&named, "when was she born?", "when was Sarah Brown born?").await;
    let answered = [(Speaker::Person, "which student knows Tonio?"), (Speaker::Answer, "David Johnson")];
    check(&answered, "how tall is he?", "how tall is David Johnson?").await;
}

#[tokio::test]
async fn it_is_nobody_who_was_asked_for() {
    check(&EARLIER, "how much did it cost?", "how much did Kauwboy cost?").await;
}

#[tokio::test]
async fn what_is_called_by_its_kind_is_no_name_of_its_own() {
    let towns = "
@prefix t: <http://towns.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
t:Town rdfs:label \"town\" . t:Club rdfs:label \"club\" .
t:a a t:Town ; rdfs:label \"Aldby\" . t:b a t:Town ; rdfs:label \"Borg\" .
t:c a t:Club ; rdfs:label \"Corvus\" ; t:seat t:a . t:d a t:Club ; rdfs:label \"Dohle\" ; t:seat t:b .
";
    let setting = common::setting_from("towns.ttl", towns).await;
    quipu_query::open_tables(&setting.workspace).await.unwrap();
    let options = after(&[(Speaker::Person, "what is the seat of Corvus?"), (Speaker::Answer, "Aldby")]);
    let model = ScriptedModel::new().on("compose.io", KNOWS);
    let (answer, model) = run(&setting, model, "which clubs have their seat in that town?", &options).await;
    assert_eq!(model.calls(), 1, "{answer:#?}");
    assert_eq!(answer.question, "which clubs have their seat in Aldby?");
}

#[tokio::test]
async fn a_question_of_its_own_stays_what_it_is() {
    check(
        &EARLIER,
        "and which films did Paula van der Oest direct in 2016?",
        "and which films did Paula van der Oest direct in 2016?",
    )
    .await;
}

#[tokio::test]
async fn a_question_that_leans_on_nothing_is_asked_as_it_is() {
    check(&EARLIER, "who starred in Tonio?", "who starred in Tonio?").await;
    check(&[], "where was Koole born?", "where was Koole born?").await;
}

#[tokio::test]
async fn thanks_ask_nothing_and_no_model() {
    let (answer, model) = run(&setting(FILMS).await, ScriptedModel::new(), "Thanks!", &after(&EARLIER)).await;
    assert_eq!((answer.status, model.calls()), (Status::Abstained, 0));
    assert!(answer.reason.unwrap().contains("holds no question"));
}

#[tokio::test]
async fn an_answer_that_came_with_its_keys_is_meant_and_no_namesake() {
    let namesakes = "
@prefix f: <http://films.test/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
f:ada rdfs:label \"Ada\" . f:bo rdfs:label \"Bo\" . f:Film rdfs:label \"film\" .
f:r1 a f:Film ; rdfs:label \"Emma\" ; f:director f:ada .
f:r2 a f:Film ; rdfs:label \"Emma\" ; f:director f:bo .
";
    let setting = common::setting_from("films.ttl", namesakes).await;
    for (key, director) in [("http://films.test/r1", "Ada"), ("http://films.test/r2", "Bo")] {
        let values = vec![Value { key: Some(key.into()), name: "Emma".into(), datatype: None }];
        let mut options = after(&[(Speaker::Person, "which film is short?"), (Speaker::Answer, "Emma")]);
        options.conversation.turns[1].values = values;
        options.method = Method::Paths;
        let embedder = Some(common::embedder().await);
        let answer = common::ask(&setting, None, embedder.clone(), "who is its director?", &options).await;
        assert_eq!(answer.answers, [director], "{answer:#?}");
        // In a query too, although the model writes only the name, and so is an entity that the
        // caller names.
        let writes = || {
            let sql = "SELECT director FROM film WHERE name = 'Emma'";
            Some(std::sync::Arc::new(ScriptedModel::new().on("plan.query", sql)))
        };
        options.method = Method::Query;
        let answer =
            common::ask(&setting, writes(), embedder.clone(), "who is its director?", &options).await;
        assert_eq!(answer.answers, [director], "{answer:#?}");
        let chosen = AskOptions { method: Method::Query, anchors: vec![key.into()], ..AskOptions::default() };
        let question = "who is the director of Emma?";
        let answer = common::ask(&setting, writes(), embedder.clone(), question, &chosen).await;
        assert_eq!(answer.answers, [director], "{answer:#?}");
        // A paper's predictor also starts from earlier turns.
        options.method = Method::Anchor;
        options.config.anchor.anchors = 1;
        let answered = r#"{"reasoning": "By the row.", "status": "answered", "rows": ["E0"], "operation": "none", "answers": []}"#;
        let model = ScriptedModel::new()
            .on("link.keywords", r#"{"keywords": ["Emma"]}"#)
            .on("prune.triples", r#"{"numbers": [1]}"#)
            .on("critique.supervisor", "yes")
            .on("compose", answered);
        let model = Some(std::sync::Arc::new(model));
        let answer = common::ask(&setting, model, embedder, "who is its director?", &options).await;
        assert_eq!(answer.answers, [director], "{answer:#?}");
    }
}

#[tokio::test]
async fn what_cannot_be_restated_is_asked_as_it_is() {
    let model =
        ScriptedModel::new().always("plan.restate", "Leidschendam, I believe!").on("compose.io", KNOWS);
    let (answer, _) = run(&setting(FILMS).await, model, SILENT, &after(&EARLIER)).await;
    assert_eq!((answer.question.as_str(), answer.status), (SILENT, Status::Answered));
    let degraded = |event: &Event| matches!(event, Event::Degraded { reason } if reason.contains("without the earlier messages"));
    assert!(answer.trace.unwrap().iter().any(|timed| degraded(&timed.event)));
}

#[tokio::test]
async fn without_a_model_what_code_does_not_understand_is_asked_as_it_is() {
    let options = AskOptions { method: Method::Paths, ..after(&EARLIER) };
    let answer =
        common::ask(&setting(FILMS).await, None, Some(common::embedder().await), SILENT, &options).await;
    assert_eq!(answer.question, SILENT);
    assert!(answer.trace.unwrap().iter().any(|timed| matches!(timed.event, Event::Degraded { .. })));
}

#[tokio::test]
async fn a_model_that_fails_is_an_error_and_no_wrong_question() {
    let gone = ModelError::Engine { model: "scripted".into(), reason: "gone".into() };
    let model = std::sync::Arc::new(ScriptedModel::new().on("plan.restate", Scripted::Fail(gone)));
    let setting = setting(FILMS).await;
    let engine = quipu_answer::Engine::new(setting.workspace.clone(), Some(model), None).unwrap();
    let question = quipu_answer::Question::new(SILENT, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    let error = engine.ask(&question, &after(&EARLIER)).await.unwrap_err();
    assert!(error.to_string().contains("gone"), "{error}");
}
