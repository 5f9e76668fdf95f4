//! A large stack for deep recursion: parser, optimiser and evaluator recurse as deep as a query is
//! nested or chained, and a stack overflow ends the process.

use std::thread::{Builder, Scope};

use crate::GraphError;

/// Most bytes of a query. Each byte may nest it one level deeper, and reading nested patterns takes
/// quadratic time, up to seconds at this length.
pub(super) const LONGEST_QUERY: usize = 64 << 10;
/// Bytes of stack for such a query. Only touched pages take memory.
const STACK: usize = 256 << 20;

/// Runs `work` on a thread with a stack for the deepest allowed query.
///
/// # Errors
/// [`GraphError::Io`]: the system cannot start a thread.
pub(super) fn deeply<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, GraphError> {
    std::thread::scope(|scope| {
        let worker = spawn(scope, work)?;
        match worker.join() {
            Ok(value) => Ok(value),
            Err(reason) => std::panic::resume_unwind(reason),
        }
    })
}

/// Starts `work` on such a thread.
///
/// # Errors
/// As [`deeply`].
pub(super) fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Result<std::thread::ScopedJoinHandle<'scope, T>, GraphError> {
    let thread = Builder::new().name("sparql".into()).stack_size(STACK);
    thread.spawn_scoped(scope, work).map_err(|source| GraphError::Io {
        action: "cannot start a thread for",
        path: "<query>".into(),
        source,
    })
}
