//! Failures: the message for the user and the exit code for the shell.

use std::fmt::Write as _;
use std::io;

use anstyle::{AnsiColor, Style};
use quipu_answer::AnswerError;
use quipu_eval::EvalError;
use quipu_graph::{ErrorClass, GraphError};
use quipu_index::{IndexError, class_of_model};
use quipu_server::ServerError;

pub(crate) const FAILED: u8 = 1;
const WRONG_USAGE: u8 = 2;
/// 128 + SIGINT, as shells have it.
const INTERRUPTED: u8 = 130;

const RED: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// The arguments can be parsed, but they contradict each other, or name something unknown.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct WrongUsage(pub(crate) String);

/// The user pressed Ctrl-C.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub(crate) struct Interrupted;

/// The exit code for an error.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if reader_is_gone(error) {
        return 0;
    }
    match class_of(error) {
        Some(ErrorClass::Cancelled) => INTERRUPTED,
        Some(ErrorClass::User) => WRONG_USAGE,
        _ => FAILED,
    }
}

/// The class of the first cause that has one.
fn class_of(error: &anyhow::Error) -> Option<ErrorClass> {
    error.chain().find_map(|cause| {
        let cancelled = cause.is::<Interrupted>().then_some(ErrorClass::Cancelled);
        let usage = || cause.is::<WrongUsage>().then_some(ErrorClass::User);
        cancelled
            .or_else(usage)
            .or_else(|| cause.downcast_ref().map(quipu::Error::class))
            .or_else(|| cause.downcast_ref().map(AnswerError::class))
            .or_else(|| cause.downcast_ref().map(EvalError::class))
            .or_else(|| cause.downcast_ref().map(GraphError::class))
            .or_else(|| cause.downcast_ref().map(IndexError::class))
            .or_else(|| cause.downcast_ref().map(class_of_model))
            .or_else(|| cause.downcast_ref::<ServerError>().map(ServerError::class))
    })
}

/// The same for programs: `{"error": {"message", "causes", "exit_code"}}`.
pub(crate) fn as_json(error: &anyhow::Error) -> Option<serde_json::Value> {
    if reader_is_gone(error) {
        return None;
    }
    let causes: Vec<String> = error.chain().skip(1).map(ToString::to_string).collect();
    let (message, exit_code) = (error.to_string(), exit_code(error));
    Some(serde_json::json!({ "error": { "message": message, "causes": causes, "exit_code": exit_code } }))
}

/// The error as one sentence, and a `caused by` line for each cause that says more. `None` if the
/// reader of our output is gone.
pub(crate) fn message(error: &anyhow::Error) -> Option<String> {
    if reader_is_gone(error) {
        return None;
    }
    let mut said = error.to_string();
    let mut message = format!("{RED}error:{RED:#} {said}");
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        // Most messages already contain their cause's message.
        if !said.contains(&cause) {
            let _ = write!(message, "\n{DIM}caused by:{DIM:#} {cause}");
            said.push_str(&cause);
        }
    }
    Some(message)
}

/// Whether the reader of our output has closed it, as in `quipu query … | head`.
fn reader_is_gone(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}
