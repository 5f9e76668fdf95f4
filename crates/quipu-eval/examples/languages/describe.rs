//! The shown tables in the idiom of the other languages, with the same content as in SQL: types,
//! links and example values.

use std::collections::BTreeSet;

use quipu_query::{Column, Kind, Mention, Place, Table, Tables, words_of};

use crate::Language;

/// A property of a class: a column of its table, or the other end of a table of links.
struct Property<'a> {
    column: &'a Column,
    several: bool,
}

/// Classes with their properties, as shapes (ShEx): `:ship { rdfs:label xsd:string ; :home_port
/// @:port }`. Triples with example values as objects were worse, because the model copied them
/// whole.
pub fn classes(tables: &Tables, shown: &BTreeSet<Place>) -> String {
    let line = |(table, properties): (&Table, Vec<Property>)| {
        let name = table.columns.first().map(|column| commented(column, '"')).unwrap_or_default();
        let mut parts = vec![format!("rdfs:label xsd:string{name}")];
        for Property { column, several } in properties {
            let star = if several { " *" } else { "" };
            parts.push(match link(tables, column) {
                Some(target) => format!(":{} @:{}{star}", column.id, target.id),
                None => format!(":{} {}{star}{}", column.id, datatype(column.kind), commented(column, '"')),
            });
        }
        format!(":{} {{ {} }}\n", table.id, parts.join(" ; "))
    };
    described(tables, shown).into_iter().map(line).collect()
}

/// Labels with their properties, then relationships: `(:Ship {name: STRING})`,
/// `(:Ship)-[:HOME_PORT]->(:Port)`.
pub fn labels(tables: &Tables, shown: &BTreeSet<Place>) -> String {
    let (mut nodes, mut relationships) = (String::new(), String::new());
    for (table, properties) in described(tables, shown) {
        let of = label(&table.id);
        let name = table.columns.first().map(|column| commented(column, '\'')).unwrap_or_default();
        let mut parts = vec![format!("name: STRING{name}")];
        for Property { column, several } in properties {
            if let Some(target) = link(tables, column) {
                let (kind, target) = (column.id.to_uppercase(), label(&target.id));
                relationships.push_str(&format!("(:{of})-[:{kind}]->(:{target})\n"));
                continue;
            }
            let kind = match column.kind {
                _ if several => "LIST",
                Kind::Number { .. } => "FLOAT",
                Kind::Date => "DATE",
                Kind::Flag => "BOOLEAN",
                Kind::Entity(_) | Kind::Text => "STRING",
            };
            parts.push(format!("{}: {kind}{}", column.id, commented(column, '\'')));
        }
        nodes.push_str(&format!("(:{of} {{{}}})\n", parts.join(", ")));
    }
    nodes + &relationships
}

/// A table's identifier as a label: `wading_bird` is `WadingBird`.
pub fn label(id: &str) -> String {
    let capital = |word: String| {
        let mut characters = word.chars();
        let first = characters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        first + characters.as_str()
    };
    words_of(id).into_iter().map(capital).collect()
}

/// A hint for a part of the question, if it is a value of exactly one column.
pub fn hint(language: Language, tables: &Tables, mention: &Mention) -> Option<String> {
    let [found] = mention.matches.as_slice() else { return None };
    let (table, column) = (tables.table(found.place.table)?, tables.column(found.place)?);
    let value = found.shown.first()?;
    let owner = match table.source {
        quipu_query::Rows::Links { heads, .. } => tables.table(heads)?,
        _ => table,
    };
    let is_name = found.place.column == 0;
    let meant = match language {
        Language::Sql => format!("{}.{} = '{}'", table.id, column.id, value.replace('\'', "''")),
        Language::Sparql => {
            let property = if is_name { "rdfs:label".to_owned() } else { format!(":{}", column.id) };
            format!("?{} a :{} ; {property} \"{}\"", owner.id, owner.id, value.replace('"', "\\\""))
        }
        Language::Cypher => {
            let property = if is_name { "name" } else { &column.id };
            format!("(:{} {{{property}: '{}'}})", label(&owner.id), value.replace('\'', "\\'"))
        }
    };
    Some(format!("“{}” may be {meant}", mention.text))
}

