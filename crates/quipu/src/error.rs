//! Errors of the library, in one type.

use std::path::PathBuf;

use quipu_answer::AnswerError;
use quipu_graph::{ErrorClass, GraphError};
use quipu_index::{IndexError, class_of_model};
use quipu_model::ModelError;
use quipu_query::QueryError;

/// The result of the library's functions.
pub type Result<T> = std::result::Result<T, Error>;

/// An error. Each message names the failed object and the next step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Invalid arguments, settings or query.
    #[error("{0}")]
    Usage(String),
    /// No entity has this name.
    #[error("{0}")]
    NotFound(String),
    /// None of several workspaces can be opened.
    #[error("no source can be asked: {0}")]
    Sources(String),
    /// A file of settings cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The graph failed.
    #[error(transparent)]
    Graph(GraphError),
    /// The workspace or one of its indexes failed.
    #[error(transparent)]
    Index(IndexError),
    /// A model failed, or is not on this machine.
    #[error(transparent)]
    Model(ModelError),
    /// Anything else that ended a question.
    #[error(transparent)]
    Answer(AnswerError),
    /// Data of our own that cannot be read or written.
    #[error("{0}; this is a bug in Quipu")]
    Internal(String),
    /// A worker thread ended without a result.
    #[error("the work ended without a result; this is a bug in Quipu")]
    Lost,
}

impl Error {
    /// The class that decides retry, exit code and HTTP status.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Usage(_) | Self::NotFound(_) => ErrorClass::User,
            Self::Sources(_) | Self::Settings { .. } | Self::Internal(_) | Self::Lost => {
                ErrorClass::Permanent
            }
            Self::Graph(error) => error.class(),
            Self::Index(error) => error.class(),
            Self::Model(error) => class_of_model(error),
            Self::Answer(error) => error.class(),
        }
    }

    /// Whether the only problem is a model that is missing or incomplete on this machine.
    pub fn is_missing_model(&self) -> bool {
        matches!(self, Self::Model(ModelError::Missing { .. } | ModelError::Partial { .. }))
    }
}

impl From<GraphError> for Error {
    fn from(error: GraphError) -> Self {
        Self::Graph(error)
    }
}

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Self {
        Self::Model(error)
    }
}

impl From<IndexError> for Error {
    fn from(error: IndexError) -> Self {
        match error {
            IndexError::Graph(error) => Self::Graph(error),
            IndexError::Model(error) => Self::Model(error),
            error => Self::Index(error),
        }
    }
}

impl From<AnswerError> for Error {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Usage(reason) => Self::Usage(reason),
            AnswerError::Graph(error) => Self::Graph(error),
            AnswerError::Index(error) => error.into(),
            AnswerError::Model(error) => Self::Model(error),
            error => Self::Answer(error),
        }
    }
}

impl From<QueryError> for Error {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Refused(reason) | QueryError::Unbound(reason) | QueryError::Results(reason) => {
                Self::Usage(reason)
            }
            QueryError::Graph(error) => Self::Graph(error),
            QueryError::Index(error) => error.into(),
        }
    }
}
