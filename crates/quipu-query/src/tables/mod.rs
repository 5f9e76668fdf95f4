//! A graph as tables: types are tables, relations with one value are columns, relations with
//! several are tables of two columns.
//!
//! A graph without types is divided by characteristic sets (Neumann and Moerkotte 2011): things
//! with mostly the same relations, in both directions, are rows of one table. Of a large graph,
//! relations with mostly the same heads are columns of one table.

mod abbreviations;
pub(crate) mod classes;
mod comments;
mod count;
mod divide;
mod groups;
mod identifiers;
mod keep;
mod mixed;
mod names;
mod nested;
mod records;
mod references;
mod render;
mod samples;
mod sets;
mod sisters;
mod stated;
mod types;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

pub use crate::place::Place;
pub use abbreviations::Abbreviation;
pub use abbreviations::is_short_for;
pub(crate) use abbreviations::{abbreviated, covers};
pub use comments::Comment;
pub use count::count_tables;
pub use count::is_date;
pub use identifiers::identifier;
pub use keep::{TABLES_FILE, kept_tables, open_tables};
pub(crate) use names::ABOVE;
pub use names::{Unnamed, arriving};
pub use quipu_language::words_of;
use quipu_language::{Language, Measured, is_code_word};
pub(crate) use render::is_form_of;
pub use render::{Relevance, RenderConfig, Rendered};
pub(crate) use samples::SAMPLED;
pub(crate) use stated::is_plain_number;

/// Version of the stored form; tables of another version are counted anew.
pub const TABLES_VERSION: u32 = 28;

/// A superproperty (`rdfs:subPropertyOf`) as columns: "statistics" stands for strength, dexterity
/// and wisdom.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Group {
    /// Its title.
    pub title: String,
    /// The numeric columns below it.
    pub columns: Vec<Place>,
}

/// A graph seen as tables.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Tables {
    /// Version of this form.
    pub version: u32,
    /// The tables: tables of entities before tables of links, large ones first.
    pub tables: Vec<Table>,
    /// IRIs of the relations that lead to an entity's name, the preferred one first.
    pub labels: Vec<String>,
    /// Whether an entity may have several names by one of these relations.
    pub several_names: bool,
    /// IRIs of the relations that lead to an entity's types.
    pub type_relations: Vec<String>,
    /// Superproperties.
    pub groups: Vec<Group>,
    /// The columns of texts of which some are numbers, with the number of values that are none.
    #[serde(default)]
    pub words: Vec<(Place, u64)>,
    /// The columns of texts that are no numbers and that all begin with numbers of different
    /// lengths: "3 May", "14 June".
    #[serde(default)]
    pub begun_by_numbers: Vec<Place>,
    /// The graph's comments on relations and classes, by IRI.
    #[serde(default)]
    pub comments: BTreeMap<String, Comment>,
}

/// A table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Its identifier in SQL, unique regardless of case.
    pub id: String,
    /// The graph's own name for the table.
    pub title: String,
    /// Its rows: entities, or triples of a table of links.
    pub rows: u64,
    /// The source of its rows.
    pub source: Rows,
    /// Its columns. The first is the entity itself, called `name`, or the head of a link.
    pub columns: Vec<Column>,
    /// Position of the table that holds all of its rows and columns, if there is one: that one is
    /// shown instead.
    pub within: Option<usize>,
    /// IRIs of the types below its own, which are the values of its column of kinds.
    pub kinds: Vec<String>,
    /// Whether its rows have no names but opaque keys: "r01ad4a5".
    #[serde(default)]
    pub unnamed: bool,
}

/// The source of a table's rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rows {
    /// The entities of a type and of those below it, by IRI; the type itself first. A class that
    /// the graph lacks has an IRI first that no entity has ([`Table::is_made`]).
    Types(Vec<String>),
    /// The things that some relations begin at, and those that others lead to, by IRI: a
    /// characteristic set.
    Ends {
        /// The relations that begin at them.
        heads: Vec<String>,
        /// Relations that lead to them, if the first ones do not tell all things.
        tails: Vec<String>,
        /// A few things that no such relation tells.
        others: Vec<String>,
    },
    /// The triples of one relation whose heads are rows of another table.
    Links {
        /// The relation's IRI.
        relation: String,
        /// Position of the heads' table.
        heads: usize,
    },
}

