//! `quipu serve`, `quipu mcp`, `quipu doctor`, `quipu init` as commands.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use crate::skip;
use crate::support;
use std::path::Path;
use std::process::{Command, Stdio};

use support::endpoint::{answer, chat_reply, endpoint};
use support::server::start;
use support::{Bench, finish};

const FILMS: &str = "Kauwboy\tdirected_by\tBoudewijn Koole\nKauwboy\tstarred_actors\tRick Lens\n\
Kauwboy\tstarred_actors\tLoek Peters\nTonio\tdirected_by\tPaula van der Oest\n\
Boudewijn Koole\tborn_in\tLeidschendam\n";

const CARDS: &str = r#"
[relation.directed_by]
head_kind = "film"
tail_kind = "person"
forward = "the directors of X"
backward = "the films directed by X"
words_forward = ["director", "directed"]
words_backward = ["films", "directed"]

[relation.starred_actors]
head_kind = "film"
tail_kind = "person"
forward = "the actors in X"
backward = "the films with X"
words_forward = ["actors"]
words_backward = ["films"]

[relation.born_in]
head_kind = "person"
tail_kind = "town"
forward = "the birthplace of X"
backward = "the people born in X"
words_forward = ["born"]
words_backward = ["people"]
"#;

fn films() -> Bench {
    let bench = Bench::new();
    bench.write("films.tsv", FILMS);
    bench.run(&["import", "films", "films.tsv", "--no-embeddings"]).succeeded();
    bench.write("films/relations.toml", CARDS);
    bench
}

/// The environment that a process began with, where the system tells it.
#[cfg(target_os = "linux")]
fn environment(process: u32) -> Vec<String> {
    let all = std::fs::read_to_string(format!("/proc/{process}/environ")).unwrap();
    all.split_terminator('\0').map(str::to_owned).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn computing_threads_wait_briefly_unless_the_user_says_otherwise() {
    let bench = films();
    let serve = ["serve", "films", "--port", "0", "--llm", "none"];
    let server = start(bench.command(&serve).env_remove("GOMP_SPINCOUNT").env_remove("OMP_WAIT_POLICY"));
    // The command became another program in the same process, with the same arguments.
    assert!(environment(server.child.id()).contains(&"GOMP_SPINCOUNT=1000".to_owned()));
    assert!(server.get("/api/v1/status").contains("\"films\""));
    let said = start(bench.command(&serve).env_remove("GOMP_SPINCOUNT").env("OMP_WAIT_POLICY", "active"));
    let theirs = environment(said.child.id());
    assert!(!theirs.iter().any(|one| one.starts_with("GOMP_SPINCOUNT")), "{theirs:?}");
}

#[test]
fn serve_answers_until_it_is_told_to_stop() {
    let bench = films();
    let mut server = start(&mut bench.command(&["serve", "films", "--port", "0", "--llm", "none"]));
    assert!(server.get("/healthz").starts_with("HTTP/1.1 200"));
    assert!(server.get("/api/v1/status").contains("\"films\""));
    let port = server.address.rsplit(':').next().unwrap();
    let taken = bench.run(&["serve", "films", "--port", port, "--llm", "none"]);
    assert!(
        taken.code == Some(1)
            && taken.stderr.contains("error: cannot listen")
            && taken.stderr.contains("--port"),
        "{taken:#?}"
    );
    Command::new("kill").arg(server.child.id().to_string()).status().unwrap();
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn serve_without_a_model_says_so_and_serves_the_graph() {
    let bench = films();
    let server = start(&mut bench.command(&["serve", "films", "--port", "0"]));
    let status = server.get("/api/v1/status");
    assert!(status.contains("quipu models pull"), "{status}");
    assert!(server.get("/api/v1/entities/Tonio").contains("Paula van der Oest"));
}

#[test]
fn a_key_is_made_and_let_in() {
    let bench = films();
    let made = bench.run(&["serve", "--new-key", "ana"]).succeeded();
    let key = made.stdout.trim();
    assert!(key.len() > 60 && !made.stderr.contains(key), "{made:#?}");
    let lines: Vec<&str> = made.stderr.lines().skip_while(|line| !line.starts_with("[[")).collect();
    bench.write("server.toml", lines.join("\n"));
    let arguments = ["serve", "films", "--port", "0", "--llm", "none", "--config", "server.toml"];
    let mut command = bench.command(&arguments);
    let mut server = start(command.env("QUIPU_LOG", "debug"));
    assert!(server.get("/api/v1/status").starts_with("HTTP/1.1 401"));
    assert!(
        server
            .get(&format!("/api/v1/status HTTP/1.1\r\nX-API-Key: {key}\r\nX-Rest:"))
            .starts_with("HTTP/1.1 200")
    );
    server.get(&format!("/api/v1/entities?name=Tonio HTTP/1.1\r\nAuthorization: Bearer {key}\r\nX-Rest:"));
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let log = server.log.take().unwrap().join().unwrap();
    assert!(log.contains("status=401") && log.contains("client=\"ana\""), "{log}");
    assert!(!log.contains(key) && !log.contains("Tonio"), "{log}");
    bench.run(&["serve", "--new-key", "an a"]).failed(2);
}

#[test]
fn logs_are_objects_for_programs_where_that_is_wanted() {
    let bench = films();
    let mut command = bench.command(&["serve", "films", "--port", "0", "--llm", "none"]);
    let mut server = start(command.env("QUIPU_LOG", "quipu=info").env("QUIPU_LOG_FORMAT", "json"));
    server.get("/api/v1/entities/Tonio HTTP/1.1\r\nX-Request-Id: mine-7\r\nX-Rest:");
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let log = server.log.take().unwrap().join().unwrap();
    let lines: Vec<serde_json::Value> =
        log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let request = lines.iter().find(|line| line["route"] == "/api/v1/entities/{id}").unwrap();
    assert_eq!((&request["status"], &request["span"]["id"]), (&200.into(), &"mine-7".into()), "{request}");
    assert!(request["timestamp"].is_string() && !log.contains("Tonio"), "{log}");
}

#[test]
fn what_cannot_be_served_is_said_at_once() {
    let bench = films();
    bench.run(&["serve", "films", "--config", "missing.toml"]).failed(2);
    bench.write("wrong.toml", "[server]\nprot = 1\n");
    assert!(bench.run(&["serve", "films", "--config", "wrong.toml"]).failed(2).stderr.contains("prot"));
    bench.write("keys.toml", "[[server.keys]]\nname = 'x'\nhash = 'plain'\n");
    let keys = bench.run(&["serve", "films", "--llm", "none", "--config", "keys.toml"]);
    assert!(keys.code == Some(2) && keys.stderr.contains("sha256"), "{keys:#?}");
    let twice = bench.run(&["serve", "films", "films", "--llm", "none", "--port", "0"]);
    assert!(twice.code == Some(2) && twice.stderr.contains("names must differ"), "{twice:#?}");
}

#[test]
fn mcp_hosts_start_it_by_their_configuration() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = root.join(".venv/bin/python");
    if !python.exists() {
        return skip::skip("the test with MCP's client needs Python's packages; `make setup` gets them");
    }
    let bench = films();
    let host: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(root.join("examples/mcp.json")).unwrap()).unwrap();
    let arguments = host["mcpServers"]["quipu"]["args"].as_array().unwrap();
    let models = quipu_model::Registry::open().unwrap().folder().to_owned();
    let mut command = Command::new(python);
    command.arg(root.join("crates/quipu-server/tests/python/mcp_client.py"));
    command.arg("stdio").arg(env!("CARGO_BIN_EXE_quipu")).args(arguments.iter().map(|a| a.as_str().unwrap()));
    command
        .current_dir(bench.path(""))
        .env("QUIPU_MODELS", models)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    finish(&mut command).succeeded();
}

