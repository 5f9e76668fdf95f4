//! The triples around anchors, within the budget.

use std::collections::HashMap;

use quipu_graph::Step;

use super::{relevance, similarities};
use crate::answer::{AnswerError, Question, Stage};
use crate::ledger::Context;
use crate::link::{Anchor, mask, nodes};
use crate::plan::Frontier;
use crate::retrieve::{Retrieved, one_hop, retrieve_scope};

/// The triples around the anchors, one hop in both directions. If `budget` tokens cannot hold all,
/// those most similar to the question.
pub async fn neighbourhood(
    context: &Context<'_>,
    question: &Question,
    anchors: &[Anchor],
    budget: usize,
) -> Result<Retrieved, AnswerError> {
    let _timer = context.ledger.enter(Stage::Retrieve);
    let start = nodes(anchors);
    let scope = one_hop(context.graph(), &start).await?;
    let relevance = order(context, question, anchors).await?;
    Ok(retrieve_scope(context, &start, &scope, &relevance, budget).await?)
}

/// The order for cutting a neighbourhood larger than the budget: the relations most similar to the
/// question stay.
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
