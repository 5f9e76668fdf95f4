//! Progress of an import, and its cancellation.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use quipu_graph::ImportProgress;

use crate::{DocumentProgress, IndexError, VectorProgress};

/// Names between two reports of progress and checks for cancellation.
pub(super) const NAMES_STEP: u64 = 4096;
/// Entities between two releases of the store's pages, which would count as this process's memory.
pub(super) const LET_GO_STEP: u64 = 64 * NAMES_STEP;
/// The progress of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkspaceProgress {
    /// An endpoint is being read.
    Source {
        /// The current step.
        what: String,
        /// The amount done.
        done: u64,
        /// The total; 0 if unknown.
        total: u64,
    },
    /// The graph is being imported.
    Graph(ImportProgress),
    /// Names are being indexed.
    Names {
        /// Entities done.
        done: u64,
        /// Entities in all.
        total: u64,
    },
    /// Names are being embedded and their vectors joined.
    Vectors(VectorProgress),
    /// Documents are being indexed.
    Documents(DocumentProgress),
}

/// Called at each step of progress, from any thread of the import.
pub type WorkspaceProgressSink = Arc<dyn Fn(WorkspaceProgress) + Send + Sync>;

pub(super) fn report(sink: Option<&WorkspaceProgressSink>, step: WorkspaceProgress) {
    if let Some(sink) = sink {
        sink(step);
    }
}

pub(super) fn stop_if(cancel: &AtomicBool) -> Result<(), IndexError> {
    if cancel.load(Ordering::Relaxed) { Err(IndexError::Cancelled) } else { Ok(()) }
}
