//! The library, used as programs use it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, its set-up too"
)]

#[path = "../../../tests/listed.rs"]
mod listed;

mod asking;
mod readme;
mod workspaces;

use std::path::PathBuf;

use quipu::{Settings, Workspace};

/// A few manufacturers and their lamps.
pub const LAMPS: &str = r#"
@prefix : <https://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:price rdfs:label "price" . :maker rdfs:label "maker" . :town rdfs:label "town" .
:Lamp rdfs:label "lamp" . :Maker rdfs:label "maker" .
:acme a :Maker ; rdfs:label "Acme" ; :town "Lund" .
:zeta a :Maker ; rdfs:label "Zeta" ; :town "Brno" .
:owl a :Lamp ; rdfs:label "Owl Lamp" ; :price 40 ; :maker :acme .
:fox a :Lamp ; rdfs:label "Fox Lamp" ; :price 25 ; :maker :acme .
:bee a :Lamp ; rdfs:label "Bee Lamp" ; :price 70 ; :maker :zeta .
"#;

/// A folder with [`LAMPS`] imported into the workspace `lamps`, without vectors.
pub async fn lamps() -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    let imported = Workspace::import(folder.path().join("lamps"))
        .files([file(&folder, "lamps.ttl", LAMPS)])
        .without_vectors()
        .run()
        .await
        .unwrap();
    assert_eq!(imported.report.skipped, 0);
    (folder, imported.workspace)
}

pub(crate) fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Empty settings.
pub fn no_settings() -> Settings {
    Settings::default()
}

#[test]
fn every_file_of_tests_is_a_module_here() {
    listed::assert_listed(env!("CARGO_MANIFEST_DIR"), include_str!("all.rs"), &[]);
}
