//! `quipu tune`, `--adapter` and `quipu source manifest` as commands.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use std::process::Command;

use crate::support;
use support::endpoint::{answer, chat_reply, endpoint};
use support::{Bench, finish};

const COUNTRIES: &str =
    "name,capital,currency\nPeru,Lima,sol\nChile,Santiago,peso\nBolivia,Sucre,boliviano\n";

const QUESTIONS: &str = r#"{"id": "1", "question": "What is the capital of Peru?", "answers": ["Lima"]}
{"id": "2", "question": "What is the currency of Chile?", "answers": ["peso"]}
{"id": "3", "question": "Who is the king of Bolivia?", "answers": [], "unanswerable": true}
"#;

/// A workspace of countries, and a teacher that knows one query.
fn bench() -> (Bench, String) {
    let bench = Bench::new();
    bench.write("country.csv", COUNTRIES);
    bench.write("questions.jsonl", QUESTIONS);
    bench.run(&["import", "w", "country.csv", "--no-embeddings"]).succeeded();
    let teacher = endpoint(|stream| {
        answer(stream, "200 OK", &chat_reply("SELECT capital FROM country WHERE name = 'Peru'"));
    });
    (bench, teacher)
}

fn export(bench: &Bench, teacher: &str, more: &[&str]) -> Command {
    let mut arguments =
        vec!["tune", "export", "w", "--questions", "questions.jsonl", "--task", "query", "--out", "examples"];
    arguments.extend(more);
    let mut command = bench.command(&arguments);
    command.env("OPENAI_BASE_URL", teacher).env("OPENAI_API_KEY", "none").env("QUIPU_LLM", "openai:teacher");
    command
}

#[test]
fn examples_are_written_with_their_data_card() {
    let (bench, teacher) = bench();
    let told = finish(&mut export(&bench, &teacher, &["--samples", "1", "--licence", "CC0-1.0"])).succeeded();
    assert!(
        told.stdout.contains("2 questions asked: 1 right at first, 0 right later, 1 never right"),
        "{told:#?}"
    );
    // The question without an answer has one right query.
    let alone = "1 question learnt from the question file alone, without a model call";
    assert!(told.stdout.contains(alone), "{told:#?}");
    let lines = ["train.jsonl", "validation.jsonl"]
        .map(|name| std::fs::read_to_string(bench.path("examples").join(name)).unwrap())
        .join("");
    let examples: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let last = |kind: &str| {
        let example = examples.iter().find(|example| example["kind"] == kind).unwrap();
        example["messages"].as_array().unwrap().last().unwrap()["content"].clone()
    };
    assert_eq!(examples.len(), 2);
    assert_eq!(last("accepted"), "SELECT capital FROM country WHERE name = 'Peru'");
    assert_eq!(last("refusal"), "SELECT NULL");
    let card = std::fs::read_to_string(bench.path("examples/card.json")).unwrap();
    assert!(card.contains("CC0-1.0") && card.contains("openai:teacher"), "{card}");
    // The folder is not overwritten by mistake.
    let again = finish(&mut export(&bench, &teacher, &[])).failed(2);
    assert!(again.stderr.contains("--add"), "{again:#?}");
}

#[test]
fn what_leaves_nothing_to_learn_is_said() {
    let (bench, teacher) = bench();
    bench.write("held.jsonl", QUESTIONS);
    let leaks = finish(&mut export(&bench, &teacher, &["--held-out", "held.jsonl"])).failed(2);
    assert!(
        leaks.stderr.contains("no right answer to learn from (0 questions asked, 3 left out)"),
        "{leaks:#?}"
    );
    assert!(!bench.path("examples/train.jsonl").exists());
    let none = finish(&mut export(&bench, &teacher, &["--llm", "none"])).failed(2);
    assert!(none.stderr.contains("a language model writes the examples"), "{none:#?}");
    let task = bench.run(&[
        "tune",
        "export",
        "w",
        "--questions",
        "questions.jsonl",
        "--task",
        "rhyme",
        "--out",
        "o",
    ]);
    assert!(task.failed(2).stderr.contains("known: compose, query, plan"));
}

#[test]
fn an_adapter_that_is_none_is_named_with_its_reason() {
    let (bench, _) = bench();
    let ask = |adapter: &str| {
        bench.run(&[
            "ask",
            "w",
            "What is the capital of Peru?",
            "--llm",
            "smollm2-135m",
            "--adapter",
            adapter,
        ])
    };
    let missing = ask("nowhere.gguf");
    assert!(missing.code != Some(0) && missing.stderr.contains("nowhere.gguf"), "{missing:#?}");
    bench.write("page.gguf", "<html>");
    let page = ask("page.gguf");
    assert!(page.code != Some(0) && page.stderr.contains("expected a GGUF file"), "{page:#?}");
    let unknown = ask("tuned");
    assert!(
        unknown.code == Some(2) && unknown.stderr.contains("no model is called \"tuned\""),
        "{unknown:#?}"
    );
}

#[test]
fn a_manifest_is_begun_from_a_document() {
    let bench = Bench::new();
    let document = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/places/sky-openapi.json");
    let printed = bench.run(&["source", "manifest", "--from", document]).succeeded().stdout;
    assert!(printed.contains("[operation."), "{printed}");
    bench.run(&["source", "manifest", "--from", document, "--out", "sky.toml"]).succeeded();
    assert_eq!(std::fs::read_to_string(bench.path("sky.toml")).unwrap(), printed);
    // A manifest that a person completed stays.
    let again = bench.run(&["source", "manifest", "--from", document, "--out", "sky.toml"]).failed(1);
    assert!(again.stderr.contains("cannot write sky.toml"), "{again:#?}");
    // It is used unchanged.
    let added = [
        "source",
        "add",
        "w",
        "sky",
        "--openapi",
        document,
        "--base",
        "https://sky.example.org",
        "--manifest",
        "sky.toml",
    ];
    let added = bench.run(&added).succeeded();
    assert!(added.stderr.contains("operation"), "{added:#?}");
}
