//! Workspaces: imported, opened, replaced, damaged, interrupted.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use quipu_graph::{ImportConfig, Input};
use quipu_model::{Embedder, Embeddings, ModelError};

use super::*;
use crate::MatchReason;

const GRAPH_TEXT: &str = "The Matrix\tdirected_by\tLana Wachowski\n\
The Matrix\trelease_year\t1999\n\
Titanic\tdirected_by\tJames Cameron\n\
Avatar\tdirected_by\tJames Cameron\n";

/// The counts of letters: near for texts with the same letters.
#[derive(Default)]
pub(super) struct LetterEmbedder {
    texts: AtomicUsize,
    /// Set when the first batch is embedded.
    cancel: Option<Arc<AtomicBool>>,
}

#[async_trait::async_trait]
impl Embedder for LetterEmbedder {
    fn name(&self) -> &str {
        "letters"
    }
    fn fingerprint(&self) -> &str {
        "letters-1"
    }
    fn dimensions(&self) -> usize {
        26
    }
    async fn embed(&self, texts: &[&str]) -> Result<Embeddings, ModelError> {
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        if let Some(cancel) = &self.cancel {
            cancel.store(true, Ordering::Relaxed);
        }
        let mut values = Vec::new();
        for text in texts {
            let mut vector = [0.01_f32; 26];
            for letter in text.to_lowercase().bytes().filter(u8::is_ascii_lowercase) {
                vector[usize::from(letter - b'a')] += 1.0;
            }
            let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
            values.extend(vector.map(|number| number / length));
        }
        Ok(Embeddings::new(26, values))
    }
}

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn workspace(&self) -> PathBuf {
        self.folder.path().join("films")
    }

    fn request(&self, text: &str, embedder: Option<Arc<dyn Embedder>>) -> ImportRequest {
        let file = self.folder.path().join("graph.tsv");
        std::fs::write(&file, text).unwrap();
        ImportRequest { graph: ImportConfig::new("films", vec![Input::File(file)]), embedder, progress: None }
    }

    async fn import(&self, text: &str, embedder: Option<Arc<dyn Embedder>>) -> Result<(), IndexError> {
        Workspace::import(&self.workspace(), &self.request(text, embedder)).await.map(|_| ())
    }
}

fn first(mentions: &[crate::Mention]) -> &str {
    mentions.first().and_then(|mention| mention.candidates.first()).map_or("", |candidate| &candidate.name)
}

#[tokio::test]
async fn an_imported_graph_is_linked() {
    let place = Place::new();
    place.import(GRAPH_TEXT, None).await.unwrap();
    let workspace = Workspace::open(&place.workspace()).unwrap();
    let mentions = workspace.link("who directed the matrix?", 5).await.unwrap();
    assert_eq!(first(&mentions), "The Matrix");
    let info = workspace.info();
    assert_eq!((info.graph.triples, info.vectors.is_none(), info.missing.len()), (4, true, 1));
    assert!(info.graph_bytes > 0 && info.names_bytes > 0 && info.names >= 6);
    workspace.verify().unwrap();
}

#[tokio::test]
async fn vectors_find_by_meaning_and_refuse_another_embedder() {
    let place = Place::new();
    let embedder = Arc::new(LetterEmbedder::default());
    place.import(GRAPH_TEXT, Some(embedder.clone())).await.unwrap();
    let workspace = Workspace::open(&place.workspace()).unwrap();
    assert!(workspace.info().missing.is_empty());
    // An anagram shares all letters with the name, but no word and no close spelling.
    let mentions =
        workspace.candidates_for("?", &["orncame mesja"], 3, Some(embedder.as_ref())).await.unwrap();
    let best = &mentions[0].candidates[0];
    assert_eq!(best.name, "James Cameron");
    assert!(matches!(best.reason, MatchReason::Dense { .. }));
    workspace.verify().unwrap();
}

#[tokio::test]
async fn a_failed_import_leaves_the_old_generation_and_the_configuration() {
    let place = Place::new();
    place.import(GRAPH_TEXT, None).await.unwrap();
    std::fs::write(place.workspace().join("quipu.toml"), "method = \"paths\"\n").unwrap();
    let broken = "only one column\n";
    assert!(place.import(broken, None).await.is_err());
    let workspace = Workspace::open(&place.workspace()).unwrap();
    assert_eq!(workspace.info().graph.triples, 4);
    place.import("A\tb\tC\n", None).await.unwrap();
    assert_eq!(workspace.graph().describe().entities, 6, "an open workspace keeps its files");
    let replaced = Workspace::open(&place.workspace()).unwrap();
    assert_eq!(replaced.info().graph.triples, 1);
    assert_eq!(replaced.configuration().unwrap().as_deref(), Some("method = \"paths\"\n"));
    assert!(!place.workspace().join("gen-0001").exists(), "the old generation is cleared away");
}

