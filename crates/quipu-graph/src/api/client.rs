//! The HTTP client of one API: sends, limits, times, retries and caches requests, and checks which
//! hosts they may reach.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, CONTENT_TYPE, RETRY_AFTER};
use reqwest::{Method, Url};

use super::config::ApiConfig;
use super::openapi::{FORM, HttpVerb};
use crate::GraphError;
use crate::endpoint::ResultCache;
use crate::error::EndpointProblem;
use crate::http::{Failed, Manners, Sender, first_words, pause_asked_for};

/// A request, built from parameters only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) verb: HttpVerb,
    pub(super) url: Url,
    pub(super) headers: Vec<(String, String)>,
    /// The body of a POST.
    pub(super) body: Option<Body>,
}

/// A request's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Body {
    Json(String),
    Form(String),
}

impl Body {
    fn text(&self) -> &str {
        match self {
            Self::Json(text) | Self::Form(text) => text,
        }
    }

    fn content_type(&self) -> &'static str {
        match self {
            Self::Json(_) => "application/json",
            Self::Form(_) => FORM,
        }
    }
}

/// A response: its content type, and its body.
pub(super) struct Response {
    content_type: String,
    pub(super) body: Vec<u8>,
}

impl Response {
    /// Describes a response that is not JSON.
    fn found(&self) -> String {
        let words = first_words(&self.body);
        match self.content_type.split(';').next().unwrap_or_default() {
            "" => format!("{words:?}"),
            kind if kind.contains("json") => format!("{words:?}"),
            kind => format!("{words:?} ({kind}; only JSON is read)"),
        }
    }
}

/// Sends requests to one API.
pub(super) struct Client {
    config: ApiConfig,
    sender: Sender,
    cache: Option<ResultCache>,
    from_cache: AtomicU64,
}

impl Client {
    pub(super) fn new(config: ApiConfig, cache: Option<ResultCache>) -> Result<Self, GraphError> {
        config.check()?;
        let resolver = Arc::new(PublicOnly { allowed: config.allow_hosts.clone() });
        let sender = Sender::new(
            reqwest::Client::builder().dns_resolver(resolver),
            Manners {
                user_agent: config.user_agent.clone(),
                headers: config.secret_headers()?,
                auth: config.secret_auth()?,
                limit: config.time_limit(),
                attempts: config.attempts,
                pause: Duration::from_millis(config.pause),
                concurrency: config.concurrency,
                per_minute: config.per_minute,
            },
        )?;
        Ok(Self { sender, cache, from_cache: AtomicU64::new(0), config })
    }

    pub(super) fn config(&self) -> &ApiConfig {
        &self.config
    }

    /// Requests sent, calls answered from the cache, and bytes of responses.
    pub(super) fn traffic(&self) -> (u64, u64, u64) {
        (self.sender.requests(), self.from_cache.load(Ordering::Relaxed), self.sender.bytes())
    }

    /// Sends a request, or takes its cached response, and reads the JSON; `None` if the API answers
    /// 404.
    pub(super) async fn json(
        &self,
        request: &Request,
        stage: &'static str,
    ) -> Result<Option<serde_json::Value>, GraphError> {
        let parse = |body: &[u8]| serde_json::from_slice(body);
        let key = ResultCache::key(&[request.url.as_str(), request.body.as_ref().map_or("", Body::text)]);
        if let Some((body, _)) = self.cache.as_ref().and_then(|cache| cache.get(&key))
            && let Ok(value) = parse(&body)
        {
            self.from_cache.fetch_add(1, Ordering::Relaxed);
            return Ok(Some(value));
        }
        let Some(response) = self.response(request, stage).await? else { return Ok(None) };
        let value = parse(&response.body).map_err(|error| {
            let reason = format!("expected JSON, found {}: {error}", response.found());
            failure(request, stage, EndpointProblem::Unreadable { reason })
        })?;
        if let Some(cache) = &self.cache {
            cache.put(&key, &response.body, None);
        }
        Ok(Some(value))
    }

    /// The response to a request, unread.
    pub(super) async fn response(
        &self,
        request: &Request,
        stage: &'static str,
    ) -> Result<Option<Response>, GraphError> {
        self.check_address(&request.url)?;
        let sent = self.sender.persist(|| self.send_once(request)).await;
        sent.map_err(|problem| failure(request, stage, problem))
    }

    /// Refuses a URL whose host is a private address. Host names are checked when they are
    /// resolved.
    fn check_address(&self, url: &Url) -> Result<(), GraphError> {
        let host = url.host_str().unwrap_or_default();
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let allowed = self.config.allow_hosts.iter().any(|name| name.eq_ignore_ascii_case(host));
        match literal {
            Ok(address) if is_private(address) && !allowed => Err(GraphError::Usage(private(host))),
            _ => Ok(()),
        }
    }

