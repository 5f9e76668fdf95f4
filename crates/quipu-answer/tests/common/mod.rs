//! A small graph of films in its own workspace, and helpers that ask it.

#![allow(dead_code, reason = "each test file uses a part of this")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "set-up of tests")]

pub mod kerag;
pub mod paths;
pub mod shop;
pub mod verify;

use std::io::Write as _;
use std::sync::Arc;

use quipu_answer::{Answer, AskOptions, Critic, Engine, Method, NamedMethod, Planner, Question};
use quipu_graph::{GraphError, ImportConfig, Input, NodeId};
use quipu_index::{ImportRequest, Workspace};
use quipu_model::{Embedder, LanguageModel, ScriptedModel};

pub const FILMS: &str = "\
Kauwboy\tdirected_by\tBoudewijn Koole
Kauwboy\tstarred_actors\tRick Lens
Kauwboy\tstarred_actors\tLoek Peters
Kauwboy\trelease_year\t2012
Kauwboy\trunning_minutes\t81
Disappearance\tdirected_by\tBoudewijn Koole
Disappearance\tstarred_actors\tRifka Lodeizen
Disappearance\trelease_year\t2017
Disappearance\trunning_minutes\t92
Tonio\tdirected_by\tPaula van der Oest
Tonio\tstarred_actors\tRifka Lodeizen
Tonio\tstarred_actors\tPierre Bokma
Tonio\trelease_year\t2016
Tonio\trunning_minutes\t100
Zus & Zo\tdirected_by\tPaula van der Oest
Zus & Zo\trelease_year\t2001
Zus & Zo\trunning_minutes\t106
Boudewijn Koole\tborn_in\tLeidschendam
Paula van der Oest\tborn_in\tLaag-Soeren
";

/// Relation cards as a person may write them.
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
"#;

/// Cards of the relations that [`CARDS`] leaves out.
pub const MORE_CARDS: &str = r#"
[relation.running_minutes]
head_kind = "film"
tail_kind = "number"
forward = "the running time of X"
backward = "the films that run X"
words_forward = ["long", "minutes", "running time"]
words_backward = ["films"]

[relation.born_in]
head_kind = "person"
tail_kind = "town"
forward = "the birthplace of X"
backward = "the people born in X"
words_forward = ["birthplace", "born", "where"]
words_backward = ["people", "born"]
"#;

pub struct Setting {
    pub folder: tempfile::TempDir,
    pub workspace: Arc<Workspace>,
}

/// Imports `triples` (tab-separated).
pub async fn setting(triples: &str) -> Setting {
    import("films", "films.tsv", triples).await
}

/// The same under another name.
pub async fn setting_named(name: &str, triples: &str) -> Setting {
    import(name, "films.tsv", triples).await
}

/// Imports a file; its extension gives the format.
pub async fn setting_from(file: &str, triples: &str) -> Setting {
    import("films", file, triples).await
}

async fn import(name: &str, file: &str, triples: &str) -> Setting {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(file);
    std::fs::File::create(&file).unwrap().write_all(triples.as_bytes()).unwrap();
    let path = folder.path().join("workspace");
    let graph = ImportConfig::new(name, vec![Input::File(file)]);
    Workspace::import(&path, &ImportRequest { graph, embedder: None, progress: None }).await.unwrap();
    let workspace = Arc::new(Workspace::open(&path).unwrap());
    Setting { folder, workspace }
}

/// The same setting with relation cards, so that planning needs no model call for them.
pub fn with_cards(setting: Setting, cards: &str) -> Setting {
    let folder = setting.workspace.folder();
    std::fs::write(folder.join("relations.toml"), cards).unwrap();
    let workspace = Arc::new(Workspace::open(folder).unwrap());
    Setting { workspace, ..setting }
}

/// Imports a semi-structured base: `nodes` as JSON lines with documents, `edges` tab-separated by
/// id.
pub async fn setting_with_documents(nodes: &str, edges: &str) -> Setting {
    let folder = tempfile::tempdir().unwrap();
    let files = [("nodes.jsonl", nodes), ("edges.tsv", edges)].map(|(name, text)| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Input::File(path)
    });
    let path = folder.path().join("workspace");
    let graph = ImportConfig::new("towns", files.to_vec());
    Workspace::import(&path, &ImportRequest { graph, embedder: None, progress: None }).await.unwrap();
    let workspace = Arc::new(Workspace::open(&path).unwrap());
    Setting { folder, workspace }
}

