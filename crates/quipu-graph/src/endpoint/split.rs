//! Splitting of requests that were too large for an endpoint.

use super::results::Rows;
use crate::GraphError;
use crate::error::EndpointProblem;

/// Whether half of the failed request may succeed.
pub(super) fn may_split(outcome: &Result<Rows, GraphError>) -> bool {
    match outcome {
        Ok(rows) => rows.cut,
        Err(GraphError::Endpoint { problem, .. }) => match problem {
            EndpointProblem::TimedOut { .. } => true,
            EndpointProblem::Refused { status, .. } => matches!(status, 400 | 413 | 414 | 431 | 500 | 504),
            _ => false,
        },
        Err(_) => false,
    }
}
