//! Server-sent events of a running question: its events, then the answer.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use futures::Stream;
use quipu_answer::{EventSink, TimedEvent};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;
use tokio::time::{Interval, MissedTickBehavior, interval};
use tracing::Instrument as _;

use crate::access::Client;
use crate::app::{App, Ask, Reply};
use crate::error::ApiError;
use crate::reply::with_type;

/// Interval of keep-alive messages, so that no proxy closes an idle connection.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// Converts events to the messages of one protocol.
pub(super) trait Protocol: Send + 'static {
    /// The first messages.
    fn open(&self) -> String {
        String::new()
    }

    /// The message for an event; empty: none.
    fn happened(&self, event: &TimedEvent) -> String;

    /// The last messages.
    fn close(&self, outcome: Result<Reply, ApiError>) -> String;
}

/// One message: its name if it has one, and its data, which is JSON without line breaks.
pub(super) fn event(name: Option<&str>, data: &str) -> String {
    let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    format!("{name}data: {data}\n\n")
}

/// Answers a question and streams its events. A client that leaves drops the response, which stops
/// the work and its model calls.
pub(super) fn respond(app: App, client: Client, ask: Ask, protocol: impl Protocol + Sync) -> Response {
    let (sender, events) = unbounded_channel();
    let protocol = Arc::new(protocol);
    let _ = sender.send(protocol.open());
    let work = async move {
        let sink = sink(sender.clone(), protocol.clone());
        let outcome = app.ask(&client, &ask, Some(sink)).await;
        let _ = sender.send(protocol.close(outcome));
    };
    let task = tokio::spawn(work.in_current_span()).abort_handle();
    let mut signs = interval(SIGN_OF_LIFE);
    signs.set_missed_tick_behavior(MissedTickBehavior::Delay);
    signs.reset();
    let mut response =
        with_type(StatusCode::OK, "text/event-stream", Body::from_stream(Events { events, signs, task }));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn sink(sender: UnboundedSender<String>, protocol: Arc<impl Protocol + Sync>) -> EventSink {
    Arc::new(move |event| {
        let _ = sender.send(protocol.happened(event));
    })
}

/// The stream; dropping it ends the work.
struct Events {
    events: UnboundedReceiver<String>,
    signs: Interval,
    task: AbortHandle,
}

impl Drop for Events {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Stream for Events {
    type Item = Result<Bytes, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match self.events.poll_recv(context) {
                Poll::Ready(Some(text)) if text.is_empty() => {}
                Poll::Ready(Some(text)) => return Poll::Ready(Some(Ok(text.into()))),
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => break,
            }
        }
        self.signs.poll_tick(context).map(|_| Some(Ok(Bytes::from_static(b": still at work\n\n"))))
    }
}
