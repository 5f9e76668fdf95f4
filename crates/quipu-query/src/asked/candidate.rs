//! A reading of a question as a query, with its rows.

use super::Nearness;
use crate::bind::Bound;
use crate::plan::Plan;
use crate::run::RowSet;
use crate::syntax::{Aggregate, Expression, Item};
use crate::tables::Tables;
use crate::values::Values;

/// A question, and the tables and values of which it is asked.
#[derive(Clone, Copy)]
pub struct TableQuestion<'a> {
    /// The question.
    pub text: &'a str,
    /// The graph's tables.
    pub tables: &'a Tables,
    /// The values of their columns.
    pub values: &'a Values,
}

/// A reading with its rows.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The same bound to the graph.
    pub bound: Bound,
    /// What is run.
    pub plan: Plan,
    /// What it gave.
    pub rows: RowSet,
    /// The reading in words.
    pub words: String,
    /// How near it comes to the words of the question.
    pub near: Nearness,
    /// How far what it gives stays from the thing that the question asks for by a role ([`super::role_not_given`]).
    pub role: f64,
    /// How likely its text was to whoever wrote it: the mean of its tokens' natural logarithms, where that is known.
    pub likelihood: Option<f64>,
    /// Whether it took the reason of a failure to write it.
    pub repaired: bool,
}

impl Candidate {
    /// The same, written after a failure.
    pub fn repaired(self) -> Self {
        Self { repaired: true, ..self }
    }

    /// Whether a reading gives one number, how many there are.
    pub fn only_counts(&self) -> bool {
        let select = self.bound.query.select();
        select.is_some_and(|select| {
            let counts = |item: &Item| {
                matches!(item.expression, Expression::Aggregate { function: Aggregate::Count, .. })
            };
            select.group.is_empty() && select.items.len() == 1 && select.items.iter().all(counts)
        })
    }
}
