//! Several workspaces walked as one graph, so that a path may cross from one source to another.
//!
//! Two entities are the same if they have the same key. Sources with different keys also match by
//! name: both entities must bear the same name, letter by letter, and no other entity of either
//! source may bear it. Literals are the same if form and kind are equal, relations if their keys
//! are. A node's id is a hash of its key, the same in every run.
//!
//! A source that fails is skipped for [`PAUSE`] and listed in [`JoinedGraph::down`]; the others
//! answer. The sources' nodes stay registered as long as the graph is open.

mod graph;
mod nodes;
mod relations;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::future::join_all;
use parking_lot::{Mutex, RwLock};
use quipu_graph::{BETWEEN_SOURCES, Graph, GraphDescription, GraphError, NodeId, NodeSummary, Step};

use crate::{IndexError, MatchReason, NameIndex, Workspace};

use nodes::{Elsewhere, Nodes, Own};
use relations::Relations;

/// Time for which a failed source is skipped.
const PAUSE: Duration = Duration::from_secs(30);
/// Most neighbours that are searched for the source of a triple.
const MOST_LOOKED_THROUGH: usize = 10_000;

/// Several workspaces as one graph.
pub(super) struct JoinedGraph {
    description: GraphDescription,
    parts: Vec<Part>,
    relations: Relations,
    nodes: RwLock<Nodes>,
    /// Time for which a failed source is skipped.
    pause: Duration,
}

struct Part {
    workspace: Arc<Workspace>,
    down: Mutex<Option<Down>>,
}

struct Down {
    since: Instant,
    reason: String,
}

/// Nodes of one source with their positions in a list of joined nodes.
#[derive(Default)]
struct Share {
    places: Vec<usize>,
    own: Vec<NodeId>,
}

impl JoinedGraph {
    pub(super) fn new(workspaces: &[Arc<Workspace>]) -> Self {
        let relations = Relations::of(workspaces.iter().map(|workspace| &**workspace.graph()));
        let described: Vec<&GraphDescription> = workspaces.iter().map(|w| w.graph().describe()).collect();
        let sum = |count: fn(&GraphDescription) -> u64| described.iter().map(|of| count(of)).sum();
        let names: Vec<&str> = described.iter().map(|of| of.name.as_str()).collect();
        let description = GraphDescription {
            name: names.join(BETWEEN_SOURCES),
            triples: sum(|of| of.triples),
            entities: sum(|of| of.entities),
            literals: sum(|of| of.literals),
            relations: relations.infos.len() as u64,
            types: sum(|of| of.types),
            documents: sum(|of| of.documents),
        };
        let part = |workspace: &Arc<Workspace>| Part { workspace: workspace.clone(), down: Mutex::new(None) };
        let parts = workspaces.iter().map(part).collect();
        Self { description, parts, relations, nodes: RwLock::default(), pause: PAUSE }
    }

    /// The names of the sources that failed after `since` or are still skipped, each with its
    /// error.
    pub(super) fn down(&self, since: Instant) -> Vec<(String, String)> {
        let of = |part: &Part| {
            let down = part.down.lock();
            let down = down.as_ref().filter(|down| down.since >= since || !down.is_over(self.pause))?;
            Some((part.name().to_owned(), down.reason.clone()))
        };
        self.parts.iter().filter_map(of).collect()
    }

    /// The answers of every source that is up. A source that fails is skipped from then on.
    ///
    /// # Errors
    /// The last source's error if none answers; [`GraphError::Cancelled`] from any source.
    pub(super) async fn each<T, F>(
        &self,
        ask: impl Fn(usize, Arc<Workspace>) -> F,
    ) -> Result<Vec<(usize, T)>, IndexError>
    where
        F: Future<Output = Result<T, IndexError>>,
    {
        let up = self.parts.iter().enumerate().filter(|(_, part)| part.is_up(self.pause));
        let asked = up.map(|(at, part)| {
            let answer = ask(at, part.workspace.clone());
            async move { (at, answer.await) }
        });
        let (mut answers, mut failed) = (Vec::new(), None);
        for (at, answer) in join_all(asked).await {
            match self.kept(at, answer)? {
                Ok(answer) => answers.push((at, answer)),
                Err(error) => failed = Some(error),
            }
        }
        let nothing = || IndexError::AllDown { sources: self.description.name.clone() };
        if answers.is_empty() { Err(failed.unwrap_or_else(nothing)) } else { Ok(answers) }
    }

