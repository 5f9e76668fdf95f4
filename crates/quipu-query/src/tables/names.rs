//! Tables of a graph without types: nothing in the graph says of what kind their rows are.

use super::{Rows, Table, Tables, identifier};

/// What a table is called whose rows have no type.
pub(super) const UNNAMED: &str = "thing";

/// What a graph tells of the rows of such a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unnamed {
    /// Place of the table.
    pub table: usize,
    /// The same whenever the graph is counted: the first of the table's relations.
    pub key: String,
    /// What its rows have.
    pub columns: Vec<String>,
    /// What leads to its rows.
    pub arriving: Vec<String>,
    /// Names of some rows.
    pub examples: Vec<String>,
}

impl Tables {
    /// The tables of entities that no type names, with what the graph tells of them.
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

    /// The columns of links from a table's rows.
    fn links_from(&self, at: usize) -> impl Iterator<Item = &super::Column> {
        self.tables.iter().filter_map(move |table| match &table.source {
            Rows::Links { heads, .. } if *heads == at => table.columns.get(1),
            _ => None,
        })
    }

    /// Calls a table, and its links, by a name.
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
