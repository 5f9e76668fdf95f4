//! Errors on the way from an SQL text to its rows.

use quipu_graph::GraphError;
use quipu_index::IndexError;

/// The reason why a query gives no rows.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The SQL text is not supported; the message names the part and says what to write instead.
    #[error("{0}")]
    Refused(String),
    /// The SQL names something that the graph does not have; the message says what.
    #[error("{0}")]
    Unbound(String),
    /// The graph failed, or the query exceeds its time or memory.
    #[error(transparent)]
    Graph(#[from] GraphError),
    /// The workspace's indexes failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The graph's answer could not be read.
    #[error("the results of the query cannot be read: {0}")]
    Results(String),
}

impl QueryError {
    /// Whether other SQL may succeed: the text was refused, or names something that the graph does
    /// not have.
    pub fn is_of_the_text(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Unbound(_) | Self::Graph(GraphError::Usage(_)))
    }
}
