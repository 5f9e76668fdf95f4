//! Bounds an evaluation by time and memory, although the evaluator itself has neither bound.
//!
//! The evaluator checks its cancellation token only when it reads the store, and has no memory
//! limit. But joins, sorts, groups and sets copy terms, and the terms are ours. Every new term and
//! every copy checks the stop flag and is counted; every drop is subtracted.
//!
//! An evaluation ends in two steps. First, its next read of the store and its next result become
//! errors ([`goes_on`]), so that it returns by itself. If it makes [`PATIENCE`] further terms
//! without a read, or holds a quarter more than its memory, it is unwound to [`within`], without a
//! panic's message or hook. Products and sorts of rows already read need this: the evaluator has
//! no other place to stop them. A child process could be killed instead, but a library cannot
//! start its own program again.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::GraphError;

/// Terms that an evaluation may still make after it was told to end, before it is unwound.
const PATIENCE: u32 = 50_000;

thread_local! {
    /// The flag of the evaluation on this thread.
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
    /// Counted bytes that it holds.
    static HELD: Cell<u64> = const { Cell::new(0) };
    /// Most bytes that it may hold.
    static MOST: Cell<u64> = const { Cell::new(u64::MAX) };
    /// Bytes that one term counts for.
    static TERM: Cell<u64> = const { Cell::new(0) };
    /// The reason why it was told to end.
    static TOLD: Cell<Option<Ended>> = const { Cell::new(None) };
    /// Terms that it made since then.
    static SINCE: Cell<u32> = const { Cell::new(0) };
}

// With `panic = "abort"`, unwinding would end the whole process for one query.
#[cfg(panic = "abort")]
compile_error!("quipu-graph ends queries by unwinding: build it with panic = \"unwind\"");

/// Why an evaluation was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The flag was set.
    Stopped,
    /// It held more bytes than allowed.
    Memory,
    /// A function made a text longer than allowed.
    LongText,
}

/// The limits of one evaluation.
pub(super) struct Bounds {
    /// Ends it when set.
    pub(super) stopped: Arc<AtomicBool>,
    /// Bytes that it may hold.
    pub(super) memory: Option<u64>,
    /// Number of the query's variables: the most values of one solution.
    pub(super) width: usize,
}

/// Bytes of one value of a solution.
const VALUE: u64 = 16;
/// Bytes of a solution with a single value: lists, tables and allocators round up.
const SOLUTION: u64 = 64;

/// Runs an evaluation within its bounds.
///
/// # Errors
/// The reason why it was ended.
pub(super) fn within<T>(bounds: Bounds, evaluate: impl FnOnce() -> T) -> Result<T, Ended> {
    FLAG.set(Some(bounds.stopped));
    HELD.set(0);
    MOST.set(bounds.memory.unwrap_or(u64::MAX));
    // A solution has room for all variables, however few are bound. The worst case is a single term
    // in that room.
    TERM.set((VALUE * bounds.width as u64).max(SOLUTION));
    TOLD.set(None);
    SINCE.set(0);
    // Unwind safety: everything that the evaluation changed is dropped with it.
    let outcome: Result<T, Box<dyn Any + Send>> = catch_unwind(AssertUnwindSafe(evaluate));
    FLAG.set(None);
    MOST.set(u64::MAX);
    let told = TOLD.take();
    match outcome {
        // A result returned after it was told to end may be incomplete.
        Ok(value) => told.map_or(Ok(value), Err),
        Err(reason) => match reason.downcast::<Ended>() {
            Ok(ended) => Err(*ended),
            Err(reason) => resume_unwind(reason),
        },
    }
}

/// Tells the evaluation on this thread to end. The first reason is kept.
pub(super) fn end(ended: Ended) {
    if TOLD.get().is_none() {
        TOLD.set(Some(ended));
    }
}

/// Checks whether the evaluation may continue, wherever it can end by an error.
///
/// # Errors
/// [`GraphError::Cancelled`] if it was told to end; [`within`] returns the reason.
pub(super) fn goes_on() -> Result<(), GraphError> {
    TOLD.get().map_or(Ok(()), |_| Err(GraphError::Cancelled))
}

