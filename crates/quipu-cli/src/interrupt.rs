//! Ctrl-C.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use tokio::runtime::Handle;

use crate::failure::Interrupted;

/// How long work may clean up after Ctrl-C. The next import removes what an import then leaves.
const CLEARING_UP: Duration = Duration::from_secs(3);

/// Runs `work` until it is done or the user presses Ctrl-C, which drops it.
pub(crate) async fn or_interrupted<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    tokio::select! {
        result = work => result,
        signal = tokio::signal::ctrl_c() => {
            signal?;
            Err(Interrupted.into())
        }
    }
}

/// Ends when the user presses Ctrl-C, or the system asks the program to stop.
pub(crate) async fn told_to_stop() {
    // Without signals, only the end of the process stops the work.
    #[cfg(unix)]
    if let Ok(mut terminate) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = terminate.recv() => return,
            signal = tokio::signal::ctrl_c() => if signal.is_ok() { return },
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Runs blocking `work` on a thread of its own. Ctrl-C sets `cancel`, and the work gets
/// [`CLEARING_UP`] to end.
pub(crate) async fn stoppable<T, E>(
    cancel: Arc<AtomicBool>,
    work: impl FnOnce(Handle) -> Result<T, E> + Send + 'static,
) -> Result<T>
where
    T: Send + 'static,
    E: std::error::Error + Send + Sync + 'static,
{
    let handle = Handle::current();
    let mut task = tokio::task::spawn_blocking(move || work(handle));
    tokio::select! {
        outcome = &mut task => Ok(outcome.context("the work ended without a result; this is a bug in Quipu")??),
        signal = tokio::signal::ctrl_c() => {
            signal?;
            cancel.store(true, Ordering::Relaxed);
            // Its outcome does not matter, because the user interrupted it.
            let _ = tokio::time::timeout(CLEARING_UP, task).await;
            Err(Interrupted.into())
        }
    }
}
