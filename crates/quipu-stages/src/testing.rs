//! What tests inside this crate ask with: a small graph in a workspace of its own, the surroundings
//! of one question over it, and an embedder whose cosines are known.

// A test that cannot be set up has to fail at once.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::sync::Arc;

use parking_lot::Mutex;
use quipu_graph::{Direction, ImportConfig, Input, NodeId, RelationId, Step};
use quipu_index::{ImportRequest, Workspace};
use quipu_language::words;
use quipu_model::{Embedder, Embeddings, LanguageModel, ModelError, ScriptedModel};
use tempfile::TempDir;

use crate::answer::Question;
use crate::ledger::{Context, Ledger, Limits, Source, Trace};

/// Films with their people. Boudewijn Koole made three, Rifka Lodeizen is in two.
pub const FILMS: &str = "\
Kauwboy\tdirected_by\tBoudewijn Koole
Kauwboy\tstarred_actors\tRick Lens
Kauwboy\tstarred_actors\tLoek Peters
Kauwboy\trelease_year\t2012
Disappearance\tdirected_by\tBoudewijn Koole
Disappearance\tstarred_actors\tRifka Lodeizen
Trage Liefde\tdirected_by\tBoudewijn Koole
Tonio\tdirected_by\tPaula van der Oest
Tonio\tstarred_actors\tRifka Lodeizen
Tonio\tstarred_actors\tPierre Bokma
Boudewijn Koole\tborn_in\tLeidschendam
Paula van der Oest\tborn_in\tLaag-Soeren
";

/// A question of 28 February 2024.
pub fn question(text: &str) -> Question {
    Question::new(text, "2024-02-28T12:00:00[UTC]".parse().unwrap()).unwrap()
}

/// All that the surroundings of a question are borrowed from.
pub struct Setting {
    source: Source,
    model: Option<Arc<dyn LanguageModel>>,
    embedder: Option<Arc<dyn Embedder>>,
    trace: Trace,
    ledger: Ledger,
    _folder: TempDir,
}

impl Setting {
    /// Imports triples, tab-separated; without a model and without an embedder.
    pub async fn of(triples: &str) -> Self {
        Self::imported(&[("graph.tsv", triples)]).await
    }

    /// Imports entities with documents, as JSON lines, and edges by id, tab-separated; documents
    /// are indexed by their words.
    pub async fn with_documents(nodes: &str, edges: &str) -> Self {
        Self::imported(&[("nodes.jsonl", nodes), ("edges.tsv", edges)]).await
    }

    async fn imported(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let inputs = files.iter().map(|(name, text)| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            Input::File(path)
        });
        let graph = ImportConfig::new("films", inputs.collect());
        let path = folder.path().join("workspace");
        Workspace::import(&path, &ImportRequest { graph, embedder: None, progress: None }).await.unwrap();
        Self {
            source: Source::open(Arc::new(Workspace::open(&path).unwrap()), |memories, _| Ok(memories))
                .unwrap(),
            model: None,
            embedder: None,
            trace: Trace::new(None),
            ledger: Ledger::default(),
            _folder: folder,
        }
    }

    /// The same with relation cards.
    pub fn with_cards(self, cards: &str) -> Self {
        let workspace = Arc::clone(&self.source.workspace);
        std::fs::write(workspace.folder().join("relations.toml"), cards).unwrap();
        Self { source: Source::open(workspace, |memories, _| Ok(memories)).unwrap(), ..self }
    }

    /// The same with a model.
    pub fn with_model(self, model: &Arc<ScriptedModel>) -> Self {
        let model: Arc<dyn LanguageModel> = model.clone();
        Self { model: Some(model), ..self }
    }

    /// The same with an embedder: see [`Words`].
    pub fn with_words(self) -> Self {
        Self { embedder: Some(Arc::new(Words::default())), ..self }
    }

    /// The surroundings of a question.
    pub fn context(&self) -> Context<'_> {
        let (model, embedder) = (self.model.as_ref(), self.embedder.as_ref());
        Context::new(&self.source, model, embedder, Limits::default(), &self.trace, &self.ledger)
    }

    /// The source, to be asked beside another.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The node of a key; in a graph of triples names are keys.
    pub async fn node(&self, key: &str) -> NodeId {
        self.source.workspace.graph().resolve(&[key]).await.unwrap()[0].unwrap()
    }

    /// Names of nodes, sorted: the graph's own order is of no matter.
    pub async fn names(&self, nodes: &[NodeId]) -> Vec<String> {
        let summaries = self.source.workspace.graph().summaries(nodes).await.unwrap();
        let mut names: Vec<String> = summaries.into_iter().map(|summary| summary.name).collect();
        names.sort_unstable();
        names
    }

    /// The step along a relation, from head to tail.
    pub fn along(&self, relation: &str) -> Step {
        let relations = self.source.workspace.graph().relations();
        let at = relations.iter().position(|info| info.name == relation).unwrap();
        Step { relation: RelationId(u32::try_from(at).unwrap()), direction: Direction::Forward }
    }

    /// The step against it.
    pub fn against(&self, relation: &str) -> Step {
        self.along(relation).reversed()
    }
}

/// More words than the texts of one test have.
const DIMENSIONS: usize = 1024;

/// An embedder without a model: each word has an axis of its own, so that two texts are as near as
/// they share words. "born in" and "born" have a cosine of one by the root of two; those without a
/// word in common have 0.
#[derive(Default)]
pub struct Words {
    met: Mutex<Vec<String>>,
}

#[async_trait::async_trait]
impl Embedder for Words {
    fn name(&self) -> &str {
        "words"
    }

    fn fingerprint(&self) -> &str {
        "words-1"
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    async fn embed(&self, texts: &[&str]) -> Result<Embeddings, ModelError> {
        let mut met = self.met.lock();
        let mut values = Vec::with_capacity(texts.len() * DIMENSIONS);
        for text in texts {
            let mut vector = vec![0.0_f32; DIMENSIONS];
            for word in words(text) {
                let axis = met.iter().position(|known| *known == word.text).unwrap_or(met.len());
                if axis == met.len() {
                    met.push(word.text);
                }
                vector[axis] += 1.0;
            }
            let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt().max(1.0);
            values.extend(vector.into_iter().map(|number| number / length));
        }
        Ok(Embeddings::new(DIMENSIONS, values))
    }
}
