//! What people see in a terminal, through a pseudo-terminal.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where something fails")]

use std::time::Duration;

use crate::support::Bench;
use crate::support::endpoint::{answer, chat_reply, endpoint};
use crate::support::terminal::{Terminal, plain};

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
