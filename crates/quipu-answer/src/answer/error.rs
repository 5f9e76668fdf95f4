//! Why a question could not be worked on (an abstention is no error: it is an answer).

use quipu_graph::GraphError;
use quipu_index::IndexError;
use quipu_model::{Amount, Currency, ModelError};
use quipu_query::QueryError;

/// An error while answering. The stage that failed is named by the trace.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The question or the options cannot be worked with.
    #[error("{0}")]
    Usage(String),
    /// What was learnt cannot be written into the workspace.
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
    /// The question's own limits ended the work.
    #[error("{0}")]
    Exhausted(Exhausted),
    /// A prompt template of ours is wrong.
    #[error("prompt {name}: {source}")]
    Prompt {
        /// The template's file name.
        name: &'static str,
        /// The engine's word.
        source: minijinja::Error,
    },
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

/// Which limit of a question was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Exhausted {
    /// No model call is left.
    #[error("the limit of {0} model calls was reached")]
    Calls(u32),
    /// No further call fits into the tokens.
    #[error("the limit of {0} tokens was reached")]
    Tokens(u64),
    /// No further call fits into the money.
    #[error("the limit of {0} {1} was reached")]
    Cost(Amount, Currency),
    /// The time is over.
    #[error("the time limit of {0} s was reached")]
    Seconds(u64),
}
