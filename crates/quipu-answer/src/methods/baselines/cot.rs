//! The model alone, but thinking step by step before it answers (Wei et al., 2022). One call.

use quipu_stages::answer::{AnswerError, Outcome, Question};
use quipu_stages::compose::alone;
use quipu_stages::ledger::Context;

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
) -> Result<Outcome, AnswerError> {
    alone(context, question).await
}
