//! Records that only links lead to: an article's parts with their quantities, each a node without
//! a name. The table of links shows the records' columns as its own, because small models join two
//! tables more safely than three.

use std::collections::HashMap;

use super::{Kind, Place, Tables};

/// Tables of links with the records that they alone lead to, by the position of either.
#[derive(Debug, Default)]
pub(super) struct Records {
    of_links: HashMap<usize, usize>,
    links_to: HashMap<usize, usize>,
}

impl Records {
    pub(super) fn of(tables: &Tables) -> Self {
        let mut leading: HashMap<usize, Vec<Place>> = HashMap::new();
        for (place, column) in tables.columns() {
            let Kind::Entity(Some(to)) = column.kind else { continue };
            let shown = tables.table(place.table).is_some_and(|table| table.within.is_none());
            let is_own_name = place == Place { table: to, column: 0 };
            if shown && !is_own_name {
                leading.entry(to).or_default().push(place);
            }
        }
        let mut records = Self::default();
        for (to, places) in leading {
            let [place] = places.as_slice() else { continue };
            let links = tables.table(place.table).filter(|table| table.is_links() && place.column == 1);
            let is_mixed = links.and_then(|links| links.columns.get(1)).is_none_or(|tail| tail.mixed);
            let is_record = tables.table(to).is_some_and(|table| {
                table.unnamed && !table.is_links() && table.within.is_none() && table.columns.len() > 1
            });
            if !is_mixed && is_record && !tables.holds_values(to) {
                records.of_links.insert(place.table, to);
                records.links_to.insert(to, place.table);
            }
        }
        records
    }

    /// The records that a table of links leads to.
    pub(super) fn of_links(&self, links: usize) -> Option<usize> {
        self.of_links.get(&links).copied()
    }

    /// Whether a table's columns are shown in a table of links.
    pub(super) fn are_shown_in_links(&self, table: usize) -> bool {
        self.links_to.contains_key(&table)
    }
}

impl Tables {
    /// The identifiers of a column as the rendered tables have it: that of its table, or of the
    /// links to it, and its own.
    pub fn shown_as(&self, place: Place) -> Option<(&str, &str)> {
        let links = Records::of(self).links_to.get(&place.table).copied();
        let table = self.table(links.filter(|_| place.column > 0).unwrap_or(place.table))?;
        Some((&table.id, &self.column(place)?.id))
    }

    /// Whether a table of links shows the columns of a table of records.
    pub(crate) fn shows_records(&self, links: usize, records: usize) -> bool {
        Records::of(self).of_links(links) == Some(records)
    }
}
