//! `quipu eval` as a command: a run, its folder, its replay, comparison, report, and its refusals.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use crate::support;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use support::endpoint::{answer, chat_reply, endpoint};
use support::{Bench, Outcome, entries, finish, models};

const QUESTIONS: &str = r#"{"id": "1", "question": "What is the capital of Peru?", "answers": ["Lima"], "topic_entities": ["Peru"], "hops": 1}
{"id": "2", "question": "What is the capital of Bolivia?", "answers": ["Sucre"], "topic_entities": ["Bolivia"], "hops": 1}
{"id": "3", "question": "What is the capital of the neighbour of Peru that is not Bolivia?", "answers": ["Santiago"], "hops": 2}
"#;

/// An endpoint whose model always answers Lima, and its number of requests.
struct Model {
    url: String,
    asked: Arc<AtomicUsize>,
}

impl Model {
    fn new() -> Self {
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = asked.clone();
        let url = endpoint(move |stream| {
            counter.fetch_add(1, Ordering::SeqCst);
            answer(stream, "200 OK", &chat_reply(r#"{"answers": ["Lima"]}"#));
        });
        Self { url, asked }
    }

    fn calls(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }

    /// `quipu eval run places --questions q.jsonl` with the model and more arguments.
    fn run(&self, bench: &Bench, arguments: &[&str]) -> Outcome {
        let all = [
            &["eval", "run", "places", "--questions", "q.jsonl", "--llm", "openai:parrot", "--method", "io"],
            arguments,
        ];
        finish(bench.command(&all.concat()).env("OPENAI_BASE_URL", &self.url).env("OPENAI_API_KEY", "none"))
    }
}

fn bench() -> Bench {
    let bench = Bench::with_places();
    bench.write("q.jsonl", QUESTIONS);
    bench
}

#[test]
fn a_run_prints_tables_and_keeps_rows_traces_and_what_it_was_made_with() {
    let (bench, model) = (bench(), Model::new());
    let outcome = model.run(&bench, &["--out", "results"]).succeeded();
    assert!(outcome.stdout.contains("| io, openai:parrot | 3 | 0.333 ["), "{outcome:#?}");
    assert!(outcome.stdout.contains("labelled cases") && outcome.stdout.contains("hops: 2"), "{outcome:#?}");
    assert!(outcome.stdout.contains("| risk (from confidence) at coverage | answers |"), "{outcome:#?}");
    assert_eq!(entries(&bench.path("results")), ["manifest.json", "replies", "rows.jsonl", "traces.jsonl"]);
    let manifest = std::fs::read_to_string(bench.path("results/manifest.json")).unwrap();
    for text in
        ["\"began\"", "q.jsonl", "sha256", "\"prompts\"", "openai:parrot", &model.url, "--method", "\"seed\""]
    {
        assert!(manifest.contains(text), "{text}: {manifest}");
    }
    let rows = std::fs::read_to_string(bench.path("results/rows.jsonl")).unwrap();
    assert_eq!(rows.lines().count(), 3);
    let json = model.run(&bench, &["--json", "--limit", "1"]).succeeded().json();
    assert_eq!(json["summaries"][0]["questions"], 1);
}

#[test]
fn a_run_goes_on_and_replays_without_its_model() {
    let (bench, model) = (bench(), Model::new());
    let spent = model.run(&bench, &["--out", "results", "--budget-calls", "1"]).succeeded();
    assert!(
        spent.stderr.contains("2 questions were not asked") && spent.stdout.contains("1 of 3"),
        "{spent:#?}"
    );
    assert_eq!(model.calls(), 1);
    model.run(&bench, &["--out", "results", "--resume"]).succeeded();
    model.run(&bench, &["--out", "results", "--resume"]).succeeded();
    assert_eq!(model.calls(), 3, "no question is asked twice");
    let gone = Model { url: "http://127.0.0.1:9/v1".into(), asked: Arc::default() };
    let replay = gone.run(&bench, &["--replay", "results", "--out", "again"]).succeeded();
    assert!(replay.stderr.contains("replayed 3 questions, all as recorded"), "{replay:#?}");
    let rows = |folder: &str| std::fs::read(bench.path(folder).join("rows.jsonl")).unwrap();
    assert_eq!(rows("results"), rows("again"));
    // A missing reply in a recording gives an error, not a silent zero.
    std::fs::remove_dir_all(bench.path("results/replies")).unwrap();
    let lost = gone.run(&bench, &["--replay", "results"]);
    assert!(lost.code == Some(2) && lost.stderr.contains("no recording of openai:parrot"), "{lost:#?}");
}

#[test]
fn another_runs_folder_is_refused_and_left_alone() {
    let (bench, model) = (bench(), Model::new());
    model.run(&bench, &["--out", "results"]).succeeded();
    let before = std::fs::read(bench.path("results/rows.jsonl")).unwrap();
    let again = model.run(&bench, &["--out", "results"]).failed(1);
    assert!(again.stderr.contains("--resume"), "{again:#?}");
    let other = model.run(&bench, &["--out", "results", "--resume", "--limit", "2"]).failed(1);
    assert!(other.stderr.contains("another run") && other.stderr.contains("selection"), "{other:#?}");
    bench.write("q.jsonl", QUESTIONS.replace("Lima", "Cusco"));
    let changed = model.run(&bench, &["--out", "results", "--resume"]).failed(1);
    assert!(changed.stderr.contains("question files"), "{changed:#?}");
    let replay = model.run(&bench, &["--replay", "results"]);
    assert!(replay.code == Some(2) && replay.stderr.contains("a replay needs the same"), "{replay:#?}");
    assert_eq!(std::fs::read(bench.path("results/rows.jsonl")).unwrap(), before);
}

#[test]
fn words_of_a_file_are_kept_with_the_results_and_a_file_that_is_none_is_refused() {
    let (bench, model) = (bench(), Model::new());
    bench.write("bad.toml", "[unitz]\nwords = \"mile\"\n");
    let bad = model.run(&bench, &["--words", "bad.toml"]);
    assert!(
        bad.code == Some(2) && bad.stderr.contains("bad.toml") && bad.stderr.contains("unitz"),
        "{bad:#?}"
    );
    bench.write("few.toml", "[units]\nwords = \"mile\"\n");
    model.run(&bench, &["--out", "results", "--words", "few.toml"]).succeeded();
    let manifest = std::fs::read_to_string(bench.path("results/manifest.json")).unwrap();
    assert!(manifest.contains("words = \\\"mile\\\""), "{manifest}");
    let all = model.run(&bench, &["--out", "results", "--resume"]).failed(1);
    assert!(all.stderr.contains("another run"), "{all:#?}");
}

#[test]
fn bad_question_files_are_named_by_line_and_field() {
    let (bench, model) = (bench(), Model::new());
    let cases = [
        ("{\"id\": \"1\", \"question\": \"q\"}\n", "q.jsonl:1: answers: none"),
        ("{\"id\": \"1\", \"question\": \"q\", \"answers\": []}\n", "q.jsonl:1: answers: none"),
        (&QUESTIONS.replace("\"2\"", "\"1\""), "q.jsonl:2: id: line 1 already has the id 1"),
        (&format!("{QUESTIONS}<html>\n"), "q.jsonl:4: not JSON"),
        ("", "q.jsonl:1: "),
    ];
    for (text, expected) in cases {
        bench.write("q.jsonl", text);
        let refused = model.run(&bench, &["--out", "results"]).failed(2);
        assert!(refused.stderr.contains(expected), "{expected}: {refused:#?}");
    }
    assert!(!bench.path("results").exists(), "nothing was begun");
    assert_eq!(model.calls(), 0);
}

#[test]
fn gold_that_the_graph_cannot_name_is_told() {
    let (bench, model) = (bench(), Model::new());
    bench.write("q.jsonl", r#"{"id": "1", "question": "capital of Atlantis?", "answers": ["Poseidonia"]}"#);
    let told = model.run(&bench, &[]).succeeded();
    assert!(
        told.stderr.contains("1 gold answer is not in the graph") && told.stderr.contains("Poseidonia"),
        "{told:#?}"
    );
}

#[test]
fn wrong_flags_are_said_before_anything_is_asked() {
    let (bench, model) = (bench(), Model::new());
    for (arguments, expected) in [
        (&["--set", "beam=3"][..], "the nearest is"),
        (&["--set", "anchors=silver"], "open or gold"),
        (&["--format", "xml"], "unknown question format xml"),
        (&["--resume"], "--out"),
    ] {
        let refused = model.run(&bench, arguments);
        assert!(refused.code == Some(2) && refused.stderr.contains(expected), "{arguments:?}: {refused:#?}");
    }
    let method = finish(&mut bench.command(&[
        "eval",
        "run",
        "places",
        "--questions",
        "q.jsonl",
        "--method",
        "io,magic",
        "--llm",
        "none",
    ]));
    assert!(method.code == Some(2) && method.stderr.contains("magic"), "{method:#?}");
    assert_eq!(model.calls(), 0);
}

#[test]
fn runs_are_compared_and_reported() {
    let (bench, model) = (bench(), Model::new());
    model.run(&bench, &["--out", "open"]).succeeded();
    model.run(&bench, &["--out", "gold", "--set", "anchors=gold"]).succeeded();
    let compared = bench.run(&["eval", "compare", "open", "gold"]).succeeded().stdout;
    assert!(
        compared.contains("gold entities given") && compared.contains("3 questions that both have"),
        "{compared}"
    );
    let alone = bench.run(&["eval", "compare", "open"]).failed(2);
    assert!(alone.stderr.contains("only one run"), "{alone:#?}");
    let across = bench.run(&["eval", "across", "open", "gold"]).succeeded().stdout;
    assert!(across.starts_with("| run | places q | n | Hit@1 |"), "{across}");
    assert!(
        across.contains("\n| io | 0.33 | 3 | 0.333 [") && across.contains("\n| io (anchors=gold"),
        "{across}"
    );
    bench.run(&["eval", "report", "open", "gold", "--html", "report.html"]).succeeded();
    let page = std::fs::read_to_string(bench.path("report.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.matches("<svg").count() >= 3, "{page}");
    assert!(page.contains("What is the capital of Bolivia?") && page.contains("gold entities"));
    assert!(bench.run(&["eval", "report", "open"]).succeeded().stdout.contains("| io, openai:parrot | 3 |"));
    let nothing = bench.run(&["eval", "report", "places", "--html", "x.html"]).failed(1);
    assert!(nothing.stderr.contains("no results folder") && !bench.path("x.html").exists(), "{nothing:#?}");
}

#[test]
fn question_files_are_perturbed_and_generated() {
    let bench = bench();
    bench.write("other.jsonl", r#"{"id": "x", "question": "Who rules Atlantis?", "answers": ["Atlas"]}"#);
    let arguments = [
        "eval",
        "perturb",
        "q.jsonl",
        "--typos",
        "1",
        "--unanswerable",
        "other.jsonl",
        "--unanswerable-share",
        "0.5",
    ];
    let perturbed = bench.run(&arguments).succeeded();
    assert_eq!(perturbed.stdout.lines().count(), 4, "{perturbed:#?}");
    assert!(
        perturbed.stdout.contains("\"unanswerable\":true")
            && perturbed.stderr.contains("with a typing error")
    );
    assert!(
        !perturbed.stdout.contains("capital of Bolivia?") && perturbed.stdout.contains("\"Bolivia\""),
        "{perturbed:#?}"
    );
    assert_eq!(bench.run(&arguments).stdout, perturbed.stdout, "the seed decides");
    bench.run(&["eval", "perturb", "q.jsonl", "--typos", "2"]).failed(2);

    bench.run(&["eval", "head-to-tail", "places", "--per-bucket", "2", "--out", "h2t.jsonl"]).succeeded();
    let written = std::fs::read_to_string(bench.path("h2t.jsonl")).unwrap();
    assert!(written.contains("\"popularity\":\"head\""), "{written}");
    let again = bench.run(&["eval", "head-to-tail", "places", "--out", "h2t.jsonl"]).failed(1);
    assert!(again.stderr.contains("h2t.jsonl"), "a file that is there is left alone: {again:#?}");
}

/// Three relations in one file, and in the two files that the script makes of it.
const TRIPLES: &str =
    "Peru\tcapital\tLima\nBolivia\tcapital\tSucre\nPeru\tneighbour\tBolivia\nLima\triver\tRimac\n";

#[test]
fn several_sources_are_asked_and_stand_in_the_manifest() {
    let (bench, model) = (Bench::new(), Model::new());
    bench.write("all.tsv", TRIPLES);
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/split_by_relation.sh");
    let mut split = std::process::Command::new(script);
    split.current_dir(bench.path("")).args(["all.tsv", "one.tsv", "two.tsv"]);
    let split = finish(&mut split).succeeded();
    assert_eq!(split.stderr, "2 and 2 triples\n");
    for half in ["one", "two"] {
        bench.run(&["import", half, &format!("{half}.tsv"), "--no-embeddings"]).succeeded();
    }
    bench.write("one/relations.toml", "");
    bench.write("q.jsonl", r#"{"id": "1", "question": "On which river is Lima?", "answers": ["Rimac"]}"#);
    let run = |arguments: &[&str]| {
        let all = [
            &["eval", "run", "one", "--questions", "q.jsonl", "--llm", "none", "--method", "paths"],
            arguments,
        ];
        bench.run(&all.concat())
    };
    let outcome = run(&["--source", "two", "--out", "results"]).succeeded();
    assert!(outcome.stdout.contains("| paths, no model (2 sources) | 1 |"), "{outcome:#?}");
    assert!(!outcome.stderr.contains("not in the graph"), "the second half knows it: {outcome:#?}");
    let manifest: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(bench.path("results/manifest.json")).unwrap()).unwrap();
    assert_eq!(
        (&manifest["sources"][0]["name"], &manifest["sources"][0]["triples"]),
        (&"two".into(), &2.into())
    );
    // Without the other source it is another run.
    assert!(run(&["--out", "results", "--resume"]).failed(1).stderr.contains("other sources"));
    run(&["--source", "two", "--replay", "results"]).succeeded();
    assert!(run(&["--source", "lost"]).failed(1).stderr.contains("lost cannot be asked"));
    assert_eq!(model.calls(), 0);
}

#[test]
fn twins_of_a_graphs_own_facts_are_asked_and_counted() {
    let bench = bench();
    let of = ["eval", "metamorphic", "places", "--llm", "none", "--limit", "2"];
    let run = |arguments: &[&str]| {
        finish(bench.command(&[&of[..], arguments].concat()).env("QUIPU_MODELS", models()))
    };
    let told = run(&[]).succeeded().stdout;
    assert!(told.contains("| twin | asked | held |") && told.contains("| all twins |"), "{told}");
    assert!(told.contains("auto with no model: 0 of "), "{told}");
    let report = run(&["--json"]).succeeded().json();
    let twins = report["twins"].as_array().unwrap().len() as u64;
    let asked: u64 =
        report["kinds"].as_array().unwrap().iter().filter_map(|kind| kind["asked"].as_u64()).sum();
    assert!(twins > 4 && asked == twins && report["bases"]["held"] != 0, "{report:#}");
    assert!(report["kinds"].as_array().unwrap().iter().all(|kind| kind["failed"] == 0), "{report:#}");
    let refused = run(&["--set", "hybrid.critic=oracle"]).failed(2);
    assert!(refused.stderr.contains("eval run"), "{refused:#?}");
}
