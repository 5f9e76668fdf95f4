//! The schema summary: the pairs of types that each relation joins, with their counts. It is
//! counted once, at import.

use std::collections::HashMap;
use std::path::Path;

use memmap2::Advice;

use super::adjacency::Adjacency;
use super::file::{FileEntry, FileWriter, MappedFile};
use super::manifest::Manifest;
use crate::bytes::{Cursor, push_varint};
use crate::{Direction, GraphError, NodeId, RelationId, RelationInfo, RelationRole, SchemaEdge};

/// Most types of an entity that are counted. Some entities have fifty, and one triple between two
/// of them would count 2,500 times.
const TYPES_COUNTED: usize = 8;

/// The sets of types that entities have: `sets[of[entity]]`. Literals and untyped entities have set
/// 0, the empty one.
pub(crate) struct TypeSets {
    sets: Vec<Vec<u32>>,
    numbers: HashMap<Vec<u32>, u32>,
    of: Vec<u32>,
}

impl TypeSets {
    pub(crate) fn new() -> Self {
        Self { sets: vec![Vec::new()], numbers: HashMap::from([(Vec::new(), 0)]), of: Vec::new() }
    }

    /// Adds the types of the next entity.
    pub(crate) fn push(&mut self, types: &[u32]) -> Result<(), GraphError> {
        let types = types.get(..TYPES_COUNTED).unwrap_or(types);
        let number = match self.numbers.get(types) {
            Some(number) => *number,
            None => {
                let number = u32::try_from(self.sets.len())
                    .map_err(|_| GraphError::Usage("more than 4 billion sets of types".into()))?;
                self.sets.push(types.to_vec());
                self.numbers.insert(types.to_vec(), number);
                number
            }
        };
        self.of.push(number);
        Ok(())
    }

    fn of(&self, node: NodeId) -> u32 {
        self.of.get(node.0 as usize).copied().unwrap_or(0)
    }

    fn types(&self, set: u32) -> impl Iterator<Item = Option<u32>> + Clone + '_ {
        let types = self.sets.get(set as usize).map(Vec::as_slice).unwrap_or_default();
        let untyped = types.is_empty().then_some(None);
        types.iter().copied().map(Some).chain(untyped)
    }
}

#[derive(Default, Clone, Copy)]
struct EdgeCounts {
    triples: u64,
    heads: u64,
    tails: u64,
}

type EdgeKey = (Option<u32>, u32, Option<u32>);

/// Counts the schema summary over the whole adjacency.
pub(crate) fn count_schema(
    adjacency: &Adjacency,
    relations: &[RelationInfo],
    sets: &TypeSets,
) -> Result<Vec<SchemaEdge>, GraphError> {
    let mut edges: HashMap<EdgeKey, EdgeCounts> = HashMap::new();
    let mut across: HashMap<u32, u64> = HashMap::new();
    for node in 0..sets.of.len() as u64 {
        let own = sets.of(NodeId(node));
        adjacency.visit(NodeId(node), |group, list| {
            let relation = group.step.relation.0;
            let role = relations.get(relation as usize).map(|info| info.role);
            if role != Some(RelationRole::Ordinary) {
                return Ok(());
            }
            across.clear();
            for neighbour in list.all()?.iter() {
                *across.entry(sets.of(neighbour)).or_default() += 1;
            }
            count_group(&mut edges, sets, own, relation, group.step.direction, &across);
            Ok(())
        })?;
    }
    count_literal_tails(&mut edges, adjacency, relations, sets)?;
    let mut edges: Vec<SchemaEdge> = edges.into_iter().map(to_edge).collect();
    edges.sort_by_key(|edge| (edge.head_type, edge.relation, edge.tail_type));
    Ok(edges)
}

