//! Errors of an evaluation as a whole. An error within one question is a row of the results.

use std::path::{Path, PathBuf};

use quipu_answer::AnswerError;
use quipu_graph::{ErrorClass, GraphError};
use quipu_index::{IndexError, class_of_model};
use quipu_model::ModelError;

/// An error of an evaluation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvalError {
    /// The request contradicts itself or the existing files; the message states the next step.
    #[error("{0}")]
    Usage(String),
    /// Reading or writing a file failed.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// The operation, as "cannot read".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// A question file breaks its format.
    #[error("{}:{line}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// 1-based line.
        line: usize,
        /// The field and its error.
        reason: String,
    },
    /// A results folder has unexpected content.
    #[error("{}: {reason}", path.display())]
    Results {
        /// The folder, or the file in it.
        path: PathBuf,
        /// The expected content, the found content, the next step.
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
    /// A built-in prompt or page template is wrong.
    #[error("template {name}: {source}")]
    Template {
        /// The template's name.
        name: &'static str,
        /// The template engine's error.
        source: minijinja::Error,
    },
}

impl EvalError {
    /// The class that decides the exit code.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Usage(_) | Self::Malformed { .. } => ErrorClass::User,
            Self::Results { .. } => ErrorClass::Corrupt,
            Self::Graph(error) => error.class(),
            Self::Index(error) => error.class(),
            Self::Model(error) => class_of_model(error),
            Self::Answer(error) => error.class(),
            Self::Io { .. } | Self::Template { .. } => ErrorClass::Permanent,
        }
    }

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
