//! Methods over an endpoint: the same answers and evidence as over the imported graph, in a bounded
//! number of requests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "set-up of tests"
)]

use crate::{common, over};
use std::sync::Arc;

use common::{CARDS, FILMS, Setting, ask, by_paths, composed, embedder, setting};
use over::{ntriples, over_endpoint, over_server, servers};
use quipu_answer::{
    AnchorConfig, Answer, AnswerError, AskOptions, Engine, Guide, Method, MethodConfig, Note, Planner,
    Question, Status, Verification, open_source,
};
use quipu_graph::{ImportConfig, Input};
use quipu_index::{ImportRequest, MatchReason, Workspace};
use quipu_model::{Scripted, ScriptedModel};

/// Questions of each kind, and the most requests for each in a fresh process: two per hop for
/// neighbours, one for each relation's sample and one for its next step, and the rest for exact
/// walks.
const QUESTIONS: [(&str, u64); 5] = [
    ("who directed Kauwboy?", 18),
    ("where was the director of Kauwboy born?", 18),
    ("what are the release years of the films directed by Boudewijn Koole?", 17),
    ("which film directed by Boudewijn Koole starred Rifka Lodeizen?", 19),
    ("how many films did Paula van der Oest direct?", 17),
];

/// The workspace opened again, without any cached results.
fn fresh(setting: &Setting) -> Setting {
    let workspace = Arc::new(Workspace::open(setting.workspace.folder()).unwrap());
    Setting { workspace, folder: tempfile::tempdir().unwrap() }
}

