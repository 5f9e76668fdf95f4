//! The stages of answering, and the planners made of them.
//!
//! A question passes these stages: link, plan, retrieve, prune, critique, compose, ground. Every
//! stage takes plain data, returns plain data and reports to the trace. The methods, which are
//! sequences of stages, and the engine that runs them stand in `quipu-answer`. Programs use that
//! crate, which hands on the types that they need.
//!
//! The modules below are layers: each imports those above it in this list, and none below
//! (`tests/layers.rs` of `quipu-answer` checks this).

// Plain data: question, answer, evidence, outcome, events, errors.
pub mod answer;
// The templates.
pub mod prompts;
// The sources, limits and costs of one question.
pub mod ledger;
// Helpers for the tests inside the modules of this crate and of `quipu-answer`.
#[cfg(any(test, feature = "testing"))]
pub mod testing;
// The stages: from words of the question to entities,
pub mod link;
// the path through the graph,
pub mod plan;
// from a plan to evidence,
pub mod retrieve;
// the relevant part of it,
pub mod prune;
// is it enough,
pub mod critique;
// the answer from it,
pub mod compose;
// is every value in it.
pub mod ground;
// Several sources for one question.
pub mod sources;
// Whole paths and queries: planners that can replace a paper's own.
pub mod planners;
// The meaning of a message after earlier ones.
pub mod conversation;
