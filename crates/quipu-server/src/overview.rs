//! An overview of a graph: its types with their columns and counts, and the links between types.

use quipu_query::{Column, Kind, Rows, Tables};
use schemars::JsonSchema;
use serde::Serialize;

/// Most examples of one column.
const EXAMPLES: usize = 3;

/// The content of a graph.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Overview {
    /// The workspace.
    pub(crate) workspace: String,
    /// Number of triples.
    pub(crate) triples: u64,
    /// Number of entities.
    pub(crate) entities: u64,
    /// The types, largest first.
    pub(crate) types: Vec<TypeView>,
    /// Relations between types.
    pub(crate) links: Vec<LinkView>,
    /// The relations, those with the most triples first.
    pub(crate) relations: Vec<RelationCount>,
}

/// A type of entities; in a graph without types, a group of entities with similar relations.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct TypeView {
    /// Its id in URLs.
    pub(crate) id: String,
    /// The graph's name for it.
    pub(crate) title: String,
    /// Number of entities.
    pub(crate) rows: u64,
    /// The properties of its entities.
    pub(crate) columns: Vec<ColumnView>,
}

/// A property of a type's entities.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ColumnView {
    /// Id of its table in URLs: the type's own table, or the link table of a relation with several
    /// values.
    pub(crate) table: String,
    /// The graph's name for it.
    pub(crate) title: String,
    /// The kind of its values.
    pub(crate) kind: ColumnKind,
    /// The type of its values.
    pub(crate) to: Option<String>,
    /// Number of its values.
    pub(crate) values: u64,
    /// Whether an entity may have several values.
    pub(crate) several: bool,
    /// Some values.
    examples: Vec<String>,
}

/// The kind of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ColumnKind {
    /// Entities.
    Entity,
    /// Numbers.
    Number,
    /// Dates, years, times.
    Date,
    /// True or false.
    Flag,
    /// Text, and values of mixed kinds.
    Text,
}

/// A relation between two types.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct LinkView {
    /// Id of the type of the heads.
    pub(crate) from: String,
    /// Id of the type of the tails.
    pub(crate) to: String,
    /// The graph's name for it.
    pub(crate) title: String,
    /// Number of triples.
    pub(crate) triples: u64,
}

/// A relation of the graph.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub(crate) struct RelationCount {
    /// Its id.
    pub(crate) id: String,
    /// The graph's name for it.
    pub(crate) title: String,
    /// Number of triples.
    pub(crate) triples: u64,
    /// Number of distinct heads.
    pub(crate) heads: u64,
    /// Number of distinct tails.
    pub(crate) tails: u64,
}

impl From<Kind> for ColumnKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Entity(_) => Self::Entity,
            Kind::Number { .. } => Self::Number,
            Kind::Date => Self::Date,
            Kind::Flag => Self::Flag,
            Kind::Text => Self::Text,
        }
    }
}

/// A title of the graph in readable form: `release_year` is "release year".
pub(crate) fn readable(title: &str) -> String {
    title.replace('_', " ").trim().to_owned()
}

/// Types with their columns, and the links between them.
pub(crate) fn types(tables: &Tables) -> (Vec<TypeView>, Vec<LinkView>) {
    let (mut views, mut links) = (Vec::new(), Vec::new());
    for (at, table) in shown(tables) {
        let mut columns = Vec::new();
        let own = table.columns.iter().skip(1).map(|column| (table, column, column.filled, false));
        let of_it = tables.tables.iter().filter_map(|links| match &links.source {
            Rows::Links { heads, .. } if *heads == at => {
                Some((links, links.columns.get(1)?, links.rows, true))
            }
            _ => None,
        });
        for (holder, column, values, several) in own.chain(of_it) {
            let to = target(tables, column);
            if let Some(to) = &to {
                let (from, to, title) = (table.id.clone(), to.clone(), readable(&column.title));
                links.push(LinkView { from, to, title, triples: values });
            }
            columns.push(ColumnView {
                table: holder.id.clone(),
                title: readable(&column.title),
                kind: column.kind.into(),
                to,
                values,
                several,
                examples: column.examples.iter().take(EXAMPLES).cloned().collect(),
            });
        }
        views.push(TypeView {
            id: table.id.clone(),
            title: readable(&table.title),
            rows: table.rows,
            columns,
        });
    }
    views.sort_by_key(|view| std::cmp::Reverse(view.rows));
    links.sort_by_key(|link| std::cmp::Reverse(link.triples));
    (views, links)
}

/// The tables of entities that are no subtype of another table, with their positions.
pub(crate) fn shown(tables: &Tables) -> impl Iterator<Item = (usize, &quipu_query::Table)> {
    tables.tables.iter().enumerate().filter(|(_, table)| !table.is_links() && table.within.is_none())
}

/// The id of the type of a column's values.
fn target(tables: &Tables, column: &Column) -> Option<String> {
    let Kind::Entity(Some(to)) = column.kind else { return None };
    let table = tables.table(to)?;
    let whole = table.within.and_then(|whole| tables.table(whole)).unwrap_or(table);
    (!whole.is_links()).then(|| whole.id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use quipu_query::Table;

    fn column(title: &str, kind: Kind, filled: u64) -> Column {
        Column {
            id: title.into(),
            title: title.into(),
            relation: Some(format!("http://t.example/{title}")),
            kind,
            filled,
            distinct: filled,
            examples: Vec::new(),
            range: None,
            references: None,
            mixed: false,
            only_here: false,
            years: false,
            minutes: false,
            unit: None,
        }
    }

    fn table(id: &str, rows: u64, source: Rows, columns: Vec<Column>) -> Table {
        Table {
            id: id.into(),
            title: id.into(),
            rows,
            source,
            columns,
            within: None,
            kinds: Vec::new(),
            unnamed: false,
        }
    }

    #[test]
    fn links_lead_to_types_and_relations_with_several_values_belong_to_their_heads() {
        let types_of = |iri: &str| Rows::Types(vec![iri.to_owned()]);
        let mut metro = table("metro", 1, types_of("metro"), vec![column("name", Kind::Entity(None), 1)]);
        metro.within = Some(0);
        let tables = Tables {
            tables: vec![
                table(
                    "town",
                    3,
                    types_of("town"),
                    vec![
                        column("name", Kind::Entity(None), 3),
                        column("mayor_of", Kind::Entity(Some(1)), 2),
                        column("people", Kind::Number { text: false }, 3),
                    ],
                ),
                table("person", 9, types_of("person"), vec![column("name", Kind::Entity(None), 9)]),
                metro,
                table(
                    "town_twin",
                    4,
                    Rows::Links { relation: "twin".into(), heads: 0 },
                    vec![column("town", Kind::Entity(Some(0)), 4), column("twin", Kind::Entity(Some(2)), 4)],
                ),
            ],
            ..Tables::default()
        };
        let (types, links) = types(&tables);
        assert_eq!(types.iter().map(|view| view.id.as_str()).collect::<Vec<_>>(), ["person", "town"]);
        let links: Vec<_> =
            links.iter().map(|link| (&*link.from, &*link.title, &*link.to, link.triples)).collect();
        assert_eq!(links, [("town", "twin", "town", 4), ("town", "mayor of", "person", 2)]);
        let town: Vec<_> =
            types[1].columns.iter().map(|c| (&*c.table, &*c.title, c.kind, c.several)).collect();
        assert_eq!(
            town,
            [
                ("town", "mayor of", ColumnKind::Entity, false),
                ("town", "people", ColumnKind::Number, false),
                ("town_twin", "twin", ColumnKind::Entity, true),
            ]
        );
    }
}
