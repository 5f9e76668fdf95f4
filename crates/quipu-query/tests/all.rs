//! Questions as queries, tested from outside. All tests are one program, because each program links
//! every dependency of the crate.

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
#[path = "../../quipu-graph/tests/servers/mod.rs"]
mod servers;
#[path = "../../../tests/skip.rs"]
mod skip;

mod answers;
mod at_servers;
mod bad_input;
mod beside_rows;
mod columns;
mod corners_of_sql;
mod groups;
mod in_words;
mod kinds_of_things;
mod large_tables;
mod many_classes;
mod mends;
mod nested_classes;
mod odd_graphs;
mod property;

#[test]
fn every_file_of_tests_is_a_module_here() {
    listed::assert_listed(env!("CARGO_MANIFEST_DIR"), include_str!("all.rs"), &[]);
}
