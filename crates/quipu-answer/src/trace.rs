//! The trace: what every stage reports while a question is worked on. Progress lines, `--explain`, costs by stage
//! and the page's refinement path are readings of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use quipu_model::{Amount, ModelError, Price, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{AnswerUsage, Cost, Note, RankedEntity, StageUsage};
use crate::context::Limits;
use crate::error::Exhausted;

/// The stages of a question's way (DESIGN §3), as events, usage and errors name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Mentions to candidates to anchors.
    Link,
    /// Relations, hops, domain, time frame, operation.
    Plan,
    /// Triples and passages from the graph.
    Retrieve,
    /// What survives of them.
    Prune,
    /// Is it enough, is it right?
    Critique,
    /// The answer from the evidence.
    Compose,
    /// Is every value in the evidence?
    Ground,
}

impl Stage {
    /// The stage's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Plan => "plan",
            Self::Retrieve => "retrieve",
            Self::Prune => "prune",
            Self::Critique => "critique",
            Self::Compose => "compose",
            Self::Ground => "ground",
        }
    }
}

/// A mention and the entities that it may mean, as events show them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MentionEvent {
    /// The words of the question.
    pub text: String,
    /// Candidates: name, score, reason; the chosen one first.
    pub candidates: Vec<CandidateEvent>,
}

/// One candidate of a mention.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CandidateEvent {
    /// The entity's name.
    pub name: String,
    /// Score, higher is better.
    pub score: f64,
    /// Why it is a candidate.
    pub reason: String,
}

/// A relation path and how well it fits the question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathEvent {
    /// The path in words.
    pub phrase: String,
    /// Its score, higher is better.
    pub score: f64,
}

/// A step of a round of the hybrid method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Refinement {
    /// The router chose what to ask.
    Routed {
        /// `text` or `hybrid`.
        module: String,
        /// Names of the entities to start from.
        entities: Vec<String>,
        /// For each the relations to follow, with arrows.
        relations: Vec<String>,
        /// For each what that asks for, in words.
        reading: Vec<String>,
    },
    /// A relation that the graph does not have was taken for another.
    Mapped {
        /// As the router named it.
        relation: String,
        /// The nearest that there is.
        to: String,
    },
    /// A requirement was relaxed, for nothing satisfied all.
    Relaxed {
        /// How.
        step: String,
    },
    /// A module retrieved entities.
    Retrieved {
        /// How many.
        entities: usize,
    },
    /// The validator judged the first document.
    Validated {
        /// The document as it was read.
        document: String,
        /// Its verdict.
        accepted: bool,
        /// Its probability of a yes.
        probability: f64,
    },
    /// The commentator said what was wrong.
    Feedback {
        /// The kind of error.
        kind: String,
        /// The entity or relations that are wrong; empty for other kinds.
        about: String,
    },
}

