//! What people see in a terminal, through a pseudo-terminal.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use std::time::Duration;

use crate::support::endpoint::{answer, chat_reply, endpoint};
use crate::support::terminal::{Terminal, plain};
use crate::support::{Bench, models};

const QUESTION: &str = "What is the capital of Peru?";

#[test]
fn a_question_shows_its_stage_and_its_seconds() {
    let bench = Bench::with_places();
    let slow = endpoint(|stream| {
        std::thread::sleep(Duration::from_millis(1500));
        answer(stream, "200 OK", &chat_reply("I don't know."));
    });
    let arguments = ["ask", "places", QUESTION, "--llm", "openai:parrot", "--method", "kerag"];
    let mut command = bench.command(&arguments);
    command.env("OPENAI_BASE_URL", slow).env("OPENAI_API_KEY", "none");
    let (code, shown) = Terminal::start(&mut command, 80).ended();
    assert_eq!(code, Some(0), "{shown}");
    let shown = plain(&shown);
    for part in ["reading the question 0s", "planning ", "composing the answer ", " 1s", " 2s"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(!shown.contains("0/0") && !shown.contains('░'), "{shown}");
    assert!(shown.contains("I don't know."), "{shown}");
}

/// A conversation in a terminal, by whole paths, which need the embedder.
fn talk(bench: &Bench, endpoint: &str) -> Terminal {
    let arguments = ["ask", "places", "--llm", "openai:parrot", "--method", "paths"];
    let mut command = bench.command(&arguments);
    command.env("OPENAI_BASE_URL", endpoint).env("OPENAI_API_KEY", "none").env("QUIPU_MODELS", models());
    let mut terminal = Terminal::start(&mut command, 100);
    terminal.wait_for("/help lists the commands");
    terminal.wait_for("> ");
    terminal
}

#[test]
fn a_conversation_follows_up_completes_names_and_tells_why() {
    let bench = Bench::with_places();
    let endpoint = endpoint(|stream| answer(stream, "200 OK", &chat_reply("Bananas are yellow.")));
    let mut terminal = talk(&bench, &endpoint);
    terminal.type_keys("/why\r");
    terminal.wait_for("no question was asked yet");
    terminal.type_keys(&format!("{QUESTION}\r"));
    terminal.wait_for("Lima");
    terminal.wait_for("paths with openai:parrot");
    // The follow-up's “its” is the earlier answer, which code knows by its key.
    terminal.type_keys("What is its population?\r");
    terminal.wait_for("7737002");
    terminal.wait_for("paths with openai:parrot");
    terminal.type_keys("/why\r");
    terminal.wait_for("retrieve");
    terminal.type_keys("/method magic\r");
    terminal.wait_for("unknown method magic");
    terminal.type_keys("/me\tquer\t\r");
    terminal.wait_for("questions are answered by query");
    terminal.type_keys("/method paths\r");
    terminal.wait_for("questions are answered by paths");
    // What is typed is shown with its rest before the line is sent.
    terminal.type_keys("What is the capital of Boli\t");
    terminal.wait_for("Bolivia");
    terminal.type_keys("?\r");
    terminal.wait_for("Sucre");
    terminal.wait_for("paths with openai:parrot");
    terminal.type_keys("/fly\r");
    terminal.wait_for("unknown command /fly");
    terminal.type_keys("/quit\r");
    let (code, shown) = terminal.ended();
    assert_eq!(code, Some(0), "{shown}");
    let kept = std::fs::read_to_string(bench.path(".local/state/quipu/history")).unwrap();
    assert!(kept.contains(QUESTION) && kept.contains("of Bolivia?"), "{kept}");
    // The next one remembers; Ctrl-D ends it.
    let mut terminal = talk(&bench, &endpoint);
    terminal.type_keys("\u{1b}[A\u{1b}[A\u{1b}[A");
    terminal.wait_for("of Bolivia?");
    terminal.type_keys("\u{15}\u{4}");
    assert_eq!(terminal.ended().0, Some(0));
}

#[test]
fn a_conversation_outlives_a_failure_and_an_interruption() {
    let bench = Bench::with_places();
    let asked = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = asked.clone();
    let endpoint = endpoint(move |stream| {
        match count.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => answer(stream, "401 Unauthorized", r#"{"error":{"message":"wrong key"}}"#),
            // Held open without a word.
            _ => std::mem::forget(stream),
        }
    });
    let arguments = ["ask", "places", "--llm", "openai:parrot", "--method", "kerag"];
    let mut command = bench.command(&arguments);
    command.env("OPENAI_BASE_URL", &endpoint).env("OPENAI_API_KEY", "none");
    // A home that cannot be written to costs the memory of lines, nothing else.
    std::fs::write(bench.path(".local"), "no folder").unwrap();
    let mut terminal = Terminal::start(&mut command, 80);
    terminal.wait_for("> ");
    terminal.type_keys(&format!("{QUESTION}\r"));
    terminal.wait_for("lines are not remembered");
    terminal.wait_for("wrong key");
    terminal.wait_for("> ");
    terminal.type_keys("What is the capital of Chile?\r");
    while asked.load(std::sync::atomic::Ordering::SeqCst) < 2 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = terminal.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    terminal.wait_for("interrupted");
    terminal.wait_for("> ");
    terminal.type_keys("/quit\r");
    assert_eq!(terminal.ended().0, Some(0));
}

#[test]
fn a_conversation_needs_a_terminal() {
    let bench = Bench::with_places();
    let piped = bench.run(&["ask", "places", "--llm", "none"]).failed(2);
    assert!(piped.stderr.contains("a question is missing"), "{piped:#?}");
}

/// The lines that remain on the screen, below those of the spinner.
fn lines(shown: &str) -> Vec<String> {
    let last = shown.rsplit("\u{1b}[2K").next().unwrap();
    plain(last).lines().map(|line| line.trim_end().to_owned()).collect()
}

#[test]
fn what_is_printed_fits_the_terminal() {
    let bench = Bench::with_places();
    let endpoint = endpoint(|stream| answer(stream, "200 OK", &chat_reply("Bananas are yellow.")));
    let question = "What is the population of the capital of Peru?";
    let asked = ["ask", "places", question, "--llm", "openai:parrot", "--method", "paths"];
    for columns in [80, 40] {
        for arguments in
            [&asked[..], &["models", "list"], &["info", "places"], &["link", "places", "Santigao"]]
        {
            let mut command = bench.command(arguments);
            command
                .env("OPENAI_BASE_URL", &endpoint)
                .env("OPENAI_API_KEY", "none")
                .env("QUIPU_MODELS", models());
            let (code, shown) = Terminal::start(&mut command, columns).ended();
            assert_eq!(code, Some(0), "{shown}");
            for line in lines(&shown) {
                // An IRI is not broken.
                let whole = line.split_whitespace().any(|word| word.chars().count() > 25);
                assert!(whole || line.chars().count() <= usize::from(columns), "{columns}: {line}\n{shown}");
            }
            let said = lines(&shown).join("\n");
            match arguments[0] {
                // Broken between words, not in them.
                "ask" if columns == 40 => {
                    assert!(
                        said.contains("I read this as: the population of the\n  capital of “Peru”\n"),
                        "{said}"
                    );
                }
                "ask" => assert!(
                    said.contains("\nI read this as: the population of the capital of “Peru”\n"),
                    "{said}"
                ),
                // A name that has to be typed is never cut.
                "models" => assert!(
                    said.contains("qwen2.5-coder-1.5b ") || said.contains("qwen2.5-coder-1.5b\n"),
                    "{said}"
                ),
                _ => {}
            }
        }
    }
    let piped = bench.run(&["models", "list"]).succeeded().stdout;
    assert!(piped.lines().next().unwrap().starts_with("name ") && !piped.contains('…'), "{piped}");
}
