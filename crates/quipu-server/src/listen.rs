//! Connections: their number, their slowest speed, and their end.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, Sleep, sleep};
use tower::ServiceExt as _;

use crate::access::Peer;
use crate::app::App;
use crate::config::seconds;
use crate::http;

/// Pause after the system refused a connection, for example with too many open files.
const REST: Duration = Duration::from_millis(100);

/// A server that listens.
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    app: App,
}

impl Listening {
    pub(crate) fn new(listener: TcpListener, app: App) -> io::Result<Self> {
        Ok(Self { address: listener.local_addr()?, listener, app })
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` resolves. Then it accepts no new connections, lets running questions
    /// finish within the configured time, and returns.
    pub async fn serve_until(self, stop: impl Future<Output = ()>) {
        let Self { listener, app, .. } = self;
        let exporting = app.start_telemetry();
        let router = http::router(&app);
        let graceful = GracefulShutdown::new();
        let places = Arc::new(Semaphore::new(app.config.connections.clamp(1, Semaphore::MAX_PERMITS)));
        let mut stop = std::pin::pin!(stop);
        loop {
            let accepted = async {
                let place = places.clone().acquire_owned().await;
                (place, listener.accept().await)
            };
            let (place, stream) = tokio::select! {
                () = &mut stop => break,
                accepted = accepted => accepted,
            };
            match (place, stream) {
                (Ok(place), Ok((stream, address))) => {
                    let peer = Peer(address.ip());
                    let connection = connect(&app, router.clone(), stream, peer, place, graceful.watcher());
                    tokio::spawn(connection);
                }
                (_, Err(error)) => {
                    tracing::warn!(target: "quipu", %error, "cannot take a connection");
                    sleep(REST).await;
                }
                (Err(_), _) => break,
            }
        }
        drop(listener);
        let limit = seconds(app.config.shutdown_timeout);
        if tokio::time::timeout(limit, graceful.shutdown()).await.is_err() {
            tracing::warn!(target: "quipu", "the time for the shutdown is over; requests that still run are cut off");
        }
        if let Some(exporting) = exporting {
            exporting.finish().await;
        }
    }
}

/// Serves one connection to its end.
fn connect(
    app: &App,
    router: axum::Router,
    stream: TcpStream,
    peer: Peer,
    place: OwnedSemaphorePermit,
    watcher: hyper_util::server::graceful::Watcher,
) -> impl Future<Output = ()> + use<> {
    let (app, config) = (app.clone(), app.config.clone());
    async move {
        let _place = place;
        app.metrics.connections.inc();
        let _ = stream.set_nodelay(true);
        let stream = Impatient::new(stream, seconds(config.write_timeout));
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(seconds(config.header_timeout))
            .max_header_size(config.max_headers)
            .max_headers(100);
        let router = router.map_request(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(peer);
            request
        });
        let service = TowerToHyperService::new(router);
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        // An interrupted connection is the client's problem.
        if let Err(error) = watcher.watch(connection).await {
            tracing::debug!(target: "quipu", %error, "connection");
        }
        app.metrics.connections.dec();
    }
}

/// A stream whose peer must read sent data within a time limit.
struct Impatient {
    stream: TcpStream,
    patience: Duration,
    /// Runs while a write is blocked.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    fn new(stream: TcpStream, patience: Duration) -> Self {
        Self { stream, patience, waiting: None }
    }

    /// Passes a write's outcome on; a write that is blocked too long is an error.
    fn bounded<T>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.waiting = None;
            return outcome;
        }
        let patience = self.patience;
        let waiting =
            self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + patience)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, buffer);
        self.bounded(context, outcome)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_flush(context);
        self.bounded(context, outcome)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let outcome = Pin::new(&mut self.stream).poll_shutdown(context);
        self.bounded(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, buffers);
        self.bounded(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