    /// A source's answer. An error makes the source skipped, except a cancellation, which ends the
    /// work.
    fn kept<T>(&self, at: usize, answer: Result<T, IndexError>) -> Result<Result<T, IndexError>, IndexError> {
        match answer {
            Err(IndexError::Cancelled | IndexError::Graph(GraphError::Cancelled)) => {
                Err(IndexError::Cancelled)
            }
            Err(error) => {
                if let Some(part) = self.parts.get(at) {
                    *part.down.lock() = Some(Down { since: Instant::now(), reason: error.to_string() });
                }
                Ok(Err(error))
            }
            answer => Ok(answer),
        }
    }

    /// The joined nodes of a source's own nodes, in their order.
    pub(super) async fn joined(&self, at: usize, own: &[NodeId]) -> Result<Vec<NodeId>, IndexError> {
        let strangers: Vec<NodeId> = {
            let nodes = self.nodes.read();
            let mut seen = HashSet::new();
            own.iter().copied().filter(|own| nodes.id(at, *own).is_none() && seen.insert(*own)).collect()
        };
        if let (false, Some(part)) = (strangers.is_empty(), self.parts.get(at)) {
            let summaries = part.workspace.graph().summaries(&strangers).await?;
            self.meet(at, &summaries).await?;
        }
        let nodes = self.nodes.read();
        let met = |own: &NodeId| {
            nodes.id(at, *own).ok_or_else(|| IndexError::Usage(format!("the graph holds no node {}", own.0)))
        };
        own.iter().map(met).collect()
    }

    /// The same for nodes that a source has just returned; `None` if the source fails meanwhile,
    /// and is skipped from then on.
    async fn joined_while_up(&self, at: usize, own: &[NodeId]) -> Result<Option<Vec<NodeId>>, IndexError> {
        let joined = self.joined(at, own).await;
        Ok(self.kept(at, joined)?.ok())
    }

    /// Registers nodes of a source, each with its counterparts in the other sources.
    async fn meet(&self, at: usize, summaries: &[NodeSummary]) -> Result<(), IndexError> {
        let entities: Vec<&NodeSummary> =
            summaries.iter().filter(|summary| summary.literal.is_none()).collect();
        let mut elsewhere: Vec<Elsewhere> = vec![vec![None; self.parts.len()]; entities.len()];
        if !entities.is_empty() {
            let answers = self.each(|other, _| self.find(other, at, &entities)).await?;
            for (other, found) in answers {
                for (slots, found) in elsewhere.iter_mut().zip(found) {
                    if let Some(slot) = slots.get_mut(other).filter(|_| other != at) {
                        *slot = Some(found);
                    }
                }
            }
        }
        let mut nodes = self.nodes.write();
        let nowhere: Elsewhere = vec![Some(None); self.parts.len()];
        let mut elsewhere = elsewhere.iter();
        for summary in summaries {
            let elsewhere = match summary.literal {
                None => elsewhere.next().unwrap_or(&nowhere),
                Some(_) => &nowhere,
            };
            nodes.meet(at, summary, elsewhere);
        }
        Ok(())
    }

