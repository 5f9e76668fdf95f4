//! Errors of indexes and workspaces, by kind of operation.

use std::path::{Path, PathBuf};

use quipu_graph::{ErrorClass, GraphError};
use quipu_model::ModelError;

/// An error of an index or of a workspace. Each message names the file and the next step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// Reading or writing a file failed.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// The operation, as "cannot read".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// An index file is missing, truncated, damaged, or not Quipu's.
    #[error("{}: {reason}; import the graph again", path.display())]
    Corrupt {
        /// The index file.
        path: PathBuf,
        /// What was expected and what was found.
        reason: String,
    },
    /// The vectors come from another embedder than the current one.
    #[error(
        "{}: the vectors come from the embedder {expected}, but the current embedder is {found}; \
         choose the first one again, or import the graph again to build new vectors",
        path.display()
    )]
    OtherEmbedder {
        /// The vector index.
        path: PathBuf,
        /// Fingerprint stored in the index.
        expected: String,
        /// Fingerprint of the current embedder.
        found: String,
    },
    /// An impossible request.
    #[error("{0}")]
    Usage(String),
    /// Every source of several failed a moment ago, and is skipped for a while.
    #[error("no source of {sources} answers at the moment; ask again later")]
    AllDown {
        /// The names of the sources.
        sources: String,
    },
    /// Data of our own that cannot be written in its format.
    #[error("cannot serialise {what}: {reason}; this is a bug in Quipu")]
    Unwritable {
        /// The data.
        what: &'static str,
        /// The serialiser's message.
        reason: String,
    },
    /// The graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The embedder failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The approximate-neighbour library failed.
    #[error("{}: {reason}", path.display())]
    Engine {
        /// The vector index.
        path: PathBuf,
        /// The library's message.
        reason: String,
    },
    /// The caller stopped the operation. Finished work is kept and resumed if possible.
    #[error("interrupted")]
    Cancelled,
}

/// The class of a model's error. Models do not depend on graphs and their error classes.
pub fn class_of_model(error: &ModelError) -> ErrorClass {
    match error {
        ModelError::Unreachable { .. } | ModelError::TimedOut { .. } => ErrorClass::Transient,
        ModelError::Damaged { .. } => ErrorClass::Corrupt,
        ModelError::Cancelled => ErrorClass::Cancelled,
        ModelError::Usage(_) | ModelError::Missing { .. } | ModelError::Partial { .. } => ErrorClass::User,
        _ => ErrorClass::Permanent,
    }
}

impl IndexError {
    /// The class that decides retry, exit code and HTTP status.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Io { .. } | Self::Engine { .. } | Self::Unwritable { .. } => ErrorClass::Permanent,
            Self::AllDown { .. } => ErrorClass::Transient,
            Self::Corrupt { .. } => ErrorClass::Corrupt,
            Self::OtherEmbedder { .. } | Self::Usage(_) => ErrorClass::User,
            Self::Graph(error) => error.class(),
            Self::Model(error) => class_of_model(error),
            Self::Cancelled => ErrorClass::Cancelled,
        }
    }

    /// For `map_err`: an I/O error that names the operation and the file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    /// For `map_err`: data of our own that cannot be written in its format.
    pub(crate) fn unwritable<E: std::fmt::Display>(what: &'static str) -> impl FnOnce(E) -> Self {
        move |error| Self::Unwritable { what, reason: error.to_string() }
    }

    /// A stored file with wrong content.
    pub(crate) fn corrupt(path: &Path, reason: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_owned(), reason: reason.into() }
    }
}
