//! Reads the values of columns from the graph.

use std::collections::{BTreeMap, HashMap, HashSet};

use oxrdf::{Literal as RdfLiteral, NamedNode, Term};
use quipu_graph::{
    Datatype, Direction, Graph, GraphError, Literal, NodeId, NodeSummary, RelationId, RelationRole, Step,
    iri_of_key,
};

use crate::tables::{Kind, Place, Rows, Table, Tables};

/// Most values of one column that are kept in memory.
pub(super) const MOST_OF_COLUMN: u64 = 30_000;
/// Nodes whose names one call asks for.
const BATCH: usize = 2_000;

/// The values of a column with their terms. `shared` are those of a relation that other tables have
/// too, if they were read from the rows.
pub(super) async fn read_values(
    graph: &dyn Graph,
    tables: &Tables,
    place: Place,
    shared: Option<Vec<NodeId>>,
) -> Result<Vec<(String, Term)>, GraphError> {
    let Some(column) = tables.column(place) else { return Ok(Vec::new()) };
    let mut nodes: Vec<NodeId> = match (&column.relation, shared) {
        (Some(iri), _) if tables.type_relations.contains(iri) => {
            nodes_of(graph, kinds_of(tables, place.table).iter()).await?
        }
        (Some(_), Some(shared)) => shared,
        (Some(iri), None) => {
            let Some(relation) = relation_of(graph, iri) else { return Ok(Vec::new()) };
            let triples = graph.sample_triples(relation, MOST_OF_COLUMN as usize).await?;
            triples.into_iter().map(|(_, tail)| tail).collect()
        }
        (None, _) => rows_of(graph, tables, place.table).await?,
    };
    nodes.sort_unstable();
    nodes.dedup();
    let mut values = Vec::new();
    for batch in nodes.chunks(BATCH) {
        if column.relation.is_some() {
            let summaries = graph.summaries(batch).await?;
            let of_its_kind = types_of_kind(graph, tables, column.kind, &summaries).await?;
            let untyped = matches!(column.kind, Kind::Entity(Some(table))
                if matches!(tables.table(table).map(|table| &table.source), Some(Rows::Ends { .. })));
            for summary in summaries {
                let term = match &summary.literal {
                    Some(literal) => Some(literal_term(literal)),
                    // The table of its type has it already.
                    None if untyped || summary.types.iter().any(|of| of_its_kind.contains(of)) => None,
                    None => entity_term(&summary.key),
                };
                values.extend(term.map(|term| (summary.name, term)));
            }
            continue;
        }
        for entity in graph.entities(batch).await? {
            let Some(term) = entity_term(&entity.summary.key) else { continue };
            let names = std::iter::once(entity.summary.name).chain(entity.aliases);
            values.extend(names.map(|name| (name, term.clone())));
        }
    }
    Ok(values)
}

/// The values of columns whose relation other tables have too, read from the rows of their own
/// table. Tables with more rows than `most` are left out.
pub(super) async fn shared_values(
    graph: &dyn Graph,
    tables: &Tables,
    columns: &[Place],
    most: u64,
) -> Result<HashMap<Place, Vec<NodeId>>, GraphError> {
    /// Most values looked at of one thing.
    const EACH: usize = 100;
    let mut of_table: BTreeMap<usize, HashMap<Step, Place>> = BTreeMap::new();
    for place in columns {
        let relation = tables.column(*place).filter(|column| !column.only_here);
        let relation = relation.and_then(|column| relation_of(graph, column.relation.as_ref()?));
        let rows = match tables.table(place.table).map(|table| &table.source) {
            Some(Rows::Links { heads, .. }) => *heads,
            _ => place.table,
        };
        let is_small = |table: &Table| !table.is_links() && table.rows <= most;
        if let Some(relation) = relation.filter(|_| tables.table(rows).is_some_and(is_small)) {
            let step = Step { relation, direction: Direction::Forward };
            of_table.entry(rows).or_default().insert(step, *place);
        }
    }
    let places = of_table.values().flat_map(HashMap::values);
    let mut values: HashMap<Place, Vec<NodeId>> = places.map(|place| (*place, Vec::new())).collect();
    for (table, places) in of_table {
        let steps: Vec<Step> = places.keys().copied().collect();
        for batch in rows_of(graph, tables, table).await?.chunks(BATCH) {
            for expansion in graph.expand(batch, Some(&steps), EACH).await?.into_iter().flatten() {
                if let Some(place) = places.get(&expansion.step) {
                    values.entry(*place).or_default().extend(expansion.nodes);
                }
            }
        }
    }
    Ok(values)
}

