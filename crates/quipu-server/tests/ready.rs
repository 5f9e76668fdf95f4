//! Whether the server's health checks are true.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use std::path::PathBuf;

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

/// One flipped bit in each file of the document index, one at a time: either the server is not
/// ready, or the search is right, or the search reports the damage and the server is not ready from
/// then on.
#[tokio::test]
async fn a_flipped_bit_in_the_document_index_is_reported_by_the_search_that_reads_it() {
    const SEARCH: &str = "/api/v1/search?q=cheese&in=documents";
    let folder = tempfile::tempdir().unwrap();
    let towns = support::import_towns(folder.path()).await;
    let words = towns.join("gen-0001/documents/words");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(words).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let server = serve_workspaces(folder, config(), no_model().await, std::slice::from_ref(&towns)).await;
    let expected = ok(server.get(SEARCH)).await;
    assert!(expected["passages"][0].to_string().contains("Haldt"), "{expected}");
    let (mut at_once, mut later) = (0, 0);
    for file in files {
        let whole = std::fs::read(&file).unwrap();
        for at in [0, whole.len() / 2, whole.len().saturating_sub(1)] {
            let mut damaged = whole.clone();
            let Some(byte) = damaged.get_mut(at) else { continue };
            *byte ^= 1;
            // A new file: the old one is mapped by another server.
            std::fs::remove_file(&file).unwrap();
            std::fs::write(&file, damaged).unwrap();
            let folder = tempfile::tempdir().unwrap();
            let server =
                serve_workspaces(folder, config(), no_model().await, std::slice::from_ref(&towns)).await;
            let is_ready = || async { server.get("/readyz").send().await.unwrap().status() == 200 };
            let what = format!("{} byte {at}", file.display());
            let ready = is_ready().await;
            let found = server.get(SEARCH).send().await.unwrap();
            if found.status() == 200 {
                assert_eq!(found.json::<serde_json::Value>().await.unwrap(), expected, "{what}");
            } else {
                assert!(found.text().await.unwrap().contains("import the graph again"), "{what}");
                assert!(!is_ready().await, "{what}: the search met the damage");
                *(if ready { &mut later } else { &mut at_once }) += 1;
            }
        }
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, whole).unwrap();
    }
    assert!(at_once > 0, "{at_once} found when the index was opened, {later} by the search");
}
