//! What can go wrong with a model, by what the caller can do about it.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// An error of a language model or an embedder. Each message names the model or endpoint and what to do next.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// The name is in no `models.toml`, or the configuration is wrong.
    #[error("{0}")]
    Usage(String),
    /// A model's file is missing.
    #[error("model {name} is not on this machine; fetch it with `quipu models pull {name}`")]
    Missing {
        /// Name in `models.toml`.
        name: String,
    },
    /// A model's file is here in part.
    #[error(
        "of model {name} only {found} of {expected} bytes are on this machine; fetch the rest with `quipu models pull {name}`"
    )]
    Partial {
        /// Name in `models.toml`.
        name: String,
        /// Bytes that are here.
        found: u64,
        /// Bytes of the whole.
        expected: u64,
    },
    /// A model could not be fetched from anywhere.
    #[error("model {name} cannot be fetched: {reason}")]
    Unfetched {
        /// Name in `models.toml`.
        name: String,
        /// What each source said, and what to do.
        reason: String,
    },
    /// A model's file cannot be read, or is not what its checksum says.
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
        /// What was being done, as "cannot read".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The operating system's word.
        source: Arc<std::io::Error>,
    },
    /// The endpoint could not be reached, or broke off, after all retries.
    #[error("{endpoint}: {reason} (after {attempts} attempts)")]
    Unreachable {
        /// Base URL.
        endpoint: String,
        /// What happened last.
        reason: String,
        /// How often it was tried.
        attempts: u32,
    },
    /// The endpoint refuses: wrong key, unknown model, bad request.
    #[error("{endpoint} refuses (HTTP {status}): {reason}")]
    Refused {
        /// Base URL.
        endpoint: String,
        /// HTTP status.
        status: u16,
        /// The endpoint's own words, shortened.
        reason: String,
    },
    /// The endpoint answers, but not as a model does: a page, another service, a reply without content.
    #[error("{endpoint} gives no replies of a model: {reason}; check the base URL and the model's name")]
    Foreign {
        /// Base URL.
        endpoint: String,
        /// What came in their place.
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
    #[error("{model} replied with something that cannot be read: {reason}")]
    Unreadable {
        /// The model.
        model: String,
        /// Why.
        reason: String,
        /// The reply as it came.
        raw: String,
    },
    /// The model cannot do what was asked (score, grammar).
    #[error("{model} cannot {ability}")]
    Unsupported {
        /// The model.
        model: String,
        /// What was asked, as "score continuations".
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
        /// The engine's word.
        reason: String,
    },
}

impl ModelError {
    /// Whether the model itself failed: not what was made of its reply or asked of it, and nobody
    /// stopped it.
    pub fn is_failure(&self) -> bool {
        !matches!(
            self,
            Self::Unreadable { .. } | Self::Unsupported { .. } | Self::TooLong { .. } | Self::Cancelled
        )
    }
}
