//! Random sequences of changes to workspaces, against a model in memory of plain sets and maps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use proptest::collection::vec;
use proptest::prelude::*;
use quipu_graph::{Direction, ImportConfig, Input, QueryOptions};

use super::tests::LetterEmbedder;
use super::*;
use crate::documents::SearchMode;
use crate::{DocumentQuery, ImportRequest, LookupConfig};

/// Head, relation and tail, by number.
type Triple = (u8, u8, u8);

/// A change of one of two workspaces.
#[derive(Debug, Clone)]
enum Change {
    Import(BTreeSet<Triple>),
    /// The import of a truncated file, which changes nothing.
    ImportFails,
    AddDocument {
        entity: u8,
        title: u8,
        word: u8,
    },
    RemoveDocument(u8),
    IndexDocuments,
    IndexVectors,
    IndexTriples,
}

fn change() -> impl Strategy<Value = Change> {
    let triples = || vec((0..8u8, 0..3u8, 0..8u8), 1..12).prop_map(|all| all.into_iter().collect());
    prop_oneof![
        3 => triples().prop_map(Change::Import),
        1 => Just(Change::ImportFails),
        4 => (0..8u8, 0..3u8, 0..5u8)
            .prop_map(|(entity, title, word)| Change::AddDocument { entity, title, word }),
        2 => (0..3u8).prop_map(Change::RemoveDocument),
        1 => Just(Change::IndexDocuments),
        1 => Just(Change::IndexVectors),
        1 => Just(Change::IndexTriples),
    ]
}

/// Names that no typing error turns into one another.
const NAMES: [&str; 8] = ["Avocet", "Bittern", "Curlew", "Dunlin", "Egret", "Fieldfare", "Goshawk", "Heron"];
const WORDS: [&str; 5] = ["harbour", "meadow", "orchard", "quarry", "tundra"];

/// The expected content of a workspace.
#[derive(Debug, Clone, Default)]
struct Model {
    triples: BTreeSet<Triple>,
    /// Words of added documents, by entity and title.
    documents: BTreeMap<(u8, u8), u8>,
    /// Whether vectors of the entities' names, and sentences of the triples, were built for the
    /// current graph.
    vectors: bool,
    sentences: bool,
}

impl Model {
    fn entities(&self) -> BTreeSet<u8> {
        self.triples.iter().flat_map(|(head, _, tail)| [*head, *tail]).collect()
    }
}

struct Place {
    folder: PathBuf,
    model: Model,
    imported: bool,
}

impl Place {
    fn new(folder: &Path) -> Self {
        std::fs::create_dir(folder).unwrap();
        Self { folder: folder.to_owned(), model: Model::default(), imported: false }
    }

    fn workspace(&self) -> PathBuf {
        self.folder.join("workspace")
    }

    async fn import(&self, text: &str) -> Result<(), IndexError> {
        let file = self.folder.join("graph.tsv");
        std::fs::write(&file, text).unwrap();
        let mut graph = ImportConfig::new("birds", vec![Input::File(file)]);
        graph.threads = 1;
        let request = ImportRequest { graph, embedder: None, progress: None };
        Workspace::import(&self.workspace(), &request).await.map(drop)
    }

