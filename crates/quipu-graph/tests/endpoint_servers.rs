//! The graph behind real servers: the same answers as the embedded store over the same data.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use crate::{common, endpoints, servers, suite};
use std::fmt::Write as _;

use endpoints::{hub, ntriples, open, runtime};
use quipu_graph::{EmbeddedGraph, Graph, RelationRole};
use servers::Server;
use suite::block_on;

/// Values of all kinds, names in many languages, names that attempt injection.
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

/// All data that the trait gives about a graph, by keys, in the graph's own order.
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
    // An endpoint's graph has plain names where an import has `urn:quipu:…`.
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
    // The next test covers the plain name, which an import keeps as an IRI.
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
