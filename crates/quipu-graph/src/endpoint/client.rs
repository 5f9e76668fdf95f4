//! The HTTP client of one endpoint: sends, limits, times, retries and caches queries.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use reqwest::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Method, StatusCode};
use spargebra::SparqlParser;

use super::cache::ResultCache;
use super::config::{EndpointConfig, HttpMethod};
use super::results::{Rows, Unread, read_rows};
use crate::error::EndpointProblem;
use crate::http::{Failed, Manners, Sender, causes, first_words, pause_asked_for};
use crate::{GraphError, QueryGraphs};

/// Largest reply that is read, in bytes.
const LARGEST_REPLY: usize = 64 << 20;
/// Longest URL that is sent.
const LONGEST_URL: usize = 7000;
pub(super) const RESULTS: &str = "application/sparql-results+json";
/// Virtuoso's header for its limit on rows.
const MOST_ROWS: &str = "x-sparql-maxrows";
/// Virtuoso's header for a time limit that cut the rows.
const SQL_STATE: &str = "x-sql-state";

/// Traffic with an endpoint since the graph was opened.
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

/// A query and its purpose.
#[derive(Debug, Clone)]
pub(super) struct Ask {
    /// The purpose, as errors state it.
    pub(super) stage: &'static str,
    pub(super) query: String,
    /// Whether a cached answer will do.
    pub(super) cached: bool,
    /// The graphs of the query; empty: those of the configuration.
    pub(super) graphs: QueryGraphs,
}

impl Ask {
    pub(super) fn new(stage: &'static str, query: String) -> Self {
        Self { stage, query, cached: true, graphs: QueryGraphs::default() }
    }

    pub(super) fn over(self, graphs: &QueryGraphs) -> Self {
        Self { graphs: graphs.clone(), ..self }
    }

    pub(super) fn anew(self) -> Self {
        Self { cached: false, ..self }
    }
}

/// The reply of an endpoint.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) body: Vec<u8>,
    /// The endpoint's limit on rows, if the reply states it.
    pub(super) most_rows: Option<usize>,
    /// The `Server` header.
    pub(super) server: String,
}

/// Sends queries to one endpoint.
pub(super) struct Client {
    config: EndpointConfig,
    sender: Sender,
    cache: Option<ResultCache>,
    from_cache: AtomicU64,
    rows: AtomicU64,
}

impl Client {
    pub(super) fn new(config: EndpointConfig, cache: Option<ResultCache>) -> Result<Self, GraphError> {
        config.check()?;
        let sender = Sender::new(
            reqwest::Client::builder(),
            Manners {
                user_agent: config.user_agent.clone(),
                headers: config.resolved_headers()?,
                auth: config.resolved_auth()?,
                limit: config.time_limit(),
                attempts: config.attempts,
                pause: Duration::from_millis(config.pause),
                concurrency: config.concurrency,
                per_minute: config.per_minute,
            },
        )?;
        Ok(Self { sender, cache, from_cache: AtomicU64::new(0), rows: AtomicU64::new(0), config })
    }

    pub(super) fn config(&self) -> &EndpointConfig {
        &self.config
    }

    pub(super) fn traffic(&self) -> Traffic {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Traffic {
            requests: self.sender.requests(),
            from_cache: read(&self.from_cache),
            bytes: self.sender.bytes(),
            rows: read(&self.rows),
        }
    }

    pub(super) fn error(&self, stage: &'static str, problem: EndpointProblem) -> GraphError {
        GraphError::Endpoint { endpoint: self.config.url.clone(), stage, problem }
    }

    /// The rows of a SELECT query; `variables` gives the cells and their order.
    pub(super) async fn select(&self, ask: &Ask, variables: &[&str]) -> Result<Rows, GraphError> {
        let (mut rows, reply) = self.ask(ask, RESULTS, |body| read_rows(body, variables)).await?;
        rows.cut = reply.most_rows.is_some_and(|most| rows.rows.len() >= most);
        self.rows.fetch_add(rows.rows.len() as u64, Ordering::Relaxed);
        Ok(rows)
    }

