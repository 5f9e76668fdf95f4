//! A server process under excessive load: ten thousand idle connections, bodies of a hundred
//! megabytes.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where something fails"
)]

use crate::support;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;
use support::Bench;
use support::server::{Serving, start};

/// Idle connections to hold where the system allows it.
const IDLE: u64 = 10_000;
/// Files that the test and its server need besides.
const REST: u64 = 400;

fn serve(settings: &str) -> (Bench, Serving) {
    let bench = Bench::with_places();
    bench.write("server.toml", settings);
    let serving = start(&mut bench.command(&[
        "serve",
        "places",
        "--port",
        "0",
        "--llm",
        "none",
        "--config",
        "server.toml",
    ]));
    (bench, serving)
}

#[test]
fn ten_thousand_idle_connections_keep_nobody_out() {
    // The time limit is longer than opening them all takes on any machine.
    let (_bench, server) = serve("[server]\nheader_timeout = 600\n");
    let allowed = rlimit::increase_nofile_limit(IDLE + REST).unwrap().saturating_sub(REST);
    let count = IDLE.min(allowed);
    if count < IDLE {
        eprintln!("only {count} of {IDLE} connections: this system allows no more open files (ulimit -Hn)");
    }
    let idle: Vec<TcpStream> = (0..count).map(|_| TcpStream::connect(&server.address).unwrap()).collect();
    server.wait_for("quipu_connections", (count + 1) as f64);
    let found = server.get("/api/v1/entities/https:%2F%2Fexample.org%2Fgeo%2Fperu");
    assert!(found.starts_with("HTTP/1.1 200") && found.contains("Lima"), "{found}");
    let (status, linked) = server.post("/api/v1/link", &json!({ "text": "the capital of Bolivia" })).unwrap();
    assert_eq!((status, linked["mentions"].as_array().unwrap().len()), (200, 1), "{linked}");
    drop(idle);
    server.wait_for("quipu_connections", 1.0);
}

#[test]
fn a_server_takes_no_more_connections_than_it_has_files_for() {
    let bench = Bench::with_places();
    let mut command = std::process::Command::new("sh");
    let quipu = bench.command(&["serve", "places", "--port", "0", "--llm", "none"]);
    command.args(["-c", "ulimit -n 320; exec \"$0\" \"$@\""]).arg(quipu.get_program()).args(quipu.get_args());
    command.current_dir(bench.path("")).env("HOME", bench.path("")).env("QUIPU_MODELS", bench.path("models"));
    command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::piped());
    let server = start(command.stderr(std::process::Stdio::piped()));
    // Connections within the limit on open files are served; the rest wait in the system's queue,
    // and none breaks the server.
    let mut idle: Vec<TcpStream> = (0..200).map(|_| TcpStream::connect(&server.address).unwrap()).collect();
    idle.truncate(20);
    let found = server.get("/api/v1/entities/https:%2F%2Fexample.org%2Fgeo%2Fperu");
    assert!(found.starts_with("HTTP/1.1 200") && found.contains("Lima"), "{found}");
}

/// Most memory that a process ever had, in MB (Linux).
fn peak(server: &Serving) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()? / 1024)
}

#[test]
fn a_body_of_a_hundred_megabytes_is_refused_without_being_kept() {
    const SIZE: usize = 100 << 20;
    let (_bench, server) = serve("");
    let before = peak(&server);
    let piece = vec![b'x'; 1 << 20];
    for path in ["/api/v1/ask", "/v1/chat/completions", "/sparql", "/api/v1/feedback", "/mcp"] {
        for announced in [true, false] {
            let mut stream = TcpStream::connect(&server.address).unwrap();
            let kind = if path == "/sparql" { "application/sparql-query" } else { "application/json" };
            let accept = "Accept: application/json, text/event-stream";
            let length = if announced {
                format!("Content-Length: {SIZE}")
            } else {
                "Transfer-Encoding: chunked".into()
            };
            write!(stream, "POST {path} HTTP/1.1\r\nHost: localhost\r\n{accept}\r\nContent-Type: {kind}\r\n{length}\r\n\r\n").unwrap();
            let mut reader = stream.try_clone().unwrap();
            reader.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            let said = std::thread::spawn(move || {
                let (mut said, mut buffer) = (Vec::new(), [0; 4096]);
                while let Ok(read @ 1..) = reader.read(&mut buffer) {
                    said.extend_from_slice(&buffer[..read]);
                }
                String::from_utf8_lossy(&said).into_owned()
            });
            for _ in 0..SIZE / piece.len() {
                let sent = if announced {
                    stream.write_all(&piece)
                } else {
                    write!(stream, "{:x}\r\n", piece.len())
                        .and_then(|()| stream.write_all(&piece))
                        .and_then(|()| stream.write_all(b"\r\n"))
                };
                // The server closes the connection of a client that keeps sending.
                if sent.is_err() {
                    break;
                }
            }
            let said = said.join().unwrap();
            assert!(said.starts_with("HTTP/1.1 413"), "{path} {announced}: {said}");
        }
    }
    if let (Some(before), Some(after)) = (before, peak(&server)) {
        assert!(after - before < 64, "{before} MB before, {after} MB after");
    }
    assert!(server.get("/healthz").starts_with("HTTP/1.1 200"));
}
