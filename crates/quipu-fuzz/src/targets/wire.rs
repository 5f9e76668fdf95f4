//! Network input: requests, and documents about other services.

use std::net::Ipv4Addr;
use std::sync::OnceLock;

use axum::body::{Body, to_bytes};
use axum::http::Request;
use quipu::Settings;
use quipu_answer::Method;
use quipu_graph::{ApiConfig, ApiGraph, ApiParts, Graph as _};
use quipu_server::{Models, Server, ServerConfig, TelemetryConfig};
use tokio::runtime::Builder;
use tower::ServiceExt as _;

use super::stored::Place;
use crate::scratch;

pub(super) const LIBRARY: &str = include_str!("../../../quipu-graph/tests/apis/library.json");
pub(super) const LIBRARY_MANIFEST: &str = include_str!("../../../quipu-graph/tests/apis/library.toml");

fn open_api(document: &str, manifest: Option<&str>) {
    let config = ApiConfig {
        openapi: "library.json".into(),
        base: Some("http://127.0.0.1:9".into()),
        allow_hosts: vec!["127.0.0.1:9".into()],
        ..ApiConfig::default()
    };
    let parts = ApiParts {
        name: "library".into(),
        config,
        document: document.to_owned(),
        manifest: manifest.map(str::to_owned),
        cache: None,
    };
    if let Ok(api) = ApiGraph::open(parts) {
        let _ = (api.service().domains().len(), api.relations().len(), api.describe().entities);
    }
}

/// An OpenAPI document, with the library's manifest if it begins with a blank.
pub(super) fn openapi(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    open_api(&text, text.starts_with(' ').then_some(LIBRARY_MANIFEST));
}

/// The manifest of the library.
pub(super) fn manifest(bytes: &[u8]) {
    open_api(LIBRARY, Some(&String::from_utf8_lossy(bytes)));
}

struct Service {
    place: Place,
    router: axum::Router,
}

thread_local! {
    static SERVICE: OnceLock<Service> = const { OnceLock::new() };
}

const PLACES: [&str; 16] = [
    "/api/v1/ask",
    "/api/v1/link",
    "/v1/chat/completions",
    "/v1/responses",
    "/sparql",
    "/mcp",
    "/api/v1/feedback",
    "/api/v1/search?in=documents&q=",
    "/api/v1/entities?name=",
    "/api/v1/entities/",
    "/api/v1/compare",
    "/plain",
    "/api/v1/neighbourhood?id=",
    "/api/v1/tables/",
    "/v1/models/",
    "/sparql?query=",
];
const KINDS: [&str; 4] = [
    "application/json",
    "application/sparql-query",
    "application/x-www-form-urlencoded",
    "text/plain; charset=utf-8",
];

/// `quipu.toml`: it is refused, or gives the options of a question and a server that listens.
pub(super) fn configuration(bytes: &[u8]) {
    let folder = scratch::folder();
    std::fs::write(folder.path().join("quipu.toml"), bytes).unwrap();
    let settings = match Settings::<ServerConfig>::load(Settings::default(), folder.path()) {
        Ok(settings) => settings,
        Err(error) => return assert!(error.to_string().contains("quipu.toml"), "{error}"),
    };
    let Ok(options) = settings.ask_options() else { return };
    let mut config = settings.server.unwrap_or_default();
    (config.host, config.port) = (Ipv4Addr::LOCALHOST.into(), 0);
    let server =
        |config| Server::new(config, &[folder.path().join("towns")], Models::default(), options.method).ok();
    if server(config.clone()).is_none() {
        return;
    }
    // Traces would go to an address of the input.
    config.telemetry = TelemetryConfig::default();
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listening = server(config).unwrap().bind().await.unwrap();
        listening.serve_until(std::future::ready(())).await;
    });
}

/// The body of a request, or the end of its address. The first byte chooses the address, the second
/// the content type.
pub(super) fn http(bytes: &[u8]) {
    let [which, kind, body @ ..] = bytes else { return };
    let place = PLACES[usize::from(*which) % PLACES.len()];
    let kind = KINDS[usize::from(*kind) % KINDS.len()];
    let request = Request::builder().header("host", "localhost");
    let request = if place.ends_with(['=', '/']) {
        let Ok(rest) = std::str::from_utf8(body) else { return };
        request.uri(format!("{place}{rest}")).body(Body::empty())
    } else {
        let request = request.method("POST").uri(place).header("content-type", kind);
        request.header("accept", "application/json, text/event-stream").body(Body::from(body.to_vec()))
    };
    // An invalid address never becomes a request.
    let Ok(request) = request else { return };
    SERVICE.with(|service| {
        let Service { place, router } = service.get_or_init(|| {
            let place = Place::new();
            let workspaces = [place.workspace.clone()];
            let server = Server::new(ServerConfig::default(), &workspaces, Models::default(), Method::Paths);
            let router = server.unwrap().router();
            Service { place, router }
        });
        place.runtime.block_on(async {
            let response = router.clone().oneshot(request).await.unwrap();
            let status = response.status().as_u16();
            let body = to_bytes(response.into_body(), 16 << 20).await.unwrap();
            assert!(status != 500, "{}", String::from_utf8_lossy(&body));
        });
    });
}
