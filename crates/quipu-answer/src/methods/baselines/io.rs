//! The model alone: question in, answer out, no graph. The gain of every method is measured against
//! this.

use quipu_model::{ChatRequest, ModelError};
use quipu_stages::answer::{AnswerError, Outcome, Question, Stage, Status};
use quipu_stages::ledger::Context;
use quipu_stages::prompts::Prompt;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Reply {
    answers: Vec<String>,
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
) -> Result<Outcome, AnswerError> {
    let messages = Prompt::Io.render(json!({ "question": question.text() }))?;
    let request = ChatRequest::new("compose.io", messages).with_max_tokens(200);
    let schema = json!({
        "type": "object",
        "properties": { "answers": { "type": "array", "items": { "type": "string", "maxLength": 200 }, "maxItems": 30 } },
        "required": ["answers"]
    });
    let reply: Reply = match context.json(Stage::Compose, request, &schema).await {
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
            return Ok(Outcome::abstain(error.to_string(), Vec::new()));
        }
        reply => reply?,
    };
    if reply.answers.is_empty() {
        return Ok(Outcome::abstain("the model does not know", Vec::new()));
    }
    Ok(Outcome {
        status: Status::Answered,
        answers: reply.answers,
        text: None,
        evidence: Vec::new(),
        confidence: 0.3,
        reason: None,
        ..Outcome::default()
    })
}
