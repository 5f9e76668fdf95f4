//! The retriever bank of whole paths: the text module, the hybrid module and, for the ablation, the
//! graph alone.

use std::collections::HashSet;

use quipu_stages::answer::{AnswerError, Refinement, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::retrieve::Documents;

use super::router::{Action, Router};
use crate::methods::hybrid::found::{Found, FoundEntity, sort};
use crate::methods::hybrid::pagerank::near;
use crate::methods::hybrid::{HybridConfig, Modules, report};
use quipu_graph::NodeId;

/// Entities in the ranking of a round.
const RANKED: usize = 100;
/// Entities of the ranking whose documents are read word for word.
const READ: usize = 50;

/// The modules.
pub(super) struct Bank<'a> {
    context: &'a Context<'a>,
    documents: &'a Documents<'a>,
    config: &'a HybridConfig,
}

impl<'a> Bank<'a> {
    pub(super) fn new(
        context: &'a Context<'a>,
        documents: &'a Documents<'a>,
        config: &'a HybridConfig,
    ) -> Self {
        Self { context, documents, config }
    }

    /// Runs the action's module. The entities that satisfy the requirements come first, ranked by
    /// how much of the question their documents explain, or by exact similarity. After them, so
    /// that the ranking does not end early, come entities that satisfy one requirement, and
    /// entities that only text finds.
    pub(super) async fn retrieve(
        &self,
        round: usize,
        action: &Action,
        router: &Router<'_>,
    ) -> Result<Found, AnswerError> {
        let _timer = self.context.ledger.enter(Stage::Retrieve);
        if self.config.modules == Modules::Graph {
            return self.by_graph(round, action, router).await;
        }
        let by_text: Vec<FoundEntity> = router.by_text.iter().take(RANKED).map(by_text).collect();
        if action.is_text() {
            self.told(round, by_text.len(), Vec::new());
            return Ok(Found { entities: explained(by_text, action, router).await? });
        }
        let (ends, relaxed) = relaxed(action, router);
        self.told(round, ends.len(), relaxed);
        let mut entities: Vec<FoundEntity> =
            ends.iter().filter_map(|end| found(router, *end, true)).collect();
        sort(&mut entities);
        let mut entities = explained(entities, action, router).await?;
        let mut seen: HashSet<NodeId> = ends.into_iter().collect();
        let weaker = action.requirements.iter().filter_map(|at| router.requirements.get(*at));
        let mut others: Vec<FoundEntity> =
            weaker.flat_map(|r| &r.ends).filter_map(|end| found(router, *end, false)).collect();
        others.extend(by_text.into_iter().map(|entity| FoundEntity { satisfies: false, ..entity }));
        sort(&mut others);
        others.retain(|entity| seen.insert(entity.node));
        let least = entities.last().map_or(0.0, |entity| entity.score);
        let greatest = others.first().map_or(0.0, |entity| entity.score);
        for entity in &mut others {
            entity.score += (least - greatest).min(0.0);
        }
        entities.extend(others);
        entities.truncate(RANKED);
        Ok(Found { entities })
    }

    /// The graph alone: personalised PageRank from the entities of the action.
    async fn by_graph(
        &self,
        round: usize,
        action: &Action,
        router: &Router<'_>,
    ) -> Result<Found, AnswerError> {
        let mut starts: Vec<NodeId> = router.chosen(action).iter().map(|r| r.anchor).collect();
        starts.dedup();
        let entities = near(self.context, self.documents, &starts, RANKED).await?;
        self.told(round, entities.len(), Vec::new());
        Ok(Found { entities })
    }

    fn told(&self, round: usize, entities: usize, relaxed: Vec<String>) {
        for step in relaxed {
            report(self.context, Stage::Retrieve, round, Refinement::Relaxed { step });
        }
        report(self.context, Stage::Retrieve, round, Refinement::Retrieved { entities });
    }
}

/// The entities that satisfy an action. If none satisfies all requirements, the weakest
/// requirements are dropped one by one; each step is reported.
fn relaxed(action: &Action, router: &Router<'_>) -> (Vec<NodeId>, Vec<String>) {
    if !action.ends.is_empty() {
        return (action.ends.clone(), Vec::new());
    }
    let mut steps = Vec::new();
    let chosen: Vec<_> = action.requirements.iter().filter_map(|at| router.requirements.get(*at)).collect();
    let common = |sets: &[&Vec<NodeId>]| -> Vec<NodeId> {
        let Some((first, others)) = sets.split_first() else { return Vec::new() };
        first.iter().copied().filter(|end| others.iter().all(|set| set.binary_search(end).is_ok())).collect()
    };
    for left in (1..chosen.len()).rev() {
        let sets: Vec<&Vec<NodeId>> = chosen.iter().take(left).map(|r| &r.ends).collect();
        let dropped = chosen.get(left).map(|r| r.name.clone()).unwrap_or_default();
        steps.push(format!("no entity satisfies all requirements: {dropped} is dropped"));
        let ends = common(&sets);
        if !ends.is_empty() {
            return (ends, steps);
        }
    }
    (Vec::new(), steps)
}

fn by_text((node, passage, similarity): &(NodeId, u64, f32)) -> FoundEntity {
    FoundEntity { node: *node, passage: Some(*passage), score: f64::from(*similarity), satisfies: true }
}

/// Ranks the first of the entities, which are sorted by similarity, by how much of the question
/// their passages and the action's entities explain. Without token vectors the order stays.
async fn explained(
    mut entities: Vec<FoundEntity>,
    action: &Action,
    router: &Router<'_>,
) -> Result<Vec<FoundEntity>, AnswerError> {
    let Some(words) = &router.words else { return Ok(entities) };
    let count = entities.len().min(READ);
    let (head, tail) = entities.split_at_mut(count);
    let passages: Vec<u64> = head.iter().filter_map(|entity| entity.passage).collect();
    words.read(&passages).await?;
    let named = router.named(action);
    for entity in head.iter_mut() {
        let explained = entity.passage.and_then(|passage| words.explained(passage, &named));
        entity.score = explained.unwrap_or_default();
    }
    sort(head);
    // The scores of the unread entities are shifted below those of the read ones.
    let (least, greatest) =
        (head.last().map_or(0.0, |entity| entity.score), tail.first().map_or(0.0, |entity| entity.score));
    for entity in tail {
        entity.score += (least - greatest).min(0.0);
    }
    Ok(entities)
}

fn found(router: &Router<'_>, node: NodeId, satisfies: bool) -> Option<FoundEntity> {
    let (passage, similarity) = router.similar.get(&node)?;
    Some(FoundEntity { node, passage: Some(*passage), score: f64::from(*similarity), satisfies })
}
