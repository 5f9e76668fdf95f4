//! Room for deep recursion: parser, optimiser and evaluator go as deep as a query is nested or chained, and a stack that is used up ends the process.

use std::thread::{Builder, Scope};

use crate::GraphError;

/// Bytes of a query. Each may nest it deeper once, and reading what is nested takes time in the square of it, up to seconds; a longer one is
/// refused.
pub(super) const LONGEST_QUERY: usize = 64 << 10;
/// Bytes of stack for that, of which only what is touched takes memory.
const STACK: usize = 256 << 20;

/// Runs `work` on a thread with a stack for the deepest query.
///
/// # Errors
/// [`GraphError::Io`]: the system gives no thread.
pub(super) fn deeply<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, GraphError> {
    std::thread::scope(|scope| {
        let worker = spawn(scope, work)?;
        match worker.join() {
            Ok(value) => Ok(value),
            Err(reason) => std::panic::resume_unwind(reason),
        }
    })
}

/// Begins `work` on such a thread.
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
