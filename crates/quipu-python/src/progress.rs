//! Reports progress to a Python function.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use pyo3::prelude::*;
use quipu::WorkspaceProgress;
use quipu_graph::{ImportProgress, ImportStage};
use quipu_index::{DocumentProgress, VectorProgress};

/// Calls `progress(stage, done, total)`. If the function raises an exception, the work stops and
/// raises it.
pub(crate) struct Listener {
    function: Py<PyAny>,
    raised: Mutex<Option<PyErr>>,
    cancel: Arc<AtomicBool>,
}

impl Listener {
    pub(crate) fn new(function: Py<PyAny>, cancel: Arc<AtomicBool>) -> Arc<Self> {
        Arc::new(Self { function, raised: Mutex::new(None), cancel })
    }

    pub(crate) fn tell(&self, stage: &str, done: u64, total: Option<u64>) {
        // A thread of the work may outlive the interpreter.
        let told = Python::try_attach(|py| self.function.call1(py, (stage, done, total)).map(drop));
        if let Some(Err(error)) = told {
            self.raised.lock().get_or_insert(error);
            self.cancel.store(true, Ordering::Relaxed);
        }
    }

    /// The exception that the function raised.
    pub(crate) fn raised(&self) -> Option<PyErr> {
        self.raised.lock().take()
    }
}

/// An import's stage, the part of it that is done, and the whole if it is known.
pub(crate) fn read(progress: &WorkspaceProgress) -> (&'static str, u64, Option<u64>) {
    let known = |total: u64| Some(total).filter(|total| *total > 0);
    match *progress {
        WorkspaceProgress::Source { done, total, .. } => ("source", done, known(total)),
        WorkspaceProgress::Graph(ImportProgress { stage, done, total, .. }) => {
            let stage = match stage {
                ImportStage::Reading => "reading",
                ImportStage::Merging => "merging",
                ImportStage::Sorting => "sorting",
                ImportStage::Writing => "writing",
                ImportStage::Summarising => "summarising",
            };
            (stage, done, total)
        }
        WorkspaceProgress::Names { done, total } => ("names", done, known(total)),
        WorkspaceProgress::Vectors(VectorProgress { done, total, .. }) => ("vectors", done, known(total)),
        WorkspaceProgress::Documents(DocumentProgress::Read { documents }) => ("documents", documents, None),
        WorkspaceProgress::Documents(DocumentProgress::Vectors(VectorProgress { done, total, .. })) => {
            ("passages", done, known(total))
        }
    }
}
