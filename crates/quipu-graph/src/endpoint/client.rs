//! One endpoint: how queries are sent, limited, timed, repeated and remembered.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Method, StatusCode};
use spargebra::SparqlParser;

use super::budget::Budget;
use super::cache::ResultCache;
use super::config::{Auth, EndpointConfig, HttpMethod};
use super::results::{Rows, Unread, read_rows};
use crate::GraphError;
use crate::error::EndpointProblem;
use crate::requests::count_request;

/// Largest reply that is read, in bytes.
const LARGEST_REPLY: usize = 64 << 20;
/// Longest pause that an endpoint may ask for.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_secs(120);
/// Longest URL that is sent.
const LONGEST_URL: usize = 7000;
pub(super) const RESULTS: &str = "application/sparql-results+json";
/// Virtuoso's word for: no more than these rows.
const MOST_ROWS: &str = "x-sparql-maxrows";
/// Virtuoso's word for: the time was over, these are the rows until then.
const SQL_STATE: &str = "x-sql-state";

/// What was asked of an endpoint since the graph was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Requests sent, repeated ones too.
    pub requests: u64,
    /// Queries answered from the result cache instead.
    pub from_cache: u64,
    /// Bytes of replies.
    pub bytes: u64,
    /// Rows of replies.
    pub rows: u64,
}

/// A query, and what it is asked for.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    /// As errors say it.
    pub(super) stage: &'static str,
    pub(super) query: String,
    /// Whether an earlier answer will do.
    pub(super) cached: bool,
}

impl Ask {
    pub(super) fn new(stage: &'static str, query: String) -> Self {
        Self { stage, query, cached: true }
    }

    pub(super) fn anew(self) -> Self {
        Self { cached: false, ..self }
    }
}

/// What an endpoint sent.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) body: Vec<u8>,
    /// The endpoint says that it gives no more rows than this.
    pub(super) most_rows: Option<usize>,
    /// The `Server` header.
    pub(super) server: String,
}

/// Sends queries to one endpoint.
pub(super) struct Client {
    config: EndpointConfig,
    http: reqwest::Client,
    auth: Option<Auth>,
    budget: Budget,
    cache: Option<ResultCache>,
    requests: AtomicU64,
    from_cache: AtomicU64,
    bytes: AtomicU64,
    rows: AtomicU64,
}

/// Why an attempt failed.
enum Failed {
    /// Worth another attempt, after this pause if the endpoint named one.
    Passing { reason: String, pause: Option<Duration> },
    /// Not worth one.
    Lasting(EndpointProblem),
}

