//! Steps and paths in words, for those who do not rank them here.

use quipu_graph::{Direction, Step};

use super::lexicon::{Lexicon, replace_x};
use super::walk::inverse;
use crate::context::Context;

/// The words for some steps: from the relations' cards where there are such, else from their names.
pub struct StepWords {
    lexicon: Lexicon,
}

impl StepWords {
    /// Gathers the words of all relations of `steps`.
    pub fn new(context: &Context<'_>, steps: &[Step]) -> Self {
        Self { lexicon: Lexicon::new(context.graph(), context.cards, context.samples, steps) }
    }

    /// A path from `x` in words: `the members of Baltic League`. A step taken twice in a row is said once: where it may be taken
    /// again, "kinds of" are kinds of kinds too.
    pub fn phrase(&self, path: &[Step], x: &str) -> String {
        let mut once: Vec<Step> = path.to_vec();
        once.dedup();
        let phrase = self.lexicon.phrase(&once);
        let phrase = phrase.strip_prefix("the ").unwrap_or(&phrase);
        replace_x(phrase, x)
    }

    /// The relations of a path with arrows: `→ member`, against the relation `← member`.
    pub fn arrows(&self, path: &[Step]) -> String {
        let arrow = |step: &Step| {
            let arrow = if step.direction == Direction::Forward { "→" } else { "←" };
            format!("{arrow} {}", self.lexicon.name(*step))
        };
        path.iter().map(arrow).collect::<Vec<_>>().join(" ")
    }

    /// What a path leads to: the kind of things at its end.
    pub fn kind(&self, path: &[Step]) -> &str {
        path.last().map_or("thing", |step| self.lexicon.kind(*step))
    }

    /// What stands at a path's start.
    pub fn kind_of_start(&self, path: &[Step]) -> &str {
        path.first().map_or("thing", |step| self.lexicon.kind(inverse(*step)))
    }
}