/// The model's replies to any method's calls about Kauwboy.
fn model(answer: &str) -> Arc<ScriptedModel> {
    let topic = r#"{"domain": "other", "entities": ["Kauwboy"], "time": "", "operation": "list"}"#;
    let belief =
        "// precise\nCREATE (k:Film {name: 'Kauwboy'})-[:DIRECTED_BY]->(p:Person {name: 'Somebody Else'})";
    let extracted = r#"{"entities": [{"name": "Kauwboy", "category": ""}], "relations": ["directed by"]}"#;
    Arc::new(
        ScriptedModel::new()
            .always("plan.topic", topic)
            .always("link.keywords", r#"{"keywords": ["Kauwboy"]}"#)
            .always("plan.pseudo", belief)
            .always("plan.type", "simple")
            .always("plan.dynamism", "static")
            .always("plan.extract", extracted)
            .always("critique.validate", "yes")
            .always("compose", composed(answer).as_str()),
    )
}

/// Methods, and the most requests of one question for each in a fresh process.
const METHODS: [(Method, u64); 7] = [
    (Method::Paths, 18),
    (Method::Kerag, 24),
    (Method::Anchor, 24),
    (Method::Hybrid, 26),
    (Method::Pseudo, 30),
    (Method::Verify, 18),
    (Method::Graph, 12),
];

async fn check_same(server: &servers::Server) {
    let imported = setting(FILMS).await;
    std::fs::write(imported.workspace.folder().join("relations.toml"), CARDS).unwrap();
    let asked = over_endpoint(server, None).await;
    let check = |expected: Answer, found: Answer, most: u64, what: &str| {
        assert_eq!((&found.answers, &found.evidence), (&expected.answers, &expected.evidence), "{what}");
        assert!((found.confidence - expected.confidence).abs() < 1e-6, "{what}");
        assert_eq!(expected.usage.requests, 0, "{what}");
        assert!((1..=most).contains(&found.usage.requests), "{what}: {} requests", found.usage.requests);
    };
    for (question, most) in QUESTIONS {
        let (options, embedder) = (AskOptions::default(), Some(embedder().await));
        let expected = ask(&imported, None, embedder.clone(), question, &options).await;
        let found = ask(&fresh(&asked), None, embedder, question, &options).await;
        check(expected, found, most, question);
    }
    for (method, most) in METHODS {
        let question = "who directed Kauwboy?";
        let (mut options, embedder) = (by_paths(method), Some(embedder().await));
        options.config.pseudo.verification = Verification::Similarity;
        let model = || Some(model("\"Boudewijn Koole\""));
        let expected = ask(&imported, model(), embedder.clone(), question, &options).await;
        assert_eq!(expected.answers, ["Boudewijn Koole"], "{} {expected:#?}", method.name());
        let found = ask(&fresh(&asked), model(), embedder, question, &options).await;
        check(expected, found, most, method.name());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn oxigraph_gives_the_evidence_of_the_import() {
    check_same(&servers::oxigraph(&ntriples())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn virtuoso_gives_the_evidence_of_the_import() {
    if let Some(server) = servers::virtuoso(&ntriples(), 10_000) {
        check_same(&server).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn entities_of_an_endpoint_are_found_by_meaning_too() {
    let server = servers::oxigraph(&ntriples());
    let embedder = embedder().await;
    let asked = over_endpoint(&server, Some(embedder.clone())).await;
    let folder = tempfile::tempdir().unwrap();
    let (file, path) = (folder.path().join("films.tsv"), folder.path().join("workspace"));
    std::fs::write(&file, FILMS).unwrap();
    let graph = ImportConfig::new("films", vec![Input::File(file)]);
    let request = ImportRequest { graph, embedder: Some(embedder.clone()), progress: None };
    Workspace::import(&path, &request).await.unwrap();
    let imported = Workspace::open(&path).unwrap();
    let question = "which actress plays in the one about vanishing?";
    let expected =
        imported.candidates_for(question, &["vanishing"], 3, Some(embedder.as_ref())).await.unwrap();
    let found =
        asked.workspace.candidates_for(question, &["vanishing"], 3, Some(embedder.as_ref())).await.unwrap();
    let names = |mentions: &[quipu_index::Mention]| -> Vec<String> {
        mentions
            .iter()
            .flat_map(|mention| &mention.candidates)
            .map(|candidate| candidate.name.clone())
            .collect()
    };
    assert_eq!(names(&found), names(&expected));
    let best = found[0].candidates.first().unwrap();
    assert_eq!(
        (best.name.as_str(), matches!(best.reason, MatchReason::Dense { .. })),
        ("Disappearance", true)
    );
    let summary = asked.workspace.graph().summaries(&[best.node]).await.unwrap().remove(0);
    assert_eq!((summary.key.as_str(), summary.degree), ("Disappearance", best.degree));
}

/// A model that ends the server with its first reply, so that later requests fail.
fn ending(server: servers::Server) -> ScriptedModel {
    let server = std::sync::Mutex::new(Some(server));
    ScriptedModel::new().when(move |request| {
        drop(server.lock().unwrap().take());
        let reply = match request.stage.as_str() {
            "plan.pseudo" => {
                "CREATE (k:Film {name: 'Kauwboy'})-[:DIRECTED_BY]->(answer:Person {name: '?'})".to_owned()
            }
            "link.keywords" => r#"{"keywords": ["Kauwboy"]}"#.to_owned(),
            "critique.supervisor" => "yes".to_owned(),
            "prune.triples" => r#"{"numbers": [1, 2, 3, 4]}"#.to_owned(),
            "plan.topic" => {
                r#"{"domain": "other", "entities": ["Kauwboy"], "time": "", "operation": "list"}"#.to_owned()
            }
            _ => common::composed("\"Boudewijn Koole\""),
        };
        Some(Scripted::from(reply))
    })
}

fn of_method(method: Method) -> AskOptions {
    let anchor = AnchorConfig { guide: Guide::Similarity, model_alone: false, ..AnchorConfig::default() };
    let planner = if method == Method::Pseudo { Planner::Paths } else { Planner::Published };
    let config = MethodConfig { anchor, planner, ..MethodConfig::default() };
    AskOptions { method, config, ..AskOptions::default() }
}

const MID_QUESTION: [Method; 3] = [Method::Pseudo, Method::Anchor, Method::Kerag];

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_goes_down_in_mid_question_is_named_and_the_rest_answers() {
    for method in MID_QUESTION {
        let imported = setting(FILMS).await;
        let server = servers::oxigraph(&ntriples());
        let remote = over_server(&server, "remote", None).await;
        let model = Arc::new(ending(server));
        let engine = Engine::new(imported.workspace.clone(), Some(model), Some(embedder().await)).unwrap();
        let engine = engine.with_sources(vec![open_source(remote.workspace.clone()).unwrap()]);
        let question =
            Question::new("who directed Kauwboy?", "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
        let answer = engine.ask(&question, &of_method(method)).await.unwrap();
        assert_eq!(
            (answer.status, answer.answers.as_slice()),
            (Status::Answered, &["Boudewijn Koole".to_owned()][..]),
            "{method:?}: {answer:#?}"
        );
        let down = answer.notes.iter().find_map(|note| match note {
            Note::SourceDown { source, reason } => Some((source.as_str(), reason.as_str())),
            _ => None,
        });
        let (source, reason) = down.unwrap_or_else(|| panic!("{method:?}: {:?}", answer.notes));
        assert!(source == "remote" && reason.contains("127.0.0.1"), "{method:?}: {source}: {reason}");
        assert!(answer.evidence.iter().all(|piece| piece.source == "films"), "{method:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_only_an_endpoint_knew_that_went_down_is_not_known_and_not_an_error() {
    for method in MID_QUESTION {
        let imported = setting("Peru\tcapital\tLima\n").await;
        let server = servers::oxigraph(&ntriples());
        let remote = over_server(&server, "remote", None).await;
        let model = Arc::new(ending(server));
        let engine = Engine::new(imported.workspace.clone(), Some(model), Some(embedder().await)).unwrap();
        let engine = engine.with_sources(vec![open_source(remote.workspace.clone()).unwrap()]);
        let question =
            Question::new("who directed Kauwboy?", "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
        let answer = engine.ask(&question, &of_method(method)).await.unwrap();
        assert_eq!(answer.status, Status::Abstained, "{method:?}: {answer:#?}");
        let down = |note: &Note| matches!(note, Note::SourceDown { source, .. } if source == "remote");
        assert!(answer.notes.iter().any(down), "{method:?}: {:?}", answer.notes);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_only_endpoint_going_down_in_mid_question_is_an_error_that_names_it() {
    for method in MID_QUESTION {
        let server = servers::oxigraph(&ntriples());
        let remote = over_server(&server, "remote", None).await;
        let model = Arc::new(ending(server));
        let engine = Engine::new(remote.workspace.clone(), Some(model), Some(embedder().await)).unwrap();
        let question =
            Question::new("who directed Kauwboy?", "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
        let error = engine.ask(&question, &of_method(method)).await.unwrap_err();
        assert!(matches!(error, AnswerError::Graph(_)), "{method:?}: {error:?}");
        assert!(error.to_string().contains("127.0.0.1"), "{method:?}: {error}");
    }
}