/// Headers that no log shows.
pub(crate) fn secret_headers(named: Vec<(String, String)>) -> Result<HeaderMap, GraphError> {
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

/// Follows redirects on the same host only: one to another would take secrets along, and could lead behind a wall.
pub(crate) fn same_host() -> reqwest::redirect::Policy {
    reqwest::redirect::Policy::custom(|attempt| {
        let first = attempt.previous().first().and_then(|url| url.host_str());
        match first == attempt.url().host_str() && attempt.previous().len() < 5 {
            true => attempt.follow(),
            false => attempt.stop(),
        }
    })
}

impl Client {
    pub(super) fn new(config: EndpointConfig, cache: Option<ResultCache>) -> Result<Self, GraphError> {
        config.check()?;
        let headers = secret_headers(config.resolved_headers()?)?;
        let http = reqwest::Client::builder()
            .user_agent(&config.user_agent)
            .default_headers(headers)
            .connect_timeout(config.time_limit().min(Duration::from_secs(15)))
            .redirect(same_host())
            .build()
            .map_err(|error| GraphError::Usage(format!("no HTTP client: {}", causes(&error))))?;
        Ok(Self {
            auth: config.resolved_auth()?,
            budget: Budget::new(config.concurrency, config.per_minute),
            http,
            cache,
            requests: AtomicU64::new(0),
            from_cache: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            rows: AtomicU64::new(0),
            config,
        })
    }

    pub(super) fn config(&self) -> &EndpointConfig {
        &self.config
    }

    pub(super) fn traffic(&self) -> Traffic {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Traffic {
            requests: read(&self.requests),
            from_cache: read(&self.from_cache),
            bytes: read(&self.bytes),
            rows: read(&self.rows),
        }
    }

    pub(super) fn error(&self, stage: &'static str, problem: EndpointProblem) -> GraphError {
        GraphError::Endpoint { endpoint: self.config.url.clone(), stage, problem }
    }

    /// The rows of a SELECT query; `variables` says which cells, and in which order.
    pub(super) async fn select(&self, ask: &Ask, variables: &[&str]) -> Result<Rows, GraphError> {
        let (mut rows, reply) = self.ask(ask, RESULTS, |body| read_rows(body, variables)).await?;
        rows.cut = reply.most_rows.is_some_and(|most| rows.rows.len() >= most);
        self.rows.fetch_add(rows.rows.len() as u64, Ordering::Relaxed);
        Ok(rows)
    }

    /// Asks, from the cache where that has an answer, and reads the reply with `read`.
    pub(super) async fn ask<T>(
        &self,
        ask: &Ask,
        accept: &str,
        read: impl Fn(&[u8]) -> Result<T, Unread>,
    ) -> Result<(T, Reply), GraphError> {
        // Only queries leave this house: updates do not parse as one.
        SparqlParser::new()
            .parse_query(&ask.query)
            .map_err(|error| GraphError::Usage(format!("bad query ({}): {error}", ask.stage)))?;
        let key = ResultCache::key(&[&self.config.url, &self.config.graphs.join(" "), accept, &ask.query]);
        let cache = self.cache.as_ref();
        if let Some((body, most_rows)) = cache.filter(|_| ask.cached).and_then(|cache| cache.get(&key))
            && let Ok(value) = read(&body)
        {
            self.from_cache.fetch_add(1, Ordering::Relaxed);
            return Ok((value, Reply { body, most_rows, server: String::new() }));
        }
        let (value, reply) = self.send(ask, accept, read).await?;
        if let Some(cache) = cache {
            cache.put(&key, &reply.body, reply.most_rows);
        }
        Ok((value, reply))
    }

    async fn send<T>(
        &self,
        ask: &Ask,
        accept: &str,
        read: impl Fn(&[u8]) -> Result<T, Unread>,
    ) -> Result<(T, Reply), GraphError> {
        let mut attempt = 1;
        loop {
            let permit = self.budget.acquire().await;
            let limit = self.config.time_limit();
            let once = tokio::time::timeout(limit, self.send_once(ask, accept, &read)).await;
            drop(permit);
            let failed = match once {
                Ok(Ok(reply)) => return Ok(reply),
                Ok(Err(failed)) => failed,
                // The same question takes the same time again.
                Err(_) => Failed::Lasting(EndpointProblem::TimedOut { seconds: limit.as_secs() }),
            };
            let (reason, asked) = match failed {
                Failed::Lasting(problem) => return Err(self.error(ask.stage, problem)),
                Failed::Passing { reason, pause } => (reason, pause),
            };
            if attempt >= self.config.attempts {
                let problem = EndpointProblem::Unreachable { reason, attempts: attempt };
                return Err(self.error(ask.stage, problem));
            }
            let pause = asked.unwrap_or_else(|| jittered(Duration::from_millis(self.config.pause), attempt));
            tokio::time::sleep(pause.min(LONGEST_PAUSE)).await;
            attempt += 1;
        }
    }

    fn request(&self, query: &str, accept: &str) -> Result<reqwest::RequestBuilder, Failed> {
        let mut fields = vec![("query", query)];
        fields.extend(self.config.graphs.iter().map(|graph| ("default-graph-uri", graph.as_str())));
        let wrong = |error: &dyn std::error::Error| {
            Failed::Lasting(EndpointProblem::Unreadable { reason: causes(error) })
        };
        let mut url = reqwest::Url::parse(&self.config.url).map_err(|error| wrong(&error))?;
        let request = match self.config.method {
            HttpMethod::Get => {
                url.query_pairs_mut().extend_pairs(&fields);
                if url.as_str().len() > LONGEST_URL {
                    let reason =
                        "the query is too long for a URL; method = \"post\" or a smaller `batch` helps"
                            .into();
                    return Err(Failed::Lasting(EndpointProblem::Refused { status: 414, reason }));
                }
                self.http.request(Method::GET, url)
            }
            HttpMethod::Post => {
                // The URL's own serialiser is that of forms.
                let mut form = url.clone();
                form.set_query(None);
                form.query_pairs_mut().extend_pairs(&fields);
                let body = form.query().unwrap_or_default().to_owned();
                self.http
                    .request(Method::POST, url)
                    .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                    .body(body)
            }
        };
        let request = request.header(ACCEPT, accept);
        Ok(match &self.auth {
            Some(Auth::Bearer(token)) => request.bearer_auth(token),
            Some(Auth::Basic(user, password)) => request.basic_auth(user, Some(password)),
            None => request,
        })
    }

    async fn send_once<T>(
        &self,
        ask: &Ask,
        accept: &str,
        read: impl Fn(&[u8]) -> Result<T, Unread>,
    ) -> Result<(T, Reply), Failed> {
        let request = self.request(&ask.query, accept)?;
        self.requests.fetch_add(1, Ordering::Relaxed);
        count_request();
        let started = Instant::now();
        let response = request.send().await.map_err(passing)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let header =
            |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("").trim();
        let body = read_body(response).await?;
        self.bytes.fetch_add(body.len() as u64, Ordering::Relaxed);
        tracing::debug!(
            endpoint = self.config.url,
            stage = ask.stage,
            status = status.as_u16(),
            bytes = body.len(),
            took = ?started.elapsed(),
            query = ask.query,
        );
        if !status.is_success() {
            let pause = pause_asked_for(header(RETRY_AFTER.as_str()));
            return Err(refusal(status, pause, &body));
        }
        if header(SQL_STATE) == "S1TAT" {
            return Err(Failed::Lasting(EndpointProblem::TimedOut { seconds: self.config.timeout }));
        }
        let kind = header(CONTENT_TYPE.as_str());
        if kind.contains("html") {
            let reason = format!("expected results, found a page ({kind}): {}", first_words(&body));
            return Err(Failed::Lasting(EndpointProblem::Unreadable { reason }));
        }
        let value = read(&body).map_err(|unread| match unread {
            Unread::BrokenOff => Failed::Passing { reason: "the reply broke off".into(), pause: None },
            Unread::Foreign(reason) => {
                let reason = format!("expected results, found content type {kind:?}: {reason}");
                Failed::Lasting(EndpointProblem::Unreadable { reason })
            }
        })?;
        let server = header("server").to_owned();
        Ok((value, Reply { most_rows: header(MOST_ROWS).parse().ok(), server, body }))
    }
}

fn passing(error: reqwest::Error) -> Failed {
    Failed::Passing { reason: causes(&error.without_url()), pause: None }
}

async fn read_body(mut response: reqwest::Response) -> Result<Vec<u8>, Failed> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(passing)? {
        body.extend_from_slice(&chunk);
        if body.len() > LARGEST_REPLY {
            let reason = format!("the reply does not end within {} MB", LARGEST_REPLY >> 20);
            return Err(Failed::Lasting(EndpointProblem::Unreadable { reason }));
        }
    }
    Ok(body)
}

