//! `EndpointGraph`: the graph behind an endpoint.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::cache::{Recent, ResultCache};
use super::catalogue::{Catalogue, CatalogueRelation, SAMPLE};
use super::client::{Ask, Client, Traffic};
use super::config::EndpointConfig;
use super::known::{Facts, Known, NodeUses};
use super::query::{self, Way};
use super::terms::{Term, Terms};
use crate::error::EndpointProblem;
use crate::{
    Direction, Document, EmbeddedGraph, Entity, Expansion, Graph, GraphDescription, GraphError, NodeId,
    NodeSummary, RelationId, RelationInfo, RelationUse, SchemaEdge, Step,
};

/// Nodes whose relations, neighbours or names are kept in memory.
const KEPT: usize = 50_000;
/// Largest relation, in triples, that is sampled by hashing all heads.
const HASHED: u64 = 2_000_000;
/// Positions in a larger relation at which rows are sampled.
const SLICES: u64 = 16;
/// Rows of a larger relation that these positions cover.
const SLICED: u64 = 200_000;

/// Triples of a relation.
type Sample = Arc<[(NodeId, NodeId)]>;

/// The parts of an [`EndpointGraph`].
pub struct EndpointParts {
    /// The connection's settings.
    pub config: EndpointConfig,
    /// The catalogue of its graph.
    pub catalogue: Catalogue,
    /// Names, types, descriptions and degrees, gathered by [`harvest`](super::harvest) and stored
    /// by an import. Without it the endpoint is asked for them.
    pub names: Option<Arc<EmbeddedGraph>>,
    /// Folder of the result cache.
    pub cache: Option<PathBuf>,
}

/// A graph behind a SPARQL 1.1 endpoint. Must be used within a tokio runtime that has time and I/O
/// enabled.
///
/// Nodes have the same order as in the embedded store. Neighbours along a step are taken in this
/// order up to [`EndpointConfig::whole`] of them, and in the endpoint's order beyond that. Blank
/// nodes appear in results but cannot be queried, except on Virtuoso.
pub struct EndpointGraph {
    pub(super) client: Client,
    pub(super) catalogue: Catalogue,
    relations: Vec<RelationInfo>,
    /// The terms of each relation in a query.
    pub(super) ways: Vec<(String, Option<String>)>,
    /// Relations by their keys in a reply.
    ids: HashMap<(String, Option<String>), RelationId>,
    schema: Vec<SchemaEdge>,
    pub(super) terms: Terms,
    pub(super) names: Option<Arc<EmbeddedGraph>>,
    pub(super) degree: Option<RelationId>,
    pub(super) uses: Recent<NodeId, Arc<NodeUses>>,
    pub(super) neighbours: Recent<(NodeId, Step), Known>,
    pub(super) facts: Recent<NodeId, Arc<Facts>>,
    samples: Recent<(RelationId, usize), Sample>,
}

impl std::fmt::Debug for EndpointGraph {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("EndpointGraph")
            .field("url", &self.client.config().url)
            .finish_non_exhaustive()
    }
}

