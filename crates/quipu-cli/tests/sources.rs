//! `quipu source`: an endpoint as the graph of a workspace, beside the same data imported.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::{servers, support};
use servers::Server;
use support::{Bench, PLACES};

/// [`PLACES`] as N-Triples, by way of an import.
fn places_as_ntriples(bench: &Bench) -> String {
    let everything = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }";
    bench.run(&["query", "imported/places", everything, "--format", "ntriples"]).succeeded().stdout
}

/// With [`PLACES`] imported into `imported/places`.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("places.ttl", PLACES);
    bench.run(&["import", "imported/places", "places.ttl", "--no-embeddings"]).succeeded();
    bench
}

fn add(bench: &Bench, server: &Server, workspace: &str, more: &[&str]) -> support::Outcome {
    let mut arguments =
        vec!["source", "add", workspace, "places", "--sparql", &server.url, "--no-embeddings"];
    for graph in &server.graphs {
        arguments.extend(["--graph", graph]);
    }
    arguments.extend(more);
    bench.run(&arguments)
}

/// Every command gives the same output for the endpoint and for the import.
fn check_commands(bench: &Bench, workspace: &str) {
    let same = |arguments: &[&str]| {
        let of = |workspace: &str| {
            let arguments: Vec<&str> =
                arguments.iter().map(|word| if *word == "W" { workspace } else { word }).collect();
            bench.run(&arguments).succeeded().stdout
        };
        let expected = of("imported/places");
        assert_eq!(of(workspace), expected, "{arguments:?}");
        assert!(!expected.is_empty(), "{arguments:?}");
    };
    same(&["entity", "W", "Peru", "--json"]);
    same(&["entity", "W", "Ciudad de los Reyes"]);
    same(&["entity", "W", "https://example.org/geo/bolivia", "--json"]);
    same(&["link", "W", "what is the capital of Piruw?", "--json"]);
    same(&["link", "W", "Boliva", "--json"]);
    same(&["query", "W", "SELECT ?c { ?x <https://example.org/geo/capital> ?c } ORDER BY ?c"]);
    let info = bench.run(&["info", workspace, "--json"]).succeeded().json();
    let imported = bench.run(&["info", "imported/places", "--json"]).succeeded().json();
    for field in ["name", "triples", "entities", "literals", "relations", "types", "documents"] {
        assert_eq!(info[field], imported[field], "{field}");
    }
    assert_eq!(info["indexes"]["names"]["entries"], imported["indexes"]["names"]["entries"]);
    assert!(info["endpoint"]["url"].as_str().unwrap().starts_with("http://127.0.0.1:"));
}

#[test]
fn an_oxigraph_server_is_asked_like_an_import() {
    let bench = bench();
    let server = servers::oxigraph(&places_as_ntriples(&bench));
    let told = add(&bench, &server, "asked", &[]).succeeded().stderr;
    assert!(told.contains("Oxigraph/") && told.contains("profile"), "{told}");
    check_commands(&bench, "asked");
    let listed = bench.run(&["source", "list", "asked", "--json"]).succeeded().json();
    assert_eq!((&listed[0]["name"], &listed[0]["sparql"]), (&"places".into(), &server.url.as_str().into()));
    let checked = bench.run(&["source", "check", "asked", "places"]).succeeded().stdout;
    assert!(checked.contains("answers in"), "{checked}");
    bench.run(&["source", "refresh", "asked", "places", "--no-embeddings"]).succeeded();
    check_commands(&bench, "asked");

    let refused = bench.run(&["import", "asked", "places.ttl", "--no-embeddings"]).failed(2);
    assert!(
        refused.stderr.contains("asks an endpoint") && refused.stderr.contains("quipu source remove"),
        "{refused:?}"
    );
    let searched = add(&bench, &server, "searched", &["--names", "search"]).failed(2);
    assert!(searched.stderr.contains("no text index that Quipu knows"), "{searched:?}");
    let second =
        bench.run(&["source", "add", "asked", "more", "--sparql", &server.url, "--no-embeddings"]).failed(2);
    assert!(second.stderr.contains("already has the source places"), "{second:?}");
    let over = bench
        .run(&["source", "add", "imported/places", "p", "--sparql", &server.url, "--no-embeddings"])
        .failed(2);
    assert!(over.stderr.contains("holds an imported graph"), "{over:?}");

    drop(server);
    // Recent replies are cached. Any other request is an error that names the endpoint and the
    // stage.
    bench.run(&["entity", "asked", "Peru"]).succeeded();
    let down = bench.run(&["query", "asked", "SELECT ?s { ?s ?p 17 }"]).failed(1);
    assert!(
        down.stderr.contains("running a query") && down.stderr.contains("endpoint http://127.0.0.1"),
        "{down:?}"
    );
    bench.run(&["source", "check", "asked", "places"]).failed(1);

    bench.run(&["source", "remove", "asked", "nothing"]).failed(2);
    bench.run(&["source", "remove", "asked", "places"]).succeeded();
    bench.run(&["info", "asked"]).failed(2);
    bench.run(&["import", "asked", "places.ttl", "--no-embeddings"]).succeeded();
}

#[test]
fn virtuoso_is_asked_like_an_import_and_searches_names_itself() {
    let bench = bench();
    let Some(server) = servers::virtuoso(&places_as_ntriples(&bench), 10_000) else { return };
    add(&bench, &server, "asked", &[]).succeeded();
    check_commands(&bench, "asked");

    server.sql("DB.DBA.RDF_OBJ_FT_RULE_ADD(null, null, 'All')");
    server.sql("DB.DBA.VT_INC_INDEX_DB_DBA_RDF_OBJ()");
    add(&bench, &server, "searched", &["--names", "search"]).succeeded();
    let linked =
        bench.run(&["link", "searched", "What is the capital of Bolivia?", "--json"]).succeeded().json();
    assert_eq!(linked["mentions"][0]["candidates"][0]["id"], "https://example.org/geo/bolivia", "{linked}");
    assert_eq!(linked["mentions"][0]["candidates"][0]["reason"], "exact", "{linked}");
    let entity = bench.run(&["entity", "searched", "Ciudad de los Reyes", "--json"]).succeeded().json();
    assert_eq!(entity["label"], "Lima");
}

#[test]
fn wrong_settings_are_refused_before_anything_is_asked() {
    let bench = Bench::new();
    let url = "http://127.0.0.1:9/sparql";
    for (arguments, expected) in [
        (vec!["--sparql", "gopher://e.org"], "http://"),
        (vec!["--sparql", "http://me:secret@e.org"], "--auth"),
        (vec!["--sparql", url, "--header", "nonsense"], "Name: value"),
        (vec!["--sparql", url, "--auth", "bearer:secret"], "bearer:env:NAME"),
        (vec!["--sparql", url, "--auth", "bearer:env:NOT_SET_ANYWHERE"], "NOT_SET_ANYWHERE"),
        (vec!["--sparql", url, "--graph", "no iri"], "no iri"),
    ] {
        let all = [vec!["source", "add", "w", "n", "--no-embeddings"], arguments].concat();
        let outcome = bench.run(&all).failed(2);
        assert!(outcome.stderr.contains(expected), "{outcome:?}");
    }
    let down = bench.run(&["source", "add", "w", "n", "--no-embeddings", "--sparql", url]).failed(1);
    assert!(down.stderr.contains("endpoint http://127.0.0.1:9/sparql, reading the catalogue"), "{down:?}");
    assert!(!bench.path("w/sources.toml").exists(), "nothing is left behind");
    bench.run(&["source", "check", "w", "n"]).failed(2);
}
