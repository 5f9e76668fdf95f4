#![allow(dead_code, reason = "each test file uses its part of this")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    unreachable_pub,
    reason = "a test ends where something fails"
)]
//! A server over a small graph of films, in this process, and its clients.

#[path = "../../../../tests/skip.rs"]
pub mod skip;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use quipu_answer::Method;
use quipu_graph::{ImportConfig, Input};
use quipu_index::{ImportRequest, Workspace};
use quipu_model::{Embedder, LanguageModel, ScriptedModel};
use quipu_server::{Models, Server, ServerConfig};
use reqwest::{Client, RequestBuilder, Response};
use serde_json::Value;
use tokio::sync::{OnceCell, oneshot};
use tokio::task::JoinHandle;

pub const FILMS: &str = "\
Kauwboy\tdirected_by\tBoudewijn Koole
Kauwboy\tstarred_actors\tRick Lens
Kauwboy\tstarred_actors\tLoek Peters
Kauwboy\trelease_year\t2012
Disappearance\tdirected_by\tBoudewijn Koole
Disappearance\tstarred_actors\tRifka Lodeizen
Disappearance\trelease_year\t2017
Tonio\tdirected_by\tPaula van der Oest
Tonio\tstarred_actors\tRifka Lodeizen
Tonio\tstarred_actors\tPierre Bokma
Tonio\trelease_year\t2016
Boudewijn Koole\tborn_in\tLeidschendam
Paula van der Oest\tborn_in\tLaag-Soeren
<script>alert(1)</script>\tdirected_by\t<img src=x onerror=alert(1)>
";

/// Relation cards as a person may write them: with them, `paths` needs no model.
pub const CARDS: &str = r#"
[relation.directed_by]
head_kind = "film"
tail_kind = "person"
forward = "the directors of X"
backward = "the films directed by X"
words_forward = ["director", "directed", "made"]
words_backward = ["films", "movies", "directed"]

[relation.starred_actors]
head_kind = "film"
tail_kind = "person"
forward = "the actors in X"
backward = "the films with X"
words_forward = ["actors", "cast", "starred"]
words_backward = ["films", "movies", "acted in"]

[relation.release_year]
head_kind = "film"
tail_kind = "year"
forward = "the release year of X"
backward = "the films released in X"
words_forward = ["year", "when", "released"]
words_backward = ["films", "movies", "released"]

[relation.born_in]
head_kind = "person"
tail_kind = "town"
forward = "the birthplace of X"
backward = "the people born in X"
words_forward = ["born", "birthplace", "where"]
words_backward = ["born", "people"]
"#;

/// Imports `triples` (tab-separated) into `folder/name`.
pub async fn import(folder: &Path, name: &str, triples: &str) -> PathBuf {
    let file = folder.join(format!("{name}.tsv"));
    std::fs::write(&file, triples).unwrap();
    let path = folder.join(name);
    let graph = ImportConfig::new(name, vec![Input::File(file)]);
    Workspace::import(&path, &ImportRequest { graph, embedder: None, progress: None }).await.unwrap();
    std::fs::write(path.join("relations.toml"), CARDS).unwrap();
    path
}

/// Two films with one name, as N-Triples.
pub const TWINS: &str = r#"
<http://t.example/a> <http://www.w3.org/2000/01/rdf-schema#label> "Twins" .
<http://t.example/b> <http://www.w3.org/2000/01/rdf-schema#label> "Twins" .
<http://t.example/c> <http://www.w3.org/2000/01/rdf-schema#label> "Director One" .
<http://t.example/d> <http://www.w3.org/2000/01/rdf-schema#label> "Director Two" .
<http://t.example/a> <http://t.example/directed_by> <http://t.example/c> .
<http://t.example/b> <http://t.example/directed_by> <http://t.example/d> .
<http://t.example/b> <http://t.example/released_in> "1988" .
"#;

/// Imports [`TWINS`] into `folder/twins`.
pub async fn import_twins(folder: &Path) -> PathBuf {
    let file = folder.join("twins.nt");
    std::fs::write(&file, TWINS).unwrap();
    let path = folder.join("twins");
    let graph = ImportConfig::new("twins", vec![Input::File(file)]);
    Workspace::import(&path, &ImportRequest { graph, embedder: None, progress: None }).await.unwrap();
    let key = |name: &str| format!("relation.\"http://t.example/{name}\"");
    let cards = CARDS
        .replace("relation.directed_by", &key("directed_by"))
        .replace("relation.release_year", &key("released_in"));
    std::fs::write(path.join("relations.toml"), cards).unwrap();
    path
}

/// Towns with documents: nodes as JSON lines, edges by id. One document contains a script
/// injection.
const TOWN_NODES: &str = r#"{"id": "1", "name": "Gorwen", "type": "town", "text": "Gorwen lies on an island. The river Orle flows through its old market. <img src=x onerror=alert(1)>"}
{"id": "2", "name": "Haldt", "type": "town", "text": "Haldt is known for its cheese."}
{"id": "3", "name": "Orle", "type": "river", "text": "The Orle is a short river."}
"#;
const TOWN_EDGES: &str = "1\tlies on\t3\n2\ttrades with\t1\n";

/// Imports the towns into `folder/towns`.
pub async fn import_towns(folder: &Path) -> PathBuf {
    let files = [("towns.jsonl", TOWN_NODES), ("towns.tsv", TOWN_EDGES)].map(|(name, text)| {
        let file = folder.join(name);
        std::fs::write(&file, text).unwrap();
        Input::File(file)
    });
    let path = folder.join("towns");
    let graph = ImportConfig::new("towns", files.to_vec());
    Workspace::import(&path, &ImportRequest { graph, embedder: None, progress: None }).await.unwrap();
    path
}

