//! Background work that Python waits for, in a thread or in an event loop.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3_async_runtimes::tokio::{future_into_py, get_runtime};

use crate::errors::{QuipuError, UsageError, raised};

/// Interval of the checks for Python's signals, such as Ctrl-C.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

type Work = Pin<Box<dyn Future<Output = PyResult<String>> + Send>>;

/// Work that has not begun. It runs once: by `wait`, or by awaiting `start`.
#[pyclass(frozen, module = "quipu._quipu")]
pub(crate) struct Job {
    work: Mutex<Option<Work>>,
}

impl Job {
    pub(crate) fn new(work: impl Future<Output = quipu::Result<String>> + Send + 'static) -> Self {
        Self::raising(async move { work.await.map_err(|error| raised(&error)) })
    }

    /// A job that calls Python; an exception raised there becomes the job's own.
    pub(crate) fn raising(work: impl Future<Output = PyResult<String>> + Send + 'static) -> Self {
        Self { work: Mutex::new(Some(Box::pin(work))) }
    }

    fn take(&self) -> PyResult<Work> {
        self.work.lock().take().ok_or_else(|| UsageError::new_err("the result of this job was taken already"))
    }
}

#[pymethods]
impl Job {
    #[expect(clippy::redundant_closure_for_method_calls, reason = "the method alone is not general enough")]
    /// Does the work and returns its result as JSON. Other Python threads keep running; Ctrl-C
    /// stops the work.
    fn wait(&self, py: Python<'_>) -> PyResult<String> {
        let work = self.take()?;
        py.detach(|| {
            let mut task = get_runtime().spawn(work);
            get_runtime().block_on(async {
                loop {
                    tokio::select! {
                        biased;
                        done = &mut task => {
                            return done.unwrap_or_else(|_| Err(QuipuError::new_err(quipu::Error::Lost.to_string())));
                        }
                        () = tokio::time::sleep(LOOK) => {
                            if let Err(signal) = Python::attach(|py| py.check_signals()) {
                                task.abort();
                                return Err(signal);
                            }
                        }
                    }
                }
            })
        })
    }

    /// Returns an awaitable of the result. Cancelling it stops the work.
    fn start<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        future_into_py(py, self.take()?)
    }
}