    async fn send_once(&self, request: &Request) -> Result<Option<Response>, Failed> {
        let method = if request.verb == HttpVerb::Get { Method::GET } else { Method::POST };
        let mut sent = self.sender.request(method, request.url.clone()).header(ACCEPT, "application/json");
        for (name, value) in &request.headers {
            sent = sent.header(name, value);
        }
        if let Some(body) = &request.body {
            sent = sent.header(CONTENT_TYPE, body.content_type()).body(body.text().to_owned());
        }
        let response = self.sender.send(sent).await.map_err(refused)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let header =
            |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("").trim();
        if status.is_redirection() {
            let reason = format!("it redirects to {}; redirects are not followed", header("location"));
            return Err(Failed::Lasting(EndpointProblem::Refused { status: status.as_u16(), reason }));
        }
        let most = self.config.most_megabytes << 20;
        let body = self.sender.read(response, most, "the response is longer than").await.map_err(advised)?;
        match status.as_u16() {
            _ if status.is_success() => {
                Ok(Some(Response { content_type: header(CONTENT_TYPE.as_str()).to_lowercase(), body }))
            }
            404 | 410 => Ok(None),
            code @ (408 | 425 | 429 | 500 | 502 | 503 | 529) => {
                let pause = pause_asked_for(header(RETRY_AFTER.as_str()));
                Err(Failed::Passing { reason: format!("HTTP {code}: {}", first_words(&body)), pause })
            }
            code => {
                Err(Failed::Lasting(EndpointProblem::Refused { status: code, reason: first_words(&body) }))
            }
        }
    }
}

/// The error names host and path. It omits parameters, which may be private.
fn failure(request: &Request, stage: &'static str, problem: EndpointProblem) -> GraphError {
    let mut url = request.url.clone();
    url.set_query(None);
    GraphError::Endpoint { endpoint: url.to_string(), stage, problem }
}

/// A refused address gets no second attempt.
fn refused(failed: Failed) -> Failed {
    match failed {
        Failed::Passing { reason, .. } if reason.contains(REFUSED) => {
            let at = reason.find(REFUSED).unwrap_or_default();
            let reason = reason.get(at..).unwrap_or_default().to_owned();
            Failed::Lasting(EndpointProblem::Refused { status: 0, reason })
        }
        other => other,
    }
}

/// Adds the setting that limits the size of a response to the message.
fn advised(failed: Failed) -> Failed {
    match failed {
        Failed::Lasting(EndpointProblem::Unreadable { reason }) => {
            let reason = format!("{reason} (`most_megabytes` in sources.toml)");
            Failed::Lasting(EndpointProblem::Unreadable { reason })
        }
        other => other,
    }
}

const REFUSED: &str = "private address";

fn private(host: &str) -> String {
    format!("{REFUSED}: {host} is on this machine or a local network; --allow-host {host} allows it")
}

/// Resolves names as the system does, and refuses private addresses unless the host is allowed by
/// name. The check runs on connecting, so that a later answer of the name server cannot bypass it.
struct PublicOnly {
    allowed: Vec<String>,
}

impl Resolve for PublicOnly {
    fn resolve(&self, name: Name) -> Resolving {
        let host = name.as_str().to_owned();
        let allowed = self.allowed.iter().any(|known| known.eq_ignore_ascii_case(&host));
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host.as_str(), 0)).await?.collect();
            if !allowed && found.iter().any(|address| is_private(address.ip())) {
                return Err(std::io::Error::other(private(&host)).into());
            }
            let addresses: Addrs = Box::new(found.into_iter());
            Ok(addresses)
        })
    }
}

/// Whether an address belongs to this machine, to a local network, or to no network.
fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [a, b, ..] = v4.octets();
            v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_unspecified()
                || v4.is_broadcast()
                || v4.is_multicast()
                // Carrier-grade NAT (RFC 6598).
                || (a == 100 && (64..128).contains(&b))
        }
        IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
            Some(v4) => is_private(IpAddr::V4(v4)),
            None => {
                v6.is_loopback()
                    || v6.is_unspecified()
                    || v6.is_multicast()
                    || v6.is_unique_local()
                    || v6.is_unicast_link_local()
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_addresses_are_known() {
        for text in [
            "127.0.0.1",
            "10.1.2.3",
            "192.168.0.1",
            "172.16.0.9",
            "169.254.169.254",
            "100.64.0.1",
            "::1",
            "fd00::1",
            "fe80::1",
            "::ffff:10.0.0.1",
            "0.0.0.0",
        ] {
            assert!(is_private(text.parse().unwrap()), "{text}");
        }
        for text in ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1111"] {
            assert!(!is_private(text.parse().unwrap()), "{text}");
        }
    }
}
