//! What can go wrong with a graph, by kind of operation.

use std::path::{Path, PathBuf};

/// Decides what a caller does with an error: tell the user, try again, give up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The user's input or configuration is wrong; trying again changes nothing.
    User,
    /// Something that may pass: a busy endpoint, a time-out.
    Transient,
    /// It will fail the same way again, and not by the user's fault.
    Permanent,
    /// Stored data is damaged or foreign.
    Corrupt,
    /// The caller cancelled it.
    Cancelled,
}

/// An error of a graph source. Each message says what was being done, on what, and what to do next.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphError {
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
    /// An input file breaks its own format.
    #[error("{}:{line}: {reason}", path.display())]
    Malformed {
        /// The input file (`<stdin>` for standard input).
        path: PathBuf,
        /// 1-based line.
        line: u64,
        /// What is wrong there.
        reason: String,
    },
    /// All of the input was read, and nothing was in it.
    #[error("the input holds no triples")]
    Empty,
    /// A stored file is missing, truncated, foreign or damaged.
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
        /// What it was asked for, as "reading relations".
        stage: &'static str,
        /// What went wrong.
        problem: EndpointProblem,
    },
    /// Another process, or another thread, writes to the workspace.
    #[error("another import is writing to {}; wait for it to end", workspace.display())]
    Busy {
        /// The workspace.
        workspace: PathBuf,
    },
    /// The caller asked for something that cannot be: an unknown format, a bad profile, a bad query.
    #[error("{0}")]
    Usage(String),
    /// The caller stopped it.
    #[error("interrupted")]
    Cancelled,
}

/// What can go wrong with an endpoint. None of it is ever taken for an empty result.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointProblem {
    /// It could not be reached, or kept failing in ways that may pass.
    #[error("{reason} (after {attempts} attempts); `quipu source check` tells when it is back")]
    Unreachable {
        /// The last failure.
        reason: String,
        /// How often it was tried.
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
        /// Its own words.
        reason: String,
    },
    /// It answered with something that is no result.
    #[error("{reason}")]
    Unreadable {
        /// What was expected and what was found.
        reason: String,
    },
    /// It left out rows that it had counted itself.
    #[error(
        "it gave {found} rows of the {expected} that it counts: it limits its results; a smaller `page` in sources.toml \
         gets round that"
    )]
    Incomplete {
        /// Rows counted.
        expected: u64,
        /// Rows given.
        found: u64,
    },
}

impl EndpointProblem {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Unreachable { .. } | Self::TimedOut { .. } => ErrorClass::Transient,
            Self::Refused { status: 401 | 403, .. } => ErrorClass::User,
            Self::Refused { .. } | Self::Unreadable { .. } | Self::Incomplete { .. } => ErrorClass::Permanent,
        }
    }
}

impl GraphError {
    /// The class that decides retry, exit code and HTTP status.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Io { .. } => ErrorClass::Permanent,
            Self::Malformed { .. } | Self::Empty | Self::Usage(_) => ErrorClass::User,
            Self::Corrupt { .. } => ErrorClass::Corrupt,
            Self::Busy { .. } => ErrorClass::Transient,
            Self::Endpoint { problem, .. } => problem.class(),
            Self::Cancelled => ErrorClass::Cancelled,
        }
    }
}

/// For `map_err`: an I/O error that names what was being done and the file.
pub(crate) fn io_error(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> GraphError {
    let path = path.to_owned();
    move |source| GraphError::Io { action, path, source }
}
