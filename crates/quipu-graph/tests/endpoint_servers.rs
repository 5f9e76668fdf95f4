//! The graph behind real servers: the same answers as the embedded store over the same data, in few requests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use crate::{common, endpoints, servers, suite};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use quipu_graph::{
    EmbeddedGraph, EndpointConfig, EndpointGraph, Graph, GraphError, ImportConfig, Input, ProfileChoice,
    QueryFormat, QueryOptions, RelationRole, harvest, survey,
};

use endpoints::{config, open, runtime};
use servers::Server;
use suite::block_on;

const PREFIXES: [(&str, &str); 13] = [
    ("wd:", "http://www.wikidata.org/entity/"),
    ("wdt:", "http://www.wikidata.org/prop/direct/"),
    ("wds:", "http://www.wikidata.org/entity/statement/"),
    ("p:", "http://www.wikidata.org/prop/"),
    ("ps:", "http://www.wikidata.org/prop/statement/"),
    ("pq:", "http://www.wikidata.org/prop/qualifier/"),
    ("wikibase:", "http://wikiba.se/ontology#"),
    ("void:", "http://rdfs.org/ns/void#"),
    ("e:", "http://e.org/"),
    ("rdfs:", "http://www.w3.org/2000/01/rdf-schema#"),
    ("rdf:", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("ns:", "http://rdf.freebase.com/ns/"),
    ("xsd:", "http://www.w3.org/2001/XMLSchema#"),
];

/// N-Triples out of lines with prefixed names.
fn ntriples(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<String> = line.trim().splitn(3, ' ').map(expand).collect();
        writeln!(out, "{} .", words.join(" ")).unwrap();
    }
    out
}

fn expand(word: &str) -> String {
    let iri = |name: &str| {
        let (prefix, iri) = PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix))?;
        Some(format!("<{iri}{}>", name.strip_prefix(prefix)?))
    };
    match word.rsplit_once("^^") {
        Some((lexical, datatype)) => format!("{lexical}^^{}", iri(datatype).unwrap()),
        None => iri(word).unwrap_or_else(|| word.to_owned()),
    }
}

/// Values of all kinds, names in many languages, names that try to be more than names.
const AWKWARD: &str = r#"
e:a rdfs:label "A \"quoted\" name"@en
e:a rdfs:label "Ein Name"@de
e:a rdfs:comment "Zwei\nZeilen"@de
e:a rdfs:comment "two\nlines"
e:a e:p e:b
e:a e:p e:c
e:a e:p e:a
e:a e:value "42"^^xsd:integer
e:a e:value "4.5"^^xsd:decimal
e:a e:value "forty-two"
e:a e:value "42"
e:a e:value "cuarenta"@es-PE
e:a e:when "2001-02-03"^^xsd:date
e:a e:when "1999"^^xsd:gYear
e:a rdf:type e:Thing
e:b rdfs:label "Nur deutsch"@de
e:b e:p e:c
e:b e:q e:d%20with%20%22quotes%22
e:b rdf:type e:Thing
e:b rdf:type e:Other
e:c rdfs:label "} UNION { ?x ?y ?z"
e:c e:value "} # \\ ' \" ?p"
e:c e:q e:Ñandú
e:d%20with%20%22quotes%22 e:p e:a
<urn:quipu:The%20Matrix%3A%20a%2Fb> e:p e:a
"#;

