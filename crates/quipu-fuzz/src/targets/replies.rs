//! Replies of the services that Quipu asks: language models, SPARQL endpoints, APIs. A server on
//! this machine replies with the input to every request.

use std::sync::{Arc, Mutex, OnceLock};

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::{CONNECTION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use quipu_graph::{
    ApiConfig, ApiGraph, ApiParts, Catalogue, EndpointConfig, EndpointGraph, EndpointParts, Graph as _,
    GraphError, KindId, OperationId, QueryOptions, RelationId,
};
use quipu_model::{
    ChatReply, ChatRequest, Embedder as _, HttpEmbedder, HttpModel, LanguageModel as _, Message, ModelError,
    ScoreRequest, Tool, ask_json, ask_tool, choose,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use super::wire::{LIBRARY, LIBRARY_MANIFEST};
use crate::scratch;

/// Mostly successes: a refused request reads no more than the body's words.
const STATUSES: [StatusCode; 8] = [
    StatusCode::OK,
    StatusCode::OK,
    StatusCode::OK,
    StatusCode::OK,
    StatusCode::OK,
    StatusCode::BAD_REQUEST,
    StatusCode::NOT_FOUND,
    StatusCode::SERVICE_UNAVAILABLE,
];

/// The server's reply.
#[derive(Clone, Default)]
struct Said {
    status: StatusCode,
    body: Vec<u8>,
}

impl IntoResponse for Said {
    fn into_response(self) -> Response {
        let kind = if self.body.starts_with(b"<html") { "text/html" } else { "application/json" };
        // Closed by the server: a connection that a client closes first keeps one of its ports for
        // a minute, and each input has a client of its own.
        let headers = [(CONTENT_TYPE, kind), (CONNECTION, "close")];
        (self.status, headers, self.body).into_response()
    }
}

/// A server on this machine, in the runtime of its clients.
struct Server {
    runtime: Runtime,
    url: String,
    said: Arc<Mutex<Said>>,
}

impl Server {
    fn start() -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let said = Arc::new(Mutex::new(Said::default()));
        let shared = Arc::clone(&said);
        let router = Router::new().fallback(move || {
            let reply = shared.lock().unwrap().clone();
            async move { reply }
        });
        let url = runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            let url = format!("http://{}", listener.local_addr().unwrap());
            tokio::spawn(async move { axum::serve(listener, router).await });
            url
        });
        Self { runtime, url, said }
    }
}

thread_local! {
    /// Each thread has its own. It lives until the process ends: a runtime with tasks is not to be
    /// dropped among a thread's last data.
    static SERVER: &'static Server = Box::leak(Box::new(Server::start()));
}

/// The server, which replies with this status and body from now on.
fn saying(status: u8, body: &[u8]) -> &'static Server {
    let server = SERVER.with(|server| *server);
    let status = STATUSES[usize::from(status) % STATUSES.len()];
    *server.said.lock().unwrap() = Said { status, body: body.to_vec() };
    server
}

/// A reply of an OpenAI-compatible endpoint. The first byte chooses what is asked, the second the
/// status.
pub(super) fn chat(bytes: &[u8]) {
    let [which, status, body @ ..] = bytes else { return };
    let server = saying(*status, body);
    if let Err(error) = server.runtime.block_on(talk(&server.url, *which)) {
        let of_the_endpoint = matches!(
            error,
            ModelError::Foreign { .. }
                | ModelError::Refused { .. }
                | ModelError::TooLong { .. }
                | ModelError::Unreachable { .. }
                | ModelError::Unreadable { .. }
                | ModelError::Unsupported { .. }
        );
        assert!(of_the_endpoint && !error.to_string().is_empty(), "{error:?}");
    }
}

