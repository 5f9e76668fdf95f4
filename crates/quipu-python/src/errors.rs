//! The library's errors as Python's exceptions.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use quipu::ErrorClass;
use quipu_graph::GraphError;

create_exception!(quipu, QuipuError, PyException, "Any failure that Quipu reports.");
create_exception!(quipu, UsageError, QuipuError, "Invalid arguments, settings, SPARQL or SQL.");
create_exception!(quipu, NotFoundError, QuipuError, "No entity has this name or a similar one.");
create_exception!(
    quipu,
    WorkspaceError,
    QuipuError,
    "A folder that is not a workspace, is damaged or busy, or a file that cannot be read or written."
);
create_exception!(
    quipu,
    DataError,
    QuipuError,
    "A file to import that breaks its own format; the message has the line."
);
create_exception!(quipu, EndpointError, QuipuError, "A SPARQL endpoint or an API that fails.");
create_exception!(quipu, ModelError, QuipuError, "A language model or an embedder that fails.");
create_exception!(
    quipu,
    ModelMissingError,
    ModelError,
    "A model that is not on this machine; `quipu.pull_model(NAME)` fetches it."
);

/// The exception for an error.
pub(crate) fn raised(error: &quipu::Error) -> PyErr {
    let message = error.to_string();
    match error {
        quipu::Error::Usage(_)
        | quipu::Error::Settings { .. }
        | quipu::Error::Model(quipu_model::ModelError::Usage(_))
        | quipu::Error::Graph(GraphError::Usage(_)) => UsageError::new_err(message),
        quipu::Error::NotFound(_) => NotFoundError::new_err(message),
        quipu::Error::Sources(_) => WorkspaceError::new_err(message),
        quipu::Error::Model(_) if error.is_missing_model() => ModelMissingError::new_err(message),
        quipu::Error::Model(_) => ModelError::new_err(message),
        quipu::Error::Graph(GraphError::Malformed { .. } | GraphError::Empty) => DataError::new_err(message),
        quipu::Error::Graph(GraphError::Endpoint { .. }) => EndpointError::new_err(message),
        quipu::Error::Graph(_) | quipu::Error::Index(_) if error.class() != ErrorClass::Cancelled => {
            WorkspaceError::new_err(message)
        }
        _ => QuipuError::new_err(message),
    }
}
