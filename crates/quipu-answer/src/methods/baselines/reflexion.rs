//! Reflexion (Shinn et al., 2023), as HybGRAG compares with it (§4.1): ReAct tries, the model judges its answer, says in words why an
//! attempt failed, and tries again with what it learnt.
//!
//! An attempt takes R rounds and a composition; between two attempts stand a judgement and a reflection, after the last neither. With T
//! attempts that is T(R + 1) + 2(T - 1) calls at most. An abstention has failed without a judgement.

use quipu_model::ChatRequest;
use serde_json::json;

use super::react;
use super::rounds::{Attempt, RoundsConfig};
use crate::answer::{AnswerError, Event, Outcome, Question, Stage, Status, cell};
use crate::critique::{self, prediction};
use crate::ledger::Context;
use crate::prompts::Prompt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Calls that another attempt needs to be worth its beginning: the judgement, the reflection, a search, a step and the answer.
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
    while lessons.len() + 1 < config.attempts && context.calls_left() >= OF_AN_ATTEMPT {
        match again(context, question, &attempt, &mut lessons, &rounds).await {
            // What the attempt before came to is not lost where a limit ended this one.
            Ok(Some(next)) if is_cut_off(context, &next) && attempt.outcome.status != Status::Abstained => {
                let reason = "a limit ended the last attempt; the one before stands".into();
                context.trace.report(Stage::Critique, Event::Degraded { reason });
                break;
            }
            Ok(Some(next)) => attempt = next,
            Ok(None) => break,
            Err(AnswerError::Exhausted(limit)) => {
                let reason = format!("{limit}; the attempt before stands");
                context.trace.report(Stage::Critique, Event::Degraded { reason });
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(attempt.outcome)
}

/// Whether an attempt came to nothing because calls or time were used up.
fn is_cut_off(context: &Context<'_>, attempt: &Attempt) -> bool {
    let is_spent = context.calls_left() <= 1 || context.check_time().is_err();
    attempt.outcome.status == Status::Abstained && is_spent
}

/// Another attempt, told what the last one taught; none where that one is accepted.
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

/// Whether the attempt's answer answers the question, by the model; an abstention does not, without a call.
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

/// Why an attempt failed and how to do better, in the model's words: one call.
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
