//! Progress and cancellation, shared by the threads of an import.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::config::{ImportConfig, ImportProgress, ImportStage};
use crate::GraphError;

/// Time between two reports of progress.
const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// Progress and cancellation of one import.
pub(super) struct Watch<'a> {
    config: &'a ImportConfig,
    /// Set when a thread has failed, so that the others stop.
    failed: AtomicBool,
    reported: Mutex<Option<(ImportStage, Instant)>>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(config: &'a ImportConfig) -> Self {
        Self { config, failed: AtomicBool::new(false), reported: Mutex::new(None) }
    }

    /// Fails if the import must stop.
    pub(crate) fn check(&self) -> Result<(), GraphError> {
        if self.config.cancel.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed) {
            Err(GraphError::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Makes the other threads stop after this thread's error.
    pub(super) fn stop_on_error<T>(&self, outcome: &Result<T, GraphError>) {
        if outcome.is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
    }

    /// Reports progress, at most ten times a second for each stage.
    pub(crate) fn report(&self, stage: ImportStage, done: u64, total: Option<u64>, triples: u64) {
        let Some(progress) = &self.config.progress else { return };
        let Some(mut reported) = self.reported.try_lock() else { return };
        let due = match *reported {
            Some((last, at)) => last != stage || at.elapsed() >= BETWEEN_REPORTS,
            None => true,
        };
        if due {
            *reported = Some((stage, Instant::now()));
            progress(ImportProgress { stage, done, total, triples });
        }
    }
}
