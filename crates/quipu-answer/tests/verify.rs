//! Self-verification over an API, over a graph and over pages: what is asked of whom, and how often.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "set-up of tests"
)]

use crate::{common, over};
use std::path::Path;
use std::sync::Arc;

use common::{FILMS, ask, embedder, options, run, setting, told};
use over::{add, apis, over_apis, over_library};
use quipu_answer::{AskOptions, EvidenceContent, Method, Page, Status, VerifyConfig};
use quipu_model::ScriptedModel;
use wiremock::MockServer;
use wiremock::{Mock, ResponseTemplate, matchers::any};

fn subject(domain: &str, entities: &[(&str, &str)]) -> String {
    let entities: Vec<serde_json::Value> =
        entities.iter().map(|(name, kind)| serde_json::json!({ "name": name, "kind": kind })).collect();
    serde_json::json!({ "domain": domain, "entities": entities }).to_string()
}

fn composed(status: &str, rows: &[&str], operation: &str, answers: &[&str]) -> String {
    serde_json::json!({ "reasoning": "By the rows.", "status": status, "rows": rows, "operation": operation, "answers": answers }).to_string()
}

fn pages() -> Arc<[Page]> {
    let page = |name: &str, text: &str| Page { name: name.into(), text: text.into(), ..Page::default() };
    Arc::from([
        page("Lindau", "<html><nav>Home</nav><p>The Orle flows through Lindau.</p></html>"),
        page("Berg", "A mass of ice that floats in the sea."),
    ])
}

#[tokio::test]
async fn an_entity_of_an_api_is_found_its_records_cut_down_and_answered_from_in_two_calls() {
    let (_server, setting) = over_library().await;
    let model = ScriptedModel::new()
        .on("plan.subject", subject("books", &[("ada berg", "author")]))
        .on("compose", composed("answered", &["E0.born"], "none", &[]));
    let (answer, model) = run(&setting, model, "when was ada berg born?", &options(Method::Verify)).await;
    assert_eq!(
        (answer.status, answer.answers.as_slice(), answer.grounded),
        (Status::Answered, ["1911-05-04".to_owned()].as_slice(), true)
    );
    assert_eq!((model.calls(), answer.usage.llm_calls), (2, 2));
    let cited = answer.evidence.iter().find(|piece| answer.citations.contains(&piece.id)).unwrap();
    let EvidenceContent::Record(record) = &cited.content else { panic!("{cited:?}") };
    assert_eq!(
        (cited.source.as_str(), record.table.as_str(), record.path.as_str()),
        ("library", "author of Ada Berg", "$[0]")
    );
    // Ids say nothing and are not shown.
    assert!(
        !told(&model, 1).contains("| id | id |") && !record.fields.iter().any(|field| field.name == "id"),
        "{record:?}"
    );
}

#[tokio::test]
async fn what_the_model_does_not_name_is_found_by_the_service() {
    let (_server, setting) = over_library().await;
    let ask = async |named: String, row: &str, question: &str| {
        let model = ScriptedModel::new()
            .on("plan.subject", named)
            .on("compose", composed("answered", &[row], "none", &[]));
        let (answer, model) = run(&setting, model, question, &options(Method::Verify)).await;
        assert_eq!((answer.answers.as_slice(), model.calls()), (["1937".to_owned()].as_slice(), 2));
    };
    // Nothing named, the field unknown; a phrase that is no name, of a wrong kind.
    ask(subject("other", &[]), "E4.year", "in which year did Salt Roads come out?").await;
    let phrase = [("the year of Salt Roads", "author")];
    ask(subject("books", &phrase), "E0.year", "what is the year of Salt Roads?").await;
}

