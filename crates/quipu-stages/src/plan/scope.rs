//! KERAG's plan, built hop by hop: the relations, with directions, to follow from the anchors
//! (KERAG §4.2, the plan's relations and hops).

use std::collections::{HashMap, HashSet};

use quipu_graph::{Direction, Graph, GraphError, NodeId, RelationRole, Step};

use crate::answer::cell;

/// Most nodes in a frontier, for graphs without a schema to plan on.
const FRONTIER_SAMPLE: usize = 128;
/// Neighbours looked at for each node and step while sampling.
const NEIGHBOUR_SAMPLE: usize = 16;

/// A relation on offer for the next hop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedRelation {
    /// Relation and direction.
    pub step: Step,
    /// Its start: names of types, or of an entity.
    pub from: String,
    /// Name of the relation.
    pub relation: String,
    /// Its end: names of types, or a few neighbours.
    pub to: String,
}

impl OfferedRelation {
    /// `Kauwboy - directed by -> person`; a backward step is written in the triple's own order.
    pub fn describe(&self) -> String {
        match self.step.direction {
            Direction::Forward => format!("{} - {} -> {}", self.from, self.relation, self.to),
            Direction::Backward => format!("{} - {} -> {}", self.to, self.relation, self.from),
        }
    }

    /// The words that similarity compares with the question.
    pub fn words(&self) -> String {
        format!("{} {}", self.relation, self.to)
    }
}

/// The steps to follow from the anchors, hop by hop.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scope {
    /// For each hop, the steps that survived filtering.
    pub hops: Vec<Vec<Step>>,
}

/// The start of the next hop: the types (with a schema) or a sample of the nodes (without one).
#[derive(Debug, Clone, Default)]
pub struct Frontier {
    types: Vec<NodeId>,
    nodes: Vec<NodeId>,
    /// Hops planned so far.
    pub hop: u32,
}

impl Frontier {
    /// The frontier at the anchors.
    ///
    /// # Errors
    /// The graph's.
    pub async fn at(graph: &dyn Graph, anchors: &[NodeId]) -> Result<Self, GraphError> {
        let mut types = Vec::new();
        if graph.describe().types > 0 {
            for summary in graph.summaries(anchors).await? {
                types.extend(summary.types);
            }
            types.sort_unstable();
            types.dedup();
        }
        Ok(Self { types, nodes: anchors.to_vec(), ..Self::default() })
    }

    /// The relations one hop further in the schema of the frontier's types (KERAG §4.2 step 2). If
    /// the frontier has no types, the relations of its instances ("in case ontology is absent …
    /// retrieve and reason about the data in each hop").
    ///
    /// # Errors
    /// The graph's.
    pub async fn expand_schema(&self, graph: &dyn Graph) -> Result<Vec<OfferedRelation>, GraphError> {
        if self.types.is_empty() {
            return self.expand(graph).await;
        }
        let edges = graph.schema(&self.types).await?;
        let mut found: HashMap<Step, (u64, HashSet<NodeId>, HashSet<NodeId>)> = HashMap::new();
        for edge in &edges {
            let ends = [
                (Direction::Forward, edge.head_type, edge.tail_type),
                (Direction::Backward, edge.tail_type, edge.head_type),
            ];
            for (direction, here, there) in ends {
                let Some(here) = here.filter(|t| self.types.contains(t)) else { continue };
                let entry = found.entry(Step { relation: edge.relation, direction }).or_default();
                entry.0 += edge.triples;
                entry.1.insert(here);
                entry.2.extend(there);
            }
        }
        let mut offers = Vec::new();
        for (step, (triples, from, to)) in found {
            if let Some(relation) = ordinary(graph, step) {
                let from = names(graph, from.into_iter()).await?;
                let to = names(graph, to.into_iter()).await?;
                offers.push((triples, OfferedRelation { step, from, relation, to: or_value(to) }));
            }
        }
        Ok(in_order(offers))
    }

    /// The relations of the frontier's own entities.
    ///
    /// # Errors
    /// The graph's.
    pub async fn expand(&self, graph: &dyn Graph) -> Result<Vec<OfferedRelation>, GraphError> {
        let uses = graph.relations_of(&self.nodes).await?;
        let mut found: HashMap<Step, (u64, NodeId)> = HashMap::new();
        for (node, relations) in self.nodes.iter().zip(&uses) {
            for relation in relations {
                found.entry(relation.step).or_insert((0, *node)).0 += relation.fan_out;
            }
        }
        let mut offers = Vec::new();
        for (step, (triples, example)) in found {
            let Some(relation) = ordinary(graph, step) else { continue };
            let neighbours = graph.expand(&[example], Some(&[step]), 3).await?;
            let ends: Vec<NodeId> = neighbours.into_iter().flatten().flat_map(|e| e.nodes).collect();
            let types: HashSet<NodeId> =
                graph.summaries(&ends).await?.into_iter().flat_map(|s| s.types).collect();
            let to = if types.is_empty() { ends } else { types.into_iter().collect() };
            let from = names(graph, std::iter::once(example)).await?;
            let to = or_value(names(graph, to.into_iter()).await?);
            offers.push((triples, OfferedRelation { step, from, relation, to }));
        }
        Ok(in_order(offers))
    }

    /// Moves one hop along the kept steps.
    ///
    /// # Errors
    /// The graph's.
    pub async fn advance(&mut self, graph: &dyn Graph, kept: &[Step]) -> Result<(), GraphError> {
        self.hop += 1;
        let mut next = Vec::new();
        for expansion in graph.expand(&self.nodes, Some(kept), NEIGHBOUR_SAMPLE).await?.into_iter().flatten()
        {
            next.extend(expansion.nodes);
        }
        next.sort_unstable();
        next.dedup();
        next.truncate(FRONTIER_SAMPLE);
        self.types.clear();
        if graph.describe().types > 0 {
            let types: HashSet<NodeId> =
                graph.summaries(&next).await?.into_iter().flat_map(|s| s.types).collect();
            self.types = types.into_iter().collect();
            self.types.sort_unstable();
        }
        self.nodes = next;
        Ok(())
    }

    /// Whether nothing is left to start from.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// The relation's name, if methods may walk it.
fn ordinary(graph: &dyn Graph, step: Step) -> Option<String> {
    let relation = graph.relations().get(usize::try_from(step.relation.0).ok()?)?;
    (relation.role == RelationRole::Ordinary).then(|| relation.name.clone())
}

/// At most three names, in alphabetical order: `city / river / town`.
async fn names(graph: &dyn Graph, nodes: impl Iterator<Item = NodeId>) -> Result<String, GraphError> {
    let nodes: Vec<NodeId> = nodes.collect();
    let mut names: Vec<String> = graph.summaries(&nodes).await?.into_iter().map(|s| cell(&s.name)).collect();
    names.sort_unstable();
    names.dedup();
    names.truncate(3);
    Ok(names.join(" / "))
}

fn or_value(names: String) -> String {
    if names.is_empty() { "value".into() } else { names }
}

/// The most frequent relation first, ties by step, so that prompts are the same in every run.
fn in_order(mut offers: Vec<(u64, OfferedRelation)>) -> Vec<OfferedRelation> {
    offers.sort_by_key(|(triples, offer)| (std::cmp::Reverse(*triples), offer.step));
    offers.into_iter().map(|(_, offer)| offer).collect()
}
