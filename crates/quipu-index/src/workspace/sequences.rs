//! Random sequences of changes to workspaces, against a model in memory of plain sets and maps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::AtomicBool;

use proptest::collection::vec;
use proptest::prelude::*;
use quipu_graph::{Direction, ImportConfig, Input, QueryOptions, RelationId, Step};

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

    /// Checks the answers of SPARQL to all patterns.
    fn check_queries(&self, workspace: &Workspace) {
        for pattern in patterns() {
            let Pattern { first, second, .. } = pattern;
            let from = if pattern.is_path { "?a quipu:rFIRST ?x" } else { "?x quipu:rFIRST ?a" };
            let from = from.replace("FIRST", &first.to_string());
            let query = format!("SELECT DISTINCT ?a ?b {{ {from} . ?x quipu:r{second} ?b }}");
            let mut rows = Vec::new();
            let options = QueryOptions { format: quipu_graph::QueryFormat::Tsv, ..QueryOptions::default() };
            workspace.embedded().unwrap().query(&query, &options, &mut rows).unwrap();
            let rows = String::from_utf8(rows).unwrap();
            let number = |cell: &str| {
                let key = cell.strip_prefix("<urn:quipu:").and_then(|key| key.strip_suffix('>'));
                number_of(key.unwrap())
            };
            let pair = |line: &str| line.split_once('\t').map(|(a, b)| (number(a), number(b))).unwrap();
            let found: BTreeSet<(u8, u8)> = rows.lines().skip(1).map(pair).collect();
            assert_eq!(found, pattern.pairs_in(&self.model.triples), "{query}");
        }
    }
}

/// Two patterns with a shared variable.
#[derive(Debug, Clone, Copy)]
struct Pattern {
    first: u8,
    second: u8,
    /// `?a first ?x . ?x second ?b`; otherwise `?x first ?a . ?x second ?b`.
    is_path: bool,
}

/// Both kinds of patterns over each pair of relations.
fn patterns() -> impl Iterator<Item = Pattern> {
    let pairs = (0..3u8).flat_map(|first| (0..3u8).map(move |second| (first, second)));
    pairs.flat_map(|(first, second)| [true, false].map(|is_path| Pattern { first, second, is_path }))
}

impl Pattern {
    /// The values of `?a` and `?b`, by loops over the triples.
    fn pairs_in(self, triples: &BTreeSet<Triple>) -> BTreeSet<(u8, u8)> {
        let of = |relation: u8| triples.iter().copied().filter(move |triple| triple.1 == relation);
        // The shared end of the first pattern, and `?a`.
        let ends = |(head, _, tail): Triple| if self.is_path { (tail, head) } else { (head, tail) };
        let both = of(self.first).flat_map(|one| of(self.second).map(move |other| (ends(one), other)));
        both.filter(|((shared, _), other)| *shared == other.0).map(|((_, a), other)| (a, other.2)).collect()
    }
}

fn number_of(name: &str) -> u8 {
    (0..).zip(NAMES).find(|(_, other)| *other == name).unwrap().0
}

/// The neighbours along a step of a relation, by number; none if the graph lacks name or relation.
async fn walked(graph: &dyn Graph, from: u8, relation: u8, direction: Direction) -> BTreeSet<u8> {
    let Some(node) = graph.resolve(&[NAMES[usize::from(from)]]).await.unwrap()[0] else {
        return BTreeSet::new();
    };
    let key = format!("r{relation}");
    let Some((relation, _)) = (0..).zip(graph.relations()).find(|(_, info)| info.key == key) else {
        return BTreeSet::new();
    };
    let step = Step { relation: RelationId(relation), direction };
    let found = graph.expand(&[node], Some(&[step]), 100).await.unwrap().remove(0);
    let nodes: Vec<_> = found.into_iter().flat_map(|expansion| expansion.nodes).collect();
    graph.summaries(&nodes).await.unwrap().iter().map(|summary| number_of(&summary.key)).collect()
}

/// Two joined workspaces give the answers of both: their triples from either end, their names, and
/// the patterns that SPARQL answers over one workspace. A joined graph takes no SPARQL, so the
/// patterns are walked, and asked of a third workspace with the triples of both.
async fn check_joined(folder: &Path, places: &[Place], workspaces: &[Arc<Workspace>]) {
    let joined = Workspace::joined(workspaces).unwrap();
    let graph = &**joined.graph();
    let all: BTreeSet<Triple> = places.iter().flat_map(|place| place.model.triples.iter().copied()).collect();
    let mut whole = Place::new(&folder.join("whole"));
    whole.make(&Change::Import(all.clone())).await;
    whole.check().await;
    let entities = whole.model.entities();
    for (number, name) in (0..).zip(NAMES) {
        let found = joined.lookup(name, &LookupConfig::default()).await.unwrap();
        assert_eq!(found.iter().any(|found| found.name == name), entities.contains(&number), "{name}");
        for relation in 0..3 {
            let of = |from: fn(&Triple) -> u8, to: fn(&Triple) -> u8| -> BTreeSet<u8> {
                all.iter().filter(|triple| (from(triple), triple.1) == (number, relation)).map(to).collect()
            };
            let tails = walked(graph, number, relation, Direction::Forward).await;
            assert_eq!(tails, of(|triple| triple.0, |triple| triple.2), "{name} r{relation}");
            let heads = walked(graph, number, relation, Direction::Backward).await;
            assert_eq!(heads, of(|triple| triple.2, |triple| triple.0), "r{relation} {name}");
        }
    }
    for pattern in patterns() {
        let mut found = BTreeSet::new();
        let back = if pattern.is_path { Direction::Backward } else { Direction::Forward };
        for shared in 0..8 {
            let ends = walked(graph, shared, pattern.second, Direction::Forward).await;
            for a in walked(graph, shared, pattern.first, back).await {
                found.extend(ends.iter().map(|b| (a, *b)));
            }
        }
        assert_eq!(found, pattern.pairs_in(&all), "{pattern:?}");
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
        Box::pin(check_joined(folder.path(), &places, &workspaces)).await;
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
