//! The costs of one question so far, and the room that its limits leave.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use quipu_model::{Amount, ModelError, Price, Usage};

use super::Limits;
use crate::answer::{AnswerUsage, Cost, Exhausted, Outcome, Stage, StageUsage};

/// The costs of one question, by stage.
pub struct Ledger {
    started: Instant,
    /// Requests sent to endpoints and APIs.
    requests: Arc<AtomicU64>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    stages: Vec<StageUsage>,
    total: Usage,
    /// The language model's last failure, unless it has replied since.
    model_failure: Option<ModelError>,
    /// Running calls, and the tokens that they may cost.
    running_calls: u32,
    running_tokens: u64,
    running_cost: Amount,
    /// The price of the model's tokens, and the amount paid so far.
    price: Option<Price>,
    paid: Amount,
}

impl Default for Ledger {
    /// Starts the clock.
    fn default() -> Self {
        Self { started: Instant::now(), requests: Arc::default(), state: Mutex::default() }
    }
}

impl Ledger {
    /// Sets the price of the model's tokens.
    pub fn set_price(&self, price: Option<Price>) {
        self.state.lock().price = price;
    }

    /// The counter of requests to endpoints and APIs.
    pub fn requests(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.requests)
    }

    /// Time since the question came in.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Counts the time until the guard is dropped as the stage's.
    pub fn enter(&self, stage: Stage) -> StageTimer<'_> {
        StageTimer { ledger: self, stage, started: Instant::now() }
    }

    /// Counts a model call.
    pub(super) fn count_model_call(&self, stage: Stage, usage: &Usage) {
        let mut state = self.state.lock();
        state.total += *usage;
        // A reply from the cache costs nothing.
        if let Some(price) = state.price.filter(|_| usage.llm_calls > 0) {
            state.paid = state.paid.plus(price.of(usage));
        }
        state.model_failure = None;
        let entry = state.stage(stage);
        entry.llm_calls += usage.llm_calls;
        entry.cached_calls += usage.cached_calls;
        entry.prompt_tokens += usage.prompt_tokens;
        entry.completion_tokens += usage.completion_tokens;
        entry.model_seconds += usage.seconds;
    }

    /// Counts time spent waiting for the embedder.
    pub(super) fn count_embedding(&self, stage: Stage, took: Duration) {
        self.state.lock().stage(stage).model_seconds += took.as_secs_f64();
    }

    /// Model calls so far, including cached ones, so that a budget holds in a replay too.
    pub(super) fn model_calls(&self) -> u32 {
        let state = self.state.lock();
        state.total.llm_calls + state.total.cached_calls
    }

    /// The cost of the question so far.
    pub fn usage(&self) -> AnswerUsage {
        let state = self.state.lock();
        AnswerUsage {
            llm_calls: state.total.llm_calls,
            cached_calls: state.total.cached_calls,
            prompt_tokens: state.total.prompt_tokens,
            reused_tokens: state.total.reused_tokens,
            completion_tokens: state.total.completion_tokens,
            requests: self.requests.load(Ordering::Relaxed),
            cost: state.price.map(|price| Cost::new(state.paid, price.currency)),
            seconds: self.elapsed().as_secs_f64(),
            by_stage: state.stages.clone(),
        }
    }

    /// Reserves one more call of `prompt` tokens. Returns how many tokens its reply may have, at
    /// most `wanted`.
    ///
    /// # Errors
    /// The limit that leaves no room for the call, not even with a reply of `least` tokens.
    pub(super) fn reserve(
        &self,
        limits: Limits,
        prompt: u64,
        least: u32,
        wanted: u32,
    ) -> Result<(Reservation<'_>, u32), Exhausted> {
        let mut state = self.state.lock();
        if state.total.llm_calls + state.total.cached_calls + state.running_calls >= limits.llm_calls {
            return Err(Exhausted::Calls(limits.llm_calls));
        }
        let used = state.total.prompt_tokens + state.total.completion_tokens + state.running_tokens;
        let left = limits.tokens.saturating_sub(used).saturating_sub(prompt);
        let mut reply = u32::try_from(left).map_or(wanted, |left| left.min(wanted));
        if reply < least || (limits.tokens != u64::MAX && left == 0) {
            return Err(Exhausted::Tokens(limits.tokens));
        }
        let mut cost = Amount::default();
        if let (Some(most), Some(price)) = (limits.cost, state.price) {
            let left = most.less(price.of(&state.total)).less(state.running_cost);
            if price.at_most(prompt, u64::from(least)) > left {
                return Err(Exhausted::Cost(most, price.currency));
            }
            let paid_for = price.reply_tokens(left.less(price.at_most(prompt, 0)));
            reply = u32::try_from(paid_for).map_or(reply, |paid_for| reply.min(paid_for));
            cost = price.at_most(prompt, u64::from(reply));
        }
        let tokens = prompt + u64::from(reply);
        state.running_calls += 1;
        state.running_tokens += tokens;
        state.running_cost = state.running_cost.plus(cost);
        Ok((Reservation { ledger: self, tokens, cost }, reply))
    }

    /// Keeps the model's failure.
    pub(super) fn model_failed(&self, error: &ModelError) {
        self.state.lock().model_failure = Some(error.clone());
    }

    /// The model's last failure, unless it has replied since.
    pub fn model_failure(&self) -> Option<ModelError> {
        self.state.lock().model_failure.clone()
    }
}

