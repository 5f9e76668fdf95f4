//! External tests of models. They form one program, because each program links all dependencies of
//! the crate.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, its set-up too"
)]

mod common;
#[path = "../../../tests/listed.rs"]
mod listed;

mod adapters;
mod embedders;
mod http;
mod local;
mod scripted;

#[test]
fn every_file_of_tests_is_a_module_here() {
    listed::assert_listed(env!("CARGO_MANIFEST_DIR"), include_str!("all.rs"), &[]);
}
