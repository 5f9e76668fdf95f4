//! Columns of texts of which some are numbers: "90", "1,500", "unknown".

use std::collections::HashMap;

use quipu_graph::{NodeSummary, RelationId, iri_of_key};

use super::count::{Builder, is_plain_number};
use super::samples::ordinary;
use super::{Column, Kind, Place, Rows, Table};

impl Builder<'_> {
    /// The columns of texts of which some are numbers, with the number of values that are none.
    pub(super) fn words_among_numbers(&self) -> Vec<(Place, u64)> {
        let relations: HashMap<String, RelationId> =
            ordinary(self.graph).map(|(id, info)| (iri_of_key(&info.key).into_owned(), id)).collect();
        let mut found = Vec::new();
        for (at, table) in self.tables.iter().enumerate() {
            for (column, of) in table.columns.iter().enumerate().filter(|(_, of)| of.kind == Kind::Text) {
                let relation = of.relation.as_ref().and_then(|relation| relations.get(relation));
                let words = relation.map_or(0, |relation| self.words_of(*relation, at, table, of));
                if words > 0 {
                    found.push((Place { table: at, column }, words));
                }
            }
        }
        found
    }

    fn words_of(&self, relation: RelationId, at: usize, table: &Table, column: &Column) -> u64 {
        let heads = match table.source {
            Rows::Links { heads, .. } => heads,
            _ => at,
        };
        let types = self.classes.get(heads);
        let holds = |head: &NodeSummary| {
            types.is_none_or(|types| head.types.iter().any(|of_head| types.contains(of_head)))
        };
        let tails = self.samples.tails(relation, holds);
        let words = tails.iter().filter(|tail| !reads_as_number(&tail.name)).count();
        if words == tails.len() {
            return 0;
        }
        (words as f64 / tails.len() as f64 * column.filled as f64).ceil() as u64
    }
}

/// Whether a query reads a text as a number: unlike a plain number, a code such as "007" too.
fn reads_as_number(text: &str) -> bool {
    is_plain_number(text) || text.trim().parse::<f64>().is_ok()
}
