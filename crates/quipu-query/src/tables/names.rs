//! Names for the tables that the graph itself does not name: those of a graph without types, and
//! those of types that no class stands above.

use super::{Rows, Table, Tables, identifier};

/// The name of a table whose rows have no type.
pub(super) const UNNAMED: &str = "thing";

/// The sign of a relation that leads to things, given its IRI, among the relations that begin at
/// them.
pub fn arriving(relation: &str) -> String {
    format!("^{relation}")
}

/// The beginning of the first IRI of a class that the graph lacks. No entity has this type.
pub(crate) const ABOVE: &str = "urn:quipu:above:";

/// The graph's facts about the rows of such a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unnamed {
    /// Position of the table.
    pub table: usize,
    /// An identifier that stays the same whenever the graph is counted: the IRI of the first of the
    /// table's relations, or of the class that the graph lacks.
    pub key: String,
    /// Titles of its columns and links.
    pub columns: Vec<String>,
    /// Titles of the columns that refer to its rows.
    pub arriving: Vec<String>,
    /// Names of some rows.
    pub examples: Vec<String>,
    /// Names of the types of its rows, if the graph states them.
    pub types: Vec<String>,
}

impl Tables {
    /// The tables that the graph does not name, with the graph's facts about them.
    pub fn unnamed(&self) -> Vec<Unnamed> {
        let of = |(at, table): (usize, &Table)| {
            let key = match &table.source {
                Rows::Ends { heads, tails, others } => {
                    let arriving = || tails.iter().min().map(|iri| arriving(iri));
                    heads.iter().min().cloned().or_else(arriving).or_else(|| others.iter().min().cloned())
                }
                Rows::Types(types) => types.first().filter(|first| first.starts_with(ABOVE)).cloned(),
                Rows::Links { .. } => None,
            };
            let examples =
                |column: Option<&super::Column>| column.map(|of| of.examples.clone()).unwrap_or_default();
            let key = key.filter(|_| table.title == UNNAMED)?;
            let titles = table.columns.iter().skip(1).map(|column| column.title.clone());
            let columns = titles.chain(self.links_from(at).map(|column| column.title.clone()));
            let leads =
                self.columns().filter(|(place, _)| place.column > 0 && self.leads_to(*place) == Some(at));
            Some(Unnamed {
                table: at,
                key,
                columns: columns.collect(),
                arriving: leads.map(|(_, column)| column.title.clone()).collect(),
                examples: examples(table.columns.first()),
                types: examples(self.kinds_of(at)),
            })
        };
        self.tables.iter().enumerate().filter_map(of).collect()
    }

    /// The column of the types of a table's rows, in the table or linked to it.
    fn kinds_of(&self, at: usize) -> Option<&super::Column> {
        let own = self.table(at)?.columns.iter();
        own.chain(self.links_from(at)).find(|column| self.is_of_type(column))
    }

    /// Whether a column holds types.
    pub(super) fn is_of_type(&self, column: &super::Column) -> bool {
        column.relation.as_ref().is_some_and(|relation| self.type_relations.contains(relation))
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
