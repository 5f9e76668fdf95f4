//! Rights: each operation with each kind of key, for each workspace, as one table.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;

use quipu_server::{KeyConfig, ServerConfig, key_hash};
use reqwest::RequestBuilder;
use serde_json::{Value, json};

use crate::support;
use support::{Running, config, import, no_model, ok, serve_workspaces};

/// Operations without a workspace.
const OF_ALL: [(&str, &str); 6] = [
    ("get", "/healthz"),
    ("get", "/readyz"),
    ("get", "/openapi.json"),
    ("get", "/metrics"),
    ("get", "/v1/models"),
    ("get", "/api/v1/status"),
];
/// Operations on a workspace, as the server describes them.
const OF_ONE: [(&str, &str); 16] = [
    ("post", "/api/v1/ask"),
    ("post", "/api/v1/compare"),
    ("post", "/api/v1/feedback"),
    ("post", "/api/v1/link"),
    ("get", "/api/v1/entities"),
    ("get", "/api/v1/entities/{id}"),
    ("get", "/api/v1/neighbourhood"),
    ("get", "/api/v1/overview"),
    ("get", "/api/v1/search"),
    ("get", "/api/v1/starters"),
    ("get", "/api/v1/tables/{table}"),
    ("get", "/sparql"),
    ("post", "/sparql"),
    ("get", "/v1/models/{id}"),
    ("post", "/v1/chat/completions"),
    ("post", "/v1/responses"),
];
const TOOLS: [&str; 7] = [
    "ask_question",
    "find_entities",
    "get_entity",
    "list_relations",
    "expand_neighbourhood",
    "search_documents",
    "run_sparql_query",
];
const KEYS: [Option<&str>; 4] = [None, Some("wrong"), Some("opens films"), Some("opens all")];

fn request(server: &Running, (verb, path): (&str, &str), workspace: &str) -> RequestBuilder {
    let ask = json!({ "question": "Who directed Tonio?", "workspace": workspace, "method": "paths" });
    let query = |path: &str| server.get(path).query(&[("workspace", workspace)]);
    match (verb, path) {
        ("post", "/api/v1/ask") => server.post(path, &ask),
        ("post", "/api/v1/compare") => server.post(path, &json!({ "ask": ask, "methods": ["paths"] })),
        ("post", "/api/v1/feedback") => {
            server.post(path, &json!({ "question": "x", "workspace": workspace, "right": true }))
        }
        ("post", "/api/v1/link") => server.post(path, &json!({ "text": "Tonio", "workspace": workspace })),
        ("get", "/api/v1/entities") => query(path).query(&[("name", "Tonio")]),
        ("get", "/api/v1/entities/{id}") => query("/api/v1/entities/Tonio"),
        ("get", "/api/v1/neighbourhood") => query(path).query(&[("id", "Tonio")]),
        ("get", "/api/v1/overview" | "/api/v1/starters") => query(path),
        ("get", "/api/v1/tables/{table}") => query("/api/v1/tables/thing"),
        ("get", "/api/v1/search") => query(path).query(&[("q", "Tonio")]),
        ("get", "/sparql") => query(path).query(&[("query", "ASK {}")]),
        ("post", "/sparql") => {
            let request = server.client.post(format!("{}{path}", server.base));
            request.query(&[("workspace", workspace)]).form(&[("query", "ASK {}")])
        }
        ("get", "/v1/models/{id}") => server.get(&format!("/v1/models/{workspace}/paths")),
        ("post", "/v1/responses") => {
            let model = format!("{workspace}/paths");
            server.post(path, &json!({ "model": model, "input": "Who directed Tonio?" }))
        }
        ("post", "/v1/chat/completions") => {
            let messages = json!([{ "role": "user", "content": "Who directed Tonio?" }]);
            server.post(path, &json!({ "model": format!("{workspace}/paths"), "messages": messages }))
        }
        other => panic!("no request is written for {other:?}"),
    }
}

fn tool(server: &Running, name: &str, workspace: &str) -> RequestBuilder {
    let mut arguments = json!({ "workspace": workspace });
    let own = match name {
        "ask_question" => json!({ "question": "Who directed Tonio?" }),
        "find_entities" => json!({ "name": "Tonio" }),
        "get_entity" | "expand_neighbourhood" => json!({ "id": "Tonio" }),
        "search_documents" | "run_sparql_query" => json!({ "query": "ASK {}" }),
        _ => json!({}),
    };
    arguments.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    let params = json!({ "name": name, "arguments": arguments });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    server.post("/mcp", &call).header("accept", "application/json, text/event-stream")
}

fn with(request: RequestBuilder, key: Option<&str>) -> RequestBuilder {
    match key {
        Some(key) => request.bearer_auth(key),
        None => request,
    }
}

