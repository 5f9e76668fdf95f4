//! Counts the requests that one piece of work sends to endpoints and APIs. Several questions share
//! one client, so the client's own count would not do.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

tokio::task_local! {
    static COUNTER: Arc<AtomicU64>;
}

/// Runs `work`. Every request of graphs for it, retries included, adds one to `counter`. Cached
/// replies count as none. Tasks that `work` spawns are not counted.
pub async fn counting_requests<F: Future>(counter: Arc<AtomicU64>, work: F) -> F::Output {
    COUNTER.scope(counter, work).await
}

/// Counts one more request.
pub(crate) fn count_request() {
    // Outside of a scope there is no counter.
    let _ = COUNTER.try_with(|counter| counter.fetch_add(1, Ordering::Relaxed));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_work_counts_its_own() {
        let counters = [0, 1].map(|_| Arc::new(AtomicU64::new(0)));
        let work = |times: u64| async move {
            for _ in 0..times {
                count_request();
                tokio::task::yield_now().await;
            }
        };
        let [first, second] = counters.clone();
        tokio::join!(counting_requests(first, work(3)), counting_requests(second, work(5)));
        count_request();
        assert_eq!(counters.map(|counter| counter.load(Ordering::Relaxed)), [3, 5]);
    }
}
