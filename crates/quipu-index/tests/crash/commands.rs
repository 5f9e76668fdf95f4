//! The commands that change a workspace, and the state of a workspace as text.

use std::fmt::{Debug, Display, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::endpoint::ADDRESS;
use quipu_graph::files::replace;
use quipu_graph::{ApiConfig, EndpointConfig, ImportConfig, Input, QueryOptions};
use quipu_index::{
    AddedDocument, ApiRequest, DocumentQuery, ImportRequest, IndexError, LookupConfig, SearchMode,
    SourceRequest, Workspace,
};
use quipu_model::{Embedder, Embeddings, ModelError};

/// The counts of letters: near for texts with the same letters.
#[derive(Default)]
pub struct Letters;

#[async_trait::async_trait]
impl Embedder for Letters {
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

/// A command, and the commands that prepare its workspace.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    pub name: &'static str,
    pub before: &'static [&'static str],
    /// Whether the command may be repeated after it succeeded.
    pub again: bool,
}

pub const COMMANDS: [Command; 18] = [
    Command { name: "import", before: &[], again: true },
    Command { name: "import others", before: &["import", "documents add"], again: true },
    Command { name: "import with vectors", before: &["import", "index triples"], again: true },
    Command { name: "index vectors", before: &["import"], again: true },
    Command { name: "index documents", before: &["import"], again: true },
    Command { name: "index triples", before: &["import with vectors"], again: true },
    Command { name: "index relations", before: &["import"], again: true },
    Command { name: "index relations anew", before: &["import", "index relations"], again: true },
    Command { name: "documents add", before: &["import"], again: true },
    Command { name: "documents replace", before: &["import", "documents add"], again: true },
    Command { name: "documents remove", before: &["import with vectors", "documents add"], again: false },
    Command { name: "source add", before: &[], again: true },
    Command { name: "source refresh", before: &["import", "source add"], again: true },
    Command { name: "source remove", before: &["import", "source add"], again: false },
    Command { name: "source remove last", before: &["source add"], again: false },
    Command { name: "endpoint add", before: &[], again: true },
    Command { name: "endpoint refresh", before: &["endpoint add"], again: true },
    Command { name: "endpoint remove", before: &["endpoint add"], again: false },
];

const CARDS_FILE: &str = "relations.toml";
const NODES: &str = r#"{"id": "1", "name": "Gorwen", "type": "town", "text": "Gorwen lies on an island and sells salt."}
{"id": "2", "name": "Haldt", "type": "town", "text": "Haldt is known for its cheese."}
{"id": "3", "name": "Orle", "type": "river"}
"#;
const EDGES: [&str; 2] = ["1\tlies on\t3\n2\ttrades with\t1\n", "3\tflows into\t2\n"];
const TITLES: [&str; 2] = ["Harbour library", "Library by the sea"];

/// Writes the inputs of commands into `folder`.
pub fn prepare(folder: &Path) {
    std::fs::write(folder.join("nodes.jsonl"), NODES).unwrap();
    for (number, (edges, title)) in EDGES.iter().zip(TITLES).enumerate() {
        std::fs::write(folder.join(format!("edges{number}.tsv")), edges).unwrap();
        let text = include_str!("../../../quipu-graph/tests/apis/library.json").replace(TITLES[0], title);
        std::fs::write(folder.join(format!("library{number}.json")), text).unwrap();
        let text = include_str!("../../../quipu-graph/tests/apis/library.toml");
        // The manifest's words for authors change with the document.
        let text = text.replace("an author", &format!("an author of the {title}"));
        std::fs::write(folder.join(format!("library{number}.toml")), text).unwrap();
    }
}

/// Runs a command on the workspace at `place`, with its inputs from `folder`.
pub async fn give(command: &str, folder: &Path, place: &Path) -> Result<(), IndexError> {
    let never = AtomicBool::new(false);
    let document = |text: &str| AddedDocument {
        entity: "3".into(),
        title: "notes.md".into(),
        markdown: true,
        text: text.into(),
    };
    match command {
        "import" => import(folder, place, 0, false).await,
        "import others" => import(folder, place, 1, true).await,
        "import with vectors" => import(folder, place, 0, true).await,
        "index vectors" => Workspace::index_vectors(place, &Letters, None, &never).await,
        "index documents" => Workspace::index_documents(place, Some(&Letters), None, &never).await,
        "index triples" => Workspace::index_triples(place, &Letters, None, &never).await.map(drop),
        "index relations" => write_cards(place, "the town of X"),
        "index relations anew" => write_cards(place, "the place of X"),
        "documents add" => {
            Workspace::add_documents(place, vec![document("The Orle is short.")], None, None, &never).await
        }
        "documents replace" => {
            let documents = vec![document("The Orle carries salt to the sea.")];
            Workspace::add_documents(place, documents, Some(&Letters), None, &never).await
        }
        "documents remove" => {
            let titles = ["notes.md".to_owned()];
            Workspace::remove_documents(place, &titles, None, &never).await.map(drop)
        }
        "source add" => add_api(folder, place, 0).await,
        "source refresh" => add_api(folder, place, 1).await,
        "source remove" | "source remove last" => Workspace::remove_source(place, "library"),
        "endpoint add" => add_endpoint(place, 0).await,
        "endpoint refresh" => add_endpoint(place, 1).await,
        "endpoint remove" => Workspace::remove_source(place, "towns"),
        other => panic!("no command is called {other}"),
    }
}

