//! The command line itself: usage, generated files, exit codes, and which stream says what.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use crate::support;
use support::{Bench, entries, finish};

#[test]
fn help_is_data_and_names_every_command() {
    let help = Bench::new().run(&["--help"]).succeeded();
    for command in [
        "import",
        "info",
        "entity",
        "link",
        "query",
        "ask",
        "serve",
        "mcp",
        "doctor",
        "init",
        "models",
        "tune",
        "completions",
        "man",
    ] {
        assert!(help.stdout.contains(&format!("\n  {command}")), "{command}: {help:#?}");
    }
    assert_eq!(help.stderr, "");
}

#[test]
fn wrong_usage_exits_with_2() {
    let bench = Bench::new();
    for arguments in [
        &["fly"][..],
        &["import"],
        &["import", "w", "x.nt", "--format", "papyrus"],
        &["ask", "w", "Why?", "--max-hops", "many"],
        &["ask", "w", "Why?", "--asked-at", "yesterday"],
        &["ask", "w", "Why?", "--reading", "0"],
        &["ask", "w", "Why?", "--reading", "second"],
        &["eval", "run", "w", "questions.jsonl", "--reading", "2"],
        &["eval", "run", "w", "questions.jsonl", "--plan-only"],
        &["query", "w", "ASK {}", "--format", "xls"],
        &["models", "pull", "no-such-model"],
    ] {
        bench.run(arguments).failed(2);
    }
}

#[test]
fn a_missing_workspace_is_named_and_the_way_to_make_one_told() {
    let bench = Bench::new();
    for arguments in [
        &["info", "nowhere"][..],
        &["entity", "nowhere", "Peru"],
        &["query", "nowhere", "ASK {}"],
        &["serve", "nowhere", "--port", "0"],
        &["mcp", "nowhere"],
    ] {
        let outcome = bench.run(arguments).failed(2);
        assert!(outcome.stderr.contains("nowhere") && outcome.stderr.contains("import"), "{outcome:#?}");
    }
}

#[test]
fn completions_know_the_commands() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = bench.run(&["completions", shell]).succeeded().stdout;
        assert!(script.contains("quipu") && script.contains("import") && script.contains("ask"), "{shell}");
    }
}

#[test]
fn each_command_has_a_manual_page() {
    let bench = Bench::new();
    bench.run(&["man", "pages/man1"]).succeeded();
    let pages = entries(&bench.path("pages/man1"));
    for page in ["quipu.1", "quipu-import.1", "quipu-ask.1", "quipu-models-pull.1"] {
        assert!(pages.iter().any(|name| name == page), "{page}: {pages:?}");
    }
}

#[test]
fn models_are_listed_and_a_missing_one_says_how_to_get_it() {
    let bench = Bench::new();
    let listed = bench.run(&["models", "list"]).succeeded();
    assert!(
        listed.stdout.contains("all-minilm-l6-v2") && listed.stdout.contains("Apache-2.0"),
        "{listed:#?}"
    );
    let array = bench.run(&["models", "list", "--json"]).succeeded().json();
    // An adapter of ours is part of the program; everything else has to be fetched.
    let is_right = |model: &serde_json::Value| model["installed"] == (model["entry"]["kind"] == "adapter");
    assert!(array.as_array().is_some_and(|models| models.iter().all(is_right)), "{array:#}");
    let missing = bench.run(&["models", "path", "all-minilm-l6-v2"]).failed(2);
    assert!(missing.stderr.contains("quipu models pull all-minilm-l6-v2"), "{missing:#?}");
}

#[test]
fn pipes_get_no_colours_and_colours_can_be_refused() {
    let bench = Bench::with_places();
    let piped = bench.run(&["entity", "places", "Peru"]).succeeded();
    assert!(!piped.stdout.contains('\u{1b}'), "{piped:#?}");
    let forced = finish(bench.command(&["entity", "places", "Peru"]).env("CLICOLOR_FORCE", "1")).succeeded();
    assert!(forced.stdout.contains('\u{1b}'), "{forced:#?}");
    let refused = finish(bench.command(&["entity", "places", "Peru"]).env("NO_COLOR", "1")).succeeded();
    assert!(!refused.stdout.contains('\u{1b}'), "{refused:#?}");
}

#[test]
fn a_wrong_setting_is_named_with_its_place() {
    let bench = Bench::with_places();
    let variable = finish(bench.command(&["ask", "places", "Why?"]).env("QUIPU_MAX_HOPS", "far")).failed(2);
    assert!(variable.stderr.contains("QUIPU_MAX_HOPS"), "{variable:#?}");
    bench.write("places/quipu.toml", "max_hopps = 3\n");
    let file = bench.run(&["ask", "places", "Why?"]).failed(2);
    assert!(file.stderr.contains("quipu.toml") && file.stderr.contains("max_hopps"), "{file:#?}");
}

/// `| head` and `2>&1 | head`: a reader that closes the pipe early is no failure.
#[test]
fn a_reader_that_goes_away_is_no_defect() {
    let bench = Bench::with_places();
    let all = "SELECT * { ?s ?p ?o }";
    for arguments in [
        &["--help"][..],
        &["ask", "--help"],
        &["--version"],
        &["fly"],
        &["info", "places"],
        &["info", "places", "--json"],
        &["entity", "places", "Peru"],
        &["entity", "places", "Peru", "--json"],
        &["entity", "places", "Atlantis"],
        &["link", "places", "Lima or Santigao"],
        &["search", "places", "Andes"],
        &["query", "places", all],
        &["query", "places", all, "--format", "csv"],
        &["query", "places", "ASK {}", "--format", "json"],
        &["query", "places", "CONSTRUCT WHERE { ?s ?p ?o }"],
        &["tables", "places"],
        &["ask", "places", "Why?", "--llm", "none"],
        &["ask", "places", "Why?"],
        &["import", "again", "places.ttl", "--no-embeddings"],
        &["import", "broken", "nothing.ttl", "--no-embeddings"],
        &["documents", "list", "places"],
        &["examples", "list", "places"],
        &["experience", "list", "places"],
        &["source", "list", "places"],
        &["models", "list"],
        &["models", "list", "--json"],
        &["models", "path", "all-minilm-l6-v2"],
        &["doctor", "places"],
        &["init", "places"],
        &["mcp", "places", "--llm", "none"],
        &["serve", "--new-key", "ana"],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["completions", "fish"],
        &["completions", "elvish"],
        &["completions", "powershell"],
        &["man", "pages"],
        &["eval", "report", "nothing"],
    ] {
        for errors_too in [false, true] {
            let (_, gone) = std::io::pipe().unwrap();
            let mut command = bench.command(arguments);
            command.stdout(gone.try_clone().unwrap());
            if errors_too {
                command.stderr(gone);
            }
            let outcome = finish(&mut command);
            assert!(matches!(outcome.code, Some(0..=2)), "{arguments:?}: {outcome:#?}");
            assert!(!outcome.stderr.contains("panicked"), "{arguments:?}: {outcome:#?}");
        }
    }
}