impl EndpointGraph {
    /// Builds the graph without a request.
    ///
    /// # Errors
    /// Wrong settings, secrets that are missing from their place, a catalogue with a relation that
    /// is not an IRI.
    pub fn open(parts: EndpointParts) -> Result<Self, GraphError> {
        let EndpointParts { config, catalogue, names, cache } = parts;
        let kept_for = if config.cache_hours == 0 { Duration::from_secs(60) } else { config.kept_for() };
        let cache = cache
            .and_then(|folder| ResultCache::open(&folder, config.kept_for(), config.cache_megabytes << 20));
        let client = Client::new(config, cache)?;
        let mut ways = Vec::new();
        let mut ids = HashMap::new();
        for (CatalogueRelation { info, through, .. }, number) in catalogue.relations.iter().zip(0..) {
            let (first, second) = match through {
                Some((first, second)) => (first, Some(second)),
                None => (&info.key, None),
            };
            let term = |key: &String| {
                Term::Entity(key.as_str().into()).to_sparql().ok_or_else(|| {
                    GraphError::Usage(format!(
                        "relation {key:?} of the catalogue is not an IRI; refresh the source"
                    ))
                })
            };
            ways.push((term(first)?, second.map(term).transpose()?));
            ids.insert((first.clone(), second.cloned()), RelationId(number));
        }
        let terms = Terms::default();
        let schema = schema_of(&catalogue, &ids, &terms);
        let degree = names.as_ref().and_then(|names| names.find_relation(super::DEGREE_IRI));
        Ok(Self {
            relations: catalogue.relations.iter().map(|relation| relation.info.clone()).collect(),
            client,
            catalogue,
            ways,
            ids,
            schema,
            terms,
            names,
            degree,
            uses: Recent::new(KEPT, kept_for),
            neighbours: Recent::new(4 * KEPT, kept_for),
            facts: Recent::new(KEPT, kept_for),
            samples: Recent::new(KEPT, kept_for),
        })
    }

    /// The connection's settings.
    pub fn config(&self) -> &EndpointConfig {
        self.client.config()
    }

    /// The catalogue of the graph.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// The traffic so far.
    pub fn traffic(&self) -> Traffic {
        self.client.traffic()
    }

    /// Requests one triple, bypassing all caches.
    ///
    /// # Errors
    /// The endpoint's errors; an endpoint that became empty.
    pub async fn reach(&self) -> Result<(), GraphError> {
        let ask = Ask::new("checking that it answers", "SELECT ?s WHERE { ?s ?p ?o } LIMIT 1".into()).anew();
        match self.client.select(&ask, &["s"]).await?.rows.is_empty() {
            true => Err(self.client.error(ask.stage, EndpointProblem::Emptied)),
            false => Ok(()),
        }
    }

    /// The node with a key. The endpoint is not asked whether it exists.
    pub fn node_of_key(&self, key: &str) -> NodeId {
        self.terms.intern(&Term::Entity(key.into()))
    }

    pub(super) fn relation_of(&self, first: &Term, second: Option<&Term>) -> Option<RelationId> {
        let key = (first.key().to_owned(), second.map(|second| second.key().to_owned()));
        self.ids.get(&key).copied()
    }

    pub(super) fn info(&self, relation: RelationId) -> Option<&RelationInfo> {
        self.relations.get(relation.0 as usize)
    }

    pub(super) fn way(&self, step: Step) -> Option<Way> {
        let (first, second) = self.ways.get(step.relation.0 as usize)?.clone();
        Some(Way { forward: step.direction == Direction::Forward, first, second })
    }

    /// Most rows of one request.
    pub(super) fn page_rows(&self) -> usize {
        let most = self.catalogue.most_rows.unwrap_or(usize::MAX);
        self.client.config().page.min(most).max(1)
    }

    fn summary(&self, node: NodeId, facts: &Facts, degree: u64) -> Result<NodeSummary, GraphError> {
        let term = self.terms.get(node)?;
        Ok(NodeSummary {
            node,
            key: term.key().to_owned(),
            name: facts.name.clone(),
            literal: term.literal(),
            types: facts.types.clone(),
            degree,
        })
    }

