//! Answer generation (§3.3): from the corrected graph or, in the ablation, from the model's
//! beliefs.

use quipu_model::ModelError;
use quipu_query::PseudoGraph;
use quipu_stages::answer::{AnswerError, Evidence, Note, Outcome, Question, Stage, Status};
use quipu_stages::compose::compose_with;
use quipu_stages::ledger::Context;
use quipu_stages::prompts::Prompt;

/// Confidence in an answer from a corrected graph, and in one from beliefs.
const CORRECTED: f64 = 0.6;
const BELIEVED: f64 = 0.3;

/// The answer from the corrected graph, in words, with its values: one call. Code does
/// calculations.
pub(super) async fn from_evidence(
    context: &Context<'_>,
    question: &Question,
    evidence: Vec<Evidence>,
) -> Result<Outcome, AnswerError> {
    let _timer = context.ledger.enter(Stage::Compose);
    let frames = context.times(question);
    let composed = match compose_with(context, question, &frames, &evidence, Prompt::PseudoAnswer).await {
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
            return Ok(Outcome::abstain(error.to_string(), evidence));
        }
        composed => composed?,
    };
    let said = composed.reasoning.trim().to_owned();
    let mut outcome = composed.outcome(evidence, CORRECTED);
    if outcome.status == Status::Answered && outcome.text.is_none() && !said.is_empty() {
        outcome.text = Some(said);
    }
    Ok(outcome)
}

/// The ablation: the answer from the model's beliefs, marked as resting on the model alone: one
/// call.
pub(super) async fn from_belief(
    context: &Context<'_>,
    question: &Question,
    pseudo: &PseudoGraph,
) -> Result<Outcome, AnswerError> {
    let believed = pseudo.triples.iter().map(|triple| {
        let names = pseudo.names(triple);
        Evidence::triple("belief", names, names)
    });
    let believed: Vec<Evidence> = believed.collect();
    if believed.is_empty() {
        return Ok(Outcome::abstain("the model's graph cannot be read", Vec::new()));
    }
    let outcome = from_evidence(context, question, believed).await?;
    let model_alone = outcome.status == Status::Answered;
    if model_alone {
        context.trace.note(Note::ModelAlone);
    }
    // The model's beliefs are no evidence.
    Ok(Outcome { evidence: Vec::new(), model_alone, confidence: BELIEVED, ..outcome })
}
