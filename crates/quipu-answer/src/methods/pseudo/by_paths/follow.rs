//! Follows a pseudo-graph through one source, from its known nodes on. A pseudo-triple stands for
//! the step of the graph whose relation is closest to its own, and its other end for the nodes that
//! this step leads to.

use std::collections::{HashMap, HashSet};

use quipu_graph::{Direction, NodeId, RelationId, RelationRole, RelationUse, Step};
use quipu_index::inner_product;
use quipu_language::normalise;
use quipu_query::{PseudoGraph, PseudoTail};
use quipu_stages::answer::{AnswerError, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::link::RelationVectors;
use quipu_stages::plan::Cards;
use quipu_stages::retrieve::Walked;

use super::meant::{Meant, NOWHERE};

/// Below this similarity a step does not stand for a pseudo-triple.
const LEADS: f32 = 0.5;
/// Steps within this similarity of the best one count as near-equal.
const CLOSE: f32 = 0.08;
/// The factor on the similarity of a card's word, which says a little less than the relation's
/// name.
const CALLED: f32 = 0.95;
/// The discount for the direction that was not stated, if the relation leads on in both.
const AGAINST: f32 = 0.12;
/// The least similarity of a relation one step further away, if a pseudo-triple leaves out the step
/// between.
const BRIDGE: f32 = 0.75;
/// The factor on the score of a path with such an unstated step.
const BRIDGED: f32 = 0.8;
/// A kind name belongs to the other end if it is closer to that end's kind by this much.
const OTHER_KIND: f32 = 0.2;
/// Most steps tried as a bridge, and most neighbours along each.
const BRIDGE_STEPS: usize = 8;
const BRIDGE_EACH: usize = 30;
/// Neighbours along one step of one entity.
const EACH: usize = 200;
/// Most entities that one node of the pseudo-graph may stand for.
pub(super) const MOST_MEANT: usize = 100;

/// The steps that a pseudo-triple may stand for, from one of its ends.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    /// Position of the pseudo-triple.
    pub triple: usize,
    /// The known end.
    near: usize,
    /// The other end; `None` for a value.
    pub far: Option<usize>,
    /// The step in between, if the pseudo-triple leaves one out.
    over: Option<Step>,
    steps: Vec<Step>,
    /// The similarity of the relation with the pseudo-triple's.
    pub score: f32,
    /// The number of neighbours along the steps.
    size: u64,
}

/// The ends of some pseudo-triples in one source.
#[derive(Debug, Clone, Default)]
pub(super) struct Led {
    /// The node of the pseudo-graph; `None` for values.
    pub far: Option<usize>,
    /// The triples along each pseudo-triple, away from the known end, with the score.
    pub along: Vec<(usize, f32, Vec<Walked>)>,
    /// The entities that the node may stand for.
    pub ends: Vec<NodeId>,
}

/// The pseudo-graph's relations: their vectors and names, and which names the sources have.
pub(super) struct Relations {
    rows: Vec<Vec<f32>>,
    names: Vec<String>,
    by_name: Vec<bool>,
    question: Vec<f32>,
}

impl Relations {
    /// `known` are the normalised names of the relations of all sources.
    pub(super) fn new(
        graph: &PseudoGraph,
        rows: Vec<Vec<f32>>,
        question: Vec<f32>,
        known: &HashSet<String>,
    ) -> Self {
        let names: Vec<String> = graph.triples.iter().map(|triple| normalise(&triple.relation)).collect();
        let by_name = names.iter().map(|name| known.contains(name)).collect();
        Self { rows, names, by_name, question }
    }
}

/// The normalised names of a source's ordinary relations.
pub(super) fn relation_names(context: &Context<'_>) -> impl Iterator<Item = String> {
    let ordinary = context.graph().relations().iter().filter(|info| info.role == RelationRole::Ordinary);
    ordinary.map(|info| normalise(&info.name))
}

/// One source while the pseudo-graph is followed through it.
pub(super) struct Follower<'q, 'c> {
    pub context: &'q Context<'c>,
    pub graph: &'q PseudoGraph,
    pub relations: &'q Relations,
    /// Most triples along one pseudo-triple.
    pub most: usize,
}