/// Counts one group of a node: forward groups count triples and heads, backward groups count tails.
fn count_group(
    edges: &mut HashMap<EdgeKey, EdgeCounts>,
    sets: &TypeSets,
    own: u32,
    relation: u32,
    direction: Direction,
    across: &HashMap<u32, u64>,
) {
    let mut by_type: HashMap<Option<u32>, u64> = HashMap::new();
    for (set, count) in across {
        for kind in sets.types(*set) {
            *by_type.entry(kind).or_default() += count;
        }
    }
    for own_type in sets.types(own) {
        for (other_type, count) in &by_type {
            if direction == Direction::Forward {
                let edge = edges.entry((own_type, relation, *other_type)).or_default();
                edge.triples += count;
                edge.heads += 1;
            } else {
                edges.entry((*other_type, relation, own_type)).or_default().tails += 1;
            }
        }
    }
}

/// Counts the tails without a type: literals come after the entities and are not in `sets`, so
/// their backward groups are these tails.
fn count_literal_tails(
    edges: &mut HashMap<EdgeKey, EdgeCounts>,
    adjacency: &Adjacency,
    relations: &[RelationInfo],
    sets: &TypeSets,
) -> Result<(), GraphError> {
    let mut across: HashMap<u32, u64> = HashMap::new();
    for node in sets.of.len() as u64..adjacency.nodes() {
        adjacency.visit(NodeId(node), |group, list| {
            let relation = group.step.relation.0;
            if relations.get(relation as usize).is_some_and(|info| info.role == RelationRole::Ordinary) {
                across.clear();
                for neighbour in list.all()?.iter() {
                    *across.entry(sets.of(neighbour)).or_default() += 1;
                }
                count_group(edges, sets, 0, relation, group.step.direction, &across);
            }
            Ok(())
        })?;
    }
    Ok(())
}

fn to_edge(((head, relation, tail), counts): (EdgeKey, EdgeCounts)) -> SchemaEdge {
    let node = |number: u32| NodeId(u64::from(number));
    SchemaEdge {
        head_type: head.map(node),
        relation: RelationId(relation),
        tail_type: tail.map(node),
        triples: counts.triples,
        heads: counts.heads,
        tails: counts.tails,
    }
}

/// Writes the summary in its sorted order.
pub(crate) fn write_schema(folder: &Path, edges: &[SchemaEdge]) -> Result<FileEntry, GraphError> {
    let mut file = FileWriter::create(folder, "schema")?;
    let mut out = Vec::new();
    for edge in edges {
        out.clear();
        let code = |node: Option<NodeId>| node.map_or(0, |node| node.0 + 1);
        let numbers = [code(edge.head_type), u64::from(edge.relation.0), code(edge.tail_type)];
        for number in numbers.into_iter().chain([edge.triples, edge.heads, edge.tails]) {
            push_varint(&mut out, number);
        }
        file.write(&out)?;
    }
    file.finish()
}

/// Maps the summary. It is read on first use.
pub(super) fn open_schema(folder: &Path, manifest: &Manifest) -> Result<MappedFile, GraphError> {
    MappedFile::open(folder, manifest.file(folder, "schema")?, Advice::Normal)
}

/// Reads the summary.
pub(super) fn read_schema(file: &MappedFile, manifest: &Manifest) -> Result<Vec<SchemaEdge>, GraphError> {
    let mut cursor = Cursor::new(file.whole()?, 0);
    (0..manifest.counts.schema_edges)
        .map(|_| read_edge(&mut cursor).ok_or_else(|| file.corrupt("an edge of the schema is damaged")))
        .collect()
}

fn read_edge(cursor: &mut Cursor<'_>) -> Option<SchemaEdge> {
    Some(SchemaEdge {
        head_type: cursor.varint()?.checked_sub(1).map(NodeId),
        relation: RelationId(u32::try_from(cursor.varint()?).ok()?),
        tail_type: cursor.varint()?.checked_sub(1).map(NodeId),
        triples: cursor.count()?,
        heads: cursor.count()?,
        tails: cursor.count()?,
    })
}
