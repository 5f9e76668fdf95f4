//! Every method over APIs: alone, several at once, beside a graph, and with one of them failing.

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

use common::{FILMS, Setting, ask, by_paths, embedder, options, run, setting};
use over::{add, apis, over_apis, over_library};
use quipu_answer::{
    AnswerError, AskOptions, Engine, EvidenceContent, Method, Note, Question, RelationFilter, Status,
    Verification,
};
use quipu_index::Workspace;
use quipu_model::ScriptedModel;
use wiremock::{Mock, MockServer, ResponseTemplate, matchers::any, matchers::path_regex};

const QUESTION: &str = "in which year was Salt Roads published?";

fn composed(answers: &[&str]) -> String {
    serde_json::json!({ "reasoning": "By the rows.", "status": "answered", "rows": [], "ways": ["W1"], "all": true, "operation": "none", "answers": answers }).to_string()
}

/// The model's replies to any method's calls about a book. Every card is unreadable, so names are
/// used instead.
fn model(name: &'static str, answers: &[&str]) -> ScriptedModel {
    let topic = format!(r#"{{"domain": "books", "entities": ["{name}"], "time": "", "operation": "list"}}"#);
    let belief = format!("// precise\nCREATE (b:Book {{name: '{name}'}})-[:YEAR]->(y:Year {{name: '1900'}})");
    let subject = format!(r#"{{"domain": "books", "entities": [{{"name": "{name}", "kind": "book"}}]}}"#);
    let extracted = format!(
        r#"{{"entities": [{{"name": "{name}", "category": "book"}}], "relations": ["year", "pages", "author"]}}"#
    );
    let answer = composed(answers);
    ScriptedModel::new().when(move |request| {
        Some(match request.stage.as_str() {
            "plan.topic" => topic.as_str().into(),
            "plan.subject" => subject.as_str().into(),
            "link.keywords" => format!(r#"{{"keywords": ["{name}"]}}"#).into(),
            "compose" => answer.as_str().into(),
            "plan.domain" => "books".into(),
            "plan.type" => "simple".into(),
            "plan.dynamism" => "static".into(),
            "plan.extract" => extracted.as_str().into(),
            "critique.validate" => "yes".into(),
            "critique.comment" => "incorrect entity and relation".into(),
            "plan.pseudo" => belief.as_str().into(),
            "plan.card" => "-".into(),
            _ => return None,
        })
    })
}

/// Whole paths for every paper's method that walks a graph, with beliefs corrected without a call.
fn how(method: Method) -> AskOptions {
    let walks = matches!(method, Method::Kerag | Method::Anchor | Method::Pseudo);
    let mut how = if walks { by_paths(method) } else { options(method) };
    how.config.pseudo.verification = Verification::Similarity;
    how
}

/// Most requests of one question to the library, whose largest entity has three neighbours.
const METHODS: [(Method, u64); 6] = [
    (Method::Paths, 24),
    (Method::Kerag, 24),
    (Method::Anchor, 24),
    (Method::Hybrid, 24),
    (Method::Pseudo, 24),
    (Method::Verify, 12),
];

#[tokio::test]
async fn every_method_runs_over_an_api() {
    let (server, setting) = over_library().await;
    for (method, most) in METHODS {
        let fresh = Setting {
            workspace: Arc::new(Workspace::open(setting.workspace.folder()).unwrap()),
            folder: tempfile::tempdir().unwrap(),
        };
        let before = server.received_requests().await.unwrap().len() as u64;
        let model = Arc::new(model("Salt Roads", &["1937"]));
        let answer = ask(&fresh, Some(model), Some(embedder().await), QUESTION, &how(method)).await;
        let name = method.name();
        assert_eq!(
            (answer.answers.as_slice(), answer.grounded),
            (["1937".to_owned()].as_slice(), true),
            "{name} {answer:#?}"
        );
        assert!(answer.evidence.iter().all(|piece| piece.source == "library"), "{name}");
        let sent = server.received_requests().await.unwrap().len() as u64 - before;
        assert_eq!(answer.usage.requests, sent, "{name}");
        assert!((1..=most).contains(&sent), "{name}: {sent} requests");
    }
}

/// KERAG walks an API as a graph: an entity's fields and operations are its relations.
#[tokio::test]
async fn kerag_filters_relations_of_an_api() {
    let (server, setting) = over_library().await;
    for filter in [RelationFilter::Off, RelationFilter::Similarity] {
        let verdict = r#"{"reasoning": "", "verdict": "enough"}"#;
        let model = model("Salt Roads", &["1937"])
            .when(|request| request.stage.starts_with("critique").then(|| verdict.into()))
            .when(|request| request.stage.starts_with("prune").then(|| verdict.into()));
        let mut how = options(Method::Kerag);
        how.config.kerag.filter = filter;
        let (answer, model) = run(&setting, model, QUESTION, &how).await;
        let asked: Vec<String> = model.requests().iter().map(|request| request.stage.clone()).collect();
        assert_eq!(
            (answer.answers.as_slice(), answer.grounded),
            (["1937".to_owned()].as_slice(), true),
            "{asked:?} {answer:?}"
        );
    }
    assert!(server.received_requests().await.unwrap().len() < 40);
}

/// A library whose book and whose author have one name.
async fn namesakes() -> (MockServer, Setting) {
    let server = MockServer::start().await;
    for (kind, found) in [
        ("authors", serde_json::json!({ "id": 1, "name": "Orle", "born": "1911-05-04" })),
        ("books", serde_json::json!({ "id": 10, "title": "Orle", "year": 1937 })),
    ] {
        for (place, body) in [("$", serde_json::json!([found])), ("/[0-9]+$", found.clone())] {
            Mock::given(path_regex(format!("^/v1/{kind}{place}")))
                .respond_with(ResponseTemplate::new(200).set_body_json(body))
                .mount(&server)
                .await;
        }
    }
    Mock::given(any()).respond_with(ResponseTemplate::new(404)).mount(&server).await;
    let base = format!("{}/v1", server.uri());
    let manifest = apis::LIBRARY_MANIFEST.replacen("domain = \"books\"", "domain = \"people\"", 1);
    let setting = over_apis(async |path: &Path| add(path, "library", &base, apis::LIBRARY, &manifest).await);
    (server, setting.await)
}

/// The kinds of a domain are those that the API's manifest puts there.
#[tokio::test]
async fn kerags_domain_decides_between_namesakes_of_an_api() {
    let (_server, setting) = namesakes().await;
    for (domain, expected, other) in [("books", "1937", "1911"), ("people", "1911", "1937")] {
        let topic =
            format!(r#"{{"domain": "{domain}", "entities": ["Orle"], "time": "", "operation": "list"}}"#);
        let model = ScriptedModel::new()
            .always("plan.topic", topic.as_str())
            .always("prune.relations", r#"{"reasoning": "", "irrelevant": [], "verdict": "enough"}"#)
            .always("compose", composed(&[expected]).as_str());
        let (answer, _) = run(&setting, model, "what is Orle?", &options(Method::Kerag)).await;
        let lines: Vec<String> = answer.evidence.iter().map(quipu_answer::Evidence::to_line).collect();
        let told = lines.join("\n");
        assert!(told.contains(expected) && !told.contains(other), "{domain}: {told} {answer:?}");
    }
}

#[tokio::test]
async fn a_query_over_an_api_alone_costs_no_call() {
    let (_server, setting) = over_library().await;
    for method in [Method::Query, Method::Auto] {
        let model = ScriptedModel::new().when(|request| (request.stage == "plan.card").then(|| "-".into()));
        let (answer, model) = run(&setting, model, "who painted Xyzzyplugh?", &options(method)).await;
        assert_eq!((answer.status, model.calls_of("plan.query")), (Status::Abstained, 0), "{answer:?}");
        assert!(answer.reason.is_some());
    }
    let (answer, _) = run(&setting, ScriptedModel::new(), QUESTION, &options(Method::Query)).await;
    assert!(answer.reason.unwrap().contains("this workspace has only APIs"));
}

/// Two libraries; the first does not have the book in question.
async fn two_libraries() -> ([MockServer; 2], Setting) {
    let servers = [empty().await, apis::library().await];
    let bases = [servers[0].uri(), format!("{}/v1", servers[1].uri())];
    let setting = over_apis(async |path: &Path| {
        add(path, "archive", &bases[0], apis::LIBRARY, apis::LIBRARY_MANIFEST).await;
        add(path, "library", &bases[1], apis::LIBRARY, apis::LIBRARY_MANIFEST).await;
    })
    .await;
    (servers, setting)
}

/// A library without results.
async fn empty() -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_json(serde_json::json!([])))
        .mount(&server)
        .await;
    server
}

async fn broken() -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(ResponseTemplate::new(503)).mount(&server).await;
    server
}

#[tokio::test]
async fn the_api_that_knows_the_name_is_asked_wherever_it_stands() {
    let (_servers, setting) = two_libraries().await;
    for (method, _) in METHODS {
        let model = Arc::new(model("Salt Roads", &["1937"]));
        let answer = ask(&setting, Some(model.clone()), Some(embedder().await), QUESTION, &how(method)).await;
        let name = method.name();
        assert_eq!(answer.answers, ["1937"], "{name} {answer:#?}");
        assert!(answer.evidence.iter().any(|piece| piece.source == "library"), "{name}");
        // The source without results gets no composition.
        assert_eq!(
            model.calls_of("compose"),
            usize::from(!matches!(method, Method::Paths | Method::Anchor)),
            "{name}"
        );
    }
}

#[tokio::test]
async fn one_api_failing_is_named_and_the_other_answers() {
    let broken = broken().await;
    let server = apis::library().await;
    let (gone, base) = (broken.uri(), format!("{}/v1", server.uri()));
    let setting = over_apis(async |path: &Path| {
        add(path, "archive", &gone, apis::LIBRARY, apis::LIBRARY_MANIFEST).await;
        add(path, "library", &base, apis::LIBRARY, apis::LIBRARY_MANIFEST).await;
    })
    .await;
    for (method, _) in METHODS {
        let model = Arc::new(model("Salt Roads", &["1937"]));
        let answer = ask(&setting, Some(model), Some(embedder().await), QUESTION, &how(method)).await;
        assert_eq!(answer.answers, ["1937"], "{} {answer:#?}", method.name());
        assert!(down(&answer.notes, "archive", "HTTP 503"), "{} {:?}", method.name(), answer.notes);
    }
}

fn down(notes: &[Note], name: &str, why: &str) -> bool {
    notes.iter().any(
        |note| matches!(note, Note::SourceDown { source, reason } if source == name && reason.contains(why)),
    )
}

/// A store and an API.
async fn store_and(api: &str) -> Setting {
    let setting = setting(FILMS).await;
    let path = setting.workspace.folder().to_owned();
    add(&path, "library", api, apis::LIBRARY, apis::LIBRARY_MANIFEST).await;
    Setting { workspace: Arc::new(Workspace::open(&path).unwrap()), folder: setting.folder }
}

#[tokio::test]
async fn the_store_answers_first_and_the_api_what_the_store_does_not_know() {
    let server = apis::library().await;
    let setting = store_and(&format!("{}/v1", server.uri())).await;
    for method in [Method::Paths, Method::Kerag, Method::Anchor] {
        let known = Arc::new(model("Kauwboy", &["Boudewijn Koole"]));
        let answer =
            ask(&setting, Some(known), Some(embedder().await), "who directed Kauwboy?", &how(method)).await;
        assert_eq!(
            (answer.answers.as_slice(), answer.usage.requests),
            (["Boudewijn Koole".to_owned()].as_slice(), 0),
            "{}",
            method.name()
        );
        let unknown = Arc::new(model("Salt Roads", &["1937"]));
        let answer = ask(&setting, Some(unknown), Some(embedder().await), QUESTION, &how(method)).await;
        assert_eq!(answer.answers, ["1937"], "{} {answer:#?}", method.name());
    }
}

/// The API is up when the question begins and fails later.
#[tokio::test]
async fn an_api_that_fails_in_the_middle_leaves_the_stores_answer() {
    let server = MockServer::start().await;
    let found = serde_json::json!([{"id": 10, "title": "Kauwboy", "year": 1937}]);
    Mock::given(path_regex("^/books$"))
        .respond_with(ResponseTemplate::new(200).set_body_json(found))
        .mount(&server)
        .await;
    Mock::given(path_regex("^/authors$"))
        .respond_with(ResponseTemplate::new(200).set_body_json(serde_json::json!([])))
        .mount(&server)
        .await;
    Mock::given(any()).respond_with(ResponseTemplate::new(503)).mount(&server).await;
    let setting = store_and(&server.uri()).await;
    let pseudo = Arc::new(model("Kauwboy", &["Boudewijn Koole"]));
    let answer =
        ask(&setting, Some(pseudo), Some(embedder().await), "who directed Kauwboy?", &how(Method::Pseudo))
            .await;
    assert_eq!(answer.answers, ["Boudewijn Koole"], "{answer:#?}");
    assert!(down(&answer.notes, "library", "HTTP 503"), "{:?}", answer.notes);
    // If the store abstains and the API fails, the result is an abstention that names the reason.
    let nothing = Arc::new(model("Kauwboy", &["Nobody"]));
    let question = "how often was Kauwboy lent?";
    let answer = ask(&setting, Some(nothing), Some(embedder().await), question, &how(Method::Anchor)).await;
    assert_eq!(answer.status, Status::Abstained, "{answer:#?}");
    assert!(down(&answer.notes, "library", "HTTP 503"), "{:?}", answer.notes);
}

#[tokio::test]
async fn with_every_source_down_the_failure_is_an_error() {
    let servers = [broken().await, broken().await];
    let setting = over_apis(async |path: &Path| {
        for (name, server) in ["archive", "library"].into_iter().zip(&servers) {
            add(path, name, &server.uri(), apis::LIBRARY, apis::LIBRARY_MANIFEST).await;
        }
    })
    .await;
    let engine = Engine::new(
        setting.workspace.clone(),
        Some(Arc::new(model("Salt Roads", &["1937"]))),
        Some(embedder().await),
    )
    .unwrap();
    let question = Question::new(QUESTION, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    for (method, _) in METHODS {
        let error = engine.ask(&question, &how(method)).await.unwrap_err();
        assert!(matches!(error, AnswerError::Graph(_) | AnswerError::Index(_)), "{} {error}", method.name());
        assert!(error.to_string().contains("HTTP 503"), "{} {error}", method.name());
    }
}

#[tokio::test]
async fn records_of_an_api_are_told_with_their_places() {
    let (_server, setting) = over_library().await;
    let model = Arc::new(model("Salt Roads", &["Ada Berg"]));
    let answer = ask(
        &setting,
        Some(model),
        Some(embedder().await),
        "who is the author of Salt Roads?",
        &how(Method::Verify),
    )
    .await;
    assert_eq!(answer.answers, ["Ada Berg"], "{answer:#?}");
    // The evidence has the author's name instead of the id in the response.
    let named = answer.evidence.iter().any(|piece| match &piece.content {
        EvidenceContent::Record(record) => {
            record.fields.iter().any(|f| f.name == "author" && f.value == "Ada Berg")
        }
        _ => false,
    });
    assert!(named, "{:#?}", answer.evidence);
}
