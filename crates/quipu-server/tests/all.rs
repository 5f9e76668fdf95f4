//! External tests of the server. They form one program, because each program links all dependencies
//! of the crate.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, its set-up too"
)]

#[path = "../../../tests/listed.rs"]
mod listed;
mod support;

mod api;
mod described;
mod door;
mod examples;
mod formats;
mod limits;
mod model_failures;
mod openai;
mod overview;
mod page;
mod plain;
mod planners;
mod readings;
mod ready;
mod responses;
mod rights;
mod surfaces;
mod telemetry;
mod turns;

#[test]
fn every_file_of_tests_is_a_module_here() {
    listed::assert_listed(env!("CARGO_MANIFEST_DIR"), include_str!("all.rs"), &[]);
}
