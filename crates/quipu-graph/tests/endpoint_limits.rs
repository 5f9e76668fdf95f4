//! Limits and gaps of servers: rows, counts, a missing text index, no time for a whole harvest. The
//! tests also count the requests that the workarounds cost.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use crate::{endpoints, servers, suite};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use endpoints::{config, hub, ntriples, open, runtime};
use quipu_graph::{
    EmbeddedGraph, EndpointConfig, EndpointGraph, Graph, GraphError, ImportConfig, Input, ProfileChoice,
    QueryFormat, QueryOptions, harvest, survey,
};
use servers::Server;
use suite::block_on;

#[test]
fn virtuosos_silent_limit_is_noticed_and_got_round() {
    let data = hub(100);
    let Some(server) = servers::virtuoso(&data, 30) else { return };
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    for harvested in [false, true] {
        let graph = open(&server, &folder.path().join(harvested.to_string()), harvested, |_| ());
        assert_eq!(graph.catalogue().most_rows, Some(30));
        let node = graph.node_of_key("http://e.org/hub");
        for limit in [1000, 40, 5] {
            let expansions = block_on(graph.expand(&[node], None, limit)).unwrap().remove(0);
            let backward = expansions.last().unwrap();
            assert_eq!((backward.fan_out, backward.nodes.len()), (100, limit.min(100)));
        }
        let spokes = block_on(graph.expand(&[node], None, 1000)).unwrap().remove(0).pop().unwrap().nodes;
        let names = block_on(graph.summaries(&spokes)).unwrap();
        assert!(names.iter().all(|summary| summary.name.starts_with("spoke ") && summary.degree == 2));
    }
}

#[test]
fn hubs_are_counted_and_fetched_up_to_their_limits() {
    let server = servers::oxigraph(&hub(100));
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    let graph = open(&server, folder.path(), false, |config| {
        config.count_limit = 10;
        config.whole = 20;
    });
    let node = graph.node_of_key("http://e.org/hub");
    let uses = block_on(graph.relations_of(&[node])).unwrap().remove(0);
    assert_eq!(uses.last().unwrap().fan_out, 10, "no more were looked at");
    for (limit, expected) in [(5, 5), (30, 30), (1000, 100)] {
        let expansion = block_on(graph.expand(&[node], None, limit)).unwrap().remove(0).pop().unwrap();
        assert_eq!(expansion.nodes.len(), expected);
        assert!(expansion.fan_out >= expected as u64);
    }
}

#[test]
fn neighbourhoods_cost_two_requests_and_then_none() {
    let server = servers::oxigraph(&hub(60));
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    let graph = open(&server, folder.path(), false, |_| ());
    let nodes: Vec<_> = (0..60).map(|spoke| graph.node_of_key(&format!("http://e.org/s{spoke}"))).collect();
    for expected in [2, 2] {
        block_on(graph.expand(&nodes, None, 10)).unwrap();
        block_on(graph.relations_of(&nodes)).unwrap();
        assert_eq!(graph.traffic().requests, expected);
    }
    block_on(graph.summaries(&nodes)).unwrap();
    assert_eq!(graph.traffic().requests, 3, "names come in one request, degrees were counted");
    let again = open(&server, folder.path(), false, |_| ());
    let nodes: Vec<_> = (0..60).map(|spoke| again.node_of_key(&format!("http://e.org/s{spoke}"))).collect();
    block_on(again.expand(&nodes, None, 10)).unwrap();
    assert_eq!((again.traffic().requests, again.traffic().from_cache), (0, 2), "kept on disk");
}

#[test]
fn a_graph_too_large_to_be_counted_is_described_or_sampled() {
    let runtime = runtime();
    let _inside = runtime.enter();
    let large = |config: &mut EndpointConfig| config.survey_limit = 1;
    let folder = tempfile::tempdir().unwrap();
    let server = servers::oxigraph(suite::TRIPLES);
    let graph = open(&server, &folder.path().join("sampled"), false, large);
    let lies_in = graph.relations().iter().find(|info| info.key == "http://e.org/liesIn").unwrap();
    assert_eq!((lies_in.triples, graph.relations().len()), (2, 7));
    assert_eq!(block_on(graph.schema(&[])).unwrap().len(), 3);
    assert!(
        graph.catalogue().notes.iter().any(|note| note.contains("estimates")),
        "{:?}",
        graph.catalogue().notes
    );

    let void = "void:property e:liesIn\n_:p void:triples \"1234567\"^^xsd:integer\n_:p void:distinctSubjects \"99\"^^xsd:integer";
    let described = format!("{}{}", suite::TRIPLES, ntriples(&format!("_:p {void}")));
    let server = servers::oxigraph(&described);
    let graph = open(&server, &folder.path().join("described"), false, large);
    let lies_in = graph.relations().iter().find(|info| info.key == "http://e.org/liesIn").unwrap();
    assert_eq!((lies_in.triples, lies_in.heads, graph.relations().len()), (1_234_567, 99, 1));
}

