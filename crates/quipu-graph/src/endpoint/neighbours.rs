//! Relations and neighbours of nodes. They are counted first and then fetched in requests with a
//! known number of rows, so that a truncated result is noticed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use futures::future::{BoxFuture, try_join_all};

use super::client::Ask;
use super::graph::EndpointGraph;
use super::known::{Known, NodeUses};
use super::query::{self, Wanted};
use super::results::{LARGEST_COUNT, Rows};
use super::split::may_split;
use super::terms::Term;
use crate::error::EndpointProblem;
use crate::{Direction, Expansion, GraphError, NodeId, RelationUse, Step};

const COUNTING: &str = "counting the relations of nodes";
const EXPANDING: &str = "fetching neighbours";
/// Most steps in one request. The steps of `batch` nodes may be more.
const MOST_WAYS: usize = 400;
/// Hubs in one request.
const MOST_HUBS: usize = 20;

/// Neighbours to be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Pair {
    node: NodeId,
    step: Step,
    fan_out: u64,
}

type Found = HashMap<(NodeId, Step), Known>;
type Fetched = ((NodeId, Step), Known);

impl EndpointGraph {
    /// The relations of nodes, in their order.
    pub(super) async fn uses(&self, nodes: &[NodeId]) -> Result<Vec<Arc<NodeUses>>, GraphError> {
        let mut known: HashMap<NodeId, Arc<NodeUses>> = HashMap::new();
        let (mut missing, mut seen) = (Vec::new(), HashSet::new());
        for node in nodes {
            if !seen.insert(*node) {
                continue;
            }
            match self.uses.get(node) {
                Some(uses) => drop(known.insert(*node, uses)),
                None => missing.push(*node),
            }
        }
        known.extend(self.count(&missing, true).await?);
        Ok(nodes.iter().filter_map(|node| known.get(node).cloned()).collect())
    }

    /// Counts the relations of distinct nodes; with `cached`, an earlier count will do.
    async fn count(
        &self,
        nodes: &[NodeId],
        cached: bool,
    ) -> Result<HashMap<NodeId, Arc<NodeUses>>, GraphError> {
        let mut asked = Vec::new();
        let mut counted: HashMap<NodeId, Arc<NodeUses>> = HashMap::new();
        for node in nodes {
            let term = self.terms.get(*node)?;
            match term.to_sparql() {
                Some(text) => asked.push((*node, text, term.is_literal())),
                // No query can name this node.
                None => drop(counted.insert(*node, Arc::default())),
            }
        }
        let batches = asked.chunks(self.config().batch).map(|batch| self.count_batch(batch, cached));
        for uses in try_join_all(batches).await?.into_iter().flatten() {
            counted.insert(uses.0, Arc::new(uses.1));
        }
        for (node, uses) in &counted {
            self.uses.put(*node, uses.clone());
        }
        Ok(counted)
    }

