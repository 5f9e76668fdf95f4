//! The HTTP client of one endpoint: sends, limits, times and retries requests.

use std::time::{Duration, Instant};

use backon::{BackoffBuilder as _, ExponentialBuilder};
use reqwest::StatusCode;
use reqwest::header::{CONTENT_TYPE, LOCATION, RETRY_AFTER};
use reqwest::redirect::Policy;
use serde_json::Value;
use tokio::sync::Semaphore;

use super::causes;
use crate::ModelError;

/// Largest reply that is read, in bytes.
const LARGEST_REPLY: usize = 64 << 20;
/// Most tokens that an endpoint's count is taken for: sums of many stay within 64 bits.
pub(super) const MOST_TOKENS: u64 = 1 << 40;
/// Longest pause that an endpoint may request.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Most redirects of one request.
const MOST_REDIRECTS: usize = 3;

/// The connection's settings.
#[derive(Debug, Clone)]
pub struct EndpointConfig {
    /// Base URL, with its version: `https://…/v1`.
    pub base_url: String,
    /// Sent as bearer token.
    pub api_key: Option<String>,
    /// Requests under way at once; further ones wait.
    pub concurrency: usize,
    /// Most attempts for a request, the first one included.
    pub attempts: u32,
    /// Pause before the second attempt. Each further pause is twice as long, less a random part.
    pub pause: Duration,
    /// Time to connect.
    pub connect_timeout: Duration,
}

impl EndpointConfig {
    /// The endpoint in `OPENAI_BASE_URL` and `OPENAI_API_KEY`.
    pub fn from_env() -> Result<Self, ModelError> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let base_url = variable("OPENAI_BASE_URL").ok_or_else(|| {
            ModelError::Usage(
                "set OPENAI_BASE_URL to the endpoint's base URL, as http://localhost:8000/v1".to_owned(),
            )
        })?;
        Ok(Self { api_key: variable("OPENAI_API_KEY"), ..Self::at(base_url) })
    }

    /// An endpoint without a key: 8 requests at once, 5 attempts, a first pause of half a second.
    pub fn at(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into().trim_end_matches('/').to_owned(),
            api_key: None,
            concurrency: 8,
            attempts: 5,
            pause: Duration::from_millis(500),
            connect_timeout: Duration::from_secs(10),
        }
    }
}

/// Sends requests to one endpoint.
pub(super) struct Endpoint {
    config: EndpointConfig,
    client: reqwest::Client,
    permits: Semaphore,
}

/// Why an attempt failed.
enum Failed {
    /// Worth another attempt, after this pause if the endpoint named one.
    Passing { reason: String, pause: Option<Duration> },
    /// Not worth another attempt.
    Lasting(ModelError),
}

impl Endpoint {
    pub(super) fn new(config: EndpointConfig) -> Result<Self, ModelError> {
        let url = &config.base_url;
        if !(url.starts_with("http://") || url.starts_with("https://")) {
            return Err(ModelError::Usage(format!(
                "{url:?} is not a base URL; it must begin with http:// or https://"
            )));
        }
        let client = reqwest::Client::builder()
            .connect_timeout(config.connect_timeout)
            .redirect(within_one_origin())
            .build()
            .map_err(|error| ModelError::NoHttp { reason: causes(&error) })?;
        let permits = Semaphore::new(config.concurrency.max(1));
        Ok(Self { config, client, permits })
    }

    /// Posts JSON and reads JSON, within `limit` including pauses and retries.
    pub(super) async fn post(
        &self,
        model: &str,
        path: &str,
        body: &Value,
        limit: Duration,
    ) -> Result<Value, ModelError> {
        // None: the limit is further off than any moment that can be represented.
        let deadline = Instant::now().checked_add(limit);
        let timed_out = |_| ModelError::TimedOut { model: model.to_owned(), limit };
        tokio::time::timeout(limit, self.post_repeatedly(path, body, deadline)).await.map_err(timed_out)?
    }

    async fn post_repeatedly(
        &self,
        path: &str,
        body: &Value,
        deadline: Option<Instant>,
    ) -> Result<Value, ModelError> {
        let mut pauses = pauses_between(self.config.attempts, self.config.pause);
        let mut attempt = 1;
        loop {
            let permit = self.permits.acquire().await.map_err(|_| ModelError::Cancelled)?;
            let failed = match self.post_once(path, body).await {
                Ok(reply) => return Ok(reply),
                Err(failed) => failed,
            };
            drop(permit);
            let (reason, asked) = match failed {
                Failed::Lasting(error) => return Err(error),
                Failed::Passing { reason, pause } => (reason, pause),
            };
            let pause = pauses.next().map(|pause| asked.unwrap_or(pause).min(LONGEST_PAUSE));
            let in_time =
                |pause: &Duration| deadline.is_none_or(|deadline| Instant::now() + *pause < deadline);
            let Some(pause) = pause.filter(in_time) else {
                return Err(ModelError::Unreachable {
                    endpoint: self.config.base_url.clone(),
                    reason,
                    attempts: attempt,
                });
            };
            tracing::debug!(endpoint = self.config.base_url, attempt, reason, ?pause, "trying again");
            tokio::time::sleep(pause).await;
            attempt += 1;
        }
    }

