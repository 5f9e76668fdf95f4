//! Changes one byte of one file in a small workspace. The result must be an error or the answers of
//! the undamaged workspace, never other answers, never a panic. People may edit TOML files and
//! stored descriptions of APIs: a changed byte there is an error or an edit, but no panic either.
//!
//! This test samples the bytes; `make damage` (`QUIPU_DAMAGE=all`) takes every byte of every file.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quipu_answer::{AskOptions, Engine, LEARNT_FILES, Method, Question};
use quipu_graph::{ApiConfig, EndpointConfig, ImportConfig, Input, QueryOptions};
use quipu_index::{
    AddedDocument, ApiRequest, DocumentQuery, ImportRequest, LookupConfig, SearchMode, SourceRequest,
    Workspace,
};
use quipu_model::Embedder as _;

use crate::common::Letters;

#[path = "../../quipu-index/tests/crash/endpoint.rs"]
#[allow(dead_code, reason = "another test program passes its address on")]
mod local;

const NODES: &str = r#"{"id": "1", "name": "Gorwen", "type": "town", "aliases": ["Old Gorwen"], "text": "Gorwen lies on an island. Its market sells salt."}
{"id": "2", "name": "Haldt", "type": "town", "text": "Haldt is known for its cheese."}
{"id": "3", "name": "Orle", "type": "river", "text": "The Orle is a short river."}
{"id": "4", "name": "Ostmark", "type": "region"}
"#;
const EDGES: &str = "1\tlies on\t3\n2\ttrades with\t1\n2\tlies in\t4\n1\tlies in\t4\n";
const CARDS: &str = r#"
[relation."lies in"]
head_kind = "town"
tail_kind = "region"
forward = "the region of X"
backward = "the towns in X"
words_forward = ["where", "region"]
words_backward = ["towns", "in"]
"#;
/// Distance between the sampled bytes of a file. It is a prime, so that the samples fall on all
/// parts of fields of any width.
const STEP: usize = 211;

/// A workspace with a file of each kind.
async fn workspace(folder: &Path) -> PathBuf {
    let files = [("nodes.jsonl", NODES), ("edges.tsv", EDGES)].map(|(name, text)| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        Input::File(path)
    });
    let place = folder.join("workspace");
    let graph = ImportConfig::new("towns", files.to_vec());
    let embedder = Arc::new(Letters);
    let request = ImportRequest { graph, embedder: Some(embedder.clone()), progress: None };
    Workspace::import(&place, &request).await.unwrap();
    let never = AtomicBool::new(false);
    let document = AddedDocument {
        entity: "4".into(),
        title: "notes.md".into(),
        markdown: true,
        text: "# Trade\n\nThe towns of Ostmark trade salt for cheese.\n".into(),
    };
    Workspace::add_documents(&place, vec![document], Some(embedder.as_ref()), None, &never).await.unwrap();
    Workspace::index_triples(&place, embedder.as_ref(), None, &never).await.unwrap();
    let apis = Path::new(env!("CARGO_MANIFEST_DIR")).join("../quipu-graph/tests/apis");
    let file = |name: &str| apis.join(name).to_str().unwrap().to_owned();
    let config = ApiConfig {
        openapi: file("library.json"),
        manifest: Some(file("library.toml")),
        base: Some("http://127.0.0.1:9".into()),
        allow_hosts: vec!["127.0.0.1:9".into()],
        ..ApiConfig::default()
    };
    Workspace::add_api(&place, &ApiRequest { name: "library".into(), config }).await.unwrap();
    let word = "[word.county]\nregion = -0.1\n";
    let kind = "[kind]\n\"lies in\" = \"region\"\n";
    let example = "graph = \"x\"\n\n[[example]]\nquestion = \"Where is Gorwen?\"\nmasked = \"Where is X?\"\n\
                   plan = [\"lies in\"]\nway = \"the region of X\"\nanswers = [\"Ostmark\"]\n";
    let texts = [CARDS, word, "", example, kind];
    for (name, text) in LEARNT_FILES.iter().zip(texts) {
        std::fs::write(place.join(name), text).unwrap();
    }
    std::fs::write(place.join("quipu.toml"), "method = \"paths\"\n").unwrap();
    let opened = Workspace::open(&place).unwrap();
    quipu_query::open_tables(&opened).await.unwrap();
    assert!(opened.part(quipu_query::TABLES_FILE).is_file());
    place
}

