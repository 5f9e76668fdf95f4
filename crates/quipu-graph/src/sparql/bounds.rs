//! Bounds an evaluation by time and memory, although the evaluator itself has neither bound.
//!
//! The evaluator checks its cancellation token only when it reads the store, and has no memory
//! limit. But joins, sorts, groups and sets copy terms, and the terms are ours. Every new term and
//! every copy is counted, and every 64th checks the stop flag; every drop is subtracted.
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

/// The flag is looked at each so many terms: it is slower to read than the counts.
const TERMS_BETWEEN_LOOKS: u32 = 64;

/// The counts of the evaluation on one thread.
struct Counts {
    /// Counted bytes that it holds.
    held: Cell<u64>,
    /// Most bytes that it may hold.
    most: Cell<u64>,
    /// Bytes that one term counts for.
    term: Cell<u64>,
    /// The reason why it was told to end.
    told: Cell<Option<Ended>>,
    /// Terms that it made since then.
    since: Cell<u32>,
    /// Terms until the next look at the flag.
    until_look: Cell<u32>,
}

thread_local! {
    /// The flag of the evaluation on this thread.
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
    static COUNTS: Counts = const {
        Counts {
            held: Cell::new(0),
            most: Cell::new(u64::MAX),
            term: Cell::new(0),
            told: Cell::new(None),
            since: Cell::new(0),
            until_look: Cell::new(0),
        }
    };
}

impl Counts {
    fn hold(&self, bytes: u64) {
        let held = self.held.get().saturating_add(bytes);
        self.held.set(held);
        let until_look = self.until_look.get();
        if until_look > 0 && held <= self.most.get() && self.told.get().is_none() {
            self.until_look.set(until_look - 1);
            return;
        }
        self.check(held);
    }

    #[cold]
    fn check(&self, held: u64) {
        self.until_look.set(TERMS_BETWEEN_LOOKS);
        let most = self.most.get();
        if held > most {
            self.end(Ended::Memory);
        }
        if FLAG.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))) {
            self.end(Ended::Stopped);
        }
        let Some(ended) = self.told.get() else { return };
        let since = self.since.get().saturating_add(1);
        self.since.set(since);
        let deaf = since > PATIENCE || held > most.saturating_add(most / 4);
        // A panic that is already unwinding must not be replaced.
        if deaf && !std::thread::panicking() {
            resume_unwind(Box::new(ended));
        }
    }

    fn end(&self, ended: Ended) {
        if self.told.get().is_none() {
            self.told.set(Some(ended));
        }
    }

    fn let_go(&self, bytes: u64) {
        self.held.set(self.held.get().saturating_sub(bytes));
    }
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
    COUNTS.with(|counts| {
        counts.held.set(0);
        counts.most.set(bounds.memory.unwrap_or(u64::MAX));
        // A solution has room for all variables, however few are bound. The worst case is a single
        // term in that room.
        counts.term.set((VALUE * bounds.width as u64).max(SOLUTION));
        counts.told.set(None);
        counts.since.set(0);
        counts.until_look.set(0);
    });
    // Unwind safety: everything that the evaluation changed is dropped with it.
    let outcome: Result<T, Box<dyn Any + Send>> = catch_unwind(AssertUnwindSafe(evaluate));
    FLAG.set(None);
    let told = COUNTS.with(|counts| {
        counts.most.set(u64::MAX);
        counts.told.take()
    });
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
    COUNTS.with(|counts| counts.end(ended));
}

/// Checks whether the evaluation may continue, wherever it can end by an error.
///
/// # Errors
/// [`GraphError::Cancelled`] if it was told to end; [`within`] returns the reason.
pub(super) fn goes_on() -> Result<(), GraphError> {
    COUNTS.with(|counts| counts.told.get()).map_or(Ok(()), |_| Err(GraphError::Cancelled))
}

/// Counts bytes that the evaluation holds from now on. Tells it to end if they are too many. Looks
/// at the stop flag from time to time, and tells it to end if the flag is set.
pub(super) fn hold(bytes: u64) {
    COUNTS.with(|counts| counts.hold(bytes));
}

fn let_go(bytes: u64) {
    COUNTS.with(|counts| counts.let_go(bytes));
}

/// A part of every term, which counts the term.
#[derive(Debug)]
pub(super) struct Counted;

impl Counted {
    pub(super) fn new() -> Self {
        COUNTS.with(|counts| counts.hold(counts.term.get()));
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
        COUNTS.with(|counts| counts.let_go(counts.term.get()));
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