/// The relation with an IRI.
fn relation_of(graph: &dyn Graph, iri: &str) -> Option<RelationId> {
    let mut all = (0..).map(RelationId).zip(graph.relations());
    all.find(|(_, info)| iri_of_key(&info.key) == iri).map(|(relation, _)| relation)
}

/// Those types of some entities that belong to a column's table.
async fn types_of_kind(
    graph: &dyn Graph,
    tables: &Tables,
    kind: Kind,
    things: &[NodeSummary],
) -> Result<HashSet<NodeId>, GraphError> {
    let Kind::Entity(Some(table)) = kind else { return Ok(HashSet::new()) };
    let Some(Rows::Types(iris)) = tables.table(table).map(|table| &table.source) else {
        return Ok(HashSet::new());
    };
    let mut types: Vec<NodeId> = things.iter().flat_map(|thing| thing.types.iter().copied()).collect();
    types.sort_unstable();
    types.dedup();
    let is_its = |of: &NodeSummary| iris.iter().any(|iri| iri_of_key(&of.key) == *iri);
    Ok(graph.summaries(&types).await?.into_iter().filter(is_its).map(|of| of.node).collect())
}

/// The nodes of some IRIs.
async fn nodes_of(graph: &dyn Graph, iris: impl Iterator<Item = &String>) -> Result<Vec<NodeId>, GraphError> {
    let keys: Vec<_> = iris.map(|iri| quipu_graph::key_of_iri(iri)).collect();
    let keys: Vec<&str> = keys.iter().map(AsRef::as_ref).collect();
    Ok(graph.resolve(&keys).await?.into_iter().flatten().collect())
}

/// The values of a table's column of kinds.
fn kinds_of(tables: &Tables, table: usize) -> &[String] {
    let of = match tables.table(table).map(|table| &table.source) {
        Some(Rows::Links { heads, .. }) => *heads,
        _ => table,
    };
    tables.table(of).map_or(&[], |table| &table.kinds)
}

/// The entities of a table.
async fn rows_of(graph: &dyn Graph, tables: &Tables, table: usize) -> Result<Vec<NodeId>, GraphError> {
    let ids = || (0..).map(RelationId).zip(graph.relations());
    match tables.table(table).map(|table| &table.source) {
        Some(Rows::Types(iris)) => {
            let nodes = nodes_of(graph, iris.iter()).await?;
            let of_type = ids().filter(|(_, info)| info.role == RelationRole::Type);
            let steps: Vec<Step> =
                of_type.map(|(relation, _)| Step { relation, direction: Direction::Backward }).collect();
            let found = graph.expand(&nodes, Some(&steps), MOST_OF_COLUMN as usize).await?;
            Ok(found.into_iter().flatten().flat_map(|expansion| expansion.nodes).collect())
        }
        Some(Rows::Ends { heads, tails, others }) => {
            let mut rows = nodes_of(graph, others.iter()).await?;
            for (relation, info) in ids() {
                let key = iri_of_key(&info.key);
                let [is_head, is_tail] = [heads, tails].map(|of| of.iter().any(|iri| key == *iri));
                if is_head || is_tail {
                    let triples = graph.sample_triples(relation, MOST_OF_COLUMN as usize).await?;
                    for (head, tail) in triples {
                        rows.extend([is_head.then_some(head), is_tail.then_some(tail)].into_iter().flatten());
                    }
                }
            }
            rows.sort_unstable();
            rows.dedup();
            Ok(rows)
        }
        _ => Ok(Vec::new()),
    }
}

/// The term of an entity; `None` for a blank node, which no query can name.
pub(crate) fn entity_term(key: &str) -> Option<Term> {
    NamedNode::new(iri_of_key(key).into_owned()).ok().filter(|_| !key.starts_with("_:")).map(Term::NamedNode)
}

/// The term of a literal.
pub(crate) fn literal_term(literal: &Literal) -> Term {
    const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
    if let Some(language) = &literal.language
        && let Ok(tagged) = RdfLiteral::new_language_tagged_literal(&literal.lexical, language)
    {
        return Term::Literal(tagged);
    }
    let datatype = match &literal.datatype {
        Datatype::String => return Term::Literal(RdfLiteral::new_simple_literal(&literal.lexical)),
        Datatype::Integer => format!("{XSD}integer"),
        Datatype::Decimal => format!("{XSD}decimal"),
        Datatype::Boolean => format!("{XSD}boolean"),
        Datatype::Date => format!("{XSD}date"),
        Datatype::DateTime => format!("{XSD}dateTime"),
        Datatype::Year => format!("{XSD}gYear"),
        Datatype::YearMonth => format!("{XSD}gYearMonth"),
        Datatype::Other(iri) => iri.clone(),
    };
    Term::Literal(RdfLiteral::new_typed_literal(&literal.lexical, NamedNode::new_unchecked(datatype)))
}
