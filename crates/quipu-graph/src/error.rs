//! Errors of graphs, by kind of operation.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Decides how a caller handles an error: tell the user, try again, give up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The user's input or configuration is wrong. Trying again changes nothing.
    User,
    /// The failure may pass: a busy endpoint, a time-out.
    Transient,
    /// The failure will recur and is not the user's fault.
    Permanent,
    /// Stored data is damaged or foreign.
    Corrupt,
    /// The caller cancelled the operation.
    Cancelled,
}

/// An error of a graph source. Each message states the operation, its object, and the next step.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
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
    /// A compressed input file cannot be unpacked.
    #[error("{}: the compressed data is damaged or cut off ({reason})", path.display())]
    Packed {
        /// The input file (`<stdin>` for standard input).
        path: PathBuf,
        /// The reason that the decompressor gives.
        reason: String,
    },
    /// An input file breaks its own format.
    #[error("{}:{line}: {reason}", path.display())]
    Malformed {
        /// The input file (`<stdin>` for standard input).
        path: PathBuf,
        /// 1-based line.
        line: u64,
        /// The fault in the line.
        reason: String,
    },
    /// The whole input holds no triple.
    #[error("the input holds no triples")]
    Empty,
    /// A stored file is missing, truncated, damaged, or not Quipu's.
    #[error("{}: {reason}; import the graph again", path.display())]
    Corrupt {
        /// The stored file.
        path: PathBuf,
        /// What was expected and what was found.
        reason: String,
    },
    /// A SPARQL endpoint failed.
    #[error("endpoint {endpoint}, {stage}: {problem}")]
    Endpoint {
        /// Its URL, without secrets.
        endpoint: String,
        /// The operation at the endpoint, as "reading relations".
        stage: &'static str,
        /// The problem.
        problem: EndpointProblem,
    },
    /// Another process, or another thread, writes to the workspace.
    #[error("another import is writing to {}; wait for it to end", workspace.display())]
    Busy {
        /// The workspace.
        workspace: PathBuf,
    },
    /// An impossible request: an unknown format, a bad profile, a bad query.
    #[error("{0}")]
    Usage(String),
    /// A failure of the system or of Quipu itself, which no other request avoids.
    #[error("{0}")]
    Internal(String),
    /// The caller stopped the operation.
    #[error("interrupted")]
    Cancelled,
}

/// Problems of an endpoint. None of them ever counts as an empty result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointProblem {
    /// It could not be reached, or kept failing with transient errors.
    #[error(
        "{reason} (after {attempts} attempts); `quipu source check` shows whether the source answers again"
    )]
    Unreachable {
        /// The last failure.
        reason: String,
        /// Number of attempts.
        attempts: u32,
    },
    /// It did not answer in time.
    #[error("no answer within {seconds} s; a larger `timeout` or a smaller `batch` in sources.toml may help")]
    TimedOut {
        /// The limit.
        seconds: u64,
    },
    /// It refused the request.
    #[error("HTTP {status}: {reason}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The endpoint's message.
        reason: String,
    },
    /// Its answer is not a result.
    #[error("{reason}")]
    Unreadable {
        /// The expected and the received content.
        reason: String,
    },
    /// It returned fewer rows than it had counted.
    #[error(
        "the endpoint gave {found} of the {expected} rows that it counts, because it limits its results; \
         set a smaller `page` in sources.toml"
    )]
    Incomplete {
        /// Rows counted.
        expected: u64,
        /// Rows given.
        found: u64,
    },
    /// It has lost its triples since it was added.
    #[error(
        "the endpoint holds no triples any more; load its data again, or remove it with `quipu source remove`"
    )]
    Emptied,
}

impl EndpointProblem {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Unreachable { .. } | Self::TimedOut { .. } => ErrorClass::Transient,
            Self::Refused { status: 401 | 403, .. } => ErrorClass::User,
            Self::Refused { .. } | Self::Unreadable { .. } | Self::Incomplete { .. } | Self::Emptied => {
                ErrorClass::Permanent
            }
        }
    }
}

impl GraphError {
    /// The class that decides retry, exit code and HTTP status.
    pub fn class(&self) -> ErrorClass {
        match self {
            // A file that does not exist was named wrongly.
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => ErrorClass::User,
            Self::Io { .. } | Self::Internal(_) => ErrorClass::Permanent,
            Self::Packed { .. } | Self::Malformed { .. } | Self::Empty | Self::Usage(_) => ErrorClass::User,
            Self::Corrupt { .. } => ErrorClass::Corrupt,
            Self::Busy { .. } => ErrorClass::Transient,
            Self::Endpoint { problem, .. } => problem.class(),
            Self::Cancelled => ErrorClass::Cancelled,
        }
    }
}

/// For `map_err`: a value of our own that cannot be written in its format.
pub(crate) fn unwritable<E: std::fmt::Display>(what: &'static str) -> impl FnOnce(E) -> GraphError {
    move |error| GraphError::Internal(format!("cannot serialise {what}: {error}; this is a bug in Quipu"))
}

/// For `map_err`: an I/O error that names the operation and the file.
pub(crate) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> GraphError {
    let path = path.to_owned();
    move |source| match damaged(&source) {
        Some(Damaged(reason)) => GraphError::Packed { path, reason: reason.clone() },
        None => GraphError::Io { action, path, source },
    }
}

/// The decompressor's reason inside of an I/O error, which a parser may have wrapped in another.
fn damaged(error: &std::io::Error) -> Option<&Damaged> {
    let inner = error.get_ref()?;
    let wrapped = || inner.downcast_ref::<Arc<std::io::Error>>().and_then(|error| damaged(error));
    inner.downcast_ref().or_else(wrapped)
}

/// The reason why a decompressor could not read its input, inside of an I/O error.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Damaged(pub(crate) String);