async fn talk(url: &str, which: u8) -> Result<(), ModelError> {
    let config = quipu_model::EndpointConfig { attempts: 1, ..quipu_model::EndpointConfig::at(url) };
    if which % 6 == 5 {
        let embedder = HttpEmbedder::connect("any", config).await?;
        let made = embedder.embed(&["salt"]).await?;
        assert_eq!((made.len(), made.dimensions()), (1, embedder.dimensions()));
        assert!(made.values().iter().all(|value| value.is_finite()), "{:?}", made.values());
        return Ok(());
    }
    let model = HttpModel::new("any", config)?.with_scores();
    let messages = vec![Message::user("Where does Gorwen lie?")];
    if which % 6 == 4 {
        let request = ScoreRequest {
            stage: "plan".into(),
            messages,
            continuations: vec!["on an island".into(), "inland".into()],
            timeout: std::time::Duration::from_secs(60),
        };
        let scores = model.score(&request).await?.scores;
        assert!(scores.len() == 2 && scores.iter().all(|(score, _)| score.is_finite()), "{scores:?}");
        return Ok(());
    }
    let request = ChatRequest { likelihood: true, ..ChatRequest::new("plan", messages) };
    let replies = match which % 6 {
        0 => vec![model.chat(&request).await?],
        1 => {
            let options = ["an island", "a river", "a lake"].map(str::to_owned);
            let (chosen, replies) = choose(&model, &request, &options).await?;
            assert!(chosen < options.len());
            replies
        }
        2 => {
            let hops = json!({ "type": "integer" });
            let schema = json!({ "type": "object", "properties": { "hops": hops }, "required": ["hops"] });
            ask_json::<Value>(&model, &request, &schema).await?.1
        }
        _ => {
            let parameters = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
            let find = Tool { name: "find".into(), description: "finds an entity".into(), parameters };
            let (call, replies) = ask_tool(&model, &request, &[find]).await?;
            assert_eq!(call.tool, "find");
            replies
        }
    };
    replies.iter().for_each(check_reply);
    Ok(())
}

/// A reply can be stored and read again, and its costs can be added up.
fn check_reply(reply: &ChatReply) {
    let stored = serde_json::to_string(reply).unwrap();
    assert!(serde_json::from_str::<ChatReply>(&stored).is_ok(), "{stored}");
    let mut sum = reply.usage;
    sum += reply.usage;
    assert!(sum.prompt_tokens + sum.completion_tokens >= sum.reused_tokens, "{sum:?}");
}

/// An error is the service's or the user's, never one of the disk or of Quipu itself.
fn check_error(error: &GraphError) {
    let own = matches!(error, GraphError::Io { .. } | GraphError::Corrupt { .. } | GraphError::Internal(_));
    assert!(!own && !error.to_string().is_empty(), "{error:?}");
}

/// The catalogue of an endpoint with two relations.
const CATALOGUE: &str = r#"{
  "version": 1, "server": "Any", "notes": [], "schema": [],
  "profile": { "name": "any", "label": ["http://e.org/called"] },
  "description": { "name": "any", "triples": 9, "entities": 9, "literals": 0, "relations": 2, "types": 0, "documents": 0 },
  "relations": [
    { "key": "http://e.org/called", "name": "called", "role": "label", "triples": 9, "heads": 9, "tails": 9 },
    { "key": "http://e.org/p", "name": "p", "role": "ordinary", "triples": 9, "heads": 1, "tails": 9 }
  ]
}"#;
const QUERIES: [&str; 3] =
    ["SELECT ?s ?o WHERE { ?s ?p ?o }", "ASK { ?s ?p ?o }", "CONSTRUCT WHERE { ?s ?p ?o }"];

/// A reply of a SPARQL endpoint. The first byte chooses what is asked, the second the status.
pub(super) fn endpoint(bytes: &[u8]) {
    static CATALOGUE_READ: OnceLock<Catalogue> = OnceLock::new();
    let [which, status, body @ ..] = bytes else { return };
    let catalogue = CATALOGUE_READ.get_or_init(|| {
        let folder = scratch::folder();
        let path = folder.path().join("catalogue.json");
        std::fs::write(&path, CATALOGUE).unwrap();
        Catalogue::read(&path).unwrap()
    });
    let server = saying(*status, body);
    // Small pages and batches, so that an input of some hundred bytes fills them.
    let config = EndpointConfig {
        url: server.url.clone(),
        attempts: 1,
        page: 5,
        whole: 10,
        batch: 2,
        ..EndpointConfig::default()
    };
    let parts = EndpointParts { config, catalogue: catalogue.clone(), names: None, cache: None };
    let graph = EndpointGraph::open(parts).unwrap();
    if let Err(error) = server.runtime.block_on(query(&graph, *which)) {
        check_error(&error);
    }
}

