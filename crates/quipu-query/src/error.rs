//! What can go wrong between a text of SQL and its rows.

use quipu_graph::GraphError;
use quipu_index::IndexError;

/// Why a query gives no rows.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// The text is no SQL that is read here; the message names the part and says what to write instead.
    #[error("{0}")]
    Refused(String),
    /// The SQL speaks of something that the graph does not have; the message says of what.
    #[error("{0}")]
    Unbound(String),
    /// The graph failed, or the query needs more time or memory than it may have.
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
    /// Whether other SQL may do better: the text was refused, or names what is not there.
    pub fn is_of_the_text(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Unbound(_) | Self::Graph(GraphError::Usage(_)))
    }
}