/// A running server.
pub struct Running {
    pub folder: tempfile::TempDir,
    pub base: String,
    pub address: std::net::SocketAddr,
    pub client: Client,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<()>,
}

/// The configuration of most tests: no model, default limits.
pub fn config() -> ServerConfig {
    ServerConfig { port: 0, ..ServerConfig::default() }
}

/// The default embedder, which `make test` fetches; loaded once.
async fn embedder() -> Arc<dyn Embedder> {
    static EMBEDDER: OnceCell<Arc<dyn Embedder>> = OnceCell::const_new();
    let open = || async {
        quipu_model::open_embedder("all-minilm-l6-v2", &quipu_model::OpenOptions::default())
            .await
            .expect("the embedder is missing: run `make test`, or `quipu models pull all-minilm-l6-v2`")
    };
    EMBEDDER.get_or_init(open).await.clone()
}

/// No language model: `paths` with cards needs none.
pub async fn no_model() -> Models {
    Models { embedder: Some(embedder().await), ..Models::default() }
}

pub async fn scripted(model: ScriptedModel) -> Models {
    with_model(Arc::new(model)).await
}

pub async fn with_model(model: Arc<dyn LanguageModel>) -> Models {
    Models { model: Some(model), ..no_model().await }
}

/// Serves the films.
pub async fn serve(config: ServerConfig, models: Models) -> Running {
    let folder = tempfile::tempdir().unwrap();
    let workspace = import(folder.path(), "films", FILMS).await;
    serve_workspaces(folder, config, models, &[workspace]).await
}

pub async fn serve_workspaces(
    folder: tempfile::TempDir,
    config: ServerConfig,
    models: Models,
    workspaces: &[PathBuf],
) -> Running {
    let server = Server::new(config, workspaces, models, Method::Paths).unwrap();
    let listening = server.bind().await.unwrap();
    let address = listening.address();
    let (stop, stopped) = oneshot::channel();
    let served = tokio::spawn(listening.serve_until(async {
        let _ = stopped.await;
    }));
    let client = Client::builder().timeout(Duration::from_secs(60)).build().unwrap();
    Running { folder, base: format!("http://{address}"), address, client, stop: Some(stop), served }
}

impl Running {
    pub fn get(&self, path: &str) -> RequestBuilder {
        self.client.get(format!("{}{path}", self.base))
    }

    pub fn post(&self, path: &str, body: &Value) -> RequestBuilder {
        self.client.post(format!("{}{path}", self.base)).json(body)
    }

    /// Stops the server, and waits until it has ended.
    pub async fn stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        (&mut self.served).await.unwrap();
    }

    /// Signals the server to stop.
    pub fn tell_to_stop(&mut self) {
        self.stop.take().unwrap().send(()).unwrap();
    }

    /// The value of a metric, with its labels if it has any.
    pub async fn metric(&self, name: &str) -> f64 {
        let text = self.get("/metrics").send().await.unwrap().text().await.unwrap();
        let line =
            text.lines().find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')));
        line.and_then(|line| line.rsplit(' ').next()?.parse().ok()).unwrap_or(0.0)
    }

    /// Waits until a metric has a value.
    pub async fn wait_for(&self, name: &str, value: f64) {
        for _ in 0..3000 {
            if (self.metric(name).await - value).abs() < 0.5 {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{name} did not become {value}: it is {}", self.metric(name).await);
    }
}

/// The body of a successful response.
#[track_caller]
pub fn checked(status: u16, body: &str) -> Value {
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"))
}

pub async fn ok(request: RequestBuilder) -> Value {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    checked(status, &response.text().await.unwrap())
}

/// Status and code of an error, which must have OpenAI's form.
pub async fn error(request: RequestBuilder) -> (u16, String) {
    error_of(request.send().await.unwrap()).await
}

pub async fn error_of(response: Response) -> (u16, String) {
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    let body: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {status} {text}"));
    let error = &body["error"];
    assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{text}");
    assert!(error["type"].is_string() && (error["param"].is_null() || error["param"].is_string()), "{text}");
    (status, error["code"].as_str().unwrap().to_owned())
}

/// Events of a stream: name and data.
pub fn events(text: &str) -> Vec<(String, String)> {
    let event = |block: &str| {
        let field = |name: &str| {
            block.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().to_owned()
        };
        (field("event: "), field("data: "))
    };
    text.split("\n\n").filter(|block| block.contains("data: ")).map(event).collect()
}

/// The Python of the workspace's environment, which `make setup` creates; prints a message if it is
/// missing.
pub fn python(needed_for: &str) -> Option<PathBuf> {
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv/bin/python");
    if python.exists() {
        return Some(python);
    }
    skip::skip(&format!("{needed_for} needs Python's packages; `make setup` gets them"));
    None
}

/// Runs a script of `tests/python`, which must succeed.
pub async fn run_python(python: &Path, script: &str, arguments: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python").join(script);
    let mut command = std::process::Command::new(python);
    command.arg(script).args(arguments);
    run(command).await;
}

pub async fn run(mut command: std::process::Command) -> String {
    let output = tokio::task::spawn_blocking(move || command.output()).await.unwrap().unwrap();
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{out}\n{err}", output.status);
    out.into_owned()
}
