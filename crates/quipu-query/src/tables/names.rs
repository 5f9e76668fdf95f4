//! Names for tables of a graph without types, because nothing in the graph names the kind of their
//! rows.

use super::{Rows, Table, Tables, identifier};

/// The name of a table whose rows have no type.
pub(super) const UNNAMED: &str = "thing";

/// The graph's facts about the rows of such a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unnamed {
    /// Position of the table.
    pub table: usize,
    /// An identifier that stays the same whenever the graph is counted: the IRI of the first of the
    /// table's relations.
    pub key: String,
    /// Titles of its columns and links.
    pub columns: Vec<String>,
    /// Titles of the columns that refer to its rows.
    pub arriving: Vec<String>,
    /// Names of some rows.
    pub examples: Vec<String>,
}

impl Tables {
    /// The tables of entities without a type, with the graph's facts about them.
    pub fn unnamed(&self) -> Vec<Unnamed> {
        let of = |(at, table): (usize, &Table)| {
            let Rows::Heads(relations) = &table.source else { return None };
            let key = relations.iter().min().filter(|_| table.title == UNNAMED)?.clone();
            let titles = table.columns.iter().skip(1).map(|column| column.title.clone());
            let columns = titles.chain(self.links_from(at).map(|column| column.title.clone()));
            let leads =
                self.columns().filter(|(place, _)| place.column > 0 && self.leads_to(*place) == Some(at));
            Some(Unnamed {
                table: at,
                key,
                columns: columns.collect(),
                arriving: leads.map(|(_, column)| column.title.clone()).collect(),
                examples: table.columns.first().map(|column| column.examples.clone()).unwrap_or_default(),
            })
        };
        self.tables.iter().enumerate().filter_map(of).collect()
    }

    /// The value columns of the links from a table's rows.
    fn links_from(&self, at: usize) -> impl Iterator<Item = &super::Column> {
        self.tables.iter().filter_map(move |table| match &table.source {
            Rows::Links { heads, .. } if *heads == at => table.columns.get(1),
            _ => None,
        })
    }

    /// Renames a table and its links.
    pub fn rename(&mut self, at: usize, name: &str) {
        let is_its = |(place, table): (usize, &Table)| {
            place == at || matches!(&table.source, Rows::Links { heads, .. } if *heads == at)
        };
        let of_it: Vec<usize> = self
            .tables
            .iter()
            .enumerate()
            .filter(|(at, table)| is_its((*at, table)))
            .map(|(at, _)| at)
            .collect();
        let others = self.tables.iter().enumerate().filter(|(at, _)| !of_it.contains(at));
        let mut taken = others.map(|(_, table)| table.id.clone()).collect();
        let new = identifier(name, UNNAMED, &mut taken);
        for place in of_it {
            let Some(table) = self.tables.get_mut(place) else { continue };
            if place == at {
                (table.id, table.title) = (new.clone(), name.to_owned());
                continue;
            }
            let [head, tail] = table.columns.as_mut_slice() else { continue };
            (head.id, head.title) = (new.clone(), name.to_owned());
            table.title = format!("{name} {}", tail.title);
            table.id = identifier(&table.title, "link", &mut taken);
            let mut within = std::collections::HashSet::from([new.clone()]);
            tail.id = identifier(&tail.title, "value", &mut within);
        }
    }
}
