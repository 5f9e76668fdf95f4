//! Clients with many requests beside clients with few.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use std::time::Duration;

use quipu_server::{KeyConfig, ServerConfig, SparqlConfig, key_hash};
use support::{config, no_model, ok, serve};

const ASK: [(&str, &str); 1] = [("query", "ASK {}")];

fn key(name: &str) -> KeyConfig {
    let hash = key_hash(name);
    KeyConfig { name: name.into(), hash, workspaces: Vec::new(), per_minute: None, tokens_per_day: None }
}

#[tokio::test]
async fn a_cheap_query_does_not_wait_behind_heavy_ones() {
    let sparql = SparqlConfig { timeout: 20, concurrency: 1, ..SparqlConfig::default() };
    let keys = vec![key("heavy"), key("cheap")];
    let server = serve(ServerConfig { sparql, keys, ..config() }, no_model().await).await;
    let product: String = (0..12).map(|n| format!("?a{n} ?b{n} ?c{n} . ")).collect();
    let endless = format!("SELECT (COUNT(*) AS ?n) {{ {product} FILTER(?a0 = ?a11 && ?c3 = ?b9) }}");
    let heavy: Vec<_> = (0..6)
        .map(|_| {
            let request = server.get("/sparql").query(&[("query", &endless)]).bearer_auth("heavy");
            tokio::spawn(request.send())
        })
        .collect();
    for who in ["cheap", "heavy"] {
        // After the short turns of some of them, before the end of any.
        tokio::time::sleep(Duration::from_millis(400)).await;
        let answer = ok(server.get("/sparql").query(&ASK).bearer_auth(who)).await;
        assert_eq!(answer["boolean"], true);
        assert!(heavy.iter().all(|heavy| !heavy.is_finished()), "{who} waited for a heavy query");
    }
    heavy.iter().for_each(tokio::task::JoinHandle::abort);
}
