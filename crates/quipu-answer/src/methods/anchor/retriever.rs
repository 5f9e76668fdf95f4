//! A retriever explores the graph from one anchor, one hop a round (§3.4).

use std::collections::{HashMap, HashSet};

use quipu_graph::{NodeId, RelationId, Step};
use quipu_stages::answer::{AnswerError, Event, Question, Stage, cell};
use quipu_stages::ledger::Context;
use quipu_stages::link::Anchor;
use quipu_stages::plan::{Frontier, OfferedRelation};
use quipu_stages::retrieve::Walked;

use super::AnchorConfig;
use super::lead::{Lead, Spot, arrow};
use super::pruning::Pruning;

/// Most neighbours along one step of one entity; a hub may have more.
const MOST_NEIGHBOURS: usize = 500;

/// A retriever and the triples that it has found.
pub(super) struct Retriever {
    anchor: Anchor,
    spots: Vec<Spot>,
    seen: HashSet<NodeId>,
    visited: HashSet<RelationId>,
    triples: Vec<Walked>,
    last_found: u32,
    is_live: bool,
}

impl Retriever {
    pub(super) fn new(anchor: Anchor) -> Self {
        let spot = Spot { node: anchor.node, name: cell(&anchor.name), way: String::new() };
        Self {
            seen: HashSet::from([anchor.node]),
            spots: vec![spot],
            anchor,
            visited: HashSet::new(),
            triples: Vec::new(),
            last_found: 0,
            is_live: true,
        }
    }

    /// Whether it goes on.
    pub(super) fn is_live(&self) -> bool {
        self.is_live
    }

    /// Whether round `hop` found any triple.
    pub(super) fn found_in(&self, hop: u32) -> bool {
        self.last_found == hop
    }

