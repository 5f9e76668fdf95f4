//! HybGRAG as published for entities without documents (App. C): how it reads, answers, validates
//! and rereads a question.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test ends where something fails"
)]

use crate::{common, over};
use std::sync::Arc;

use common::{FILMS, options, run, setting, told};
use over::over_library;
use quipu_answer::{AskOptions, HybridConfig, Method, Page, Planner, Status};
use quipu_model::{Constraint, ScriptedModel};

const QUESTION: &str = "who directed Kauwboy?";

fn extracted(name: &str, relation: &str) -> String {
    serde_json::json!({ "entities": [{ "name": name, "category": "film" }], "relations": [relation] })
        .to_string()
}

fn composed(status: &str, answers: &[&str]) -> String {
    serde_json::json!({ "reasoning": "By the rows.", "status": status, "rows": [], "operation": "none", "answers": answers }).to_string()
}

fn with_pages() -> AskOptions {
    let page =
        |name: &str, snippet: &str| Page { name: name.into(), snippet: snippet.into(), ..Page::default() };
    let mut pages: Vec<Page> = (0..5)
        .map(|number| page(&format!("Page {number}"), &format!("Nothing of note, {number} times.")))
        .collect();
    pages.push(page("Kauwboy", "Kauwboy was directed by Boudewijn Koole."));
    AskOptions { pages: Arc::from(pages), ..options(Method::Hybrid) }
}

fn asked(model: &ScriptedModel) -> Vec<String> {
    model.requests().into_iter().map(|request| request.stage).collect()
}

#[tokio::test]
async fn the_question_is_read_and_what_was_wrong_is_read_again() {
    let setting = setting(FILMS).await;
    let model = ScriptedModel::new()
        .on("plan.type", "simple")
        .on("plan.dynamism", "static")
        .on("plan.extract", extracted("Kauwboy", "release year"))
        .on("plan.route", "graph")
        .on("compose", composed("answered", &["2012"]))
        .on("critique.validate", "no")
        .on("critique.comment", "incorrect entity and relation")
        .on("plan.extract", extracted("Kauwboy", "directed by"))
        .on("plan.route", "graph")
        .on("compose", composed("answered", &["Boudewijn Koole"]))
        .on("critique.validate", "yes");
    let (answer, model) = run(&setting, model, QUESTION, &with_pages()).await;
    assert_eq!(
        asked(&model),
        [
            "plan.type",
            "plan.dynamism",
            "plan.extract",
            "plan.route",
            "compose",
            "critique.validate",
            "critique.comment",
            "plan.extract",
            "plan.route",
            "compose",
            "critique.validate"
        ]
    );
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["Boudewijn Koole".to_owned()][..], true));
    assert!(told(&model, 0).contains("multi-hop") && told(&model, 1).contains("fast-changing"));
    // The generator sees how the question was read; the reference follows the useful relation.
    assert!(
        told(&model, 4).contains("Source: graph. Type: simple. Dynamism: static."),
        "{}",
        told(&model, 4)
    );
    assert!(told(&model, 4).contains("2012") && !told(&model, 4).contains("Koole"));
    assert!(told(&model, 5).contains("Prediction: 2012"));
    assert!(told(&model, 6).contains("Read as: simple; static"), "{}", told(&model, 6));
    let Constraint::Choice(kinds) = model.requests()[6].constraint.clone() else { panic!("no choice") };
    // These films have no known field.
    assert_eq!(kinds.len(), 4, "{kinds:?}");
    assert!(told(&model, 7).contains("other ones are meant"));
    assert!(told(&model, 9).contains("Koole"));
}

#[tokio::test]
async fn the_other_source_is_the_next_batch_of_pages() {
    let setting = setting(FILMS).await;
    let model = ScriptedModel::new()
        .on("plan.type", "simple")
        .on("plan.dynamism", "static")
        .on("plan.extract", extracted("Kauwboy", "directed by"))
        .on("plan.route", "text")
        .on("compose", composed("unknown", &[]))
        .on("critique.comment", "incorrect retrieval module")
        .on("plan.route", "text")
        .on("compose", composed("answered", &["Nothing of note"]))
        .on("critique.validate", "yes");
    let mut one = with_pages();
    one.config.hybrid.batch = 3;
    let (answer, model) = run(&setting, model, QUESTION, &one).await;
    assert_eq!(answer.status, Status::Answered, "{answer:#?}");
    // An unknown answer is rejected without a call.
    assert_eq!((model.calls_of("critique.validate"), model.calls_of("compose")), (1, 2));
    let batches: Vec<String> = model
        .requests()
        .iter()
        .filter(|r| r.stage == "compose")
        .map(|r| r.messages.last().unwrap().content.clone())
        .collect();
    assert!(
        batches[0].contains("directed by Boudewijn Koole") && !batches[1].contains("directed by Boudewijn")
    );
    let again = model
        .requests()
        .iter()
        .filter(|r| r.stage == "plan.route")
        .nth(1)
        .unwrap()
        .messages
        .last()
        .unwrap()
        .content
        .clone();
    assert!(again.contains("next batch of texts"), "{again}");
}

