//! The model alone, but thinking step by step before it answers (Wei et al., 2022). One call.

use crate::answer::{AnswerError, Outcome, Question};
use crate::compose::alone;
use crate::ledger::Context;

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
) -> Result<Outcome, AnswerError> {
    alone(context, question).await
}
