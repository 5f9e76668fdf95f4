//! A service as a [`Graph`]: operations that start from one entity are relations, and so are the
//! fields of its records.

use futures::future::try_join_all;

use super::catalogue::Meaning;
use super::graph::{ApiGraph, kind_key};
use super::ids::{KindId, words};
use super::nodes::{Node, is_literal};
use super::operation::Operation;
use super::records::Record;
use crate::{
    Direction, Document, Entity, Expansion, Graph, GraphDescription, GraphError, NodeId, NodeSummary,
    RelationId, RelationInfo, RelationUse, SchemaEdge, Step,
};

/// Labels of entities that are fetched one by one for a list of names. The remaining entities are
/// shown by their ids.
const MOST_LABELS: usize = 64;

/// A relation in the words of the service's own documents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DescribedRelation {
    /// The kind of its heads.
    pub head: String,
    /// The kind of its tails, where they are entities.
    pub tail: Option<String>,
    /// The document's description, and the manifest's phrases for questions about it.
    pub says: String,
}

impl ApiGraph {
    /// The operations and fields that start from a kind, as positions in the catalogue.
    fn steps_from(&self, kind: KindId) -> Vec<RelationId> {
        let derived =
            |of: KindId| self.service().kind(of).and_then(|of| of.of).is_some_and(|(from, _)| from == kind);
        let starts = |meaning: &Meaning| match meaning {
            Meaning::Field(of, _) => *of == kind,
            Meaning::Operation(operation) => {
                let from = self.service().operation(*operation).and_then(Operation::starts_from);
                from.is_some_and(|from| from == kind || derived(from))
            }
        };
        let positions = self.meanings.iter().enumerate().filter(|(_, meaning)| starts(meaning));
        positions.filter_map(|(at, _)| Some(RelationId(u32::try_from(at).ok()?))).collect()
    }

    /// The descriptions of each relation in document and manifest, in the order of the catalogue.
    pub fn described_relations(&self) -> Vec<DescribedRelation> {
        let name = |kind: Option<KindId>| {
            kind.and_then(|kind| self.service().kind(kind)).map(|kind| kind.name.clone())
        };
        let described = |meaning: &Meaning| match meaning {
            Meaning::Operation(id) => {
                let operation = self.service().operation(*id);
                let says = operation.map(|operation| format!("{} {}", operation.asks, operation.description));
                DescribedRelation {
                    head: name(operation.and_then(Operation::starts_from)).unwrap_or_default(),
                    tail: name(operation.and_then(|operation| operation.gives)),
                    says: says.unwrap_or_default(),
                }
            }
            Meaning::Field(kind, field) => {
                let giving = || self.service().operations.iter().filter(|o| o.gives == Some(*kind));
                let says = giving().find_map(|operation| operation.fields.get(field));
                DescribedRelation {
                    head: name(Some(*kind)).unwrap_or_default(),
                    tail: name(giving().find_map(|operation| operation.link(field))),
                    says: says.cloned().unwrap_or_default(),
                }
            }
        };
        self.meanings.iter().map(described).collect()
    }

    /// The neighbours of an entity along one relation.
    async fn follow(&self, kind: KindId, key: &str, meaning: &Meaning) -> Result<Vec<NodeId>, GraphError> {
        match meaning {
            Meaning::Field(_, field) => {
                let records = self.records_of(kind, key).await?;
                Ok(self.field_nodes(&records, field))
            }
            Meaning::Operation(id) => {
                let Some(operation) = self.service().operation(*id) else { return Ok(Vec::new()) };
                let Some(from) = operation.starts_from() else { return Ok(Vec::new()) };
                let key = if from == kind {
                    key.to_owned()
                } else {
                    let source = self.as_written(kind, key, key);
                    match self.derived(from, &source).await?.into_iter().next() {
                        Some(found) => found.key,
                        None => return Ok(Vec::new()),
                    }
                };
                let Some(taken) = operation.parameter_for(from) else { return Ok(Vec::new()) };
                let arguments = [(taken.parameter.name.clone(), vec![key])];
                let records = self.call(*id, &arguments).await?;
                Ok(records
                    .iter()
                    .filter(|r| !r.nested)
                    .map(|record| self.record_node(operation, record))
                    .collect())
            }
        }
    }

    /// The nodes of one field of an entity's records: its values, or the records nested under it.
    fn field_nodes(&self, records: &[Record], field: &str) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        for found in records.iter().filter(|r| !r.nested).flat_map(|r| &r.fields).filter(|f| f.name == field)
        {
            for value in &found.values {
                nodes.push(match found.link {
                    Some(kind) => self.entity(kind, value, None),
                    None => self.nodes.value(value),
                });
            }
        }
        let table = format!(": {}", words(field));
        for record in records.iter().filter(|record| record.nested && record.table.ends_with(&table)) {
            nodes.push(self.nested_node(record));
        }
        nodes
    }

    fn nested_node(&self, record: &Record) -> NodeId {
        if let [only] = record.fields.as_slice()
            && let [value] = only.values.as_slice()
        {
            return self.nodes.value(value);
        }
        let line = record.to_line();
        let key = format!("{} {line}", record.path);
        self.nodes.intern(&key, Node::Record { path: record.path.clone(), line })
    }

    fn record_node(&self, operation: &Operation, record: &Record) -> NodeId {
        if let Some(kind) = operation.gives
            && let Some(found) = self.entity_of(kind, record, operation)
        {
            return found.node;
        }
        self.nested_node(record)
    }

    async fn summary(&self, id: NodeId, fetch: bool) -> Result<NodeSummary, GraphError> {
        let bare = |key: String, name: String, literal| NodeSummary {
            node: id,
            key,
            name,
            literal,
            types: Vec::new(),
            degree: 1,
        };
        Ok(match self.nodes.get(id)? {
            Node::Kind(kind) => {
                let name = self.service().kind(kind).map_or(String::new(), |kind| kind.name.clone());
                bare(name.clone(), words(&name), None)
            }
            Node::Value(literal) => bare(literal.lexical.clone(), literal.lexical.clone(), Some(literal)),
            Node::Record { path, line } => bare(path, line, None),
            Node::Entity { kind, key, label } => {
                let name = match label {
                    Some(label) => label,
                    None if fetch => self.label(kind, &key).await?,
                    None => key.clone(),
                };
                let described = self.service().kind(kind);
                let types = described
                    .map(|described| self.nodes.intern(&kind_key(described), Node::Kind(kind)))
                    .into_iter();
                NodeSummary {
                    node: id,
                    key: format!("{}:{key}", described.map_or("", |kind| kind.name.as_str())),
                    name,
                    literal: None,
                    types: types.collect(),
                    degree: self.steps_from(kind).len() as u64,
                }
            }
        })
    }
}

