//! The command, tested from outside: one program, for each links all that the crate depends on.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, its set-up too"
)]

#[path = "../../quipu-graph/tests/apis/mod.rs"]
mod apis;
#[path = "../../../tests/listed.rs"]
mod listed;
#[path = "../../quipu-graph/tests/servers/mod.rs"]
mod servers;
#[path = "../../../tests/skip.rs"]
mod skip;
mod support;

mod api_sources;
mod asking;
mod circles;
mod cluster;
mod command_line;
mod documents;
mod evaluating;
mod first_run;
mod flood;
mod graph_commands;
mod importing;
mod open_world;
mod serving;
mod setting_up;
mod soak;
mod sources;
mod terminal;
mod tuning;
mod widths;

#[test]
fn every_file_of_tests_is_a_module_here() {
    listed::assert_listed(env!("CARGO_MANIFEST_DIR"), include_str!("all.rs"), &[]);
}
