//! The critic without documents (HybGRAG App. C.2): does the prediction answer the question, given
//! the reference? If not, which part of the router's reading was wrong (Table 12)? One call each.

use quipu_model::{ChatRequest, Constraint};
use quipu_stages::answer::{AnswerError, Outcome, Question, Stage};
use quipu_stages::critique::{self, prediction};
use quipu_stages::ledger::Context;
use quipu_stages::prompts::Prompt;
use serde_json::json;

use super::router::Action;
use crate::methods::hybrid::HybridConfig;
use crate::methods::hybrid::experience::Experiences;
use crate::methods::hybrid::feedback::ErrorKind;

/// The kinds of Table 12.
const KINDS: [ErrorKind; 5] = [
    ErrorKind::IncorrectQuestionType,
    ErrorKind::IncorrectDynamism,
    ErrorKind::IncorrectDomain,
    ErrorKind::IncorrectEntityAndRelation,
    ErrorKind::IncorrectModule,
];
/// Experiences shown to the commentator (App. C.2).
const EXPERIENCES: usize = 5;

/// Whether the prediction answers the question; an abstention does not, without a call.
///
/// # Errors
/// The model's.
pub(in crate::methods::hybrid) async fn accepts(
    context: &Context<'_>,
    question: &Question,
    outcome: &Outcome,
    config: &HybridConfig,
) -> Result<bool, AnswerError> {
    let _timer = context.ledger.enter(Stage::Critique);
    let references = if config.validation_context { outcome.evidence.as_slice() } else { &[] };
    critique::is_answered(context, question, outcome, references, "critique.validate").await
}

/// The kind of error. An unreadable reply counts as a wrong source.
///
/// # Errors
/// The model's.
pub(super) async fn comment(
    context: &Context<'_>,
    question: &Question,
    action: &Action,
    outcome: &Outcome,
    config: &HybridConfig,
) -> Result<ErrorKind, AnswerError> {
    let _timer = context.ledger.enter(Stage::Critique);
    let options: Vec<ErrorKind> = KINDS.into_iter().filter(|kind| may_be(*kind, action)).collect();
    let names: Vec<String> = options.iter().map(|kind| kind.name().to_owned()).collect();
    let experiences = context.memory::<Experiences>().balanced(config.experiences.min(EXPERIENCES));
    let values = json!({
        "experiences": experiences,
        "question": question.text(),
        "module": action.source(),
        "reading": action.reading(),
        "entities": action.named(),
        "relations": action.linked.relations,
        "prediction": prediction(outcome),
    });
    let request = ChatRequest::new("critique.comment", Prompt::HybridWrong.render(values)?)
        .with_constraint(Constraint::Choice(names))
        .with_max_tokens(12);
    let said = context.chat(Stage::Critique, request).await?.text;
    let named = options.iter().find(|kind| said.contains(kind.name()));
    Ok(named.copied().unwrap_or(ErrorKind::IncorrectModule))
}

/// Whether an error is possible: wrong entities need the graph as the source, a wrong field needs
/// fields.
fn may_be(kind: ErrorKind, action: &Action) -> bool {
    match kind {
        ErrorKind::IncorrectDomain => !action.domain.is_empty(),
        ErrorKind::IncorrectEntityAndRelation => !action.is_text,
        _ => true,
    }
}