/// Everything that the trait tells of a graph, by keys, in the graph's own order.
fn dump(graph: &dyn Graph, keys: &[&str]) -> String {
    let mut out = String::new();
    let relation = |id: quipu_graph::RelationId| &graph.relations()[id.0 as usize];
    for info in graph.relations() {
        writeln!(out, "relation {info:?}").unwrap();
    }
    let mut frontier: Vec<_> =
        block_on(graph.resolve(keys)).unwrap().into_iter().map(Option::unwrap).collect();
    for _ in 0..2 {
        let expanded = block_on(graph.expand(&frontier, None, 3)).unwrap();
        let (literals, nodes): (Vec<_>, Vec<_>) = frontier.iter().partition(|node| graph.is_literal(**node));
        for entity in block_on(graph.entities(&nodes)).unwrap() {
            let types = block_on(graph.summaries(&entity.summary.types)).unwrap();
            let types: Vec<&String> = types.iter().map(|summary| &summary.key).collect();
            let summary = &entity.summary;
            writeln!(
                out,
                "{} [{}] {types:?} {} {:?} {:?}",
                summary.key, summary.name, summary.degree, entity.aliases, entity.description
            )
            .unwrap();
        }
        for summary in block_on(graph.summaries(&literals)).unwrap() {
            writeln!(out, "{:?} {}", summary.literal, summary.degree).unwrap();
        }
        let mut next = Vec::new();
        for (node, expansions) in frontier.iter().zip(expanded) {
            let key = block_on(graph.summaries(&[*node])).unwrap()[0].key.clone();
            for expansion in expansions {
                let ends = block_on(graph.summaries(&expansion.nodes)).unwrap();
                let ends: Vec<String> = ends.iter().map(|s| format!("{} {:?}", s.key, s.literal)).collect();
                let step = expansion.step;
                writeln!(
                    out,
                    "{key} {} {:?} {} {ends:?}",
                    relation(step.relation).key,
                    step.direction,
                    expansion.fan_out
                )
                .unwrap();
                next.extend(expansion.nodes);
            }
        }
        next.sort_unstable();
        next.dedup();
        frontier = next;
    }
    for edge in block_on(graph.schema(&[])).unwrap() {
        writeln!(
            out,
            "schema {} {} {} {}",
            relation(edge.relation).key,
            edge.triples,
            edge.heads,
            edge.tails
        )
        .unwrap();
    }
    for info in 0..graph.relations().len() {
        let triples = block_on(graph.sample_triples(quipu_graph::RelationId(info as u32), 3)).unwrap();
        for (head, tail) in triples {
            let ends = block_on(graph.summaries(&[head, tail])).unwrap();
            writeln!(out, "sample {info} {} {}", ends[0].key, ends[1].key).unwrap();
        }
    }
    out
}

fn embedded(ntriples: &str, folder: &std::path::Path) -> EmbeddedGraph {
    let path = folder.join("graph.nt");
    // What an import calls `urn:quipu:…`, an endpoint's graph calls by its plain name.
    std::fs::write(&path, ntriples).unwrap();
    common::import_files(folder, &[path])
}

fn check_same(server: &Server, data: &str, keys: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let stored = embedded(data, folder.path());
    let expected = dump(&stored, keys);
    for harvested in [false, true] {
        let graph = open(server, &folder.path().join(harvested.to_string()), harvested, |_| ());
        let found = dump(&graph, keys);
        assert_eq!(graph.describe().entities, stored.describe().entities);
        assert_eq!(graph.describe().literals, stored.describe().literals);
        assert_eq!(found, expected, "harvested: {harvested}");
    }
}

#[test]
fn endpoints_tell_the_same_of_awkward_values() {
    let runtime = runtime();
    let _inside = runtime.enter();
    let keys = [
        "http://e.org/a",
        "http://e.org/b",
        "http://e.org/c",
        "http://e.org/Ñandú",
        "http://e.org/d%20with%20%22quotes%22",
    ];
    // The plain name is left to the next test: an import keeps it as an IRI.
    let data = ntriples(AWKWARD)
        .lines()
        .filter(|line| !line.contains("urn:quipu"))
        .fold(String::new(), |all, line| all + line + "\n");
    check_same(&servers::oxigraph(&data), &data, &keys);
    if let Some(server) = servers::virtuoso(&data, 10_000) {
        check_same(&server, &data, &keys);
    }
}