/// A workspace over a SPARQL endpoint on this machine.
async fn endpoint_workspace(folder: &Path) -> PathBuf {
    let config = EndpointConfig {
        url: format!("http://{}/1", local::start(folder)),
        pause: 1,
        attempts: 1,
        ..EndpointConfig::default()
    };
    let request = SourceRequest {
        name: "towns".into(),
        config,
        embedder: Some(Arc::new(Letters)),
        progress: None,
        cancel: Arc::default(),
    };
    let place = folder.join("workspace");
    Workspace::add_source(&place, &request).await.unwrap();
    place
}

/// An answer, or the reason for its absence.
type Answer = Result<String, String>;

fn answer(outcome: Result<impl Debug, impl Display>) -> Answer {
    outcome.map(|found| format!("{found:?}")).map_err(|error| error.to_string())
}

/// The answers of a workspace, by the name of the question.
async fn answers(place: &Path) -> BTreeMap<String, Answer> {
    let mut answers = BTreeMap::new();
    let mut tell = |name: &str, found: Answer| drop(answers.insert(name.to_owned(), found));
    tell("documents list", answer(Workspace::added_documents(place)));
    let workspace = match Workspace::open(place) {
        Ok(workspace) => Arc::new(workspace),
        Err(error) => {
            tell("open", Err(error.to_string()));
            return answers;
        }
    };
    // As `quipu doctor` does.
    tell("verify", answer(workspace.verify()));
    let letters = Letters;
    tell("info", answer(Ok::<_, String>(workspace.info())));
    for text in ["Gorwen", "old gorwen", "Gorwne", "Hald", "gorwen market"] {
        let found = workspace.lookup(text, &LookupConfig::default()).await;
        tell(&format!("lookup {text}"), answer(found));
        tell(&format!("link {text}"), answer(workspace.link_with(text, 3, &letters).await));
    }
    let vector = letters.embed(&["salt market"]).await.unwrap().rows().next().unwrap().to_vec();
    if let Some(documents) = workspace.documents() {
        for mode in [SearchMode::Words, SearchMode::Meaning, SearchMode::Hybrid] {
            for text in ["salt", "cheese river", "trade"] {
                let query = DocumentQuery { text, vector: Some(&vector), mode, k: 5, only: None };
                tell(&format!("search {mode:?} {text}"), answer(documents.search(&query)));
            }
        }
        for number in 0..documents.len() {
            tell(&format!("passage {number}"), answer(documents.passage(number)));
        }
    }
    tell("triples", answer(workspace.nearest_triples(&vector, 5)));
    let nearest = workspace.vectors().map(|vectors| vectors.search(&vector, 4));
    tell("vectors", answer(nearest.unwrap_or_else(|| Ok(Vec::new()))));
    let mut rows = Vec::new();
    let query = "SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?s ?p ?o";
    if let Some(graph) = workspace.embedded() {
        let counted = graph.query(query, &QueryOptions::default(), &mut rows);
        tell("query", answer(counted.map(|_| String::from_utf8(rows).unwrap())));
        let tables = quipu_query::open_tables(&workspace).await;
        tell("tables", answer(tables.map(|tables| serde_json::to_string(&tables).unwrap())));
    }
    match Engine::new(workspace.clone(), None, Some(Arc::new(Letters))) {
        Err(error) => tell("ask", Err(error.to_string())),
        Ok(engine) => {
            let now = "2024-02-28T12:00:00[UTC]".parse().unwrap();
            let question = Question::new("Where is Gorwen?", now).unwrap();
            let options = AskOptions { method: Method::Paths, ..AskOptions::default() };
            let found = engine.ask(&question, &options).await;
            tell("ask", answer(found.map(|found| format!("{:?} {:?}", found.status, found.answer))));
        }
    }
    answers
}

