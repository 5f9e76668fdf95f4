//! Every source runs the one suite of checks.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod common;
mod suite;

#[test]
fn the_embedded_graph_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.nt");
    std::fs::write(&path, suite::TRIPLES).unwrap();
    suite::check(&common::import_files(folder.path(), &[path]));
}