    async fn post_once(&self, path: &str, body: &Value) -> Result<Value, Failed> {
        let passing =
            |error: reqwest::Error| Failed::Passing { reason: causes(&error.without_url()), pause: None };
        let mut request = self.client.post(format!("{}/{path}", self.config.base_url)).json(body);
        if let Some(key) = &self.config.api_key {
            request = request.bearer_auth(key);
        }
        let mut response = request.send().await.map_err(passing)?;
        let status = response.status();
        let pause =
            response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
        let pause = pause
            .filter(|seconds: &f64| seconds.is_finite() && *seconds >= 0.0)
            .map(|seconds| Duration::from_secs_f64(seconds.min(LONGEST_PAUSE.as_secs_f64())));
        let place = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
        let place = place.map(|place| shortened(place, 200));
        let kind = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("")
            .to_owned();
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(passing)? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > LARGEST_REPLY {
                return Err(Failed::Lasting(self.foreign("the reply is too long".to_owned())));
            }
        }
        if status.is_redirection() {
            let elsewhere = place.as_deref().unwrap_or("nowhere");
            return Err(Failed::Lasting(self.foreign(format!("it redirects to {elsewhere}"))));
        }
        if !status.is_success() {
            return Err(self.refusal(status, pause, &bytes));
        }
        serde_json::from_slice(&bytes).map_err(|error| {
            // An HTML page is no reply, even if it ends where JSON could continue.
            if error.is_eof() && !kind.contains("html") {
                Failed::Passing { reason: "the reply broke off".to_owned(), pause: None }
            } else {
                let begins = shortened(String::from_utf8_lossy(&bytes).trim(), 60);
                let reason = format!("expected JSON, found content type {kind:?} ({error}): {begins}");
                Failed::Lasting(self.foreign(reason))
            }
        })
    }

    /// The error for a reply that no model sends.
    pub(super) fn foreign(&self, reason: String) -> ModelError {
        ModelError::Foreign { endpoint: self.config.base_url.clone(), reason }
    }

    fn refusal(&self, status: StatusCode, pause: Option<Duration>, body: &[u8]) -> Failed {
        let text = String::from_utf8_lossy(body);
        let words = refusal_words(&text);
        let passing = matches!(status.as_u16(), 408 | 425 | 429 | 500 | 502 | 503 | 504 | 529)
            && !text.contains("insufficient_quota");
        if passing {
            return Failed::Passing { reason: format!("HTTP {status}: {words}"), pause };
        }
        Failed::Lasting(ModelError::Refused {
            endpoint: self.config.base_url.clone(),
            status: status.as_u16(),
            reason: words,
        })
    }
}

/// Redirects are followed only within the host and port of the key, with the same scheme or from
/// HTTP to HTTPS.
fn within_one_origin() -> Policy {
    Policy::custom(|attempt| {
        let Some(first) = attempt.previous().first() else { return attempt.stop() };
        let next = attempt.url();
        let same = first.host_str() == next.host_str();
        let same_port = first.port_or_known_default() == next.port_or_known_default();
        let encrypted = first.scheme() == "http" && next.scheme() == "https";
        let stays = same && (first.scheme() == next.scheme() && same_port || encrypted);
        if stays && attempt.previous().len() <= MOST_REDIRECTS { attempt.follow() } else { attempt.stop() }
    })
}

/// The endpoint's message, from its error object if it has one.
pub(super) fn refusal_words(body: &str) -> String {
    let message = serde_json::from_str::<Value>(body).ok().and_then(|value| {
        let error = value.get("error").unwrap_or(&value);
        error.get("message").or(Some(error)).and_then(Value::as_str).map(str::to_owned)
    });
    shortened(message.as_deref().unwrap_or(body).trim(), 500)
}

pub(super) fn unreadable(model: &str, reason: String, raw: &[u8]) -> ModelError {
    let raw = shortened(&String::from_utf8_lossy(raw), 10_000);
    ModelError::Unreadable { model: model.to_owned(), reason, raw }
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// The pauses between attempts: each twice the one before, shortened at random by up to half, so
/// that callers who failed together do not retry together.
fn pauses_between(attempts: u32, first: Duration) -> impl Iterator<Item = Duration> {
    ExponentialBuilder::new()
        // The jitter adds at most the same time again.
        .with_min_delay(first / 2)
        .with_factor(2.0)
        .with_max_delay(LONGEST_PAUSE)
        .with_max_times(attempts.saturating_sub(1) as usize)
        .with_jitter()
        .build()
}
