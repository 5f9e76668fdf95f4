//! Stopping an evaluation between two reads of the store: joins of what was read already copy terms, and every copy looks at the flag.
//!
//! The evaluator has no way to stop there, so a copy unwinds to [`unless_stopped`]. It does so without a panic: no message, no hook.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// The flag of the evaluation on this thread.
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// What unwinds.
struct Stopped;

/// Unwinds when the evaluation on this thread is to stop.
pub(super) fn look() {
    let stopped = FLAG.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)));
    // While another unwinding is under way, its own outcome counts.
    if stopped && !std::thread::panicking() {
        resume_unwind(Box::new(Stopped));
    }
}

/// Runs an evaluation; `None` when `flag` stopped it.
pub(super) fn unless_stopped<T>(flag: Arc<AtomicBool>, evaluate: impl FnOnce() -> T) -> Option<T> {
    FLAG.set(Some(flag));
    // What is half done is dropped with the evaluation: nothing of it is seen again.
    let outcome: Result<T, Box<dyn Any + Send>> = catch_unwind(AssertUnwindSafe(evaluate));
    FLAG.set(None);
    match outcome {
        Ok(value) => Some(value),
        Err(reason) if reason.is::<Stopped>() => None,
        Err(reason) => resume_unwind(reason),
    }
}