/// Counts bytes that the evaluation holds from now on. Tells it to end if they are too many, or if
/// the stop flag is set.
pub(super) fn hold(bytes: u64) {
    let (held, most) = (HELD.get().saturating_add(bytes), MOST.get());
    HELD.set(held);
    if held > most {
        end(Ended::Memory);
    }
    if FLAG.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))) {
        end(Ended::Stopped);
    }
    let Some(ended) = TOLD.get() else { return };
    let since = SINCE.get().saturating_add(1);
    SINCE.set(since);
    let deaf = since > PATIENCE || held > most.saturating_add(most / 4);
    // A panic that is already unwinding must not be replaced.
    if deaf && !std::thread::panicking() {
        resume_unwind(Box::new(ended));
    }
}

fn let_go(bytes: u64) {
    HELD.set(HELD.get().saturating_sub(bytes));
}

/// A part of every term, which counts the term.
#[derive(Debug)]
pub(super) struct Counted;

impl Counted {
    pub(super) fn new() -> Self {
        hold(TERM.get());
        Self
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Self::new()
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let_go(TERM.get());
    }
}

/// All are equal, so that terms compare by their own values.
impl PartialEq for Counted {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Counted {}

impl Hash for Counted {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// A value whose texts are counted while it lives.
#[derive(Debug)]
pub(super) struct Texts<T> {
    pub(super) value: T,
    bytes: u64,
}

impl<T> Texts<T> {
    pub(super) fn new(value: T, bytes: usize) -> Self {
        hold(bytes as u64);
        Self { value, bytes: bytes as u64 }
    }
}

impl<T> Drop for Texts<T> {
    fn drop(&mut self) {
        let_go(self.bytes);
    }
}

impl<T: PartialEq> PartialEq for Texts<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Texts<T> {}

impl<T: Hash> Hash for Texts<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.value.hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(memory: Option<u64>) -> Bounds {
        Bounds { stopped: Arc::default(), memory, width: 1 }
    }

    /// Makes terms until a read fails or `most` exist. Also returns whether it returned by itself.
    fn evaluate(bounds: Bounds, most: usize, reads: bool) -> (Result<usize, Ended>, bool) {
        let mut returned = false;
        let outcome = within(bounds, || {
            let mut held = Vec::new();
            while held.len() < most && !(reads && goes_on().is_err()) {
                held.push(Counted::new());
            }
            returned = true;
            held.len()
        });
        (outcome, returned)
    }

    #[test]
    fn what_reads_ends_by_itself_and_what_does_not_is_unwound() {
        let memory = Some(100 * SOLUTION);
        assert_eq!(evaluate(bounds(memory), 100, true), (Ok(100), true));
        assert_eq!(evaluate(bounds(memory), 101, true), (Err(Ended::Memory), true));
        assert_eq!(evaluate(bounds(memory), 126, false), (Err(Ended::Memory), false));
        let stopped = || Bounds { stopped: Arc::new(AtomicBool::new(true)), ..bounds(None) };
        let patience = PATIENCE as usize;
        assert_eq!(evaluate(stopped(), patience + 1, true), (Err(Ended::Stopped), true));
        assert_eq!(evaluate(stopped(), patience, false), (Err(Ended::Stopped), true));
        assert_eq!(evaluate(stopped(), patience + 1, false), (Err(Ended::Stopped), false));
    }

    #[test]
    fn the_first_reason_counts_and_the_next_evaluation_knows_nothing_of_it() {
        let told = within(bounds(None), || {
            end(Ended::LongText);
            end(Ended::Memory);
            goes_on().is_err()
        });
        assert_eq!(told, Err(Ended::LongText));
        assert_eq!(within(bounds(None), || goes_on().is_ok()), Ok(true));
    }

    #[test]
    fn what_is_let_go_is_counted_off_and_a_panic_stays_one() {
        let held = within(bounds(Some(2 * SOLUTION)), || {
            (0..1000).map(|_| Counted::new()).filter(|term| *term == term.clone()).count()
        });
        assert_eq!(held, Ok(1000));
        let panicked = catch_unwind(|| within(bounds(None), || panic!("no end of ours")));
        assert!(panicked.is_err());
    }
}
