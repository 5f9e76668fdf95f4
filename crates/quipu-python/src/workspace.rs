//! Workspaces, as Python opens, imports and queries them.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pyo3::prelude::*;
use quipu::{Error, QueryOptions, Settings, Workspace};
use quipu_model::{PullProgress, PullStep, Registry};
use serde::Deserialize;

use crate::ask::{Ask, Asked, read_json, written};
use crate::errors::{QuipuError, raised};
use crate::job::{Job, LOOK};
use crate::model::Model;
use crate::progress::{Listener, read};

/// An opened workspace, with further ones that answer the same questions.
#[pyclass(frozen, name = "Workspace", module = "quipu._quipu")]
pub(crate) struct NativeWorkspace {
    asked: Arc<Asked>,
}

impl NativeWorkspace {
    fn first(&self) -> Workspace {
        self.asked.sources.first().clone()
    }
}

#[pymethods]
impl NativeWorkspace {
    #[new]
    #[pyo3(signature = (path, sources, model, embedder, method))]
    #[expect(clippy::needless_pass_by_value, reason = "Python hands over values")]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        sources: Vec<PathBuf>,
        model: Option<String>,
        embedder: Option<String>,
        method: Option<String>,
    ) -> PyResult<Self> {
        let flags = Settings { llm: model, embedder, method, ..Settings::default() };
        let asked = py.detach(|| Asked::open(&path, &sources, flags)).map_err(|error| raised(&error))?;
        Ok(Self { asked })
    }

    #[getter]
    fn path(&self) -> PathBuf {
        self.asked.sources.first().folder().to_owned()
    }

    #[getter]
    fn name(&self) -> String {
        self.asked.sources.first().name().to_owned()
    }

    fn info(&self) -> PyResult<String> {
        written(&self.asked.sources.first().info()).map_err(|error| raised(&error))
    }

    /// Asks a question; `how` holds the options as JSON.
    fn ask(&self, question: String, how: &str, model: Option<Bound<'_, PyAny>>) -> PyResult<Job> {
        let ask: Ask = read_json(how).map_err(|error| raised(&error))?;
        let (asked, model) = (self.asked.clone(), Model::of(model)?);
        Ok(Job::new(async move { asked.ask(&question, ask, model).await }))
    }

    fn query(&self, sparql: String, timeout: Option<f64>) -> PyResult<Job> {
        let workspace = self.first();
        let options = QueryOptions { timeout: seconds(timeout)?, ..QueryOptions::default() };
        Ok(Job::new(async move { written(&workspace.query(&sparql, &options).await?) }))
    }

    fn sql(&self, sql: String, timeout: f64) -> PyResult<Job> {
        let workspace = self.first();
        let timeout = seconds(Some(timeout))?.unwrap_or(Duration::MAX);
        Ok(Job::new(async move { written(&workspace.sql(&sql, timeout).await?) }))
    }

    fn tables(&self, question: Option<String>) -> Job {
        let workspace = self.first();
        Job::new(async move { written(&workspace.tables(question.as_deref(), usize::MAX).await?.0) })
    }

    fn entity(&self, name_or_key: String) -> Job {
        let workspace = self.first();
        Job::new(async move { written(&workspace.entity(&name_or_key).await?) })
    }

    fn entities(&self, text: String, most: usize) -> Job {
        let workspace = self.first();
        Job::new(async move { written(&workspace.entities(&text, most).await?) })
    }
}

fn seconds(timeout: Option<f64>) -> PyResult<Option<Duration>> {
    let wrong = || Error::Usage("timeout: seconds are needed, 0 or more".into());
    let read = |seconds| Duration::try_from_secs_f64(seconds).map_err(|_| raised(&wrong()));
    timeout.map(read).transpose()
}

/// The options of an import, as the package writes them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ImportWords {
    path: PathBuf,
    files: Vec<PathBuf>,
    format: String,
    profile: String,
    languages: Vec<String>,
    lenient: bool,
    embeddings: bool,
}

/// Imports files; `how` holds the options as JSON.
#[pyfunction]
pub(crate) fn import_workspace(how: &str, progress: Option<Py<PyAny>>) -> PyResult<Job> {
    let how: ImportWords = read_json(how).map_err(|error| raised(&error))?;
    let import = Workspace::import(how.path).files(how.files).format(how.format);
    let import = import.profile(how.profile).languages(how.languages).lenient(how.lenient);
    let import = if how.embeddings { import } else { import.without_vectors() };
    let Some(function) = progress else {
        return Ok(Job::new(async move { written(&import.run().await?.report.triples) }));
    };
    let listener = Listener::new(function, import.cancel());
    let told = listener.clone();
    let import = import.progress(Arc::new(move |step| {
        let (stage, done, total) = read(&step);
        told.tell(stage, done, total);
    }));
    Ok(Job::raising(async move {
        let outcome = import.run().await.and_then(|imported| written(&imported.report.triples));
        match listener.raised() {
            Some(raised) => Err(raised),
            None => outcome.map_err(|error| raised(&error)),
        }
    }))
}

/// Fetches a model unless it is present, and returns its path. If it is stopped, the fetched part
/// is kept for the next attempt.
#[pyfunction]
pub(crate) fn pull_model(name: String, progress: Option<Py<PyAny>>) -> Job {
    let cancel = Arc::new(AtomicBool::new(false));
    let listener = progress.map(|function| Listener::new(function, cancel.clone()));
    Job::raising(async move {
        let stopped = async {
            while !cancel.load(Ordering::Relaxed) {
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::select! {
            pulled = pull(&name, listener.as_deref()) => pulled.map_err(|error| raised(&error)),
            () = stopped => {
                let raised = listener.as_ref().and_then(|listener| listener.raised());
                Err(raised.unwrap_or_else(|| QuipuError::new_err("interrupted")))
            }
        }
    })
}

async fn pull(name: &str, listener: Option<&Listener>) -> quipu::Result<String> {
    let registry = Registry::open()?;
    let tell = |step: PullProgress<'_>| {
        if let Some(listener) = listener {
            let stage = match step.step {
                PullStep::Fetching => "fetching",
                PullStep::Verifying => "verifying",
                PullStep::Done => "done",
            };
            listener.tell(stage, step.done, Some(step.total));
        }
    };
    written(&registry.pull(name, &tell).await?)
}
