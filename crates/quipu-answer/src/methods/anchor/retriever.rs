//! A retriever: explores the graph from one anchor, a hop a round (§3.4, rough pruning and fine filtering).

use std::collections::{HashMap, HashSet};

use quipu_graph::{Direction, NodeId, Step};
use quipu_model::ChatRequest;
use serde_json::json;

use super::{AnchorConfig, Guide};
use crate::answer::{AnswerError, Event, Question, Stage, cell};
use crate::ledger::Context;
use crate::link::Anchor;
use crate::plan::{Frontier, OfferedRelation, with_solved};
use crate::prompts::Prompt;
use crate::prune::{filter_by_similarity, pick_numbers, similarities};
use crate::retrieve::Walked;

/// Neighbours along one step of one entity; a hub has more, which the trace counts.
const MOST_NEIGHBOURS: usize = 500;
/// Values of a row that the model reads; it knows what a row is about from these.
const ROW_VALUES: usize = 5;

/// Where a retriever stands.
struct Spot {
    node: NodeId,
    name: String,
    /// The way from the anchor, in words.
    way: String,
}

/// One entity's neighbours along one relation.
struct Row {
    from: usize,
    relation: OfferedRelation,
    /// Neighbours, the most similar to the question first where there are more than are shown.
    to: Vec<(NodeId, String)>,
    /// Positions in `to` to go on from.
    kept: Vec<usize>,
}

/// A retriever and what it has found.
pub(super) struct Retriever {
    anchor: Anchor,
    spots: Vec<Spot>,
    seen: HashSet<NodeId>,
    triples: Vec<Walked>,
    last_found: u32,
    stopped: Option<String>,
}

impl Retriever {
    pub(super) fn new(anchor: Anchor) -> Self {
        let spot = Spot { node: anchor.node, name: cell(&anchor.name), way: String::new() };
        let seen = HashSet::from([anchor.node]);
        Self { anchor, spots: vec![spot], seen, triples: Vec::new(), last_found: 0, stopped: None }
    }

    /// Whether it goes on.
    pub(super) fn is_live(&self) -> bool {
        self.stopped.is_none()
    }

    /// Whether round `hop` brought anything.
    pub(super) fn found_in(&self, hop: u32) -> bool {
        self.last_found == hop
    }

