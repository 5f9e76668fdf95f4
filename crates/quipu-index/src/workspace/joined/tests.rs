//! Joined graphs: a graph split over several sources is walked as if it were whole.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use proptest::collection::vec;
use proptest::prelude::*;
use quipu_graph::{
    Direction, Document, Entity, Expansion, ImportConfig, Input, RelationId, RelationInfo, RelationUse,
    SchemaEdge,
};

use super::*;
use crate::{ImportRequest, LookupConfig};

/// A triple by its keys, from either end.
type Said = (String, String, Direction, String);

async fn workspace(folder: &Path, name: &str, file: &str, text: &str) -> Arc<Workspace> {
    let (path, place) = (folder.join(format!("{name}-{file}")), folder.join(name));
    std::fs::write(&path, text).unwrap();
    let graph = ImportConfig::new(name, vec![Input::File(path)]);
    Workspace::import(&place, &ImportRequest { graph, embedder: None, progress: None }).await.unwrap();
    Arc::new(Workspace::open(&place).unwrap())
}

async fn keys(graph: &dyn Graph, nodes: &[NodeId]) -> Vec<String> {
    graph.summaries(nodes).await.unwrap().into_iter().map(|summary| summary.key).collect()
}

/// All triples that a graph has around nodes, checked against `relations_of` of each node.
async fn said(
    graph: &dyn Graph,
    nodes: &[NodeId],
) -> (BTreeSet<Said>, BTreeSet<(String, String, Direction)>) {
    let relation = |step: Step| graph.relations()[usize::try_from(step.relation.0).unwrap()].key.clone();
    let (mut triples, mut steps) = (BTreeSet::new(), BTreeSet::new());
    let from = keys(graph, nodes).await;
    let expanded = graph.expand(nodes, None, 1000).await.unwrap();
    let uses = graph.relations_of(nodes).await.unwrap();
    for ((from, expansions), uses) in from.into_iter().zip(expanded).zip(uses) {
        for expansion in expansions {
            assert_eq!(expansion.fan_out, expansion.nodes.len() as u64, "all of them fit");
            for to in keys(graph, &expansion.nodes).await {
                triples.insert((from.clone(), relation(expansion.step), expansion.step.direction, to));
            }
        }
        steps.extend(uses.iter().map(|used| (from.clone(), relation(used.step), used.step.direction)));
    }
    (triples, steps)
}

