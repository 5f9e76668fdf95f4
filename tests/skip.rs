//! What a test does where something that it needs is not here. Shared by the tests of all crates.

#![allow(dead_code, reason = "each test uses its part of this")]

use std::io::Write;

/// Says that a test is skipped, past the capture of tests' output, so that the closing lines show
/// it. Where everything was set up before (`.ci/run` sets `QUIPU_ALL_TESTS`) it is a failure
/// instead.
pub fn skip(reason: &str) {
    assert!(std::env::var_os("QUIPU_ALL_TESTS").is_none(), "cannot be skipped here: {reason}");
    drop(writeln!(std::io::stderr(), "SKIPPED: {reason}"));
}

/// The same for data that stands beside this repository in one workplace only: a failure where its
/// folder is there without it.
pub fn skip_without(folder: &std::path::Path, reason: &str) {
    assert!(!folder.exists(), "{} is here, and yet: {reason}", folder.display());
    drop(writeln!(std::io::stderr(), "SKIPPED: {reason}"));
}