/// The same, with its documents also indexed by meaning.
pub async fn setting_with_indexed_documents(nodes: &str, edges: &str) -> Setting {
    let setting = setting_with_documents(nodes, edges).await;
    let folder = setting.workspace.folder().to_owned();
    let never = std::sync::atomic::AtomicBool::new(false);
    Workspace::index_documents(&folder, Some(embedder().await.as_ref()), None, &never).await.unwrap();
    let workspace = Arc::new(Workspace::open(&folder).unwrap());
    Setting { workspace, ..setting }
}

/// The default embedder, which `make test` fetches.
pub async fn embedder() -> Arc<dyn Embedder> {
    quipu_model::open_embedder("all-minilm-l6-v2", &quipu_model::OpenOptions::default())
        .await
        .expect("the embedder is missing: run `make test`, or `quipu models pull all-minilm-l6-v2`")
}

pub async fn ask(
    setting: &Setting,
    model: Option<Arc<ScriptedModel>>,
    embedder: Option<Arc<dyn Embedder>>,
    question: &str,
    options: &AskOptions,
) -> Answer {
    let model = model.map(|model| model as Arc<dyn LanguageModel>);
    let engine = Engine::new(setting.workspace.clone(), model, embedder).unwrap();
    let question = Question::new(question, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap();
    engine.ask(&question, options).await.unwrap()
}

/// A baseline's options.
pub fn options(method: Method) -> AskOptions {
    AskOptions { method, keep_trace: true, ..AskOptions::default() }
}

/// The same with whole paths instead of a paper's plan.
pub fn by_paths(method: Method) -> AskOptions {
    let mut options = options(method);
    options.config.planner =
        NamedMethod::new(method, Planner::Paths).map_or(Planner::Published, |_| Planner::Paths);
    options
}

/// The reply of a composition without rows; it names the first path if the prompt offers paths.
pub fn composed(answers: &str) -> String {
    format!(
        r#"{{"reasoning": "By the rows.", "status": "answered", "rows": [], "ways": ["W1"], "all": true, "operation": "none", "answers": [{answers}]}}"#
    )
}

/// Asks without an embedder; also returns the model, so that tests can read its requests.
pub async fn run(
    setting: &Setting,
    model: ScriptedModel,
    question: &str,
    options: &AskOptions,
) -> (Answer, Arc<ScriptedModel>) {
    let model = Arc::new(model);
    (ask(setting, Some(model.clone()), None, question, options).await, model)
}

/// A critic that knows the keys of the right answers.
#[derive(Debug)]
pub struct Knows(pub Vec<String>);

impl Critic for Knows {
    fn right_answers(&self) -> &[String] {
        &self.0
    }
}

/// Whether the answer says that a limit ended the work.
pub fn ended_by_a_limit(answer: &Answer) -> bool {
    answer.notes.iter().any(|note| matches!(note, quipu_answer::Note::Limit { .. }))
}

/// The last message to the model before call `at`.
pub fn told(model: &ScriptedModel, at: usize) -> String {
    model.requests()[at].messages.last().unwrap().content.clone()
}

/// An embedder that records how many texts each call had, and how many of them were embedded token
/// by token.
pub struct CountingEmbedder {
    inner: Arc<dyn Embedder>,
    texts: std::sync::Mutex<Vec<usize>>,
    word_for_word: std::sync::atomic::AtomicUsize,
}

impl CountingEmbedder {
    pub fn new(inner: Arc<dyn Embedder>) -> Self {
        Self {
            inner,
            texts: std::sync::Mutex::default(),
            word_for_word: std::sync::atomic::AtomicUsize::new(0),
        }
    }

    pub fn word_for_word(&self) -> usize {
        self.word_for_word.load(std::sync::atomic::Ordering::SeqCst)
    }

    pub fn texts(&self) -> Vec<usize> {
        self.texts.lock().unwrap().clone()
    }
}

#[async_trait::async_trait]
impl Embedder for CountingEmbedder {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn fingerprint(&self) -> &str {
        self.inner.fingerprint()
    }

    fn dimensions(&self) -> usize {
        self.inner.dimensions()
    }

    async fn embed(&self, texts: &[&str]) -> Result<quipu_model::Embeddings, quipu_model::ModelError> {
        self.texts.lock().unwrap().push(texts.len());
        self.inner.embed(texts).await
    }

    async fn embed_tokens(
        &self,
        texts: &[&str],
    ) -> Result<Option<Vec<quipu_model::TokenVectors>>, quipu_model::ModelError> {
        self.word_for_word.fetch_add(texts.len(), std::sync::atomic::Ordering::SeqCst);
        self.inner.embed_tokens(texts).await
    }
}

/// An embedder without a model: a text's vector is the frequency of each letter, normalised.
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

    async fn embed(&self, texts: &[&str]) -> Result<quipu_model::Embeddings, quipu_model::ModelError> {
        let mut values = Vec::new();
        for text in texts {
            let mut vector = [0.01_f32; 26];
            for letter in text.to_lowercase().bytes().filter(u8::is_ascii_lowercase) {
                vector[usize::from(letter - b'a')] += 1.0;
            }
            let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
            values.extend(vector.map(|number| number / length));
        }
        Ok(quipu_model::Embeddings::new(26, values))
    }
}

