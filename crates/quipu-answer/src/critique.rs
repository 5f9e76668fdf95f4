//! Whether what was found is enough: the judgement between two rounds of a walk.

use quipu_model::{ChatRequest, Constraint};
use serde_json::json;

use crate::answer::{AnswerError, Event, Evidence, Question, Stage, to_markdown};
use crate::ledger::Context;
use crate::prompts::Prompt;

/// Whether `evidence` holds the answer, as the model says after round `hop`: one call, counted under `purpose`.
///
/// # Errors
/// The model's, and the question's limits.
pub(crate) async fn is_enough(
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