async fn split_is_whole(triples: &[(u8, u8, u8, u8)]) {
    let folder = tempfile::tempdir().unwrap();
    let line = |(head, relation, tail, _): &(u8, u8, u8, u8)| format!("E{head}\tr{relation}\tE{tail}\n");
    // Each part has its own marker triple, so that no part is empty.
    let mark = |at: u8| format!("mark {at}\tmarks\tmark {at}\n");
    let mut parts = Vec::new();
    for at in 0..3 {
        let of_part = triples.iter().filter(|(.., parts)| parts & (1 << at) != 0).map(line);
        let text: String = std::iter::once(mark(at)).chain(of_part).collect();
        parts.push(workspace(folder.path(), &format!("part-{at}"), "graph.tsv", &text).await);
    }
    let text: String = std::iter::once(mark(9)).chain(triples.iter().map(line)).collect();
    let whole = workspace(folder.path(), "whole", "graph.tsv", &text).await;
    let joined = Workspace::joined(&parts).unwrap();
    let names: Vec<String> = (0..10).map(|number| format!("E{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let (in_whole, in_joined) =
        (whole.graph().resolve(&names).await.unwrap(), joined.graph().resolve(&names).await.unwrap());
    assert_eq!(
        in_whole.iter().map(Option::is_some).collect::<Vec<_>>(),
        in_joined.iter().map(Option::is_some).collect::<Vec<_>>()
    );
    let nodes = |found: Vec<Option<NodeId>>| found.into_iter().flatten().collect::<Vec<_>>();
    let (in_whole, in_joined) = (nodes(in_whole), nodes(in_joined));
    assert_eq!(said(&**whole.graph(), &in_whole).await, said(&**joined.graph(), &in_joined).await);
    // Every triple names exactly the parts that state it.
    for (head, relation, tail, of) in triples {
        let all = triples.iter().filter(|(h, r, t, _)| (h, r, t) == (head, relation, tail));
        let of = all.fold(*of, |all, (.., of)| all | of);
        let ends = [format!("E{head}"), format!("E{tail}")];
        let ends = nodes(joined.graph().resolve(&[&ends[0], &ends[1]]).await.unwrap());
        let key = format!("r{relation}");
        let relation = joined.graph().relations().iter().position(|info| info.key == key).unwrap();
        let relation = RelationId(u32::try_from(relation).unwrap());
        let there = (ends[0], Step { relation, direction: Direction::Forward }, ends[1]);
        let back = (ends[1], Step { relation, direction: Direction::Backward }, ends[0]);
        let names: Vec<String> =
            (0..3).filter(|at| of & (1 << at) != 0).map(|at| format!("part-{at}")).collect();
        let expected = names.join(BETWEEN_SOURCES);
        assert_eq!(joined.graph().stated_by(&[there, back]).await.unwrap(), [expected.clone(), expected]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn what_is_split_is_walked_as_if_it_were_whole(
        triples in vec((0..10u8, 0..3u8, 0..10u8, 1..8u8), 1..40)
    ) {
        tokio::runtime::Runtime::new().unwrap().block_on(split_is_whole(&triples));
    }
}

const PEOPLE: &str = r#"<urn:q1> <http://www.w3.org/2000/01/rdf-schema#label> "Ada Lovelace" .
<urn:q1> <urn:born> "1815"^^<http://www.w3.org/2001/XMLSchema#gYear> .
<urn:q2> <http://www.w3.org/2000/01/rdf-schema#label> "John Smith" .
<urn:q3> <http://www.w3.org/2000/01/rdf-schema#label> "John Smith" .
<urn:q2> <urn:born> "1815"^^<http://www.w3.org/2001/XMLSchema#gYear> .
<urn:q3> <urn:knows> <urn:q1> .
"#;
const EVENTS: &str = r#"<urn:q9> <http://www.w3.org/2000/01/rdf-schema#label> "Battle of Waterloo" .
<urn:q9> <urn:year> "1815"^^<http://www.w3.org/2001/XMLSchema#gYear> .
"#;
const BOOKS: &str = "Notes\twritten by\tAda Lovelace\nPocahontas\twritten by\tJohn Smith\n";

async fn one(joined: &Workspace, name: &str) -> NodeId {
    joined.lookup(name, &LookupConfig::default()).await.unwrap()[0].node
}

#[tokio::test]
async fn entities_of_other_keys_are_one_by_a_name_that_cannot_be_mistaken() {
    let folder = tempfile::tempdir().unwrap();
    let people = workspace(folder.path(), "people", "people.nt", PEOPLE).await;
    let books = workspace(folder.path(), "books", "books.tsv", BOOKS).await;
    for parts in [[people.clone(), books.clone()], [books, people]] {
        let joined = Workspace::joined(&parts).unwrap();
        let graph = &**joined.graph();
        let ada = one(&joined, "Ada Lovelace").await;
        let (triples, _) = said(graph, &[ada]).await;
        let relations: BTreeSet<&str> = triples.iter().map(|(_, relation, ..)| relation.as_str()).collect();
        let expected = ["http://www.w3.org/2000/01/rdf-schema#label", "urn:born", "urn:knows", "written by"];
        assert_eq!(relations.into_iter().collect::<Vec<_>>(), expected);
        let by_keys = graph.resolve(&["urn:q1", "Ada Lovelace"]).await.unwrap();
        assert_eq!(by_keys, [Some(ada), Some(ada)]);
        // Two entities are called John Smith, so the author is ambiguous.
        let [smith, q2, q3] = graph.resolve(&["John Smith", "urn:q2", "urn:q3"]).await.unwrap()[..] else {
            panic!("three keys")
        };
        assert!(smith.is_some() && smith != q2 && smith != q3 && q2 != q3);
        assert_eq!(graph.summaries(&[ada]).await.unwrap()[0].name, "Ada Lovelace");
    }
}

/// Names are told apart by hash. Comparing each with all others would take minutes.
#[tokio::test]
async fn an_entity_may_have_very_many_names() {
    const COUNT: usize = 200_000;
    let folder = tempfile::tempdir().unwrap();
    let label = "http://www.w3.org/2000/01/rdf-schema#label";
    let line = |number| format!("<urn:q1> <{label}> \"name {number}\" .\n");
    let labels: String = (0..COUNT).map(line).collect();
    let named = workspace(folder.path(), "named", "labels.nt", &labels).await;
    assert_eq!(named.info().names, COUNT as u64);
    let again = workspace(folder.path(), "again", "labels.nt", &line(7)).await;
    let joined = Workspace::joined(&[named, again]).unwrap();
    for number in (0..COUNT).step_by(997) {
        let name = format!("name {number}");
        let found = joined.lookup(&name, &LookupConfig::default()).await.unwrap();
        assert_eq!(found[0].matched, name);
    }
    let node = joined.graph().resolve(&["urn:q1"]).await.unwrap()[0].unwrap();
    let entity = joined.graph().entities(&[node]).await.unwrap().remove(0);
    let names: BTreeSet<&str> =
        entity.aliases.iter().chain([&entity.summary.name]).map(String::as_str).collect();
    assert_eq!((entity.aliases.len(), names.len()), (COUNT - 1, COUNT));
}

#[tokio::test]
async fn literals_written_alike_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let people = workspace(folder.path(), "people", "people.nt", PEOPLE).await;
    let events = workspace(folder.path(), "events", "events.nt", EVENTS).await;
    let joined = Workspace::joined(&[people, events]).unwrap();
    let graph = &**joined.graph();
    let kinds = ["", "http://www.w3.org/2001/XMLSchema#gYear"];
    let year = joined.find_literal("1815", &kinds).await.unwrap().unwrap();
    assert!(graph.is_literal(year) && joined.find_literal("1816", &kinds).await.unwrap().is_none());
    // Known from one source, and reached in the other along a path.
    let battle = one(&joined, "Battle of Waterloo").await;
    graph.expand(&[battle], None, 10).await.unwrap();
    let (triples, _) = said(graph, &[year]).await;
    let ends: BTreeSet<&str> = triples.iter().map(|(.., to)| to.as_str()).collect();
    assert_eq!(ends.into_iter().collect::<Vec<_>>(), ["urn:q1", "urn:q2", "urn:q9"]);
}

async fn linked(joined: &Workspace, question: &str) -> Vec<(String, Vec<String>)> {
    let mentions = joined.link(question, 5).await.unwrap();
    let chosen = mentions.into_iter().filter(|mention| mention.chosen);
    chosen.map(|m| (m.text, m.candidates.into_iter().map(|c| c.name).collect())).collect()
}

#[tokio::test]
async fn one_reading_is_made_of_what_all_indexes_find() {
    let folder = tempfile::tempdir().unwrap();
    let films = "Winter Tale\tdirector\tMargit Carstensen\nPathfinder\twriter\tNils Gaup\n";
    let others = "Summer Tale\tdirector\tMargit Carston\nThe Pathfinder Trail\tlanguage\tSami\nNils Gaup\tborn in\tKautokeino\n";
    let films = workspace(folder.path(), "films", "films.tsv", films).await;
    let others = workspace(folder.path(), "others", "others.tsv", others).await;
    let joined = Workspace::joined(&[others, films]).unwrap();
    // A name that merely sounds alike does not count if a source has the exact name.
    let found = linked(&joined, "which films did Margit Carstensen direct?").await;
    assert_eq!(found, [("Margit Carstensen".to_owned(), vec!["Margit Carstensen".to_owned()])]);
    // The longer name in one source takes precedence over the shorter in the other, and an entity
    // in both is one.
    let found = linked(&joined, "is The Pathfinder Trail by Nils Gaup?").await;
    let texts: Vec<&str> = found.iter().map(|(text, _)| text.as_str()).collect();
    assert_eq!(texts, ["The Pathfinder Trail", "Nils Gaup"]);
    assert_eq!(found[1].1, ["Nils Gaup"]);
    // A name that is misspelt for every source is found in the source with the nearest spelling.
    let found = linked(&joined, "which films did Margit Carstennsen direct?").await;
    assert_eq!(found[0].1[0], "Margit Carstensen");
    let strings = ["Nils Gaup", "Margit Carston", "nobody"];
    let named = joined.candidates_for("", &strings, 3, None).await.unwrap();
    let best: Vec<Option<&str>> =
        named.iter().map(|m| m.candidates.first().map(|candidate| candidate.name.as_str())).collect();
    assert_eq!(best, [Some("Nils Gaup"), Some("Margit Carston"), None]);
}

/// A graph that fails on demand.
struct Flaky {
    inner: Arc<dyn Graph>,
    fails: Arc<AtomicBool>,
}

impl Flaky {
    fn up(&self) -> Result<&dyn Graph, GraphError> {
        if self.fails.load(Ordering::SeqCst) {
            return Err(GraphError::Usage("the line is dead".into()));
        }
        Ok(&*self.inner)
    }
}

#[async_trait]
impl Graph for Flaky {
    fn describe(&self) -> &GraphDescription {
        self.inner.describe()
    }
    fn relations(&self) -> &[RelationInfo] {
        self.inner.relations()
    }
    fn is_literal(&self, node: NodeId) -> bool {
        self.inner.is_literal(node)
    }
    async fn resolve(&self, keys: &[&str]) -> Result<Vec<Option<NodeId>>, GraphError> {
        self.up()?.resolve(keys).await
    }
    async fn summaries(&self, nodes: &[NodeId]) -> Result<Vec<NodeSummary>, GraphError> {
        self.up()?.summaries(nodes).await
    }
    async fn entities(&self, nodes: &[NodeId]) -> Result<Vec<Entity>, GraphError> {
        self.up()?.entities(nodes).await
    }
    async fn relations_of(&self, nodes: &[NodeId]) -> Result<Vec<Vec<RelationUse>>, GraphError> {
        self.up()?.relations_of(nodes).await
    }
    async fn expand(
        &self,
        nodes: &[NodeId],
        steps: Option<&[Step]>,
        limit: usize,
    ) -> Result<Vec<Vec<Expansion>>, GraphError> {
        self.up()?.expand(nodes, steps, limit).await
    }
    async fn sample_triples(
        &self,
        relation: RelationId,
        limit: usize,
    ) -> Result<Vec<(NodeId, NodeId)>, GraphError> {
        self.up()?.sample_triples(relation, limit).await
    }
    async fn schema(&self, types: &[NodeId]) -> Result<Vec<SchemaEdge>, GraphError> {
        self.up()?.schema(types).await
    }
    async fn documents(&self, nodes: &[NodeId]) -> Result<Vec<Option<Document>>, GraphError> {
        self.up()?.documents(nodes).await
    }
}

/// Two sources about one town. The second fails while `fails` is set.
async fn half_dead(folder: &Path, fails: &Arc<AtomicBool>) -> [Arc<Workspace>; 2] {
    let steady = workspace(folder, "steady", "a.tsv", "Lima\tcapital of\tPeru\n").await;
    workspace(folder, "flaky", "b.tsv", "Lima\ttwin town\tBordeaux\n").await;
    let flaky = Workspace::open(&folder.join("flaky")).unwrap();
    let fails = fails.clone();
    let flaky = flaky.with_graph_behind(|inner| Arc::new(Flaky { inner, fails }));
    [steady, Arc::new(flaky)]
}

#[tokio::test]
async fn a_source_that_fails_is_named_and_left_out_until_it_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let fails = Arc::new(AtomicBool::new(true));
    let parts = half_dead(folder.path(), &fails).await;
    for pause in [Duration::ZERO, PAUSE] {
        fails.store(true, Ordering::SeqCst);
        let joined = JoinedGraph { pause, ..JoinedGraph::new(&parts) };
        let started = Instant::now();
        let lima = joined.resolve(&["Lima"]).await.unwrap()[0].unwrap();
        let names = joined.down(started);
        assert_eq!(names, [("flaky".to_owned(), "the line is dead".to_owned())]);
        assert_eq!(joined.relations_of(&[lima]).await.unwrap()[0].len(), 1, "the other one answers");
        // After the pause the source is asked again, also for the nodes registered meanwhile.
        fails.store(false, Ordering::SeqCst);
        let back = if pause == PAUSE { 1 } else { 2 };
        assert_eq!(joined.relations_of(&[lima]).await.unwrap()[0].len(), back);
        // A failure that is over is not reported for later questions.
        assert_eq!(joined.down(Instant::now()).len(), 2 - back);
    }
    // If no source is left, the error is reported instead of an empty graph.
    fails.store(true, Ordering::SeqCst);
    let alone = JoinedGraph::new(&parts[1..]);
    let error = alone.resolve(&["Lima"]).await.unwrap_err();
    assert!(error.to_string().contains("the line is dead"), "{error}");
    assert!(alone.resolve(&["Lima"]).await.is_err(), "nor later");
}

#[tokio::test]
async fn no_workspace_is_not_joined() {
    assert!(matches!(Workspace::joined(&[]), Err(IndexError::Usage(_))));
}

#[tokio::test]
async fn sources_that_are_all_skipped_may_answer_later() {
    let folder = tempfile::tempdir().unwrap();
    let only = workspace(folder.path(), "one", "kb.tsv", "Emma\twritten_by\tJane Austen\n").await;
    let joined = JoinedGraph::new(&[only]);
    assert!(joined.each(async |_, _| Ok(())).await.is_ok());
    assert!(joined.kept::<()>(0, Err(IndexError::Usage("down".into()))).unwrap().is_err());
    let error = joined.each(async |_, _| Ok(())).await.unwrap_err();
    assert_eq!(error.class(), quipu_graph::ErrorClass::Transient, "{error}");
    assert_eq!(error.to_string(), "no source of one answers at the moment; ask again later");
}
