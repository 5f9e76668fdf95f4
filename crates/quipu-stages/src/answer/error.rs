//! Errors while answering. An abstention is not an error but an answer.

use std::path::PathBuf;

use quipu_graph::{ErrorClass, GraphError};
use quipu_index::{IndexError, class_of_model};
use quipu_model::{Amount, Currency, ModelError};
use quipu_query::QueryError;

/// An error while answering. The trace names the stage that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The question or the options are invalid.
    #[error("{0}")]
    Usage(String),
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
    /// Learnt data cannot be written into the workspace.
    #[error("{0}")]
    NotKept(String),
    /// The graph failed.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// An index failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The question's own limits were reached.
    #[error("{0}")]
    Exhausted(Exhausted),
    /// A prompt template of this crate is wrong.
    #[error("prompt {name}: {source}")]
    Prompt {
        /// The template's file name.
        name: &'static str,
        /// The template engine's error.
        source: minijinja::Error,
    },
}

impl AnswerError {
    /// The class that decides exit code and HTTP status.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Usage(_) => ErrorClass::User,
            Self::Graph(error) => error.class(),
            Self::Index(error) => error.class(),
            Self::Model(error) => class_of_model(error),
            Self::Io { .. } | Self::NotKept(_) | Self::Exhausted(_) | Self::Prompt { .. } => {
                ErrorClass::Permanent
            }
        }
    }
}

impl From<QueryError> for AnswerError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Graph(error) => Self::Graph(error),
            QueryError::Index(error) => Self::Index(error),
            QueryError::Refused(reason) | QueryError::Unbound(reason) | QueryError::Results(reason) => {
                Self::Usage(reason)
            }
        }
    }
}

/// The limit of a question that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Exhausted {
    /// No model call is left.
    #[error("the limit of {0} model calls was reached")]
    Calls(u32),
    /// The tokens do not suffice for another call.
    #[error("the limit of {0} tokens was reached")]
    Tokens(u64),
    /// The money does not suffice for another call.
    #[error("the limit of {0} {1} was reached")]
    Cost(Amount, Currency),
    /// The time is up.
    #[error("the time limit of {0} s was reached")]
    Seconds(u64),
}