    fn count_batch<'a>(
        &'a self,
        batch: &'a [(NodeId, String, bool)],
        cached: bool,
    ) -> BoxFuture<'a, Result<Vec<(NodeId, NodeUses)>, GraphError>> {
        Box::pin(async move {
            let nodes: Vec<String> = batch.iter().map(|(_, text, _)| text.clone()).collect();
            let heads: Vec<String> =
                batch.iter().filter(|(_, _, literal)| !literal).map(|(_, text, _)| text.clone()).collect();
            let pairs: Vec<(String, String)> =
                self.ways.iter().filter_map(|(p, q)| Some((p.clone(), q.clone()?))).collect();
            let query = match self.config().count_limit {
                0 => query::count_uses(&nodes, &heads, &pairs, self.has_repetitions()),
                limit => query::count_uses_within(&nodes, &heads, &pairs, limit),
            };
            let mut ask = Ask::new(COUNTING, query);
            ask.cached = cached;
            let outcome = self.client.select(&ask, &["d", "n", "p", "q", "c"]).await;
            if may_split(&outcome) && batch.len() > 1 {
                let (left, right) = batch.split_at(batch.len() / 2);
                let (mut left, right) =
                    futures::try_join!(self.count_batch(left, cached), self.count_batch(right, cached))?;
                left.extend(right);
                return Ok(left);
            }
            let rows = outcome?;
            if rows.cut {
                let found = rows.rows.len() as u64;
                let problem = EndpointProblem::Incomplete { expected: found + 1, found };
                return Err(self.client.error(COUNTING, problem));
            }
            Ok(self.uses_of_rows(batch, &rows))
        })
    }

    /// Several named graphs may hold the same triple, and Virtuoso does not merge them.
    fn has_repetitions(&self) -> bool {
        self.config().graphs.len() != 1 && self.catalogue.server.contains("Virtuoso")
    }

    fn uses_of_rows(&self, batch: &[(NodeId, String, bool)], rows: &Rows) -> Vec<(NodeId, NodeUses)> {
        let mut by_node: HashMap<NodeId, NodeUses> =
            batch.iter().map(|(node, ..)| (*node, NodeUses::default())).collect();
        let mut totals: HashMap<(NodeId, Direction), u64> = HashMap::new();
        for row in &rows.rows {
            let [Some(mark), Some(node), Some(first), second, Some(count)] = row.as_slice() else { continue };
            let Ok(fan_out) = count.key().parse::<u64>() else { continue };
            let fan_out = fan_out.min(LARGEST_COUNT);
            let (node, direction) = (self.terms.intern(node), direction_of(mark));
            if second.is_none() {
                *totals.entry((node, direction)).or_default() += fan_out;
            }
            let Some(relation) = self.relation_of(first, second.as_ref()) else {
                tracing::debug!(relation = first.key(), "a relation that the catalogue does not know");
                continue;
            };
            if let Some(uses) = by_node.get_mut(&node).filter(|_| fan_out > 0) {
                uses.list.push(RelationUse { step: Step { relation, direction }, fan_out });
            }
        }
        let limit = self.config().count_limit;
        let reached = |node: NodeId, direction: Direction| {
            limit > 0 && totals.get(&(node, direction)).is_some_and(|total| *total >= limit)
        };
        for (node, uses) in &mut by_node {
            uses.list.sort_by_key(|used| (used.step.direction, used.step.relation));
            uses.bounded_forward = reached(*node, Direction::Forward);
            uses.bounded_backward = reached(*node, Direction::Backward);
        }
        by_node.into_iter().collect()
    }

    /// [`Graph::expand`](crate::Graph::expand).
    pub(super) async fn expand_all(
        &self,
        nodes: &[NodeId],
        steps: Option<&[Step]>,
        limit: usize,
    ) -> Result<Vec<Vec<Expansion>>, GraphError> {
        let uses = self.uses(nodes).await?;
        let wanted_of = |uses: &NodeUses| -> Vec<RelationUse> {
            let Some(steps) = steps else { return uses.list.clone() };
            let used = |step: &Step| Some(RelationUse { step: *step, fan_out: uses.fan_out(*step)? });
            steps.iter().filter_map(used).collect()
        };
        let mut found = Found::new();
        let (mut whole, mut first, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
        for (node, uses) in nodes.iter().zip(&uses) {
            for RelationUse { step, fan_out } in wanted_of(uses) {
                let pair = Pair { node: *node, step, fan_out };
                if limit == 0 || !seen.insert((*node, step)) {
                    continue;
                }
                if let Some(known) = self.neighbours.get(&(*node, step)).filter(|known| known.serves(limit)) {
                    found.insert((*node, step), known);
                } else if uses.is_bounded(step)
                    || (fan_out > limit as u64 && fan_out > self.config().whole as u64)
                {
                    first.push(pair);
                } else {
                    whole.push(pair);
                }
            }
        }
        let (whole, first) = futures::try_join!(self.fetch_whole(&whole), self.fetch_first(&first, limit))?;
        found.extend(whole);
        found.extend(first);
        let expanded = nodes.iter().zip(&uses).map(|(node, uses)| {
            let expansion = |used: RelationUse| {
                let known = found.get(&(*node, used.step));
                let nodes: Vec<NodeId> =
                    known.map(|known| known.nodes.iter().take(limit).copied().collect()).unwrap_or_default();
                Expansion { step: used.step, fan_out: used.fan_out.max(nodes.len() as u64), nodes }
            };
            wanted_of(uses).into_iter().map(expansion).collect()
        });
        Ok(expanded.collect())
    }

    /// All neighbours of each pair, in requests that should fill at most one page.
    async fn fetch_whole(&self, pairs: &[Pair]) -> Result<Found, GraphError> {
        let rows = self.page_rows() as u64;
        let (paged, packed): (Vec<Pair>, Vec<Pair>) = pairs.iter().partition(|pair| pair.fan_out > rows);
        let packed = pack(packed, rows);
        let packed = try_join_all(packed.iter().map(|batch| self.fetch_batch(batch)));
        let paged = try_join_all(paged.iter().map(|pair| self.fetch_pages(*pair, usize::MAX)));
        let (packed, paged) = futures::try_join!(packed, paged)?;
        Ok(packed.into_iter().flatten().chain(paged).collect())
    }

    fn wanted(&self, pair: &Pair) -> Option<Wanted> {
        let node = self.terms.get(pair.node).ok()?.to_sparql()?;
        Some(Wanted { node, way: self.way(pair.step)? })
    }

    fn fetch_batch<'a>(&'a self, batch: &'a [Pair]) -> BoxFuture<'a, Result<Vec<Fetched>, GraphError>> {
        Box::pin(async move {
            let wanted: Vec<Wanted> = batch.iter().filter_map(|pair| self.wanted(pair)).collect();
            let ask = Ask::new(EXPANDING, query::neighbours(&wanted));
            let outcome = self.client.select(&ask, &["d", "n", "p", "q", "o"]).await;
            let rows = match outcome {
                Ok(rows) => rows,
                outcome if may_split(&outcome) && batch.len() > 1 => return self.fetch_halves(batch).await,
                outcome => outcome?,
            };
            let mut by_pair: HashMap<(NodeId, Step), Vec<NodeId>> = HashMap::new();
            for row in &rows.rows {
                let [Some(mark), Some(node), Some(first), second, Some(other)] = row.as_slice() else {
                    continue;
                };
                if let Some(relation) = self.relation_of(first, second.as_ref()) {
                    let step = Step { relation, direction: direction_of(mark) };
                    let key = (self.terms.intern(node), step);
                    by_pair.entry(key).or_default().push(self.terms.intern(other));
                }
            }
            let (mut found, mut short) = (Vec::new(), Vec::new());
            for pair in batch {
                let mut nodes = by_pair.remove(&(pair.node, pair.step)).unwrap_or_default();
                nodes.sort_unstable();
                nodes.dedup();
                if (nodes.len() as u64) < pair.fan_out {
                    short.push(*pair);
                } else {
                    found.push(self.keep(*pair, nodes, true));
                }
            }
            if !short.is_empty() {
                found.extend(self.fetch_short(short, rows.cut).await?);
            }
            Ok(found)
        })
    }

    async fn fetch_halves(&self, batch: &[Pair]) -> Result<Vec<Fetched>, GraphError> {
        let (left, right) = batch.split_at(batch.len() / 2);
        let (mut left, right) = futures::try_join!(self.fetch_batch(left), self.fetch_batch(right))?;
        left.extend(right);
        Ok(left)
    }

    /// Fetches pairs for which fewer neighbours came than were counted. They are counted again
    /// first, because the graph may have changed, unless the endpoint reports that it cut the
    /// result.
    async fn fetch_short(&self, mut short: Vec<Pair>, cut: bool) -> Result<Vec<Fetched>, GraphError> {
        if !cut {
            let mut nodes: Vec<NodeId> = short.iter().map(|pair| pair.node).collect();
            nodes.sort_unstable();
            nodes.dedup();
            let counted = self.count(&nodes, false).await?;
            for pair in &mut short {
                pair.fan_out = counted.get(&pair.node).and_then(|uses| uses.fan_out(pair.step)).unwrap_or(0);
            }
        }
        try_join_all(short.iter().map(|pair| self.fetch_pages(*pair, usize::MAX))).await
    }

    /// Neighbours of one pair, page by page, until all or `most` are there.
    async fn fetch_pages(&self, pair: Pair, most: usize) -> Result<Fetched, GraphError> {
        let Some(wanted) = self.wanted(&pair) else { return Ok(self.keep(pair, Vec::new(), true)) };
        let expected = usize::try_from(pair.fan_out).unwrap_or(usize::MAX).min(most);
        let mut found: HashSet<NodeId> = HashSet::new();
        let mut offset = 0;
        while found.len() < expected {
            let query = query::page_of_neighbours(&wanted, offset, self.page_rows());
            let rows = self.client.select(&Ask::new(EXPANDING, query).anew(), &["o"]).await?.rows;
            let before = found.len();
            found.extend(rows.iter().flatten().flatten().map(|term| self.terms.intern(term)));
            // The end, or an endpoint that gives the same page at every offset.
            if found.len() == before {
                break;
            }
            offset += rows.len() as u64;
        }
        let mut nodes: Vec<NodeId> = found.into_iter().collect();
        nodes.sort_unstable();
        if nodes.len() < expected {
            let (expected, found) = (expected as u64, nodes.len() as u64);
            return Err(self.client.error(EXPANDING, EndpointProblem::Incomplete { expected, found }));
        }
        let all = nodes.len() as u64 >= pair.fan_out;
        Ok(self.keep(pair, nodes, all))
    }

    /// Some neighbours of each hub: the `limit` that the endpoint gives first.
    async fn fetch_first(&self, pairs: &[Pair], limit: usize) -> Result<Found, GraphError> {
        if limit > self.page_rows() {
            let paged = pairs.iter().map(|pair| self.fetch_pages(*pair, limit));
            return Ok(try_join_all(paged).await?.into_iter().collect());
        }
        let each = (self.page_rows() / limit.max(1)).clamp(1, MOST_HUBS);
        let fetched = try_join_all(pairs.chunks(each).map(|batch| self.fetch_hubs(batch, limit))).await?;
        Ok(fetched.into_iter().flatten().collect())
    }

    fn fetch_hubs<'a>(
        &'a self,
        batch: &'a [Pair],
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Fetched>, GraphError>> {
        Box::pin(async move {
            let wanted: Vec<Wanted> = batch.iter().filter_map(|pair| self.wanted(pair)).collect();
            let ask = Ask::new(EXPANDING, query::first_neighbours(&wanted, limit));
            let outcome = self.client.select(&ask, &["i", "o"]).await;
            if may_split(&outcome) && batch.len() > 1 {
                let (left, right) = batch.split_at(batch.len() / 2);
                let (mut left, right) =
                    futures::try_join!(self.fetch_hubs(left, limit), self.fetch_hubs(right, limit))?;
                left.extend(right);
                return Ok(left);
            }
            let mut by_pair: HashMap<usize, Vec<NodeId>> = HashMap::new();
            for row in outcome?.rows {
                if let [Some(index), Some(other)] = row.as_slice()
                    && let Ok(index) = index.key().parse()
                {
                    by_pair.entry(index).or_default().push(self.terms.intern(other));
                }
            }
            let fetched = batch.iter().enumerate().map(|(index, pair)| {
                let mut nodes = by_pair.remove(&index).unwrap_or_default();
                nodes.sort_unstable();
                let all = nodes.len() < limit;
                self.keep(*pair, nodes, all)
            });
            Ok(fetched.collect())
        })
    }

    fn keep(&self, pair: Pair, nodes: Vec<NodeId>, all: bool) -> Fetched {
        let known = Known { nodes: nodes.into(), all };
        self.neighbours.put((pair.node, pair.step), known.clone());
        ((pair.node, pair.step), known)
    }

    /// Degrees of nodes: from the harvest if it has them, else counted.
    pub(super) async fn degrees(&self, nodes: &[NodeId]) -> Result<Vec<u64>, GraphError> {
        let mut degrees = Vec::with_capacity(nodes.len());
        let mut asked = Vec::new();
        for node in nodes {
            let term = self.terms.get(*node)?;
            let stored = match &*term {
                Term::Entity(key) => self.stored_degree(key)?,
                Term::Literal { .. } => None,
            };
            if stored.is_none() {
                asked.push(*node);
            }
            degrees.push(stored);
        }
        let uses = self.uses(&asked).await?;
        let counted = uses.iter().map(|uses| uses.list.iter().map(|used| self.triples_of(used)).sum());
        let mut counted = counted.collect::<Vec<u64>>().into_iter();
        Ok(degrees.into_iter().map(|degree| degree.or_else(|| counted.next()).unwrap_or(0)).collect())
    }

    /// A path through a mediator is no triple of its own.
    fn triples_of(&self, used: &RelationUse) -> u64 {
        let mediated =
            self.ways.get(used.step.relation.0 as usize).is_some_and(|(_, second)| second.is_some());
        if mediated { 0 } else { used.fan_out }
    }
}

fn direction_of(mark: &Term) -> Direction {
    if mark.key().eq_ignore_ascii_case("f") { Direction::Forward } else { Direction::Backward }
}

/// Pairs in batches of at most `rows` counted rows and a limited number of steps.
fn pack(pairs: Vec<Pair>, rows: u64) -> Vec<Vec<Pair>> {
    let mut batches: Vec<Vec<Pair>> = Vec::new();
    let mut filled = u64::MAX;
    for pair in pairs {
        let full = batches.last().is_none_or(|batch| batch.len() >= MOST_WAYS);
        if full || filled.saturating_add(pair.fan_out) > rows {
            batches.push(Vec::new());
            filled = 0;
        }
        filled += pair.fan_out;
        batches.last_mut().into_iter().for_each(|batch| batch.push(pair));
    }
    batches
}
