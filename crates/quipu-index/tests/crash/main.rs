//! The state of a workspace after its file operations or its allocations fail or its process is
//! killed: either the state before the command or the state after, never a third. Repeating the
//! command gives the state after, without leftovers.
//!
//! The program runs itself for each command, with a fault at one of the command's file operations
//! (`faults.rs`) or allocations (`allocations.rs`), or killed at a random moment. This test tries a
//! few of each; `make crash` tries every file operation and N random moments (`QUIPU_CRASH=N`), and
//! about N allocations (`QUIPU_CRASH_ALLOCATIONS=N`). The random moments and allocations follow
//! from a seed that each run prints; `QUIPU_CRASH_SEED` repeats it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[cfg(target_os = "linux")]
mod allocations;
#[cfg(target_os = "linux")]
mod commands;
#[cfg(target_os = "linux")]
mod endpoint;
#[cfg(target_os = "linux")]
mod faults;
#[cfg(target_os = "linux")]
mod runs;

#[cfg(target_os = "linux")]
fn main() {
    runs::main();
}

#[cfg(not(target_os = "linux"))]
#[path = "../../../../tests/skip.rs"]
mod skip;

#[cfg(not(target_os = "linux"))]
fn main() {
    skip::skip("the crash harness knows the file operations of Linux only");
}
