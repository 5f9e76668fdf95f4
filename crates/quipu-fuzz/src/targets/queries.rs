//! Queries written by people and models.

use std::sync::OnceLock;
use std::time::Duration;

use quipu_graph::{EmbeddedGraph, ErrorClass, ImportConfig, Input, QueryOptions, query_kind};
use quipu_query::{PseudoGraph, PseudoTail, read_sql};

use crate::scratch;

const TRIPLES: &str = "\
<http://e.org/lima> <http://e.org/liesIn> <http://e.org/peru> .
<http://e.org/cusco> <http://e.org/liesIn> <http://e.org/peru> .
<http://e.org/lima> <http://e.org/people> \"10092000\"^^<http://www.w3.org/2001/XMLSchema#integer> .
<http://e.org/lima> <http://www.w3.org/2000/01/rdf-schema#label> \"Lima\"@en .
";

/// All readers of a query agree on it, and it runs within its limits or is refused.
pub(super) fn sparql(bytes: &[u8]) {
    static GRAPH: OnceLock<(tempfile::TempDir, EmbeddedGraph)> = OnceLock::new();
    let (_, graph) = GRAPH.get_or_init(|| {
        let folder = scratch::folder();
        let (file, store) = (folder.path().join("graph.nt"), folder.path().join("store"));
        std::fs::write(&file, TRIPLES).unwrap();
        quipu_graph::import(&ImportConfig::new("any", vec![Input::File(file)]), &store).unwrap();
        let graph = EmbeddedGraph::open(&store).unwrap();
        (folder, graph)
    });
    let Ok(query) = std::str::from_utf8(bytes) else { return };
    let kind = query_kind(query);
    let options = QueryOptions {
        timeout: Some(Duration::from_secs(2)),
        memory: Some(64 << 20),
        ..QueryOptions::default()
    };
    let mut rows = Vec::new();
    match graph.query(query, &options, &mut rows) {
        Ok(_) => assert!(kind.is_ok() && std::str::from_utf8(&rows).is_ok()),
        Err(error) => assert_eq!(error.class(), ErrorClass::User, "{error}"),
    }
}

/// A model's SQL: it parses to plain data or gives a readable error.
pub(super) fn sql(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Err(error) = read_sql(&text, None) {
        assert!(!error.to_string().is_empty());
    }
}

/// A model's Cypher: the readable parts are read.
pub(super) fn cypher(bytes: &[u8]) {
    let graph = PseudoGraph::read(&String::from_utf8_lossy(bytes));
    for triple in &graph.triples {
        assert!(triple.head < graph.nodes.len());
        assert!(!matches!(triple.tail, PseudoTail::Node(at) if at >= graph.nodes.len()));
        let _ = graph.sentence(triple);
    }
}