    /// A source's own nodes for entities of another source, by key, else by name.
    async fn find(
        &self,
        other: usize,
        at: usize,
        entities: &[&NodeSummary],
    ) -> Result<Vec<Option<NodeId>>, IndexError> {
        let (Some(asked), Some(from), true) = (self.parts.get(other), self.parts.get(at), other != at) else {
            return Ok(Vec::new());
        };
        let keys: Vec<&str> = entities.iter().map(|summary| summary.key.as_str()).collect();
        let mut found = asked.workspace.graph().resolve(&keys).await?;
        for (found, summary) in found.iter_mut().zip(entities).filter(|(found, _)| found.is_none()) {
            *found = only(from.workspace.names(), &summary.name)?
                .and(only(asked.workspace.names(), &summary.name)?);
        }
        Ok(found)
    }

    /// The nodes in each source. It also asks sources that were down when a node was registered and
    /// are up again.
    async fn own(&self, nodes: &[NodeId]) -> Result<Vec<Own>, IndexError> {
        let mut late: BTreeMap<usize, Vec<NodeId>> = BTreeMap::new();
        {
            let known = self.nodes.read();
            for node in nodes {
                let up = |at: &usize| self.parts.get(*at).is_some_and(|part| part.is_up(self.pause));
                if known.unasked(*node).any(|at| up(&at))
                    && let Some((at, own)) = known.own(*node).and_then(|own| first(own, |at| up(&at)))
                {
                    late.entry(at).or_default().push(own);
                }
            }
        }
        for (at, own) in late {
            let Some(part) = self.parts.get(at) else { continue };
            let summaries = part.workspace.graph().summaries(&own).await.map_err(IndexError::from);
            if let Ok(summaries) = self.kept(at, summaries)? {
                self.meet(at, &summaries).await?;
            }
        }
        let known = self.nodes.read();
        let own = |node: &NodeId| {
            known
                .own(*node)
                .cloned()
                .ok_or_else(|| IndexError::Usage(format!("the graph holds no node {}", node.0)))
        };
        nodes.iter().map(own).collect()
    }

    /// Each source's answers for its share of nodes: `ask` gets the source and its own nodes, and
    /// answers for each of them in their order.
    async fn shared<T, F>(
        &self,
        nodes: &[NodeId],
        ask: impl Fn(usize, Arc<Workspace>, Vec<NodeId>) -> F,
    ) -> Result<Vec<(usize, Vec<(usize, T)>)>, IndexError>
    where
        F: Future<Output = Result<Vec<T>, GraphError>>,
    {
        let own = self.own(nodes).await?;
        self.each(|at, workspace| {
            let Share { places, own } = share(&own, at);
            let answers = (!own.is_empty()).then(|| ask(at, workspace, own));
            async move {
                let answers = match answers {
                    Some(answers) => answers.await?,
                    None => Vec::new(),
                };
                Ok(places.into_iter().zip(answers).collect())
            }
        })
        .await
    }

    /// The sources that state each triple; if none is found, the first that has its relation and
    /// its ends.
    async fn staters(&self, triples: &[(NodeId, Step, NodeId)]) -> Result<Vec<Vec<usize>>, IndexError> {
        let ends: Vec<NodeId> = triples.iter().flat_map(|(from, _, to)| [*from, *to]).collect();
        let own = self.own(&ends).await?;
        let mut held: Vec<Option<usize>> = vec![None; triples.len()];
        let mut stated: Vec<Vec<usize>> = vec![Vec::new(); triples.len()];
        let mut asked: BTreeMap<usize, Vec<(usize, NodeId, Step, NodeId)>> = BTreeMap::new();
        for (place, ((_, step, _), ends)) in triples.iter().zip(own.chunks(2)).enumerate() {
            let [from, to] = ends else { continue };
            let may = |at: usize| {
                let (from, to) = (from.get(at).copied().flatten()?, to.get(at).copied().flatten()?);
                Some((at, from, self.relations.own(at, *step)?, to))
            };
            let may: Vec<_> = (0..self.parts.len()).filter_map(may).collect();
            if let Some(held) = held.get_mut(place) {
                *held = may.first().map(|(at, ..)| *at);
            }
            if may.len() > 1 {
                for (at, from, step, to) in may {
                    asked.entry(at).or_default().push((place, from, step, to));
                }
            }
        }
        for (at, triples) in asked {
            let Some(part) = self.parts.get(at).filter(|part| part.is_up(self.pause)) else { continue };
            let holds = holds(&**part.workspace.graph(), &triples).await.map_err(IndexError::from);
            let Ok(holds) = self.kept(at, holds)? else { continue };
            for ((place, ..), holds) in triples.into_iter().zip(holds) {
                if let Some(stated) = stated.get_mut(place).filter(|_| holds) {
                    stated.push(at);
                }
            }
        }
        for (stated, held) in stated.iter_mut().zip(held).filter(|(stated, _)| stated.is_empty()) {
            stated.extend(held);
        }
        Ok(stated)
    }
}