#[test]
fn names_come_in_the_users_languages_then_without_one_then_in_any() {
    let server = servers::oxigraph(&ntriples(AWKWARD));
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    let keys = ["http://e.org/a", "http://e.org/b", "http://e.org/c"];
    for (at, (languages, expected)) in [
        (vec!["de"], ["Ein Name", "Nur deutsch", "} UNION { ?x ?y ?z"]),
        (vec!["en", "de"], ["A \"quoted\" name", "Nur deutsch", "} UNION { ?x ?y ?z"]),
        (vec!["fr", "de"], ["Ein Name", "Nur deutsch", "} UNION { ?x ?y ?z"]),
        (vec!["en"], ["A \"quoted\" name", "Nur deutsch", "} UNION { ?x ?y ?z"]),
    ]
    .into_iter()
    .enumerate()
    {
        for harvested in [false, true] {
            let folder = folder.path().join(format!("{at} {harvested}"));
            let graph = open(&server, &folder, harvested, |config| {
                config.languages = languages.iter().map(|language| (*language).to_owned()).collect();
            });
            let nodes: Vec<_> =
                block_on(graph.resolve(&keys)).unwrap().into_iter().map(Option::unwrap).collect();
            let names: Vec<String> =
                block_on(graph.summaries(&nodes)).unwrap().into_iter().map(|summary| summary.name).collect();
            assert_eq!(names, expected, "{languages:?}, harvested: {harvested}");
        }
    }
}

#[test]
fn plain_names_are_asked_for_as_iris_and_come_back_as_names() {
    let server = servers::oxigraph(&ntriples(AWKWARD));
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    for harvested in [false, true] {
        let graph = open(&server, &folder.path().join(harvested.to_string()), harvested, |_| ());
        let node = block_on(graph.resolve(&["The Matrix: a/b"])).unwrap()[0].unwrap();
        let summary = block_on(graph.summaries(&[node])).unwrap().remove(0);
        assert_eq!(
            (summary.key.as_str(), summary.name.as_str(), summary.degree),
            ("The Matrix: a/b", "The Matrix: a/b", 1)
        );
    }
}

