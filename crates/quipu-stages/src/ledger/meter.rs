//! The model of one question behind a meter: every call is checked against the question's limits,
//! counted and reported.

use std::time::Duration;

use parking_lot::Mutex;
use quipu_model::{
    Abilities, ChatReply, ChatRequest, LanguageModel, Message, ModelError, Price, ScoreReply, ScoreRequest,
};

use super::costs::Reservation;
use super::{Ledger, Limits, Trace};
use crate::answer::{AnswerError, Event, Exhausted, Stage};

/// The least tokens of a reply worth asking for; with fewer left, the tokens count as used up.
const LEAST_REPLY: u32 = 16;
/// Tokens of a message besides its words: role and separators.
const MESSAGE: usize = 8;

/// The model of one question: every call is checked against the limits, counted and reported,
/// including the repairs that [`ask_json`] makes.
pub(crate) struct Metered<'a> {
    model: &'a dyn LanguageModel,
    trace: &'a Trace,
    ledger: &'a Ledger,
    limits: Limits,
    stage: Stage,
    exhausted: Mutex<Option<Exhausted>>,
}

/// The limits on one more call.
struct Allowance<'a> {
    time: Duration,
    reply_tokens: u32,
    /// Holds the call's reservation while it runs, so that parallel calls keep to the limits
    /// together.
    _reservation: Reservation<'a>,
}

impl<'a> Metered<'a> {
    pub(crate) fn new(
        model: &'a dyn LanguageModel,
        (trace, ledger): (&'a Trace, &'a Ledger),
        limits: Limits,
        stage: Stage,
    ) -> Self {
        Self { model, trace, ledger, limits, stage, exhausted: Mutex::new(None) }
    }

    fn allowance(&self, prompt: u64, reply: u32) -> Result<Allowance<'a>, Exhausted> {
        let time = self.limits.time.saturating_sub(self.ledger.elapsed());
        if time.is_zero() {
            return Err(Exhausted::Seconds(self.limits.time.as_secs()));
        }
        let least = reply.min(LEAST_REPLY);
        let (reservation, left) = self.ledger.reserve(self.limits, prompt, least, reply)?;
        Ok(Allowance { time, reply_tokens: left, _reservation: reservation })
    }

    /// The limits on the call; a limit that is reached is kept as the cause.
    fn allow(&self, prompt: u64, reply: u32) -> Result<Allowance<'a>, ModelError> {
        self.allowance(prompt, reply).map_err(|exhausted| {
            *self.exhausted.lock() = Some(exhausted);
            ModelError::Cancelled
        })
    }

    /// Tokens of a prompt, estimated before it is sent. Counted only if tokens or their cost are
    /// limited.
    fn prompt_tokens(&self, messages: &[Message]) -> u64 {
        if self.limits.tokens == u64::MAX && self.limits.cost.is_none() {
            return 0;
        }
        messages.iter().map(|m| (self.model.count_tokens(&m.content) + MESSAGE) as u64).sum()
    }

    /// Ends the question if a call ran past the question's time, not past its own.
    fn in_time<T>(&self, own_limit: bool, reply: Result<T, ModelError>) -> Result<T, ModelError> {
        match reply {
            Err(ModelError::TimedOut { .. }) if !own_limit => {
                *self.exhausted.lock() = Some(Exhausted::Seconds(self.limits.time.as_secs()));
                Err(ModelError::Cancelled)
            }
            reply => reply,
        }
    }

    /// Notes a failure of the model. A model that did not reply before the question's time was up
    /// has failed like one that exceeded the time of a call.
    fn told<T>(&self, reply: Result<T, ModelError>) -> Result<T, ModelError> {
        if let Err(error) = &reply
            && error.is_failure()
        {
            self.trace.model_failed(self.model.name(), error);
            self.ledger.model_failed(error);
        }
        reply
    }

    /// The error to show: the limit, if one was the cause.
    pub(super) fn cause(&self, error: ModelError) -> AnswerError {
        match *self.exhausted.lock() {
            Some(exhausted) => AnswerError::Exhausted(exhausted),
            None => AnswerError::Model(error),
        }
    }
}

#[async_trait::async_trait]
impl LanguageModel for Metered<'_> {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn abilities(&self) -> Abilities {
        self.model.abilities()
    }

    fn price(&self) -> Option<Price> {
        self.model.price()
    }

    fn count_tokens(&self, text: &str) -> usize {
        self.model.count_tokens(text)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let allowed = self.allow(self.prompt_tokens(&request.messages), request.max_tokens)?;
        let mut request = request.clone();
        let own_limit = request.timeout <= allowed.time;
        request.timeout = request.timeout.min(allowed.time);
        request.max_tokens = request.max_tokens.min(allowed.reply_tokens);
        let reply = self.in_time(own_limit, self.told(self.model.chat(&request).await))?;
        self.ledger.count_model_call(self.stage, &reply.usage);
        let event = Event::ModelCalled {
            request: request.stage.clone(),
            prompt: request.messages.last().map(|m| m.content.clone()).unwrap_or_default(),
            reply: reply.text.clone(),
            usage: reply.usage,
        };
        self.trace.report(self.stage, event);
        Ok(reply)
    }

    async fn score(&self, request: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        let scored =
            request.continuations.iter().map(|text| self.model.count_tokens(text) as u64).sum::<u64>();
        let allowed = self.allow(self.prompt_tokens(&request.messages) + scored, 0)?;
        let mut request = request.clone();
        let own_limit = request.timeout <= allowed.time;
        request.timeout = request.timeout.min(allowed.time);
        let reply = self.in_time(own_limit, self.told(self.model.score(&request).await))?;
        self.ledger.count_model_call(self.stage, &reply.usage);
        let scored = request.continuations.iter().zip(&reply.scores);
        let event = Event::ModelCalled {
            request: request.stage.clone(),
            prompt: request.messages.last().map(|m| m.content.clone()).unwrap_or_default(),
            reply: scored
                .map(|(text, (score, _))| format!("{score:.2} {text}"))
                .collect::<Vec<_>>()
                .join("\n"),
            usage: reply.usage,
        };
        self.trace.report(self.stage, event);
        Ok(reply)
    }
}
