//! One entity with its names, types, relations and some of its neighbours.

use quipu_graph::{Direction, Entity, Expansion, Graph, NodeId, NodeSummary, RelationRole};
use quipu_index::{LookupConfig, MatchReason};
use serde::Serialize;

use super::Workspace;
use crate::{Error, Result};

/// Candidates for a name that is not a key.
const CANDIDATES: usize = 5;
/// Most neighbours for each relation.
const SAMPLE: usize = 5;

/// An entity as its graph states it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EntityView {
    /// Its key (an IRI, or the name where names are ids).
    pub id: String,
    /// Its preferred name.
    pub label: String,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its types.
    pub types: Vec<NamedNode>,
    /// The graph's description of it, a sentence.
    pub description: Option<String>,
    /// Number of its triples.
    pub triples: u64,
    /// Its relations, each in one direction.
    pub relations: Vec<RelationView>,
}

/// A relation of an entity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RelationView {
    /// Its key.
    pub id: String,
    /// Its name.
    pub relation: String,
    /// Forward if the entity is the head.
    pub direction: Direction,
    /// Number of triples along it.
    pub fan_out: u64,
    /// Some of the neighbours along it.
    pub neighbours: Vec<NamedNode>,
}

/// A node by id and name; a literal by its value alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NamedNode {
    /// The key of an entity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name, or the literal.
    pub name: String,
}

/// The result for a name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundEntity {
    /// The entity.
    pub entity: EntityView,
    /// Whether its key or one of its names equals the requested one; else it is the nearest match.
    pub exact: bool,
    /// Its matching name; `None` if it was found by its key.
    pub matched: Option<String>,
    /// Keys of other entities with that name.
    pub namesakes: Vec<String>,
}

impl Workspace {
    /// The entity with this key, else the best match for this name.
    ///
    /// # Errors
    /// [`Error::NotFound`] if no entity has this or a similar name; errors of graph and index.
    pub async fn entity(&self, name_or_key: &str) -> Result<FoundEntity> {
        let graph = self.inner().graph().as_ref();
        let node = graph.resolve(&[name_or_key]).await?.into_iter().flatten().next();
        if let Some(node) = node
            && !is_only_a_name(graph, node).await?
        {
            return found_by_key(graph, node).await;
        }
        let config = LookupConfig { k: CANDIDATES, ..LookupConfig::default() };
        let candidates = self.inner().lookup(name_or_key, &config).await?;
        let Some((best, others)) = candidates.split_first() else {
            return match node {
                Some(node) => found_by_key(graph, node).await,
                None => Err(Error::NotFound(format!(
                    "no entity has the name or id “{name_or_key}” or a similar name; `quipu link` finds the entities \
                     in a text"
                ))),
            };
        };
        let namesakes: Vec<NodeId> =
            others.iter().filter(|other| other.matched == best.matched).map(|c| c.node).collect();
        let namesakes = graph.summaries(&namesakes).await?;
        Ok(FoundEntity {
            entity: EntityView::read(graph, best.node).await?,
            exact: matches!(best.reason, MatchReason::Exact | MatchReason::Alias),
            matched: Some(best.matched.clone()),
            namesakes: namesakes.into_iter().map(|summary| summary.key).collect(),
        })
    }
}

async fn found_by_key(graph: &dyn Graph, node: NodeId) -> Result<FoundEntity> {
    let entity = EntityView::read(graph, node).await?;
    Ok(FoundEntity { entity, exact: true, matched: None, namesakes: Vec::new() })
}

/// Whether a node is only the name of others: where names are ids, labels are nodes too.
async fn is_only_a_name(graph: &dyn Graph, node: NodeId) -> Result<bool> {
    let relations = graph.relations();
    let names = |step: quipu_graph::Step| {
        let info = usize::try_from(step.relation.0).ok().and_then(|at| relations.get(at));
        let role = info.map(|info| info.role);
        step.direction == Direction::Backward
            && matches!(role, Some(RelationRole::Label | RelationRole::Alias))
    };
    let uses = graph.relations_of(&[node]).await?.swap_remove(0);
    Ok(!uses.is_empty() && uses.iter().all(|used| names(used.step)))
}

impl EntityView {
    async fn read(graph: &dyn Graph, node: NodeId) -> Result<Self> {
        let Entity { summary, aliases, description } = graph.entities(&[node]).await?.swap_remove(0);
        let expansions = graph.expand(&[node], None, SAMPLE).await?.swap_remove(0);
        let mut relations = Vec::new();
        for expansion in expansions {
            relations.extend(RelationView::read(graph, expansion).await?);
        }
        let types = graph.summaries(&summary.types).await?.into_iter().map(NamedNode::from).collect();
        let NodeSummary { key, name, degree, .. } = summary;
        Ok(Self { id: key, label: name, aliases, types, description, triples: degree, relations })
    }
}

impl RelationView {
    /// `None` for relations in other fields of the view (names, types, description) and for noise.
    async fn read(graph: &dyn Graph, expansion: Expansion) -> Result<Option<Self>> {
        let Expansion { step, fan_out, nodes } = expansion;
        let Some(info) = graph.relations().get(step.relation.0 as usize) else { return Ok(None) };
        // The instances of a type are its neighbours along the type relation, backwards.
        let told_already = step.direction == Direction::Forward || info.role != RelationRole::Type;
        if info.role != RelationRole::Ordinary && told_already {
            return Ok(None);
        }
        let neighbours = graph.summaries(&nodes).await?.into_iter().map(NamedNode::from).collect();
        Ok(Some(Self {
            id: info.key.clone(),
            relation: info.name.clone(),
            direction: step.direction,
            fan_out,
            neighbours,
        }))
    }
}

impl From<NodeSummary> for NamedNode {
    fn from(node: NodeSummary) -> Self {
        match node.literal {
            Some(literal) => Self { id: None, name: literal.lexical },
            None => Self { id: Some(node.key), name: node.name },
        }
    }
}
