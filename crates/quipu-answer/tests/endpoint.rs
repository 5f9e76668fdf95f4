//! Methods over an endpoint: the answers and the evidence of the imported graph, in a bounded number of requests.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "set-up of tests"
)]

mod common;
#[path = "../../quipu-graph/tests/servers/mod.rs"]
mod servers;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use common::{CARDS, FILMS, Setting, ask, embedder, setting};
use quipu_answer::{
    AnchorConfig, AnswerError, AskOptions, Engine, Guide, Method, MethodConfig, Note, Question, Source,
    Status,
};
use quipu_graph::{EndpointConfig, ImportConfig, Input, iri_of_key};
use quipu_index::{ImportRequest, MatchReason, SourceRequest, Workspace};
use quipu_model::{Embedder, Scripted, ScriptedModel};

/// [`FILMS`] as a server's triples.
fn ntriples() -> String {
    let line = |line: &str| {
        let terms: Vec<String> = line.split('\t').map(|key| format!("<{}>", iri_of_key(key))).collect();
        format!("{} .\n", terms.join(" "))
    };
    FILMS.lines().map(line).collect()
}

async fn over_endpoint(server: &servers::Server, embedder: Option<Arc<dyn Embedder>>) -> Setting {
    over(server, "films", embedder).await
}

async fn over(server: &servers::Server, name: &str, embedder: Option<Arc<dyn Embedder>>) -> Setting {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("workspace");
    let config = EndpointConfig {
        url: server.url.clone(),
        graphs: server.graphs.clone(),
        cache_hours: 0,
        attempts: 2,
        pause: 1,
        ..EndpointConfig::default()
    };
    let cancel = Arc::new(AtomicBool::new(false));
    let request = SourceRequest { name: name.into(), config, embedder, progress: None, cancel };
    Workspace::add_source(&path, &request).await.unwrap();
    let workspace = Arc::new(Workspace::open(&path).unwrap());
    std::fs::write(path.join("relations.toml"), CARDS).unwrap();
    Setting { folder, workspace }
}

/// Questions of each kind, and the most requests that each may cost in a fresh process: two a hop for what is around, one for each relation's
/// sample with one for what follows it, and what exact walks need beyond that.
const QUESTIONS: [(&str, u64); 5] = [
    ("who directed Kauwboy?", 18),
    ("where was the director of Kauwboy born?", 18),
    ("what are the release years of the films directed by Boudewijn Koole?", 17),
    ("which film directed by Boudewijn Koole starred Rifka Lodeizen?", 19),
    ("how many films did Paula van der Oest direct?", 17),
];

async fn check_same(server: &servers::Server) {
    let imported = setting(FILMS).await;
    std::fs::write(imported.workspace.folder().join("relations.toml"), CARDS).unwrap();
    let asked = over_endpoint(server, None).await;
    let options = AskOptions::default();
    for (question, most) in QUESTIONS {
        let expected = ask(&imported, None, Some(embedder().await), question, &options).await;
        // Opened anew, so that nothing is remembered.
        let folder = asked.workspace.folder();
        let fresh = Setting {
            workspace: Arc::new(Workspace::open(folder).unwrap()),
            folder: tempfile::tempdir().unwrap(),
        };
        let found = ask(&fresh, None, Some(embedder().await), question, &options).await;
        assert_eq!((&found.answers, &found.evidence), (&expected.answers, &expected.evidence), "{question}");
        assert!((found.confidence - expected.confidence).abs() < 1e-6, "{question}");
        let requests = fresh.workspace.endpoint().unwrap().traffic().requests;
        assert!(requests <= most, "{question}: {requests} requests");
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

/// A model that ends the server with its first reply: what comes after finds it gone.
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
    let anchor = AnchorConfig { guide: Guide::Similarity, ..AnchorConfig::default() };
    AskOptions { method, config: MethodConfig { anchor, ..MethodConfig::default() }, ..AskOptions::default() }
}

const MID_QUESTION: [Method; 3] = [Method::Pseudo, Method::Anchor, Method::Kerag];

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_goes_down_in_mid_question_is_named_and_the_rest_answers() {
    for method in MID_QUESTION {
        let imported = setting(FILMS).await;
        let server = servers::oxigraph(&ntriples());
        let remote = over(&server, "remote", None).await;
        let model = Arc::new(ending(server));
        let engine = Engine::new(imported.workspace.clone(), Some(model), Some(embedder().await)).unwrap();
        let engine = engine.with_sources(vec![Source::open(remote.workspace.clone()).unwrap()]);
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
async fn the_only_endpoint_going_down_in_mid_question_is_an_error_that_names_it() {
    for method in MID_QUESTION {
        let server = servers::oxigraph(&ntriples());
        let remote = over(&server, "remote", None).await;
        let model = Arc::new(ending(server));
        let engine = Engine::new(remote.workspace.clone(), Some(model), Some(embedder().await)).unwrap();
        let question =
            Question::new("who directed Kauwboy?", "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
        let error = engine.ask(&question, &of_method(method)).await.unwrap_err();
        assert!(matches!(error, AnswerError::Graph(_)), "{method:?}: {error:?}");
        assert!(error.to_string().contains("127.0.0.1"), "{method:?}: {error}");
    }
}
