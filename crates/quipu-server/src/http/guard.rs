//! Checks of every request: security headers, request ids and logs, hosts and keys.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use tracing::Instrument as _;

use crate::access::{Client, Peer};
use crate::app::App;
use crate::config::ServerConfig;
use crate::error::{ApiError, Kind};
use crate::telemetry::SpanContext;

/// The page loads only from its own server, runs only its own script and cannot be framed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest accepted request id of a client.
const LONGEST_ID: usize = 64;

/// Paths without a key in a header: the page, descriptions and health checks, which reveal nothing
/// about the graph. A form sent to `/plain` contains its key.
const OPEN: [&str; 9] = [
    "/",
    "/page/{*file}",
    "/plain",
    "/favicon.ico",
    "/docs",
    "/docs.css",
    "/openapi.json",
    "/healthz",
    "/readyz",
];

/// Sets the security headers for browsers.
pub(super) async fn harden(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Gives the request an id, logs it without its content, and counts it.
pub(super) async fn observe(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = request_id(&request);
    let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_owned();
    let verb = request.method().clone();
    let span = tracing::info_span!(target: "quipu", "request", id = %id);
    let traced = is_work(&route).then(|| app.telemetry.request(&verb, &route, request.headers())).flatten();
    if let Some(traced) = &traced {
        request.extensions_mut().insert(traced.context());
    }
    let mut response = next.run(request).instrument(span.clone()).await;
    let (status, seconds) = (response.status().as_u16(), started.elapsed().as_secs_f64());
    app.metrics.request(&route, status, seconds);
    if let Some(traced) = traced {
        traced.finish(status, &id);
    }
    let _entered = span.enter();
    if response.status().is_server_error() {
        tracing::warn!(target: "quipu", %verb, route, status, seconds, "request");
    } else {
        tracing::info!(target: "quipu", %verb, route, status, seconds, "request");
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// Whether a route's requests get a span. The page's files and health checks, which are requested
/// every few seconds, do not.
fn is_work(route: &str) -> bool {
    ["/v1/", "/api/", "/sparql", "/mcp"].iter().any(|start| route.starts_with(start))
}

/// Admits a request whose host, origin and key are valid.
pub(super) async fn admit(State(app): State<App>, mut request: Request, next: Next) -> Response {
    if let Err(error) = check_host(&app, &request) {
        return error.into_response();
    }
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let client = if OPEN.contains(&route) || request.method() == Method::OPTIONS {
        Ok(Client::default())
    } else {
        check_origin(&app.config, &request).and_then(|()| app.access.client(request.headers()))
    };
    match client {
        Ok(client) => {
            tracing::debug!(target: "quipu", client = client.name(), "admitted");
            let span = request.extensions().get::<SpanContext>().copied();
            let peer = request.extensions().get::<Peer>().copied();
            request.extensions_mut().insert(client.within(span, peer));
            next.run(request).await
        }
        Err(error) => error.into_response(),
    }
}

/// Prevents DNS rebinding: a page of another site must not reach a server of this machine by
/// pointing its own name to this machine's address.
fn check_host(app: &App, request: &Request) -> Result<(), ApiError> {
    let config = &app.config;
    let host = host_of(request)?;
    let allowed = if !config.allowed_hosts.is_empty() {
        config.allowed_hosts.iter().any(|name| name.eq_ignore_ascii_case(host))
    } else if config.host.is_loopback() {
        ["localhost", "127.0.0.1", "::1"].iter().any(|name| name.eq_ignore_ascii_case(host))
    } else {
        true
    };
    if allowed {
        return Ok(());
    }
    let message =
        "this server does not answer to that host name; `allowed_hosts` in its configuration lists its names";
    Err(ApiError::new(Kind::Forbidden, "host_forbidden", message))
}

/// The host of a request, which must be given once. Proxies and servers interpret a repeated one
/// differently.
fn host_of(request: &Request) -> Result<&str, ApiError> {
    let twice = || {
        let message = "the request must name one host; send one plain `Host` header";
        ApiError::new(Kind::Invalid, "invalid_host", message)
    };
    let mut named = request.headers().get_all(header::HOST).iter();
    let (header, other) = (named.next(), named.next());
    let header = header.map(|value| value.to_str().map_err(|_| twice())).transpose()?;
    match (header, request.uri().authority()) {
        _ if other.is_some() => Err(twice()),
        (Some(header), Some(of_target)) if !of_target.as_str().eq_ignore_ascii_case(header) => Err(twice()),
        (Some(header), _) => Ok(host_name(header)),
        (None, of_target) => Ok(of_target.map_or("", |authority| host_name(authority.as_str()))),
    }
}

/// Prevents cross-site requests: a page of another site must not use a server of this machine.
/// Browsers send such requests and only hide the replies from the page. Programs other than
/// browsers send no origin.
pub(super) fn check_origin(config: &ServerConfig, request: &Request) -> Result<(), ApiError> {
    let header = |name: HeaderName| request.headers().get(name).map(|value| value.to_str().unwrap_or("?"));
    let fetch = |name| header(HeaderName::from_static(name));
    let site = fetch("sec-fetch-site");
    let allowed = match (site, header(header::ORIGIN)) {
        // The page itself, or a typed address.
        (Some("same-origin" | "none"), _) | (None, None) => true,
        (_, Some(origin)) => {
            let host = request.headers().get(header::HOST).and_then(|value| value.to_str().ok());
            config.cors.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
                || (site.is_none() && is_own(origin, host))
        }
        // A followed link.
        (Some(_), None) => {
            request.method() == Method::GET
                && fetch("sec-fetch-mode") == Some("navigate")
                && fetch("sec-fetch-dest") == Some("document")
        }
    };
    if allowed {
        return Ok(());
    }
    let message =
        "pages of that origin may not use this server; `cors` in its configuration names those that may";
    Err(ApiError::new(Kind::Forbidden, "origin_forbidden", message))
}

/// Whether an origin is the server's own page, even behind an encrypting proxy.
fn is_own(origin: &str, host: Option<&str>) -> bool {
    let own = origin.split_once("://").map(|(_, authority)| authority);
    own.zip(host).is_some_and(|(own, host)| own.eq_ignore_ascii_case(host))
}

/// The host without its port.
fn host_name(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    }
}

/// The client's own id if it is a plain word, else a new one.
fn request_id(request: &Request) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let given = request.headers().get(REQUEST_ID).and_then(|value| value.to_str().ok());
    let plain = |id: &&str| {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        !id.is_empty() && id.len() <= LONGEST_ID && id.bytes().all(plain)
    };
    given.filter(plain).map_or_else(
        || {
            let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let seed = [nanos.to_le_bytes().as_slice(), number.to_le_bytes().as_slice()].concat();
            format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&seed))
        },
        str::to_owned,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_read_without_their_port() {
        for (authority, host) in [
            ("localhost:7979", "localhost"),
            ("[::1]:7979", "::1"),
            ("quipu.example", "quipu.example"),
            ("", ""),
        ] {
            assert_eq!(host_name(authority), host);
        }
    }
}