    async fn sample(&self, relation: RelationId, limit: usize) -> Result<Vec<(NodeId, NodeId)>, GraphError> {
        const STAGE: &str = "sampling a relation";
        let (Some(info), Some((first, second))) = (self.info(relation), self.ways.get(relation.0 as usize))
        else {
            return Ok(Vec::new());
        };
        if limit == 0 {
            return Ok(Vec::new());
        }
        let catalogued =
            self.catalogue.relations.get(relation.0 as usize).map(|known| known.sample.as_slice());
        if let Some(sample) = catalogued.filter(|sample| !sample.is_empty() && limit <= SAMPLE) {
            let intern = |(head, tail): &(Term, Term)| (self.terms.intern(head), self.terms.intern(tail));
            return Ok(sample.iter().step_by(sample.len().div_ceil(limit)).map(intern).collect());
        }
        let pattern = match second {
            None => format!("?s {first} ?o ."),
            Some(second) => format!("?s {first} ?m . ?m {second} ?o . FILTER(?s != ?o)"),
        };
        let rows = if info.triples > 0 && info.triples <= self.page_rows().min(self.config().whole) as u64 {
            let query = format!("SELECT DISTINCT ?s ?o WHERE {{ {pattern} }} LIMIT {}", self.page_rows());
            self.client.select(&Ask::new(STAGE, query), &["s", "o"]).await?
        } else if info.triples > 0 && info.triples <= HASHED {
            let query = query::sample(&pattern, info.triples, 2 * limit);
            self.client.select(&Ask::new(STAGE, query), &["s", "o"]).await?
        } else {
            Default::default()
        };
        let rows = match rows.rows.is_empty() {
            false => rows,
            true => {
                let query = slices(&pattern, info.triples, limit);
                self.client.select(&Ask::new(STAGE, query), &["s", "o"]).await?
            }
        };
        let mut heads: std::collections::BTreeMap<NodeId, Vec<NodeId>> = std::collections::BTreeMap::new();
        for row in &rows.rows {
            if let [Some(head), Some(tail)] = row.as_slice() {
                heads.entry(self.terms.intern(head)).or_default().push(self.terms.intern(tail));
            }
        }
        Ok(spread(heads, limit))
    }
}

/// Triples of evenly spaced heads, as the embedded store takes them.
pub(super) fn spread(
    heads: std::collections::BTreeMap<NodeId, Vec<NodeId>>,
    limit: usize,
) -> Vec<(NodeId, NodeId)> {
    let count = heads.len().max(1);
    let mut triples = Vec::new();
    for (head, mut tails) in heads.into_iter().step_by(count.div_ceil(limit)) {
        tails.sort_unstable();
        tails.dedup();
        triples.extend(tails.into_iter().take(limit.div_ceil(count)).map(|tail| (head, tail)));
    }
    triples.truncate(limit);
    triples
}

/// Rows from several positions of a relation that is too large to be read whole.
fn slices(pattern: &str, triples: u64, limit: usize) -> String {
    let each = (limit as u64).div_ceil(SLICES).max(1);
    let within = if triples == 0 { limit as u64 } else { triples.min(SLICED) };
    let stride = (within / SLICES).max(each);
    let blocks: Vec<String> = (0..SLICES)
        .map(|slice| slice * stride)
        .take_while(|offset| *offset == 0 || *offset < within)
        .map(|offset| format!("{{ SELECT ?s ?o WHERE {{ {pattern} }} LIMIT {each} OFFSET {offset} }}"))
        .collect();
    format!("SELECT DISTINCT ?s ?o WHERE {{ {} }}", blocks.join(" UNION "))
}

fn schema_of(
    catalogue: &Catalogue,
    ids: &HashMap<(String, Option<String>), RelationId>,
    terms: &Terms,
) -> Vec<SchemaEdge> {
    let by_key: HashMap<&str, RelationId> = catalogue
        .relations
        .iter()
        .map(|relation| relation.info.key.as_str())
        .zip((0..).map(RelationId))
        .collect();
    debug_assert_eq!(by_key.len(), ids.len());
    let node =
        |key: &Option<String>| key.as_ref().map(|key| terms.intern(&Term::Entity(key.as_str().into())));
    let mut edges: Vec<SchemaEdge> = catalogue
        .schema
        .iter()
        .filter_map(|edge| {
            Some(SchemaEdge {
                head_type: node(&edge.head_type),
                relation: *by_key.get(edge.relation.as_str())?,
                tail_type: node(&edge.tail_type),
                triples: edge.triples,
                heads: edge.heads,
                tails: edge.tails,
            })
        })
        .collect();
    edges.sort_by_key(|edge| (edge.head_type, edge.relation, edge.tail_type));
    edges
}