async fn query(graph: &EndpointGraph, which: u8) -> Result<(), GraphError> {
    let keys = ["http://e.org/a", "http://e.org/b"];
    let nodes = keys.map(|key| graph.node_of_key(key));
    match which % 7 {
        0 => assert_eq!(graph.resolve(&keys).await?.len(), 2),
        1 => {
            for limit in [1, 7, 100] {
                let expanded = graph.expand(&nodes, None, limit).await?;
                assert_eq!(expanded.len(), 2);
                assert!(expanded.iter().flatten().all(|expansion| expansion.nodes.len() <= limit));
            }
        }
        2 => assert_eq!(graph.entities(&nodes).await?.len(), 2),
        3 => assert!(graph.sample_triples(RelationId(1), 3).await?.len() <= 3),
        other => {
            let text = QUERIES[usize::from(other - 4)];
            let mut written = Vec::new();
            graph.query(text, &QueryOptions::default(), &mut written).await?;
            assert!(std::str::from_utf8(&written).is_ok());
        }
    }
    Ok(())
}

/// How a response may be laid out, as manifests call it.
const SHAPES: [&str; 5] = ["auto", "columnar", "keyed", "columns", "rows"];

/// A response of an API. The first byte chooses the layout that the manifest states, or no
/// manifest; the second the status.
pub(super) fn api(bytes: &[u8]) {
    let [which, status, body @ ..] = bytes else { return };
    let server = saying(*status, body);
    let manifest = SHAPES.get(usize::from(*which) % (SHAPES.len() + 1)).map(|shape| {
        let laid_out = format!("[operation.searchBooks]\nshape = \"{shape}\"\n");
        let manifest = LIBRARY_MANIFEST.replace("[operation.searchBooks]\n", &laid_out);
        manifest.replace("shape = \"keyed\"", &format!("shape = \"{shape}\""))
    });
    let config = ApiConfig {
        openapi: "library.json".into(),
        base: Some(server.url.clone()),
        allow_hosts: vec!["127.0.0.1".into()],
        attempts: 1,
        ..ApiConfig::default()
    };
    let parts = ApiParts { name: "library".into(), config, document: LIBRARY.into(), manifest, cache: None };
    let api = ApiGraph::open(parts).unwrap();
    server.runtime.block_on(async {
        for outcome in [call(&api).await, find(&api).await] {
            outcome.unwrap_or_else(|error| check_error(&error));
        }
    });
}

/// Every operation, with a value that suits each of its parameters.
async fn call(api: &ApiGraph) -> Result<(), GraphError> {
    for (at, operation) in api.service().operations.iter().enumerate() {
        let names = operation.takes.iter().map(|taken| taken.parameter.name.clone());
        let arguments: Vec<(String, Vec<String>)> = names.map(|name| (name, vec!["1".to_owned()])).collect();
        for record in api.call(OperationId(at), &arguments).await?.iter() {
            assert!(!record.fields.is_empty() && !record.to_line().is_empty(), "{record:?}");
            assert!(record.fields.iter().all(|field| !field.values.is_empty()), "{record:?}");
        }
    }
    Ok(())
}

/// Entities by name, and what is known of them.
async fn find(api: &ApiGraph) -> Result<(), GraphError> {
    for kind in (0..api.service().kinds.len()).map(KindId) {
        for found in api.find(kind, "Ada").await?.iter().take(2) {
            api.label(found.kind, &found.key).await?;
            api.records_of(found.kind, &found.key).await?;
            let expanded = api.expand(&[found.node], None, 10).await?;
            for expansion in expanded.iter().flatten() {
                assert!(expansion.nodes.len() <= 10);
                assert_eq!(api.summaries(&expansion.nodes).await?.len(), expansion.nodes.len());
            }
        }
    }
    Ok(())
}
