//! Workspaces over APIs and over endpoints.

#![allow(dead_code, reason = "each test file uses a part of this")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "set-up of tests")]

#[path = "../../../quipu-graph/tests/apis/mod.rs"]
pub mod apis;
#[path = "../../../quipu-graph/tests/servers/mod.rs"]
pub mod servers;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use quipu_graph::{ApiConfig, EndpointConfig, iri_of_key};
use quipu_index::{ApiRequest, SourceRequest, Workspace};
use quipu_model::Embedder;
use wiremock::MockServer;

use crate::common::{CARDS, FILMS, Setting};

pub async fn add(path: &Path, name: &str, server: &str, document: &str, manifest: &str) {
    let files = path.parent().unwrap().join(format!("{name}-files"));
    std::fs::create_dir_all(&files).unwrap();
    let place = |file: &str, text: &str| {
        std::fs::write(files.join(file), text).unwrap();
        files.join(file).display().to_string()
    };
    let manifest = if manifest == "crag" { manifest.to_owned() } else { place("manifest.toml", manifest) };
    let config = ApiConfig {
        openapi: place("openapi.json", document),
        manifest: Some(manifest),
        base: Some(server.to_owned()),
        allow_hosts: vec!["127.0.0.1".into()],
        cache_hours: 0,
        pause: 1,
        ..ApiConfig::default()
    };
    Workspace::add_api(path, &ApiRequest { name: name.into(), config }).await.unwrap();
}

/// A workspace of APIs alone.
pub async fn over_apis(add: impl AsyncFnOnce(&Path)) -> Setting {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("workspace");
    add(&path).await;
    let workspace = Arc::new(Workspace::open(&path).unwrap());
    Setting { folder, workspace }
}

pub async fn over_library() -> (MockServer, Setting) {
    let server = apis::library().await;
    let base = format!("{}/v1", server.uri());
    let setting = over_apis(async |path: &Path| {
        add(path, "library", &base, apis::LIBRARY, apis::LIBRARY_MANIFEST).await;
    })
    .await;
    (server, setting)
}

/// [`FILMS`] as a server's triples.
pub fn ntriples() -> String {
    let line = |line: &str| {
        let terms: Vec<String> = line.split('\t').map(|key| format!("<{}>", iri_of_key(key))).collect();
        format!("{} .\n", terms.join(" "))
    };
    FILMS.lines().map(line).collect()
}

/// A workspace over a server of [`FILMS`], with relation cards.
pub async fn over_endpoint(server: &servers::Server, embedder: Option<Arc<dyn Embedder>>) -> Setting {
    over_server(server, "films", embedder).await
}

/// The same under another name.
pub async fn over_server(
    server: &servers::Server,
    name: &str,
    embedder: Option<Arc<dyn Embedder>>,
) -> Setting {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("workspace");
    let config = EndpointConfig {
        url: server.url.clone(),
        graphs: server.graphs.clone(),
        cache_hours: 0,
        attempts: 2,
        pause: 1,
        ..EndpointConfig::default()
    };
    let cancel = Arc::new(AtomicBool::new(false));
    let request = SourceRequest { name: name.into(), config, embedder, progress: None, cancel };
    Workspace::add_source(&path, &request).await.unwrap();
    let workspace = Arc::new(Workspace::open(&path).unwrap());
    std::fs::write(path.join("relations.toml"), CARDS).unwrap();
    Setting { folder, workspace }
}