/// A change of a pseudo-graph: a belief kept or replaced (both), deleted (`before` alone) or something added (`after` alone).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EditEvent {
    /// The triple as the model believed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The triple as a source states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Id of the evidence that caused the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Mentions were found and linked.
    Linked {
        /// Best first.
        mentions: Vec<MentionEvent>,
    },
    /// A follow-up question was said so that it stands alone.
    Restated {
        /// The question that is answered.
        question: String,
    },
    /// The question was read: what it asks for.
    Read {
        /// What was read, in words.
        reading: String,
    },
    /// Relation paths were ranked.
    Ranked {
        /// How many were considered.
        considered: usize,
        /// The best.
        paths: Vec<PathEvent>,
    },
    /// One hop of the plan was looked at.
    Expanded {
        /// From 1.
        hop: u32,
        /// Relations on offer, in words.
        relations: Vec<String>,
    },
    /// Relations, entities or triples were dropped.
    Filtered {
        /// From 1; 0 for a step over all hops.
        hop: u32,
        /// Kept, in words.
        kept: Vec<String>,
        /// How many were dropped.
        dropped: usize,
        /// By what: `model`, `similarity`, `budget`.
        by: String,
    },
    /// The scope was judged.
    Judged {
        /// From 1.
        hop: u32,
        /// `sufficient`, `one hop more`, `wrongly linked`.
        verdict: String,
    },
    /// Evidence was fetched.
    Retrieved {
        /// Pieces of evidence.
        evidence: usize,
        /// Pieces that the budget left out.
        left_out: usize,
    },
    /// Code calculated something.
    Calculated {
        /// The operation in words.
        operation: String,
        /// Its result.
        result: String,
    },
    /// The model composed an answer.
    Composed {
        /// Its reasoning.
        reasoning: String,
        /// Its bare answers.
        answers: Vec<String>,
    },
    /// The answer was held against the evidence.
    Grounded {
        /// Values found.
        supported: Vec<String>,
        /// Values not found.
        unsupported: Vec<String>,
    },
    /// One step of a search that is refined round by round.
    Refined {
        /// From 1.
        round: u32,
        /// What happened.
        #[serde(flatten)]
        step: Refinement,
    },
    /// A model was asked.
    ModelCalled {
        /// The request's stage name, finer than the stage: `plan.read`.
        request: String,
        /// The last message's text.
        prompt: String,
        /// The reply as it came.
        reply: String,
        /// What it cost.
        usage: Usage,
    },
    /// Candidates of the question's mentions were held against their relations.
    Scored {
        /// Name and score of each, best first.
        candidates: Vec<CandidateEvent>,
    },
    /// A retriever went one hop further.
    Explored {
        /// From 1.
        hop: u32,
        /// The anchor that the retriever started from.
        anchor: String,
        /// Triples that bear on the question, as lines.
        found: Vec<String>,
        /// Why it goes no further, where it does not.
        #[serde(skip_serializing_if = "Option::is_none")]
        stopped: Option<String>,
    },
    /// The model wrote down what it believes.
    Believed {
        /// Triples as lines.
        triples: Vec<String>,
    },
    /// What the model believes was corrected after the sources.
    Corrected {
        /// The changes.
        edits: Vec<EditEvent>,
    },
    /// A query was tried: how the question was read, and how that went.
    Queried {
        /// The reading in words; empty where the query could not be read.
        words: String,
        /// The query.
        sql: String,
        /// What was changed so that it fits the graph.
        mends: Vec<String>,
        /// Rows that it gave, or why it gave none.
        outcome: String,
    },
    /// A reading was held against the question.
    Weighed {
        /// The query.
        sql: String,
        /// What its confidence is made of, by name.
        features: Vec<(String, f64)>,
        /// The confidence.
        confidence: f64,
        /// The first values that it leads to.
        values: Vec<String>,
    },
    /// A stage fell back to something less; the reason says what and why.
    Degraded {
        /// What happened and what was done instead.
        reason: String,
    },
}

/// An event with its stage and time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimedEvent {
    /// The stage that reports it.
    pub stage: Stage,
    /// Seconds since the question came in.
    pub at: f64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// Receives events while they happen.
pub type EventSink = Arc<dyn Fn(&TimedEvent) + Send + Sync>;

/// Collects the events and costs of one question.
pub struct Trace {
    started: Instant,
    sink: Option<EventSink>,
    /// Requests sent to endpoints and APIs.
    requests: Arc<AtomicU64>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    events: Vec<TimedEvent>,
    stages: Vec<StageUsage>,
    total: Usage,
    ranking: Vec<RankedEntity>,
    notes: Vec<Note>,
    /// How the language model failed, where it has not replied since.
    model_failure: Option<ModelError>,
    /// Calls that run now, and the tokens that they may cost.
    running_calls: u32,
    running_tokens: u64,
    running_cost: Amount,
    /// What the model's tokens cost, and what they did cost.
    price: Option<Price>,
    paid: Amount,
}

impl Trace {
    /// Starts the clock. `sink` sees every event at once.
    pub fn new(sink: Option<EventSink>) -> Self {
        Self { started: Instant::now(), sink, requests: Arc::default(), state: Mutex::default() }
    }

    /// Says what the model's tokens cost.
    pub(crate) fn set_price(&self, price: Option<Price>) {
        self.state.lock().price = price;
    }