#[tokio::test]
async fn what_the_words_ask_for_is_calculated_though_the_model_does_not_say_so() {
    let (_server, setting) = over_library().await;
    let ask = async |question: &str, names: &[(&str, &str)], rows: &[&str], copied: &[&str]| {
        let model = ScriptedModel::new()
            .on("plan.subject", subject("books", names))
            .on("compose", composed("answered", rows, "none", copied));
        let answer = run(&setting, model, question, &options(Method::Verify)).await.0;
        assert!(answer.grounded, "{answer:#?}");
        answer.answers
    };
    let books = [("Salt Roads", "book"), ("The Ninth Wave", "book")];
    let longer = "Which has more pages, Salt Roads or The Ninth Wave?";
    assert_eq!(ask(longer, &books, &["E0.pages", "E3.pages"], &["310"]).await, ["Salt Roads"]);
    // The whole column counts, not the cell that the model takes for the greatest.
    let ada = [("Ada Berg", "author")];
    let longest = "Which is the longest of the books by Ada Berg?";
    assert_eq!(ask(longest, &ada, &["E2.pages"], &["280"]).await, ["Salt Roads"]);
    // What is latest is no greatest value: the model's cell stands.
    let latest = "How many pages has the latest of the books by Ada Berg?";
    assert_eq!(ask(latest, &ada, &["E2.pages"], &["280"]).await, ["280"]);
    let many = "How many books did Ada Berg write?";
    assert_eq!(ask(many, &ada, &["E1.title", "E2.title"], &["3"]).await, ["2"]);
    // A number that is stated is not counted.
    assert_eq!(ask("How many pages has Salt Roads?", &books[..1], &["E0.pages"], &["310"]).await, ["310"]);
}

#[tokio::test]
async fn links_are_followed_where_the_question_asks_for_them() {
    let (_server, setting) = over_library().await;
    let model = ScriptedModel::new()
        .on("plan.subject", subject("books", &[("Ada Berg", "author")]))
        .on("compose", composed("answered", &[], "none", &["The Ninth Wave"]));
    let (answer, model) =
        run(&setting, model, "which of the books by Ada Berg is the latest?", &options(Method::Verify)).await;
    assert_eq!(
        (answer.answers.as_slice(), answer.grounded),
        (["The Ninth Wave".to_owned()].as_slice(), true)
    );
    let shown = told(&model, 1);
    assert!(
        shown.contains("### author: books of Ada Berg") && shown.contains("| Salt Roads | 1937 |"),
        "{shown}"
    );
}

/// With an embedder, a link may be followed that shares no word with the question, but not where a field of the record does.
#[tokio::test]
async fn what_a_record_says_itself_needs_no_link() {
    let (_server, setting) = over_library().await;
    let embedder = embedder().await;
    let follows = async |question: &str| {
        let model = ScriptedModel::new()
            .on("plan.subject", subject("books", &[("Ada Berg", "author")]))
            .on("compose", composed("answered", &["E0.born"], "none", &[]));
        let model = Arc::new(model);
        let options = options(Method::Verify);
        ask(&setting, Some(model.clone()), Some(embedder.clone()), question, &options).await;
        told(&model, 1).contains("books of Ada Berg")
    };
    assert!(follows("Which novels are from the pen of Ada Berg?").await);
    assert!(!follows("On which day was Ada Berg born?").await);
}

#[tokio::test]
async fn dates_are_computed_and_rows_cut_to_them() {
    let (server, setting) = over_library().await;
    let model = ScriptedModel::new()
        .on("plan.subject", subject("books", &[("Salt Roads", "book")]))
        .on("compose", composed("answered", &["E0.loans"], "none", &[]));
    let question = "how often was Salt Roads lent yesterday?";
    let (answer, model) = run(&setting, model, question, &options(Method::Verify)).await;
    assert_eq!(answer.answers, ["5"]);
    let shown = told(&model, 1);
    assert!(
        shown.contains("2024-02-27")
            && !shown.contains("2024-02-26")
            && shown.contains("speaks of 2024-02-27"),
        "{shown}"
    );
    let asked: Vec<String> =
        server.received_requests().await.unwrap().iter().map(|r| r.url.to_string()).collect();
    assert!(asked.iter().any(|url| url.ends_with("/books/10/loans?month=2024-02")), "{asked:?}");
    assert!(asked.len() <= 6, "{asked:?}");
}