impl Follower<'_, '_> {
    /// For each pseudo-triple that is not `done` and has a known end here, the most similar steps,
    /// if they are similar enough.
    ///
    /// # Errors
    /// The graph's and the embedder's.
    pub(super) async fn offers(
        &self,
        meant: &Meant,
        done: &HashSet<usize>,
        named: &HashSet<usize>,
    ) -> Result<Vec<Offer>, AnswerError> {
        let mut offers = Vec::new();
        for (triple, near, far) in self.open(meant, done, named) {
            let uses = self.uses(meant.of(near)).await?;
            let mut scored = self.scored(triple, near, uses.keys().copied().collect()).await?;
            self.retain_kinds(triple, near, far, &mut scored).await?;
            let Some((steps, best)) = best_of(scored) else { continue };
            let size = steps.iter().filter_map(|step| uses.get(step)).sum();
            offers.push(Offer { triple, near, far, over: None, steps, score: best, size });
        }
        Ok(offers)
    }

    /// The same for pseudo-triples whose relation lies one step further away than stated, with the
    /// step in between.
    ///
    /// # Errors
    /// The graph's and the embedder's.
    pub(super) async fn bridges(
        &self,
        meant: &Meant,
        done: &HashSet<usize>,
        named: &HashSet<usize>,
    ) -> Result<Vec<Offer>, AnswerError> {
        let mut offers = Vec::new();
        for (triple, near, far) in self.open(meant, done, named) {
            if far.is_none() {
                continue;
            }
            let first: Vec<Step> = self.uses(meant.of(near)).await?.into_keys().collect();
            let mut best: Option<Offer> = None;
            for (over, likeness) in self.like_question(first).await?.into_iter().take(BRIDGE_STEPS) {
                let between = self.ends(meant.of(near), &[over], BRIDGE_EACH).await?;
                let uses = self.uses(&between).await?;
                let scored = self.scored(triple, near, uses.keys().copied().collect()).await?;
                let Some((step, score)) = scored.first().copied().filter(|(_, score)| *score >= BRIDGE)
                else {
                    continue;
                };
                let score = score * BRIDGED + likeness / 100.0;
                if best.as_ref().is_none_or(|offer| offer.score < score) {
                    let size = uses.get(&step).copied().unwrap_or_default();
                    best =
                        Some(Offer { triple, near, far, over: Some(over), steps: vec![step], score, size });
                }
            }
            offers.extend(best);
        }
        Ok(offers)
    }

    /// The pseudo-triples with one known end here and one end that nothing has reached yet.
    fn open(
        &self,
        meant: &Meant,
        done: &HashSet<usize>,
        named: &HashSet<usize>,
    ) -> Vec<(usize, usize, Option<usize>)> {
        let is_known = |at: usize| meant.distance(at) != NOWHERE && !meant.of(at).is_empty();
        let is_open = |at: usize| meant.distance(at) == NOWHERE && !named.contains(&at);
        let triples = self.graph.triples.iter().enumerate().filter(|(at, _)| !done.contains(at));
        let ends = triples.filter_map(|(at, triple)| match triple.tail {
            PseudoTail::Value(_) => is_known(triple.head).then_some((at, triple.head, None)),
            PseudoTail::Node(tail) if is_known(triple.head) && is_open(tail) => {
                Some((at, triple.head, Some(tail)))
            }
            PseudoTail::Node(tail) if is_known(tail) && is_open(triple.head) => {
                Some((at, tail, Some(triple.head)))
            }
            PseudoTail::Node(_) => None,
        });
        ends.collect()
    }