    /// Applies a change to the workspace and to the model.
    async fn make(&mut self, change: &Change) {
        let (place, never, letters) = (self.workspace(), AtomicBool::new(false), LetterEmbedder::default());
        let done = match change {
            Change::Import(triples) => {
                let name = |number: &u8| NAMES[usize::from(*number)];
                let line = |(head, relation, tail): &Triple| {
                    format!("{}\tr{relation}\t{}\n", name(head), name(tail))
                };
                let done = self.import(&triples.iter().map(line).collect::<String>()).await;
                self.imported = true;
                self.model.triples.clone_from(triples);
                (self.model.vectors, self.model.sentences) = (false, false);
                done
            }
            Change::ImportFails => {
                assert!(self.import("Avocet\tr0\tBittern\nAvocet\n").await.is_err());
                return;
            }
            Change::AddDocument { entity, title, word } => {
                let document = AddedDocument {
                    entity: NAMES[usize::from(*entity)].into(),
                    title: title.to_string(),
                    markdown: false,
                    text: format!("Seen at the {}.", WORDS[usize::from(*word)]),
                };
                if self.imported {
                    self.model.documents.insert((*entity, *title), *word);
                }
                Workspace::add_documents(&place, vec![document], None, None, &never).await
            }
            Change::RemoveDocument(title) => {
                let removed = Workspace::remove_documents(&place, &[title.to_string()], None, &never).await;
                let before = self.model.documents.len();
                self.model.documents.retain(|(_, of), _| of != title);
                if self.imported {
                    assert_eq!(removed.as_ref().ok(), Some(&(before - self.model.documents.len())));
                } else {
                    assert!(!matches!(removed, Ok(1..)), "there is nothing");
                    return;
                }
                removed.map(drop)
            }
            Change::IndexDocuments => Workspace::index_documents(&place, Some(&letters), None, &never).await,
            Change::IndexVectors => {
                self.model.vectors = self.imported;
                Workspace::index_vectors(&place, &letters, None, &never).await
            }
            Change::IndexTriples => {
                self.model.sentences = self.imported;
                Workspace::index_triples(&place, &letters, None, &never).await.map(drop)
            }
        };
        assert_eq!(done.is_ok(), self.imported, "{change:?}: {done:?}");
    }

    async fn check(&self) -> Option<Arc<Workspace>> {
        if !self.imported {
            assert!(Workspace::open(&self.workspace()).is_err());
            return None;
        }
        let (workspace, model) = (Workspace::open(&self.workspace()).unwrap(), &self.model);
        workspace.verify().unwrap();
        let (entities, triples) = (model.entities(), model.triples.len() as u64);
        let info = workspace.info();
        assert_eq!((info.graph.triples, info.graph.entities), (triples, entities.len() as u64));
        assert_eq!((info.vectors.is_some(), workspace.triples.is_some()), (model.vectors, model.sentences));
        for (number, name) in (0..).zip(NAMES) {
            let found = workspace.lookup(name, &LookupConfig::default()).await.unwrap();
            assert_eq!(found.iter().any(|found| found.name == name), entities.contains(&number), "{name}");
        }
        self.check_documents(&workspace, &entities);
        self.check_queries(&workspace);
        Some(Arc::new(workspace))
    }

    fn check_documents(&self, workspace: &Workspace, entities: &BTreeSet<u8>) {
        let listed = Workspace::added_documents(&self.workspace()).unwrap();
        let listed: BTreeMap<(String, String), String> =
            listed.into_iter().map(|document| ((document.entity, document.title), document.text)).collect();
        let said = |(&(entity, title), &word): (&(u8, u8), &u8)| {
            let text = format!("Seen at the {}.", WORDS[usize::from(word)]);
            ((NAMES[usize::from(entity)].to_owned(), title.to_string()), text)
        };
        assert_eq!(listed, self.model.documents.iter().map(said).collect());
        // Only documents of existing entities are found.
        let there = |(entity, _): &&(u8, u8)| entities.contains(entity);
        let count = self.model.documents.keys().filter(there).count() as u64;
        assert_eq!(workspace.documents().map_or(0, DocumentIndex::documents), count);
        let Some(documents) = workspace.documents() else { return };
        for (word, text) in (0..).zip(WORDS) {
            let query = DocumentQuery { text, vector: None, mode: SearchMode::Words, k: 100, only: None };
            let hits = documents.search(&query).unwrap();
            let key = |node| workspace.embedded().unwrap().key(node).unwrap().into_owned();
            let found: BTreeSet<(String, String)> =
                hits.into_iter().map(|hit| (key(hit.passage.node), hit.passage.title)).collect();
            let with = self.model.documents.iter().filter(|(key, held)| there(key) && **held == word);
            let expected =
                with.map(|((entity, title), _)| (NAMES[usize::from(*entity)].into(), title.to_string()));
            assert_eq!(found, expected.collect(), "{text}");
        }
    }