#[tokio::test]
async fn code_adds_up_what_the_model_points_at() {
    let (_server, setting) = over_library().await;
    let model = ScriptedModel::new()
        .on("plan.subject", subject("books", &[("Salt Roads", "book")]))
        .on("compose", composed("answered", &["E0.loans", "E1.loans", "E2.loans"], "sum", &[]));
    let (answer, _) =
        run(&setting, model, "how many loans of Salt Roads were there this month?", &options(Method::Verify))
            .await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (["9".to_owned()].as_slice(), true));
}

#[tokio::test]
async fn without_anything_in_the_graph_pages_are_checked_first() {
    let (_server, setting) = over_library().await;
    let asked = |yes: &str, config: VerifyConfig| {
        let mut model = ScriptedModel::new().on("plan.subject", subject("other", &[]));
        model =
            model.on("critique.pages", yes).on("compose", composed("answered", &["E0"], "none", &["Orle"]));
        let mut how = AskOptions { pages: pages(), ..options(Method::Verify) };
        how.config.verify = config;
        (model, how)
    };
    let question = "which river flows through Lindau?";
    let (model, how) = asked("yes", VerifyConfig::default());
    let (answer, model) = run(&setting, model, question, &how).await;
    assert_eq!(
        (answer.answers.as_slice(), answer.grounded, model.calls()),
        (["Orle".to_owned()].as_slice(), true, 3)
    );
    assert!(told(&model, 1).contains("E0 (Lindau) The Orle flows through Lindau."), "{}", told(&model, 1));
    assert!(!told(&model, 1).contains("Home"));

    let (model, how) = asked("no", VerifyConfig::default());
    let (answer, model) = run(&setting, model, question, &how).await;
    assert_eq!((answer.status, model.calls()), (Status::Abstained, 2));
    assert!(answer.reason.unwrap().contains("cannot answer"));

    // The two ablations.
    let (model, how) = asked("no", VerifyConfig { check: false, ..VerifyConfig::default() });
    let (answer, model) = run(&setting, model, question, &how).await;
    assert_eq!((answer.status, model.calls()), (Status::Answered, 2));
    let (model, how) = asked("yes", VerifyConfig { graph: false, ..VerifyConfig::default() });
    let (answer, model) = run(&setting, model, question, &how).await;
    assert_eq!((answer.status, model.calls()), (Status::Answered, 2));
}

#[tokio::test]
async fn pages_follow_where_the_records_do_not_hold_the_answer() {
    let (_server, setting) = over_library().await;
    let model = ScriptedModel::new()
        .on("plan.subject", subject("books", &[("Ada Berg", "author")]))
        .on("compose", composed("unknown", &[], "none", &[]))
        .on("critique.pages", "yes")
        .on("compose", composed("answered", &["E0"], "none", &["Orle"]));
    let how = AskOptions { pages: pages(), ..options(Method::Verify) };
    let (answer, model) = run(&setting, model, "which river did Ada Berg live at?", &how).await;
    assert_eq!((answer.answers.as_slice(), model.calls()), (["Orle".to_owned()].as_slice(), 4));
}

#[tokio::test]
async fn a_false_premise_is_an_invalid_question_and_nothing_is_an_abstention_without_a_call_more() {
    let (_server, setting) = over_library().await;
    let model = ScriptedModel::new()
        .on("plan.subject", subject("books", &[("Salt Roads", "book")]))
        .on("compose", composed("invalid_question", &["E0.year"], "none", &[]));
    let (answer, _) =
        run(&setting, model, "which prize did Salt Roads win in 1920?", &options(Method::Verify)).await;
    assert_eq!((answer.status, answer.answers.len()), (Status::InvalidQuestion, 0));

    let model = ScriptedModel::new().on("plan.subject", subject("books", &[("Nobody Atall", "author")]));
    let (answer, model) = run(&setting, model, "when was Nobody Atall born?", &options(Method::Verify)).await;
    assert_eq!((answer.status, model.calls()), (Status::Abstained, 1));
}

