//! Whole imports, including names and vectors: killed, with little memory, on a full disk.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use crate::support;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::{Bench, finish, models};

/// N-Triples of entities that have a name each and three neighbours.
fn graph(entities: u64) -> String {
    let entity = |number: u64| format!("<https://example.org/{number}>");
    (0..entities)
        .flat_map(|number| {
            let name = format!("Place {} of {}", number * 7919 % 10_007, number);
            let labelled =
                format!("{} <http://www.w3.org/2000/01/rdf-schema#label> \"{name}\" .\n", entity(number));
            let linked = (1..4).map(move |step: u64| {
                let other = entity((number * 31 + step * 17) % entities);
                format!("{} <https://example.org/by{step}> {other} .\n", entity(number))
            });
            std::iter::once(labelled).chain(linked)
        })
        .collect()
}

fn with_embedder(command: &mut Command) -> &mut Command {
    command.env("QUIPU_MODELS", models()).stdout(Stdio::null()).stderr(Stdio::null())
}

/// Kills an import at `moments` moments of the time that a whole one takes, looks at the workspace
/// after each, and imports once more.
fn check_kills(bench: &Bench, import: &[&str], moments: u32) {
    let start = Instant::now();
    let elsewhere: Vec<&str> =
        import.iter().map(|word| if *word == "places" { "other" } else { word }).collect();
    assert!(with_embedder(&mut bench.command(&elsewhere)).status().unwrap().success());
    let whole = start.elapsed();
    let mut killed = 0;
    for moment in 1..=moments {
        let mut running = with_embedder(&mut bench.command(import)).spawn().unwrap();
        std::thread::sleep(whole.mul_f64((f64::from(moment) - 0.5) / f64::from(moments)));
        killed += u32::from(running.try_wait().unwrap().is_none());
        running.kill().unwrap();
        running.wait().unwrap();
        // The old graph or, if the kill came too late, the new one; complete either way.
        bench.run(&["info", "places"]).succeeded();
        let old = bench.run(&["entity", "places", "Peru", "--json"]).code == Some(0);
        let new = bench.run(&["entity", "places", "https://example.org/0", "--json"]).code == Some(0);
        assert!(old != new, "after kill {moment}: the old one {old}, the new one {new}");
    }
    assert!(killed > 0, "no import was caught alive");
    assert!(with_embedder(&mut bench.command(import)).status().unwrap().success());
    bench.run(&["entity", "places", "https://example.org/0"]).succeeded();
    let left = std::fs::read_dir(bench.path("places")).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name().to_string_lossy().into_owned();
        name.starts_with("gen-") || name.contains("building")
    });
    assert_eq!(left.count(), 1, "what killed imports left is cleared away");
}

#[test]
fn a_killed_import_of_graph_and_names_leaves_the_old_workspace() {
    let bench = Bench::with_places();
    bench.write("big.nt", graph(8000));
    check_kills(&bench, &["import", "places", "big.nt", "--no-embeddings", "--no-model"], 8);
}

#[test]
fn a_killed_import_of_vectors_leaves_the_old_workspace() {
    let bench = Bench::with_places();
    bench.write("some.nt", graph(150));
    check_kills(&bench, &["import", "places", "some.nt", "--no-model"], 4);
}

