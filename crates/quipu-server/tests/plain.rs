//! The form for browsers without JavaScript.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use quipu_server::{KeyConfig, ServerConfig, key_hash};
use support::{Running, config, import, import_twins, no_model, serve, serve_workspaces};

/// Sends the form; returns the status and the page.
async fn send(server: &Running, fields: &[(&str, &str)], origin: Option<&str>) -> (u16, String) {
    let mut request = server.client.post(format!("{}/plain", server.base)).form(fields);
    if let Some(origin) = origin {
        request = request.header("origin", origin);
    }
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.text().await.unwrap())
}

#[tokio::test]
async fn a_form_asks_and_the_answer_is_html() {
    let folder = tempfile::tempdir().unwrap();
    let workspaces =
        [import(folder.path(), "films", support::FILMS).await, import_twins(folder.path()).await];
    let server = serve_workspaces(folder, config(), no_model().await, &workspaces).await;
    let empty = server.get("/plain").send().await.unwrap().text().await.unwrap();
    assert!(empty.contains("<form method=\"post\" action=\"/plain\">"), "{empty}");
    assert!(empty.contains("<option>films</option><option>twins</option>"), "{empty}");
    let (status, page) =
        send(&server, &[("question", "who directed Kauwboy?"), ("workspace", "films")], None).await;
    assert_eq!(status, 200);
    for part in [
        "<p class=\"answer\">Boudewijn Koole</p>",
        "Kauwboy – directed by – Boudewijn Koole",
        "I read this as",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let (_, page) = send(&server, &[("question", "who directed <script>alert(1)</script>?")], None).await;
    assert!(!page.contains("<script") && !page.contains("<img src=x"), "{page}");
    let (status, page) = send(&server, &[("question", "  ")], None).await;
    assert_eq!(status, 400);
    assert!(page.contains("there is no question"), "{page}");
}

#[tokio::test]
async fn pages_of_other_sites_cannot_send_the_form() {
    let server = serve(config(), no_model().await).await;
    let fields = [("question", "who directed Kauwboy?")];
    assert_eq!(send(&server, &fields, Some("http://elsewhere.example")).await.0, 403);
    assert_eq!(send(&server, &fields, Some("null")).await.0, 403);
    assert_eq!(send(&server, &fields, Some(&server.base)).await.0, 200);
}

#[tokio::test]
async fn a_key_comes_within_the_form() {
    let keys = vec![KeyConfig {
        name: "ana".into(),
        hash: key_hash("s3cret"),
        workspaces: Vec::new(),
        per_minute: None,
        tokens_per_day: None,
    }];
    let server = serve(ServerConfig { keys, ..config() }, no_model().await).await;
    let question = ("question", "who directed Kauwboy?");
    let (status, page) = send(&server, &[question], None).await;
    assert_eq!(status, 401);
    assert!(page.contains("name=\"key\"") && !page.contains("Koole"), "{page}");
    assert_eq!(send(&server, &[question, ("key", "wrong")], None).await.0, 401);
    let (status, page) = send(&server, &[question, ("key", "s3cret")], None).await;
    assert_eq!(status, 200);
    assert!(page.contains("Boudewijn Koole"), "{page}");
}
