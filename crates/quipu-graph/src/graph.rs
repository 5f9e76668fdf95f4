//! The `Graph` trait: the operations that methods need from every source.

use serde::{Deserialize, Serialize};

use crate::{GraphError, Literal};

/// Handle of a node (an entity or a literal) within one graph. It is valid as long as that graph
/// object lives; evidence, traces and files hold the node's key instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u64);

/// Handle of a relation within one graph; same lifetime as [`NodeId`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RelationId(pub u32);

/// The direction along a triple.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// From head to tail.
    Forward,
    /// From tail to head.
    Backward,
}

/// One hop: a relation followed in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step {
    /// The relation.
    pub relation: RelationId,
    /// The direction.
    pub direction: Direction,
}

impl Step {
    /// The step back.
    pub fn reversed(self) -> Self {
        let direction = match self.direction {
            Direction::Forward => Direction::Backward,
            Direction::Backward => Direction::Forward,
        };
        Self { direction, ..self }
    }
}

/// The name and size of a source. Cheap: read once when the source is opened.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphDescription {
    /// The source's name, as evidence cites it.
    pub name: String,
    /// Number of triples (0 where the source cannot tell).
    pub triples: u64,
    /// Number of entities.
    pub entities: u64,
    /// Number of literals.
    pub literals: u64,
    /// Number of distinct relations.
    pub relations: u64,
    /// Number of distinct types. 0 means: no schema, plan on the instances.
    pub types: u64,
    /// Number of documents attached to entities.
    pub documents: u64,
}

/// The role of a relation in the profile. Methods walk `Ordinary` relations only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RelationRole {
    /// States something about the world.
    Ordinary,
    /// Its tail is the entity's preferred name.
    Label,
    /// Its tail is another name of the entity.
    Alias,
    /// Its tail is a type (class) of the entity.
    Type,
    /// Its tail describes the entity in prose.
    Description,
    /// Book-keeping that answers no question (`owl:sameAs`, revision ids, ...).
    Noise,
}

/// A relation of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RelationInfo {
    /// IRI, or the name where names are ids.
    pub key: String,
    /// Its name for people: its label, else the last part of its key with separators as spaces.
    pub name: String,
    /// Its role.
    pub role: RelationRole,
    /// Number of triples.
    pub triples: u64,
    /// Number of distinct heads.
    pub heads: u64,
    /// Number of distinct tails.
    pub tails: u64,
}

/// The description of a node in lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSummary {
    /// The node.
    pub node: NodeId,
    /// IRI, or the name where names are ids; the lexical form of a literal.
    pub key: String,
    /// The name to show: label, else the readable part of the key; the lexical form of a literal.
    pub name: String,
    /// The literal, when the node is one.
    pub literal: Option<Literal>,
    /// The node's types.
    pub types: Vec<NodeId>,
    /// Number of triples with the node as head or tail.
    pub degree: u64,
}

/// All facts about an entity except its triples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    /// Key, name, types, degree.
    pub summary: NodeSummary,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Prose about it, from its description relation.
    pub description: Option<String>,
}

/// One relation of one node, in one direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationUse {
    /// Relation and direction.
    pub step: Step,
    /// Number of neighbours along it.
    pub fan_out: u64,
}

/// The neighbours of one node along one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expansion {
    /// The step.
    pub step: Step,
    /// Number of neighbours.
    pub fan_out: u64,
    /// The first of them, at most the limit asked for, in the source's stable order.
    pub nodes: Vec<NodeId>,
}

/// One line of the schema summary: entities of a type joined by a relation to nodes of another
/// type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaEdge {
    /// Type of the heads; `None`: untyped heads.
    pub head_type: Option<NodeId>,
    /// The relation.
    pub relation: RelationId,
    /// Type of the tails; `None`: untyped entities or literals.
    pub tail_type: Option<NodeId>,
    /// Number of triples.
    pub triples: u64,
    /// Number of distinct heads.
    pub heads: u64,
    /// Number of distinct tails.
    pub tails: u64,
}

/// Separates the names of sources that state the same triple.
pub const BETWEEN_SOURCES: &str = " + ";

/// Prose attached to an entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The entity that the text is about.
    pub node: NodeId,
    /// The text.
    pub text: String,
}

/// A knowledge graph. All calls are batched, answer in input order and are cancel-safe: dropping
/// the future leaves the graph as it was.
#[async_trait::async_trait]
pub trait Graph: Send + Sync {
    /// The name and size of the source.
    fn describe(&self) -> &GraphDescription;

    /// Whether every node needs its own request, as with an API. Methods then avoid broad searches.
    fn asks_for_each_node(&self) -> bool {
        false
    }

    /// The relation catalogue, indexed by [`RelationId`].
    fn relations(&self) -> &[RelationInfo];

    /// Whether a node is a literal. Costs nothing; `false` for an unknown node.
    fn is_literal(&self, node: NodeId) -> bool;

    /// Nodes by key (IRI, or name where names are ids); `None` for an unknown key.
    async fn resolve(&self, keys: &[&str]) -> Result<Vec<Option<NodeId>>, GraphError>;

    /// Names, types and degrees.
    async fn summaries(&self, nodes: &[NodeId]) -> Result<Vec<NodeSummary>, GraphError>;

    /// Entities in full.
    async fn entities(&self, nodes: &[NodeId]) -> Result<Vec<Entity>, GraphError>;

    /// The relations of each node, in both directions, without touching its triples.
    async fn relations_of(&self, nodes: &[NodeId]) -> Result<Vec<Vec<RelationUse>>, GraphError>;

    /// For each node, its neighbours along each of `steps` (all its steps when `None`), at most
    /// `limit` a step. Steps that a node does not have are left out of its list.
    async fn expand(
        &self,
        nodes: &[NodeId],
        steps: Option<&[Step]>,
        limit: usize,
    ) -> Result<Vec<Vec<Expansion>>, GraphError>;

    /// Up to `limit` triples (head, tail) of a relation, spread over all of them, the same in every
    /// run; for describing the relation.
    async fn sample_triples(
        &self,
        relation: RelationId,
        limit: usize,
    ) -> Result<Vec<(NodeId, NodeId)>, GraphError>;

    /// The schema summary around types: every edge with one of them at its head or tail; the whole
    /// schema when `types` is empty. A graph without types has an empty schema.
    async fn schema(&self, types: &[NodeId]) -> Result<Vec<SchemaEdge>, GraphError>;

    /// The name of the source that states each triple (from, step, to), for evidence to cite: the
    /// graph's own name. A joined graph gives all sources that state it, separated by
    /// [`BETWEEN_SOURCES`].
    async fn stated_by(&self, triples: &[(NodeId, Step, NodeId)]) -> Result<Vec<String>, GraphError> {
        Ok(vec![self.describe().name.clone(); triples.len()])
    }

    /// The documents of nodes; `None` for a node without one.
    async fn documents(&self, nodes: &[NodeId]) -> Result<Vec<Option<Document>>, GraphError>;
}
