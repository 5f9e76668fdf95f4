//! Errors of models, by the caller's possible reactions.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// An error of a language model or an embedder. Each message names the model or endpoint and the
/// next step.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The name is in no `models.toml`, or the configuration is wrong.
    #[error("{0}")]
    Usage(String),
    /// HTTP cannot be set up on this system.
    #[error("cannot set up HTTP: {reason}")]
    NoHttp {
        /// The library's message.
        reason: String,
    },
    /// A model's file is missing.
    #[error("model {name} is not on this machine; fetch it with `quipu models pull {name}`")]
    Missing {
        /// Name in `models.toml`.
        name: String,
    },
    /// A model's file is incomplete on this machine.
    #[error(
        "model {name} is incomplete on this machine ({found} of {expected} bytes); fetch the rest with `quipu models pull {name}`"
    )]
    Partial {
        /// Name in `models.toml`.
        name: String,
        /// Bytes on this machine.
        found: u64,
        /// Bytes of the whole file.
        expected: u64,
    },
    /// A model could not be fetched from any source.
    #[error("model {name} cannot be fetched: {reason}")]
    Unfetched {
        /// Name in `models.toml`.
        name: String,
        /// The error of each source, and the next step.
        reason: String,
    },
    /// A model's file cannot be read, or does not match its checksum.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was expected and what was found.
        reason: String,
    },
    /// Reading or writing a file failed.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// The operation, as "cannot read".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: Arc<std::io::Error>,
    },
    /// The endpoint could not be reached, or broke off, after all retries.
    #[error("{endpoint}: {reason} (after {attempts} attempts)")]
    Unreachable {
        /// Base URL.
        endpoint: String,
        /// The last error.
        reason: String,
        /// Number of attempts.
        attempts: u32,
    },
    /// The endpoint refuses: wrong key, unknown model, bad request.
    #[error("{endpoint} refuses (HTTP {status}): {reason}")]
    Refused {
        /// Base URL.
        endpoint: String,
        /// HTTP status.
        status: u16,
        /// The endpoint's message, shortened.
        reason: String,
    },
    /// The endpoint answers, but not like a model: with a page, as another service, or without
    /// content.
    #[error("{endpoint} does not reply as a model: {reason}; check the base URL and the model's name")]
    Foreign {
        /// Base URL.
        endpoint: String,
        /// The content of the reply.
        reason: String,
    },
    /// No answer in time.
    #[error("{model} gave no answer within {} s", limit.as_secs())]
    TimedOut {
        /// The model.
        model: String,
        /// The limit.
        limit: Duration,
    },
    /// The request does not fit the model's context.
    #[error("the prompt has {tokens} tokens, but {model} takes {limit}")]
    TooLong {
        /// The model.
        model: String,
        /// Tokens of the prompt and the reply's reserve.
        tokens: usize,
        /// The context's size.
        limit: usize,
    },
    /// The reply cannot be read, even after one repair; `raw` goes to the trace.
    #[error("the reply of {model} cannot be read: {reason}")]
    Unreadable {
        /// The model.
        model: String,
        /// The parser's reason.
        reason: String,
        /// The raw reply.
        raw: String,
    },
    /// The model lacks an ability (score, grammar).
    #[error("{model} cannot {ability}")]
    Unsupported {
        /// The model.
        model: String,
        /// The ability, as "score continuations".
        ability: &'static str,
    },
    /// The caller stopped it.
    #[error("interrupted")]
    Cancelled,
    /// The local engine failed.
    #[error("{model}: {reason}")]
    Engine {
        /// The model.
        model: String,
        /// The engine's message.
        reason: String,
    },
}

impl ModelError {
    /// Whether the model itself failed. Unreadable replies, unsupported requests and cancellation
    /// do not count.
    pub fn is_failure(&self) -> bool {
        !matches!(
            self,
            Self::Unreadable { .. } | Self::Unsupported { .. } | Self::TooLong { .. } | Self::Cancelled
        )
    }
}
