//! The question's time frame, read by the model step by step (KERAG App. I.1, "CoT-based time
//! extraction").

use jiff::civil::Date;
use quipu_language::TimeFrame;
use quipu_model::{ChatRequest, ModelError};
use serde::Deserialize;
use serde_json::json;

use crate::answer::{AnswerError, Event, Question, Stage};
use crate::ledger::Context;
use crate::prompts::Prompt;

#[derive(Deserialize)]
struct Reply {
    reasoning: String,
    from: String,
    to: String,
}

/// The days that the question speaks of: one call. If it names none, the model gives the day of
/// asking, as in the paper. Empty if the reply cannot be read.
///
/// # Errors
/// The model's.
pub async fn read_times(context: &Context<'_>, question: &Question) -> Result<Vec<TimeFrame>, AnswerError> {
    let asked_at = question.asked_at().date();
    let values =
        json!({ "asked_at": asked_at.strftime("%A, %Y-%m-%d").to_string(), "question": question.text() });
    let request = ChatRequest::new("plan.time", Prompt::KeragTime.render(values)?).with_max_tokens(200);
    let schema = json!({
        "type": "object",
        "properties": {
            "reasoning": { "type": "string", "maxLength": 300 },
            "from": { "type": "string", "maxLength": 10 },
            "to": { "type": "string", "maxLength": 10 }
        },
        "required": ["reasoning", "from", "to"]
    });
    let reply: Reply = match context.json(Stage::Plan, request, &schema).await {
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
            let reason = format!("{error}; the question has no time frame");
            context.trace.report(Stage::Plan, Event::Degraded { reason });
            return Ok(Vec::new());
        }
        reply => reply?,
    };
    let day = |text: &str| text.trim().parse::<Date>().ok();
    let Some(from) = day(&reply.from) else { return Ok(Vec::new()) };
    // An open-ended period has no last day.
    let to = day(&reply.to).unwrap_or(Date::MAX).max(from);
    context
        .trace
        .report(Stage::Plan, Event::Read { reading: format!("{from} to {}: {}", reply.to, reply.reasoning) });
    Ok(vec![TimeFrame { text: question.text().to_lowercase(), from, to }])
}
