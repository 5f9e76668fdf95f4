//! The retriever bank (HybGRAG §3.1): the text module and the hybrid module. Both rank documents by
//! their cosine with the question.

use std::collections::HashSet;

use quipu_graph::NodeId;
use quipu_stages::answer::{AnswerError, Refinement, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::plan::{Along, NamedPart, Requirement, along};
use quipu_stages::retrieve::Documents;

use super::router::Action;
use crate::methods::hybrid::found::{Found, FoundEntity, sort};
use crate::methods::hybrid::linking::Named;
use crate::methods::hybrid::pagerank::near;
use crate::methods::hybrid::taken::{Start, Taken};
use crate::methods::hybrid::{HybridConfig, Modules, report};

/// Entities in the ranking of a round; the longest ranking that is measured has 20.
const RANKED: usize = 100;
/// Passages of the text module: about as many as 100 entities have.
const SEARCHED: usize = 150;

/// The result of one round's retrieval.
pub(super) struct Retrieved {
    pub(super) taken: Taken,
    /// The paths of the ego-graphs.
    pub(super) ways: Vec<Requirement>,
    pub(super) found: Found,
}

/// The modules.
pub(super) struct Bank<'a> {
    context: &'a Context<'a>,
    documents: &'a Documents<'a>,
    config: &'a HybridConfig,
    /// The result of the text module.
    by_text: Found,
}

impl<'a> Bank<'a> {
    /// # Errors
    /// The index's.
    pub(super) fn new(
        context: &'a Context<'a>,
        documents: &'a Documents<'a>,
        config: &'a HybridConfig,
    ) -> Result<Self, AnswerError> {
        Ok(Self { context, documents, config, by_text: by_text(documents)? })
    }

    /// The text module: similarity over all documents.
    pub(super) fn by_text(&self) -> Found {
        self.by_text.clone()
    }

    /// Runs the action's module.
    ///
    /// # Errors
    /// The graph's and the index's.
    pub(super) async fn retrieve(&self, round: usize, action: &Action) -> Result<Retrieved, AnswerError> {
        let _timer = self.context.ledger.enter(Stage::Retrieve);
        let (starts, ways) = self.ego_graphs(action).await?;
        let mut taken =
            Taken { is_text: action.is_text, starts, relations: action.relations.clone(), ends: Vec::new() };
        let reached: Vec<&[NodeId]> =
            taken.starts.iter().map(|start| start.ends.as_slice()).filter(|ends| !ends.is_empty()).collect();
        taken.ends = common(&reached);
        report(self.context, Stage::Plan, round, taken.described(Vec::new()));
        let found = if self.config.modules == Modules::Graph {
            let anchors: Vec<NodeId> =
                taken.starts.iter().flat_map(|start| start.anchors.iter().copied()).collect();
            Found { entities: near(self.context, self.documents, &anchors, RANKED).await? }
        } else if action.is_text {
            self.by_text()
        } else if reached.is_empty() {
            // §3.1: the text module takes over if the hybrid module extracts nothing.
            let step = "the relations reach no entity with a document: searching by text alone".to_owned();
            report(self.context, Stage::Retrieve, round, Refinement::Relaxed { step });
            self.by_text()
        } else {
            // If several ego-graphs share no entity, nothing is found, and the commentator says so.
            let mut entities = rank(self.documents, &taken.ends)?;
            entities.truncate(RANKED);
            Found { entities }
        };
        let step = Refinement::Retrieved { entities: found.entities.len() };
        report(self.context, Stage::Retrieve, round, step);
        Ok(Retrieved { taken, ways, found })
    }

    /// The ends of each topic entity's ego-graph, and the paths of all ego-graphs; empty if the
    /// action searches text.
    async fn ego_graphs(&self, action: &Action) -> Result<(Vec<Start>, Vec<Requirement>), AnswerError> {
        let part = |named: &Named| NamedPart { span: 0..0, text: named.name.clone(), score: 1.0 };
        let parts: Vec<NamedPart> = action.entities.iter().map(part).collect();
        let (mut starts, mut ways) = (Vec::new(), Vec::new());
        for (part, named) in action.entities.iter().enumerate() {
            let mut start = Start {
                name: named.name.clone(),
                anchors: named.senses.iter().map(|(node, _)| *node).collect(),
                relations: action.relations.clone(),
                ends: Vec::new(),
            };
            if !action.is_text {
                let along_these = Along { part, senses: &named.senses, steps: &action.steps };
                let mut found = along(self.context, &parts, along_these, self.config.requirements).await?;
                start.ends = self.with_documents(&mut found)?;
                ways.extend(found);
            }
            starts.push(start);
        }
        Ok((starts, ways))
    }

    /// Drops the ends without documents; returns the remaining ones, sorted.
    fn with_documents(&self, ways: &mut Vec<Requirement>) -> Result<Vec<NodeId>, AnswerError> {
        let mut ends: Vec<NodeId> = ways.iter().flat_map(|way| way.ends.iter().copied()).collect();
        ends.sort_unstable();
        ends.dedup();
        let mut having = Vec::new();
        for end in ends {
            if !self.documents.index().passages_of(end)?.is_empty() {
                having.push(end);
            }
        }
        for way in ways.iter_mut() {
            way.ends.retain(|end| having.binary_search(end).is_ok());
        }
        ways.retain(|way| !way.ends.is_empty());
        Ok(having)
    }
}

/// The text module: the entities whose passages are most similar to the question; by words if there
/// are no vectors.
///
/// # Errors
/// The index's.
pub(in crate::methods::hybrid) fn by_text(documents: &Documents<'_>) -> Result<Found, AnswerError> {
    let mut seen = HashSet::new();
    let hits = documents.search(quipu_index::SearchMode::Meaning, SEARCHED)?;
    let first = hits.into_iter().filter(|hit| seen.insert(hit.passage.node)).take(RANKED);
    let entity = |hit: quipu_index::PassageHit| FoundEntity {
        node: hit.passage.node,
        passage: Some(hit.passage.number),
        score: f64::from(hit.score),
        satisfies: true,
    };
    Ok(Found { entities: first.map(entity).collect() })
}

/// The entities, sorted by the cosine of the question with the nearest passage of each, best first.
/// Entities without documents are left out.
///
/// # Errors
/// The index's.
pub(in crate::methods::hybrid) fn rank(
    documents: &Documents<'_>,
    nodes: &[NodeId],
) -> Result<Vec<FoundEntity>, AnswerError> {
    let index = documents.index();
    let best = match documents.vector() {
        Some(vector) => index.rank(vector, nodes)?,
        // Without vectors all passages are equally near.
        None => nodes
            .iter()
            .map(|node| Ok(index.passages_of(*node)?.first().map(|passage| (*passage, 0.0))))
            .collect::<Result<_, AnswerError>>()?,
    };
    let entity = |(node, best): (&NodeId, Option<(u64, f32)>)| {
        let (passage, score) = best?;
        Some(FoundEntity { node: *node, passage: Some(passage), score: f64::from(score), satisfies: true })
    };
    let mut entities: Vec<FoundEntity> = nodes.iter().zip(best).filter_map(entity).collect();
    sort(&mut entities);
    Ok(entities)
}

/// The nodes that all sorted sets share.
fn common(sets: &[&[NodeId]]) -> Vec<NodeId> {
    let Some((first, others)) = sets.split_first() else { return Vec::new() };
    first.iter().copied().filter(|node| others.iter().all(|set| set.binary_search(node).is_ok())).collect()
}
