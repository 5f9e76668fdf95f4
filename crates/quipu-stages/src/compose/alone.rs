//! The model alone, thinking step by step before it answers (Wei et al., 2022). One call, no
//! evidence.

use quipu_model::{ChatRequest, ModelError};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{AnswerError, Event, Note, Outcome, Question, Stage, Status};
use crate::ledger::Context;
use crate::prompts::Prompt;

/// The model's reasoning and answer.
#[derive(Deserialize)]
pub struct Thought {
    #[serde(default)]
    reasoning: String,
    /// The bare values, best first.
    pub answers: Vec<String>,
}

/// The answer from the model's own knowledge: one call.
///
/// # Errors
/// The model's.
pub async fn alone(context: &Context<'_>, question: &Question) -> Result<Outcome, AnswerError> {
    let _timer = context.ledger.enter(Stage::Compose);
    let thought = match think(context, thinking(question)?).await {
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
            return Ok(Outcome::abstain(error.to_string(), Vec::new()));
        }
        thought => thought?,
    };
    if thought.answers.is_empty() {
        return Ok(Outcome::abstain("the model does not know", Vec::new()));
    }
    Ok(Outcome {
        status: Status::Answered,
        answers: thought.answers,
        text: None,
        evidence: Vec::new(),
        confidence: 0.3,
        reason: None,
        ..Outcome::default()
    })
}

/// The same as the last step of a method that found nothing in the graph, marked as the model's own
/// knowledge: one call.
///
/// # Errors
/// The model's.
pub async fn from_own_knowledge(context: &Context<'_>, question: &Question) -> Result<Outcome, AnswerError> {
    let outcome = alone(context, question).await?;
    if outcome.status != Status::Answered {
        return Ok(outcome);
    }
    context.trace.note(Note::ModelAlone);
    Ok(Outcome { model_alone: true, ..outcome })
}

/// The request of one sample.
pub fn thinking(question: &Question) -> Result<ChatRequest, AnswerError> {
    let messages = Prompt::Cot.render(json!({ "question": question.text() }))?;
    Ok(ChatRequest::new("compose.cot", messages).with_max_tokens(400))
}

/// One sample of thinking.
pub async fn think(context: &Context<'_>, request: ChatRequest) -> Result<Thought, AnswerError> {
    let mut thought: Thought = context.json(Stage::Compose, request, &schema()).await?;
    thought.answers.retain(|answer| !answer.trim().is_empty());
    let (reasoning, answers) = (thought.reasoning.clone(), thought.answers.clone());
    context.trace.report(Stage::Compose, Event::Composed { reasoning, answers });
    Ok(thought)
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "reasoning": { "type": "string", "maxLength": 500 },
            "answers": { "type": "array", "items": { "type": "string", "maxLength": 200 }, "maxItems": 30 }
        },
        "required": ["reasoning", "answers"]
    })
}
