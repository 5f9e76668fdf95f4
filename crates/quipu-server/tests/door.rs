//! Admission: programs and the server's own page are admitted; pages of other sites and requests
//! with two hosts are not.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use std::time::Duration;

use quipu_server::ServerConfig;
use reqwest::RequestBuilder;
use serde_json::json;
use support::{Running, config, no_model, ok, serve};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const ASK: [(&str, &str); 1] = [("query", "ASK {}")];

/// The ways in which a page may make a browser send requests to the server.
fn ways(server: &Running) -> Vec<(&'static str, RequestBuilder)> {
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    vec![
        ("form", server.client.post(format!("{}/sparql", server.base)).form(&ASK)),
        ("query", server.get("/sparql").query(&ASK)),
        ("mcp", server.post("/mcp", &list).header("accept", "application/json, text/event-stream")),
        ("status", server.get("/api/v1/status")),
    ]
}

/// Sends each with a browser's headers; returns the number of admitted requests.
async fn let_in(server: &Running, headers: &[(&str, &str)]) -> usize {
    let mut count = 0;
    for (way, mut request) in ways(server) {
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.unwrap();
        match response.status().as_u16() {
            200 => count += 1,
            403 => {
                let text = response.text().await.unwrap();
                assert!(text.contains("origin_forbidden"), "{way}: {text}");
            }
            other => panic!("{way} with {headers:?}: {other}"),
        }
    }
    count
}

#[tokio::test]
async fn pages_of_other_sites_may_not_use_the_server() {
    let cors = vec!["https://friend.example".into()];
    let server = serve(ServerConfig { cors, ..config() }, no_model().await).await;
    let own = server.base.clone();
    let all = ways(&server).len();
    assert_eq!(let_in(&server, &[]).await, all, "a program");
    assert_eq!(let_in(&server, &[("origin", &own)]).await, all, "the page, in an old browser");
    let own_page = [("origin", "https://proxy.example"), ("sec-fetch-site", "same-origin")];
    assert_eq!(let_in(&server, &own_page).await, all, "the page, behind a proxy");
    assert_eq!(let_in(&server, &[("sec-fetch-site", "none")]).await, all, "a typed address");
    let friend = [("origin", "https://friend.example"), ("sec-fetch-site", "cross-site")];
    assert_eq!(let_in(&server, &friend).await, all);
    for origin in ["https://evil.example", "null", "http://localhost.evil.example", "http://localhost:1"] {
        assert_eq!(let_in(&server, &[("origin", origin)]).await, 0, "{origin}");
        let told = [("origin", origin), ("sec-fetch-site", "cross-site")];
        assert_eq!(let_in(&server, &told).await, 0, "{origin}");
    }
    // Another port of this machine is another site too.
    let image = [("sec-fetch-site", "same-site"), ("sec-fetch-mode", "no-cors"), ("sec-fetch-dest", "image")];
    assert_eq!(let_in(&server, &image).await, 0);
    let frame =
        [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];
    assert_eq!(let_in(&server, &frame).await, 0);
    // A followed link: read-only requests are admitted.
    let link =
        [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
    assert_eq!(let_in(&server, &link).await, 2);
    // Paths that reveal nothing about the graph are open to all.
    ok(server.get("/healthz").header("origin", "https://evil.example")).await;
}

/// The server's reply to a raw request.
async fn answer(server: &Running, request: &str) -> String {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut said = Vec::new();
    let reading = stream.read_to_end(&mut said);
    tokio::time::timeout(Duration::from_secs(30), reading).await.unwrap().unwrap();
    String::from_utf8_lossy(&said).into_owned()
}

#[tokio::test]
async fn a_host_is_named_once() {
    let server = serve(config(), no_model().await).await;
    let host = server.address.to_string();
    for (target, hosts, status) in [
        ("/healthz".to_owned(), vec![host.as_str()], 200),
        ("/healthz".to_owned(), vec![&host, &host], 400),
        ("/healthz".to_owned(), vec![&host, "evil.example"], 400),
        ("/healthz".to_owned(), vec!["evil.example"], 403),
        (format!("http://{host}/healthz"), vec![&host], 200),
        (format!("http://{host}/healthz"), vec!["evil.example"], 400),
        ("http://evil.example/healthz".to_owned(), vec![&host], 400),
    ] {
        let lines: String = hosts.iter().map(|host| format!("Host: {host}\r\n")).collect();
        let said =
            answer(&server, &format!("GET {target} HTTP/1.1\r\n{lines}Connection: close\r\n\r\n")).await;
        assert!(said.starts_with(&format!("HTTP/1.1 {status}")), "{target} {hosts:?}: {said}");
    }
}
