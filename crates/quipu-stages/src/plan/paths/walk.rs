//! Relation paths: enumerates those that exist around an anchor, and follows one of them.
//!
//! A walk never returns over the triple that it came by. So the other films of a film's director do
//! not include that film, unless a second triple leads back to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

use quipu_graph::{Direction, Expansion, Graph, GraphError, NodeId, RelationRole, Step};

/// Bounds of the enumeration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WalkConfig {
    /// Most hops of a path (3).
    #[schemars(range(max = 4))]
    pub max_hops: usize,
    /// Nodes at a path's end that are expanded for its next hop (64); an even sample if there are
    /// more.
    #[schemars(range(max = 64))]
    pub frontier: usize,
    /// Neighbours of a node taken for each step (256).
    #[schemars(range(max = 256))]
    pub neighbours: usize,
    /// Most paths (4,000).
    #[schemars(range(max = 4000))]
    pub paths: usize,
}

impl Default for WalkConfig {
    fn default() -> Self {
        Self { max_hops: 3, frontier: 64, neighbours: 256, paths: 4000 }
    }
}

/// Nodes expanded at a path's end if each node costs a request.
const DEAR_FRONTIER: usize = 3;
/// Most hops if each node costs a request.
const DEAR_HOPS: usize = 2;

impl WalkConfig {
    /// Narrows the bounds for a graph that costs a request per node.
    fn for_graph(self, graph: &dyn Graph) -> Self {
        if !graph.asks_for_each_node() {
            return self;
        }
        Self { max_hops: self.max_hops.min(DEAR_HOPS), frontier: self.frontier.min(DEAR_FRONTIER), ..self }
    }
}

/// Most nodes that an exact walk keeps at one hop. Beyond that the walk is cut and says so.
const MOST_NODES: usize = 100_000;

/// Paths whose next hops are read together.
const PATHS_AT_ONCE: usize = 64;

/// A path that exists, with a sample of the nodes that it leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExistingPath {
    /// The steps from the anchor.
    pub steps: Vec<Step>,
    /// A sample of the nodes at its end.
    pub ends: Vec<NodeId>,
}

/// A node that a walk has reached.
#[derive(Debug, Clone, Copy)]
struct Reached {
    node: NodeId,
    /// The node it was first reached from.
    from: NodeId,
    /// It was reached from other nodes too.
    from_several: bool,
}

impl Reached {
    /// Whether a walk may reach `next` by reversing its last step.
    fn may_return_to(self, next: NodeId) -> bool {
        self.from_several || self.from != next
    }
}

/// Enumerates the relation paths that exist from `anchor`, the shorter ones first.
///
/// Only ordinary relations are walked; from a type, the first step may also lead back to its
/// instances. Paths end at literals, unless the literal is the anchor.
///
/// # Errors
/// The graph's.
pub async fn enumerate(
    graph: &dyn Graph,
    anchor: NodeId,
    config: WalkConfig,
) -> Result<Vec<ExistingPath>, GraphError> {
    let config = config.for_graph(graph);
    let start = Reached { node: anchor, from: anchor, from_several: true };
    let mut layer: Vec<(Vec<Step>, Vec<Reached>)> = vec![(Vec::new(), vec![start])];
    let mut found = Vec::new();
    for _ in 0..config.max_hops {
        let mut next = Vec::new();
        'layer: for some in layer.chunks(PATHS_AT_ONCE) {
            let samples: Vec<Vec<Reached>> = some
                .iter()
                .map(|(steps, reached)| sample(graph, reached, steps.is_empty(), config))
                .collect();
            let around = neighbourhoods(graph, &samples, config).await?;
            for ((steps, _), sample) in some.iter().zip(&samples) {
                next.extend(extend(graph, steps, sample, &around, config));
                if found.len() + next.len() > config.paths {
                    break 'layer;
                }
            }
        }
        next.truncate(config.paths.saturating_sub(found.len()));
        found.extend(next.iter().map(|(steps, reached)| ExistingPath {
            steps: steps.clone(),
            ends: reached.iter().map(|r| r.node).collect(),
        }));
        layer = next;
    }
    Ok(found)
}

type Layer = Vec<(Vec<Step>, Vec<Reached>)>;

/// The nodes at a path's end that are expanded for its next hop.
fn sample(graph: &dyn Graph, reached: &[Reached], first: bool, config: WalkConfig) -> Vec<Reached> {
    sample_evenly(reached, config.frontier).filter(|r| first || !graph.is_literal(r.node)).copied().collect()
}

