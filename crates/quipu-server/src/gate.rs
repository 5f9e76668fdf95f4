//! The door: so many at once, so many waiting, and a clear word to the rest.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{ApiError, Kind};

/// Most seconds that a client is told to wait.
const LONGEST_WAIT: f64 = 60.0;

/// Lets a bounded number in and a bounded number wait.
#[derive(Debug)]
pub(crate) struct Gate {
    permits: Arc<Semaphore>,
    size: usize,
    queue: usize,
    waiting: AtomicUsize,
    /// How long the work lately took, in seconds.
    usual: Arc<Mutex<f64>>,
}

/// The right to work; given back when dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    _permit: OwnedSemaphorePermit,
    since: Instant,
    usual: Arc<Mutex<f64>>,
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut usual = self.usual.lock();
        *usual = 0.8 * *usual + 0.2 * self.since.elapsed().as_secs_f64();
    }
}

/// Counts one who waits, for as long as they do.
struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Gate {
    pub(crate) fn new(size: usize, queue: usize) -> Self {
        let size = size.max(1);
        let permits = Arc::new(Semaphore::new(size));
        Self { permits, size, queue, waiting: AtomicUsize::new(0), usual: Arc::new(Mutex::new(1.0)) }
    }

    /// Comes in, after waiting `at_most` in the queue.
    ///
    /// # Errors
    /// 429 with a time to come back: the queue is full, or the wait was too long.
    pub(crate) async fn enter(&self, at_most: Duration) -> Result<Permit, ApiError> {
        let permit = match self.permits.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.wait(at_most).await?,
        };
        Ok(Permit { _permit: permit, since: Instant::now(), usual: self.usual.clone() })
    }

    async fn wait(&self, at_most: Duration) -> Result<OwnedSemaphorePermit, ApiError> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let _waiting = Waiting(&self.waiting);
        if before >= self.queue {
            return Err(self.busy("the server is busy and its queue is full; try again a little later"));
        }
        match tokio::time::timeout(at_most, self.permits.clone().acquire_owned()).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(self.busy("the server is busy: the time of this request was over before its turn came")),
        }
    }

    fn busy(&self, message: &str) -> ApiError {
        let ahead = self.waiting() + self.size;
        #[expect(clippy::cast_precision_loss, reason = "a queue of at most some thousands")]
        let wait = *self.usual.lock() * ahead as f64 / self.size as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1 and 60")]
        let seconds = wait.clamp(1.0, LONGEST_WAIT).ceil() as u64;
        ApiError::new(Kind::Busy, "server_busy", message).after(seconds)
    }

    /// How many wait.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// How many work.
    pub(crate) fn working(&self) -> usize {
        self.size.saturating_sub(self.permits.available_permits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_millis(5);
    const LATE: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn beyond_the_queue_one_is_sent_away() {
        let gate = Arc::new(Gate::new(1, 1));
        let inside = gate.enter(LATE).await.unwrap();
        let second = tokio::spawn({
            let gate = gate.clone();
            async move { gate.enter(LATE).await.is_ok() }
        });
        while gate.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        let refused = gate.enter(LATE).await.unwrap_err();
        assert_eq!((refused.kind, refused.code), (Kind::Busy, "server_busy"));
        assert!(refused.retry_after.is_some());
        drop(inside);
        assert!(second.await.unwrap());
        assert_eq!((gate.waiting(), gate.working()), (0, 0));
    }

    #[tokio::test]
    async fn waiting_has_an_end() {
        let gate = Gate::new(1, 5);
        let _inside = gate.enter(LATE).await.unwrap();
        assert_eq!(gate.enter(SOON).await.unwrap_err().kind, Kind::Busy);
        assert_eq!(gate.waiting(), 0);
    }
}
