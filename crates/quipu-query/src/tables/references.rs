//! References by value: columns of codes that hold another table's key.

use std::collections::HashSet;

use quipu_graph::{NodeId, NodeSummary, iri_of_key};
use quipu_language::is_code_word;

use super::count::{Builder, words};
use super::samples::ordinary;
use super::{Column, Kind};

impl Builder<'_> {
    /// Finds references by value: a column of codes whose sampled values all stand in a key of
    /// another table, if the two columns have the same name or the column has that table's name
    /// ("merchant id" and the key of merchants).
    pub(super) fn refer(&mut self) {
        let mut keys: Vec<(usize, usize)> = Vec::new();
        for (at, table) in self.tables.iter().enumerate().filter(|(_, table)| !table.is_links()) {
            for (column_at, column) in table.columns.iter().enumerate().skip(1) {
                if table.is_key(column_at) && is_code(column) {
                    keys.push((at, column_at));
                }
            }
        }
        let mut found = Vec::new();
        for (at, table) in self.tables.iter().enumerate() {
            for (column_at, column) in table.columns.iter().enumerate().skip(1).filter(|(_, c)| is_code(c)) {
                let fits = |(other, key): &&(usize, usize)| {
                    let is_called_like =
                        self.ends_like(column, *other, *key) && (!self.is_basic(at) || self.is_basic(*other));
                    *other != at && (self.names(column, *other) || is_called_like)
                };
                let holds = |(other, key): &&(usize, usize)| self.holds_all(at, column_at, *other, *key);
                let best = keys.iter().filter(fits).filter(holds).max_by_key(|(other, _)| {
                    let columns = self.tables.get(*other).map_or(0, |table| table.columns.len());
                    (self.names(column, *other), self.is_basic(*other), columns)
                });
                // If two tables share a key, that of the more basic table refers to nothing. A
                // `restaurant id` of places is the restaurants' all the same.
                let own_key = keys.contains(&(at, column_at));
                if let Some((other, key)) = best
                    && (!own_key || self.names(column, *other) || self.links(at) > self.links(*other))
                {
                    found.push((at, column_at, (*other, *key)));
                }
            }
        }
        for (at, column_at, target) in found {
            if let Some(column) = self.tables.get_mut(at).and_then(|table| table.columns.get_mut(column_at)) {
                column.references = Some(target);
            }
        }
    }

    /// Whether a column's title ends like that of a key: "home merchant id" and `merchant id`.
    fn ends_like(&self, column: &Column, other: usize, key: usize) -> bool {
        let key = self.tables.get(other).and_then(|table| table.columns.get(key));
        let key = key.map(|key| words(&key.title)).unwrap_or_default();
        let says_more = key.len() > 1 || key.first().is_some_and(|word| word != "id");
        says_more && words(&column.title).ends_with(&key)
    }

    /// Whether a column's title is a table's with a word for codes: the `merchant id` of merchants.
    fn names(&self, column: &Column, table: usize) -> bool {
        let table = self.tables.get(table).map(|table| words(&table.title)).unwrap_or_default();
        let title = words(&column.title);
        let before = title.split_last().map(|(_, before)| before).unwrap_or_default();
        !before.is_empty()
            && before.len() == table.len()
            && before.iter().zip(&table).all(|(a, b)| super::is_form_of(a, b))
    }

    /// The number of a table's columns that refer to entities.
    fn links(&self, table: usize) -> usize {
        let columns = self.tables.get(table).map(|table| table.columns.as_slice()).unwrap_or_default();
        columns.iter().skip(1).filter(|column| matches!(column.kind, Kind::Entity(_))).count()
    }

    fn is_basic(&self, table: usize) -> bool {
        self.links(table) == 0
    }

    fn values_of(&self, table: usize, column: usize) -> HashSet<&str> {
        let column = self.tables.get(table).and_then(|table| table.columns.get(column));
        let Some(iri) = column.and_then(|column| column.relation.as_deref()) else { return HashSet::new() };
        let relation = ordinary(self.graph).find(|(_, info)| iri_of_key(&info.key) == iri);
        let Some((relation, _)) = relation else { return HashSet::new() };
        let triples = self.samples.triples.get(&relation).map(Vec::as_slice).unwrap_or_default();
        // Several tables may have a column of one relation.
        let classes = self.classes.get(table);
        let of_table = |head: &NodeSummary| {
            classes.is_none_or(|classes| head.types.iter().any(|class| classes.contains(class)))
        };
        let of = |(head, tail): &(NodeId, NodeId)| {
            self.samples
                .nodes
                .get(head)
                .filter(|head| of_table(head))
                .and_then(|_| self.samples.nodes.get(tail))
        };
        triples.iter().filter_map(of).map(|tail| tail.name.as_str()).collect()
    }

    fn holds_all(&self, table: usize, column: usize, other: usize, key: usize) -> bool {
        let (values, keys) = (self.values_of(table, column), self.values_of(other, key));
        !values.is_empty() && values.iter().all(|value| keys.contains(value))
    }
}

/// Whether a column holds codes, judged by its name and its values: "kid", "ticker id", "postal
/// code".
fn is_code(column: &Column) -> bool {
    let named = words(&column.title).pop().is_some_and(|last| is_code_word(&last));
    let plain = column.examples.iter().all(|example| !example.contains(char::is_whitespace));
    named && plain && matches!(column.kind, Kind::Text | Kind::Number { .. })
}