/// Reads the neighbours of several paths' ends in one request, because the ends overlap and the
/// graph may be remote.
async fn neighbourhoods(
    graph: &dyn Graph,
    samples: &[Vec<Reached>],
    config: WalkConfig,
) -> Result<HashMap<NodeId, Vec<Expansion>>, GraphError> {
    let mut nodes: Vec<NodeId> = samples.iter().flatten().map(|r| r.node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let expanded = graph.expand(&nodes, None, config.neighbours).await?;
    Ok(nodes.into_iter().zip(expanded).collect())
}

fn extend(
    graph: &dyn Graph,
    steps: &[Step],
    sample: &[Reached],
    around: &HashMap<NodeId, Vec<Expansion>>,
    config: WalkConfig,
) -> Layer {
    let mut ends: HashMap<Step, HashMap<NodeId, Reached>> = HashMap::new();
    for at in sample {
        for expansion in around.get(&at.node).into_iter().flatten() {
            if !is_walked(graph, expansion.step, steps.is_empty()) {
                continue;
            }
            let returns = steps.last().is_some_and(|last| last.reversed() == expansion.step);
            let of_step = ends.entry(expansion.step).or_default();
            for node in &expansion.nodes {
                if of_step.len() >= config.neighbours {
                    break;
                }
                if !returns || at.may_return_to(*node) {
                    reach(of_step, *node, at.node);
                }
            }
        }
    }
    let mut layer: Layer = ends
        .into_iter()
        .filter(|(_, reached)| !reached.is_empty())
        .map(|(step, reached)| (steps.iter().copied().chain([step]).collect(), in_order(reached)))
        .collect();
    layer.sort_by(|(a, _), (b, _)| a.cmp(b));
    layer
}

fn reach(reached: &mut HashMap<NodeId, Reached>, node: NodeId, from: NodeId) {
    reached.entry(node).and_modify(|r| r.from_several |= r.from != from).or_insert(Reached {
        node,
        from,
        from_several: false,
    });
}

/// Sorted by node, so that every run is the same.
fn in_order(reached: HashMap<NodeId, Reached>) -> Vec<Reached> {
    let mut reached: Vec<Reached> = reached.into_values().collect();
    reached.sort_unstable_by_key(|r| r.node);
    reached
}

fn sample_evenly<T>(items: &[T], most: usize) -> impl Iterator<Item = &T> {
    let stride = items.len().div_ceil(most.max(1)).max(1);
    items.iter().step_by(stride)
}

fn is_walked(graph: &dyn Graph, step: Step, first: bool) -> bool {
    let role = usize::try_from(step.relation.0).ok().and_then(|at| graph.relations().get(at)).map(|r| r.role);
    match role {
        Some(RelationRole::Ordinary) => true,
        Some(RelationRole::Type) => first && step.direction == Direction::Backward,
        _ => false,
    }
}

/// An exact walk: all nodes at each hop, each with all nodes that it was reached from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Walk {
    /// The steps.
    pub steps: Vec<Step>,
    /// For each hop, the nodes reached and the nodes they were reached from, sorted by node.
    pub hops: Vec<Vec<(NodeId, Vec<NodeId>)>>,
    /// Whether a hop had more nodes than the walk keeps.
    pub cut: bool,
}

impl Walk {
    /// The nodes at the end.
    pub fn ends(&self) -> impl Iterator<Item = NodeId> {
        self.hops.last().into_iter().flatten().map(|(node, _)| *node)
    }

    /// The nodes of each hop that lead on to an end.
    pub fn on_the_way(&self) -> Vec<Vec<NodeId>> {
        let mut wanted: Vec<NodeId> = self.ends().collect();
        let mut by_hop = Vec::new();
        for nodes in self.hops.iter().rev() {
            let reached = wanted.iter().filter_map(|node| {
                let at = nodes.binary_search_by_key(node, |(n, _)| *n).ok()?;
                nodes.get(at).map(|(_, from)| from)
            });
            let mut before: Vec<NodeId> = reached.flatten().copied().collect();
            before.sort_unstable();
            before.dedup();
            by_hop.push(std::mem::replace(&mut wanted, before));
        }
        by_hop.reverse();
        by_hop
    }

    /// The triples (head, step as walked, tail) on the way to `ends`, hop by hop; at most `most`
    /// for each hop.
    pub fn triples_to(&self, ends: &[NodeId], most: usize) -> Vec<(NodeId, Step, NodeId)> {
        let mut wanted: Vec<NodeId> = ends.to_vec();
        let mut by_hop = Vec::new();
        for (step, nodes) in self.steps.iter().zip(&self.hops).rev() {
            let mut triples = Vec::new();
            let mut before = Vec::new();
            for node in &wanted {
                let Ok(at) = nodes.binary_search_by_key(node, |(n, _)| *n) else { continue };
                // If the limit is tight, each node keeps one way back, so that every end keeps its
                // chain.
                let Some((_, from)) = nodes.get(at) else { continue };
                for parent in from.iter().take(if wanted.len() * from.len() > most { 1 } else { from.len() })
                {
                    triples.push((*parent, *step, *node));
                    before.push(*parent);
                }
            }
            triples.truncate(most);
            before.sort_unstable();
            before.dedup();
            wanted = before;
            by_hop.push(triples);
        }
        by_hop.into_iter().rev().flatten().collect()
    }
}

/// Follows `steps` from `anchor` exactly.
///
/// # Errors
/// The graph's.
pub async fn follow(graph: &dyn Graph, anchor: NodeId, steps: &[Step]) -> Result<Walk, GraphError> {
    let mut walk = Walk { steps: steps.to_vec(), ..Walk::default() };
    let mut current: Vec<(NodeId, Vec<NodeId>)> = vec![(anchor, Vec::new())];
    let mut last: Option<Step> = None;
    for step in steps {
        let returns = last.is_some_and(|last| last.reversed() == *step);
        let nodes: Vec<NodeId> = current.iter().map(|(node, _)| *node).collect();
        let mut next: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
        for ((node, from), expansions) in
            current.iter().zip(graph.expand(&nodes, Some(std::slice::from_ref(step)), MOST_NODES).await?)
        {
            for neighbour in expansions.into_iter().flat_map(|e| e.nodes) {
                let straight_back = returns && from.as_slice() == [neighbour];
                if !straight_back {
                    next.entry(neighbour).or_default().push(*node);
                }
            }
        }
        current = next.into_iter().collect();
        current.sort_unstable_by_key(|(node, _)| *node);
        walk.cut |= current.len() > MOST_NODES;
        current.truncate(MOST_NODES);
        walk.hops.push(current.clone());
        last = Some(*step);
    }
    Ok(walk)
}
