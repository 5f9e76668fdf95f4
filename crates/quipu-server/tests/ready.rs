//! Whether the server's health checks are true.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use support::{config, error, no_model, ok, serve_workspaces};

#[tokio::test]
async fn a_server_is_ready_when_each_workspace_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let films = support::import(folder.path(), "films", support::FILMS).await;
    let towns = support::import_towns(folder.path()).await;
    let words = towns.join("gen-0001/documents/words");
    for file in std::fs::read_dir(words).unwrap().map(|file| file.unwrap().path()) {
        if file.extension().is_some_and(|name| name == "json") {
            continue;
        }
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        if let Some(byte) = bytes.get_mut(middle) {
            *byte ^= 1;
        }
        std::fs::write(&file, bytes).unwrap();
    }
    let server = serve_workspaces(folder, config(), no_model().await, &[films, towns]).await;
    assert_eq!(error(server.get("/readyz")).await, (503, "not_ready".into()));
    // Requests without documents still succeed; the others report the damage.
    ok(server.get("/api/v1/entities?name=Gorwen&workspace=towns")).await;
    let search = server.get("/api/v1/search?q=cheese&in=documents&workspace=towns");
    let said = search.send().await.unwrap().text().await.unwrap();
    assert!(said.contains("import the graph again") && said.contains("words"), "{said}");
}
