//! What is left of a workspace when its file operations fail or its process is killed: the state before or the state
//! after, never a third; and the same command once more gives the state after, with nothing left over.
//!
//! The program runs itself for each command, with a fault at one of the command's file operations (`faults.rs`), or
//! killed at a random moment. A few of the operations here; `make crash` (`QUIPU_CRASH=N`) takes every one of them, and
//! N random moments.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[cfg(target_os = "linux")]
mod commands;
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
