//! The conformance suite for every `Graph`: each check takes a graph that holds [`TRIPLES`].
#![allow(dead_code, reason = "some programs only take the graph")]

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use quipu_graph::{Datatype, Direction, Graph, GraphError, NodeId, RelationId, RelationRole, Step};

/// The graph of the suite, as N-Triples.
pub(crate) const TRIPLES: &str = r#"<http://e.org/lima> <http://www.w3.org/2000/01/rdf-schema#label> "Lima"@en .
<http://e.org/lima> <http://www.w3.org/2000/01/rdf-schema#label> "Limaa"@qu .
<http://e.org/lima> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/City> .
<http://e.org/lima> <http://www.w3.org/2000/01/rdf-schema#comment> "Capital of Peru."@en .
<http://e.org/lima> <http://e.org/liesIn> <http://e.org/peru> .
<http://e.org/lima> <http://e.org/founded> "1535-01-18"^^<http://www.w3.org/2001/XMLSchema#date> .
<http://e.org/cusco> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/City> .
<http://e.org/cusco> <http://e.org/liesIn> <http://e.org/peru> .
<http://e.org/peru> <http://www.w3.org/2000/01/rdf-schema#label> "Peru"@en .
<http://e.org/peru> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/Country> .
<http://e.org/peru> <http://www.w3.org/2002/07/owl#sameAs> <http://other.org/peru> .
<http://e.org/peru> <http://e.org/borders> <http://e.org/peru> .
"#;

/// The outcome of a future, polled until it is there.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => return outcome,
            Poll::Pending => std::thread::yield_now(),
        }
    }
}

/// Runs the whole suite.
pub(crate) fn check(graph: &dyn Graph) {
    check_description(graph);
    check_resolving(graph);
    check_summaries(graph);
    check_entities(graph);
    check_relations(graph);
    check_expansion(graph);
    check_samples(graph);
    check_schema(graph);
    check_documents(graph);
    check_unknown_nodes(graph);
}

fn node(graph: &dyn Graph, key: &str) -> NodeId {
    block_on(graph.resolve(&[key])).unwrap()[0].unwrap_or_else(|| panic!("no {key}"))
}

fn relation(graph: &dyn Graph, key: &str) -> RelationId {
    let position = graph.relations().iter().position(|info| info.key == key);
    RelationId(position.unwrap_or_else(|| panic!("no relation {key}")) as u32)
}

fn step(graph: &dyn Graph, key: &str, direction: Direction) -> Step {
    Step { relation: relation(graph, key), direction }
}

fn check_description(graph: &dyn Graph) {
    let description = graph.describe();
    assert_eq!((description.triples, description.relations, description.types), (12, 7, 2));
    assert_eq!((description.entities, description.literals), (6, 5));
}

fn check_resolving(graph: &dyn Graph) {
    let keys = ["http://e.org/peru", "http://e.org/nowhere", "", "http://e.org/lima"];
    let found = block_on(graph.resolve(&keys)).unwrap();
    let known: Vec<bool> = found.iter().map(Option::is_some).collect();
    assert_eq!(known, [true, false, false, true]);
    assert!(block_on(graph.resolve(&[])).unwrap().is_empty());
}

fn check_summaries(graph: &dyn Graph) {
    let nodes = [node(graph, "http://e.org/peru"), node(graph, "http://e.org/cusco")];
    let summaries = block_on(graph.summaries(&nodes)).unwrap();
    assert_eq!(summaries[0].name, "Peru");
    assert_eq!(summaries[0].key, "http://e.org/peru");
    assert_eq!(summaries[0].types, [node(graph, "http://e.org/Country")]);
    // Label, type, sameAs, borders both ways, and the two cities.
    assert_eq!(summaries[0].degree, 7);
    assert_eq!(summaries[0].literal, None);
    assert_eq!(summaries[1].name, "cusco", "without a label, the readable part of the key");
}

fn check_entities(graph: &dyn Graph) {
    let nodes = [node(graph, "http://e.org/lima"), node(graph, "http://e.org/cusco")];
    let entities = block_on(graph.entities(&nodes)).unwrap();
    assert_eq!(entities[0].summary.name, "Lima");
    assert_eq!(entities[0].description.as_deref(), Some("Capital of Peru."));
    assert_eq!(entities[1].description, None);
    assert!(entities[1].aliases.is_empty());
}

