//! Sends spans to a collector: in batches, in the background, with a limited number of attempts.

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, StatusCode, Url};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout_at};

use super::wire::{Span, export};
use crate::config::{TelemetryConfig, seconds};
use crate::metrics::Metrics;

/// The path for traces in OTLP over HTTP.
const PATH: &str = "v1/traces";
/// Most spans in one request.
const BATCH: usize = 512;
/// Time limit of one request to the collector.
const PATIENCE: Duration = Duration::from_secs(10);
/// Pauses before the next attempts if the collector is down or busy; then the batch is dropped.
const PAUSES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];
/// Longest wait for the last spans at the server's end.
const LAST: Duration = Duration::from_secs(5);

/// Sends spans.
pub(crate) struct Exporter {
    spans: mpsc::Receiver<Span>,
    client: Client,
    url: Url,
    service: String,
    interval: Duration,
    metrics: Metrics,
}

/// A running exporter.
pub(crate) struct Exporting {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Exporting {
    /// Sends the remaining spans and ends.
    pub(crate) async fn finish(self) {
        let _ = self.stop.send(());
        let _ = tokio::time::timeout(LAST, self.task).await;
    }
}

impl Exporter {
    /// # Errors
    /// An invalid endpoint or header. The message omits both, because they may contain secrets.
    pub(super) fn new(
        config: &TelemetryConfig,
        spans: mpsc::Receiver<Span>,
        metrics: Metrics,
    ) -> Result<Self, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in &config.headers {
            let wrong = || format!("telemetry: the header {name:?} cannot be sent");
            let mut value = HeaderValue::from_str(value).map_err(|_| wrong())?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?, value);
        }
        let client = Client::builder()
            .default_headers(headers)
            // Headers may contain a secret that belongs to the collector alone.
            .redirect(Policy::none())
            .timeout(PATIENCE)
            .build()
            .map_err(|error| format!("telemetry: no HTTP client: {error}"))?;
        let interval = seconds(config.interval.max(1));
        Ok(Self {
            spans,
            client,
            url: address(&config.endpoint)?,
            service: config.service.clone(),
            interval,
            metrics,
        })
    }

    /// Starts the export.
    pub(crate) fn start(self) -> Exporting {
        let (stop, stopped) = oneshot::channel();
        Exporting { stop, task: tokio::spawn(self.run(stopped)) }
    }

    async fn run(mut self, mut stopped: oneshot::Receiver<()>) {
        let mut batch = Vec::new();
        loop {
            let due = Instant::now() + self.interval;
            let over = tokio::select! {
                () = gather(&mut self.spans, &mut batch, due) => false,
                _ = &mut stopped => true,
            };
            if over {
                break;
            }
            self.send(&mut batch).await;
        }
        while let Ok(span) = self.spans.try_recv() {
            batch.push(span);
            if batch.len() == BATCH {
                self.send(&mut batch).await;
            }
        }
        self.send(&mut batch).await;
    }

    /// Sends a batch and empties it, whatever the outcome.
    async fn send(&self, batch: &mut Vec<Span>) {
        let count = batch.len() as u64;
        if count == 0 {
            return;
        }
        let body = export(&self.service, batch);
        batch.clear();
        let mut pauses = PAUSES.iter();
        loop {
            match self.post(&body).await {
                Ok(()) => return self.metrics.spans("sent", count),
                Err(Failed { again: true, .. }) if pauses.len() > 0 => {
                    sleep(*pauses.next().unwrap_or(&PATIENCE)).await;
                }
                Err(Failed { reason, .. }) => {
                    tracing::warn!(target: "quipu", count, reason, "spans could not be sent");
                    return self.metrics.spans("dropped", count);
                }
            }
        }
    }

    async fn post(&self, body: &serde_json::Value) -> Result<(), Failed> {
        // The address may contain a secret and is not logged.
        let unreachable =
            |error: reqwest::Error| Failed { again: true, reason: error.without_url().to_string() };
        let response = self.client.post(self.url.clone()).json(body).send().await.map_err(unreachable)?;
        match response.status() {
            status if status.is_success() => Ok(()),
            status => Err(Failed {
                again: matches!(
                    status,
                    StatusCode::TOO_MANY_REQUESTS
                        | StatusCode::BAD_GATEWAY
                        | StatusCode::SERVICE_UNAVAILABLE
                        | StatusCode::GATEWAY_TIMEOUT
                ),
                reason: format!("the collector answers {status}"),
            }),
        }
    }
}

/// Why a batch was not accepted, and whether to try again.
struct Failed {
    again: bool,
    reason: String,
}

/// Waits for spans until the batch is full or the time has come. Received spans stay in the batch,
/// even if the wait is cancelled.
async fn gather(spans: &mut mpsc::Receiver<Span>, batch: &mut Vec<Span>, due: Instant) {
    while batch.len() < BATCH {
        match timeout_at(due, spans.recv()).await {
            Ok(Some(span)) => batch.push(span),
            // All senders are gone with the server; its end is signalled separately.
            Ok(None) => tokio::time::sleep_until(due).await,
            Err(_) => return,
        }
        if Instant::now() >= due {
            return;
        }
    }
}

/// Traces go to `v1/traces` below the endpoint, unless it already ends with that path.
fn address(endpoint: &str) -> Result<Url, String> {
    let wrong = || "telemetry: the endpoint must be a URL such as http://localhost:4318".to_owned();
    let mut url = Url::parse(endpoint).map_err(|_| wrong())?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(wrong());
    }
    let path = url.path().trim_end_matches('/').to_owned();
    if !path.ends_with(PATH) {
        url.set_path(&format!("{path}/{PATH}"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_have_their_place_below_the_endpoint() {
        for (endpoint, expected) in [
            ("http://localhost:4318", "http://localhost:4318/v1/traces"),
            ("http://localhost:4318/", "http://localhost:4318/v1/traces"),
            ("https://o.example/otlp", "https://o.example/otlp/v1/traces"),
            ("https://o.example/otlp/v1/traces", "https://o.example/otlp/v1/traces"),
        ] {
            assert_eq!(address(endpoint).unwrap().as_str(), expected);
        }
        assert!(address("localhost:4318").is_err() && address("collector").is_err());
    }
}
