//! The HTTP client that all remote sources share: user agent, secrets, limits, time-outs, retries
//! and response sizes.

mod budget;
mod secrets;

use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use backon::{BackoffBuilder as _, ExponentialBuilder};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{IntoUrl, Method, RequestBuilder, Response};

use crate::GraphError;
use crate::error::EndpointProblem;
use crate::requests::count_request;

use budget::Budget;
pub(crate) use secrets::{Auth, resolved_auth, resolved_headers};

/// Longest pause that a service may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(120);
/// Longest time for a connection.
const CONNECT: Duration = Duration::from_secs(15);

/// Settings for a service.
pub(crate) struct Manners {
    pub(crate) user_agent: String,
    /// Headers of every request, secrets among them.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) auth: Option<Auth>,
    /// Time limit of one request.
    pub(crate) limit: Duration,
    /// Most attempts, the first one included.
    pub(crate) attempts: u32,
    /// Pause before the second attempt.
    pub(crate) pause: Duration,
    pub(crate) concurrency: usize,
    /// Requests a minute; 0: no limit.
    pub(crate) per_minute: usize,
}

/// Sends requests to one service.
pub(crate) struct Sender {
    http: reqwest::Client,
    manners: Manners,
    budget: Budget,
    requests: AtomicU64,
    bytes: AtomicU64,
}

/// Why an attempt failed.
pub(crate) enum Failed {
    /// Worth another attempt, after this pause if the endpoint named one.
    Passing { reason: String, pause: Option<Duration> },
    /// Not worth another attempt.
    Lasting(EndpointProblem),
}

impl Sender {
    /// Redirects are followed on the same host only.
    ///
    /// # Errors
    /// Invalid headers; no TLS on this system.
    pub(crate) fn new(builder: reqwest::ClientBuilder, mut manners: Manners) -> Result<Self, GraphError> {
        let http = builder
            .user_agent(&manners.user_agent)
            .default_headers(secret_headers(std::mem::take(&mut manners.headers))?)
            .connect_timeout(manners.limit.min(CONNECT))
            .redirect(same_host())
            .build()
            .map_err(|error| GraphError::Internal(format!("cannot set up HTTP: {}", causes(&error))))?;
        let budget = Budget::new(manners.concurrency, manners.per_minute);
        Ok(Self { http, manners, budget, requests: AtomicU64::new(0), bytes: AtomicU64::new(0) })
    }

    /// Requests sent so far, repeated ones too.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::Relaxed)
    }

    /// Bytes read so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// A request with the service's authorization.
    pub(crate) fn request(&self, method: Method, url: impl IntoUrl) -> RequestBuilder {
        let request = self.http.request(method, url);
        match &self.manners.auth {
            Some(Auth::Bearer(token)) => request.bearer_auth(token),
            Some(Auth::Basic(user, password)) => request.basic_auth(user, Some(password)),
            None => request,
        }
    }

    /// Sends a request once.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Response, Failed> {
        self.requests.fetch_add(1, Ordering::Relaxed);
        count_request();
        request.send().await.map_err(passing)
    }

    /// The body of a response, up to `most` bytes. If it is longer, the error consists of
    /// `too_long` and that number.
    pub(crate) async fn read(
        &self,
        mut response: Response,
        most: usize,
        too_long: &str,
    ) -> Result<Vec<u8>, Failed> {
        let over = || {
            let reason = format!("{too_long} {} MB", most >> 20);
            Failed::Lasting(EndpointProblem::Unreadable { reason })
        };
        if response.content_length().is_some_and(|length| length > most as u64) {
            return Err(over());
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(passing)? {
            body.extend_from_slice(&chunk);
            if body.len() > most {
                return Err(over());
            }
        }
        self.bytes.fetch_add(body.len() as u64, Ordering::Relaxed);
        Ok(body)
    }

    /// Repeats an attempt, within the limits and with pauses, until it succeeds or fails for good.
    /// A time-out is not repeated: the same request takes the same time again.
    pub(crate) async fn persist<T, F: Future<Output = Result<T, Failed>>>(
        &self,
        once: impl Fn() -> F,
    ) -> Result<T, EndpointProblem> {
        let Manners { limit, attempts, pause, .. } = self.manners;
        let mut pauses = pauses_between(attempts, pause);
        let mut attempt = 1;
        loop {
            let permit = self.budget.acquire().await;
            let sent = tokio::time::timeout(limit, once()).await;
            drop(permit);
            let (reason, asked) = match sent {
                Ok(Ok(done)) => return Ok(done),
                Ok(Err(Failed::Lasting(problem))) => return Err(problem),
                Ok(Err(Failed::Passing { reason, pause })) => (reason, pause),
                Err(_) => return Err(EndpointProblem::TimedOut { seconds: limit.as_secs() }),
            };
            let Some(pause) = pauses.next() else {
                return Err(EndpointProblem::Unreachable { reason, attempts: attempt });
            };
            tokio::time::sleep(asked.unwrap_or(pause).min(LONGEST_PAUSE)).await;
            attempt += 1;
        }
    }
}