impl State {
    fn stage(&mut self, stage: Stage) -> &mut StageUsage {
        let position = self.stages.iter().position(|s| s.stage == stage.name()).unwrap_or_else(|| {
            self.stages.push(StageUsage { stage: stage.name().into(), ..StageUsage::default() });
            self.stages.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "the position was just found or pushed")]
        &mut self.stages[position]
    }
}

/// The reservation of a running call; see [`Ledger::reserve`].
pub(super) struct Reservation<'a> {
    ledger: &'a Ledger,
    tokens: u64,
    cost: Amount,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut state = self.ledger.state.lock();
        state.running_calls = state.running_calls.saturating_sub(1);
        state.running_tokens = state.running_tokens.saturating_sub(self.tokens);
        state.running_cost = state.running_cost.less(self.cost);
    }
}

/// Times a stage; see [`Ledger::enter`].
pub struct StageTimer<'a> {
    ledger: &'a Ledger,
    stage: Stage,
    started: Instant,
}

impl Drop for StageTimer<'_> {
    fn drop(&mut self) {
        self.ledger.state.lock().stage(self.stage).seconds += self.started.elapsed().as_secs_f64();
    }
}

/// The best answer so far, in case a limit ends the work: a future that is dropped midway returns
/// nothing.
#[derive(Default)]
pub struct BestSoFar(Mutex<Option<Outcome>>);

impl BestSoFar {
    /// Keeps an answer in place of the last one.
    pub(crate) fn keep(&self, outcome: Outcome) {
        *self.0.lock() = Some(outcome);
    }

    /// Takes the answer out.
    pub fn take(&self) -> Option<Outcome> {
        self.0.lock().take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_add_up_by_stage() {
        let ledger = Ledger::default();
        let usage = Usage { llm_calls: 1, prompt_tokens: 10, completion_tokens: 3, ..Usage::default() };
        ledger.count_model_call(Stage::Plan, &usage);
        ledger.count_model_call(Stage::Compose, &usage);
        ledger.count_model_call(Stage::Plan, &usage);
        let total = ledger.usage();
        assert_eq!((total.llm_calls, total.prompt_tokens, total.completion_tokens), (3, 30, 9));
        let by_stage: Vec<_> = total.by_stage.iter().map(|s| (s.stage.as_str(), s.llm_calls)).collect();
        assert_eq!(by_stage, [("plan", 2), ("compose", 1)]);
    }
}
