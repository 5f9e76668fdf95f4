//! The entities of one source that the nodes of a pseudo-graph may stand for. The question's
//! entities are the start; the other end of a pseudo-triple stands for the entities that it leads
//! to from there.

use std::collections::{HashMap, HashSet};

use quipu_graph::NodeId;
use quipu_language::normalise;
use quipu_query::PseudoGraph;
use quipu_stages::answer::{AnswerError, Question};
use quipu_stages::ledger::Context;
use quipu_stages::link::{Mentioned, named};

/// Candidates of one name.
const CANDIDATES: usize = 3;
/// Candidates within this score of the best one count as near-equal.
const CLOSE: f64 = 0.02;
/// From this score on a name surely means its entity: a name with a typing error scores about .8,
/// one that shares only some words less than .7.
const SURE: f64 = 0.75;
/// The distance of a node that nothing has reached yet.
pub(super) const NOWHERE: usize = usize::MAX;

/// The entities of one source for the nodes of the pseudo-graph.
pub(super) struct Meant {
    nodes: Vec<Vec<NodeId>>,
    /// Steps from the question's entities. A node further away stands for the entities that the
    /// sources lead to, not for its name.
    distance: Vec<usize>,
    /// The entities that the question itself names.
    pub asked: Vec<NodeId>,
    /// The entities that it surely names.
    pub sure: HashSet<NodeId>,
    /// The mentions of the question that were recognised here.
    pub mentioned: Vec<Mentioned>,
}

impl Meant {
    /// The entities with the pseudo-graph's names, and those that the question names, which were
    /// `mentioned` here.
    ///
    /// # Errors
    /// The index's and the embedder's.
    pub(super) async fn read(
        context: &Context<'_>,
        question: &Question,
        graph: &PseudoGraph,
        mentioned: Vec<Mentioned>,
    ) -> Result<Self, AnswerError> {
        let mut meant = Self {
            nodes: vec![Vec::new(); graph.nodes.len()],
            distance: vec![NOWHERE; graph.nodes.len()],
            asked: Vec::new(),
            sure: HashSet::new(),
            mentioned,
        };
        for mention in &meant.mentioned {
            let best = mention.best().map_or(0.0, |anchor| anchor.score);
            let candidates = mention.candidates.iter().take(CANDIDATES);
            for anchor in candidates.filter(|anchor| best - anchor.score <= CLOSE) {
                meant.asked.push(anchor.node);
                if anchor.score >= SURE {
                    meant.sure.insert(anchor.node);
                }
            }
        }
        meant.look_up(context, question, graph).await?;
        Ok(meant)
    }

    /// Looks up the names of the pseudo-graph's known nodes.
    async fn look_up(
        &mut self,
        context: &Context<'_>,
        question: &Question,
        graph: &PseudoGraph,
    ) -> Result<(), AnswerError> {
        for (node, nodes) in graph.nodes.iter().zip(&mut self.nodes) {
            let name = node.name.trim_start_matches('?');
            // `peter` for "Peter Mullan": a part of a mention stands for the mention.
            let is_it = |mention: &&Mentioned| {
                is_part(name, &mention.text) || normalise(name) == normalise(&mention.text)
            };
            if let Some(best) = self.mentioned.iter().find(is_it).and_then(Mentioned::best) {
                nodes.push(best.node);
            } else if !node.unknown && context.anchors.is_empty() {
                let name = name.to_owned();
                let found = named(context, question.text(), &[name], CANDIDATES).await?;
                nodes.extend(found.into_iter().flat_map(|m| m.candidates).map(|anchor| anchor.node));
            }
        }
        // The given anchors, if the model used other names for them.
        if !context.anchors.is_empty()
            && self.nodes.iter().all(Vec::is_empty)
            && let Some(first) = graph.nodes.iter().position(|node| !node.unknown)
            && let Some(nodes) = self.nodes.get_mut(first)
        {
            nodes.clone_from(&self.asked);
        }
        Ok(())
    }

    /// The nodes that the question names are the starts. If the question names nothing in any
    /// source, every node with a known name is.
    pub(super) fn trust_names(&mut self, anything_asked: bool) {
        let asked = &self.asked;
        for (nodes, distance) in self.nodes.iter_mut().zip(&mut self.distance) {
            let named =
                if anything_asked { nodes.iter().any(|n| asked.contains(n)) } else { !nodes.is_empty() };
            if named {
                *distance = 0;
                if anything_asked {
                    nodes.retain(|node| asked.contains(node));
                }
            }
        }
    }

    /// Whether the question names this node of the pseudo-graph in this source.
    pub(super) fn is_named(&self, at: usize) -> bool {
        self.distance(at) == 0
    }

    /// Sets the entities that a node leads to; they replace those of its name.
    pub(super) fn lead(&mut self, at: usize, nodes: Vec<NodeId>, distance: usize) {
        if let (Some(known), Some(far)) = (self.nodes.get_mut(at), self.distance.get_mut(at)) {
            *known = nodes;
            *far = distance;
        }
    }

    /// Keeps only the entities of a node that are in `keep`, unless none would be left.
    pub(super) fn retain(&mut self, at: usize, keep: &HashSet<NodeId>) {
        if let Some(nodes) = self.nodes.get_mut(at)
            && nodes.iter().any(|node| keep.contains(node))
        {
            nodes.retain(|node| keep.contains(node));
        }
    }

    pub(super) fn of(&self, at: usize) -> &[NodeId] {
        self.nodes.get(at).map_or(&[], Vec::as_slice)
    }

    pub(super) fn distance(&self, at: usize) -> usize {
        self.distance.get(at).copied().unwrap_or(NOWHERE)
    }

    /// For each entity reached by following, its node in the pseudo-graph.
    pub(super) fn stands_for(&self) -> HashMap<NodeId, usize> {
        let led = self.nodes.iter().enumerate().filter(|(at, _)| !matches!(self.distance(*at), 0 | NOWHERE));
        led.flat_map(|(at, nodes)| nodes.iter().map(move |node| (*node, at))).collect()
    }
}

/// Whether a name consists of some words of another name, but not all.
fn is_part(name: &str, whole: &str) -> bool {
    let (name, whole) = (normalise(name), normalise(whole));
    let words: Vec<&str> = whole.split(' ').collect();
    name.len() > 2 && name != whole && name.split(' ').all(|word| words.contains(&word))
}
