//! The extension module under the Python package: workspaces, questions, the command. It returns
//! JSON, which the package turns into typed values (`python/src/quipu`).

mod ask;
mod errors;
mod job;
mod model;
mod progress;
mod workspace;

use pyo3::prelude::*;

#[pymodule]
mod _quipu {
    use std::ffi::OsString;

    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::errors::{
        DataError, EndpointError, ModelError, ModelMissingError, NotFoundError, QuipuError, UsageError,
        WorkspaceError,
    };
    #[pymodule_export]
    use crate::job::Job;
    #[pymodule_export]
    use crate::workspace::{NativeWorkspace, import_workspace, pull_model};

    /// Runs the command line and returns its exit code.
    #[pyfunction]
    fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
        py.detach(|| quipu_cli::run(arguments))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
