//! Matches the names in a model's reply to the graph's own, regardless of case, accents, word
//! division and small differences. It is as lenient as the binder of SQL, and SPARQL and Cypher
//! share it.

use std::collections::BTreeSet;

use oxrdf::{NamedNode, Term};
use quipu_query::{Column, Found, How, Kind, Match, Place, Rows, Tables, Values, words_of};

/// Least similarity of matching names, as in the binder.
const LEAST_ALIKE: f64 = 0.7;

/// The names of a graph.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// Its tables.
    pub tables: &'a Tables,
    /// Their values.
    pub values: &'a Values,
    /// The index's results for large tables.
    pub found: &'a Found,
}

impl Names<'_> {
    /// The entity table that a class or label means.
    pub fn class(&self, name: &str) -> Option<usize> {
        let things = || self.tables.tables.iter().enumerate().filter(|(_, table)| !table.is_links());
        if let Some(at) = self.tables.find(name).filter(|at| things().any(|(other, _)| other == *at)) {
            return Some(at);
        }
        let wanted = words_of(name);
        let score =
            |id: &str, title: &str| alike(&wanted, &words_of(id)).max(alike(&wanted, &words_of(title)));
        let scored = things().map(|(at, table)| (score(&table.id, &table.title), at));
        best(scored)
    }

    /// The columns that a property of entities in these tables may mean; of any entities if there
    /// are none.
    pub fn columns(&self, name: &str, of: &[usize]) -> Vec<Place> {
        let all = || self.tables.columns().filter(|(_, column)| column.relation.is_some());
        let is_of =
            |place: &Place| of.is_empty() || self.owner(*place).is_some_and(|owner| of.contains(&owner));
        let exact: Vec<Place> = all()
            .filter(|(_, column)| column.id.eq_ignore_ascii_case(name))
            .map(|(place, _)| place)
            .collect();
        let own: Vec<Place> = exact.iter().copied().filter(is_of).collect();
        if !own.is_empty() {
            return own;
        }
        let wanted = words_of(name);
        let links = |place: &Place| self.tables.table(place.table).filter(|table| table.is_links());
        let score = |place: &Place, column: &Column| {
            let of_table = links(place).map_or(0.0, |table| alike(&wanted, &words_of(&table.id)));
            alike(&wanted, &words_of(&column.id)).max(alike(&wanted, &words_of(&column.title))).max(of_table)
        };
        let near =
            all().filter(|(place, _)| is_of(place)).map(|(place, column)| (score(&place, column), place));
        if let Some(place) = best(near) {
            return vec![place];
        }
        // ":doctor" matches the only property of appointments that contains the word: "with
        // doctor".
        let holds = |column: &Column| {
            let known = words_of(&column.id);
            wanted.iter().all(|word| known.iter().any(|other| is_form(word, other)))
        };
        let holding: Vec<Place> =
            all().filter(|(place, column)| is_of(place) && holds(column)).map(|(place, _)| place).collect();
        match holding.as_slice() {
            [_] if !of.is_empty() && exact.is_empty() && !wanted.is_empty() => holding,
            _ => exact,
        }
    }

    /// The table whose entities have a column's property.
    pub fn owner(&self, place: Place) -> Option<usize> {
        match self.tables.table(place.table)?.source {
            Rows::Links { heads, .. } => Some(heads),
            _ => Some(place.table),
        }
    }

    /// The entities of these tables, or of any, that a text names.
    pub fn things(&self, text: &str, of: &[usize]) -> Vec<Term> {
        let all = self.tables.tables.iter().enumerate();
        let tables = all.filter(|(at, table)| {
            !table.is_links() && if of.is_empty() { table.within.is_none() } else { of.contains(at) }
        });
        self.surest(text, tables.map(|(table, _)| Place { table, column: 0 }))
    }

    /// The values of these columns that match a text.
    pub fn terms(&self, text: &str, places: &[Place]) -> Vec<Term> {
        self.surest(text, places.iter().copied())
    }

    fn surest(&self, text: &str, places: impl Iterator<Item = Place>) -> Vec<Term> {
        let found: Vec<Match> =
            places.filter_map(|place| self.values.lookup(self.tables, self.found, place, text)).collect();
        let how: Option<How> = found.iter().map(|found| found.how).min();
        let mut terms = Vec::new();
        for found in found.iter().filter(|found| Some(found.how) == how) {
            for term in &found.terms {
                let below = match term {
                    Term::NamedNode(node) if self.is_kind(found.place) => {
                        self.tables.types_below(node.as_str())
                    }
                    _ => None,
                };
                let below = below.into_iter().flatten().map(|iri| NamedNode::new_unchecked(iri).into());
                for term in std::iter::once(term.clone()).chain(below) {
                    if !terms.contains(&term) {
                        terms.push(term);
                    }
                }
            }
        }
        terms
    }

    /// Whether a column holds the types of its entities.
    pub fn is_kind(&self, place: Place) -> bool {
        let relation = self.tables.column(place).and_then(|column| column.relation.as_ref());
        relation.is_some_and(|relation| self.tables.type_relations.contains(relation))
    }

    /// The kind of the columns' values, if they agree.
    pub fn kind(&self, places: &[Place]) -> Option<Kind> {
        let kinds: Vec<Kind> =
            places.iter().filter_map(|place| Some(self.tables.column(*place)?.kind)).collect();
        kinds.first().copied().filter(|first| kinds.iter().all(|kind| kind == first))
    }

    /// The IRIs of the relations of columns.
    pub fn relations(&self, places: &[Place]) -> Vec<NamedNode> {
        let iris = places.iter().filter_map(|place| self.tables.column(*place)?.relation.clone());
        let iris: BTreeSet<String> = iris.collect();
        iris.into_iter().map(NamedNode::new_unchecked).collect()
    }
}