fn refusal(status: StatusCode, pause: Option<Duration>, body: &[u8]) -> Failed {
    let words = first_words(body);
    // Virtuoso's and Blazegraph's ways to say that a query took too long: no second attempt will be quicker.
    let too_slow = ["S1T00", "SR171", "exceeds the limit of", "QueryTimeoutException", "TimeoutException"];
    if too_slow.iter().any(|sign| words.contains(sign)) || status == StatusCode::GATEWAY_TIMEOUT {
        return Failed::Lasting(EndpointProblem::Refused { status: 504, reason: words });
    }
    // Virtuoso's errors in the query or its own limits bear a class and a code.
    let lasting =
        words.contains("Virtuoso 37") || words.contains("Virtuoso 22") || words.contains("Virtuoso 42");
    let passing = matches!(status.as_u16(), 408 | 425 | 429 | 500 | 502 | 503 | 529) && !lasting;
    match passing {
        true => Failed::Passing { reason: format!("HTTP {}: {words}", status.as_u16()), pause },
        false => Failed::Lasting(EndpointProblem::Refused { status: status.as_u16(), reason: words }),
    }
}

/// The pause that a `Retry-After` header asks for: seconds, or a date.
pub(crate) fn pause_asked_for(header: &str) -> Option<Duration> {
    if let Ok(seconds) = header.parse::<f64>() {
        return (seconds >= 0.0).then(|| Duration::from_secs_f64(seconds.min(LONGEST_PAUSE.as_secs_f64())));
    }
    let until = httpdate::parse_http_date(header).ok()?;
    Some(until.duration_since(SystemTime::now()).unwrap_or_default().min(LONGEST_PAUSE))
}

/// What a reply that is no result says: the title of a page, else its beginning.
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

/// An error with what caused it, in one line.
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

/// The pause before the next attempt: doubled each time, and between half of it and all of it.
pub(crate) fn jittered(first: Duration, attempt: u32) -> Duration {
    use std::hash::{BuildHasher as _, Hasher as _};
    let full = first.saturating_mul(1 << attempt.saturating_sub(1).min(8));
    // A fresh `RandomState` is seeded at random.
    let chance = std::hash::RandomState::new().build_hasher().finish() % 1000;
    full.mul_f64(0.5 + chance as f64 / 2000.0)
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
}