#[async_trait::async_trait]
impl Graph for EndpointGraph {
    fn describe(&self) -> &GraphDescription {
        &self.catalogue.description
    }

    fn relations(&self) -> &[RelationInfo] {
        &self.relations
    }

    fn is_literal(&self, node: NodeId) -> bool {
        self.terms.is_literal(node)
    }

    async fn resolve(&self, keys: &[&str]) -> Result<Vec<Option<NodeId>>, GraphError> {
        let mut nodes: Vec<Option<NodeId>> = Vec::with_capacity(keys.len());
        let mut asked = Vec::new();
        for key in keys {
            let node = self.node_of_key(key);
            nodes.push(Some(node));
            if self.stored(key)?.is_none() {
                asked.push(node);
            }
        }
        let uses = self.uses(&asked).await?;
        let absent: std::collections::HashSet<NodeId> =
            asked.iter().zip(&uses).filter(|(_, uses)| uses.list.is_empty()).map(|(node, _)| *node).collect();
        nodes.iter_mut().for_each(|node| *node = node.filter(|node| !absent.contains(node)));
        Ok(nodes)
    }

    async fn summaries(&self, nodes: &[NodeId]) -> Result<Vec<NodeSummary>, GraphError> {
        let (facts, degrees) = futures::try_join!(self.facts(nodes), self.degrees(nodes))?;
        let mut summaries = Vec::with_capacity(nodes.len());
        for ((node, facts), degree) in nodes.iter().zip(&facts).zip(degrees) {
            summaries.push(self.summary(*node, facts, degree)?);
        }
        Ok(summaries)
    }

    async fn entities(&self, nodes: &[NodeId]) -> Result<Vec<Entity>, GraphError> {
        let (facts, degrees) = futures::try_join!(self.facts(nodes), self.degrees(nodes))?;
        let mut entities = Vec::with_capacity(nodes.len());
        for ((node, facts), degree) in nodes.iter().zip(&facts).zip(degrees) {
            entities.push(Entity {
                summary: self.summary(*node, facts, degree)?,
                aliases: facts.aliases.clone(),
                description: facts.description.clone(),
            });
        }
        Ok(entities)
    }

    async fn relations_of(&self, nodes: &[NodeId]) -> Result<Vec<Vec<RelationUse>>, GraphError> {
        Ok(self.uses(nodes).await?.iter().map(|uses| uses.list.clone()).collect())
    }

    async fn expand(
        &self,
        nodes: &[NodeId],
        steps: Option<&[Step]>,
        limit: usize,
    ) -> Result<Vec<Vec<Expansion>>, GraphError> {
        self.expand_all(nodes, steps, limit).await
    }

    async fn sample_triples(
        &self,
        relation: RelationId,
        limit: usize,
    ) -> Result<Vec<(NodeId, NodeId)>, GraphError> {
        let key = (relation, limit);
        if let Some(known) = self.samples.get(&key) {
            return Ok(known.to_vec());
        }
        let sample = self.sample(relation, limit).await?;
        self.samples.put(key, sample.clone().into());
        Ok(sample)
    }

    async fn schema(&self, types: &[NodeId]) -> Result<Vec<SchemaEdge>, GraphError> {
        let touches = |edge: &&SchemaEdge| {
            let has = |end: Option<NodeId>| end.is_some_and(|end| types.contains(&end));
            types.is_empty() || has(edge.head_type) || has(edge.tail_type)
        };
        Ok(self.schema.iter().filter(touches).cloned().collect())
    }

    async fn documents(&self, nodes: &[NodeId]) -> Result<Vec<Option<Document>>, GraphError> {
        nodes.iter().map(|node| self.terms.get(*node).map(|_| None)).collect()
    }
}
