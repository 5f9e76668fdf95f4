//! Language models: named by Python, or a Python function.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use quipu::{FunctionModel, LanguageModel, Message, OpenOptions, Role, Settings};

/// The model for one question.
pub(crate) enum Model {
    /// The model of the settings.
    OfSettings,
    Named(String),
    Function(Arc<dyn LanguageModel>),
}

impl Model {
    /// Reads `None`, a name, or a function from messages (`{"role": ..., "content": ...}`) to a
    /// text.
    pub(crate) fn of(given: Option<Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(given) = given else { return Ok(Self::OfSettings) };
        if let Ok(name) = given.extract::<String>() {
            return Ok(Self::Named(name));
        }
        if !given.is_callable() {
            return Err(PyTypeError::new_err(
                "model: a name or a function from messages to a text is needed",
            ));
        }
        let name = given.getattr("__name__").and_then(|name| name.extract::<String>());
        let function = given.unbind();
        let model = FunctionModel::new(name.unwrap_or_else(|_| "function".to_owned()), move |messages| {
            Python::attach(|py| call(py, &function, messages)).map_err(|error| error.to_string())
        });
        Ok(Self::Function(Arc::new(model)))
    }
}

fn call(py: Python<'_>, function: &Py<PyAny>, messages: Vec<Message>) -> PyResult<String> {
    let list = PyList::empty(py);
    for Message { role, content } in messages {
        let message = PyDict::new(py);
        let role = match role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        message.set_item("role", role)?;
        message.set_item("content", content)?;
        list.append(message)?;
    }
    function.call1(py, (list,))?.extract(py)
}

/// Loaded models by name, so that the workspaces of a process share them.
static OPEN: Mutex<Option<HashMap<String, Weak<dyn LanguageModel>>>> = Mutex::new(None);

/// Loads the model of the settings; `None` if they say `none`.
pub(crate) async fn load(settings: &Settings) -> quipu::Result<Option<Arc<dyn LanguageModel>>> {
    let name = settings.llm.clone().unwrap_or_default();
    let known = OPEN.lock().as_ref().and_then(|open| open.get(&name)?.upgrade());
    if known.is_some() {
        return Ok(known);
    }
    let options = OpenOptions { keep_instructions: true, ..OpenOptions::default() };
    let model = quipu::load_model(settings, options).await?;
    if let Some(model) = &model {
        OPEN.lock().get_or_insert_default().insert(name, Arc::downgrade(model));
    }
    Ok(model)
}