#[tokio::test]
async fn the_last_rounds_answer_stands_and_mistakes_are_learnt() {
    let setting = setting(FILMS).await;
    let model = || {
        ScriptedModel::new()
            .always("plan.type", "simple")
            .always("plan.dynamism", "static")
            .always("plan.extract", extracted("Kauwboy", "release year"))
            .always("compose", composed("answered", &["2012"]))
            .always("critique.validate", "no")
            .always("critique.comment", "incorrect question type")
    };
    // Without pages there is one source and no choice.
    let (answer, asked) = run(&setting, model(), QUESTION, &options(Method::Hybrid)).await;
    assert_eq!((answer.answers.as_slice(), asked.calls_of("plan.route")), (&["2012".to_owned()][..], 0));
    let calls =
        ["plan.type", "plan.dynamism", "plan.extract", "compose", "critique.validate", "critique.comment"];
    assert_eq!(calls.map(|stage| asked.calls_of(stage)), [4, 1, 1, 4, 3, 3]);
    let before = asked
        .requests()
        .iter()
        .filter(|r| r.stage == "plan.type")
        .nth(1)
        .unwrap()
        .messages
        .last()
        .unwrap()
        .content
        .clone();
    assert!(before.contains("\"simple\" was wrong"), "{before}");

    let engine = quipu_answer::Engine::new(setting.workspace.clone(), Some(Arc::new(model())), None).unwrap();
    let questions = [(QUESTION.to_owned(), vec!["Boudewijn Koole".to_owned()])];
    let config = HybridConfig { rounds: 1, ..HybridConfig::default() };
    let learnt =
        engine.collect_experiences(&questions, 30, (&config, Planner::Published), |_, _| {}).await.unwrap();
    assert_eq!(learnt[0].feedback, "incorrect entity and relation");
    assert_eq!(learnt[0].reading, ["simple", "static"]);
    // The commentator sees the error.
    let (_, asked) = run(&setting, model(), QUESTION, &options(Method::Hybrid)).await;
    let comment = asked.requests().into_iter().find(|r| r.stage == "critique.comment").unwrap();
    assert!(
        comment.messages[0].content.contains("Read as: simple; static"),
        "{}",
        comment.messages[0].content
    );
}

#[tokio::test]
async fn extractions_that_led_to_the_answer_become_the_routers_examples() {
    let setting = setting(FILMS).await;
    let model = || {
        ScriptedModel::new()
            .always("plan.type", "simple")
            .always("plan.dynamism", "static")
            .always("plan.extract", extracted("Kauwboy", "directed by"))
            .always("compose", composed("answered", &["Boudewijn Koole"]))
            .always("critique.validate", "yes")
    };
    let shown = |model: &ScriptedModel| {
        let request = model.requests().into_iter().find(|request| request.stage == "plan.extract").unwrap();
        request.messages[0].content.clone()
    };
    let (_, before) = run(&setting, model(), QUESTION, &options(Method::Hybrid)).await;
    assert!(shown(&before).contains("Salt Roads"), "the invented examples");
    let engine = quipu_answer::Engine::new(setting.workspace.clone(), Some(Arc::new(model())), None).unwrap();
    let questions = [(QUESTION.to_owned(), vec!["Boudewijn Koole".to_owned()])];
    let learnt = (&HybridConfig::default(), Planner::Published);
    let mistakes = engine.collect_experiences(&questions, 30, learnt, |_, _| {}).await.unwrap();
    assert!(mistakes.is_empty());
    let (_, after) = run(&setting, model(), QUESTION, &options(Method::Hybrid)).await;
    let shown = shown(&after);
    assert!(shown.contains(&format!("Question: {QUESTION}\n{{\"entities\":[{{")), "{shown}");
    assert!(!shown.contains("Salt Roads"), "{shown}");
}

#[tokio::test]
async fn over_an_api_the_kinds_and_relations_of_its_field_are_offered() {
    let (_server, setting) = over_library().await;
    let model = ScriptedModel::new()
        .on("plan.type", "simple")
        .on("plan.dynamism", "static")
        .on(
            "plan.extract",
            r#"{"entities": [{"name": "Salt Roads", "category": "book"}], "relations": ["year"]}"#,
        )
        .on("compose", composed("answered", &["1937"]))
        .on("critique.validate", "yes");
    let question = "in which year was Salt Roads published?";
    let (answer, model) = run(&setting, model, question, &options(Method::Hybrid)).await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["1937".to_owned()][..], true));
    let shown = &model.requests()[2].messages[0].content;
    assert!(shown.contains("Kinds of entities: author, book.") && shown.contains("year"), "{shown}");
}

#[tokio::test]
async fn a_querys_rows_are_validated_and_pages_follow_a_no() {
    let nodes = r#"{"id": "ada", "name": "Ada Berg", "type": "writer"}
{"id": "tom", "name": "Tom Okafor", "type": "writer"}
{"id": "wave", "name": "The Ninth Wave", "type": "novel"}
{"id": "owl", "name": "Owl Hours", "type": "novel"}
"#;
    let setting = common::setting_with_documents(nodes, "wave\tauthor\tada\nowl\tauthor\ttom\n").await;
    let sql =
        "SELECT novel.name FROM novel JOIN writer ON novel.author = writer.id WHERE writer.name = 'Ada Berg'";
    let ask = async |verdict: &'static str| {
        let model = ScriptedModel::new()
            .when(move |request| request.stage.starts_with("plan").then(|| sql.into()))
            .always("critique.validate", verdict)
            .always("compose", composed("answered", &["Nothing of note"]));
        let mut how = with_pages();
        how.config.planner = Planner::Query;
        how.config.query.least_confidence = 0.0;
        let model = Arc::new(model);
        let question = "Which novel is by Ada Berg?";
        let embedder = Some(common::embedder().await);
        let answer = common::ask(&setting, Some(model.clone()), embedder, question, &how).await;
        (answer.answers, model.calls_of("compose"))
    };
    assert_eq!(ask("yes").await, (vec!["The Ninth Wave".to_owned()], 0));
    assert_eq!(ask("no").await, (vec!["Nothing of note".to_owned()], 1));
}
