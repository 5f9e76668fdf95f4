//! Entities, relations and neighbours in the form that the server sends.

use quipu_answer::Engine;
use quipu_graph::{Direction, Entity, Graph, NodeId, NodeSummary, RelationId, RelationRole, Step};
use quipu_index::{Candidate, LookupConfig, MatchReason, Mention};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::{ApiError, Kind};

/// A node by id and name; a literal has no id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct NodeView {
    /// Its id (IRI, or the name where names are ids); null for a literal.
    pub(crate) id: Option<String>,
    /// Its name, or the literal.
    pub(crate) name: String,
}

/// An entity with its relations and some of its neighbours.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntityView {
    /// Its id.
    id: String,
    /// Its name.
    name: String,
    /// Its other names.
    aliases: Vec<String>,
    /// Its types.
    types: Vec<NodeView>,
    /// Prose about it.
    description: Option<String>,
    /// Number of triples with it.
    triples: u64,
    /// Its relations.
    relations: Vec<RelationView>,
}

/// One relation of an entity, in one direction.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RelationView {
    /// The relation's id.
    pub(crate) id: String,
    /// Its name.
    pub(crate) relation: String,
    /// `forward`: the entity is the head; `backward`: it is the tail.
    pub(crate) direction: DirectionView,
    /// Number of neighbours along it.
    pub(crate) fan_out: u64,
    /// Some of them.
    pub(crate) neighbours: Vec<NodeView>,
}

/// Along a triple or against it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DirectionView {
    /// From head to tail.
    Forward,
    /// From tail to head.
    Backward,
}

/// A candidate entity for a name or a text.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CandidateView {
    /// Its id.
    id: String,
    /// Its name.
    name: String,
    /// Its types' names.
    types: Vec<String>,
    /// Prose about it.
    description: Option<String>,
    /// Number of triples with it.
    triples: u64,
    /// 0 to 1, higher is better.
    score: f64,
    /// The reason for the match.
    reason: String,
}

/// Words of a text and their candidate entities.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MentionView {
    /// The words.
    text: String,
    /// The byte at which they start.
    start: usize,
    /// The byte before which they end.
    end: usize,
    /// How likely they are a name.
    score: f64,
    /// Whether they belong to the best reading of the text.
    chosen: bool,
    /// Best first.
    candidates: Vec<CandidateView>,
}

impl From<Direction> for DirectionView {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Forward => Self::Forward,
            Direction::Backward => Self::Backward,
        }
    }
}

impl From<NodeSummary> for NodeView {
    fn from(node: NodeSummary) -> Self {
        match node.literal {
            Some(literal) => Self { id: None, name: literal.lexical },
            None => Self { id: Some(node.key), name: node.name },
        }
    }
}

/// The entity with an id.
///
/// # Errors
/// 404; errors of the graph.
pub(crate) async fn find(graph: &dyn Graph, id: &str) -> Result<NodeId, ApiError> {
    graph.resolve(&[id]).await?.into_iter().flatten().next().ok_or_else(|| {
        let message = format!("unknown entity {id:?}; find the ids of entities by name first");
        ApiError::new(Kind::NotFound, "entity_not_found", message)
    })
}

/// An entity with at most `sample` neighbours for each relation.
pub(crate) async fn entity(graph: &dyn Graph, node: NodeId, sample: usize) -> Result<EntityView, ApiError> {
    let entity = graph.entities(&[node]).await?.into_iter().next();
    let Some(Entity { summary, aliases, description }) = entity else {
        return Err(ApiError::new(Kind::NotFound, "entity_not_found", "unknown entity"));
    };
    let types = graph.summaries(&summary.types).await?.into_iter().map(NodeView::from).collect();
    let relations = relations(graph, node, None, sample).await?;
    let NodeSummary { key, name, degree, .. } = summary;
    Ok(EntityView { id: key, name, aliases, types, description, triples: degree, relations })
}