#[tokio::test]
async fn a_cut_file_leaves_the_old_generation() {
    let place = Place::new();
    place.import(GRAPH_TEXT, None).await.unwrap();
    let head =
        "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" xmlns:e=\"http://e.org/\">";
    let thing = "<e:k rdf:about=\"http://e.org/b\"><e:r>x</e:r></e:k>";
    let entity =
        "{\"type\":\"item\",\"id\":\"Q1\",\"labels\":{\"en\":{\"language\":\"en\",\"value\":\"a\"}}}";
    let json = "{\"@id\": \"http://e.org/a\", \"http://e.org/r\": [{\"@value\": \"x\"}]}";
    let cut = [
        ("graph.rdf", format!("{head}\n{thing}\n")),
        ("graph.json", format!("[\n{entity},\n{entity}\n")),
        ("graph.jsonld", format!("[{json},\n{json}\n")),
    ];
    for (name, text) in cut {
        let file = place.folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        let graph = ImportConfig::new("films", vec![Input::File(file)]);
        let request = ImportRequest { graph, embedder: None, progress: None };
        let refused = Workspace::import(&place.workspace(), &request).await.unwrap_err().to_string();
        assert!(refused.contains(name), "{refused}");
        assert_eq!(Workspace::open(&place.workspace()).unwrap().info().graph.triples, 4);
    }
}

#[tokio::test]
async fn interrupted_vectors_go_on() {
    let place = Place::new();
    let text: String = (0..900).map(|number| format!("film number {number}\tkind\tfilm\n")).collect();
    let mut request = place.request(&text, None);
    let stopping = LetterEmbedder { cancel: Some(request.graph.cancel.clone()), ..LetterEmbedder::default() };
    request.embedder = Some(Arc::new(stopping));
    let error = Workspace::import(&place.workspace(), &request).await.unwrap_err();
    assert!(matches!(error, IndexError::Cancelled), "{error}");
    assert!(Workspace::open(&place.workspace()).is_err(), "nothing is published");
    let embedder = Arc::new(LetterEmbedder::default());
    place.import(&text, Some(embedder.clone())).await.unwrap();
    let again = embedder.texts.load(Ordering::Relaxed);
    assert!(again < 901, "{again} texts were embedded again");
    assert!(Workspace::open(&place.workspace()).unwrap().vectors().is_some());
}

#[tokio::test]
async fn the_same_graph_is_not_embedded_twice() {
    let place = Place::new();
    let embedder = Arc::new(LetterEmbedder::default());
    place.import(GRAPH_TEXT, Some(embedder.clone())).await.unwrap();
    let once = embedder.texts.load(Ordering::Relaxed);
    place.import(GRAPH_TEXT, Some(embedder.clone())).await.unwrap();
    assert_eq!(embedder.texts.load(Ordering::Relaxed), once);
    Workspace::open(&place.workspace()).unwrap().verify().unwrap();
}

#[tokio::test]
async fn vectors_can_be_added_later() {
    let place = Place::new();
    place.import(GRAPH_TEXT, None).await.unwrap();
    let embedder = LetterEmbedder::default();
    Workspace::index_vectors(&place.workspace(), &embedder, None, &AtomicBool::new(false)).await.unwrap();
    let workspace = Workspace::open(&place.workspace()).unwrap();
    assert_eq!(workspace.info().vectors.map(|vectors| vectors.dimensions), Some(26));
}

/// The leftovers of a process that was killed in the middle of an import.
#[tokio::test]
async fn leftovers_of_a_killed_import_do_not_matter() {
    let place = Place::new();
    place.import(GRAPH_TEXT, None).await.unwrap();
    let torn = place.workspace().join("gen-0002");
    std::fs::create_dir_all(torn.join("graph")).unwrap();
    std::fs::write(torn.join("names.partial"), "half a").unwrap();
    std::fs::write(place.workspace().join("CURRENT.next"), "gen-").unwrap();
    let building = place.workspace().join("vectors.building");
    std::fs::create_dir_all(&building).unwrap();
    for name in ["build.json", "matrix.f16", "graph.saved", "rows.qix"] {
        std::fs::write(building.join(name), "{ torn").unwrap();
    }
    assert_eq!(Workspace::open(&place.workspace()).unwrap().info().graph.triples, 4);
    place.import("A\tb\tC\n", Some(Arc::new(LetterEmbedder::default()))).await.unwrap();
    let workspace = Workspace::open(&place.workspace()).unwrap();
    assert_eq!(workspace.info().graph.triples, 1);
    workspace.verify().unwrap();
}

#[tokio::test]
async fn what_is_no_workspace_says_what_to_do() {
    let place = Place::new();
    let message = Workspace::open(&place.workspace()).unwrap_err().to_string();
    assert!(message.contains("is not a workspace; make one with `quipu import"), "{message}");
    place.import(GRAPH_TEXT, None).await.unwrap();
    let names = place.workspace().join("gen-0001").join(NAMES);
    let whole = std::fs::read(&names).unwrap();
    std::fs::write(&names, &whole[..whole.len() - 9]).unwrap();
    let message = Workspace::open(&place.workspace()).unwrap_err().to_string();
    assert!(message.contains(NAMES) && message.contains("import the graph again"), "{message}");
    std::fs::write(place.workspace().join("CURRENT"), "../../etc\n").unwrap();
    let message = Workspace::open(&place.workspace()).unwrap_err().to_string();
    assert!(message.contains("expected the name of a generation"), "{message}");
}

#[tokio::test]
async fn two_imports_at_once_are_refused() {
    let place = Place::new();
    place.import(GRAPH_TEXT, None).await.unwrap();
    let _held = Generations::open(place.workspace()).begin().unwrap();
    let message = place.import(GRAPH_TEXT, None).await.unwrap_err().to_string();
    assert!(message.contains("another import"), "{message}");
}