/// The peak of a process's own memory in KiB, sampled until it ends. Mapped files do not count.
#[cfg(target_os = "linux")]
fn peak_of(child: &mut std::process::Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let now = std::fs::read_to_string(&status).unwrap_or_default();
        let own = now.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kib = own.and_then(|rest| rest.trim().strip_suffix(" kB")?.trim().parse().ok());
        peak = peak.max(kib.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(child.wait().unwrap().success());
    peak
}

#[cfg(target_os = "linux")]
#[test]
fn memory_does_not_grow_with_the_input() {
    let bench = Bench::new();
    let peak = |entities: u64| {
        bench.write("graph.nt", graph(entities));
        let arguments = ["import", "graph", "graph.nt", "--no-embeddings", "--memory", "16"];
        let mut command = bench.command(&arguments);
        peak_of(&mut command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    };
    // Sampling may miss the peak, so the small import runs twice.
    let (small, large) = (peak(30_000).max(peak(30_000)), peak(120_000));
    assert!(small > 4_000, "{small} KiB: nothing was measured");
    assert!(large < 64 << 10, "{large} KiB, four times the 16 MiB that are allowed");
    assert!(large < small * 2, "four times the input took {large} KiB, not {small}");
}

#[test]
fn a_disk_that_is_full_when_the_names_are_written_is_said() {
    let bench = Bench::with_places();
    // Long names: the name index is larger than any file of the graph.
    let names: String = (0..3000_u64)
        .map(|number| {
            let words: Vec<String> =
                (1..9).map(|word| format!("word{}", number * word * 7919 % 99_991)).collect();
            format!(
                "<https://example.org/{number}> <http://www.w3.org/2000/01/rdf-schema#label> \"{}\" .\n",
                words.join(" ")
            )
        })
        .collect();
    bench.write("names.nt", names);
    // A limit on the size of files simulates a full disk: writing past it fails.
    let limited = "trap '' XFSZ; ulimit -f 1000; exec \"$0\" \"$@\"";
    let import = ["import", "places", "names.nt", "--no-embeddings"];
    let output = Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_quipu")])
        .args(import)
        .current_dir(bench.path(""))
        .env_clear()
        .env("HOME", bench.path(""))
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("cannot write the name index") || message.contains("names.partial"),
        "{message}"
    );
    assert!(message.contains("File too large") && !message.contains("panicked"), "{message}");
    bench.run(&["entity", "places", "Peru"]).succeeded();
    assert!(!bench.path("places/gen-0002").exists(), "what was begun is removed");
    bench.run(&import).succeeded();
}

/// A second import does not wait: it reports that one is running.
#[test]
fn two_imports_at_once_do_not_mix() {
    let bench = Bench::with_places();
    let arguments = ["import", "places", "-", "--format", "ntriples", "--no-embeddings"];
    let mut first = bench.command(&arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut input = first.stdin.take().unwrap();
    input.write_all(graph(10).as_bytes()).unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while !bench.path("places/gen-0002").exists() {
        assert!(Instant::now() < deadline, "the first import never began");
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = bench.run(&["import", "places", "places.ttl", "--no-embeddings"]).failed(1);
    assert!(second.stderr.contains("another import is writing"), "{second:#?}");
    drop(input);
    assert!(first.wait_with_output().unwrap().status.success());
    bench.run(&["entity", "places", "https://example.org/0"]).succeeded();
}

#[test]
fn the_model_reads_the_tables_ahead_of_the_first_question() {
    let bench = Bench::new();
    bench.write("places.ttl", support::PLACES);
    // A folder of its own, so that nothing was read before.
    let folder = bench.path("cache/models");
    std::fs::create_dir_all(folder.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(models(), &folder).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = bench.command(arguments);
        command.env("QUIPU_MODELS", &folder).env("QUIPU_LLM", "smollm2-135m");
        finish(&mut command).succeeded()
    };
    let import = ["import", "places", "places.ttl", "--no-embeddings"];
    let told = run(&[&import[..], &["--no-model"]].concat()).stderr;
    assert!(!told.contains("read the tables"), "{told}");
    let told = run(&import).stderr;
    assert!(told.contains("smollm2-135m read the tables in"), "{told}");
    let question = "What is the capital of Peru?";
    let once = ["--set", "query.repair=no", "--set", "query.alternatives=0"];
    let ask = ["ask", "places", question, "--method", "query", "--json"];
    let usage = &run(&[&ask[..], &once].concat()).json()["usage"];
    let tokens = |name: &str| usage[name].as_u64().unwrap();
    // Only the question itself is new.
    assert_eq!(tokens("llm_calls"), 1, "{usage}");
    assert!(tokens("prompt_tokens") - tokens("reused_tokens") < 150, "{usage}");
    // A model that is not on this machine reads nothing, and the import stands.
    let mut command = bench.command(&import);
    command.env("QUIPU_MODELS", bench.path("none")).env("QUIPU_LLM", "smollm2-135m");
    let told = finish(&mut command).succeeded().stderr;
    assert!(told.contains("imported") && !told.contains("read the tables"), "{told}");
}