/// The relations of a node (restricted to these, if given) with at most `sample` neighbours each.
pub(crate) async fn relations(
    graph: &dyn Graph,
    node: NodeId,
    steps: Option<&[Step]>,
    sample: usize,
) -> Result<Vec<RelationView>, ApiError> {
    let expansions = graph.expand(&[node], steps, sample).await?.into_iter().next().unwrap_or_default();
    let mut views = Vec::new();
    for expansion in expansions {
        let Some(info) = graph.relations().get(expansion.step.relation.0 as usize) else { continue };
        // The instances of a type are its neighbours along the type relation, backwards. Names,
        // types and descriptions are sent in other fields.
        let told = expansion.step.direction == Direction::Forward || info.role != RelationRole::Type;
        if info.role != RelationRole::Ordinary && told {
            continue;
        }
        views.push(RelationView {
            id: info.key.clone(),
            relation: info.name.clone(),
            direction: expansion.step.direction.into(),
            fan_out: expansion.fan_out,
            neighbours: graph.summaries(&expansion.nodes).await?.into_iter().map(NodeView::from).collect(),
        });
    }
    Ok(views)
}

/// The entities that a text mentions, at most `k` for each mention; also by meaning if the
/// workspace has vectors.
pub(crate) async fn link(
    engine: &Engine,
    embedder: Option<&dyn quipu_model::Embedder>,
    text: &str,
    k: usize,
) -> Result<Vec<MentionView>, ApiError> {
    let mentions = match embedder {
        Some(embedder) => engine.workspace().link_with(text, k, embedder).await?,
        None => engine.workspace().link(text, k).await?,
    };
    let mut views = Vec::new();
    for Mention { span, text, candidates, score, chosen } in mentions {
        let candidates = candidate_views(engine, candidates).await?;
        views.push(MentionView { text, start: span.start, end: span.end, score, chosen, candidates });
    }
    Ok(views)
}

/// The entities with a name, best first.
pub(crate) async fn lookup(engine: &Engine, name: &str, k: usize) -> Result<Vec<CandidateView>, ApiError> {
    let config = LookupConfig { k, alternatives: true, ..LookupConfig::default() };
    let candidates = engine.workspace().lookup(name, &config).await?;
    candidate_views(engine, candidates).await
}

async fn candidate_views(
    engine: &Engine,
    candidates: Vec<Candidate>,
) -> Result<Vec<CandidateView>, ApiError> {
    let graph = engine.workspace().graph();
    let nodes: Vec<NodeId> = candidates.iter().map(|candidate| candidate.node).collect();
    let entities = graph.entities(&nodes).await?;
    let mut views = Vec::new();
    for (candidate, entity) in candidates.into_iter().zip(entities) {
        let types = graph.summaries(&entity.summary.types).await?;
        views.push(CandidateView {
            reason: reason(&candidate),
            id: entity.summary.key,
            name: candidate.name,
            types: types.into_iter().map(|kind| kind.name).collect(),
            description: entity.description,
            triples: entity.summary.degree,
            score: candidate.score,
        });
    }
    Ok(views)
}

fn reason(candidate: &Candidate) -> String {
    let matched = &candidate.matched;
    match candidate.reason {
        MatchReason::Exact => "its name".into(),
        MatchReason::Alias => format!("another name: {matched}"),
        MatchReason::Fuzzy { distance: 1 } => format!("one letter from {matched}"),
        MatchReason::Fuzzy { distance } => format!("{distance} letters from {matched}"),
        MatchReason::Trigram { similarity } => format!("partly like {matched}, {similarity:.2}"),
        MatchReason::Dense { similarity } => format!("similar meaning, {similarity:.2}"),
    }
}

/// Both directions of a relation.
///
/// # Errors
/// 404: no such relation.
pub(crate) fn steps_of(graph: &dyn Graph, key: &str) -> Result<Vec<Step>, ApiError> {
    let unknown = || {
        let message = format!("unknown relation {key:?}");
        ApiError::new(Kind::NotFound, "relation_not_found", message)
    };
    let at = graph.relations().iter().position(|info| info.key == key).ok_or_else(unknown)?;
    let relation = RelationId(u32::try_from(at).map_err(|_| unknown())?);
    Ok([Direction::Forward, Direction::Backward].map(|direction| Step { relation, direction }).into())
}
