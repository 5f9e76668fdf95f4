//! What can go wrong around an evaluation; what goes wrong within one question is a row of it.

use std::path::{Path, PathBuf};

use quipu_answer::AnswerError;
use quipu_graph::GraphError;
use quipu_index::IndexError;
use quipu_model::ModelError;

/// An error of an evaluation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// The request does not fit itself or what is there: the message says what to do.
    #[error("{0}")]
    Usage(String),
    /// Reading or writing a file failed.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was being done, as "cannot read".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's word.
        source: std::io::Error,
    },
    /// A question file breaks its format.
    #[error("{}:{line}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// 1-based line.
        line: usize,
        /// The field and what is wrong with it.
        reason: String,
    },
    /// A results folder holds something else than it should.
    #[error("{}: {reason}", path.display())]
    Results {
        /// The folder, or the file in it.
        path: PathBuf,
        /// What was expected, what was found, what to do.
        reason: String,
    },
    /// The workspace's graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The workspace's index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The judge's model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The engine could not be set up.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// A prompt or page template of ours is wrong.
    #[error("template {name}: {source}")]
    Template {
        /// The template's name.
        name: &'static str,
        /// The engine's word.
        source: minijinja::Error,
    },
}

impl EvalError {
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    pub(crate) fn malformed(path: &Path, line: usize, reason: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_owned(), line, reason: reason.into() }
    }

    pub(crate) fn results(path: &Path, reason: impl Into<String>) -> Self {
        Self::Results { path: path.to_owned(), reason: reason.into() }
    }
}
