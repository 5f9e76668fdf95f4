//! Self-verification over an API, a graph and pages: whom it asks what, and how often.

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

use common::verify::{composed, in_one_call, subject};
use common::{FILMS, ask, embedder, options, run, setting, told};
use over::{add, apis, over_apis, over_library};
use quipu_answer::{AskOptions, EvidenceContent, Method, Page, PageText, Planner, Status, VerifyConfig};
use quipu_model::{Constraint, ScriptedModel};

fn asked(model: &ScriptedModel) -> Vec<String> {
    model.requests().into_iter().map(|request| request.stage).collect()
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
    let (answer, model) = run(&setting, model, "when was ada berg born?", &in_one_call()).await;
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
    // Ids tell nothing and are not shown.
    assert!(
        !told(&model, 1).contains("| id | id |") && !record.fields.iter().any(|field| field.name == "id"),
        "{record:?}"
    );
}

/// As published, step by step: the field by rules, else by a call of its own; names; the answer
/// from the graph's records.
#[tokio::test]
async fn the_field_is_a_call_of_its_own_where_rules_do_not_decide_it() {
    let server = apis::library().await;
    let base = format!("{}/v1", server.uri());
    let music = apis::LIBRARY_MANIFEST.replace("\"books\"", "\"music\"");
    let setting = over_apis(async |path: &Path| {
        add(path, "library", &base, apis::LIBRARY, apis::LIBRARY_MANIFEST).await;
        add(path, "records", &base, apis::LIBRARY, &music).await;
    })
    .await;
    let scripted = |field: &str, row: &str| {
        ScriptedModel::new()
            .on("plan.domain", field)
            .on("plan.subject", subject("books", &[("ada berg", "author")]))
            .on("critique.pages", "yes")
            .on("compose", composed("answered", &[row], "none", &[]))
    };
    let question = "when was ada berg born?";
    let (answer, model) =
        run(&setting, scripted("books", "E0.born"), question, &options(Method::Verify)).await;
    assert_eq!(asked(&model), ["plan.domain", "plan.subject", "compose"]);
    assert_eq!(answer.answers, ["1911-05-04"]);
    let Constraint::Choice(fields) = model.requests()[0].constraint.clone() else { panic!("no choice") };
    assert_eq!(fields, ["books", "music", "other"]);
    assert!(told(&model, 0).contains(question) && told(&model, 1).contains("- books: "));
    assert!(told(&model, 0).contains("books (author, "), "{}", told(&model, 0));
    // No field, and no service knows a name of the question: the pages are checked and then answer.
    let how = AskOptions { pages: pages(), ..options(Method::Verify) };
    let (_, model) = run(&setting, scripted("other", "E0"), "which river flows through Lindau?", &how).await;
    assert_eq!(asked(&model), ["plan.domain", "critique.pages", "compose"]);
    // Where a service knows a name, "other" is a small model's mistake.
    let question = "when was Ada Berg born?";
    let (answer, model) =
        run(&setting, scripted("other", "E0.born"), question, &options(Method::Verify)).await;
    assert_eq!(asked(&model), ["plan.domain", "plan.subject", "compose"]);
    assert_eq!(answer.answers, ["1911-05-04"]);
    // One field is no choice.
    let (_server, setting) = over_library().await;
    let (answer, model) = run(&setting, scripted("-", "E0.born"), question, &options(Method::Verify)).await;
    assert_eq!(asked(&model), ["plan.subject", "compose"]);
    assert_eq!(answer.answers, ["1911-05-04"]);
}

