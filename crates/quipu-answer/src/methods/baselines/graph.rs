//! The plain neighbourhood: all triples of the linked entities, one hop in both directions, and one
//! call over them. Papers compare with this graph-only RAG.

use quipu_stages::answer::{AnswerError, Outcome, Question};
use quipu_stages::compose::answer_from;
use quipu_stages::ledger::Context;
use quipu_stages::link::{NOTHING_LINKED, linked};
use quipu_stages::prune::neighbourhood;

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
) -> Result<Outcome, AnswerError> {
    let anchors = linked(context, question).await?;
    if anchors.is_empty() {
        return Ok(Outcome::abstain(NOTHING_LINKED, Vec::new()));
    }
    let retrieved = neighbourhood(context, question, &anchors, context.limits.evidence_tokens).await?;
    answer_from(context, question, (retrieved.evidence, retrieved.left_out), 0.5).await
}