/// The shown tables of entities, each with its shown properties, including those in shown link
/// tables.
fn described<'a>(tables: &'a Tables, shown: &BTreeSet<Place>) -> Vec<(&'a Table, Vec<Property<'a>>)> {
    let is_shown = |table: usize| shown.contains(&Place { table, column: 0 });
    let things = tables.tables.iter().enumerate().filter(|(at, table)| is_shown(*at) && !table.is_links());
    let properties = |at: usize, table: &'a Table| {
        let own = table.columns.iter().enumerate().skip(1);
        let own = own.filter(move |(column, _)| shown.contains(&Place { table: at, column: *column }));
        let own = own.map(|(_, column)| Property { column, several: false });
        let of_links = tables.tables.iter().enumerate().filter(move |(links, table)| {
            is_shown(*links)
                && matches!(&table.source, quipu_query::Rows::Links { heads, .. } if *heads == at)
        });
        let linked = of_links.filter_map(|(_, table)| table.columns.get(1));
        own.chain(linked.map(|column| Property { column, several: true })).collect()
    };
    things.map(|(at, table)| (table, properties(at, table))).collect()
}

/// The table that a column refers to.
fn link<'a>(tables: &'a Tables, column: &Column) -> Option<&'a Table> {
    match column.kind {
        Kind::Entity(Some(target)) => tables.table(target),
        _ => None,
    }
}

fn datatype(kind: Kind) -> &'static str {
    match kind {
        Kind::Number { .. } => "xsd:decimal",
        Kind::Date => "xsd:date",
        Kind::Flag => "xsd:boolean",
        Kind::Entity(_) | Kind::Text => "xsd:string",
    }
}

/// Examples of a column as a comment, the same as in SQL.
fn commented(column: &Column, quote: char) -> String {
    let few = column.distinct <= column.examples.len() as u64;
    let most = match column.kind {
        Kind::Number { .. } if !few => 0,
        Kind::Flag => 0,
        Kind::Date => 1,
        _ => column.examples.len(),
    };
    let clean = |example: &String| {
        let text: String = example.chars().filter(|c| !c.is_control() && *c != quote).collect();
        let text = text.replace("*/", "* /");
        match column.kind {
            Kind::Number { .. } => text.replace(',', ""),
            _ => format!("{quote}{text}{quote}"),
        }
    };
    let shown: Vec<String> = column.examples.iter().take(most).map(clean).collect();
    if shown.is_empty() { String::new() } else { format!(" /* {} */", shown.join(", ")) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{classes, label, labels};
    use crate::names::tests::harbour;
    use quipu_query::Place;

    #[test]
    fn the_same_tables_in_two_idioms() {
        let tables = harbour();
        let shown: BTreeSet<Place> = tables.columns().map(|(place, _)| place).collect();
        assert_eq!(
            classes(&tables, &shown),
            ":ship { rdfs:label xsd:string /* \"Gull\", \"Tern\" */ ; :tonnage xsd:decimal ; :home_port @:port \
             ; :built xsd:date /* \"1921-05-01\" */ ; :flag xsd:string /* \"blue\", \"red\" */ ; :cargo \
             xsd:string * /* \"salt\", \"tea\" */ }\n:port { rdfs:label xsd:string /* \"Ostra\", \"Velm\" */ }\n"
        );
        assert_eq!(
            labels(&tables, &shown),
            "(:Ship {name: STRING /* 'Gull', 'Tern' */, tonnage: FLOAT, built: DATE /* '1921-05-01' */, flag: STRING /* 'blue', \
             'red' */, cargo: LIST /* 'salt', 'tea' */})\n(:Port {name: STRING /* 'Ostra', 'Velm' \
             */})\n(:Ship)-[:HOME_PORT]->(:Port)\n"
        );
        assert_eq!(label("wading_bird"), "WadingBird");
    }
}