#[tokio::test]
async fn all_snippets_of_five_pages_are_references_and_the_nearest_of_more() {
    let setting = setting(FILMS).await;
    let page = |number: usize| Page {
        name: format!("Page {number}"),
        url: format!("https://example.org/{number}"),
        snippet: format!("Snippet {number} of the harbour."),
        last_modified: format!("2024-02-{number:02}"),
        text: "<html><p>The page's own words about the harbour of Lindau.</p></html>".into(),
    };
    let shown = async |count: usize, config: VerifyConfig| {
        let model = ScriptedModel::new().on("critique.pages", "no");
        let mut how = AskOptions { pages: (1..=count).map(page).collect(), ..options(Method::Verify) };
        how.config.verify = VerifyConfig { graph: false, ..config };
        let embedder = embedder().await;
        let model = Arc::new(model);
        ask(&setting, Some(model.clone()), Some(embedder), "what does snippet 9 say of the harbour?", &how)
            .await;
        told(&model, 0)
    };
    let five = shown(5, VerifyConfig::default()).await;
    // All pages in their order, in the form of the paper's references: name, day, address, snippet.
    let first = "E0 (Page 1, last modified 2024-02-01, https://example.org/1) Snippet 1 of the harbour.";
    assert!(five.contains(first) && five.contains("E4 (Page 5, ") && !five.contains("own words"), "{five}");
    let twenty = shown(20, VerifyConfig::default()).await;
    assert!(twenty.contains("E14 (") && !twenty.contains("E15 ("), "{twenty}");
    let three = shown(20, VerifyConfig { snippets: 3, ..VerifyConfig::default() }).await;
    assert!(three.contains("Snippet 9 of") && three.contains("E2 (") && !three.contains("E3 ("), "{three}");
    let whole = VerifyConfig { reference: PageText::Whole, ..VerifyConfig::default() };
    assert!(shown(5, whole).await.contains("own words"));
}

#[tokio::test]
async fn a_planner_answers_from_the_graph_and_pages_follow_where_it_does_not() {
    let setting = setting(FILMS).await;
    let mut how = AskOptions { pages: pages(), ..options(Method::Verify) };
    how.config.planner = Planner::Paths;
    let ask = async |question: &str| {
        let model = ScriptedModel::new()
            .always("plan.card", "-")
            .always("critique.pages", "yes")
            .always("compose", composed("answered", &["E0"], "none", &["Orle"]));
        let model = Arc::new(model);
        let answer = ask(&setting, Some(model.clone()), Some(embedder().await), question, &how).await;
        (answer.answers, model.calls_of("critique.pages"), model.calls_of("compose"))
    };
    assert_eq!(ask("who directed Kauwboy?").await, (vec!["Boudewijn Koole".to_owned()], 0, 0));
    assert_eq!(ask("which river flows through Lindau?").await, (vec!["Orle".to_owned()], 1, 1));
}

#[tokio::test]
async fn what_the_model_does_not_name_is_found_by_the_service() {
    let (_server, setting) = over_library().await;
    let ask = async |named: String, row: &str, question: &str| {
        let model = ScriptedModel::new()
            .on("plan.subject", named)
            .on("compose", composed("answered", &[row], "none", &[]));
        let (answer, model) = run(&setting, model, question, &in_one_call()).await;
        assert_eq!((answer.answers.as_slice(), model.calls()), (["1937".to_owned()].as_slice(), 2));
    };
    // No name and an unknown field; a phrase that is not a name; a name of a wrong kind.
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
        let answer = run(&setting, model, question, &in_one_call()).await.0;
        assert!(answer.grounded, "{answer:#?}");
        answer.answers
    };
    let books = [("Salt Roads", "book"), ("The Ninth Wave", "book")];
    let longer = "Which has more pages, Salt Roads or The Ninth Wave?";
    assert_eq!(ask(longer, &books, &["E0.pages", "E3.pages"], &["310"]).await, ["Salt Roads"]);
    // The whole column decides, not the cell that the model takes for the greatest.
    let ada = [("Ada Berg", "author")];
    let longest = "Which is the longest of the books by Ada Berg?";
    assert_eq!(ask(longest, &ada, &["E2.pages"], &["280"]).await, ["Salt Roads"]);
    // The latest is not the greatest, so the model's cell stays.
    let latest = "How many pages has the latest of the books by Ada Berg?";
    assert_eq!(ask(latest, &ada, &["E2.pages"], &["280"]).await, ["280"]);
    let many = "How many books did Ada Berg write?";
    assert_eq!(ask(many, &ada, &["E1.title", "E2.title"], &["3"]).await, ["2"]);
    // A number that the record states is not counted.
    assert_eq!(ask("How many pages has Salt Roads?", &books[..1], &["E0.pages"], &["310"]).await, ["310"]);
}