impl Down {
    fn is_over(&self, pause: Duration) -> bool {
        self.since.elapsed() > pause
    }
}

impl Part {
    fn name(&self) -> &str {
        &self.workspace.graph().describe().name
    }

    /// A source is up again `pause` after its failure.
    fn is_up(&self, pause: Duration) -> bool {
        let mut down = self.down.lock();
        if down.as_ref().is_some_and(|down| down.is_over(pause)) {
            *down = None;
        }
        down.is_none()
    }
}

/// The only entity with exactly this name; `None` if there is none or several, and for names
/// without a letter.
fn only(names: &NameIndex, name: &str) -> Result<Option<NodeId>, IndexError> {
    if !name.chars().any(char::is_alphabetic) {
        return Ok(None);
    }
    let found = names.exact(name, 3)?;
    let mut bearers = found.iter().filter(|c| c.matched == name && matches!(c.reason, MatchReason::Exact));
    Ok(bearers.next().map(|only| only.node).filter(|_| bearers.next().is_none()))
}

fn first(own: &Own, up: impl Fn(usize) -> bool) -> Option<(usize, NodeId)> {
    own.iter().enumerate().find_map(|(at, own)| Some((at, (*own)?)).filter(|(at, _)| up(*at)))
}

fn share(all: &[Own], at: usize) -> Share {
    let mut share = Share::default();
    for (place, own) in all.iter().enumerate() {
        if let Some(own) = own.get(at).copied().flatten() {
            share.places.push(place);
            share.own.push(own);
        }
    }
    share
}

/// Whether a graph states triples, each looked up from its end with fewer neighbours.
async fn holds(
    graph: &dyn Graph,
    triples: &[(usize, NodeId, Step, NodeId)],
) -> Result<Vec<bool>, GraphError> {
    let ends: Vec<NodeId> = triples.iter().flat_map(|(_, from, _, to)| [*from, *to]).collect();
    let uses = graph.relations_of(&ends).await?;
    let fan_out = |place: usize, step: Step| {
        let uses = uses.get(place).map(Vec::as_slice).unwrap_or_default();
        uses.iter().find(|used| used.step == step).map_or(0, |used| used.fan_out)
    };
    let mut lookups: BTreeMap<Step, Vec<(usize, NodeId, NodeId)>> = BTreeMap::new();
    for (place, (_, from, step, to)) in triples.iter().enumerate() {
        let back = step.reversed();
        let (step, end, other) = if fan_out(2 * place + 1, back) < fan_out(2 * place, *step) {
            (back, *to, *from)
        } else {
            (*step, *from, *to)
        };
        lookups.entry(step).or_default().push((place, end, other));
    }
    let mut holds = vec![false; triples.len()];
    for (step, lookups) in lookups {
        let ends: Vec<NodeId> = lookups.iter().map(|(_, end, _)| *end).collect();
        let found = graph.expand(&ends, Some(&[step]), MOST_LOOKED_THROUGH).await?;
        for ((place, _, other), found) in lookups.into_iter().zip(found) {
            let states = found.iter().any(|expansion| expansion.nodes.contains(&other));
            if let Some(holds) = holds.get_mut(place) {
                *holds = states;
            }
        }
    }
    Ok(holds)
}
