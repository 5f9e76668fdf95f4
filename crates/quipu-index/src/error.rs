//! What can go wrong while finding things, by kind of operation.

use std::path::{Path, PathBuf};

use quipu_graph::{ErrorClass, GraphError};
use quipu_model::ModelError;

/// An error of an index or of a workspace. Each message names the file and says what to do next.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// Reading or writing a file failed.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was being done, as "cannot read".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's word.
        source: std::io::Error,
    },
    /// An index file is missing, truncated, foreign or damaged.
    #[error("{}: {reason}; import the graph again", path.display())]
    Corrupt {
        /// The index file.
        path: PathBuf,
        /// What was expected and what was found.
        reason: String,
    },
    /// The vectors were made by another embedder than the one at hand.
    #[error(
        "{}: its vectors were made by embedder {expected}, but this one is {found}; \
         choose that embedder again, or build the vectors anew by importing the graph again",
        path.display()
    )]
    OtherEmbedder {
        /// The vector index.
        path: PathBuf,
        /// Fingerprint stored in the index.
        expected: String,
        /// Fingerprint of the embedder at hand.
        found: String,
    },
    /// The caller asked for something that cannot be.
    #[error("{0}")]
    Usage(String),
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
        /// The library's word.
        reason: String,
    },
    /// The caller stopped it. What was done so far is kept and resumed where that is possible.
    #[error("interrupted")]
    Cancelled,
}

impl IndexError {
    /// The class that decides retry, exit code and HTTP status.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Io { .. } | Self::Engine { .. } => ErrorClass::Permanent,
            Self::Corrupt { .. } => ErrorClass::Corrupt,
            Self::OtherEmbedder { .. } | Self::Usage(_) => ErrorClass::User,
            Self::Graph(error) => error.class(),
            Self::Model(error) => match error {
                ModelError::Unreachable { .. } | ModelError::TimedOut { .. } => ErrorClass::Transient,
                ModelError::Damaged { .. } => ErrorClass::Corrupt,
                ModelError::Cancelled => ErrorClass::Cancelled,
                ModelError::Usage(_) | ModelError::Missing { .. } | ModelError::Partial { .. } => {
                    ErrorClass::User
                }
                _ => ErrorClass::Permanent,
            },
            Self::Cancelled => ErrorClass::Cancelled,
        }
    }

    /// For `map_err` on file operations: says what was being done to which file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }

    /// A stored file that is not what it should be.
    pub(crate) fn corrupt(path: &Path, reason: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_owned(), reason: reason.into() }
    }
}