#[tokio::test]
async fn links_are_followed_where_the_question_asks_for_them() {
    let (_server, setting) = over_library().await;
    let model = ScriptedModel::new()
        .on("plan.subject", subject("books", &[("Ada Berg", "author")]))
        .on("compose", composed("answered", &[], "none", &["The Ninth Wave"]));
    let (answer, model) =
        run(&setting, model, "which of the books by Ada Berg is the latest?", &in_one_call()).await;
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

/// With an embedder, a link without a common word with the question may be followed, unless one of
/// the record's fields has one.
#[tokio::test]
async fn what_a_record_says_itself_needs_no_link() {
    let (_server, setting) = over_library().await;
    let embedder = embedder().await;
    let follows = async |question: &str| {
        let model = ScriptedModel::new()
            .on("plan.subject", subject("books", &[("Ada Berg", "author")]))
            .on("compose", composed("answered", &["E0.born"], "none", &[]));
        let model = Arc::new(model);
        let options = in_one_call();
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
    let (answer, model) = run(&setting, model, question, &in_one_call()).await;
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
        run(&setting, model, "how many loans of Salt Roads were there this month?", &in_one_call()).await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (["9".to_owned()].as_slice(), true));
}

#[tokio::test]
async fn without_anything_in_the_graph_pages_are_checked_first() {
    let (_server, setting) = over_library().await;
    let joint = || in_one_call().config.verify;
    let scripted = |yes: &str, config: VerifyConfig| {
        let mut model = ScriptedModel::new().on("plan.subject", subject("other", &[]));
        model =
            model.on("critique.pages", yes).on("compose", composed("answered", &["E0"], "none", &["Orle"]));
        let mut how = AskOptions { pages: pages(), ..in_one_call() };
        how.config.verify = config;
        (model, how)
    };
    let question = "which river flows through Lindau?";
    let (model, how) = scripted("yes", joint());
    let (answer, model) = run(&setting, model, question, &how).await;
    assert_eq!(
        (answer.answers.as_slice(), answer.grounded, model.calls()),
        (["Orle".to_owned()].as_slice(), true, 3)
    );
    assert!(told(&model, 1).contains("E0 (Lindau) The Orle flows through Lindau."), "{}", told(&model, 1));
    assert!(!told(&model, 1).contains("Home"));

    let (model, how) = scripted("no", joint());
    let (answer, model) = run(&setting, model, question, &how).await;
    assert_eq!((answer.status, model.calls()), (Status::Abstained, 2));
    assert!(answer.reason.unwrap().contains("cannot answer"));

    // The two ablations.
    let (model, how) = scripted("no", VerifyConfig { check: false, ..joint() });
    let (answer, model) = run(&setting, model, question, &how).await;
    assert_eq!((answer.status, model.calls()), (Status::Answered, 2));
    let (model, how) = scripted("yes", VerifyConfig { graph: false, ..joint() });
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
    let how = AskOptions { pages: pages(), ..in_one_call() };
    let (answer, model) = run(&setting, model, "which river did Ada Berg live at?", &how).await;
    assert_eq!((answer.answers.as_slice(), model.calls()), (["Orle".to_owned()].as_slice(), 4));
}

#[tokio::test]
async fn a_false_premise_is_an_invalid_question_and_nothing_is_an_abstention_without_a_call_more() {
    let (_server, setting) = over_library().await;
    let model = ScriptedModel::new()
        .on("plan.subject", subject("books", &[("Salt Roads", "book")]))
        .on("compose", composed("invalid_question", &["E0.year"], "none", &[]));
    let (answer, _) = run(&setting, model, "which prize did Salt Roads win in 1920?", &in_one_call()).await;
    assert_eq!((answer.status, answer.answers.len()), (Status::InvalidQuestion, 0));

    let model = ScriptedModel::new().on("plan.subject", subject("books", &[("Nobody Atall", "author")]));
    let (answer, model) = run(&setting, model, "when was Nobody Atall born?", &in_one_call()).await;
    assert_eq!((answer.status, model.calls()), (Status::Abstained, 1));
}

#[tokio::test]
async fn over_a_graph_it_is_one_call() {
    let setting = setting(FILMS).await;
    let model = ScriptedModel::new().on("compose", composed("answered", &[], "none", &["Boudewijn Koole"]));
    let (answer, model) = run(&setting, model, "who directed Kauwboy?", &in_one_call()).await;
    assert_eq!(
        (answer.answers.as_slice(), answer.grounded, model.calls()),
        (["Boudewijn Koole".to_owned()].as_slice(), true, 1)
    );
}