#[tokio::test]
async fn over_a_graph_it_is_one_call() {
    let setting = setting(FILMS).await;
    let model = ScriptedModel::new().on("compose", composed("answered", &[], "none", &["Boudewijn Koole"]));
    let (answer, model) = run(&setting, model, "who directed Kauwboy?", &options(Method::Verify)).await;
    assert_eq!(
        (answer.answers.as_slice(), answer.grounded, model.calls()),
        (["Boudewijn Koole".to_owned()].as_slice(), true, 1)
    );
}

#[tokio::test]
async fn one_source_failing_is_named_and_the_others_answer() {
    let server = apis::library().await;
    let broken = MockServer::start().await;
    Mock::given(any()).respond_with(ResponseTemplate::new(503)).mount(&broken).await;
    let base = format!("{}/v1", server.uri());
    let setting = over_apis(async |path: &Path| {
        add(path, "broken", &broken.uri(), apis::LIBRARY, apis::LIBRARY_MANIFEST).await;
        add(path, "library", &base, apis::LIBRARY, apis::LIBRARY_MANIFEST).await;
    })
    .await;
    let scripted = || ScriptedModel::new().on("plan.subject", subject("books", &[("Ada Berg", "author")]));
    let model = scripted().on("compose", composed("answered", &["E0.born"], "none", &[]));
    let (answer, _) = run(&setting, model, "when was Ada Berg born?", &options(Method::Verify)).await;
    assert_eq!(answer.answers, ["1911-05-04"]);
    let reason = answer.reason.unwrap();
    assert!(reason.contains("without broken") && reason.contains("HTTP 503"), "{reason}");

    // With nothing left to answer from, the failure is an error.
    let setting = over_apis(async |path: &Path| {
        add(path, "broken", &broken.uri(), apis::LIBRARY, apis::LIBRARY_MANIFEST).await;
    })
    .await;
    let engine =
        quipu_answer::Engine::new(setting.workspace.clone(), Some(Arc::new(scripted())), None).unwrap();
    let question =
        quipu_answer::Question::new("when was Ada Berg born?", "2024-02-28T12:00:00[UTC]".parse().unwrap())
            .unwrap();
    let error = engine.ask(&question, &options(Method::Verify)).await.unwrap_err().to_string();
    assert!(error.contains("HTTP 503"), "{error}");
}

#[tokio::test]
async fn questions_of_all_fields_are_answered_from_published_exchanges() {
    let Some((document, samples)) = apis::crag_files() else { return };
    let server = apis::crag(&document, samples).await;
    let base = server.uri();
    let setting = over_apis(async |path: &Path| add(path, "crag", &base, &document, "crag").await).await;
    for (question, entities, shown) in [
        ("what are the earnings per share of META?", &[("META", "ticker")][..], "| 22.95 |"),
        ("what was the closing price of meta on 2023-03-01?", &[("meta", "ticker")], "2023-03-01"),
        ("who won the oscar for best actor in 1992?", &[], "Anthony Hopkins"),
        ("how many grammy awards did the singer Adele win?", &[("Adele", "artist")], "16"),
        ("what was the best album at the grammy awards of 1998?", &[], "The Miseducation Of Lauryn Hill"),
        (
            "how many goals did Everton score on 2024-03-09?",
            &[("Everton", "football_club")],
            "Manchester Utd",
        ),
        // The wrong kind of the right field.
        (
            "how many goals did Everton score on 2024-03-09?",
            &[("Everton", "basketball_team")],
            "Manchester Utd",
        ),
        (
            "how many points did the bulls score in their game on 2022-10-11?",
            &[("bulls", "basketball_team")],
            "Chicago Bulls",
        ),
        (
            "what are the population and the motto of Florida City, Florida?",
            &[("Florida City, Florida", "article")],
            "Gateway to the Florida Keys",
        ),
    ] {
        // Rules leave no choice of the field to the model: what it says of it is not used.
        let model = ScriptedModel::new()
            .on("plan.subject", subject("-", entities))
            .on("compose", composed("unknown", &[], "none", &[]));
        let (_, model) = run(&setting, model, question, &options(Method::Verify)).await;
        assert_eq!(model.calls(), 2, "{question}");
        assert!(told(&model, 1).contains(shown), "{question}\n{}", told(&model, 1));
    }
}
