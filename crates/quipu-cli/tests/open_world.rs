//! Several sources, given anchors and solved examples on the command line; no language model.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use crate::support;
use support::{Bench, Outcome, finish, models};

const QUESTION: &str = "What is the capital of Peru?";

/// Runs a command with the embedder.
fn run(bench: &Bench, arguments: &[&str]) -> Outcome {
    finish(bench.command(arguments).env("QUIPU_MODELS", models()))
}

fn right(bench: &Bench, arguments: &[&str]) -> serde_json::Value {
    let all = [&["ask", "places", QUESTION, "--llm", "none", "--json"], arguments].concat();
    let answer = run(bench, &all).succeeded().json();
    assert_eq!(answer["answers"], serde_json::json!(["Lima"]), "{answer}");
    answer
}

#[test]
fn a_source_that_is_missing_is_named_and_the_rest_answers() {
    let bench = Bench::with_places();
    bench.write("more.tsv", "Peru\tcurrency\tsol\n");
    bench.run(&["import", "more", "more.tsv", "--no-embeddings"]).succeeded();
    let answer = right(&bench, &["--source", "more", "--source", "lost"]);
    let notes = answer["notes"].as_array().unwrap();
    assert!(notes.iter().any(|n| n["note"] == "source_down" && n["source"] == "lost"), "{notes:?}");
    let shown =
        run(&bench, &["ask", "places", QUESTION, "--llm", "none", "--source", "lost"]).succeeded().stdout;
    assert!(shown.contains("lost could not be asked"), "{shown}");
    run(&bench, &["ask", "gone", QUESTION, "--llm", "none", "--source", "lost"]).failed(1);
}

#[test]
fn sources_may_stand_in_the_workspaces_configuration() {
    let bench = Bench::with_places();
    bench.write("places/quipu.toml", "sources = [\"../lost\"]\n");
    let answer = right(&bench, &[]);
    assert_eq!(answer["notes"][0]["note"], "source_down", "{answer}");
}

#[test]
fn examples_are_added_listed_and_tested() {
    let bench = Bench::with_places();
    run(&bench, &["examples", "add", "places", QUESTION, "--answer", "Lima"]).succeeded();
    let listed = run(&bench, &["examples", "list", "places", "--json"]).succeeded().json();
    assert_eq!((&listed[0]["question"], &listed[0]["learnt"]), (&QUESTION.into(), &false.into()));
    assert!(run(&bench, &["examples", "list", "places"]).succeeded().stdout.contains("capital"));
    run(&bench, &["examples", "test", "places"]).succeeded();
    run(&bench, &["examples", "add", "places", QUESTION, "--answer", "Quito"]).failed(2);
    // Examples that no longer lead to their answers are reported.
    let file = bench.path("places/examples.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("answers = [\"Lima\"]", "answers = [\"Quito\"]")).unwrap();
    let outcome = run(&bench, &["examples", "test", "places"]);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.stderr.contains("leads to Lima, not Quito"), "{}", outcome.stderr);
}

#[test]
fn a_given_anchor_is_taken_as_it_is() {
    let bench = Bench::with_places();
    let ask = |anchor: &str| {
        let arguments =
            ["ask", "places", QUESTION, "--llm", "none", "--json", "--explain", "--anchor", anchor];
        run(&bench, &arguments).succeeded().json().to_string()
    };
    assert!(ask("Peru").contains("given with the question"));
    assert!(ask("Nowhere at all").contains("no entity of the graph was recognised"));
}
