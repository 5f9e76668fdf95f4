//! Passes keys and values to a thread that builds something from them.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Scope, ScopedJoinHandle};

use crate::IndexError;

/// Keys in a batch.
const BATCH: usize = 4096;
/// Batches that wait for the thread.
const WAITING: usize = 4;

/// The sending end. The thread's result is a `T`.
pub(super) struct Handover<'scope, T> {
    batch: Batch,
    full: SyncSender<Batch>,
    thread: ScopedJoinHandle<'scope, Result<T, IndexError>>,
}

/// The receiving end.
pub(super) struct Entries(Receiver<Batch>);

/// Concatenated keys, with the end and the value of each.
#[derive(Default)]
struct Batch {
    keys: Vec<u8>,
    entries: Vec<(usize, u64)>,
}

impl<'scope, T: Send + 'scope> Handover<'scope, T> {
    /// Starts the thread that runs `work`.
    pub(super) fn start<'env>(
        scope: &'scope Scope<'scope, 'env>,
        work: impl FnOnce(Entries) -> Result<T, IndexError> + Send + 'scope,
    ) -> Self {
        let (full, batches) = sync_channel(WAITING);
        Self { batch: Batch::default(), full, thread: scope.spawn(move || work(Entries(batches))) }
    }

    /// Sends a key and its value.
    pub(super) fn push(&mut self, key: &[u8], value: u64) {
        self.batch.keys.extend_from_slice(key);
        self.batch.entries.push((self.batch.keys.len(), value));
        if self.batch.entries.len() == BATCH {
            self.send();
        }
    }

    /// Waits for the thread's result or error.
    pub(super) fn finish(mut self) -> Result<T, IndexError> {
        self.send();
        drop(self.full);
        crate::join(self.thread)
    }

    fn send(&mut self) {
        // If the thread ended early, `finish` returns its error.
        let _ = self.full.send(std::mem::take(&mut self.batch));
    }
}

impl Entries {
    /// Calls `take` with each key and its value, in the order of sending.
    pub(super) fn each<E>(self, mut take: impl FnMut(&[u8], u64) -> Result<(), E>) -> Result<(), E> {
        for batch in self.0 {
            let mut start = 0;
            for (end, value) in batch.entries {
                take(batch.keys.get(start..end).unwrap_or_default(), value)?;
                start = end;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_arrive_in_order_and_errors_come_back() {
        let count = 3 * BATCH as u64 + 7;
        let give = |until: u64| {
            std::thread::scope(|scope| {
                let mut handover = Handover::start(scope, move |entries| {
                    let mut taken = Vec::new();
                    entries.each(|key, value| {
                        taken.push((String::from_utf8_lossy(key).into_owned(), value));
                        if value < until { Ok(()) } else { Err(IndexError::Cancelled) }
                    })?;
                    Ok(taken)
                });
                (0..count).for_each(|value| handover.push(format!("{value:08}").as_bytes(), value));
                handover.finish()
            })
        };
        let expected: Vec<_> = (0..count).map(|value| (format!("{value:08}"), value)).collect();
        assert_eq!(give(u64::MAX).unwrap(), expected);
        // Sending works even though nothing is received any more.
        assert!(matches!(give(5), Err(IndexError::Cancelled)));
    }
}