    /// Follows the offers. Offers to the same node keep the ends that they share, if they share
    /// any.
    ///
    /// # Errors
    /// The graph's.
    pub(super) async fn lead(&self, meant: &Meant, offers: Vec<Offer>) -> Result<Vec<Led>, AnswerError> {
        let mut by_far: Vec<(Option<usize>, Vec<Offer>)> = Vec::new();
        for offer in offers {
            match by_far.iter_mut().find(|(far, _)| far.is_some() && *far == offer.far) {
                Some((_, offers)) => offers.push(offer),
                None => by_far.push((offer.far, vec![offer])),
            }
        }
        let mut all = Vec::new();
        for (far, mut offers) in by_far {
            // Starts at the side with the fewest neighbours; a hub is then only checked for links
            // to the nodes found.
            offers.sort_by_key(|offer| (offer.over.is_some(), offer.size));
            let mut led = Led { far, ..Led::default() };
            for offer in offers {
                self.take(meant, &offer, &mut led).await?;
            }
            if !led.along.is_empty() {
                all.push(led);
            }
        }
        Ok(all)
    }

    /// Follows one offer. If earlier offers led to the same node, only the ends that this offer
    /// reaches too are kept.
    async fn take(&self, meant: &Meant, offer: &Offer, led: &mut Led) -> Result<(), AnswerError> {
        let near = meant.of(offer.near);
        if led.along.is_empty() {
            let mut walked = Vec::new();
            let mut from = near.to_vec();
            if let Some(over) = offer.over {
                walked = self.walk(near, &[over], None).await?;
                from = distinct(&walked);
            }
            let known: HashSet<NodeId> =
                if offer.over.is_some() { near.iter().copied().collect() } else { HashSet::new() };
            let mut last = self.walk(&from, &offer.steps, None).await?;
            last.retain(|(_, _, to)| !known.contains(to));
            led.ends = distinct(&last);
            led.ends.truncate(MOST_MEANT);
            if led.ends.is_empty() {
                return Ok(());
            }
            walked.extend(last);
            led.along.push((offer.triple, offer.score, walked));
            return Ok(());
        }
        if offer.over.is_some() {
            return Ok(());
        }
        let near: HashSet<NodeId> = near.iter().copied().collect();
        let back: Vec<Step> = offer.steps.iter().map(|step| step.reversed()).collect();
        let beside = self.walk(&led.ends, &back, Some(&near)).await?;
        let kept: HashSet<NodeId> = beside.iter().map(|(from, _, _)| *from).collect();
        if kept.is_empty() {
            return Ok(());
        }
        led.ends.retain(|node| kept.contains(node));
        let walked = beside.into_iter().map(|(from, step, to)| (to, step.reversed(), from)).collect();
        led.along.push((offer.triple, offer.score, walked));
        Ok(())
    }

    /// Finds the triples that connect the two known ends of a pseudo-triple; `None` if there are
    /// none.
    ///
    /// # Errors
    /// The graph's and the embedder's.
    pub(super) async fn close(
        &self,
        meant: &Meant,
        triple: usize,
        near: usize,
        far: usize,
    ) -> Result<Option<(f32, Vec<Walked>)>, AnswerError> {
        let uses = self.uses(meant.of(near)).await?;
        let scored = self.scored(triple, near, uses.keys().copied().collect()).await?;
        let Some((steps, best)) = best_of(scored) else { return Ok(None) };
        let other: HashSet<NodeId> = meant.of(far).iter().copied().collect();
        let walked = self.walk(meant.of(near), &steps, Some(&other)).await?;
        Ok((!walked.is_empty()).then_some((best, walked)))
    }

    /// Drops a step that runs against the pseudo-triple's direction if the unknown end's name fits
    /// the step's start better than its end. "Ada, written by a person" asks for a person, so the
    /// step from Ada to her books is dropped.
    async fn retain_kinds(
        &self,
        triple: usize,
        near: usize,
        far: Option<usize>,
        scored: &mut Vec<(Step, f32)>,
    ) -> Result<(), AnswerError> {
        let kind = far.and_then(|far| self.graph.nodes.get(far)).and_then(|node| node.name.strip_prefix('?'));
        let Some(kind) = kind.filter(|kind| !kind.is_empty()) else { return Ok(()) };
        let is_head = self.graph.triples.get(triple).is_some_and(|triple| triple.head == near);
        let stated = if is_head { Direction::Forward } else { Direction::Backward };
        let relations = self.context.graph().relations();
        let mut contrary = Vec::new();
        for (step, _) in scored.iter().filter(|(step, score)| step.direction != stated && *score >= LEADS) {
            let info = usize::try_from(step.relation.0).ok().and_then(|at| relations.get(at));
            let Some(card) = info.and_then(|info| self.context.memory::<Cards>().get(&info.key)) else {
                continue;
            };
            let ends = [kind, card.kind(step.direction), card.kind(step.reversed().direction)];
            let rows = self
                .context
                .memory::<RelationVectors>()
                .vectors(self.context, Stage::Retrieve, &ends)
                .await?;
            if let [kind, to, from] = rows.as_slice()
                && inner_product(kind, from) - inner_product(kind, to) > OTHER_KIND
            {
                contrary.push(*step);
            }
        }
        scored.retain(|(step, _)| !contrary.contains(step));
        Ok(())
    }