/// Files below a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { found.extend(files(&entry)) } else { found.push(entry) }
    }
    found.sort();
    found
}

/// Whether people may edit a file.
fn is_edited(file: &Path) -> bool {
    file.extension().is_some_and(|kind| kind == "toml") || file.ends_with("openapi.json")
}

#[derive(Default)]
struct Counts {
    /// Bytes changed.
    changed: usize,
    /// Number of these that made an answer an error.
    told: usize,
}

async fn damage_each(place: &Path, every: usize) -> BTreeMap<String, Counts> {
    let expected = answers(place).await;
    for (name, found) in &expected {
        assert!(found.is_ok(), "{name}: {found:?}");
    }
    let mut counts: BTreeMap<String, Counts> = BTreeMap::new();
    for (number, file) in files(place).into_iter().enumerate() {
        let content = std::fs::read(&file).unwrap();
        let name = file.strip_prefix(place).unwrap().display().to_string();
        let count = counts.entry(name.clone()).or_default();
        for at in (number % every..content.len()).step_by(every) {
            let mut damaged = content.clone();
            // The lowest and the highest bit in turn: a letter becomes another letter or an invalid
            // byte.
            damaged[at] ^= if at % 2 == 0 { 0x01 } else { 0x80 };
            std::fs::write(&file, &damaged).unwrap();
            count.changed += 1;
            let found = answers(place).await;
            count.told += usize::from(found.values().any(Result::is_err));
            if is_edited(&file) {
                continue;
            }
            for (question, found) in found {
                if let Ok(found) = found {
                    let wanted = expected.get(&question).map(|wanted| wanted.as_ref().unwrap());
                    assert_eq!(Some(&found), wanted, "{name} byte {at}: {question}");
                }
            }
        }
        std::fs::write(&file, &content).unwrap();
    }
    assert!(answers(place).await.values().all(Result::is_ok), "at the end");
    counts
}

#[tokio::test]
async fn a_changed_byte_is_an_error_or_changes_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let place = workspace(folder.path()).await;
    let all = std::env::var_os("QUIPU_DAMAGE").is_some_and(|value| value == "all");
    let counts = damage_each(&place, if all { 1 } else { STEP }).await;
    let (changed, told) =
        counts.values().fold((0, 0), |sum, count| (sum.0 + count.changed, sum.1 + count.told));
    if all {
        for (name, Counts { changed, told }) in &counts {
            println!("{name}: {changed} changes, {told} told as errors");
        }
        println!("in all: {} files, {changed} changes, {told} told as errors", counts.len());
    }
    let parts = ["graph/", "names.qix", "vectors/", "words/", "triples/", "tables.json", "documents.json"];
    for part in parts.iter().chain(&["CURRENT", "sources.toml"]) {
        assert!(counts.keys().any(|name| name.contains(part)), "{part}: {:?}", counts.keys());
    }
    assert!(changed > 100 && told > changed / 4, "{told} of {changed}");
}

#[tokio::test]
async fn a_changed_byte_in_the_files_of_an_endpoint_is_an_error_or_changes_no_answer() {
    let folder = tempfile::tempdir().unwrap();
    let place = endpoint_workspace(folder.path()).await;
    let all = std::env::var_os("QUIPU_DAMAGE").is_some_and(|value| value == "all");
    let counts = damage_each(&place, if all { 1 } else { STEP }).await;
    let catalogue = counts.iter().find(|(name, _)| name.ends_with("catalogue.json"));
    assert!(catalogue.is_some_and(|(_, count)| count.told == count.changed), "{:?}", counts.keys());
}