/// Headers, marked as secret so that no log shows them.
fn secret_headers(named: Vec<(String, String)>) -> Result<HeaderMap, GraphError> {
    let mut headers = HeaderMap::new();
    for (name, value) in named {
        let wrong = |reason: String| GraphError::Usage(format!("header {name:?}: {reason}"));
        let key = HeaderName::from_bytes(name.as_bytes()).map_err(|error| wrong(error.to_string()))?;
        let mut value = HeaderValue::from_str(&value).map_err(|error| wrong(error.to_string()))?;
        value.set_sensitive(true);
        headers.insert(key, value);
    }
    Ok(headers)
}

/// Follows redirects on the same host only. A redirect to another host would send secrets there,
/// and could reach a private network.
fn same_host() -> reqwest::redirect::Policy {
    reqwest::redirect::Policy::custom(|attempt| {
        let first = attempt.previous().first().and_then(|url| url.host_str());
        match first == attempt.url().host_str() && attempt.previous().len() < 5 {
            true => attempt.follow(),
            false => attempt.stop(),
        }
    })
}

fn passing(error: reqwest::Error) -> Failed {
    Failed::Passing { reason: causes(&error.without_url()), pause: None }
}

/// The pause that a `Retry-After` header asks for: seconds, or a date.
pub(crate) fn pause_asked_for(header: &str) -> Option<Duration> {
    if let Ok(seconds) = header.parse::<f64>() {
        return (seconds >= 0.0).then(|| Duration::from_secs_f64(seconds.min(LONGEST_PAUSE.as_secs_f64())));
    }
    let until = httpdate::parse_http_date(header).ok()?;
    Some(until.duration_since(SystemTime::now()).unwrap_or_default().min(LONGEST_PAUSE))
}

/// A summary of a reply that is not a result: the title of a page, else its beginning.
pub(crate) fn first_words(body: &[u8]) -> String {
    const MOST: usize = 400;
    let text = String::from_utf8_lossy(body.get(..body.len().min(64 << 10)).unwrap_or_default());
    let page =
        text.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>")).map(|(title, _)| title);
    let words: Vec<&str> = page.unwrap_or(&text).split_whitespace().collect();
    let words = words.join(" ");
    match words.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default()),
        None if words.is_empty() => "an empty reply".to_owned(),
        None => words,
    }
}

/// An error with its causes, in one line.
pub(crate) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let words = cause.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        source = cause.source();
    }
    text
}

/// The pauses between attempts: each twice the one before, shortened at random by up to half.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_are_seconds_or_dates() {
        assert_eq!(pause_asked_for("2"), Some(Duration::from_secs(2)));
        assert_eq!(pause_asked_for("99999"), Some(LONGEST_PAUSE));
        assert_eq!(pause_asked_for("Fri, 31 Dec 1999 23:59:59 GMT"), Some(Duration::ZERO));
        let soon = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(3600));
        assert_eq!(pause_asked_for(&soon), Some(LONGEST_PAUSE));
        assert_eq!(pause_asked_for("-1"), None);
        assert_eq!(pause_asked_for("soon"), None);
    }

    #[test]
    fn pauses_double_and_are_shortened_by_chance() {
        let pauses: Vec<u128> =
            pauses_between(4, Duration::from_millis(100)).map(|pause| pause.as_millis()).collect();
        let [first, second, third] = pauses[..] else { panic!("{pauses:?}") };
        assert!((50..=100).contains(&first), "{first}");
        assert!((100..=200).contains(&second), "{second}");
        assert!((200..=400).contains(&third), "{third}");
        assert_eq!(pauses_between(0, Duration::from_millis(100)).count(), 0);
    }
}