#[test]
fn doctor_tells_what_is_well_and_what_to_do() {
    let bench = films();
    let sick = bench.run(&["doctor", "films", "nowhere"]);
    assert_eq!(sick.code, Some(1));
    assert!(
        sick.stdout.contains("ok   workspace films: whole") && sick.stdout.contains("quipu models pull"),
        "{sick:#?}"
    );
    assert!(sick.stdout.contains("BAD  workspace nowhere"), "{sick:#?}");
    let reply = r#"{"colour": "green", "tool": "look_up", "arguments": {"word": "grass"}}"#;
    let says = endpoint(move |stream| answer(stream, "200 OK", &chat_reply(reply)));
    let asked = ["doctor", "--llm", "openai:parrot"];
    let asked = finish(bench.command(&asked).env("OPENAI_BASE_URL", says).env("OPENAI_API_KEY", "s3cret"));
    assert!(asked.stdout.contains("ok   language model: openai:parrot answers"), "{asked:#?}");
    assert!(
        asked.stdout.contains("JSON by schema") && asked.stdout.contains("function calling"),
        "{asked:#?}"
    );
    assert!(!asked.stdout.contains("s3cret") && !asked.stderr.contains("s3cret"), "{asked:#?}");
    let thinks = endpoint(move |stream| {
        answer(stream, "200 OK", &chat_reply(&format!("<think>Which colour is grass?</think>{reply}")));
    });
    let asked = ["doctor", "--llm", "openai:parrot"];
    let asked = finish(bench.command(&asked).env("OPENAI_BASE_URL", thinks).env("OPENAI_API_KEY", "none"));
    assert!(asked.stdout.contains("writes <think> blocks; Quipu cuts them off"), "{asked:#?}");
    assert!(asked.stdout.contains("tokens for prompt and reply"), "{asked:#?}");
}

#[test]
fn doctor_names_a_card_that_is_not_used() {
    let bench = films();
    let card = |forward: &str| {
        format!(
            "[relation.directed_by]\nhead_kind = \"film\"\ntail_kind = \"year\"\nforward = \"{forward}\"\n\
             backward = \"the films of X\"\nwords_forward = []\nwords_backward = []\nprompt = 3\n"
        )
    };
    let doctor = || bench.run(&["doctor", "films"]).stdout;
    bench.write("films/relations.toml", card("the starred actors of X"));
    assert!(
        doctor().contains("poor workspace films: the card of “directed by” in relations.toml"),
        "{}",
        doctor()
    );
    bench.write("films/relations.toml", card("the directors of X"));
    assert!(!doctor().contains("relations.toml"), "{}", doctor());
    bench.write("films/relations.toml", "this is no TOML");
    assert!(doctor().contains("BAD  workspace films") && doctor().contains("relations.toml"), "{}", doctor());
}

#[test]
fn init_explains_every_setting_once() {
    let bench = films();
    bench.run(&["init", "films"]).succeeded();
    let written = std::fs::read_to_string(bench.path("films/quipu.toml")).unwrap();
    assert!(written.contains("[server]") && written.contains("max_hops"), "{written}");
    bench.run(&["info", "films"]).succeeded();
    bench.run(&["init", "films"]).failed(1);
}
