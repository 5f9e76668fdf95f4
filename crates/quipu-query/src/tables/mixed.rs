//! Columns of texts of which some are numbers ("90", "1,500", "unknown"), or that all begin with
//! numbers ("3 May", "14 June").

use std::collections::HashMap;

use quipu_graph::{NodeSummary, RelationId, iri_of_key};

use super::count::Builder;
use super::samples::ordinary;
use super::stated::is_plain_number;
use super::{Kind, Place, Rows, Table};

impl Builder<'_> {
    /// The columns of texts of which some are numbers, with the number of values that are none; and
    /// the columns of texts that all begin with numbers of different lengths.
    pub(super) fn texts_with_numbers(&self) -> (Vec<(Place, u64)>, Vec<Place>) {
        let relations: HashMap<String, RelationId> =
            ordinary(self.graph).map(|(id, info)| (iri_of_key(&info.key).into_owned(), id)).collect();
        let (mut with_words, mut begun_by_numbers) = (Vec::new(), Vec::new());
        for (at, table) in self.tables.iter().enumerate() {
            for (column, of) in table.columns.iter().enumerate().filter(|(_, of)| of.kind == Kind::Text) {
                let Some(relation) = of.relation.as_ref().and_then(|relation| relations.get(relation)) else {
                    continue;
                };
                let texts = self.texts_of(*relation, at, table);
                let place = Place { table: at, column };
                let words = texts.iter().filter(|text| !reads_as_number(text)).count();
                if words > 0 && words < texts.len() {
                    let share = words as f64 / texts.len() as f64;
                    with_words.push((place, (share * of.filled as f64).ceil() as u64));
                } else if begin_with_numbers(&texts) {
                    begun_by_numbers.push(place);
                }
            }
        }
        (with_words, begun_by_numbers)
    }

    fn texts_of(&self, relation: RelationId, at: usize, table: &Table) -> Vec<&str> {
        let heads = match table.source {
            Rows::Links { heads, .. } => heads,
            _ => at,
        };
        let types = self.classes.get(heads);
        let holds = |head: &NodeSummary| {
            types.is_none_or(|types| head.types.iter().any(|of_head| types.contains(of_head)))
        };
        self.samples.tails(relation, holds).into_iter().map(|tail| tail.name.as_str()).collect()
    }
}

/// Whether all texts begin with numbers, of different lengths.
fn begin_with_numbers(texts: &[&str]) -> bool {
    let digits = |text: &&str| text.chars().take_while(char::is_ascii_digit).count();
    let first = texts.first().map_or(0, digits);
    texts.iter().all(|text| digits(text) > 0) && texts.iter().any(|text| digits(text) != first)
}

/// Whether a query reads a text as a number: unlike a plain number, a code such as "007" too.
fn reads_as_number(text: &str) -> bool {
    is_plain_number(text) || text.trim().parse::<f64>().is_ok()
}
