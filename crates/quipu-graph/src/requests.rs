//! How many requests a piece of work sends to endpoints and APIs, counted for that work alone: several questions share one client.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

tokio::task_local! {
    static COUNTER: Arc<AtomicU64>;
}

/// Runs `work`; every request that graphs send for it, repeated ones too, adds one to `counter`. Replies taken from a cache cost none.
/// What `work` spawns as a task of its own is not counted.
pub async fn counting_requests<F: Future>(counter: Arc<AtomicU64>, work: F) -> F::Output {
    COUNTER.scope(counter, work).await
}

/// One more request, for whoever counts.
pub(crate) fn count_request() {
    // Nobody counts outside of a scope.
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
