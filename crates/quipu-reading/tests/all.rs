//! Questions and the queries that read them, tested from outside. All tests are one program,
//! because each program links every dependency of the crate.

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

mod among_others;
mod as_people_ask;
mod as_small_models_write;
mod as_staff_ask;
mod balloons;
mod bells;
mod bill_of_material;
mod botanic_gardens;
mod chains;
mod conditions;
mod costume_hire;
mod counts_and_units;
mod harbour;
mod in_other_terms;
mod lighthouses;
mod measurements;
mod mountains;
mod of_other_things;
mod one_by_one;
mod polar;
mod pottery;
mod pumps;
mod puppets;
mod records_and_ways;
mod road_assets;
mod roles_of_things;
mod said_in_passing;
mod scriptorium;
mod sharing;
mod slips_of_models;
mod values_in_parts;
mod what_is_lacking;
mod what_lasts;
mod words_in_passing;

#[test]
fn every_file_of_tests_is_a_module_here() {
    listed::assert_listed(env!("CARGO_MANIFEST_DIR"), include_str!("all.rs"), &[]);
}