    /// The triples that bear on the question, in the order of the rounds.
    pub(super) fn triples(&self) -> impl Iterator<Item = Walked> + '_ {
        self.triples.iter().copied()
    }

    /// One round: relations, entities, triples, each pruned. Where the calls for it are used up, similarity does what the model would.
    pub(super) async fn explore(
        &mut self,
        context: &Context<'_>,
        question: &Question,
        hop: u32,
        config: &AnchorConfig,
    ) -> Result<(), AnswerError> {
        let guide = Guided { context, question: question.text(), config };
        let relations = self.relations(&guide, hop).await?;
        let mut rows = self.rows(&guide, relations).await?;
        if rows.is_empty() {
            let reason =
                if hop == 1 { "it has no relation that leads on" } else { "nothing new lies beyond" };
            self.stop(context, hop, reason);
            return Ok(());
        }
        for row in &mut rows {
            let at = self.spots.get(row.from).map_or("", |spot| spot.name.as_str());
            row.kept = guide.entities(at, row).await?;
        }
        let bearing = if config.triple_filter { guide.triples(&rows, &self.spots).await? } else { None };
        let mut at = 0..;
        if let Some(bearing) = &bearing {
            rows.retain(|_| at.next().is_some_and(|at| bearing.contains(&at)));
        }
        if rows.is_empty() {
            self.stop(context, hop, "none of its facts bears on the question");
            return Ok(());
        }
        self.advance(context, hop, rows);
        Ok(())
    }

    fn stop(&mut self, context: &Context<'_>, hop: u32, reason: &str) {
        self.stopped = Some(reason.to_owned());
        let anchor = self.anchor.name.clone();
        let event = Event::Explored { hop, anchor, found: Vec::new(), stopped: self.stopped.clone() };
        context.trace.report(Stage::Retrieve, event);
    }

    /// Takes the rows that are left: their triples are found, their best entities are where the next round starts.
    fn advance(&mut self, context: &Context<'_>, hop: u32, rows: Vec<Row>) {
        let mut spots = Vec::new();
        let mut found = Vec::new();
        for row in rows {
            let Some(from) = self.spots.get(row.from) else { continue };
            found.push(row.line(&from.name));
            self.triples.extend(row.to.iter().map(|(to, _)| (from.node, row.relation.step, *to)));
            for (node, name) in row.kept.iter().filter_map(|at| row.to.get(*at)) {
                if !context.graph().is_literal(*node) && self.seen.insert(*node) {
                    let words = arrow(row.relation.step, &row.relation.relation, &from.name, name);
                    let way = if from.way.is_empty() { words } else { format!("{}; {words}", from.way) };
                    spots.push(Spot { node: *node, name: name.clone(), way });
                }
            }
        }
        self.last_found = hop;
        self.spots = spots;
        if self.spots.is_empty() {
            self.stopped = Some("what it found leads no further".into());
        }
        let (anchor, stopped) = (self.anchor.name.clone(), self.stopped.clone());
        context.trace.report(Stage::Retrieve, Event::Explored { hop, anchor, found, stopped });
    }

    /// The relations to follow: those that the profile calls ordinary, pruned to b for all spots together.
    async fn relations(&self, guide: &Guided<'_, '_>, hop: u32) -> Result<Vec<OfferedRelation>, AnswerError> {
        let graph = guide.context.graph();
        let nodes: Vec<NodeId> = self.spots.iter().map(|spot| spot.node).collect();
        let offered = Frontier::at(graph, &nodes).await?.expand(graph).await?;
        let relations = offered.iter().map(OfferedRelation::describe).collect();
        guide.context.trace.report(Stage::Plan, Event::Expanded { hop, relations });
        let names: Vec<&str> = self.spots.iter().map(|spot| spot.name.as_str()).collect();
        let way = self.spots.first().map_or("", |spot| spot.way.as_str());
        let kept = guide.relations(&names.join("; "), way, &offered).await?;
        let kept: Vec<OfferedRelation> = kept.into_iter().filter_map(|at| offered.get(at).cloned()).collect();
        let dropped = offered.len() - kept.len();
        let words = kept.iter().map(OfferedRelation::describe).collect();
        let by = if guide.config.guide == Guide::Model { "model" } else { "similarity" };
        guide
            .context
            .trace
            .report(Stage::Prune, Event::Filtered { hop, kept: words, dropped, by: by.into() });
        Ok(kept)
    }

    /// The neighbours of every spot along `relations`, but for what this retriever has seen.
    async fn rows(
        &self,
        guide: &Guided<'_, '_>,
        relations: Vec<OfferedRelation>,
    ) -> Result<Vec<Row>, AnswerError> {
        let graph = guide.context.graph();
        let steps: Vec<Step> = relations.iter().map(|relation| relation.step).collect();
        let nodes: Vec<NodeId> = self.spots.iter().map(|spot| spot.node).collect();
        if steps.is_empty() {
            return Ok(Vec::new());
        }
        let expanded = graph.expand(&nodes, Some(&steps), MOST_NEIGHBOURS).await?;
        let by_step: HashMap<Step, OfferedRelation> = relations.into_iter().map(|r| (r.step, r)).collect();
        let new = |node: &NodeId| !self.seen.contains(node);
        let mut all: Vec<NodeId> = expanded
            .iter()
            .flatten()
            .flat_map(|expansion| expansion.nodes.iter().copied())
            .filter(new)
            .collect();
        all.sort_unstable();
        all.dedup();
        let summaries = graph.summaries(&all).await?;
        let names: HashMap<NodeId, String> = summaries.into_iter().map(|s| (s.node, cell(&s.name))).collect();
        let mut rows = Vec::new();
        for (from, expansions) in expanded.into_iter().enumerate() {
            for expansion in expansions {
                let Some(relation) = by_step.get(&expansion.step) else { continue };
                let named = expansion.nodes.iter().filter_map(|node| Some((*node, names.get(node)?.clone())));
                let to: Vec<_> = named.collect();
                if !to.is_empty() {
                    rows.push(Row { from, relation: relation.clone(), to, kept: Vec::new() });
                }
            }
        }
        for row in &mut rows {
            guide.most_similar_first(row).await?;
        }
        Ok(rows)
    }
}

impl Row {
    /// As the model and the trace see it.
    fn line(&self, from: &str) -> String {
        let mut values: Vec<&str> = self.to.iter().take(ROW_VALUES).map(|(_, name)| name.as_str()).collect();
        let more = self.to.len().saturating_sub(ROW_VALUES);
        let rest = format!("and {more} more");
        if more > 0 {
            values.push(&rest);
        }
        arrow(self.relation.step, &self.relation.relation, from, &values.join("; "))
    }
}

fn arrow(step: Step, relation: &str, from: &str, to: &str) -> String {
    match step.direction {
        Direction::Forward => format!("{from} - {relation} -> {to}"),
        Direction::Backward => format!("{to} - {relation} -> {from}"),
    }
}

