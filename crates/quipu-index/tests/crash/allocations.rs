//! The allocations of this program, of which the Nth fails. All Rust code allocates here, libraries
//! included. C and C++ code (usearch's graph) does not: it calls `malloc` itself.
//!
//! A failed allocation mostly ends the process (`handle_alloc_error`). Code that reserves by
//! `try_reserve`, as the standard library does when it reads a whole file, gets an error.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Bytes from which an allocation counts as a buffer. Nodes, names and small vectors stay below,
/// so that the few allocations that take much memory are not lost among them.
pub const BUFFER: usize = 4 << 10;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static COUNTING: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicU64 = AtomicU64::new(0);
// Atomic numbers: a lock might allocate, or be held by the thread that allocates.
static LEAST_BYTES: AtomicUsize = AtomicUsize::new(0);
static FIRST: AtomicU64 = AtomicU64::new(0);
static LAST: AtomicU64 = AtomicU64::new(0);

/// Counts allocations of at least this many bytes from now on. The one numbered `at`, from 1,
/// fails (0: none does), and all later ones if `lasting`.
pub fn begin(least_bytes: usize, at: u64, lasting: bool) {
    LEAST_BYTES.store(least_bytes, Ordering::SeqCst);
    FIRST.store(if at == 0 { u64::MAX } else { at }, Ordering::SeqCst);
    LAST.store(if lasting { u64::MAX } else { at }, Ordering::SeqCst);
    COUNTING.store(true, Ordering::SeqCst);
}

/// Ends counting; returns the number of allocations.
pub fn end() -> u64 {
    COUNTING.store(false, Ordering::SeqCst);
    CALLS.load(Ordering::SeqCst)
}

/// Whether the current allocation fails.
fn fails(bytes: usize) -> bool {
    if !COUNTING.load(Ordering::Relaxed) || bytes < LEAST_BYTES.load(Ordering::Relaxed) {
        return false;
    }
    let call = CALLS.fetch_add(1, Ordering::Relaxed) + 1;
    (FIRST.load(Ordering::Relaxed)..=LAST.load(Ordering::Relaxed)).contains(&call)
}

struct Counting;

// SAFETY: each call goes to the system's allocator unchanged, or returns null, which tells of a
// failure. Nothing here allocates or panics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if fails(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's layout, as the system's allocator expects it.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if fails(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: as in `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // The block stays valid then.
        if fails(bytes) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's block comes from the system's allocator, with this layout.
        unsafe { System.realloc(block, layout, bytes) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as in `realloc`.
        unsafe { System.dealloc(block, layout) }
    }
}
