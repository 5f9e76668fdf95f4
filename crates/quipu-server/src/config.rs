//! How the server is set up. Every default stands here.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use serde::Deserialize;

/// Settings of the server, as the table `[server]` of a configuration file says them.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerConfig {
    /// Address to listen on. The default is this machine alone.
    pub host: IpAddr,
    /// Port to listen on; 0 takes a free one.
    pub port: u16,
    /// Questions worked on at once.
    pub concurrency: usize,
    /// Questions that may wait; beyond, a client hears 429.
    pub queue: usize,
    /// Seconds for one question, waiting included; a request may ask for less.
    pub timeout: u64,
    /// Model calls for one question; a request may ask for less.
    pub max_llm_calls: u32,
    /// Tokens of all prompts and replies of one question; a request may ask for less.
    pub max_tokens: u64,
    /// Tokens of evidence in one prompt; a request may ask for less.
    pub evidence_tokens: usize,
    /// What the model's tokens may cost for one question, in the currency of its price; none: no limit. A request may ask for less.
    pub max_cost: Option<f64>,
    /// Bytes of a request's body.
    pub max_body: usize,
    /// Bytes of a request's headers.
    pub max_headers: usize,
    /// Seconds until the headers of a request are there; an idle connection is closed after as long.
    pub header_timeout: u64,
    /// Seconds until the body of a request is there.
    pub body_timeout: u64,
    /// Seconds that a client may leave what is sent to it unread.
    pub write_timeout: u64,
    /// Connections at once; more wait in the system's queue.
    pub connections: usize,
    /// Seconds that questions may go on after the server was told to stop.
    pub shutdown_timeout: u64,
    /// Hosts that requests may name; empty: those of this machine when only this machine is listened to, else any.
    pub allowed_hosts: Vec<String>,
    /// Origins whose pages may use the API from a browser; empty: none but the server's own page.
    pub cors: Vec<String>,
    /// Whether feedback is kept, in each workspace's `feedback.jsonl`.
    pub feedback: bool,
    /// Whether feedback also makes solved examples, by which later questions are planned: whoever may ask may then teach.
    pub learn_from_feedback: bool,
    /// Whether plans of sure and grounded answers are kept as solved examples.
    pub learn: bool,
    /// Limits of `/sparql`.
    pub sparql: SparqlConfig,
    /// Where traces are sent.
    pub telemetry: TelemetryConfig,
    /// Who may use the server; empty: anyone who reaches it.
    pub keys: Vec<KeyConfig>,
}

/// Limits of one SPARQL query.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SparqlConfig {
    /// Seconds.
    pub timeout: u64,
    /// Rows; more is an error, never a silent cut.
    pub rows: u64,
    /// Bytes of a result.
    pub bytes: usize,
    /// Bytes of the solutions and texts that an evaluation holds at once, as far as they can be counted; more is an error.
    pub memory: u64,
    /// Queries at once; as many besides have a short turn, to show whether they need longer.
    pub concurrency: usize,
}

/// Where traces are sent, and what they tell (OpenTelemetry, OTLP over HTTP in JSON).
#[derive(Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryConfig {
    /// The collector's address, as `http://localhost:4318`; empty: nothing is collected or sent.
    pub endpoint: String,
    /// Headers of every export, as collectors want them for keys.
    pub headers: BTreeMap<String, String>,
    /// What the collector shall call this server (`service.name`).
    pub service: String,
    /// Whether spans hold the texts of questions, prompts and replies.
    pub content: bool,
    /// Seconds between two exports.
    pub interval: u64,
}

/// A key and what it may do.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyConfig {
    /// What logs call it.
    pub name: String,
    /// `sha256:` and the key's SHA-256 in hexadecimal digits; `quipu serve --new-key` makes a key and this line.
    pub hash: String,
    /// Workspaces it may ask; empty: all.
    #[serde(default)]
    pub workspaces: Vec<String>,
    /// Requests in any minute; none: no limit.
    #[serde(default)]
    pub per_minute: Option<u32>,
    /// Tokens of the language model in a day (UTC); none: no limit.
    #[serde(default)]
    pub tokens_per_day: Option<u64>,
}

impl Default for ServerConfig {
    /// This machine alone, port 7979, 8 questions at once and 64 waiting, 5 minutes, 16 model calls and 200,000 tokens for each, 1 MiB bodies.
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
    /// 10 seconds, 10,000 rows, 32 MiB of result, 512 MiB of memory, 2 at once.
    fn default() -> Self {
        Self { timeout: 10, rows: 10_000, bytes: 32 << 20, memory: 512 << 20, concurrency: 2 }
    }
}

impl Default for TelemetryConfig {
    /// Nothing is sent; an export every 5 seconds, without texts, once there is an endpoint.
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
    /// Without what may be secret: the headers' values, and the endpoint, which may hold a password.
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
    /// The longest a question may take.
    pub(crate) fn question_time(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }
}
