//! Variables for the cells of rows; equal cells share one.

use std::collections::{HashMap, HashSet};

use oxrdf::{Term, Variable};

use crate::syntax::ColumnRef;
use crate::tables::words_of;

/// A column of one of the query's tables, by the table's alias.
pub(super) type Cell = (String, usize);

/// The cell of a bound column.
pub(super) fn cell_of(column: &ColumnRef) -> Option<Cell> {
    Some((column.table.clone()?, column.place?.column))
}

/// Longest name of a variable, without the number behind it: Virtuoso truncates names longer than
/// 98 characters.
const LONGEST: usize = 60;

#[derive(Debug, Default)]
pub(super) struct Cells {
    parents: HashMap<Cell, Cell>,
    variables: HashMap<Cell, Variable>,
    taken: HashSet<String>,
    /// Cells that must equal one term of the graph.
    fixed: HashMap<Cell, Term>,
}

impl Cells {
    fn root(&self, cell: &Cell) -> Cell {
        let mut at = cell;
        while let Some(parent) = self.parents.get(at) {
            at = parent;
        }
        at.clone()
    }

    /// Unites two cells. The first stands for both, unless only the second has a variable already:
    /// the patterns of an outer query hold it. Two cells that both have one stay two.
    pub(super) fn unite(&mut self, first: &Cell, second: &Cell) {
        let (first, second) = (self.root(first), self.root(second));
        let has_variable = |root: &Cell| self.variables.contains_key(root);
        let (first, second) = match (has_variable(&first), has_variable(&second)) {
            (true, true) => return,
            (false, true) => (second, first),
            _ => (first, second),
        };
        if first != second {
            if let Some(term) = self.fixed.remove(&second) {
                self.fixed.insert(first.clone(), term);
            }
            self.parents.insert(second, first);
        }
    }

    pub(super) fn are_one(&self, a: &Cell, b: &Cell) -> bool {
        self.root(a) == self.root(b)
    }

    /// The variable of a cell.
    pub(super) fn variable(&mut self, cell: &Cell, name: &str) -> Variable {
        let root = self.root(cell);
        if let Some(variable) = self.variables.get(&root) {
            return variable.clone();
        }
        let wanted = if root.1 == 0 { root.0.clone() } else { format!("{}_{name}", root.0) };
        let variable = self.fresh(&wanted);
        self.variables.insert(root, variable.clone());
        variable
    }

    /// Gives a cell an existing variable if it has none yet.
    pub(super) fn assign(&mut self, cell: &Cell, variable: &Variable) {
        let root = self.root(cell);
        self.variables.entry(root).or_insert_with(|| variable.clone());
    }

    /// Whether a variable belongs to a cell, not to a calculation.
    pub(super) fn has(&self, variable: &Variable) -> bool {
        self.variables.values().any(|known| known == variable)
    }

    /// A new variable with a name like the one given.
    pub(super) fn fresh(&mut self, name: &str) -> Variable {
        let ascii = |word: &String| word.chars().all(|c| c.is_ascii_alphanumeric());
        let mut base = words_of(name).into_iter().filter(ascii).collect::<Vec<_>>().join("_");
        base.truncate(LONGEST);
        let base =
            if base.chars().next().is_none_or(|c| c.is_ascii_digit()) { format!("v{base}") } else { base };
        let mut candidate = base.clone();
        let mut number = 2;
        while !self.taken.insert(candidate.clone()) {
            candidate = format!("{base}_{number}");
            number += 1;
        }
        Variable::new_unchecked(candidate)
    }

    /// Fixes a cell to a term; `false` if it is fixed to another.
    pub(super) fn fix(&mut self, cell: &Cell, term: &Term) -> bool {
        let root = self.root(cell);
        match self.fixed.get(&root) {
            Some(known) => known == term,
            None => {
                self.fixed.insert(root, term.clone());
                true
            }
        }
    }

    pub(super) fn fixed(&self, cell: &Cell) -> Option<&Term> {
        self.fixed.get(&self.root(cell))
    }
}
