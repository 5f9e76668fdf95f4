//! Follow-up questions: the turns before a question, and the question restated so that it stands
//! alone.

mod by_code;
mod heard;
mod said;

use std::ops::Range;

use quipu_language::{Language, asks_nothing, blank, follow_up, words};
use quipu_model::{ChatRequest, ModelError};
use serde::Deserialize;
use serde_json::json;

use heard::{Heard, MOST_TURNS};
use said::ByCode;

use crate::answer::{AnswerError, Bound, Event, Question, Stage, Value, passage_cell};
use crate::ledger::Context;
use crate::prompts::Prompt;

/// The speaker of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    /// The person who asks.
    Person,
    /// Quipu, or whoever answered.
    Answer,
}

/// A turn before the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its speaker.
    pub speaker: Speaker,
    /// Its text.
    pub text: String,
    /// For an answer: its values with their keys, if known. Otherwise its text is searched for
    /// names.
    pub values: Vec<Value>,
}

impl Turn {
    /// A turn with only its text.
    pub fn new(speaker: Speaker, text: impl Into<String>) -> Self {
        Self { speaker, text: text.into(), values: Vec::new() }
    }
}

/// The conversation before the question, oldest turn first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    /// Standing instructions of the application, used only if there are turns. Empty: none.
    pub instructions: String,
    /// The turns. Without any, the question stands alone, and no model is asked.
    pub turns: Vec<Turn>,
}

#[derive(Deserialize)]
struct Reply {
    question: String,
}

/// The meaning of a message after earlier turns.
#[derive(Debug, Clone, PartialEq)]
pub enum Understood {
    /// It stands alone.
    AsItIs,
    /// It asks nothing: "thanks".
    Nothing,
    /// Neither code nor model knows what this word of it stands for.
    Unclear(String),
    /// It means this question.
    As(Restated),
}

/// A follow-up, restated so that it stands alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Restated {
    /// The question in words of its own.
    pub question: Question,
    /// The entities that its words for earlier ones stand for.
    pub bound: Vec<Bound>,
}

/// Understands a message after earlier turns. Code does it if the message has the words of a
/// follow-up and the graph tells their meaning (`by_code.rs`); else the model, in one call, whose
/// reply may use only words from the conversation. If neither understands it, the question stays as
/// it is and the trace says so.
///
/// # Errors
/// The graph's and the embedder's; the model's, except unreadable replies.
pub async fn understand(
    context: &Context<'_>,
    question: &Question,
    conversation: &Conversation,
) -> Result<Understood, AnswerError> {
    let text = question.text();
    if asks_nothing(text) && !text.ends_with('?') && context.workspace.names().exact(text, 1)?.is_empty() {
        return Ok(Understood::Nothing);
    }
    if conversation.turns.is_empty() {
        return Ok(Understood::AsItIs);
    }
    let _timer = context.ledger.enter(Stage::Plan);
    // The anchors of this question do not belong to the earlier ones.
    let hearing = context.without_anchors();
    let by_code = match Heard::of(&hearing, &conversation.turns).await {
        Ok(heard) => heard.read(&hearing, text).await,
        Err(error) => Err(error),
    };
    let restated = match by_code {
        Ok(ByCode::Alone) => return Ok(Understood::AsItIs),
        Ok(ByCode::Said(said)) => match Question::new(&said.text, question.asked_at().clone()) {
            Ok(question) => Some(Restated { question, bound: said.bound }),
            Err(error) => {
                as_it_stands(context, &error.to_string());
                None
            }
        },
        Ok(ByCode::Unclear(word)) => match (by_model(context, question, conversation).await?, word) {
            (Some(question), _) => Some(Restated { question, bound: Vec::new() }),
            (None, Some(word)) => return Ok(Understood::Unclear(word)),
            (None, None) => None,
        },
        Err(error @ AnswerError::Exhausted(_)) => return Err(error),
        // The source fails again when it is asked, or another source answers.
        Err(error) => {
            as_it_stands(context, &error.to_string());
            None
        }
    };
    let Some(restated) = restated else { return Ok(Understood::AsItIs) };
    context.trace.report(Stage::Plan, Event::Restated { question: restated.question.text().into() });
    Ok(Understood::As(restated))
}

/// Reports that the question is not restated.
fn as_it_stands(context: &Context<'_>, reason: &str) {
    let reason = format!("{reason}; the question is answered without the earlier messages");
    context.trace.report(Stage::Plan, Event::Degraded { reason });
}

async fn by_model(
    context: &Context<'_>,
    question: &Question,
    conversation: &Conversation,
) -> Result<Option<Question>, AnswerError> {
    let degraded = |reason: String| {
        as_it_stands(context, &reason);
        Ok(None)
    };
    if !context.has_model() {
        return degraded("a follow-up question needs a language model".into());
    }
    let reply: Reply = match context.json(Stage::Plan, request(question, conversation)?, &schema()).await {
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => return degraded(error.to_string()),
        Err(AnswerError::Exhausted(limit)) => return degraded(limit.to_string()),
        reply => reply?,
    };
    let said = conversation.turns.iter().map(|turn| turn.text.as_str());
    let said = said.chain([conversation.instructions.as_str()]);
    if !is_faithful(question.text(), &reply.question, said) {
        return degraded(format!(
            "the model's rewording “{}” adds words that nobody said",
            reply.question.trim()
        ));
    }
    match Question::new(&reply.question, question.asked_at().clone()) {
        Ok(restated) => Ok(Some(restated)),
        Err(error) => degraded(error.to_string()),
    }
}

/// Whether a restatement keeps every telling word of the message and adds none that was not said.
fn is_faithful<'a>(message: &str, restated: &str, said: impl Iterator<Item = &'a str>) -> bool {
    let language = Language::of(restated);
    let telling = |text: &str| -> Vec<String> {
        words(text).into_iter().map(|word| word.text).filter(|word| language.tells(word)).collect()
    };
    let has = |words: &[String], word: &str| {
        words.iter().any(|known| known == word || language.is_form(word, known))
    };
    let follow_up = follow_up(message);
    let spans: Vec<Range<usize>> = follow_up.refers.into_iter().map(|one| one.span).collect();
    let own = telling(blank(message, &spans).get(follow_up.from..).unwrap_or_default());
    let new = telling(restated);
    let mut heard = own.clone();
    heard.extend(said.flat_map(telling));
    own.iter().all(|word| has(&new, word)) && new.iter().all(|word| has(&heard, word))
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
