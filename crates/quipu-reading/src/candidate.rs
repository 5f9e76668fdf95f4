//! A reading of a question as a query, with its rows.

use std::collections::HashSet;

use quipu_query::{Aggregate, Bound, CellValue, Expression, Item, Mention, Plan, RowSet, Tables, Values};

use crate::Nearness;

/// A question with the tables and values that it is asked of.
#[derive(Clone, Copy)]
pub struct TableQuestion<'a> {
    /// The question.
    pub text: &'a str,
    /// The graph's tables.
    pub tables: &'a Tables,
    /// The values of their columns.
    pub values: &'a Values,
    /// The question's names from tables whose names `values` does not keep ([`Values::named`]).
    pub named: &'a [Mention],
}

/// How well a path of the graph fits a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathFit {
    /// The share of its values in the probability of all paths from the same entity, from 0 to 1;
    /// of paths of several entities their confidence.
    pub share: f64,
    /// The number of checks that it fails.
    pub doubts: usize,
    /// The number of its steps.
    pub steps: usize,
}

/// A reading with its rows.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// The query, bound to the graph.
    pub bound: Bound,
    /// The plan that is run.
    pub plan: Plan,
    /// Its rows; none of a query that was only planned.
    pub rows: RowSet,
    /// Whether the query was only planned and not run, so that its rows say nothing.
    pub planned: bool,
    /// The reading in words.
    pub words: String,
    /// Its similarity to the words of the question.
    pub near: Nearness,
    /// How far the columns that it gives are in meaning from the role that the question asks for
    /// ([`crate::role_not_given`]).
    pub role: f64,
    /// The likelihood of its text: the mean natural logarithm of its tokens' probabilities, if
    /// known.
    pub likelihood: Option<f64>,
    /// Whether it was written after a failure, with the reason.
    pub repaired: bool,
    /// The words of other queries for the same question that failed or gave no rows: their tables,
    /// columns and values.
    pub tried: Vec<String>,
    /// The columns that such queries asked for and the graph lacks.
    pub lacking: Vec<String>,
    /// The number of the model's replies for the same question that found no table which holds what
    /// is asked for.
    pub declined: usize,
    /// Rows that tie with the last of an order.
    pub ties: usize,
    /// Whether the query takes the first of an order in which only one row stands.
    pub alone: bool,
    /// The fit of the path that the query was made from; `None` if the model wrote the query.
    pub path: Option<PathFit>,
}

impl Candidate {
    /// Whether the query was run and gave no value.
    pub fn finds_nothing(&self) -> bool {
        !self.planned && is_empty(&self.rows)
    }

    /// Whether two readings give the same rows; of two that were only planned, whether their plans
    /// are the same.
    pub fn agrees_with(&self, other: &Self) -> bool {
        match (self.planned, other.planned) {
            (true, true) => self.plan.sparql() == other.plan.sparql(),
            (false, false) => same_rows(&self.rows, &other.rows),
            _ => false,
        }
    }

    /// The same, marked as written after a failure.
    pub fn repaired(self) -> Self {
        Self { repaired: true, ..self }
    }

    /// Whether the reading gives only a count.
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

/// Whether the rows hold no value at all.
pub fn is_empty(rows: &RowSet) -> bool {
    rows.rows.iter().flatten().flatten().next().is_none()
}

/// Whether two results hold the same rows, whatever their order. Two entities of one name are not
/// the same; a text equals the entity of that name.
fn same_rows(a: &RowSet, b: &RowSet) -> bool {
    let name = |cell: &CellValue| cell.name.clone();
    let keyed = |rows: &RowSet| -> HashSet<String> {
        rows.rows.iter().flatten().flatten().filter(|cell| cell.key.is_some()).map(name).collect()
    };
    let key = |cell: &CellValue| cell.key.clone().unwrap_or_else(|| cell.name.clone());
    sorted(a, name) == sorted(b, name) && (keyed(a) != keyed(b) || sorted(a, key) == sorted(b, key))
}

fn sorted(rows: &RowSet, of: impl Fn(&CellValue) -> String) -> Vec<Vec<Option<String>>> {
    let cells = |row: &Vec<Option<CellValue>>| row.iter().map(|cell| cell.as_ref().map(&of)).collect();
    let mut sorted: Vec<Vec<Option<String>>> = rows.rows.iter().map(cells).collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}