/// A column.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its identifier in SQL, unique within the table.
    pub id: String,
    /// The graph's own name for the column.
    pub title: String,
    /// IRI of the relation; `None` for the entity itself and for the head of a link.
    pub relation: Option<String>,
    /// The kind of its values.
    pub kind: Kind,
    /// Number of rows that have a value.
    pub filled: u64,
    /// Number of distinct values.
    pub distinct: u64,
    /// Some values, short ones first; all of them if they are few.
    pub examples: Vec<String>,
    /// Least and greatest of the numbers or dates seen.
    pub range: Option<(String, String)>,
    /// A column of another table that holds all values of this one: a reference by value.
    pub references: Option<(usize, usize)>,
    /// Whether texts or entities of another type are among the entities.
    pub mixed: bool,
    /// Whether all heads of the relation are rows of this table.
    pub only_here: bool,
    /// Whether its numbers are years, by their datatype.
    #[serde(default)]
    pub years: bool,
    /// Whether its numbers are the minutes of durations, which the graph states as `PT1H30M`.
    #[serde(default)]
    pub minutes: bool,
    /// The unit that each of its values names behind a number, if the graph states them so:
    /// `12.5 kW`.
    #[serde(default)]
    pub unit: Option<String>,
}

/// The kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Entities: rows of a table, if most are rows of the same.
    Entity(Option<usize>),
    /// Numbers.
    Number {
        /// Whether the graph states them as strings.
        text: bool,
    },
    /// Dates and times of any precision.
    Date,
    /// True or false.
    Flag,
    /// Text, and values of mixed kinds.
    Text,
}

impl Tables {
    /// The position of the table with an identifier, ignoring case.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.tables.iter().position(|table| table.id.eq_ignore_ascii_case(id))
    }

    /// The table at a position.
    pub fn table(&self, at: usize) -> Option<&Table> {
        self.tables.get(at)
    }

    /// The column at a position.
    pub fn column(&self, place: Place) -> Option<&Column> {
        self.tables.get(place.table)?.columns.get(place.column)
    }

    /// How many values of a column of texts are no numbers, if some are; else 0. By a sample where
    /// the column has many values.
    pub fn words_among_numbers(&self, place: Place) -> u64 {
        self.words.iter().find(|(of, _)| *of == place).map_or(0, |(_, words)| *words)
    }

    /// Whether the texts of a column have another order than the numbers in them: "14 June 2020"
    /// stands before "3 May 2020", and "1500" before "90" in a column with a few words. By a sample
    /// where the column has many values.
    pub fn orders_otherwise(&self, place: Place) -> bool {
        let words = self.words_among_numbers(place);
        let filled = self.column(place).map_or(0, |column| column.filled);
        self.begun_by_numbers.contains(&place) || (words > 0 && words * 2 < filled)
    }

    /// The same column in the table that holds all rows of its own table; only that one's values
    /// are kept.
    pub fn widest(&self, place: Place) -> Place {
        let Some(within) = self.table(place.table).and_then(|table| table.within) else { return place };
        let Some(relation) = self.column(place).and_then(|column| column.relation.as_ref()) else {
            return Place { table: within, ..place };
        };
        let holds = |table: &Table| table.columns.iter().position(|c| c.relation.as_ref() == Some(relation));
        if let Some(column) = self.table(within).and_then(holds) {
            return Place { table: within, column };
        }
        let of_wide = |table: &Table| matches!(&table.source, Rows::Links { relation: of, heads } if *heads == within && of == relation);
        let links = self.tables.iter().position(of_wide);
        links.map_or(place, |table| Place { table, column: 1 })
    }

    /// The IRIs of a type and of those below it, if the type has a table.
    pub fn types_below(&self, iri: &str) -> Option<&[String]> {
        self.tables.iter().find_map(|table| match &table.source {
            Rows::Types(iris) if iris.first().is_some_and(|first| first == iri) => Some(iris.as_slice()),
            _ => None,
        })
    }

    /// The table of a column's entities; for the first column of a table of entities that table
    /// itself.
    pub fn leads_to(&self, place: Place) -> Option<usize> {
        match self.column(place)?.kind {
            Kind::Entity(table) => table,
            _ => None,
        }
    }

    /// Whether a table's rows are values in parts: without a name, a link or a use but to hold a
    /// few numbers and texts, like a price with its currency, which may be an entity.
    pub fn holds_values(&self, table: usize) -> bool {
        /// Most parts of a value.
        const MOST: usize = 5;
        self.table(table).is_some_and(|table| {
            let parts = table.columns.get(1..).unwrap_or_default();
            let links = parts.iter().filter(|part| matches!(part.kind, Kind::Entity(_)));
            let plain = match links.collect::<Vec<_>>().as_slice() {
                [] => true,
                [unit] => self.is_unit(unit) && Self::amount_of(table).is_some(),
                _ => false,
            };
            table.unnamed && !table.is_links() && plain && (1..=MOST).contains(&parts.len())
        })
    }

    /// Whether a table's rows are statements: things without a type and a name, in a graph with
    /// types, that hold what is stated of another thing. An office that was held has a beginning.
    pub fn holds_statements(&self, table: usize) -> bool {
        /// Most parts of a statement.
        const MOST: usize = 8;
        let typed = self.tables.iter().any(|table| matches!(table.source, Rows::Types(_)));
        self.table(table).is_some_and(|table| {
            let parts = table.columns.get(1..).unwrap_or_default();
            let is_thing = |part: &Column| matches!(part.kind, Kind::Entity(_));
            typed
                && table.unnamed
                && matches!(table.source, Rows::Ends { .. })
                && parts.iter().any(is_thing)
                && parts.len() <= MOST
        })
    }

    /// Whether things without a type, of two tables, have one relation in common: only their other
    /// relations tell the table.
    pub fn shares_relations(&self) -> bool {
        let is_untyped = |at: usize| matches!(self.table(at).map(|of| &of.source), Some(Rows::Ends { .. }));
        let of_things = self.tables.iter().enumerate().filter(|(at, table)| match &table.source {
            Rows::Links { heads, .. } => is_untyped(*heads),
            _ => is_untyped(*at),
        });
        let own = |(_, table): (usize, &'_ Table)| -> Vec<String> {
            table.columns.iter().filter_map(|column| column.relation.clone()).collect()
        };
        let mut seen = HashSet::new();
        of_things.flat_map(own).any(|relation| !seen.insert(relation))
    }

    /// Whether the entities of a column may be units: nothing but their names is known of them.
    fn is_unit(&self, column: &Column) -> bool {
        match column.kind {
            Kind::Entity(Some(of)) => self.table(of).is_some_and(|of| of.columns.len() == 1),
            kind => kind == Kind::Entity(None),
        }
    }

    /// The only column of amounts of a table whose rows have no names: the amount of a price.
    pub fn amount(&self, table: usize) -> Option<usize> {
        self.table(table).and_then(Self::amount_of)
    }

    fn amount_of(table: &Table) -> Option<usize> {
        // A postal code is no amount.
        let is_code = |column: &Column| words_of(&column.title).iter().any(|word| is_code_word(word));
        let is_number = |at: &usize| {
            let column = table.columns.get(*at);
            column.is_some_and(|of| matches!(of.kind, Kind::Number { .. }) && !is_code(of))
        };
        let mut numbers = (1..table.columns.len()).filter(is_number);
        let amount = numbers.next().filter(|_| table.unnamed && !table.is_links())?;
        numbers.next().is_none().then_some(amount)
    }

    /// All columns with their positions.
    pub fn columns(&self) -> impl Iterator<Item = (Place, &Column)> {
        let all = self.tables.iter().enumerate();
        all.flat_map(|(table, t)| {
            t.columns.iter().enumerate().map(move |(column, c)| (Place { table, column }, c))
        })
    }
}

