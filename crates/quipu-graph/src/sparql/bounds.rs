//! What bounds an evaluation from within: a flag that ends it, and a count of what it holds.
//!
//! The evaluator looks at its token only where it reads the store, and knows no bound of memory. But joins, sorts, groups and sets are all made of
//! copies of terms, and terms are ours: every new one and every copy looks at the flag and is counted, every drop is counted off. What is too much
//! unwinds to [`within`]. It does so without a panic: no message, no hook.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// The flag of the evaluation on this thread.
    static FLAG: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
    /// Bytes that it holds, as far as they are counted; those it may hold; those that one term stands for.
    static HELD: Cell<u64> = const { Cell::new(0) };
    static MOST: Cell<u64> = const { Cell::new(u64::MAX) };
    static TERM: Cell<u64> = const { Cell::new(0) };
}

/// Why an evaluation was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The flag was set.
    Stopped,
    /// It held more than it may.
    Memory,
    /// A function made a text longer than one may be.
    LongText,
}

/// The bounds of one evaluation.
pub(super) struct Bounds {
    /// Ends it when set.
    pub(super) stopped: Arc<AtomicBool>,
    /// Bytes that it may hold.
    pub(super) memory: Option<u64>,
    /// Values that one solution may have: the query's variables.
    pub(super) width: usize,
}

/// Bytes of a value of a solution, and of a solution that holds but one: lists, tables and allocators round up.
const VALUE: u64 = 16;
const SOLUTION: u64 = 64;

/// Runs an evaluation within bounds.
///
/// # Errors
/// What ended it.
pub(super) fn within<T>(bounds: Bounds, evaluate: impl FnOnce() -> T) -> Result<T, Ended> {
    FLAG.set(Some(bounds.stopped));
    HELD.set(0);
    MOST.set(bounds.memory.unwrap_or(u64::MAX));
    // A solution has room for all variables, however few are bound: the worst is one term for all of that room.
    TERM.set((VALUE * bounds.width as u64).max(SOLUTION));
    // What is half done is dropped with the evaluation: nothing of it is seen again.
    let outcome: Result<T, Box<dyn Any + Send>> = catch_unwind(AssertUnwindSafe(evaluate));
    FLAG.set(None);
    MOST.set(u64::MAX);
    outcome.map_err(|reason| match reason.downcast::<Ended>() {
        Ok(ended) => *ended,
        Err(reason) => resume_unwind(reason),
    })
}

/// Ends the evaluation on this thread.
pub(super) fn end(ended: Ended) {
    // While another unwinding is under way, its own outcome counts.
    if !std::thread::panicking() {
        resume_unwind(Box::new(ended));
    }
}

/// Counts what the evaluation holds from now on; ends it when that is too much, or when it is to stop.
pub(super) fn hold(bytes: u64) {
    let held = HELD.get().saturating_add(bytes);
    HELD.set(held);
    if held > MOST.get() {
        end(Ended::Memory);
    }
    if FLAG.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))) {
        end(Ended::Stopped);
    }
}

fn let_go(bytes: u64) {
    HELD.set(HELD.get().saturating_sub(bytes));
}

/// Stands in every term, and is counted with it.
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

/// All are alike: terms are equal by what they are.
impl PartialEq for Counted {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Counted {}

impl Hash for Counted {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

/// Something with texts of its own, which are counted as long as it is there.
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