/// A hub with more neighbours than the server gives rows.
fn hub(spokes: usize) -> String {
    let mut text = String::from("e:hub rdfs:label \"hub\"\n");
    for spoke in 0..spokes {
        writeln!(text, "e:s{spoke} e:of e:hub\ne:s{spoke} rdfs:label \"spoke {spoke}\"").unwrap();
    }
    ntriples(&text)
}

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
fn samples_are_those_of_the_store() {
    let data = hub(900);
    let server = servers::oxigraph(&data);
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    let stored = embedded(&data, folder.path());
    let graph = open(&server, folder.path(), false, |config| {
        config.whole = 20;
        config.page = 70;
    });
    let sample = |graph: &dyn Graph| -> Vec<String> {
        let of = graph.relations().iter().position(|info| info.key == "http://e.org/of").unwrap();
        let triples = block_on(graph.sample_triples(quipu_graph::RelationId(of as u32), 200)).unwrap();
        let heads: Vec<_> = triples.iter().map(|(head, _)| *head).collect();
        block_on(graph.summaries(&heads)).unwrap().into_iter().map(|summary| summary.key).collect()
    };
    let expected = sample(&stored);
    assert_eq!(expected.len(), 180, "every fifth of 900 heads");
    assert_eq!(sample(&graph), expected);
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

const FILMS: &str = r#"
ns:m.matrix ns:type.object.name "The Matrix"@en
ns:m.matrix ns:type.object.type ns:film.film
ns:m.keanu ns:type.object.name "Keanu Reeves"@en
ns:m.carrie ns:type.object.name "Carrie-Anne Moss"@en
ns:m.neo ns:type.object.name "Neo"@en
ns:m.matrix ns:film.film.starring ns:m.0c1
ns:m.matrix ns:film.film.starring ns:m.0c2
ns:m.0c1 ns:film.performance.actor ns:m.keanu
ns:m.0c1 ns:film.performance.character ns:m.neo
ns:m.0c2 ns:film.performance.actor ns:m.carrie
ns:m.matrix ns:film.film.sequel ns:m.reloaded
ns:m.reloaded ns:type.object.name "The Matrix Reloaded"@en
"#;

fn check_mediators(server: &Server, folder: &std::path::Path) {
    let graph = open(server, folder, true, |_| ());
    assert_eq!(graph.catalogue().profile.name, "freebase");
    let role = |key: &str| {
        let key = format!("http://rdf.freebase.com/ns/{key}");
        let info = graph.relations().iter().find(|info| info.key == key).unwrap();
        (info.role, info.triples)
    };
    assert_eq!(
        role("film.film.starring..http://rdf.freebase.com/ns/film.performance.actor"),
        (RelationRole::Ordinary, 2)
    );
    assert_eq!(role("film.film.starring"), (RelationRole::Noise, 2));
    assert_eq!(role("film.performance.actor"), (RelationRole::Noise, 2));
    assert_eq!(role("film.film.sequel").0, RelationRole::Ordinary);
    let walked = |key: &str| {
        let node = graph.node_of_key(&format!("http://rdf.freebase.com/ns/{key}"));
        let mut found = Vec::new();
        for expansion in block_on(graph.expand(&[node], None, 10)).unwrap().remove(0) {
            let info = &graph.relations()[expansion.step.relation.0 as usize];
            if info.role == RelationRole::Ordinary {
                let names = block_on(graph.summaries(&expansion.nodes)).unwrap();
                let mut names: Vec<String> = names.into_iter().map(|summary| summary.name).collect();
                names.sort();
                found.push(format!("{}: {}", info.name, names.join(", ")));
            }
        }
        found
    };
    assert_eq!(
        walked("m.matrix"),
        [
            "sequel: The Matrix Reloaded",
            "starring, actor: Carrie-Anne Moss, Keanu Reeves",
            "starring, character: Neo"
        ]
    );
    assert_eq!(walked("m.keanu"), ["starring, actor: The Matrix"]);
    let samples =
        graph.relations().iter().position(|info| info.key.contains("..") && info.key.ends_with("actor"));
    let triples =
        block_on(graph.sample_triples(quipu_graph::RelationId(samples.unwrap() as u32), 10)).unwrap();
    assert_eq!(triples.len(), 2);
}

#[test]
fn compound_facts_are_one_hop() {
    let data = ntriples(FILMS);
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    check_mediators(&servers::oxigraph(&data), &folder.path().join("oxigraph"));
    if let Some(server) = servers::virtuoso(&data, 10_000) {
        check_mediators(&server, &folder.path().join("virtuoso"));
    }
}

const CLAIMS: &str = r#"
wd:Q567 rdfs:label "Angela Merkel"@en
wd:Q567 rdfs:label "أنغيلا ميركل"@ar
wd:Q567 wdt:P39 wd:Q4970706
wd:Q567 p:P39 wds:Q567-1
wds:Q567-1 ps:P39 wd:Q4970706
wds:Q567-1 pq:P580 "2005-11-22T00:00:00Z"^^xsd:dateTime
wds:Q567-1 wikibase:rank wikibase:NormalRank
wds:Q567-1 rdf:type wikibase:Statement
wd:Q4970706 rdfs:label "Federal Chancellor of Germany"@en
wd:P39 rdfs:label "position held"@en
wd:P580 rdfs:label "start time"@en
"#;

fn check_statements(server: &Server, folder: &std::path::Path) {
    let graph = open(server, folder, true, |_| ());
    assert_eq!(graph.catalogue().profile.name, "wikidata");
    let node = graph.node_of_key("http://www.wikidata.org/entity/Q567");
    let mut found = Vec::new();
    for expansion in block_on(graph.expand(&[node], None, 10)).unwrap().remove(0) {
        let info = &graph.relations()[expansion.step.relation.0 as usize];
        if info.role == RelationRole::Ordinary {
            let ends = block_on(graph.summaries(&expansion.nodes)).unwrap();
            found.extend(ends.iter().map(|end| format!("{}: {}", info.name, end.name)));
        }
    }
    found.sort();
    assert_eq!(
        found,
        ["position held, start time: 2005-11-22T00:00:00Z", "position held: Federal Chancellor of Germany"]
    );
}

#[test]
fn statements_with_qualifiers_are_one_hop() {
    let data = ntriples(CLAIMS);
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    check_statements(&servers::oxigraph(&data), &folder.path().join("oxigraph"));
    if let Some(server) = servers::virtuoso(&data, 10_000) {
        check_statements(&server, &folder.path().join("virtuoso"));
    }
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
    // The torn end of a write that a kill cut off.
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
