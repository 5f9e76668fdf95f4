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

use common::{FILMS, Setting, ask, embedder, options, run, setting, told};
use over::{add, apis, over_apis, over_library};
use quipu_answer::{
    AskOptions, EvidenceContent, Method, Note, Page, PageText, Planner, Status, VerifyConfig,
};
use quipu_model::{Constraint, ScriptedModel};
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

/// Field and names in one call, which the paper makes two of where rules do not decide the field.
fn in_one_call() -> AskOptions {
    let mut options = options(Method::Verify);
    options.config.verify.domain_call = false;
    options
}

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
    // Ids say nothing and are not shown.
    assert!(
        !told(&model, 1).contains("| id | id |") && !record.fields.iter().any(|field| field.name == "id"),
        "{record:?}"
    );
}

/// Published step by step: the field by rules, else by a call of its own; names; the answer from what the graph gives.
#[tokio::test]
async fn the_field_is_a_call_of_its_own_where_rules_do_not_decide_it() {
    let (server, setting) = over_library().await;
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
    assert_eq!(fields, ["books", "other"]);
    assert!(told(&model, 0).contains(question) && told(&model, 1).contains("- books: "));
    // Of no field: nothing is looked up, the pages are checked, then answered from.
    let sent = server.received_requests().await.unwrap().len();
    let how = AskOptions { pages: pages(), ..options(Method::Verify) };
    let (_, model) = run(&setting, scripted("other", "E0"), "which river flows through Lindau?", &how).await;
    assert_eq!(asked(&model), ["plan.domain", "critique.pages", "compose"]);
    assert_eq!(server.received_requests().await.unwrap().len(), sent);
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
    // All of them, in their order, as the paper's references have them: name, day, address, snippet.
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
        let answer = run(&setting, model, question, &in_one_call()).await.0;
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
    let (answer, _) = run(&setting, model, "when was Ada Berg born?", &in_one_call()).await;
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
    let error = engine.ask(&question, &in_one_call()).await.unwrap_err().to_string();
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
        // In small letters, where the service searches no names.
        (
            "how many goals did everton score on 2024-03-09?",
            &[("everton", "football_club")],
            "Manchester Utd",
        ),
        ("what was the number one song on the billboard chart on 2024-02-28?", &[], "Texas Hold 'Em"),
        // What films do not know, the encyclopedia may.
        (
            "which film is set in Florida City, Florida, and what is the motto there?",
            &[("Florida City, Florida", "movie")],
            "Gateway to the Florida Keys",
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
        let (_, model) = run(&setting, model, question, &in_one_call()).await;
        assert_eq!(model.calls(), 2, "{question}");
        assert!(told(&model, 1).contains(shown), "{question}\n{}", told(&model, 1));
    }
    // Names that the model overlooks are searched in the field's own kinds only.
    let before = server.received_requests().await.unwrap().len();
    let model = ScriptedModel::new()
        .on("plan.subject", subject("-", &[]))
        .on("compose", composed("unknown", &[], "none", &[]));
    let question = "what are the population and the nickname of Florida City, Florida?";
    run(&setting, model, question, &in_one_call()).await;
    let sent = server.received_requests().await.unwrap().len() - before;
    assert!(sent <= 6, "{sent} requests for one article");
}

