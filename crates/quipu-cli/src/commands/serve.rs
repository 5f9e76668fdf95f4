//! `quipu serve` and `quipu mcp`: workspaces for other programs.

use std::io::Write as _;
use std::net::IpAddr;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use quipu_model::{ModelKind, OpenOptions};
use quipu_server::{Models, Server, ServerConfig, TelemetryConfig, key_hash};

use super::workspace;
use crate::config::Settings;
use crate::failure::WrongUsage;
use crate::output::stdout;
use crate::{engine, interrupt};

#[derive(Debug, Args)]
pub(super) struct Serve {
    /// Folders of the workspaces; the first answers requests that name none
    #[arg(required_unless_present = "new_key")]
    workspaces: Vec<PathBuf>,
    /// Address to listen on [default: 127.0.0.1, this machine alone]
    #[arg(long, env = "QUIPU_HOST")]
    host: Option<IpAddr>,
    /// Port to listen on; 0 takes a free one [default: 7979]
    #[arg(long, env = "QUIPU_PORT")]
    port: Option<u16>,
    #[command(flatten)]
    how: How,
    /// Make a key: prints the key, and the configuration lines that allow it
    #[arg(long, value_name = "NAME", exclusive = true)]
    new_key: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct Mcp {
    /// The workspace's folder
    workspace: PathBuf,
    #[command(flatten)]
    how: How,
}

#[derive(Debug, Args)]
struct How {
    /// The language model: a name of `quipu models list`, `openai:MODEL` for an endpoint, or `none`
    #[arg(long, value_name = "NAME")]
    llm: Option<String>,
    /// The method of requests that name none
    #[arg(long, value_name = "NAME")]
    method: Option<String>,
    /// A configuration file that overrides the workspace's and the user's
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Serve {
    pub(super) async fn run(self) -> Result<()> {
        if let Some(name) = &self.new_key {
            return new_key(name);
        }
        let settings = self.how.settings(&self.workspaces)?;
        let mut config = settings.server.clone().unwrap_or_default();
        config.host = self.host.unwrap_or(config.host);
        config.port = self.port.unwrap_or(config.port);
        config.connections = connections(config.connections);
        let server = set_up(config.clone(), &self.workspaces, &settings).await?;
        let listening = server.bind().await?;
        let address = listening.address();
        if !config.host.is_loopback() && config.keys.is_empty() {
            tell!(
                "anyone who reaches {address} may ask; `quipu serve --new-key NAME` makes a key to require"
            );
        }
        tell!(
            "http://{address}/ is the page, http://{address}/v1 the base URL of OpenAI clients; Ctrl-C stops the server"
        );
        listening.serve_until(interrupt::told_to_stop()).await;
        Ok(())
    }
}

impl Mcp {
    pub(super) async fn run(self) -> Result<()> {
        let workspaces = [self.workspace];
        let settings = self.how.settings(&workspaces)?;
        let config = settings.server.clone().unwrap_or_default();
        Ok(set_up(config, &workspaces, &settings).await?.serve_stdio().await?)
    }
}

impl How {
    fn settings(&self, workspaces: &[PathBuf]) -> Result<Settings> {
        let flags = Settings { llm: self.llm.clone(), method: self.method.clone(), ..Settings::default() };
        let first = workspaces.first().context("a server needs a workspace")?;
        Ok(Settings::load_with(flags, self.config.as_deref(), first)?)
    }
}

/// Open files that a server needs besides its clients' connections: workspaces, logs, connections
/// to models and endpoints.
const OTHER_FILES: u64 = 256;

/// The number of connections that the limit of open files allows, after raising that limit as far
/// as the system permits.
fn connections(wanted: usize) -> usize {
    let needed = (wanted as u64).saturating_add(OTHER_FILES);
    let Ok(allowed) = rlimit::increase_nofile_limit(needed) else { return wanted };
    let most = usize::try_from(allowed.saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX).max(16);
    if most < wanted {
        tell!(
            "the server takes at most {most} connections at once, not the configured {wanted}: this system allows {allowed} open files (`ulimit -n`)"
        );
    }
    most.min(wanted)
}

/// Sets the server up. Without a language model it still serves the graph, and says why it cannot
/// answer.
async fn set_up(config: ServerConfig, workspaces: &[PathBuf], settings: &Settings) -> Result<Server> {
    // Reported before models are loaded and a port is taken, not at the first question.
    for folder in workspaces {
        workspace::open_graph(folder)?;
    }
    let config = ServerConfig {
        timeout: settings.timeout.unwrap_or(config.timeout),
        max_llm_calls: settings.max_llm_calls.unwrap_or(config.max_llm_calls),
        max_tokens: settings.max_tokens.unwrap_or(config.max_tokens),
        max_cost: settings.max_cost.or(config.max_cost),
        learn: settings.learn.unwrap_or(config.learn),
        telemetry: telemetry(config.telemetry, |name| std::env::var(name).ok())?,
        ..config
    };
    let method = settings.ask_options()?.named()?;
    engine::offer(settings, &[ModelKind::Chat, ModelKind::Embedder], &OpenOptions::default()).await?;
    let embedder = match engine::load_embedder(settings).await {
        Ok(embedder) => Some(embedder),
        Err(error) if engine::is_missing(&error) => {
            tell!("entities are found by name, not by meaning: {error}");
            None
        }
        Err(error) => return Err(error),
    };
    // What an import read of a workspace's tables need not be read again.
    let options = OpenOptions { keep_instructions: true, ..OpenOptions::default() };
    let models = match engine::load_model(settings, options).await {
        Ok(Some(model)) => Models { model: Some(model), embedder, problem: None },
        Ok(None) => Models { embedder, ..Models::default() },
        Err(error) if engine::is_missing(&error) => {
            tell!("no language model: {error}");
            Models { model: None, embedder, problem: Some(error.to_string()) }
        }
        Err(error) => return Err(error),
    };
    Ok(Server::new(config, workspaces, models, method)?)
}

/// The telemetry settings; OpenTelemetry's own variables override the configuration.
fn telemetry(config: TelemetryConfig, variable: impl Fn(&str) -> Option<String>) -> Result<TelemetryConfig> {
    let variable = |name: &str| variable(name).filter(|text| !text.trim().is_empty());
    let is_true = |name: &str| variable(name).map(|text| text.eq_ignore_ascii_case("true"));
    let either = |name: &str| {
        variable(&format!("OTEL_EXPORTER_OTLP_TRACES_{name}"))
            .or_else(|| variable(&format!("OTEL_EXPORTER_OTLP_{name}")))
    };
    let mut headers = config.headers;
    for pair in either("HEADERS").iter().flat_map(|list| list.split(',')) {
        let Some((name, value)) = pair.split_once('=') else {
            // Its text may contain a secret, so the message omits it.
            return Err(WrongUsage("OTEL_EXPORTER_OTLP_HEADERS: NAME=VALUE pairs are needed".into()).into());
        };
        headers.insert(name.trim().to_owned(), percent_decoded(value.trim()));
    }
    let endpoint = match is_true("OTEL_SDK_DISABLED") {
        Some(true) => String::new(),
        _ => either("ENDPOINT").unwrap_or(config.endpoint),
    };
    Ok(TelemetryConfig {
        endpoint,
        headers,
        service: variable("OTEL_SERVICE_NAME").unwrap_or(config.service),
        content: is_true("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT").unwrap_or(config.content),
        interval: config.interval,
    })
}

/// Decodes the values of OpenTelemetry's headers, in which `%20` stands for a space.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        let code = match (byte, after) {
            (b'%', [high, low, ..]) => std::str::from_utf8(&[*high, *low])
                .ok()
                .and_then(|digits| u8::from_str_radix(digits, 16).ok()),
            _ => None,
        };
        match (code, after) {
            (Some(code), [_, _, beyond @ ..]) => {
                bytes.push(code);
                rest = beyond;
            }
            _ => bytes.push(*byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Prints a new key of 32 random bytes, and its line for the configuration.
fn new_key(name: &str) -> Result<()> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if name.is_empty() || !name.chars().all(plain) {
        return Err(
            WrongUsage(format!("{name:?}: a key's name may have only letters, digits, - and _")).into()
        );
    }
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow::anyhow!("the system gives no random numbers: {error}"))?;
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let key = format!("quipu-{digits}");
    writeln!(stdout(), "{key}")?;
    tell!(
        "This is the only time that the key is shown. To allow it, add this to the server's configuration:\n\n\
         [[server.keys]]\nname = \"{name}\"\nhash = \"{}\"",
        key_hash(&key)
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opentelemetrys_variables_say_where_traces_go() {
        let environment = |name: &str| {
            let value = match name {
                "OTEL_EXPORTER_OTLP_ENDPOINT" => "http://collector:4318",
                "OTEL_EXPORTER_OTLP_HEADERS" => "api-key=a%20b%2Cc,tenant=7%",
                "OTEL_SERVICE_NAME" => "films",
                _ => return None,
            };
            Some(value.to_owned())
        };
        let found = telemetry(TelemetryConfig::default(), environment).unwrap();
        assert_eq!((found.endpoint.as_str(), found.service.as_str()), ("http://collector:4318", "films"));
        assert_eq!((found.headers["api-key"].as_str(), found.headers["tenant"].as_str()), ("a b,c", "7%"));
        assert!(!found.content);
        assert_eq!(telemetry(TelemetryConfig::default(), |_| None).unwrap(), TelemetryConfig::default());
        let disabled = |name: &str| match name {
            "OTEL_SDK_DISABLED" => Some("true".to_owned()),
            name => environment(name),
        };
        assert_eq!(telemetry(TelemetryConfig::default(), disabled).unwrap().endpoint, "");
        let wrong = |name: &str| (name == "OTEL_EXPORTER_OTLP_HEADERS").then(|| "s3cret".to_owned());
        let error = telemetry(TelemetryConfig::default(), wrong).unwrap_err().to_string();
        assert!(error.contains("NAME=VALUE") && !error.contains("s3cret"), "{error}");
    }
}
