//! How questions are answered, tested from outside. All tests are one program, because each program
//! links every dependency of the crate.

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
mod over;
#[path = "../../../tests/skip.rs"]
mod skip;

mod agents;
mod anchor;
mod anchor_planners;
mod baselines;
mod bounds;
mod call_limits;
mod conversations;
mod costs;
mod countries;
mod damage;
mod described;
mod endpoint;
mod endpoint_tables;
mod examples;
mod explorers;
mod hostile;
mod hybrid;
mod hybrid_crag;
mod hybrid_published;
mod hybrid_router;
mod kerag;
mod kerag_planners;
mod kerag_steps;
mod kinds;
mod labels;
mod languages;
mod layers;
mod over_apis;
mod paths;
mod paths_learnt;
mod paths_orders;
mod pseudo;
mod pseudo_paths;
mod query;
mod query_or_path;
mod query_words;
mod settings;
mod several;
mod verify;
mod verify_programme;
mod verify_services;
mod words_that_change;

#[test]
fn every_file_of_tests_is_a_module_here() {
    listed::assert_listed(env!("CARGO_MANIFEST_DIR"), include_str!("all.rs"), &[]);
}