#[async_trait::async_trait]
impl Graph for ApiGraph {
    fn describe(&self) -> &GraphDescription {
        &self.description
    }

    fn asks_for_each_node(&self) -> bool {
        true
    }

    fn relations(&self) -> &[RelationInfo] {
        &self.relations
    }

    fn is_literal(&self, node: NodeId) -> bool {
        is_literal(node)
    }

    /// Keys are `kind:id`. The service is not asked whether such an entity exists.
    async fn resolve(&self, keys: &[&str]) -> Result<Vec<Option<NodeId>>, GraphError> {
        let resolve = |key: &&str| {
            let (name, id) = key.split_once(':')?;
            let kind = self.service().kinds.iter().position(|kind| kind.name == name)?;
            Some(self.entity(KindId(kind), id, None))
        };
        Ok(keys.iter().map(resolve).collect())
    }

    async fn summaries(&self, nodes: &[NodeId]) -> Result<Vec<NodeSummary>, GraphError> {
        let all = nodes.iter().enumerate().map(|(at, node)| self.summary(*node, at < MOST_LABELS));
        try_join_all(all).await
    }

    async fn entities(&self, nodes: &[NodeId]) -> Result<Vec<Entity>, GraphError> {
        let summaries = self.summaries(nodes).await?;
        let bare = |summary| Entity { summary, aliases: Vec::new(), description: None };
        Ok(summaries.into_iter().map(bare).collect())
    }

    async fn relations_of(&self, nodes: &[NodeId]) -> Result<Vec<Vec<RelationUse>>, GraphError> {
        let uses = |node: &NodeId| {
            let Node::Entity { kind, .. } = self.nodes.get(*node)? else { return Ok(Vec::new()) };
            let forward = |relation| Step { relation, direction: Direction::Forward };
            Ok(self
                .steps_from(kind)
                .into_iter()
                .map(|r| RelationUse { step: forward(r), fan_out: 1 })
                .collect())
        };
        nodes.iter().map(uses).collect()
    }

    async fn expand(
        &self,
        nodes: &[NodeId],
        steps: Option<&[Step]>,
        limit: usize,
    ) -> Result<Vec<Vec<Expansion>>, GraphError> {
        let expand = |node: NodeId| async move {
            let Node::Entity { kind, key, .. } = self.nodes.get(node)? else { return Ok(Vec::new()) };
            let wanted = |step: &Step| steps.is_none_or(|steps| steps.contains(step));
            let mut found = Vec::new();
            for relation in self.steps_from(kind) {
                let step = Step { relation, direction: Direction::Forward };
                let meaning = self.meanings.get(relation.0 as usize);
                let (true, Some(meaning)) = (wanted(&step), meaning) else { continue };
                let mut nodes = self.follow(kind, &key, meaning).await?;
                let fan_out = nodes.len() as u64;
                nodes.truncate(limit);
                if fan_out > 0 {
                    found.push(Expansion { step, fan_out, nodes });
                }
            }
            Ok::<_, GraphError>(found)
        };
        try_join_all(nodes.iter().copied().map(expand)).await
    }

    /// Empty: an API lists no triples without a request for a certain entity.
    async fn sample_triples(&self, _: RelationId, _: usize) -> Result<Vec<(NodeId, NodeId)>, GraphError> {
        Ok(Vec::new())
    }

    async fn schema(&self, types: &[NodeId]) -> Result<Vec<SchemaEdge>, GraphError> {
        let node = |kind: KindId| {
            self.service()
                .kind(kind)
                .map(|described| self.nodes.intern(&kind_key(described), Node::Kind(kind)))
        };
        let mut edges = Vec::new();
        for at in 0..self.service().kinds.len() {
            let head_type = node(KindId(at));
            for relation in self.steps_from(KindId(at)) {
                let tail_type = match self.meanings.get(relation.0 as usize) {
                    Some(Meaning::Operation(id)) => self.service().operation(*id).and_then(|o| o.gives),
                    Some(Meaning::Field(kind, field)) => {
                        let giving = self.service().operations.iter().filter(|o| o.gives == Some(*kind));
                        giving.into_iter().find_map(|o| o.link(field))
                    }
                    None => None,
                };
                let tail_type = tail_type.and_then(node);
                let ends = [head_type, tail_type];
                if types.is_empty() || types.iter().any(|of| ends.contains(&Some(*of))) {
                    edges.push(SchemaEdge { head_type, relation, tail_type, triples: 1, heads: 1, tails: 1 });
                }
            }
        }
        Ok(edges)
    }

    async fn documents(&self, nodes: &[NodeId]) -> Result<Vec<Option<Document>>, GraphError> {
        Ok(vec![None; nodes.len()])
    }
}
