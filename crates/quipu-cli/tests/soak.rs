//! A server process under long use: questions of every kind, streams that are abandoned, a model
//! that dies, imports and new documents meanwhile. Afterwards its memory, open files and threads
//! are as before, and nothing is stuck.
//!
//! A few seconds by default; `make soak MINUTES=60` (`QUIPU_SOAK_MINUTES`) runs longer.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support;
use support::endpoint::{answer, chat_reply, endpoint};
use support::server::{Serving, start};
use support::{Bench, PLACES};

/// Clients at work at once.
const CLIENTS: u64 = 3;

/// A model that answers, refuses, breaks off, hangs for a moment or talks rubbish, in turn.
fn dying_model() -> String {
    let calls = AtomicU64::new(0);
    endpoint(move |mut stream: TcpStream| {
        let call = calls.fetch_add(1, Ordering::Relaxed);
        std::thread::spawn(move || match call % 5 {
            0 => answer(stream, "200 OK", &chat_reply(r#"{"answers": ["Lima"]}"#)),
            1 => answer(stream, "503 Service Unavailable", "{}"),
            2 => {
                let _ = stream.write_all(
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{\"cho",
                );
            }
            3 => {
                std::thread::sleep(Duration::from_millis(300));
                drop(stream);
            }
            _ => answer(stream, "200 OK", "<html>not a model</html>"),
        });
    })
}

/// The resources of a process: KiB of memory, open files, threads.
fn held(server: &Serving) -> (u64, usize, u64) {
    let process = format!("/proc/{}", server.child.id());
    let status = std::fs::read_to_string(format!("{process}/status")).unwrap();
    let number = |name: &str| -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches("kB").trim().parse().unwrap()
    };
    let files = std::fs::read_dir(format!("{process}/fd")).unwrap().count();
    (number("VmRSS:"), files, number("Threads:"))
}

/// A stream that is abandoned after its first bytes.
fn leave_a_stream(server: &Serving, body: &serde_json::Value) {
    let Ok(mut stream) = TcpStream::connect(&server.address) else { return };
    let _ = stream.set_read_timeout(Some(Duration::from_secs(5)));
    let body = body.to_string();
    let head = "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json";
    let _ = write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let _ = stream.read(&mut [0; 16]);
}

/// A call of the tool `ask_question` over MCP.
fn call_tool(server: &Serving, question: &str) {
    let arguments = json!({ "question": question, "method": "paths" });
    let params = json!({ "name": "ask_question", "arguments": arguments });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                Content-Type: application/json\r\nAccept: application/json, text/event-stream";
    write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut said = String::new();
    stream.read_to_string(&mut said).unwrap();
    assert!(said.starts_with("HTTP/1.1 200") && said.contains("\"result\""), "{said}");
}

/// One request, of a kind that its number chooses.
fn ask(server: &Serving, number: u64) {
    let question =
        ["What is the capital of Peru?", "Which countries border Peru?", "Why?"][number as usize % 3];
    let post = |path: &str, body: &serde_json::Value| {
        let (status, said) = server.post(path, body).unwrap_or((0, json!("no answer")));
        // A dying model gives an answer with a note, or its own error; never an error of the
        // server.
        assert!(status != 0 && status != 500, "{path}: {status} {said}");
    };
    match number % 10 {
        0 => post("/api/v1/ask", &json!({ "question": question, "method": "paths", "timeout": 5 })),
        1 => post("/api/v1/ask", &json!({ "question": question, "method": "kerag", "timeout": 5 })),
        2 => {
            let messages = json!([{ "role": "user", "content": question }]);
            leave_a_stream(server, &json!({ "model": "quipu/kerag", "stream": true, "messages": messages }));
        }
        3 => {
            let found = server.get("/sparql?query=SELECT%20*%20%7B%3Fs%20%3Fp%20%3Fo%7D");
            assert!(found.starts_with("HTTP/1.1 200"), "{found}");
        }
        4 => post("/api/v1/link", &json!({ "text": question })),
        5 => {
            let found = server.get("/api/v1/entities/https:%2F%2Fexample.org%2Fgeo%2Fperu");
            assert!(found.starts_with("HTTP/1.1 200") && found.contains("Lima"), "{found}");
        }
        6 => post("/v1/responses", &json!({ "model": "quipu/paths", "input": question })),
        7 => call_tool(server, question),
        8 => {
            let found = server.get("/api/v1/search?in=names&q=Lima");
            assert!(found.starts_with("HTTP/1.1 200") && found.contains("Lima"), "{found}");
        }
        _ => post("/api/v1/ask", &json!({ "quest": 7 })),
    }
}

/// Asks for `length`, while the workspace is imported anew and documents change. Returns the number
/// of requests, and the memory after each change.
fn use_it(bench: &Bench, server: &Serving, length: Duration) -> (u64, Vec<u64>) {
    let (over, requests) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut memory = Vec::new();
    std::thread::scope(|scope| {
        let (over, requests) = (&over, &requests);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                scope.spawn(move || {
                    for number in (client * 3).. {
                        if over.load(Ordering::Relaxed) {
                            break;
                        }
                        ask(server, number);
                        requests.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        let started = Instant::now();
        for change in 0_u64.. {
            if started.elapsed() >= length || clients.iter().any(std::thread::ScopedJoinHandle::is_finished) {
                break;
            }
            let arguments: &[&str] = match change % 3 {
                0 => &["import", "places", "places.ttl", "--no-embeddings"],
                1 => &["documents", "add", "places", "Lima.md", "--no-embeddings"],
                _ => &["documents", "remove", "places", "Lima.md"],
            };
            let outcome = bench.run(arguments);
            if outcome.code != Some(0) {
                // Otherwise the clients would run forever.
                over.store(true, Ordering::Relaxed);
                outcome.succeeded();
            }
            std::thread::sleep(Duration::from_millis(500));
            memory.push(held(server).0);
        }
        over.store(true, Ordering::Relaxed);
    });
    (requests.load(Ordering::Relaxed), memory)
}

fn median(numbers: &[u64]) -> u64 {
    let mut numbers = numbers.to_vec();
    numbers.sort_unstable();
    numbers[numbers.len() / 2]
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_is_used_for_long_holds_no_more_than_before() {
    let bench = Bench::new();
    bench.write("places.ttl", PLACES);
    bench.write("Lima.md", "# Lima\n\nLima lies by the sea.\n");
    bench.run(&["import", "places", "places.ttl", "--no-embeddings"]).succeeded();
    let mut command = bench.command(&["serve", "places", "--port", "0", "--llm", "openai:parrot"]);
    let server = start(command.env("OPENAI_BASE_URL", dying_model()).env("OPENAI_API_KEY", "none"));
    let minutes: Option<f64> = std::env::var("QUIPU_SOAK_MINUTES").ok().map(|text| text.parse().unwrap());
    let length = minutes.map_or(Duration::from_secs(4), |minutes| Duration::from_secs_f64(60.0 * minutes));
    // Warm-up: caches are filled and threads are started.
    let bench = Arc::new(bench);
    let (warm, _) = use_it(&bench, &server, length / 4);
    server.wait_for("quipu_connections", 1.0);
    let before = held(&server);
    let (requests, memory) = use_it(&bench, &server, length * 3 / 4);
    server.wait_for("quipu_connections", 1.0);
    let after = held(&server);
    let requests = warm + requests;
    println!("{requests} requests in {length:?}; KiB, files and threads: {before:?} before, {after:?} after");
    // The memory of the run's last quarter beside that of its third one. A short run on a slow
    // machine may have too few changes.
    let quarter = memory.len() / 3;
    if quarter > 0 {
        let (earlier, last) = memory.split_at(memory.len() - quarter);
        let (third, last) = (median(&earlier[earlier.len() - quarter..]), median(last));
        println!("KiB: {third} in the third quarter, {last} in the last one");
        assert!(last <= third + third / 20 + (8 << 10), "memory grew from {third} to {last} KiB: {memory:?}");
    }
    assert!(after.1 <= before.1 + 16, "open files: {before:?} before, {after:?} after");
    assert!(after.2 <= before.2 + 8, "threads: {before:?} before, {after:?} after");
    // Nothing is stuck: a new request is answered at once.
    let started = Instant::now();
    ask(&server, 5);
    assert!(started.elapsed() < Duration::from_secs(5));
}