/// The code of a refusal for lack of rights; `open` for everything else.
async fn outcome(request: RequestBuilder) -> String {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    let of_rights = ["invalid_api_key", "workspace_forbidden"];
    // An error of a tool is a successful response.
    match of_rights.iter().find(|code| text.contains(**code)) {
        Some(code) => (*code).to_owned(),
        None if text.contains("does not open the workspace") => "workspace_forbidden".into(),
        None => {
            assert!(
                status == 200 || text.contains("without vectors") || text.contains("documents"),
                "{status}: {text}"
            );
            "open".into()
        }
    }
}

async fn server() -> Running {
    let key = |name: &str, workspaces: Vec<String>| KeyConfig {
        name: name.into(),
        hash: key_hash(name),
        workspaces,
        per_minute: None,
        tokens_per_day: None,
    };
    let keys = vec![key("opens films", vec!["films".into()]), key("opens all", Vec::new())];
    let folder = tempfile::tempdir().unwrap();
    let workspaces = [
        import(folder.path(), "films", support::FILMS).await,
        import(folder.path(), "secrets", "Tonio\tknows\tHidden Person\n").await,
    ];
    let settings = ServerConfig { keys, feedback: true, ..config() };
    serve_workspaces(folder, settings, no_model().await, &workspaces).await
}

#[tokio::test]
async fn every_operation_asks_for_the_right_key() {
    let server = server().await;
    let described = ok(server.get("/openapi.json")).await;
    let mut operations = BTreeSet::new();
    for (path, verbs) in described["paths"].as_object().unwrap() {
        operations.extend(verbs.as_object().unwrap().keys().map(|verb| (verb.as_str(), path.as_str())));
    }
    let known: BTreeSet<(&str, &str)> = OF_ALL.into_iter().chain(OF_ONE).collect();
    let unknown: Vec<_> = operations.difference(&known).collect();
    assert!(unknown.is_empty(), "operations that this table does not have: {unknown:?}");

    let mut table = String::new();
    for (verb, path) in OF_ALL {
        let open = ["/healthz", "/readyz", "/openapi.json"].contains(&path);
        for key in KEYS {
            let found = outcome(with(server.get(path), key)).await;
            let wanted = if open || key.is_some_and(|key| key.starts_with("opens")) {
                "open"
            } else {
                "invalid_api_key"
            };
            if found != wanted {
                writeln!(table, "{verb} {path}, key {key:?}: {found}, wanted {wanted}").unwrap();
            }
        }
    }
    for workspace in ["films", "secrets"] {
        for key in KEYS {
            let refused = if workspace == "secrets" { "workspace_forbidden" } else { "open" };
            let wanted = match key {
                Some("opens all") => "open",
                Some("opens films") => refused,
                _ => "invalid_api_key",
            };
            for (verb, path) in OF_ONE {
                let found = outcome(with(request(&server, (verb, path), workspace), key)).await;
                if found != wanted {
                    writeln!(table, "{verb} {path} of {workspace}, key {key:?}: {found}, wanted {wanted}")
                        .unwrap();
                }
            }
            for name in TOOLS {
                let found = outcome(with(tool(&server, name, workspace), key)).await;
                if found != wanted {
                    writeln!(table, "tool {name} of {workspace}, key {key:?}: {found}, wanted {wanted}")
                        .unwrap();
                }
            }
        }
    }
    assert!(table.is_empty(), "{table}");
}

/// Operations on all workspaces list only those that the key opens.
#[tokio::test]
async fn a_key_hears_nothing_of_workspaces_that_it_does_not_open() {
    let server = server().await;
    // Another key uses the workspace first, so that there is something to leak.
    ok(with(request(&server, ("post", "/api/v1/ask"), "secrets"), Some("opens all"))).await;
    let list = |method: &str| {
        let list = json!({ "jsonrpc": "2.0", "id": 1, "method": method });
        server.post("/mcp", &list).header("accept", "application/json, text/event-stream")
    };
    for (what, request) in [
        ("models", server.get("/v1/models")),
        ("status", server.get("/api/v1/status")),
        ("metrics", server.get("/metrics")),
        ("resources", list("resources/list")),
        ("tools", list("tools/list")),
        (
            "the workspace that is meant where none is named",
            request(&server, ("get", "/api/v1/entities"), "films"),
        ),
    ] {
        let text = with(request, Some("opens films")).send().await.unwrap().text().await.unwrap();
        assert!(!text.contains("secrets") && !text.contains("Hidden"), "{what}: {text}");
    }
    let unnamed: Value = ok(with(server.get("/api/v1/entities?name=Tonio"), Some("opens films"))).await;
    assert!(!unnamed.to_string().contains("Hidden"), "{unnamed}");
    // The tool list of MCP and this table name the same tools.
    let tools = with(list("tools/list"), Some("opens all")).send().await.unwrap().text().await.unwrap();
    assert_eq!(tools.matches("\"inputSchema\"").count(), TOOLS.len(), "{tools}");
    assert!(TOOLS.iter().all(|name| tools.contains(&format!("\"{name}\""))), "{tools}");
}