    /// The triples of a pseudo-triple from a known end, whatever entity its other end was taken
    /// for.
    ///
    /// # Errors
    /// The graph's and the embedder's.
    pub(super) async fn replace(
        &self,
        meant: &Meant,
        triple: usize,
        near: usize,
    ) -> Result<Option<(f32, Vec<Walked>)>, AnswerError> {
        let uses = self.uses(meant.of(near)).await?;
        let scored = self.scored(triple, near, uses.keys().copied().collect()).await?;
        let Some((steps, best)) = best_of(scored) else { return Ok(None) };
        let walked = self.walk(meant.of(near), &steps, None).await?;
        Ok((!walked.is_empty()).then_some((best, walked)))
    }

    /// The triples along `steps`, at most `most` of them, and only to the nodes in `to` if given.
    async fn walk(
        &self,
        from: &[NodeId],
        steps: &[Step],
        to: Option<&HashSet<NodeId>>,
    ) -> Result<Vec<Walked>, AnswerError> {
        if from.is_empty() || steps.is_empty() {
            return Ok(Vec::new());
        }
        let expanded = self.context.graph().expand(from, Some(steps), EACH).await?;
        let mut walked = Vec::new();
        for (from, expansions) in from.iter().zip(expanded) {
            for expansion in expansions {
                let nodes = expansion.nodes.into_iter();
                let nodes = nodes.filter(|node| to.is_none_or(|to| to.contains(node)));
                walked.extend(nodes.map(|node| (*from, expansion.step, node)));
            }
        }
        walked.truncate(self.most);
        Ok(walked)
    }

    async fn ends(&self, from: &[NodeId], steps: &[Step], each: usize) -> Result<Vec<NodeId>, AnswerError> {
        let from = from.get(..each.min(from.len())).unwrap_or_default();
        let expanded = self.context.graph().expand(from, Some(steps), each).await?;
        let mut nodes: Vec<NodeId> =
            expanded.into_iter().flatten().flat_map(|expansion| expansion.nodes).collect();
        nodes.sort_unstable();
        nodes.dedup();
        nodes.truncate(MOST_MEANT);
        Ok(nodes)
    }

    /// The ordinary steps from some nodes, with the number of neighbours along each.
    async fn uses(&self, nodes: &[NodeId]) -> Result<HashMap<Step, u64>, AnswerError> {
        let relations = self.context.graph().relations();
        let ordinary = |used: &RelationUse| {
            let at = usize::try_from(used.step.relation.0).ok();
            at.and_then(|at| relations.get(at)).is_some_and(|info| info.role == RelationRole::Ordinary)
        };
        let mut uses: HashMap<Step, u64> = HashMap::new();
        for used in self.context.graph().relations_of(nodes).await?.into_iter().flatten().filter(ordinary) {
            *uses.entry(used.step).or_default() += used.fan_out;
        }
        Ok(uses)
    }

