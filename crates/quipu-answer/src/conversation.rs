//! Follow-up questions: what was said before, and the question said so that it stands alone.

use quipu_model::{ChatRequest, ModelError};
use serde::Deserialize;
use serde_json::json;

use crate::AnswerError;
use crate::context::Context;
use crate::evidence::passage_cell;
use crate::prompts::Prompt;
use crate::question::Question;
use crate::trace::{Event, Stage};

/// Turns before the question that are read; what lies further back seldom matters.
const MOST_TURNS: usize = 8;

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The person who asks.
    Person,
    /// Quipu, or whoever answered.
    Answer,
}

/// Something that was said before the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// By whom.
    pub speaker: Speaker,
    /// What.
    pub text: String,
}

/// What was said before the question, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    /// Standing instructions of the application; read only together with turns. Empty: none.
    pub instructions: String,
    /// The turns; without any, the question stands alone already and no model is asked.
    pub turns: Vec<Turn>,
}

#[derive(Deserialize)]
struct Reply {
    question: String,
}

/// The question so that it stands alone; `None` when nothing was said before it. Where the model cannot say it, or there is none,
/// the question stays as it is and the trace says so.
///
/// # Errors
/// The model's, but for replies that cannot be read.
pub async fn restate(
    context: &Context<'_>,
    question: &Question,
    conversation: &Conversation,
) -> Result<Option<Question>, AnswerError> {
    if conversation.turns.is_empty() {
        return Ok(None);
    }
    let _timer = context.trace.enter(Stage::Plan);
    let degraded = |reason: String| {
        let reason = format!("{reason}; the question is taken as it stands, without what was said before");
        context.trace.report(Stage::Plan, Event::Degraded { reason });
        Ok(None)
    };
    if !context.has_model() {
        return degraded("a follow-up question needs a language model to be understood".into());
    }
    let reply: Reply = match context.json(Stage::Plan, request(question, conversation)?, &schema()).await {
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => return degraded(error.to_string()),
        Err(AnswerError::Exhausted(limit)) => return degraded(limit.to_string()),
        reply => reply?,
    };
    match Question::new(&reply.question, question.asked_at().clone()) {
        Ok(restated) => {
            let event = Event::Restated { question: restated.text().into() };
            context.trace.report(Stage::Plan, event);
            Ok(Some(restated))
        }
        Err(error) => degraded(error.to_string()),
    }
}

fn request(question: &Question, conversation: &Conversation) -> Result<ChatRequest, AnswerError> {
    let skipped = conversation.turns.len().saturating_sub(MOST_TURNS);
    let turns: Vec<_> = conversation
        .turns
        .iter()
        .skip(skipped)
        .map(|turn| {
            let speaker = match turn.speaker {
                Speaker::Person => "Person",
                Speaker::Answer => "Answer",
            };
            json!({ "speaker": speaker, "text": passage_cell(&turn.text) })
        })
        .collect();
    let instructions = passage_cell(&conversation.instructions);
    let values = json!({ "instructions": instructions, "turns": turns, "question": question.text() });
    Ok(ChatRequest::new("plan.restate", Prompt::Restate.render(values)?).with_max_tokens(200))
}

fn schema() -> serde_json::Value {
    json!({
        "type": "object",
        "properties": { "question": { "type": "string", "minLength": 1, "maxLength": 500 } },
        "required": ["question"],
        "additionalProperties": false
    })
}
