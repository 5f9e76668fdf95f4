//! Judgements by the model: whether the evidence is enough, between two rounds of a walk; whether
//! an answer answers the question.

use quipu_model::{ChatRequest, Constraint, Message};
use serde_json::json;

use crate::answer::{AnswerError, Event, Evidence, Outcome, Question, Stage, Status, cell, to_markdown};
use crate::ledger::Context;
use crate::prompts::Prompt;

/// The model's judgement after round `hop` whether `evidence` holds the answer: one call, counted
/// under `purpose`.
///
/// # Errors
/// The model's, and the question's limits.
pub async fn is_enough(
    context: &Context<'_>,
    question: &Question,
    evidence: &[Evidence],
    hop: u32,
    purpose: &'static str,
) -> Result<bool, AnswerError> {
    let values = json!({ "facts": to_markdown(evidence), "question": question.text() });
    let request = ChatRequest::new(purpose, Prompt::TogEnough.render(values)?)
        .with_constraint(Constraint::Choice(vec!["yes".into(), "no".into()]))
        .with_max_tokens(4);
    let said = context.chat(Stage::Critique, request).await?.text.to_lowercase();
    let enough = said.split(|c: char| !c.is_alphabetic()).any(|word| word == "yes");
    let verdict = if enough { "sufficient" } else { "one hop more" };
    context.trace.report(Stage::Critique, Event::Judged { hop, verdict: verdict.into() });
    Ok(enough)
}

/// The model's judgement whether `outcome` answers the question and `references` support it: one
/// call, counted under `purpose`. An abstention counts as no, without a call.
///
/// # Errors
/// The model's, and the question's limits.
pub async fn is_answered(
    context: &Context<'_>,
    question: &Question,
    outcome: &Outcome,
    references: &[Evidence],
    purpose: &'static str,
) -> Result<bool, AnswerError> {
    if outcome.status == Status::Abstained {
        return Ok(false);
    }
    let values = json!({
        "asked_at": question.asked_at().date().to_string(), "facts": to_markdown(references),
        "prediction": prediction(outcome), "question": question.text(),
    });
    says_yes(context, purpose, Prompt::HybridAccept.render(values)?).await
}

/// Asks the model for yes or no: one call. Any reply but yes counts as no.
///
/// # Errors
/// The model's, and the question's limits.
pub async fn says_yes(
    context: &Context<'_>,
    purpose: &'static str,
    messages: Vec<Message>,
) -> Result<bool, AnswerError> {
    let request = ChatRequest::new(purpose, messages)
        .with_constraint(Constraint::Choice(vec!["yes".into(), "no".into()]))
        .with_max_tokens(4);
    let said = context.chat(Stage::Critique, request).await?.text;
    Ok(said.trim().to_lowercase().starts_with("yes"))
}

/// An answer in words, as a critic sees it.
pub fn prediction(outcome: &Outcome) -> String {
    match outcome.status {
        Status::Answered => cell(&outcome.answers.join(", ")),
        Status::Abstained => "I don't know".into(),
        Status::InvalidQuestion => "invalid question".into(),
    }
}