fn best<T: Ord>(scored: impl Iterator<Item = (f64, T)>) -> Option<T> {
    let alike = scored.filter(|(score, _)| *score >= LEAST_ALIKE);
    alike.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1))).map(|(_, best)| best)
}

/// The similarity of two names, word by word: 1 if each word is a form of another.
fn alike(wanted: &[String], known: &[String]) -> f64 {
    let hits = |words: &[String], others: &[String]| {
        words.iter().filter(|word| others.iter().any(|other| is_form(word, other))).count() as f64
    };
    (hits(wanted, known) + hits(known, wanted)) / (wanted.len() + known.len()).max(1) as f64
}

/// Whether two words differ only in their endings: "ships" and "ship", "cities" and "city".
fn is_form(word: &str, other: &str) -> bool {
    let shared = word.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let (one, two) = (word.chars().count(), other.chars().count());
    word == other || (shared >= 3 && shared + 1 >= one.min(two) && one.max(two) <= shared + 3)
}

#[cfg(test)]
pub mod tests {
    use quipu_query::{Column, Found, Kind, Place, Rows, Table, Tables, Values};

    use super::Names;

    fn column(id: &str, kind: Kind, examples: &[&str]) -> Column {
        Column {
            id: id.into(),
            title: id.replace('_', " "),
            relation: Some(format!("http://made.test/{id}")),
            kind,
            filled: 9,
            distinct: examples.len().max(9) as u64,
            examples: examples.iter().map(|&example| example.to_owned()).collect(),
            range: None,
            references: None,
            mixed: false,
            only_here: true,
            years: false,
            minutes: false,
            unit: None,
        }
    }

    fn table(id: &str, source: Rows, columns: Vec<Column>) -> Table {
        Table {
            id: id.into(),
            title: id.into(),
            rows: 9,
            source,
            columns,
            within: None,
            kinds: Vec::new(),
            unnamed: false,
        }
    }

    /// Ships with a port and several cargoes, and ports.
    pub fn harbour() -> Tables {
        let own = |at: usize, examples: &[&str]| Column {
            relation: None,
            ..column("name", Kind::Entity(Some(at)), examples)
        };
        let types = |name: &str| Rows::Types(vec![format!("http://made.test/{name}")]);
        let ship = vec![
            own(0, &["Gull", "Tern"]),
            column("tonnage", Kind::Number { text: true }, &["940"]),
            column("home_port", Kind::Entity(Some(1)), &["Ostra"]),
            column("built", Kind::Date, &["1921-05-01"]),
            column("flag", Kind::Text, &["blue", "red"]),
        ];
        let cargo =
            vec![Column { id: "ship".into(), ..own(0, &[]) }, column("cargo", Kind::Text, &["salt", "tea"])];
        let links = Rows::Links { relation: "http://made.test/cargo".into(), heads: 0 };
        Tables {
            tables: vec![
                table("ship", types("Ship"), ship),
                table("port", types("Port"), vec![own(1, &["Ostra", "Velm"])]),
                table("ship_cargo", links, cargo),
            ],
            labels: vec!["http://made.test/label".into()],
            type_relations: vec!["http://www.w3.org/1999/02/22-rdf-syntax-ns#type".into()],
            ..Tables::default()
        }
    }

    #[test]
    fn names_are_found_in_other_writings() {
        let tables = harbour();
        let (values, found) = (Values::default(), Found::default());
        let names = Names { tables: &tables, values: &values, found: &found };
        assert_eq!(
            ["Ship", "ships", "PORT", "cargo"].map(|name| names.class(name)),
            [Some(0), Some(0), Some(1), None]
        );
        let place = |table, column| vec![Place { table, column }];
        assert_eq!(names.columns("homePort", &[0]), place(0, 2));
        assert_eq!(names.columns("CARGO", &[0]), place(2, 1));
        assert_eq!(names.columns("shipCargo", &[0]), place(2, 1));
        assert_eq!(names.columns("tonnage", &[1]), place(0, 1), "of the wrong class, but there");
        assert_eq!(names.columns("captain", &[]), []);
        assert_eq!((names.columns("port", &[0]), names.columns("port", &[])), (place(0, 2), vec![]));
    }
}