impl Table {
    /// The position of the column with an identifier, ignoring case.
    pub fn find(&self, id: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.id.eq_ignore_ascii_case(id))
    }

    /// Whether each row has a value of a column, and no two have the same.
    pub fn is_key(&self, column: usize) -> bool {
        let all = |column: &Column| column.distinct == self.rows && column.filled == self.rows;
        self.rows > 1 && self.columns.get(column).is_some_and(all)
    }

    /// Whether the graph lacks the class of its rows: it is made of types with the same relations,
    /// and its noun says nothing of what other things are.
    pub fn is_made(&self) -> bool {
        matches!(&self.source, Rows::Types(iris) if iris.first().is_some_and(|iri| iri.starts_with(ABOVE)))
    }

    /// Whether each row is a link between two entities, not an entity.
    pub fn is_links(&self) -> bool {
        matches!(self.source, Rows::Links { .. })
    }
}

impl Column {
    /// Whether its numbers are years, by their datatype or by their look.
    pub fn holds_years(&self) -> bool {
        // `founded in` tells a time, so that small numbers may be years too.
        let words = words_of(&self.title);
        let english = Language::english();
        let is_dated = words.len() > 1
            && words.last().is_some_and(|last| english.is_inside(last))
            && english.measured("old", &self.title) == Measured::Alike;
        // "Year of foundation" may be 812, while a "year of study" is a small number.
        let is_titled = [words.first(), words.last()].into_iter().flatten().any(|word| english.is_year(word));
        let of_others = if is_titled { 100 } else { 1_000 };
        let least = if is_dated { 1 } else { of_others };
        let is_year = |text: &String| text.parse::<u32>().is_ok_and(|year| (least..2_100).contains(&year));
        let look_like_years =
            self.range.as_ref().is_some_and(|(least, most)| is_year(least) && is_year(most));
        matches!(self.kind, Kind::Number { .. }) && (self.years || look_like_years)
    }

    /// Some of its values: the first, the last, and the examples.
    pub(crate) fn samples(&self) -> impl Iterator<Item = &str> {
        let ends = self.range.iter().flat_map(|(first, last)| [first, last]);
        ends.chain(&self.examples).map(String::as_str)
    }

    /// Whether some of its dates are less precise than a written one: years beside a day.
    pub(crate) fn has_vaguer_dates(&self, written: &str) -> bool {
        /// Characters of a day.
        const DAY: usize = 10;
        self.samples().any(|date| date.len() < written.len().min(DAY))
    }
}
