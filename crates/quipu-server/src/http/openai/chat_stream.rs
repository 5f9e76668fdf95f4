//! Streams a chat completion in chunks: the events on the way if requested, then the answer.

use std::sync::Arc;

use quipu_answer::TimedEvent;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::chat_usage::ChatUsage;
use super::extension::{TellOrEvent, Told};
use super::formats::{Said, Wanted};
use super::pieces;
use crate::app::Reply;
use crate::error::ApiError;
use crate::given::Given;
use crate::http::stream::{Protocol, event};

const DONE: &str = "data: [DONE]\n\n";

/// The common fields of a stream's chunks.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) id: String,
    pub(super) created: u64,
    pub(super) model: String,
}

/// A piece of a chat completion.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ChatChunk {
    /// The completion's id.
    id: String,
    /// `chat.completion.chunk`.
    object: &'static str,
    /// Seconds since 1970.
    created: u64,
    /// The requested model.
    model: String,
    /// One choice; none in the cost event.
    choices: Vec<ChunkChoice>,
    /// The cost, only in the last event; with `include_usage`, null in all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Option<ChatUsage>>,
    /// An event on the way; in the chunk with the finish reason, Quipu's extension of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    quipu: Option<TellOrEvent>,
}

/// A piece of the answer.
#[derive(Debug, Serialize, JsonSchema)]
struct ChunkChoice {
    /// 0.
    index: u32,
    /// The new words.
    delta: Delta,
    /// `stop` at the end.
    finish_reason: Option<&'static str>,
    /// Null.
    logprobs: Option<()>,
}

/// The new words.
#[derive(Debug, Default, Serialize, JsonSchema)]
struct Delta {
    /// `assistant`, in the first chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    /// Some words of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// Some words of the reason why the answer does not fit the schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<String>,
}

/// OpenAI's chunks.
pub(super) struct Chunks {
    pub(super) head: Head,
    pub(super) usage_apart: bool,
    pub(super) events: bool,
    pub(super) wanted: Wanted,
    pub(super) given: Arc<Given>,
}

impl Chunks {
    fn chunk(
        &self,
        delta: Delta,
        finish_reason: Option<&'static str>,
        quipu: Option<TellOrEvent>,
    ) -> ChatChunk {
        let choices = vec![ChunkChoice { index: 0, delta, finish_reason, logprobs: None }];
        let Head { id, created, model } = self.head.clone();
        // With a separate event for it, the cost is null until then.
        let usage = self.usage_apart.then_some(None);
        ChatChunk { id, object: "chat.completion.chunk", created, model, choices, usage, quipu }
    }

    fn piece(&self, delta: Delta) -> String {
        told(&self.chunk(delta, None, None))
    }

    fn answer(&self, reply: Reply) -> String {
        let usage = ChatUsage::from(&reply.answer.usage);
        let mut text = String::new();
        match self.wanted.say(&reply, &self.given) {
            Said::Text(said) => {
                for piece in pieces(&said) {
                    text.push_str(&self.piece(Delta { content: Some(piece.to_owned()), ..Delta::default() }));
                }
            }
            Said::Refusal(reason) => {
                for piece in pieces(&reason) {
                    text.push_str(&self.piece(Delta { refusal: Some(piece.to_owned()), ..Delta::default() }));
                }
            }
        }
        let tell = TellOrEvent::Told(Box::new(Told::from(reply)));
        let mut last = self.chunk(Delta::default(), Some("stop"), Some(tell));
        if !self.usage_apart {
            last.usage = Some(Some(usage));
        }
        text.push_str(&told(&last));
        if self.usage_apart {
            let apart = self.chunk(Delta::default(), None, None);
            text.push_str(&told(&ChatChunk { choices: Vec::new(), usage: Some(Some(usage)), ..apart }));
        }
        text
    }
}

fn told(chunk: &ChatChunk) -> String {
    event(None, &json!(chunk).to_string())
}

impl Protocol for Chunks {
    fn open(&self) -> String {
        self.piece(Delta { role: Some("assistant"), content: Some(String::new()), refusal: None })
    }

    fn happened(&self, event: &TimedEvent) -> String {
        if !self.events {
            return String::new();
        }
        told(&self.chunk(Delta::default(), None, Some(TellOrEvent::Event { event: event.clone() })))
    }

    fn close(&self, outcome: Result<Reply, ApiError>) -> String {
        let last = match outcome {
            Ok(reply) => self.answer(reply),
            Err(error) => event(None, &json!(error.body()).to_string()),
        };
        last + DONE
    }
}