    /// Sends the query unless the cache has its answer, and reads the reply with `read`.
    pub(super) async fn ask<T>(
        &self,
        ask: &Ask,
        accept: &str,
        read: impl Fn(&[u8]) -> Result<T, Unread>,
    ) -> Result<(T, Reply), GraphError> {
        // Only queries are sent: an update does not parse as a query.
        SparqlParser::new()
            .parse_query(&ask.query)
            .map_err(|error| GraphError::Usage(format!("bad query ({}): {error}", ask.stage)))?;
        let graphs = self.graphs(ask)?;
        let named: Vec<String> = graphs.fields().map(|(kind, iri)| format!("{kind} {iri}")).collect();
        let key = ResultCache::key(&[&self.config.url, &named.join(" "), accept, &ask.query]);
        let cache = self.cache.as_ref();
        if let Some((body, most_rows)) = cache.filter(|_| ask.cached).and_then(|cache| cache.get(&key))
            && let Ok(value) = read(&body)
        {
            self.from_cache.fetch_add(1, Ordering::Relaxed);
            return Ok((value, Reply { body, most_rows, server: String::new() }));
        }
        let (value, reply) = self.send(ask, &graphs, accept, read).await?;
        if let Some(cache) = cache {
            cache.put(&key, &reply.body, reply.most_rows);
        }
        Ok((value, reply))
    }

    async fn send<T>(
        &self,
        ask: &Ask,
        graphs: &QueryGraphs,
        accept: &str,
        read: impl Fn(&[u8]) -> Result<T, Unread>,
    ) -> Result<(T, Reply), GraphError> {
        let sent = self.sender.persist(|| self.send_once(ask, graphs, accept, &read)).await;
        sent.map_err(|problem| self.error(ask.stage, problem))
    }

    /// The graphs of a query. A configuration that names graphs permits no others.
    fn graphs(&self, ask: &Ask) -> Result<QueryGraphs, GraphError> {
        let open = &self.config.graphs;
        if ask.graphs.is_empty() {
            return Ok(QueryGraphs { default: open.clone(), named: Vec::new() });
        }
        let mut wanted = ask.graphs.fields().map(|(_, iri)| iri);
        match wanted.find(|iri| !open.is_empty() && !open.iter().any(|graph| graph == iri)) {
            None => Ok(ask.graphs.clone()),
            Some(iri) => {
                Err(GraphError::Usage(format!("the graph {iri} is not open here; open: {}", open.join(", "))))
            }
        }
    }

    fn request(
        &self,
        query: &str,
        graphs: &QueryGraphs,
        accept: &str,
    ) -> Result<reqwest::RequestBuilder, Failed> {
        let mut fields = vec![("query", query)];
        fields.extend(graphs.fields());
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
                self.sender.request(Method::GET, url)
            }
            HttpMethod::Post => {
                // The URL's own serialiser writes form syntax.
                let mut form = url.clone();
                form.set_query(None);
                form.query_pairs_mut().extend_pairs(&fields);
                let body = form.query().unwrap_or_default().to_owned();
                self.sender
                    .request(Method::POST, url)
                    .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
                    .body(body)
            }
        };
        Ok(request.header(ACCEPT, accept))
    }

    async fn send_once<T>(
        &self,
        ask: &Ask,
        graphs: &QueryGraphs,
        accept: &str,
        read: impl Fn(&[u8]) -> Result<T, Unread>,
    ) -> Result<(T, Reply), Failed> {
        let request = self.request(&ask.query, graphs, accept)?;
        let started = Instant::now();
        let response = self.sender.send(request).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let header =
            |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("").trim();
        let body = self.sender.read(response, LARGEST_REPLY, "the reply does not end within").await?;
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

fn refusal(status: StatusCode, pause: Option<Duration>, body: &[u8]) -> Failed {
    let words = first_words(body);
    // Virtuoso's and Blazegraph's messages for a query that took too long. A second attempt would
    // be no faster.
    let too_slow = ["S1T00", "SR171", "exceeds the limit of", "QueryTimeoutException", "TimeoutException"];
    if too_slow.iter().any(|sign| words.contains(sign)) || status == StatusCode::GATEWAY_TIMEOUT {
        return Failed::Lasting(EndpointProblem::Refused { status: 504, reason: words });
    }
    // Virtuoso gives a class and a code with errors of the query or of its own limits.
    let lasting =
        words.contains("Virtuoso 37") || words.contains("Virtuoso 22") || words.contains("Virtuoso 42");
    let passing = matches!(status.as_u16(), 408 | 425 | 429 | 500 | 502 | 503 | 529) && !lasting;
    match passing {
        true => Failed::Passing { reason: format!("HTTP {}: {words}", status.as_u16()), pause },
        false => Failed::Lasting(EndpointProblem::Refused { status: status.as_u16(), reason: words }),
    }
}
