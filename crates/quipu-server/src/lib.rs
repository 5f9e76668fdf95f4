//! Quipu as a server: an HTTP API for OpenAI's clients, one of its own, SPARQL, MCP, and the page.
//!
//! | module | what it does |
//! | --- | --- |
//! | `app` | the core of all surfaces: takes a question with limits, returns an answer with citations |
//! | `workspaces` | opened on first use, replaced as a whole after a new import |
//! | `gate`, `access` | admission: keys, rights, budgets, and the number of concurrent requests |
//! | `trust`, `table`, `readings`, `remarks`, `markdown`, `escape` | an answer in words, tables and Markdown |
//! | `overview`, `explored`, `browse`, `starters`, `shown` | the page's data about a graph and an answer |
//! | `settings`, `sparql` | what several surfaces read and run alike: settings of a request, SPARQL queries |
//! | `http` | addresses with their descriptions, one file a group |
//! | `form` | an answer as JSON by a client's schema |
//! | `mcp` | the tools of the Model Context Protocol, over HTTP and over standard input and output |
//! | `listen` | connections, their limits, the shutdown |
//! | `telemetry` | traces for OpenTelemetry |
//!
//! ```no_run
//! use quipu_server::{Models, Server, ServerConfig};
//!
//! # async fn run() -> Result<(), quipu_server::ServerError> {
//! let config = ServerConfig { port: 0, ..ServerConfig::default() };
//! let server = Server::new(config, &["films".into()], Models::default(), quipu_answer::Method::Paths)?;
//! let listening = server.bind().await?;
//! println!("http://{}", listening.address());
//! listening.serve_until(async { let _ = tokio::signal::ctrl_c().await; }).await;
//! # Ok(())
//! # }
//! ```

mod access;
mod app;
mod browse;
mod cite;
mod config;
mod error;
mod escape;
mod explored;
mod form;
mod gate;
mod given;
mod http;
mod listen;
mod markdown;
mod mcp;
mod metrics;
mod overview;
mod readings;
mod remarks;
mod reply;
#[cfg(test)]
mod sample;
mod server;
mod settings;
mod shown;
mod sparql;
mod starters;
mod table;
mod telemetry;
mod trust;
mod views;
mod workspaces;

pub use access::key_hash;
pub use config::{KeyConfig, ServerConfig, SparqlConfig, TelemetryConfig};
pub use listen::Listening;
pub use readings::{check_readings, number_of};
pub use remarks::failure;
pub use server::{Server, ServerError};
pub use table::{Shape, cells, number_columns};
pub use trust::{Sureness, Trust};
pub use workspaces::Models;