    /// The similarity of each step with a pseudo-triple seen from its end `near`, best first. If
    /// the model used the exact name of a source's relation, only that relation counts.
    async fn scored(
        &self,
        triple: usize,
        near: usize,
        steps: Vec<Step>,
    ) -> Result<Vec<(Step, f32)>, AnswerError> {
        let is_head = self.graph.triples.get(triple).is_some_and(|triple| triple.head == near);
        let stated = if is_head { Direction::Forward } else { Direction::Backward };
        let both: HashSet<RelationId> =
            steps.iter().filter(|step| steps.contains(&step.reversed())).map(|step| step.relation).collect();
        let by_name = self.relations.by_name.get(triple).copied().unwrap_or_default();
        let mut scored = if by_name {
            let name = self.relations.names.get(triple);
            let is_it = |step: &Step| self.name(*step).map(|found| normalise(&found)).as_ref() == name;
            steps.into_iter().filter(is_it).map(|step| (step, 1.0)).collect()
        } else {
            self.by_meaning(triple, is_head, steps).await?
        };
        for (step, score) in &mut scored {
            if both.contains(&step.relation) && step.direction != stated {
                *score -= AGAINST;
            }
        }
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(scored)
    }

    async fn by_meaning(
        &self,
        triple: usize,
        is_head: bool,
        steps: Vec<Step>,
    ) -> Result<Vec<(Step, f32)>, AnswerError> {
        let Some(believed) = self.relations.rows.get(triple) else { return Ok(Vec::new()) };
        let called: Vec<Vec<String>> = steps.iter().map(|step| self.called(*step, is_head)).collect();
        let texts: Vec<&str> = called.iter().flatten().map(String::as_str).collect();
        let rows =
            self.context.memory::<RelationVectors>().vectors(self.context, Stage::Retrieve, &texts).await?;
        let mut rows = rows.iter();
        let mut scored = Vec::with_capacity(steps.len());
        for (step, called) in steps.into_iter().zip(&called) {
            let mut best = 0.0_f32;
            for (at, row) in rows.by_ref().take(called.len()).enumerate() {
                let counts = if at == 0 { 1.0 } else { CALLED };
                best = best.max(counts * inner_product(believed, row));
            }
            scored.push((step, best));
        }
        Ok(scored)
    }

    /// The steps with their relation's similarity to the question, best first.
    async fn like_question(&self, steps: Vec<Step>) -> Result<Vec<(Step, f32)>, AnswerError> {
        let names: Vec<String> = steps.iter().map(|step| self.name(*step).unwrap_or_default()).collect();
        let texts: Vec<&str> = names.iter().map(String::as_str).collect();
        let rows =
            self.context.memory::<RelationVectors>().vectors(self.context, Stage::Retrieve, &texts).await?;
        let like = rows.iter().map(|row| inner_product(&self.relations.question, row));
        let mut scored: Vec<(Step, f32)> = steps.into_iter().zip(like).collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(scored)
    }

    fn name(&self, step: Step) -> Option<String> {
        let info = self.context.graph().relations().get(usize::try_from(step.relation.0).ok()?)?;
        Some(info.name.clone())
    }

    /// A relation's name, and its card's words for the tail's side: a pseudo-relation says what its
    /// tail is to its head.
    fn called(&self, step: Step, from_head: bool) -> Vec<String> {
        let info =
            usize::try_from(step.relation.0).ok().and_then(|at| self.context.graph().relations().get(at));
        let Some(info) = info else { return vec![String::new()] };
        let towards = if from_head { step.direction } else { step.reversed().direction };
        let card = self.context.memory::<Cards>().get(&info.key);
        let words = card.map(|card| card.words(towards).to_vec()).unwrap_or_default();
        std::iter::once(info.name.clone()).chain(words).collect()
    }
}

/// The steps near-equal to the best one, with the best score; `None` if no step is similar enough.
fn best_of(scored: Vec<(Step, f32)>) -> Option<(Vec<Step>, f32)> {
    let best = scored.first().map(|(_, score)| *score).filter(|best| *best >= LEADS)?;
    Some((
        scored.into_iter().filter(|(_, score)| best - score <= CLOSE).map(|(step, _)| step).collect(),
        best,
    ))
}

/// The tails of walked triples, each once, in their order.
fn distinct(walked: &[Walked]) -> Vec<NodeId> {
    let mut seen = HashSet::new();
    walked.iter().map(|(_, _, to)| *to).filter(|to| seen.insert(*to)).collect()
}

#[cfg(test)]
mod tests;
