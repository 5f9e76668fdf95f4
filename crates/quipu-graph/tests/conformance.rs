//! Every source runs the one suite of checks.

mod common;
mod suite;

#[test]
fn the_embedded_graph_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.nt");
    std::fs::write(&path, suite::TRIPLES).unwrap();
    suite::check(&common::import_files(folder.path(), &[path]));
}