/// A graph that records its requests.
pub struct CountingGraph {
    inner: Arc<dyn quipu_graph::Graph>,
    relations_of: std::sync::Mutex<Vec<usize>>,
    expands: std::sync::Mutex<Vec<usize>>,
    claim: Option<(u64, u64)>,
}

impl CountingGraph {
    pub fn new(inner: Arc<dyn quipu_graph::Graph>) -> Self {
        Self {
            inner,
            relations_of: std::sync::Mutex::default(),
            expands: std::sync::Mutex::default(),
            claim: None,
        }
    }

    /// Claims `more` neighbours if there are `there`.
    pub fn claiming(self, there: u64, more: u64) -> Self {
        Self { claim: Some((there, more)), ..self }
    }

    /// The number of nodes in each call for relations.
    pub fn relations_of(&self) -> Vec<usize> {
        self.relations_of.lock().unwrap().clone()
    }

    /// The limit of each call for neighbours.
    pub fn expands(&self) -> Vec<usize> {
        self.expands.lock().unwrap().clone()
    }

    fn claimed(&self, fan_out: u64) -> u64 {
        self.claim.filter(|(there, _)| fan_out == *there).map_or(fan_out, |(_, more)| more)
    }
}

#[async_trait::async_trait]
impl quipu_graph::Graph for CountingGraph {
    fn describe(&self) -> &quipu_graph::GraphDescription {
        self.inner.describe()
    }

    fn relations(&self) -> &[quipu_graph::RelationInfo] {
        self.inner.relations()
    }

    fn is_literal(&self, node: NodeId) -> bool {
        self.inner.is_literal(node)
    }

    async fn resolve(&self, keys: &[&str]) -> Result<Vec<Option<NodeId>>, GraphError> {
        self.inner.resolve(keys).await
    }

    async fn summaries(&self, nodes: &[NodeId]) -> Result<Vec<quipu_graph::NodeSummary>, GraphError> {
        self.inner.summaries(nodes).await
    }

    async fn entities(&self, nodes: &[NodeId]) -> Result<Vec<quipu_graph::Entity>, GraphError> {
        self.inner.entities(nodes).await
    }

    async fn relations_of(&self, nodes: &[NodeId]) -> Result<Vec<Vec<quipu_graph::RelationUse>>, GraphError> {
        self.relations_of.lock().unwrap().push(nodes.len());
        let mut all = self.inner.relations_of(nodes).await?;
        for used in all.iter_mut().flatten() {
            used.fan_out = self.claimed(used.fan_out);
        }
        Ok(all)
    }

    async fn expand(
        &self,
        nodes: &[NodeId],
        steps: Option<&[quipu_graph::Step]>,
        limit: usize,
    ) -> Result<Vec<Vec<quipu_graph::Expansion>>, GraphError> {
        self.expands.lock().unwrap().push(limit);
        let mut all = self.inner.expand(nodes, steps, limit).await?;
        for expansion in all.iter_mut().flatten() {
            expansion.fan_out = self.claimed(expansion.fan_out);
        }
        Ok(all)
    }

    async fn sample_triples(
        &self,
        relation: quipu_graph::RelationId,
        limit: usize,
    ) -> Result<Vec<(NodeId, NodeId)>, GraphError> {
        self.inner.sample_triples(relation, limit).await
    }

    async fn schema(&self, types: &[NodeId]) -> Result<Vec<quipu_graph::SchemaEdge>, GraphError> {
        self.inner.schema(types).await
    }

    async fn documents(&self, nodes: &[NodeId]) -> Result<Vec<Option<quipu_graph::Document>>, GraphError> {
        self.inner.documents(nodes).await
    }
}
