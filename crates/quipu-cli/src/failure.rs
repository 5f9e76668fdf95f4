//! What the user sees, and the shell gets, when something fails.

use std::fmt::Write as _;
use std::io;

use anstyle::{AnsiColor, Style};
use quipu_answer::AnswerError;
use quipu_eval::EvalError;
use quipu_graph::{ErrorClass, GraphError};
use quipu_index::IndexError;
use quipu_model::ModelError;
use quipu_server::ServerError;

pub(crate) const FAILED: u8 = 1;
const WRONG_USAGE: u8 = 2;
/// 128 + SIGINT, as shells have it.
const INTERRUPTED: u8 = 130;

const RED: Style = AnsiColor::Red.on_default().bold();
const DIM: Style = Style::new().dimmed();

/// The arguments fit the grammar of the command line, but not each other or the world.
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
    if is_interruption(error) {
        return INTERRUPTED;
    }
    if is_wrong_usage(error) { WRONG_USAGE } else { FAILED }
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

/// One readable sentence and a `caused by` line for each cause that says more; `None` where there is nobody to tell.
pub(crate) fn message(error: &anyhow::Error) -> Option<String> {
    if reader_is_gone(error) {
        return None;
    }
    let mut said = error.to_string();
    let mut message = format!("{RED}error:{RED:#} {said}");
    for cause in error.chain().skip(1) {
        let cause = cause.to_string();
        // Most messages end with their cause's own words already.
        if !said.contains(&cause) {
            let _ = write!(message, "\n{DIM}caused by:{DIM:#} {cause}");
            said.push_str(&cause);
        }
    }
    Some(message)
}

/// `quipu query … | head`: whoever read our output has what it wanted.
fn reader_is_gone(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

fn is_interruption(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<Interrupted>()
            || matches!(cause.downcast_ref(), Some(GraphError::Cancelled))
            || matches!(cause.downcast_ref(), Some(IndexError::Cancelled))
            || matches!(cause.downcast_ref(), Some(ModelError::Cancelled))
            || cause
                .downcast_ref::<quipu::Error>()
                .is_some_and(|error| error.class() == ErrorClass::Cancelled)
    })
}

fn is_wrong_usage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.is::<WrongUsage>()
            || cause.downcast_ref().is_some_and(is_wrong_graph)
            || cause.downcast_ref().is_some_and(is_wrong_index)
            || cause.downcast_ref().is_some_and(is_wrong_model)
            || match cause.downcast_ref() {
                // The errors that these pass on are not in the chain: it goes on with *their* causes.
                Some(quipu::Error::Usage(_)) => true,
                Some(quipu::Error::Graph(error)) => is_wrong_graph(error),
                Some(quipu::Error::Index(error)) => is_wrong_index(error),
                Some(quipu::Error::Model(error)) => is_wrong_model(error),
                _ => false,
            }
            || match cause.downcast_ref() {
                Some(AnswerError::Usage(_)) => true,
                Some(AnswerError::Graph(error)) => is_wrong_graph(error),
                Some(AnswerError::Index(error)) => is_wrong_index(error),
                Some(AnswerError::Model(error)) => is_wrong_model(error),
                _ => false,
            }
            || match cause.downcast_ref() {
                Some(EvalError::Usage(_)) => true,
                Some(EvalError::Graph(error)) => is_wrong_graph(error),
                Some(EvalError::Index(error)) => is_wrong_index(error),
                Some(EvalError::Model(error)) => is_wrong_model(error),
                _ => false,
            }
            || matches!(cause.downcast_ref(), Some(ServerError::Usage(_)))
    })
}

fn is_wrong_graph(error: &GraphError) -> bool {
    matches!(error, GraphError::Usage(_))
}

fn is_wrong_model(error: &ModelError) -> bool {
    matches!(error, ModelError::Usage(_))
}

fn is_wrong_index(error: &IndexError) -> bool {
    match error {
        IndexError::Graph(error) => is_wrong_graph(error),
        IndexError::Model(error) => is_wrong_model(error),
        _ => false,
    }
}
