//! From evidence to an outcome.

use quipu_model::ModelError;

use super::{Composed, compose};
use crate::answer::{AnswerError, Event, Evidence, Outcome, Question, Stage, Status};
use crate::ledger::Context;

/// Composes the answer: one call. Without evidence it abstains without a call.
pub async fn answer_from(
    context: &Context<'_>,
    question: &Question,
    (evidence, left_out): (Vec<Evidence>, usize),
    confidence: f64,
) -> Result<Outcome, AnswerError> {
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out });
    if evidence.is_empty() {
        return Ok(Outcome::abstain("no evidence was found", evidence));
    }
    let _timer = context.ledger.enter(Stage::Compose);
    let composed = match compose(context, question, &context.times(question), &evidence).await {
        Ok(composed) => composed,
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
            return Ok(Outcome::abstain(error.to_string(), evidence));
        }
        Err(AnswerError::Exhausted(limit)) => return Ok(Outcome::abstain(limit.to_string(), evidence)),
        Err(error) => return Err(error),
    };
    Ok(composed.outcome(evidence, confidence))
}

/// The reason, in the model's words, why a composition of `status` gives no answer; `None` if it
/// gives one.
pub fn why_not(status: Status, reasoning: &str) -> Option<String> {
    let reason = match status {
        Status::Answered => return None,
        Status::Abstained => format!("the evidence does not hold the answer. {reasoning}"),
        Status::InvalidQuestion => reasoning.to_owned(),
    };
    Some(reason.trim().to_owned())
}

impl Composed {
    /// The outcome of a composition; its calculation joins the evidence.
    pub fn outcome(self, mut evidence: Vec<Evidence>, confidence: f64) -> Outcome {
        let Self { status, answers, reasoning, calculation } = self;
        let text = calculation.as_ref().map(Evidence::to_line);
        evidence.extend(calculation);
        let reason = why_not(status, &reasoning);
        Outcome { status, answers, text, evidence, confidence, reason, ..Outcome::default() }
    }
}
