//! The server's configuration, with all its defaults.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use serde::Deserialize;

/// Settings of the server, from the table `[server]` of a configuration file.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerConfig {
    /// Address to listen on. By default only this machine can connect.
    pub host: IpAddr,
    /// Port to listen on; 0 takes a free one.
    pub port: u16,
    /// Questions answered concurrently.
    pub concurrency: usize,
    /// Most waiting questions; further clients get a 429.
    pub queue: usize,
    /// Seconds for one question, including its wait; a request may set less.
    pub timeout: u64,
    /// Model calls for one question; a request may set less.
    pub max_llm_calls: u32,
    /// Tokens of all prompts and replies of one question; a request may set less.
    pub max_tokens: u64,
    /// Tokens of evidence in one prompt; a request may set less.
    pub evidence_tokens: usize,
    /// Most cost of the model's tokens for one question, in the currency of its price; none: no
    /// limit. A request may set less.
    pub max_cost: Option<f64>,
    /// Most bytes of a request's body.
    pub max_body: usize,
    /// Most bytes of a request's headers.
    pub max_headers: usize,
    /// Seconds for a request's headers to arrive; an idle connection is closed after the same time.
    pub header_timeout: u64,
    /// Seconds for a request's body to arrive.
    pub body_timeout: u64,
    /// Seconds for which a client may leave sent data unread.
    pub write_timeout: u64,
    /// Concurrent connections; more wait in the system's queue.
    pub connections: usize,
    /// Seconds that running questions get after the server was told to stop.
    pub shutdown_timeout: u64,
    /// Hosts that requests may name; empty: this machine's if the server listens only on this
    /// machine, else any.
    pub allowed_hosts: Vec<String>,
    /// Origins whose pages may use the API from a browser; empty: only the server's own page.
    pub cors: Vec<String>,
    /// Whether feedback is stored, in each workspace's `feedback.jsonl`.
    pub feedback: bool,
    /// Whether feedback also becomes solved examples, which later questions are planned by. Then
    /// everyone who may ask may also teach.
    pub learn_from_feedback: bool,
    /// Whether plans of sure and grounded answers are stored as solved examples.
    pub learn: bool,
    /// Limits of `/sparql`.
    pub sparql: SparqlConfig,
    /// The export of traces.
    pub telemetry: TelemetryConfig,
    /// Access keys; empty: everyone who can connect.
    pub keys: Vec<KeyConfig>,
}

/// Limits of one SPARQL query.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SparqlConfig {
    /// Seconds.
    pub timeout: u64,
    /// Rows; more is an error, and results are never cut silently.
    pub rows: u64,
    /// Bytes of a result.
    pub bytes: usize,
    /// Bytes of solutions and texts that an evaluation may hold at once, as far as they can be
    /// counted; more is an error.
    pub memory: u64,
    /// Concurrent long queries; as many more run short turns, which show whether a query needs
    /// longer.
    pub concurrency: usize,
}

/// The export of traces (OpenTelemetry, OTLP over HTTP in JSON).
#[derive(Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryConfig {
    /// The collector's URL, as `http://localhost:4318`; empty: nothing is collected or sent.
    pub endpoint: String,
    /// Headers of every export, for example the collector's key.
    pub headers: BTreeMap<String, String>,
    /// This server's name for the collector (`service.name`).
    pub service: String,
    /// Whether spans hold the texts of questions, prompts and replies.
    pub content: bool,
    /// Seconds between two exports.
    pub interval: u64,
}

/// A key with its rights.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyConfig {
    /// Its name in logs.
    pub name: String,
    /// `sha256:` and the key's SHA-256 in hexadecimal; `quipu serve --new-key` creates a key and
    /// this line.
    pub hash: String,
    /// Workspaces that it opens; empty: all.
    #[serde(default)]
    pub workspaces: Vec<String>,
    /// Requests in any minute; none: no limit.
    #[serde(default)]
    pub per_minute: Option<u32>,
    /// Tokens of the language model a day (UTC); none: no limit.
    #[serde(default)]
    pub tokens_per_day: Option<u64>,
}

impl Default for ServerConfig {
    /// Only this machine, port 7979, 8 concurrent questions and 64 waiting, 5 minutes, 60 model
    /// calls and 200,000 tokens for each, 1 MiB bodies.
    fn default() -> Self {
        Self {
            host: Ipv4Addr::LOCALHOST.into(),
            port: 7979,
            concurrency: 8,
            queue: 64,
            timeout: 300,
            max_llm_calls: 60,
            max_tokens: 200_000,
            evidence_tokens: 3000,
            max_cost: None,
            max_body: 1 << 20,
            max_headers: 64 << 10,
            header_timeout: 15,
            body_timeout: 30,
            write_timeout: 30,
            connections: 12_000,
            shutdown_timeout: 30,
            allowed_hosts: Vec::new(),
            cors: Vec::new(),
            feedback: false,
            learn_from_feedback: false,
            learn: false,
            sparql: SparqlConfig::default(),
            telemetry: TelemetryConfig::default(),
            keys: Vec::new(),
        }
    }
}

impl Default for SparqlConfig {
    /// 10 seconds, 10,000 rows, 32 MiB of result, 512 MiB of memory, 2 concurrent queries.
    fn default() -> Self {
        Self { timeout: 10, rows: 10_000, bytes: 32 << 20, memory: 512 << 20, concurrency: 2 }
    }
}

impl Default for TelemetryConfig {
    /// No export; with an endpoint, one every 5 seconds, without texts.
    fn default() -> Self {
        Self {
            endpoint: String::new(),
            headers: BTreeMap::new(),
            service: "quipu".into(),
            content: false,
            interval: 5,
        }
    }
}

impl fmt::Debug for TelemetryConfig {
    /// Hides possible secrets: the values of headers, and the endpoint, which may contain a
    /// password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { endpoint, headers, service, content, interval } = self;
        f.debug_struct("TelemetryConfig")
            .field("endpoint", &!endpoint.is_empty())
            .field("headers", &headers.keys())
            .field("service", service)
            .field("content", content)
            .field("interval", interval)
            .finish()
    }
}

impl ServerConfig {
    /// The longest time of a question.
    pub(crate) fn question_time(&self) -> Duration {
        seconds(self.timeout)
    }
}

/// The time of a setting in seconds, at most a year: the moment at its end can be represented.
pub(crate) fn seconds(setting: u64) -> Duration {
    const YEAR: u64 = 365 * 24 * 60 * 60;
    Duration::from_secs(setting.min(YEAR))
}
