//! A path along relations as a query: what leads from one thing to others, said over the graph's tables.

use crate::syntax::{Body, ColumnRef, Comparison, Expression, From, Item, Join, Query, Select, Source};
use crate::tables::{Kind, Place, Rows, Tables};
use crate::values::entity_term;

/// A step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathStep {
    /// IRI of the relation.
    pub relation: String,
    /// Whether it is followed from its tail to its head.
    pub backward: bool,
}

/// Where a path starts.
#[derive(Debug, Clone, Copy)]
pub struct PathStart<'a> {
    /// The entity's key.
    pub key: &'a str,
    /// Its name.
    pub name: &'a str,
    /// IRIs of its types.
    pub types: &'a [String],
}

/// The query for what a path leads to; nothing where the tables do not hold one of its relations, or hold it
/// in several places of which none is known to be meant.
pub fn path_query(tables: &Tables, from: &PathStart<'_>, steps: &[PathStep]) -> Option<Query> {
    let start = entity_term(from.key)?;
    let mut before: Option<Query> = None;
    let is_type =
        |rows: &Rows| matches!(rows, Rows::Types(iris) if iris.iter().any(|iri| from.types.contains(iri)));
    let mut kind = tables.tables.iter().position(|table| is_type(&table.source));
    for (number, step) in steps.iter().enumerate() {
        let value = value_column(tables, step, kind)?;
        let head = Place { column: 0, ..value };
        let (held, given) = if step.backward { (value, head) } else { (head, value) };
        let alias = format!("step_{}", number + 1);
        let column = |place: Place| {
            Some(Expression::Column(ColumnRef {
                table: Some(alias.clone()),
                name: tables.column(place)?.id.clone(),
                place: Some(place),
            }))
        };
        let left = Box::new(column(held)?);
        let filter = match before.take() {
            None => Expression::Compare(
                Comparison::Equal,
                left,
                Box::new(Expression::Terms(vec![start.clone()], from.name.to_owned())),
            ),
            Some(query) => Expression::InQuery(left, Box::new(query)),
        };
        let id = tables.table(value.table)?.id.clone();
        let select = Select {
            // Several ways to one thing make it one thing.
            distinct: true,
            items: vec![Item { expression: column(given)?, alias: None }],
            from: vec![From {
                source: Source::Table(id, Some(value.table)),
                alias: alias.clone(),
                join: Join::Inner(None),
            }],
            filter: Some(filter),
            ..Select::default()
        };
        before =
            Some(Query { body: Body::Select(Box::new(select)), order: Vec::new(), limit: None, offset: 0 });
        kind = tables.leads_to(given);
    }
    before
}

/// The column that holds a relation's values: of the table that is known to be meant, else the only one.
fn value_column(tables: &Tables, step: &PathStep, from: Option<usize>) -> Option<Place> {
    let mut places = tables
        .columns()
        .filter(|(place, column)| place.column > 0 && column.relation.as_deref() == Some(&step.relation));
    let heads = |place: Place| match tables.table(place.table).map(|table| &table.source) {
        Some(Rows::Links { heads, .. }) => Some(*heads),
        Some(_) => Some(place.table),
        None => None,
    };
    let all: Vec<(Place, Kind)> = places.by_ref().map(|(place, column)| (place, column.kind)).collect();
    if let [(place, _)] = all.as_slice() {
        return Some(*place);
    }
    let of_kind = |(place, kind): &&(Place, Kind)| match (step.backward, from) {
        (_, None) => false,
        (false, Some(table)) => heads(*place) == Some(table),
        (true, Some(table)) => *kind == Kind::Entity(Some(table)),
    };
    let mut known = all.iter().filter(of_kind);
    known.next().filter(|_| known.next().is_none()).map(|(place, _)| *place)
}