    /// The triples that bear on the question, in the order of the rounds.
    pub(super) fn triples(&self) -> impl Iterator<Item = Walked> + '_ {
        self.triples.iter().copied()
    }

    /// One round: chooses relations, the entities along each, and the triples between them, with
    /// pruning after each choice. A round without triples ends the retriever ("early stopping").
    ///
    /// # Errors
    /// The graph's and the model's; [`AnswerError::Exhausted`] where the calls for the round are
    /// used up.
    pub(super) async fn explore(
        &mut self,
        context: &Context<'_>,
        question: &Question,
        hop: u32,
        config: &AnchorConfig,
    ) -> Result<(), AnswerError> {
        let pruning = Pruning { context, question: question.text(), config };
        let relations = self.relations(&pruning, hop).await?;
        let mut leads = Vec::new();
        for along in self.along(context, &relations).await? {
            leads.extend(pruning.entities(&self.names(), along).await?);
        }
        if leads.is_empty() {
            let reason =
                if hop == 1 { "it has no relation to follow" } else { "its relations lead to nothing new" };
            self.stop(context, hop, reason);
            return Ok(());
        }
        if config.triple_filter {
            leads = pruning.triples(leads, &self.spots).await?;
        }
        if leads.is_empty() {
            self.stop(context, hop, "none of its triples is relevant to the question");
            return Ok(());
        }
        self.advance(context, hop, leads);
        Ok(())
    }

    /// The names of its current entities.
    fn names(&self) -> String {
        let names: Vec<&str> = self.spots.iter().map(|spot| spot.name.as_str()).collect();
        names.join("; ")
    }

    fn stop(&mut self, context: &Context<'_>, hop: u32, reason: &str) {
        self.is_live = false;
        let (anchor, stopped) = (self.anchor.name.clone(), Some(reason.to_owned()));
        context.trace.report(Stage::Retrieve, Event::Explored { hop, anchor, found: Vec::new(), stopped });
    }

    /// Takes the remaining triples; the next round starts at their new ends.
    fn advance(&mut self, context: &Context<'_>, hop: u32, leads: Vec<Lead>) {
        let found = leads.iter().map(|lead| lead.line(&self.spots)).collect();
        let mut spots = Vec::new();
        for lead in leads {
            let step = lead.relation.step;
            let from = lead.from.iter().filter_map(|at| self.spots.get(*at));
            self.triples.extend(from.map(|spot| (spot.node, step, lead.to)));
            let Some(first) = lead.from.first().and_then(|at| self.spots.get(*at)) else { continue };
            if !context.graph().is_literal(lead.to) && self.seen.insert(lead.to) {
                let words = arrow(step, &lead.relation.relation, &first.name, &lead.name);
                let way = if first.way.is_empty() { words } else { format!("{}; {words}", first.way) };
                spots.push(Spot { node: lead.to, name: lead.name, way });
            }
        }
        self.last_found = hop;
        self.spots = spots;
        self.is_live = !self.spots.is_empty();
        let stopped = (!self.is_live).then(|| "the triples found lead no further".to_owned());
        let anchor = self.anchor.name.clone();
        context.trace.report(Stage::Retrieve, Event::Explored { hop, anchor, found, stopped });
    }

    /// The relations to follow, at most b: ordinary ones, in both directions, without those that
    /// this retriever followed before.
    async fn relations(
        &mut self,
        pruning: &Pruning<'_, '_>,
        hop: u32,
    ) -> Result<Vec<OfferedRelation>, AnswerError> {
        let (graph, trace) = (pruning.context.graph(), pruning.context.trace);
        let nodes: Vec<NodeId> = self.spots.iter().map(|spot| spot.node).collect();
        let mut offered = Frontier::at(graph, &nodes).await?.expand(graph).await?;
        offered.retain(|relation| !self.visited.contains(&relation.step.relation));
        let relations = offered.iter().map(OfferedRelation::describe).collect();
        trace.report(Stage::Plan, Event::Expanded { hop, relations });
        let way = self.spots.first().map_or("", |spot| spot.way.as_str());
        let kept = pruning.relations(&self.names(), way, &offered).await?;
        let kept: Vec<OfferedRelation> = kept.into_iter().filter_map(|at| offered.get(at).cloned()).collect();
        self.visited.extend(kept.iter().map(|relation| relation.step.relation));
        let dropped = offered.len() - kept.len();
        let words = kept.iter().map(OfferedRelation::describe).collect();
        let by = pruning.name().to_owned();
        trace.report(Stage::Prune, Event::Filtered { hop, kept: words, dropped, by });
        Ok(kept)
    }

    /// The entities along each relation from all spots, each once, without those that this
    /// retriever has seen.
    async fn along(
        &self,
        context: &Context<'_>,
        relations: &[OfferedRelation],
    ) -> Result<Vec<Vec<Lead>>, AnswerError> {
        let graph = context.graph();
        let steps: Vec<Step> = relations.iter().map(|relation| relation.step).collect();
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let nodes: Vec<NodeId> = self.spots.iter().map(|spot| spot.node).collect();
        let mut order: Vec<(Step, NodeId)> = Vec::new();
        let mut from: HashMap<(Step, NodeId), Vec<usize>> = HashMap::new();
        let expanded = graph.expand(&nodes, Some(&steps), MOST_NEIGHBOURS).await?;
        for (at, expansion) in
            expanded.into_iter().enumerate().flat_map(|(at, all)| all.into_iter().map(move |one| (at, one)))
        {
            for node in expansion.nodes.into_iter().filter(|node| !self.seen.contains(node)) {
                let end = (expansion.step, node);
                let spots = from.entry(end).or_insert_with(|| {
                    order.push(end);
                    Vec::new()
                });
                spots.push(at);
            }
        }
        let ends: Vec<NodeId> = order.iter().map(|(_, node)| *node).collect();
        let names = graph.summaries(&ends).await?.into_iter().map(|summary| cell(&summary.name));
        let named: Vec<((Step, NodeId), String)> = order.into_iter().zip(names).collect();
        let of = |relation: &OfferedRelation| -> Vec<Lead> {
            let own = named.iter().filter(|((step, _), _)| *step == relation.step);
            own.map(|(end, name)| Lead {
                from: from.get(end).cloned().unwrap_or_default(),
                relation: relation.clone(),
                to: end.1,
                name: name.clone(),
            })
            .collect()
        };
        Ok(relations.iter().map(of).collect())
    }
}
