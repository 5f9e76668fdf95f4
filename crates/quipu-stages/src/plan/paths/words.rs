//! Steps and paths in words, for callers that do not rank them.

use quipu_graph::{Direction, Step};
use quipu_language::Language;

use super::lexicon::{Lexicon, replace_x};
use crate::ledger::Context;
use crate::plan::{Cards, StepSamples};

/// The words for some steps.
pub struct StepWords {
    lexicon: Lexicon,
}

impl StepWords {
    /// Gathers the words of all relations of `steps`.
    pub fn new(context: &Context<'_>, steps: &[Step]) -> Self {
        Self {
            lexicon: Lexicon::new(
                // Messages to users are in English.
                Language::english(),
                context.graph(),
                &context.memory::<Cards>(),
                &context.memory::<StepSamples>(),
                steps,
            ),
        }
    }

    /// A path from `x` in the words of the relations' names: `the member of Baltic League`. A step
    /// taken twice in a row is said once: a kind of a kind is called a kind too.
    pub fn phrase(&self, path: &[Step], x: &str) -> String {
        let mut once: Vec<Step> = path.to_vec();
        once.dedup();
        replace_x(&self.lexicon.plain_phrase(&once), x)
    }

    /// The relations of a path with arrows: `→ member`, against the relation `← member`.
    pub fn arrows(&self, path: &[Step]) -> String {
        let arrow = |step: &Step| {
            let arrow = if step.direction == Direction::Forward { "→" } else { "←" };
            format!("{arrow} {}", self.lexicon.name(*step))
        };
        path.iter().map(arrow).collect::<Vec<_>>().join(" ")
    }
}
