//! External tests of graphs, stores and sources. They form one program, because each program links
//! all dependencies of the crate.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test fails by panicking, its set-up too"
)]

mod apis;
mod common;
mod endpoints;
#[path = "../../../tests/listed.rs"]
mod listed;
mod servers;
#[path = "../../../tests/skip.rs"]
mod skip;
mod suite;
mod w3c;

mod any_bytes;
mod api;
mod bombs;
mod conformance;
mod cut;
mod damage;
mod differential;
mod endpoint_failures;
mod endpoint_limits;
mod endpoint_servers;
mod entities;
mod formats;
mod malformed;
mod naming;
mod old_formats;
mod random_graphs;
mod sparql;
mod sparql_suite;
mod tables;

#[test]
fn every_file_of_tests_is_a_module_here() {
    listed::assert_listed(env!("CARGO_MANIFEST_DIR"), include_str!("all.rs"), &["processes"]);
}