    /// The counter of requests to endpoints and APIs.
    pub(crate) fn requests(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.requests)
    }

    /// Time since the question came in.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// Reports an event.
    pub fn report(&self, stage: Stage, event: Event) {
        let event = TimedEvent { stage, at: self.elapsed().as_secs_f64(), event };
        if let Some(sink) = &self.sink {
            sink(&event);
        }
        self.state.lock().events.push(event);
    }

    /// Counts the time from now until the guard is dropped as the stage's.
    pub fn enter(&self, stage: Stage) -> StageTimer<'_> {
        StageTimer { trace: self, stage, started: Instant::now() }
    }

    /// Counts a model call.
    pub fn count_model_call(&self, stage: Stage, usage: &Usage) {
        let mut state = self.state.lock();
        state.total += *usage;
        // What the cache answers costs nothing.
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
    pub fn count_embedding(&self, stage: Stage, took: Duration) {
        self.state.lock().stage(stage).model_seconds += took.as_secs_f64();
    }

    /// Model calls so far, the cached ones among them: a budget holds in a replay too.
    pub fn model_calls(&self) -> u32 {
        let state = self.state.lock();
        state.total.llm_calls + state.total.cached_calls
    }

    /// What the question cost so far.
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

    /// Keeps the ranking that the answer shall have; of several the last.
    pub fn set_ranking(&self, ranking: Vec<RankedEntity>) {
        self.state.lock().ranking = ranking;
    }

    /// Takes the ranking out.
    pub fn take_ranking(&self) -> Vec<RankedEntity> {
        std::mem::take(&mut self.state.lock().ranking)
    }

    /// Takes the place of one more call of `prompt` tokens; gives how many tokens its reply may have, `wanted` or fewer.
    ///
    /// # Errors
    /// The limit that calls made and running leave no room under, not even for a reply of `least` tokens.
    pub(crate) fn reserve(
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
        Ok((Reservation { trace: self, tokens, cost }, reply))
    }

    /// Keeps a remark for whoever reads the answer; each once.
    pub fn note(&self, note: Note) {
        let mut state = self.state.lock();
        if !state.notes.contains(&note) {
            state.notes.push(note);
        }
    }

    /// Tells whoever reads the answer that the model failed, once: a method may answer without it.
    pub(crate) fn model_failed(&self, model: &str, error: &ModelError) {
        let mut state = self.state.lock();
        state.model_failure = Some(error.clone());
        if !state.notes.iter().any(|note| matches!(note, Note::ModelFailed { .. })) {
            state.notes.push(Note::ModelFailed { model: model.to_owned(), reason: error.to_string() });
        }
    }

    /// How the model failed, where that is the last that was heard of it.
    pub(crate) fn model_failure(&self) -> Option<ModelError> {
        self.state.lock().model_failure.clone()
    }

    /// The remarks so far.
    pub fn notes(&self) -> Vec<Note> {
        self.state.lock().notes.clone()
    }

    /// The events so far.
    pub fn events(&self) -> Vec<TimedEvent> {
        self.state.lock().events.clone()
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

/// The place of a running call; see [`Trace::reserve`].
pub(crate) struct Reservation<'a> {
    trace: &'a Trace,
    tokens: u64,
    cost: Amount,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        let mut state = self.trace.state.lock();
        state.running_calls = state.running_calls.saturating_sub(1);
        state.running_tokens = state.running_tokens.saturating_sub(self.tokens);
        state.running_cost = state.running_cost.less(self.cost);
    }
}

/// Times a stage; see [`Trace::enter`].
pub struct StageTimer<'a> {
    trace: &'a Trace,
    stage: Stage,
    started: Instant,
}

impl Drop for StageTimer<'_> {
    fn drop(&mut self) {
        self.trace.state.lock().stage(self.stage).seconds += self.started.elapsed().as_secs_f64();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_add_up_by_stage() {
        let trace = Trace::new(None);
        let usage = Usage { llm_calls: 1, prompt_tokens: 10, completion_tokens: 3, ..Usage::default() };
        trace.count_model_call(Stage::Plan, &usage);
        trace.count_model_call(Stage::Compose, &usage);
        trace.count_model_call(Stage::Plan, &usage);
        let total = trace.usage();
        assert_eq!((total.llm_calls, total.prompt_tokens, total.completion_tokens), (3, 30, 9));
        let by_stage: Vec<_> = total.by_stage.iter().map(|s| (s.stage.as_str(), s.llm_calls)).collect();
        assert_eq!(by_stage, [("plan", 2), ("compose", 1)]);
    }

    #[test]
    fn the_sink_sees_each_event_as_it_happens() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = {
            let seen = seen.clone();
            Arc::new(move |e: &TimedEvent| seen.lock().push(e.stage))
        };
        let trace = Trace::new(Some(sink));
        trace.report(Stage::Retrieve, Event::Retrieved { evidence: 3, left_out: 0 });
        assert_eq!(*seen.lock(), [Stage::Retrieve]);
        assert_eq!(trace.events().len(), 1);
    }
}
