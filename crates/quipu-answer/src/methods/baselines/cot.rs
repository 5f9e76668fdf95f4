//! The model alone, but thinking step by step before it answers (Wei et al., 2022). One call.

use quipu_model::{ChatRequest, ModelError};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::AnswerError;
use crate::answer::Status;
use crate::context::Context;
use crate::methods::Outcome;
use crate::prompts::Prompt;
use crate::question::Question;
use crate::trace::{Event, Stage};

/// What the model thinks and answers.
#[derive(Deserialize)]
pub(super) struct Thought {
    #[serde(default)]
    reasoning: String,
    pub(super) answers: Vec<String>,
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
) -> Result<Outcome, AnswerError> {
    let _timer = context.trace.enter(Stage::Compose);
    let thought = match think(context, request(question)?).await {
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

pub(super) fn request(question: &Question) -> Result<ChatRequest, AnswerError> {
    let messages = Prompt::Cot.render(json!({ "question": question.text() }))?;
    Ok(ChatRequest::new("compose.cot", messages).with_max_tokens(400))
}

/// One sample of thinking.
pub(super) async fn think(context: &Context<'_>, request: ChatRequest) -> Result<Thought, AnswerError> {
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
