//! The neighbourhood as it is: all triples of the linked entities, one hop in both directions, and one call over them. The
//! graph-only RAG that papers compare with.

use std::collections::HashMap;

use quipu_graph::Step;

use super::steps::{NOTHING_LINKED, answer_from, link, nodes};
use crate::AnswerError;
use crate::context::Context;
use crate::link::{Anchor, mask};
use crate::methods::Outcome;
use crate::plan::Frontier;
use crate::prune::{relevance, similarities};
use crate::question::Question;
use crate::retrieve::{Retrieved, one_hop, retrieve_scope};
use crate::trace::Stage;

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
) -> Result<Outcome, AnswerError> {
    let anchors = link(context, question).await?;
    if anchors.is_empty() {
        return Ok(Outcome::abstain(NOTHING_LINKED, Vec::new()));
    }
    let retrieved = neighbourhood(context, question, &anchors).await?;
    answer_from(context, question, (retrieved.evidence, retrieved.left_out), 0.5).await
}

/// The triples around the anchors, one hop in both directions, those most like the question where there are too many.
pub(in crate::methods) async fn neighbourhood(
    context: &Context<'_>,
    question: &Question,
    anchors: &[Anchor],
) -> Result<Retrieved, AnswerError> {
    let _timer = context.trace.enter(Stage::Retrieve);
    let start = nodes(anchors);
    let scope = one_hop(context.graph(), &start).await?;
    let relevance = order(context, question, anchors).await?;
    let budget = context.limits.evidence_tokens;
    Ok(retrieve_scope(context, &start, &scope, &relevance, budget).await?)
}

/// What stays where the neighbourhood is larger than the budget: the relations most like the question.
async fn order(
    context: &Context<'_>,
    question: &Question,
    anchors: &[Anchor],
) -> Result<HashMap<Step, f32>, AnswerError> {
    if context.embedder().is_none() {
        return Ok(HashMap::new());
    }
    let graph = context.graph();
    let offered = Frontier::at(graph, &nodes(anchors)).await?.expand(graph).await?;
    let similar = similarities(context, &mask(question.text(), anchors), &offered).await?;
    Ok(relevance(&offered, &similar))
}
