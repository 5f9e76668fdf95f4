//! Runs the conformance suite on every source.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use crate::{common, endpoints, servers, suite};
use endpoints::{open, runtime};

#[test]
fn the_embedded_graph_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.nt");
    std::fs::write(&path, suite::TRIPLES).unwrap();
    suite::check(&common::import_files(folder.path(), &[path]));
}

#[test]
fn oxigraphs_server_conforms() {
    let server = servers::oxigraph(suite::TRIPLES);
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    for harvested in [false, true] {
        suite::check(&open(&server, &folder.path().join(harvested.to_string()), harvested, |_| ()));
    }
}

#[test]
fn virtuoso_conforms() {
    let Some(server) = servers::virtuoso(suite::TRIPLES, 10_000) else { return };
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    for harvested in [false, true] {
        suite::check(&open(&server, &folder.path().join(harvested.to_string()), harvested, |_| ()));
    }
}

/// In the smallest portions: pages of two rows, one node a request, bounded counts, no cache.
#[test]
fn an_endpoint_asked_in_small_pieces_conforms() {
    let server = servers::oxigraph(suite::TRIPLES);
    let runtime = runtime();
    let _inside = runtime.enter();
    let folder = tempfile::tempdir().unwrap();
    let graph = open(&server, folder.path(), false, |config| {
        config.batch = 1;
        config.whole = 0;
        config.count_limit = 1000;
        config.cache_hours = 0;
        config.method = quipu_graph::HttpMethod::Get;
    });
    suite::check(&graph);
}
