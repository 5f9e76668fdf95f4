//! Limits on the requests at once and on the requests a minute.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);

/// Lets requests through as the limits allow.
pub(crate) struct Budget {
    permits: Semaphore,
    per_minute: usize,
    /// Start times of the last minute's requests, including those still waiting.
    starts: Mutex<VecDeque<Instant>>,
}

impl Budget {
    /// `per_minute` 0: no limit.
    pub(crate) fn new(concurrency: usize, per_minute: usize) -> Self {
        Self { permits: Semaphore::new(concurrency.max(1)), per_minute, starts: Mutex::default() }
    }

    /// Waits for a turn. The turn lasts as long as the permit.
    pub(super) async fn acquire(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed.
        let permit = self.permits.acquire().await.ok();
        if self.per_minute > 0 {
            let start = self.reserve(Instant::now());
            tokio::time::sleep_until(start).await;
        }
        permit
    }

    /// The earliest time at which the request stays within the limit a minute.
    fn reserve(&self, now: Instant) -> Instant {
        let mut starts = self.starts.lock();
        let start = match starts.len() >= self.per_minute {
            true => starts.pop_front().map_or(now, |oldest| (oldest + MINUTE).max(now)),
            false => now,
        };
        starts.push_back(start);
        start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_minute_has_more_than_its_share() {
        let (budget, now) = (Budget::new(8, 3), Instant::now());
        let starts: Vec<Instant> = (0..10).map(|_| budget.reserve(now)).collect();
        assert!(starts.iter().take(3).all(|start| *start == now));
        for window in starts.windows(4) {
            assert!(window[3] - window[0] >= MINUTE);
        }
        let later = now + 10 * MINUTE;
        assert_eq!(budget.reserve(later), later);
    }
}
