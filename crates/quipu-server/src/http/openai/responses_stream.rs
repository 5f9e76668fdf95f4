//! Streams a response as typed events, in the order that OpenAI's clients expect.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quipu_answer::TimedEvent;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::formats::{Said, Wanted};
use super::response::{Output, OutputPart, Response, ResponseError, ResponseStatus, message};
use super::{new_id, pieces};
use crate::app::Reply;
use crate::error::ApiError;
use crate::given::Given;
use crate::http::stream::{Protocol, event};

/// An event of a response, with its number in the stream.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ResponseEvent {
    /// Its number, from 0.
    sequence_number: u64,
    /// Its content.
    #[serde(flatten)]
    news: News,
}

/// The content of an event.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type")]
enum News {
    /// The request was accepted.
    #[serde(rename = "response.created")]
    Created {
        /// The response so far.
        response: Box<Response>,
    },
    /// The response is in progress.
    #[serde(rename = "response.in_progress")]
    InProgress {
        /// The response so far.
        response: Box<Response>,
    },
    /// An event on the way; only if `quipu.events` requests it.
    #[serde(rename = "quipu.event")]
    Happened {
        /// The event.
        event: TimedEvent,
    },
    /// The message begins.
    #[serde(rename = "response.output_item.added")]
    ItemAdded {
        /// 0.
        output_index: u32,
        /// The message so far.
        item: Output,
    },
    /// Its part begins.
    #[serde(rename = "response.content_part.added")]
    PartAdded {
        /// The message's id.
        item_id: String,
        /// 0.
        output_index: u32,
        /// 0.
        content_index: u32,
        /// The part so far.
        part: OutputPart,
    },
    /// Some words of the answer.
    #[serde(rename = "response.output_text.delta")]
    TextDelta {
        /// The message's id.
        item_id: String,
        /// 0.
        output_index: u32,
        /// 0.
        content_index: u32,
        /// The words.
        delta: String,
        /// None.
        logprobs: [(); 0],
    },
    /// The answer is complete.
    #[serde(rename = "response.output_text.done")]
    TextDone {
        /// The message's id.
        item_id: String,
        /// 0.
        output_index: u32,
        /// 0.
        content_index: u32,
        /// All words.
        text: String,
        /// None.
        logprobs: [(); 0],
    },
    /// Some words of the reason why the answer does not fit the schema.
    #[serde(rename = "response.refusal.delta")]
    RefusalDelta {
        /// The message's id.
        item_id: String,
        /// 0.
        output_index: u32,
        /// 0.
        content_index: u32,
        /// The words.
        delta: String,
    },
    /// The refusal is complete.
    #[serde(rename = "response.refusal.done")]
    RefusalDone {
        /// The message's id.
        item_id: String,
        /// 0.
        output_index: u32,
        /// 0.
        content_index: u32,
        /// All words.
        refusal: String,
    },
    /// The part is complete.
    #[serde(rename = "response.content_part.done")]
    PartDone {
        /// The message's id.
        item_id: String,
        /// 0.
        output_index: u32,
        /// 0.
        content_index: u32,
        /// The part.
        part: OutputPart,
    },
    /// The message is complete.
    #[serde(rename = "response.output_item.done")]
    ItemDone {
        /// 0.
        output_index: u32,
        /// The message.
        item: Output,
    },
    /// The response is complete; the last event.
    #[serde(rename = "response.completed")]
    Completed {
        /// The response.
        response: Box<Response>,
    },
    /// The response failed; the last event.
    #[serde(rename = "response.failed")]
    Failed {
        /// The response, with its error.
        response: Box<Response>,
    },
}

/// OpenAI's typed events.
pub(super) struct Typed {
    begun: Response,
    wanted: Wanted,
    given: Arc<Given>,
    events: bool,
    item: String,
    next: AtomicU64,
}

impl Typed {
    pub(super) fn new(begun: Response, wanted: Wanted, events: bool, given: Arc<Given>) -> Self {
        Self { begun, wanted, given, events, item: new_id("msg_"), next: AtomicU64::new(0) }
    }

    fn tell(&self, news: News) -> String {
        let sequence_number = self.next.fetch_add(1, Ordering::Relaxed);
        let told = json!(ResponseEvent { sequence_number, news });
        event(told.get("type").and_then(Value::as_str), &told.to_string())
    }

    fn answer(&self, reply: Reply) -> String {
        let (output_index, content_index) = (0, 0);
        let item_id = || self.item.clone();
        let said = self.wanted.say(&reply, &self.given);
        let (empty, words) = match &said {
            Said::Text(text) => (OutputPart::text(String::new()), text.clone()),
            Said::Refusal(reason) => (OutputPart::Refusal { refusal: String::new() }, reason.clone()),
        };
        let is_text = matches!(said, Said::Text(_));
        let part = OutputPart::from(said);
        let item = message(item_id(), part.clone());
        let begun = Output { status: ResponseStatus::InProgress, content: Vec::new(), ..item.clone() };
        let mut told = self.tell(News::ItemAdded { output_index, item: begun });
        told += &self.tell(News::PartAdded { item_id: item_id(), output_index, content_index, part: empty });
        for piece in pieces(&words) {
            let (item_id, delta) = (item_id(), piece.to_owned());
            told += &self.tell(match is_text {
                true => News::TextDelta { item_id, output_index, content_index, delta, logprobs: [] },
                false => News::RefusalDelta { item_id, output_index, content_index, delta },
            });
        }
        told += &self.tell(match is_text {
            true => {
                News::TextDone { item_id: item_id(), output_index, content_index, text: words, logprobs: [] }
            }
            false => News::RefusalDone { item_id: item_id(), output_index, content_index, refusal: words },
        });
        told += &self.tell(News::PartDone { item_id: item_id(), output_index, content_index, part });
        told += &self.tell(News::ItemDone { output_index, item: item.clone() });
        told + &self.tell(News::Completed { response: Box::new(self.begun.completed(item, reply)) })
    }
}

impl Protocol for Typed {
    fn open(&self) -> String {
        let created = self.tell(News::Created { response: Box::new(self.begun.clone()) });
        created + &self.tell(News::InProgress { response: Box::new(self.begun.clone()) })
    }

    fn happened(&self, event: &TimedEvent) -> String {
        if !self.events {
            return String::new();
        }
        self.tell(News::Happened { event: event.clone() })
    }

    fn close(&self, outcome: Result<Reply, ApiError>) -> String {
        match outcome {
            Ok(reply) => self.answer(reply),
            Err(ApiError { code, message, .. }) => {
                let response = self.begun.failed(ResponseError { code, message });
                self.tell(News::Failed { response: Box::new(response) })
            }
        }
    }
}
