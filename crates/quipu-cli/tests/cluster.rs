//! Several machines: two servers without state, one Virtuoso, one model server; and the death of
//! one server.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::{servers, support};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use support::endpoint::{answer, chat_reply, endpoint};
use support::server::{Serving, start};
use support::{Bench, PLACES};

/// With these cards, `paths` asks the model only to restate follow-ups.
const CARDS: &str = r#"
[relation."https://example.org/geo/capital"]
head_kind = "country"
tail_kind = "city"
forward = "the capital of X"
backward = "the country whose capital is X"
words_forward = ["capital"]
words_backward = ["country"]

[relation."https://example.org/geo/neighbour"]
head_kind = "country"
tail_kind = "country"
forward = "the neighbours of X"
backward = "the neighbours of X"
words_forward = ["neighbour", "neighbours"]
words_backward = ["neighbour", "neighbours"]

[relation."https://example.org/geo/population"]
head_kind = "place"
tail_kind = "number"
forward = "the population of X"
backward = "the places with the population X"
words_forward = ["population", "people"]
words_backward = ["places"]
"#;

/// A follow-up, which needs the model server to be understood and the graph to be answered.
fn follow_up() -> Value {
    json!({
        "model": "quipu/paths",
        "messages": [
            { "role": "user", "content": "what is the population of Peru?" },
            { "role": "assistant", "content": "31989256" },
            { "role": "user", "content": "capital?" },
        ],
    })
}

fn answers_well(server: &Serving) -> bool {
    let Some((status, reply)) = server.post("/v1/chat/completions", &follow_up()) else { return false };
    assert_eq!(status, 200, "{reply}");
    assert_eq!(
        (&reply["quipu"]["answers"], &reply["quipu"]["grounded"]),
        (&json!(["Lima"]), &json!(true)),
        "{reply}"
    );
    true
}

/// A server process with a copy of the workspace of its own, as on a machine of its own.
fn serve(bench: &Bench, name: &str, model_server: &str) -> Serving {
    copy(&bench.path("places"), &bench.path(&format!("{name}/places")));
    let workspace = format!("{name}/places");
    let mut command = bench.command(&["serve", &workspace, "--port", "0", "--llm", "openai:parrot"]);
    // The embedder that `make test` fetches.
    let models = quipu_model::Registry::open().unwrap().folder().to_owned();
    start(
        command
            .env("QUIPU_MODELS", models)
            .env("OPENAI_BASE_URL", model_server)
            .env("OPENAI_API_KEY", "none"),
    )
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let (entry, place) = (entry.unwrap().path(), to);
        let place = place.join(entry.file_name().unwrap());
        if entry.is_dir() { copy(&entry, &place) } else { std::fs::copy(&entry, &place).map(|_| ()).unwrap() }
    }
}

#[test]
fn two_servers_share_a_graph_and_a_model_and_outlive_each_other() {
    let bench = Bench::new();
    bench.write("places.ttl", PLACES);
    bench.run(&["import", "imported", "places.ttl", "--no-embeddings"]).succeeded();
    let everything = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }";
    let triples = bench.run(&["query", "imported", everything, "--format", "ntriples"]).succeeded().stdout;
    let Some(virtuoso) = servers::virtuoso(&triples, 10_000) else { return };
    let graph = virtuoso.graphs[0].clone();
    let source = [
        "source",
        "add",
        "places",
        "places",
        "--sparql",
        &virtuoso.url,
        "--graph",
        &graph,
        "--no-embeddings",
    ];
    bench.run(&source).succeeded();
    bench.write("places/relations.toml", CARDS);
    let asked = Arc::new(AtomicUsize::new(0));
    let model_server = {
        let asked = asked.clone();
        endpoint(move |stream| {
            asked.fetch_add(1, Ordering::Relaxed);
            answer(stream, "200 OK", &chat_reply(r#"{"question": "what is the capital of Peru?"}"#));
        })
    };
    let mut one = serve(&bench, "one", &model_server);
    let other = serve(&bench, "other", &model_server);
    assert!(answers_well(&one) && answers_well(&other));
    assert!(asked.load(Ordering::Relaxed) >= 2, "both ask the model server");

    // Clients of the first server, each continuing at the other after an interruption, as behind a
    // proxy; and one client of the other server only.
    let (retried, dead) = (AtomicUsize::new(0), AtomicBool::new(false));
    let until_after_its_death = |ask: &dyn Fn()| {
        while !dead.load(Ordering::SeqCst) {
            ask();
        }
        ask();
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                until_after_its_death(&|| {
                    if !answers_well(&one) {
                        retried.fetch_add(1, Ordering::SeqCst);
                        assert!(answers_well(&other));
                    }
                });
            });
        }
        scope.spawn(|| until_after_its_death(&|| assert!(answers_well(&other))));
        // Killed, not told to stop.
        let killed = std::process::Command::new("kill").args(["-9", &one.child.id().to_string()]).status();
        assert!(killed.unwrap().success());
        while TcpStream::connect(&one.address).is_ok() {
            std::thread::sleep(Duration::from_millis(5));
        }
        dead.store(true, Ordering::SeqCst);
    });
    one.child.wait().unwrap();
    assert!(retried.load(Ordering::SeqCst) >= 3, "the first server died under its clients");
    assert!(!answers_well(&one) && answers_well(&other));

    // A server without its graph reports that and names it. It still answers recent questions from
    // its cache.
    let url = virtuoso.url.clone();
    drop(virtuoso);
    assert!(answers_well(&other));
    let told = other.get("/sparql?query=SELECT%20%3Fs%20%7B%20%3Fs%20%3Fp%2017%20%7D");
    assert!(
        told.starts_with("HTTP/1.1 502") && told.contains("graph_error") && told.contains(&url),
        "{told}"
    );
    assert!(other.get("/healthz").starts_with("HTTP/1.1 200"));
}
