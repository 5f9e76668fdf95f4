//! Self-verification over several services: one that fails, published exchanges, an exchange with
//! symbols and figures.

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
use common::{Setting, run, told};
use over::{add, apis, over_apis};
use quipu_answer::Note;
use quipu_model::ScriptedModel;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

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

    // If nothing is left to answer from, the failure is an error.
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
        // In lower case, for a service that searches no names.
        (
            "how many goals did everton score on 2024-03-09?",
            &[("everton", "football_club")],
            "Manchester Utd",
        ),
        ("what was the number one song on the billboard chart on 2024-02-28?", &[], "Texas Hold 'Em"),
        // If the films do not know the answer, the encyclopedia may.
        (
            "which film is set in Florida City, Florida, and what is the motto there?",
            &[("Florida City, Florida", "movie")],
            "Gateway to the Florida Keys",
        ),
        // The right field, but the wrong kind.
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
        // Rules decide the field, so the model's own field is ignored.
        let model = ScriptedModel::new()
            .on("plan.subject", subject("-", entities))
            .always("compose", composed("unknown", &[], "none", &[]));
        let (_, model) = run(&setting, model, question, &in_one_call()).await;
        // An encyclopedia's article about the same names is read after an "unknown".
        assert!(matches!(model.calls(), 2 | 3), "{question}");
        assert!(told(&model, 1).contains(shown), "{question}\n{}", told(&model, 1));
    }
    // Names that the model overlooks are searched only in the field's own kinds.
    let before = server.received_requests().await.unwrap().len();
    let model = ScriptedModel::new()
        .on("plan.subject", subject("-", &[]))
        .on("compose", composed("unknown", &[], "none", &[]));
    let question = "what are the population and the nickname of Florida City, Florida?";
    run(&setting, model, question, &in_one_call()).await;
    let sent = server.received_requests().await.unwrap().len() - before;
    assert!(sent <= 6, "{sent} requests for one article");
}

/// A small exchange: companies are found by name, their figures by symbol; one of its operations
/// fails.
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
    let base = server.uri();
    let document = exchange_document().to_string();
    let setting =
        over_apis(async |path: &Path| add(path, "exchange", &base, &document, EXCHANGE_MANIFEST).await).await;
    (server, setting)
}

/// Describes the operations of [`exchange`].
fn exchange_document() -> serde_json::Value {
    let operation = |id: &str, parameter: &str| {
        serde_json::json!({ "get": { "operationId": id, "parameters": [
            { "name": parameter, "in": "query", "required": true, "schema": { "type": "string" } }
        ] } })
    };
    serde_json::json!({ "openapi": "3.0.0", "info": { "title": "Exchange" }, "paths": {
        "/companies": operation("searchCompanies", "q"),
        "/ticker": operation("getTicker", "name"),
        "/cap": operation("getCap", "ticker"),
        "/rank": operation("getRank", "ticker"),
        "/offices": operation("getOffices", "ticker"),
        "/boards": operation("getBoards", "ticker"),
        "/people/{id}": { "get": { "operationId": "getPerson", "parameters": [
            { "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } }
        ] } },
    } })
}

/// Names the kinds and the operations of [`exchange`].
const EXCHANGE_MANIFEST: &str = r#"
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

/// One operation fails, another answers. The comparison is made once, whatever the model calls it;
/// the name comes from the question and is not a symbol.
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

/// A service of films with an encyclopedia beside it.
async fn films_and_articles() -> (MockServer, Setting) {
    let server = MockServer::start().await;
    let give = |path: &str, found: serde_json::Value| {
        let reply = ResponseTemplate::new(200).set_body_json(found);
        Mock::given(wiremock::matchers::path(path)).respond_with(reply)
    };
    let person = serde_json::json!({ "id": 1, "name": "Ada Berg", "debut": "Salt Roads" });
    let article = serde_json::json!({ "id": 1, "name": "Ada Berg", "teacher": "Otto Lind" });
    give("/people", serde_json::json!([person])).mount(&server).await;
    give("/articles", serde_json::json!([article])).mount(&server).await;
    give("/people/1", person).mount(&server).await;
    give("/articles/1", article).mount(&server).await;
    let operation = |id: &str, name: &str, place: &str| {
        serde_json::json!({ "get": { "operationId": id, "parameters": [
            { "name": name, "in": place, "required": true, "schema": { "type": "string" } }
        ] } })
    };
    let document = serde_json::json!({ "openapi": "3.0.0", "info": { "title": "Films" }, "paths": {
        "/people": operation("searchPeople", "q", "query"),
        "/people/{id}": operation("getPerson", "id", "path"),
        "/articles": operation("searchArticles", "q", "query"),
        "/articles/{id}": operation("getArticle", "id", "path"),
    } });
    let (document, base) = (document.to_string(), server.uri());
    let setting =
        over_apis(async |path: &Path| add(path, "films", &base, &document, FILMS_MANIFEST).await).await;
    (server, setting)
}

/// Names the kinds and the operations of [`films_and_articles`].
const FILMS_MANIFEST: &str = r#"
[domain.film]
words = ["film"]

[domain.open]

[kind.person]
domain = "film"
search = ["searchPeople"]
label = "name"
id = "id"
details = "getPerson"

[kind.article]
domain = "open"
general = true
search = ["searchArticles"]
label = "name"
id = "id"
details = "getArticle"

[operation.searchPeople]
takes = { q = "person" }
gives = "person"
helper = true

[operation.getPerson]
takes = { id = "person" }
gives = "person"

[operation.searchArticles]
takes = { q = "article" }
gives = "article"
helper = true

[operation.getArticle]
takes = { id = "article" }
gives = "article"
"#;

/// The field knows the person, but not the answer: the encyclopedia is read, with one call more.
#[tokio::test]
async fn an_encyclopedia_is_read_where_the_field_did_not_hold_the_answer() {
    let (_server, setting) = films_and_articles().await;
    let question = "who taught the film star Ada Berg?";
    let asked = async |first: String| {
        let model = ScriptedModel::new()
            .on("plan.subject", subject("film", &[("Ada Berg", "person")]))
            .on("compose", first)
            .on("compose", composed("answered", &["E0.teacher"], "none", &["Otto Lind"]));
        run(&setting, model, question, &in_one_call()).await
    };
    let (answer, model) = asked(composed("unknown", &[], "none", &[])).await;
    assert_eq!((answer.answers.as_slice(), answer.grounded), (&["Otto Lind".to_owned()][..], true));
    assert_eq!(model.calls(), 3);
    assert!(told(&model, 1).contains("Salt Roads") && !told(&model, 1).contains("Otto Lind"));
    assert!(told(&model, 2).contains("Otto Lind"), "{}", told(&model, 2));
    let (_, model) = asked(composed("answered", &["E0.debut"], "none", &["Salt Roads"])).await;
    assert_eq!(model.calls(), 2, "an answer ends the search");
}
