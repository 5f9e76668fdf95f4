//! Test servers: a small library, and CRAG's API as a replay of its published samples.

#![allow(dead_code, reason = "each test uses a part")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "set-up of tests"
)]

use quipu_graph::{ApiConfig, ApiGraph, ApiParts};
use serde_json::{Value, json};
use wiremock::matchers::{method, path, path_regex};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::skip;

pub const LIBRARY: &str = include_str!("library.json");
pub const LIBRARY_MANIFEST: &str = include_str!("library.toml");

fn authors() -> Value {
    json!([
        {"id": 1, "name": "Ada Berg", "born": "1911-05-04", "books": [10, 11], "teacher": {"name": "Otto Lind"}},
        {"id": 2, "name": "Ada Bergman", "born": "1950-01-02", "books": [12]}
    ])
}

fn books() -> Value {
    json!([
        {"id": 10, "title": "Salt Roads", "year": 1937, "author": 1, "pages": 310,
         "prizes": [{"name": "Orle Prize", "year": 1938, "won": true}, {"name": "Harbour Medal", "year": 1939, "won": false}]},
        {"id": 11, "title": "The Ninth Wave", "year": 1941, "author": 1, "pages": 280},
        {"id": 12, "title": "Salt and Ash", "year": 1988, "author": 2, "pages": 190}
    ])
}

/// The items that share a word with the query.
fn matching(items: &Value, field: &str, request: &Request) -> Vec<Value> {
    let query = request.url.query_pairs().find(|(name, _)| name == "q").map(|(_, text)| text.to_lowercase());
    let words: Vec<String> = query.unwrap_or_default().split_whitespace().map(str::to_owned).collect();
    let fits = |item: &&Value| {
        let name = item[field].as_str().unwrap().to_lowercase();
        words.iter().any(|word| name.split_whitespace().any(|own| own == word))
    };
    items.as_array().unwrap().iter().filter(fits).cloned().collect()
}

fn by_id(items: &Value, request: &Request) -> ResponseTemplate {
    let id = request.url.path().rsplit('/').next().and_then(|id| id.parse::<u64>().ok());
    match items.as_array().unwrap().iter().find(|item| item["id"].as_u64() == id) {
        Some(item) => ResponseTemplate::new(200).set_body_json(item),
        None => ResponseTemplate::new(404),
    }
}

pub async fn library() -> MockServer {
    let server = MockServer::start().await;
    let get = |pattern: &str| Mock::given(method("GET")).and(path_regex(pattern));
    get("^/v1/authors$")
        .respond_with(|r: &Request| ResponseTemplate::new(200).set_body_json(matching(&authors(), "name", r)))
        .mount(&server)
        .await;
    get("^/v1/books$")
        .respond_with(|r: &Request| ResponseTemplate::new(200).set_body_json(matching(&books(), "title", r)))
        .mount(&server)
        .await;
    get("^/v1/authors/[0-9]+$").respond_with(|r: &Request| by_id(&authors(), r)).mount(&server).await;
    get("^/v1/books/[0-9]+$").respond_with(|r: &Request| by_id(&books(), r)).mount(&server).await;
    get("^/v1/books/[0-9]+/loans$")
        .respond_with(|r: &Request| {
            let month =
                r.url.query_pairs().find(|(name, _)| name == "month").map(|(_, month)| month.into_owned());
            let all = [("2024-01-30", 2), ("2024-02-26", 3), ("2024-02-27", 5), ("2024-02-28", 1)];
            let rows =
                all.iter().filter(|(day, _)| month.as_deref().is_none_or(|month| day.starts_with(month)));
            ResponseTemplate::new(200).set_body_json(Value::Object(
                rows.map(|(day, loans)| ((*day).to_owned(), json!(loans))).collect(),
            ))
        })
        .mount(&server)
        .await;
    server
}

/// A graph over a server on this machine, which is allowed by name.
pub fn open(
    server: &MockServer,
    document: &str,
    manifest: Option<&str>,
    change: impl FnOnce(&mut ApiConfig),
) -> ApiGraph {
    let mut config = ApiConfig {
        openapi: "api.json".into(),
        base: Some(server.uri()),
        allow_hosts: vec!["127.0.0.1".into()],
        pause: 1,
        cache_hours: 0,
        ..ApiConfig::default()
    };
    change(&mut config);
    let parts = ApiParts {
        name: "api".into(),
        config,
        document: document.into(),
        manifest: manifest.map(str::to_owned),
        cache: None,
    };
    ApiGraph::open(parts).unwrap()
}

pub fn open_library(server: &MockServer) -> ApiGraph {
    open(server, LIBRARY, Some(LIBRARY_MANIFEST), |config| config.base = Some(format!("{}/v1", server.uri())))
}

/// CRAG's documents; `None` if they are not installed.
pub fn crag_files() -> Option<(String, Vec<Value>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/crag-api");
    let read = |name: &str| std::fs::read_to_string(format!("{folder}/{name}")).ok();
    let (Some(document), Some(samples)) = (read("openapi.json"), read("samples.json")) else {
        let shared = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
        skip::skip_without(shared.as_ref(), "the published exchanges of CRAG's API are missing");
        return None;
    };
    Some((document, serde_json::from_str(&samples).unwrap()))
}

/// Replays published exchanges: a call with the arguments of a sample returns its response, any
/// other call an empty one.
pub async fn crag(document: &str, samples: Vec<Value>) -> MockServer {
    let server = MockServer::start().await;
    let document: Value = serde_json::from_str(document).unwrap();
    for (place, item) in document["paths"].as_object().unwrap() {
        let function = place.trim_start_matches('/').replace('/', "_");
        // One operation has no sample. Its table has the layout of the daily prices.
        let has_sample = samples.iter().any(|s| s["function"] == json!(function));
        let played = if has_sample { function.as_str() } else { "finance_get_price_history" };
        let own: Vec<Value> = samples.iter().filter(|s| s["function"] == json!(played)).cloned().collect();
        let method_name = if item.get("post").is_some() { "POST" } else { "GET" };
        Mock::given(method(method_name))
            .and(path(place.as_str()))
            .respond_with(move |request: &Request| {
                let given: Vec<String> = match serde_json::from_slice::<Value>(&request.body) {
                    Ok(Value::Object(fields)) => fields.values().map(text).collect(),
                    _ => Vec::new(),
                };
                let fits = |sample: &&Value| {
                    let mut wanted: Vec<String> =
                        sample["arguments"].as_array().unwrap().iter().map(text).collect();
                    let mut given = given.clone();
                    wanted.sort();
                    given.sort();
                    wanted == given
                };
                let found =
                    own.iter().find(fits).map_or_else(|| json!({"result": null}), |s| s["response"].clone());
                ResponseTemplate::new(200).set_body_json(found)
            })
            .mount(&server)
            .await;
    }
    server
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