/// Writes cards of relations as `quipu index relations` does, which is above this crate.
fn write_cards(place: &Path, forward: &str) -> Result<(), IndexError> {
    let card = format!("[relation.\"lies on\"]\nforward = \"{forward}\"\n");
    replace(&place.join(CARDS_FILE), card.as_bytes()).map_err(|(path, source)| IndexError::Io {
        action: "cannot write",
        path,
        source,
    })
}

async fn import(folder: &Path, place: &Path, edges: usize, vectors: bool) -> Result<(), IndexError> {
    let files =
        ["nodes.jsonl".into(), format!("edges{edges}.tsv")].map(|name| Input::File(folder.join(name)));
    let mut graph = ImportConfig::new("towns", files.to_vec());
    graph.threads = 1;
    let letters: Option<Arc<dyn Embedder>> = if vectors { Some(Arc::new(Letters)) } else { None };
    Workspace::import(place, &ImportRequest { graph, embedder: letters, progress: None }).await.map(drop)
}

async fn add_api(folder: &Path, place: &Path, number: usize) -> Result<(), IndexError> {
    let file = |ending: &str| folder.join(format!("library{number}.{ending}")).to_str().unwrap().to_owned();
    let config = ApiConfig {
        openapi: file("json"),
        manifest: Some(file("toml")),
        base: Some("http://127.0.0.1:9".into()),
        allow_hosts: vec!["127.0.0.1:9".into()],
        ..ApiConfig::default()
    };
    Workspace::add_api(place, &ApiRequest { name: "library".into(), config }).await.map(drop)
}

async fn add_endpoint(place: &Path, number: u64) -> Result<(), IndexError> {
    let config = EndpointConfig {
        url: format!("http://{}/{number}", std::env::var(ADDRESS).unwrap()),
        pause: 1,
        ..EndpointConfig::default()
    };
    let request = SourceRequest {
        name: "towns".into(),
        config,
        embedder: None,
        progress: None,
        cancel: Arc::default(),
    };
    Workspace::add_source(place, &request).await.map(drop)
}

/// The state of a workspace as text, without the names of its folders.
pub async fn state(place: &Path) -> String {
    let mut state = String::new();
    let mut tell = |what: &str, said: &dyn Debug| writeln!(state, "{what}: {said:?}").unwrap();
    fn text(outcome: Result<impl Debug, impl Display>, place: &Path) -> String {
        let said = outcome.map_or_else(|error| format!("error: {error}"), |found| format!("{found:?}"));
        said.replace(place.to_str().unwrap(), "PLACE")
    }
    let workspace = match Workspace::open(place) {
        Ok(workspace) => workspace,
        Err(error) => return text(Err::<(), _>(error), place),
    };
    tell("sources", &text(Workspace::sources(place), place));
    tell("cards", &std::fs::read_to_string(place.join(CARDS_FILE)).ok());
    tell("documents", &text(Workspace::added_documents(place), place));
    tell("whole", &text(workspace.verify(), place));
    for api in workspace.apis() {
        tell("api", &(&api.service().title, &api.service().kinds, &api.service().operations));
    }
    let info = workspace.info();
    let vectors = info.vectors.map(|vectors| vectors.rows);
    let documents =
        info.documents.map(|documents| (documents.documents, documents.passages, documents.vectors));
    tell("info", &(info.graph, info.names, vectors, documents, info.missing));
    for name in ["Gorwen", "Gorwne", "Orle", "salt"] {
        tell(name, &text(workspace.lookup(name, &LookupConfig::default()).await, place));
    }
    let vector = Letters.embed(&["salt"]).await.unwrap().rows().next().unwrap().to_vec();
    if let Some(documents) = workspace.documents() {
        for word in ["salt", "short", "cheese"] {
            let query = DocumentQuery {
                text: word,
                vector: Some(&vector),
                mode: SearchMode::Hybrid,
                k: 5,
                only: None,
            };
            tell(word, &text(documents.search(&query), place));
        }
    }
    tell("vectors", &text(workspace.vectors().map(|index| index.search(&vector, 3)).transpose(), place));
    tell("triples", &text(workspace.nearest_triples(&vector, 3), place));
    if let Some(graph) = workspace.embedded() {
        let mut rows = Vec::new();
        let query = "SELECT * { ?s ?p ?o } ORDER BY ?s ?p ?o";
        let found = graph.query(query, &QueryOptions::default(), &mut rows);
        tell("graph", &(text(found, place), String::from_utf8_lossy(&rows)));
    }
    state
}