/// A small exchange: companies are found by name, their figures by symbol; one of its operations fails.
async fn exchange() -> (MockServer, Setting) {
    let server = MockServer::start().await;
    let query = |request: &wiremock::Request, name: &str| {
        request
            .url
            .query_pairs()
            .find(|(known, _)| known == name)
            .map(|(_, v)| v.into_owned())
            .unwrap_or_default()
    };
    let give = |found: serde_json::Value| ResponseTemplate::new(200).set_body_json(found);
    let companies = move |request: &wiremock::Request| {
        let asked = query(request, "q").to_lowercase();
        let all = ["Coca-Cola", "PepsiCo"].into_iter().filter(|name| asked.contains(&name.to_lowercase()));
        give(all.map(|name| serde_json::json!({ "name": name })).collect())
    };
    let ticker = move |request: &wiremock::Request| {
        give(serde_json::json!(if query(request, "name") == "Coca-Cola" { "KO" } else { "PEP" }))
    };
    let cap = move |request: &wiremock::Request| {
        give(serde_json::json!(if query(request, "ticker") == "KO" { 264.9 } else { 227.4 }))
    };
    let languages = move |_: &wiremock::Request| {
        give(serde_json::json!([{ "offices": "Lima, Quito, Bogota", "staff": "12" }]))
    };
    let boards = move |_: &wiremock::Request| {
        give(serde_json::json!([{ "name": "Lima", "head": 1 }, { "name": "Quito", "head": 2 }]))
    };
    let person = move |request: &wiremock::Request| {
        let id = if request.url.path().ends_with('1') { (1, "Ada Berg") } else { (2, "Otto Lind") };
        give(serde_json::json!({ "id": id.0, "name": id.1 }))
    };
    let get = |path: &str| Mock::given(wiremock::matchers::path(path));
    get("/boards").respond_with(boards).mount(&server).await;
    Mock::given(wiremock::matchers::path_regex("^/people/")).respond_with(person).mount(&server).await;
    get("/companies").respond_with(companies).mount(&server).await;
    get("/ticker").respond_with(ticker).mount(&server).await;
    get("/cap").respond_with(cap).mount(&server).await;
    get("/offices").respond_with(languages).mount(&server).await;
    Mock::given(any()).respond_with(ResponseTemplate::new(500)).mount(&server).await;
    let operation = |id: &str, parameter: &str| {
        serde_json::json!({ "get": { "operationId": id, "parameters": [
            { "name": parameter, "in": "query", "required": true, "schema": { "type": "string" } }
        ] } })
    };
    let document = serde_json::json!({ "openapi": "3.0.0", "info": { "title": "Exchange" }, "paths": {
        "/companies": operation("searchCompanies", "q"),
        "/ticker": operation("getTicker", "name"),
        "/cap": operation("getCap", "ticker"),
        "/rank": operation("getRank", "ticker"),
        "/offices": operation("getOffices", "ticker"),
        "/boards": operation("getBoards", "ticker"),
        "/people/{id}": { "get": { "operationId": "getPerson", "parameters": [
            { "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } }
        ] } },
    } });
    let manifest = r#"
[kind.company]
domain = "finance"
search = ["searchCompanies"]
label = "name"

[kind.ticker]
domain = "finance"
of = { kind = "company", operation = "getTicker" }
symbol = true

[operation.searchCompanies]
takes = { q = "company" }
gives = "company"
helper = true

[operation.getTicker]
takes = { name = "company" }
gives = "ticker"
helper = true

[operation.getCap]
name = "market cap"
asks = "market cap worth"
takes = { ticker = "ticker" }

[operation.getRank]
name = "rank by market cap"
asks = "market cap rank"
takes = { ticker = "ticker" }

[kind.person]
domain = "finance"
label = "name"
id = "id"
details = "getPerson"

[operation.getPerson]
takes = { id = "person" }
gives = "person"
helper = true

[kind.board]
domain = "finance"
label = "name"

[operation.getBoards]
name = "boards"
asks = "boards head of the board"
takes = { ticker = "ticker" }
gives = "board"
links = { head = "person" }

[operation.getOffices]
name = "offices"
asks = "how many offices cities"
takes = { ticker = "ticker" }
"#;
    let base = server.uri();
    let setting =
        over_apis(async |path: &Path| add(path, "exchange", &base, &document.to_string(), manifest).await)
            .await;
    (server, setting)
}

/// One operation fails, the other answers; the comparison is one, whatever the model calls it; the name is the question's, not a symbol.
#[tokio::test]
async fn a_failing_operation_a_sum_and_a_symbol_take_no_answer_away() {
    let (_server, setting) = exchange().await;
    let model = ScriptedModel::new()
        .on("plan.subject", subject("finance", &[("Coca-Cola", "ticker"), ("PepsiCo", "ticker")]))
        .on("compose", composed("answered", &["E0", "E1"], "sum", &[]));
    let question = "which has the larger market cap, Coca-Cola or PepsiCo?";
    let (answer, model) = run(&setting, model, question, &in_one_call()).await;
    assert!(told(&model, 1).contains("### market cap of Coca-Cola"), "{}", told(&model, 1));
    assert_eq!(
        (answer.answers.as_slice(), answer.grounded),
        (&["Coca-Cola".to_owned()][..], true),
        "{answer:#?}"
    );
    let down = answer
        .notes
        .iter()
        .any(|note| matches!(note, Note::SourceDown { reason, .. } if reason.contains("HTTP 500")));
    assert!(down, "{:?}", answer.notes);
}

#[tokio::test]
async fn the_items_of_a_list_in_one_cell_are_counted() {
    let (_server, setting) = exchange().await;
    let model = ScriptedModel::new()
        .on("plan.subject", subject("finance", &[("PepsiCo", "ticker")]))
        .on("compose", composed("answered", &["E0.offices"], "none", &["Lima, Quito, Bogota"]));
    let question = "how many offices does the stock market company PepsiCo have?";
    let (answer, _) = run(&setting, model, question, &in_one_call()).await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["3".to_owned()][..], true), "{answer:#?}");
}

#[tokio::test]
async fn what_a_record_links_to_is_headed_with_its_own_name() {
    let (_server, setting) = exchange().await;
    let model = ScriptedModel::new()
        .on("plan.subject", subject("finance", &[("PepsiCo", "ticker")]))
        .on("compose", composed("unknown", &[], "none", &[]));
    let question = "who is the head of the board of the stock market company PepsiCo?";
    let (_, model) = run(&setting, model, question, &in_one_call()).await;
    let shown = told(&model, 1);
    for (board, head) in [("Lima", "Ada Berg"), ("Quito", "Otto Lind")] {
        let at = shown.find(&format!("### boards: head of {board}")).unwrap_or_else(|| panic!("{shown}"));
        let table = &shown[at + 4..];
        let table = &table[..table.find("###").unwrap_or(table.len())];
        assert!(table.contains(head), "{shown}");
    }
}