fn check_relations(graph: &dyn Graph) {
    let lies_in = &graph.relations()[relation(graph, "http://e.org/liesIn").0 as usize];
    assert_eq!((lies_in.name.as_str(), lies_in.role), ("lies in", RelationRole::Ordinary));
    assert_eq!((lies_in.triples, lies_in.heads, lies_in.tails), (2, 2, 1));
    let role = |key| graph.relations()[relation(graph, key).0 as usize].role;
    assert_eq!(role("http://www.w3.org/2000/01/rdf-schema#label"), RelationRole::Label);
    assert_eq!(role("http://www.w3.org/1999/02/22-rdf-syntax-ns#type"), RelationRole::Type);
    assert_eq!(role("http://www.w3.org/2002/07/owl#sameAs"), RelationRole::Noise);

    let peru = node(graph, "http://e.org/peru");
    let lists = block_on(graph.relations_of(&[peru, peru])).unwrap();
    assert_eq!(lists[0], lists[1], "the order is stable");
    let backward = step(graph, "http://e.org/liesIn", Direction::Backward);
    let fan_out = lists[0].iter().find(|found| found.step == backward).map(|found| found.fan_out);
    assert_eq!(fan_out, Some(2));
    assert_eq!(lists[0].len(), 6);
}

fn check_expansion(graph: &dyn Graph) {
    let (lima, peru) = (node(graph, "http://e.org/lima"), node(graph, "http://e.org/peru"));
    let steps = [
        step(graph, "http://e.org/liesIn", Direction::Backward),
        step(graph, "http://e.org/founded", Direction::Forward),
    ];
    let expanded = block_on(graph.expand(&[peru, lima], Some(&steps), 1)).unwrap();
    assert_eq!(expanded[0].len(), 1, "steps that a node does not have are left out");
    assert_eq!(
        (expanded[0][0].fan_out, expanded[0][0].nodes.len()),
        (2, 1),
        "the limit cuts nodes, not the count"
    );
    let founded = expanded[1][0].nodes[0];
    assert!(graph.is_literal(founded) && !graph.is_literal(lima));
    let literal = block_on(graph.summaries(&[founded])).unwrap()[0].literal.clone().unwrap();
    assert_eq!((literal.lexical.as_str(), literal.datatype), ("1535-01-18", Datatype::Date));

    let all = block_on(graph.expand(&[founded], None, 10)).unwrap();
    assert_eq!(all[0].len(), 1);
    assert_eq!(all[0][0].nodes, [lima], "literals lead back to their heads");
}

fn check_samples(graph: &dyn Graph) {
    let lies_in = relation(graph, "http://e.org/liesIn");
    let all = block_on(graph.sample_triples(lies_in, 10)).unwrap();
    assert_eq!(all.len(), 2);
    assert!(all.iter().all(|(_, tail)| *tail == node(graph, "http://e.org/peru")));
    assert_eq!(block_on(graph.sample_triples(lies_in, 1)).unwrap().len(), 1);
    assert!(block_on(graph.sample_triples(lies_in, 0)).unwrap().is_empty());
}

fn check_schema(graph: &dyn Graph) {
    let (city, country) = (node(graph, "http://e.org/City"), node(graph, "http://e.org/Country"));
    let edges = block_on(graph.schema(&[city])).unwrap();
    let lies_in = relation(graph, "http://e.org/liesIn");
    let edge = edges.iter().find(|edge| edge.relation == lies_in).unwrap();
    assert_eq!((edge.head_type, edge.tail_type), (Some(city), Some(country)));
    assert_eq!((edge.triples, edge.heads, edge.tails), (2, 2, 1));
    let founded = edges.iter().find(|edge| edge.relation == relation(graph, "http://e.org/founded")).unwrap();
    assert_eq!((founded.tail_type, founded.triples, founded.heads, founded.tails), (None, 1, 1, 1));
    let whole = block_on(graph.schema(&[])).unwrap();
    assert_eq!(whole.len(), 3, "ordinary relations only: {whole:?}");
}

fn check_documents(graph: &dyn Graph) {
    let lima = node(graph, "http://e.org/lima");
    assert_eq!(block_on(graph.documents(&[lima])).unwrap(), [None]);
}

fn check_unknown_nodes(graph: &dyn Graph) {
    let unknown = NodeId(u64::MAX);
    assert!(!graph.is_literal(unknown));
    let outcome: Result<_, GraphError> = block_on(graph.summaries(&[unknown]));
    assert!(outcome.is_err(), "a node that was never handed out is an error, no panic");
    assert!(block_on(graph.relations_of(&[unknown])).is_err());
}