#[test]
fn virtuosos_text_index_finds_names() {
    let Some(server) = servers::virtuoso(suite::TRIPLES, 10_000) else { return };
    server.sql("DB.DBA.RDF_OBJ_FT_RULE_ADD(null, null, 'All')");
    server.sql("DB.DBA.VT_INC_INDEX_DB_DBA_RDF_OBJ()");
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    let graph = open(&server, folder.path(), false, |_| ());
    let keys = |text: &str| -> Vec<String> {
        let nodes: Vec<_> =
            block_on(graph.search(text, 10)).unwrap().into_iter().map(|found| found.node).collect();
        block_on(graph.summaries(&nodes)).unwrap().into_iter().map(|summary| summary.key).collect()
    };
    assert_eq!(keys("PERU"), ["http://e.org/peru"]);
    assert!(keys("Lima").contains(&"http://e.org/lima".to_owned()));
    for nothing in ["Quito", "' OR '", "\" }", "lim ' AND \"", "", "a b c d e f g h i j k"] {
        assert_eq!(keys(nothing), [""; 0], "{nothing}");
    }
}

#[test]
fn an_endpoint_without_a_text_index_says_so() {
    let server = servers::oxigraph(suite::TRIPLES);
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    let graph = open(&server, folder.path(), false, |_| ());
    let error = block_on(graph.search("Lima", 10)).unwrap_err().to_string();
    assert!(error.contains("no text index that Quipu knows"), "{error}");
}

#[test]
fn a_stopped_harvest_goes_on_where_it_was() {
    let server = servers::oxigraph(&hub(500));
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    let config = EndpointConfig { page: 50, ..config(&server) };
    let catalogue = block_on(survey("hub", &config, None)).unwrap();
    let cancel = Arc::new(AtomicBool::new(false));
    let flag = cancel.clone();
    let stop: quipu_graph::SourceProgressSink = Arc::new(move |_, done, _| {
        if done >= 200 {
            flag.store(true, Ordering::Relaxed);
        }
    });
    let outcome = block_on(harvest(&config, &catalogue, folder.path(), Some(&stop), &cancel));
    assert!(matches!(outcome, Err(GraphError::Cancelled)));
    // The incomplete end of a write that a kill interrupted.
    let torn = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|e| e == "nt"))
        .unwrap();
    std::fs::File::options().append(true).open(torn).unwrap().write_all_ok(b"<http://e.org/half");
    let first = Arc::new(AtomicU64::new(u64::MAX));
    let seen = first.clone();
    let watch: quipu_graph::SourceProgressSink = Arc::new(move |_, done, _| {
        let _ = seen.compare_exchange(u64::MAX, done, Ordering::Relaxed, Ordering::Relaxed);
    });
    let report =
        block_on(harvest(&config, &catalogue, folder.path(), Some(&watch), &AtomicBool::new(false))).unwrap();
    assert!(first.load(Ordering::Relaxed) >= 200, "{first:?}");
    // 501 labels, and 501 entities with their degrees.
    assert_eq!((report.rows, report.notes), (1002, Vec::<String>::new()));
    let mut import = ImportConfig::new("hub", report.files.into_iter().map(Input::File).collect());
    import.profile = ProfileChoice::File(report.profile);
    let store = folder.path().join("store");
    quipu_graph::import(&import, &store).unwrap();
    assert_eq!(EmbeddedGraph::open(&store).unwrap().entity_count(), 501);
}

trait WriteAllOk {
    fn write_all_ok(&mut self, bytes: &[u8]);
}

impl WriteAllOk for std::fs::File {
    fn write_all_ok(&mut self, bytes: &[u8]) {
        std::io::Write::write_all(self, bytes).unwrap();
    }
}

fn query(graph: &EndpointGraph, format: &str, sparql: &str) -> Result<String, GraphError> {
    let options = QueryOptions { format: QueryFormat::parse(format).unwrap(), ..QueryOptions::default() };
    let mut out = Vec::new();
    block_on(graph.query(sparql, &options, &mut out))?;
    Ok(String::from_utf8(out).unwrap())
}

fn check_queries(server: &Server, folder: &std::path::Path) {
    let graph = open(server, folder, false, |_| ());
    let cities = "SELECT ?c WHERE { ?c <http://e.org/liesIn> <http://e.org/peru> } ORDER BY ?c";
    assert_eq!(
        query(&graph, "csv", cities).unwrap().replace('\r', ""),
        "c\nhttp://e.org/cusco\nhttp://e.org/lima\n"
    );
    assert!(query(&graph, "table", "SELECT ?d { ?l rdfs:comment ?d }").unwrap().contains("Capital of Peru."));
    assert_eq!(query(&graph, "table", "ASK { <http://e.org/lima> ?p ?o }").unwrap(), "true\n");
    let built = "CONSTRUCT { ?c <http://e.org/in> ?p } WHERE { ?c <http://e.org/liesIn> ?p ; rdfs:label ?l FILTER(LANG(?l) = 'en') }";
    assert_eq!(
        query(&graph, "ntriples", built).unwrap(),
        "<http://e.org/lima> <http://e.org/in> <http://e.org/peru> .\n"
    );
    assert_eq!(query(&graph, "csv", "SELECT ?o { quipu:no%20such ?p ?o }").unwrap().replace('\r', ""), "o\n");
    for refused in
        ["DELETE WHERE { ?s ?p ?o }", "INSERT DATA { <http://e.org/x> a <http://e.org/X> }", "SELECT"]
    {
        let error = query(&graph, "csv", refused).unwrap_err();
        assert!(matches!(error, GraphError::Usage(_)), "{refused}: {error}");
    }
}

#[test]
fn queries_of_the_users_own_are_passed_on() {
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    check_queries(&servers::oxigraph(suite::TRIPLES), folder.path());
    let Some(server) = servers::virtuoso(suite::TRIPLES, 10_000) else { return };
    let folder = tempfile::tempdir().unwrap();
    check_queries(&server, folder.path());
}
