//! Reflexion (Shinn et al., 2023), as HybGRAG compares with it (§4.1): ReAct makes an attempt; the
//! model judges its answer, says in words why it failed, and tries again with that lesson.
//!
//! An attempt takes R rounds and a composition; between two attempts come a judgement and a
//! reflection, after the last one neither. With T attempts that is T(R + 1) + 2(T - 1) calls at
//! most. An abstention counts as failed without a judgement.

use quipu_model::ChatRequest;
use quipu_stages::answer::{AnswerError, Event, Exhausted, Outcome, Question, Stage, Status, cell};
use quipu_stages::critique::{self, prediction};
use quipu_stages::ledger::Context;
use quipu_stages::prompts::Prompt;
use serde_json::json;

use super::react;
use super::rounds::{Attempt, RoundsConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Least calls for another attempt: the judgement, the reflection, a search, a step and the answer.
const OF_AN_ATTEMPT: u32 = 5;
/// Tokens of a lesson.
const LESSON_TOKENS: u32 = 80;

/// Parameters of Reflexion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReflexionConfig {
    /// Most attempts (3; 0 is 1).
    #[schemars(range(max = 10))]
    pub attempts: usize,
    /// Most rounds of an attempt (8).
    #[schemars(range(max = 100))]
    pub rounds: usize,
}

impl Default for ReflexionConfig {
    fn default() -> Self {
        Self { attempts: 3, rounds: 8 }
    }
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &ReflexionConfig,
) -> Result<Outcome, AnswerError> {
    let rounds = RoundsConfig { rounds: config.rounds };
    let mut lessons: Vec<String> = Vec::new();
    let mut attempt = react::attempt(context, question, &lessons, &rounds).await?;
    while lessons.len() + 1 < config.attempts && context.has_calls_beyond(OF_AN_ATTEMPT - 1) {
        match again(context, question, &attempt, &mut lessons, &rounds).await {
            // If a limit ended this attempt, the answer of the last one stands.
            Ok(Some(next)) if is_cut_off(context, &next) && attempt.outcome.status != Status::Abstained => {
                context.note_limit(Exhausted::Calls(context.limits.llm_calls));
                let reason = "a limit ended the last attempt; the previous attempt is kept".into();
                context.trace.report(Stage::Critique, Event::Degraded { reason });
                break;
            }
            Ok(Some(next)) => attempt = next,
            Ok(None) => break,
            Err(AnswerError::Exhausted(limit)) => {
                context.note_limit(limit);
                let reason = format!("{limit}; the previous attempt is kept");
                context.trace.report(Stage::Critique, Event::Degraded { reason });
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(attempt.outcome)
}

/// Whether an attempt abstained because calls or time were used up.
fn is_cut_off(context: &Context<'_>, attempt: &Attempt) -> bool {
    let is_spent = context.calls_left() <= 1 || context.check_time().is_err();
    attempt.outcome.status == Status::Abstained && is_spent
}

/// Another attempt, with the lesson of the last one; `None` if the last one is accepted.
async fn again(
    context: &Context<'_>,
    question: &Question,
    last: &Attempt,
    lessons: &mut Vec<String>,
    rounds: &RoundsConfig,
) -> Result<Option<Attempt>, AnswerError> {
    if answers(context, question, &last.outcome, lessons.len()).await? {
        return Ok(None);
    }
    lessons.push(reflect(context, question, last).await?);
    react::attempt(context, question, lessons, rounds).await.map(Some)
}

/// Whether the attempt answers the question, as the model judges; an abstention does not, without a
/// call.
async fn answers(
    context: &Context<'_>,
    question: &Question,
    outcome: &Outcome,
    before: usize,
) -> Result<bool, AnswerError> {
    let _timer = context.ledger.enter(Stage::Critique);
    let accepted =
        critique::is_answered(context, question, outcome, &outcome.evidence, "critique.reflexion").await?;
    let verdict = if accepted { "attempt accepted" } else { "attempt rejected" };
    let hop = u32::try_from(before + 1).unwrap_or(u32::MAX);
    context.trace.report(Stage::Critique, Event::Judged { hop, verdict: verdict.into() });
    Ok(accepted)
}

/// The model's lesson from a failed attempt: why it failed and how to do better. One call.
async fn reflect(
    context: &Context<'_>,
    question: &Question,
    attempt: &Attempt,
) -> Result<String, AnswerError> {
    let _timer = context.ledger.enter(Stage::Critique);
    let values = json!({
        "question": question.text(), "steps": attempt.steps, "prediction": prediction(&attempt.outcome),
    });
    let request = ChatRequest::new("critique.reflect", Prompt::ReflexionReflect.render(values)?)
        .with_max_tokens(LESSON_TOKENS);
    Ok(cell(&context.chat(Stage::Critique, request).await?.text))
}