    /// Checks queries of two patterns with a shared variable, over each pair of relations, against
    /// loops over the triples.
    fn check_queries(&self, workspace: &Workspace) {
        let triples = &self.model.triples;
        let name = |number: &u8| NAMES[usize::from(*number)];
        for (first, second) in (0..3u8).flat_map(|first| (0..3u8).map(move |second| (first, second))) {
            let pairs = |joins: fn(Triple, Triple) -> bool, picks: fn(Triple, Triple) -> (u8, u8)| {
                let of = |relation: u8| triples.iter().copied().filter(move |triple| triple.1 == relation);
                let both = of(first).flat_map(|one| of(second).map(move |other| (one, other)));
                let rows =
                    both.filter(|(one, other)| joins(*one, *other)).map(|(one, other)| picks(one, other));
                rows.map(|(a, b)| format!("{}\t{}", name(&a), name(&b))).collect::<BTreeSet<String>>()
            };
            let path = pairs(|one, other| one.2 == other.0, |one, other| (one.0, other.2));
            let star = pairs(|one, other| one.0 == other.0, |one, other| (one.2, other.2));
            for (patterns, expected) in [
                (format!("?a quipu:r{first} ?x . ?x quipu:r{second} ?b"), path),
                (format!("?x quipu:r{first} ?a . ?x quipu:r{second} ?b"), star),
            ] {
                let query = format!("SELECT DISTINCT ?a ?b {{ {patterns} }}");
                let mut rows = Vec::new();
                let options =
                    QueryOptions { format: quipu_graph::QueryFormat::Tsv, ..QueryOptions::default() };
                workspace.embedded().unwrap().query(&query, &options, &mut rows).unwrap();
                let rows = String::from_utf8(rows).unwrap();
                let plain = |line: &str| line.replace("<urn:quipu:", "").replace('>', "");
                assert_eq!(
                    rows.lines().skip(1).map(plain).collect::<BTreeSet<String>>(),
                    expected,
                    "{query}"
                );
            }
        }
    }
}

/// Two joined workspaces give the answers of both.
async fn check_joined(places: &[Place], workspaces: &[Arc<Workspace>]) {
    let joined = Workspace::joined(workspaces).unwrap();
    let graph = joined.graph();
    let nodes = graph.resolve(&NAMES).await.unwrap();
    let all: BTreeSet<Triple> = places.iter().flat_map(|place| place.model.triples.iter().copied()).collect();
    for (number, node) in (0..).zip(nodes) {
        let mut found = BTreeSet::new();
        if let Some(node) = node {
            for expansion in graph.expand(&[node], None, 100).await.unwrap().remove(0) {
                if expansion.step.direction == Direction::Backward {
                    continue;
                }
                let relation = &graph.relations()[expansion.step.relation.0 as usize].key;
                let relation: u8 = relation.strip_prefix('r').unwrap().parse().unwrap();
                for tail in graph.summaries(&expansion.nodes).await.unwrap() {
                    let tail = NAMES.iter().position(|name| *name == tail.key).unwrap();
                    found.insert((number, relation, u8::try_from(tail).unwrap()));
                }
            }
        }
        assert_eq!(found, all.iter().copied().filter(|(head, ..)| *head == number).collect());
    }
}

async fn run(changes: &[(bool, Change)]) {
    let folder = tempfile::tempdir().unwrap();
    let mut places = ["first", "second"].map(|name| Place::new(&folder.path().join(name)));
    for (second, change) in changes {
        let place = &mut places[usize::from(*second)];
        place.make(change).await;
        place.check().await;
    }
    let mut workspaces = Vec::new();
    for place in &places {
        workspaces.extend(place.check().await);
    }
    if workspaces.len() == 2 {
        check_joined(&places, &workspaces).await;
    }
}

/// Number of sequences, set by `QUIPU_SEQUENCES`.
fn cases() -> u32 {
    std::env::var("QUIPU_SEQUENCES").ok().and_then(|number| number.parse().ok()).unwrap_or(6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn a_workspace_says_what_its_model_says(changes in vec((any::<bool>(), change()), 4..14)) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(run(&changes));
    }
}