/// What prunes: the model or similarity, for one question.
struct Guided<'q, 'c> {
    context: &'q Context<'c>,
    question: &'q str,
    config: &'q AnchorConfig,
}

impl Guided<'_, '_> {
    /// Which of `offered` to follow, best first, at most b. As many or fewer need no choice.
    async fn relations(
        &self,
        at: &str,
        way: &str,
        offered: &[OfferedRelation],
    ) -> Result<Vec<usize>, AnswerError> {
        let width = self.config.width;
        if offered.len() <= width {
            return Ok((0..offered.len()).collect());
        }
        let scores = match self.context.embedder() {
            Some(_) => similarities(self.context, self.question, offered).await?,
            None => vec![0.0; offered.len()],
        };
        let nearest = filter_by_similarity(&scores, width);
        if self.config.guide != Guide::Model {
            return Ok(nearest);
        }
        let shown = filter_by_similarity(&scores, self.config.shown);
        let relations: Vec<String> =
            shown.iter().filter_map(|at| offered.get(*at)).map(OfferedRelation::describe).collect();
        let values = json!({
            "most": width, "question": self.question, "at": at, "way": way, "relations": relations,
        });
        let messages = with_solved(self.context, self.question, Prompt::TogRelations.render(values)?).await?;
        let request = ChatRequest::new("prune.relations", messages);
        let picked = self.pick(request, shown.len(), width..=width).await?;
        let picked = picked.map(|picked| picked.iter().filter_map(|at| shown.get(*at).copied()).collect());
        Ok(picked.filter(|picked: &Vec<usize>| !picked.is_empty()).unwrap_or(nearest))
    }

    /// Which neighbours of a row to go on from, best first, at most b.
    async fn entities(&self, at: &str, row: &Row) -> Result<Vec<usize>, AnswerError> {
        let width = self.config.width;
        let all = (0..row.to.len().min(width)).collect();
        if row.to.len() <= width || self.config.guide != Guide::Model {
            return Ok(all);
        }
        let entities: Vec<&str> =
            row.to.iter().take(self.config.shown).map(|(_, name)| name.as_str()).collect();
        let values = json!({
            "most": width, "question": self.question, "at": at,
            "relation": row.relation.relation, "entities": entities,
        });
        let request = ChatRequest::new("prune.entities", Prompt::AnchorEntities.render(values)?);
        let picked = self.pick(request, entities.len(), width..=width).await?;
        Ok(picked.filter(|picked| !picked.is_empty()).unwrap_or(all))
    }

    /// Which rows bear on the question: one call. `None`: all, as the calls are used up or the reply could not be read.
    async fn triples(&self, rows: &[Row], spots: &[Spot]) -> Result<Option<Vec<usize>>, AnswerError> {
        let name = |row: &Row| spots.get(row.from).map_or("", |spot| spot.name.as_str()).to_owned();
        let facts: Vec<String> =
            rows.iter().take(self.config.shown).map(|row| row.line(&name(row))).collect();
        let values = json!({ "question": self.question, "facts": facts });
        let request = ChatRequest::new("prune.triples", Prompt::AnchorTriples.render(values)?);
        self.pick(request, facts.len(), 0..=facts.len()).await
    }

    /// `None` where no call is left for it.
    async fn pick(
        &self,
        request: ChatRequest,
        options: usize,
        wanted: std::ops::RangeInclusive<usize>,
    ) -> Result<Option<Vec<usize>>, AnswerError> {
        match pick_numbers(self.context, Stage::Prune, request, options, wanted).await {
            Err(AnswerError::Exhausted(limit)) => {
                let reason = format!("{limit}; the most similar were kept");
                self.context.trace.report(Stage::Prune, Event::Degraded { reason });
                Ok(None)
            }
            picked => picked.map(Some),
        }
    }

    /// Where a row has more values than are shown, those most like the question come first.
    async fn most_similar_first(&self, row: &mut Row) -> Result<(), AnswerError> {
        let more = row.to.len() > self.config.shown.min(self.config.width);
        if !more || self.context.embedder().is_none() {
            return Ok(());
        }
        let mut texts = vec![self.question];
        texts.extend(row.to.iter().map(|(_, name)| name.as_str()));
        let rows = self.context.embed(Stage::Prune, &texts).await?;
        let product = |at: usize| -> f32 {
            rows.row(at + 1).iter().zip(rows.row(0)).map(|(left, right)| left * right).sum()
        };
        let mut ranked: Vec<usize> = (0..row.to.len()).collect();
        ranked.sort_by(|a, b| product(*b).total_cmp(&product(*a)).then(a.cmp(b)));
        row.to = ranked.into_iter().filter_map(|at| row.to.get(at).cloned()).collect();
        Ok(())
    }
}
