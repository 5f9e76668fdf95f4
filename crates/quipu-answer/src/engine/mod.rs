//! The engine: one question in, one answer out, by any method.

mod besides;
mod estimate;
mod examples;
mod learning;
mod learnt;
mod settings;

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt as _;
use quipu_graph::counting_requests;
use quipu_index::Workspace;
use quipu_language::Language;
use quipu_model::{Embedder, LanguageModel};
use quipu_stages::answer::{
    Answer, AnswerError, Critic, Event, EventSink, Evidence, Exhausted, Note, Outcome, Page, Question, Stage,
    Status, UNKNOWN,
};
use quipu_stages::conversation::{Conversation, Understood, understand};
use quipu_stages::ground::{Grounding, ground};
use quipu_stages::ledger::{BestSoFar, Context, Ledger, Limits, Source, Trace, source_folder};
use quipu_stages::plan::{Cards, RelationCard};
use quipu_stages::sources::{ask_each, ask_workspace};

use crate::methods::{ByMethod, Method, MethodConfig, NamedMethod};

pub use besides::PlannedPath;
pub use estimate::{Estimate, Estimated};
pub use examples::same_names;
use learnt::with_methods;
pub use learnt::{LEARNT_FILES, open_source};
pub use settings::{Setting, Takes, set_option, set_option_of_request, settings};

/// The options for one question.
#[derive(Clone, Default)]
pub struct AskOptions {
    /// The method.
    pub method: Method,
    /// Parameters of the methods.
    pub config: MethodConfig,
    /// The limits on the question's cost.
    pub limits: Limits,
    /// Entities to start from, by key or name; linking then uses only these. Empty is the open
    /// setting, in which the question alone names its entities.
    pub anchors: Vec<String>,
    /// Whether plans of grounded answers are kept as solved examples.
    pub learn: bool,
    /// Answer by this one of [`Answer::readings`] (from 1); 0 leaves the choice to the method. For
    /// methods with readings.
    pub reading: usize,
    /// Only read the question, without running anything: the answer holds readings and no values.
    /// For methods with readings.
    pub plan_only: bool,
    /// The turns before the question. A follow-up is first restated so that it stands alone, by at
    /// most one model call.
    pub conversation: Conversation,
    /// Pages that the question comes with, for the methods that read pages.
    pub pages: Arc<[Page]>,
    /// Judges the rounds of `hybrid` instead of
    /// [`HybridConfig::critic`](crate::HybridConfig::critic).
    pub critic: Option<Arc<dyn Critic>>,
    /// Receives every event at once.
    pub sink: Option<EventSink>,
    /// Whether the answer carries its trace.
    pub keep_trace: bool,
}

impl AskOptions {
    /// The method's name with its planner's: `kerag`, `kerag + paths`.
    pub fn name(&self) -> String {
        NamedMethod { method: self.method, planner: self.config.planner }.to_string()
    }

    /// The method with its planner.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] if the method takes no planner.
    pub fn named(&self) -> Result<NamedMethod, AnswerError> {
        NamedMethod::new(self.method, self.config.planner)
    }

    /// Whether the best answer of path planning without a model replaces an answer that a limit cut
    /// off: always for `auto`, which begins with it, else if [`MethodConfig::fallback`] says so.
    fn falls_back(&self) -> bool {
        self.method == Method::Auto || (self.config.fallback && self.method.must_be_grounded())
    }
}

/// A workspace with the models to answer from it. Cheap to clone; questions run in parallel.
#[derive(Clone)]
pub struct Engine {
    source: Source,
    model: Option<Arc<dyn LanguageModel>>,
    embedder: Option<Arc<dyn Embedder>>,
    others: Vec<Source>,
    /// The graphs of all sources joined into one, on first use.
    joint: Arc<OnceLock<Option<Source>>>,
    down: Vec<Note>,
}

/// From this confidence on, an answer's plan is learnt.
const SURE: f64 = 0.8;
/// The most confidence in an answer to a question in a language without word lists: it may say
/// "not".
const MOST_OF_UNREAD: f64 = 0.5;

/// Extra time for a method to end by itself with its results; after that it is cancelled.
const GRACE: Duration = Duration::from_millis(100);

impl Engine {
    /// Builds an engine. Methods that need a missing model or embedder fail with a message that
    /// says so.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the workspace's relation cards or words cannot be read.
    pub fn new(
        workspace: Arc<Workspace>,
        model: Option<Arc<dyn LanguageModel>>,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, AnswerError> {
        let (others, joint, down) = (Vec::new(), Arc::default(), Vec::new());
        Ok(Self { source: open_source(workspace)?, model, embedder, others, joint, down })
    }

    /// Asks this language model instead, or none.
    pub fn with_model(mut self, model: Option<Arc<dyn LanguageModel>>) -> Self {
        self.model = model;
        self
    }

    /// Adds other sources. Their graphs are walked as one. If documents are read, each source is
    /// asked separately, and the most confident answer wins.
    pub fn with_sources(mut self, others: Vec<Source>) -> Self {
        self.others = others;
        self.joint = Arc::default();
        self
    }

    /// The graphs of all sources joined into one; `None` if there are not several.
    fn joint(&self) -> Result<Option<&Source>, AnswerError> {
        if self.joint.get().is_none() {
            let all: Vec<Source> = std::iter::once(&self.source).chain(&self.others).cloned().collect();
            let joined = Source::joined(&all)?;
            self.joint.get_or_init(|| joined);
        }
        Ok(self.joint.get().and_then(Option::as_ref))
    }

    /// Names sources that cannot be opened, with their failures; every answer mentions them.
    pub fn without_sources(mut self, down: impl IntoIterator<Item = (String, String)>) -> Self {
        self.down = down.into_iter().map(|(source, reason)| Note::SourceDown { source, reason }).collect();
        self
    }

    /// The additional sources.
    pub fn sources(&self) -> &[Source] {
        &self.others
    }

    /// The notes about sources that cannot be opened.
    pub fn missing_sources(&self) -> &[Note] {
        &self.down
    }

    /// Reads learnt data ([`LEARNT_FILES`](crate::LEARNT_FILES)) from `folder` instead of the
    /// workspace, and keeps new data there. So a replay starts from the state of its run and leaves
    /// the workspace unchanged. Learnt data about other sources is in folders inside it
    /// ([`source_folder`](crate::source_folder)).
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the files there cannot be read.
    pub fn with_learnt_in(mut self, folder: &Path) -> Result<Self, AnswerError> {
        self.source.relearn(folder, with_methods)?;
        for (at, other) in self.others.iter_mut().enumerate() {
            other.relearn(&folder.join(source_folder(at)), with_methods)?;
        }
        self.joint = Arc::default();
        Ok(self)
    }

    /// The workspace's folder.
    pub fn path(&self) -> &Path {
        self.source.workspace.folder()
    }

    /// The workspace.
    pub fn workspace(&self) -> &Workspace {
        &self.source.workspace
    }

    /// The embedder's name and fingerprint; `None` without one.
    pub fn embedder(&self) -> Option<(&str, &str)> {
        self.embedder.as_ref().map(|embedder| (embedder.name(), embedder.fingerprint()))
    }

    /// The card of a relation, by its key.
    pub fn relation_card(&self, key: &str) -> Option<RelationCard> {
        self.source.memories.of::<Cards>().get(key)
    }

    /// Name of the language model; `none` without one.
    pub fn model_name(&self) -> &str {
        self.model.as_ref().map_or("none", |model| model.name())
    }

    fn language_model(&self) -> Option<Arc<dyn LanguageModel>> {
        self.model.clone()
    }

    /// Answers a question. If the evidence holds no answer, or the question's limits are reached,
    /// the answer is an abstention with its reason.
    ///
    /// A failing language model does not cause an abstention, whether it is unreachable, breaks
    /// off, refuses, times out or sends an invalid reply. The result without it is the answer, with
    /// [`Note::ModelFailed`]; if there is none and the model has not replied since, its failure is
    /// the error.
    ///
    /// # Errors
    /// When graph, index or model fail, or the options are invalid.
    pub async fn ask(&self, question: &Question, options: &AskOptions) -> Result<Answer, AnswerError> {
        let (trace, ledger) = (Trace::new(options.sink.clone()), Ledger::default());
        let asked = self.ask_traced(question, options, &trace, &ledger).boxed();
        counting_requests(ledger.requests(), asked).await
    }

    async fn ask_traced(
        &self,
        question: &Question,
        options: &AskOptions,
        trace: &Trace,
        ledger: &Ledger,
    ) -> Result<Answer, AnswerError> {
        ledger.set_price(self.price(options.limits)?);
        options.named()?;
        let context = Context::new(
            &self.source,
            self.model.as_ref(),
            self.embedder.as_ref(),
            Limits { time: options.limits.time.saturating_sub(kept_back(options)), ..options.limits },
            trace,
            ledger,
        )
        .with_anchors(&options.anchors)
        .with_pages(&options.pages)
        .with_critic(options.critic.as_deref())
        .reading(options.reading, options.plan_only)
        .with_others(&self.others, self.joint()?, &self.source.apis);
        self.down.iter().for_each(|note| trace.note(note.clone()));
        for reason in std::iter::once(&self.source).chain(&self.others).flat_map(Source::remarks) {
            trace.report(Stage::Plan, Event::Degraded { reason });
        }
        let understood = match understand(&context, question, &options.conversation).await {
            // The method will report the limit too.
            Err(AnswerError::Exhausted(_)) => Understood::AsItIs,
            understood => understood?,
        };
        // Without the model, the meaning of the follow-up is unknown.
        if let Some(failure) = ledger.model_failure() {
            return Err(failure.into());
        }
        let (question, bound) = match &understood {
            Understood::AsItIs => (question, &[][..]),
            Understood::As(restated) => (&restated.question, restated.bound.as_slice()),
            Understood::Nothing | Understood::Unclear(_) => {
                let reason = match &understood {
                    Understood::Unclear(word) => format!("it is not clear what “{word}” stands for"),
                    _ => "the message holds no question".to_owned(),
                };
                let outcome = Outcome::abstain(reason, Vec::new());
                return Ok(self.answer(question, options, outcome, &Grounding::default(), &context));
            }
        };
        if let Some(language) = Language::unread(question.text()) {
            trace.note(Note::Unread { language: language.to_owned() });
        }
        let context = context.with_bound(bound);
        let (method, config, best) = (options.method, &options.config, BestSoFar::default());
        let way = ByMethod { method, config };
        let run = async {
            match (method.reads_several(), self.others.is_empty()) {
                (true, _) => method.run(&context, question, config).await,
                (false, true) => ask_workspace(&context, question, &way, &best).await,
                (false, false) => ask_each(&context, question, &way, &best).await,
            }
        };
        let over = Exhausted::Seconds(options.limits.time.as_secs());
        let outcome = tokio::time::timeout(context.limits.time.saturating_add(GRACE), run).await;
        let outcome = match outcome.unwrap_or(Err(AnswerError::Exhausted(over))) {
            Err(AnswerError::Exhausted(Exhausted::Seconds(_))) => {
                best_so_far(&context, question, options, &best, over).await?
            }
            Err(AnswerError::Exhausted(limit)) => {
                best_so_far(&context, question, options, &best, limit).await?
            }
            Err(AnswerError::Model(error)) if error.is_failure() => {
                found_without_model(&context, question, options, &best, &error.to_string())
                    .await?
                    .ok_or(AnswerError::Model(error))?
                    .outcome()
            }
            outcome => outcome?,
        };
        if let Some(failure) = ledger.model_failure()
            && outcome.status == Status::Abstained
            && outcome.readings.is_empty()
        {
            return Err(failure.into());
        }
        let grounds = options.method.must_be_grounded() && !outcome.model_alone;
        let (outcome, grounding) = held_against_evidence(outcome, grounds, &context);
        let mut outcome = match question.decimals() {
            Some(decimals) => outcome.rounded(decimals),
            None => outcome,
        };
        let plan = outcome.plan.take();
        let mut answer = self.answer(question, options, outcome, &grounding, &context);
        if options.learn && answer.grounded && answer.confidence >= SURE {
            context.keep(self.learn(&context, question, plan.as_deref(), &answer).await)?;
            answer.notes = trace.notes();
        }
        Ok(answer)
    }

    fn answer(
        &self,
        question: &Question,
        options: &AskOptions,
        outcome: Outcome,
        grounding: &Grounding,
        context: &Context<'_>,
    ) -> Answer {
        let answered = outcome.status == Status::Answered;
        let supported = !grounding.supported.is_empty();
        let complete = grounding.unsupported.is_empty() || options.method.must_be_grounded();
        let is_unread = Language::unread(question.text()).is_some();
        let most = if is_unread { MOST_OF_UNREAD } else { 1.0 };
        let mut readings = outcome.readings;
        readings.iter_mut().for_each(|reading| reading.confidence = reading.confidence.min(most));
        let words = match outcome.status {
            Status::Answered => outcome.text.unwrap_or_else(|| outcome.answers.join(", ")),
            Status::Abstained => UNKNOWN.into(),
            Status::InvalidQuestion => {
                "The question assumes something that the evidence does not support.".into()
            }
        };
        Answer {
            question: question.written().into(),
            status: outcome.status,
            answer: words,
            grounded: answered && supported && complete,
            confidence: if answered { outcome.confidence.clamp(0.0, most) } else { 0.0 },
            answers: if answered { outcome.answers } else { Vec::new() },
            table: outcome.table.filter(|_| answered),
            readings,
            method: options.name(),
            llm: self.model_name().into(),
            citations: citations(grounding, &outcome.evidence, answered),
            evidence: outcome.evidence,
            ranked: outcome.ranked,
            usage: context.ledger.usage(),
            notes: context.trace.notes(),
            reason: outcome.reason,
            trace: options.keep_trace.then(|| context.trace.events()),
        }
    }
}

/// Time kept back from a method for its fallback: a tenth, at most two seconds.
fn kept_back(options: &AskOptions) -> Duration {
    const MOST: Duration = Duration::from_secs(2);
    if options.falls_back() { (options.limits.time / 10).min(MOST) } else { Duration::ZERO }
}

/// The best grounded answer from before the limit, marked; else an abstention.
async fn best_so_far(
    context: &Context<'_>,
    question: &Question,
    options: &AskOptions,
    best: &BestSoFar,
    limit: Exhausted,
) -> Result<Outcome, AnswerError> {
    let reason = limit.to_string();
    match found_without_model(context, question, options, best, &reason).await? {
        Some(Found::Before(outcome)) => {
            context.note_limit(limit);
            Ok(outcome)
        }
        Some(Found::ByFallback(outcome)) => Ok(outcome),
        None => Ok(Outcome::abstain(reason, Vec::new())),
    }
}

/// An answer that a method's end leaves.
enum Found {
    /// The method's own, from before its end.
    Before(Outcome),
    /// The fallback's, which a remark names.
    ByFallback(Outcome),
}

impl Found {
    fn outcome(self) -> Outcome {
        match self {
            Self::Before(outcome) | Self::ByFallback(outcome) => outcome,
        }
    }
}

/// The best grounded answer from before the end; if there is none, the method has a fallback and
/// time is left, the fallback's answer. `reason` says why the method ended.
async fn found_without_model(
    context: &Context<'_>,
    question: &Question,
    options: &AskOptions,
    best: &BestSoFar,
    reason: &str,
) -> Result<Option<Found>, AnswerError> {
    let best = best.take().map(Found::Before);
    if best.is_some() || !options.falls_back() {
        return Ok(best);
    }
    let alone = context.without_model();
    let left = options.limits.time.saturating_sub(context.ledger.elapsed());
    // `auto` doubts a path's answer as it does beside a model; `paths` would let it stand.
    let (way, none) = (ByMethod { method: Method::Auto, config: &options.config }, BestSoFar::default());
    let outcome = match tokio::time::timeout(left, ask_each(&alone, question, &way, &none).boxed()).await {
        Err(_) | Ok(Err(AnswerError::Exhausted(_) | AnswerError::Usage(_))) => return Ok(None),
        Ok(outcome) => outcome?,
    };
    if outcome.status != Status::Answered {
        return Ok(None);
    }
    // `auto` begins with this part: that is no other method.
    if options.method == Method::Auto {
        return Ok(Some(Found::Before(outcome)));
    }
    context.trace.note(Note::Fallback { method: Method::Auto.name().into(), reason: reason.to_owned() });
    Ok(Some(Found::ByFallback(outcome)))
}

/// Grounds the values and removes those without support; without any value left, the outcome is an
/// abstention.
fn held_against_evidence(mut outcome: Outcome, must: bool, context: &Context<'_>) -> (Outcome, Grounding) {
    if outcome.status != Status::Answered {
        return (outcome, Grounding::default());
    }
    let _timer = context.ledger.enter(Stage::Ground);
    let grounding = ground(&outcome.answers, &outcome.evidence);
    let supported: Vec<String> = grounding.supported.iter().map(|(value, _)| value.clone()).collect();
    let event = Event::Grounded { supported: supported.clone(), unsupported: grounding.unsupported.clone() };
    context.trace.report(Stage::Ground, event);
    if must && !grounding.unsupported.is_empty() {
        if supported.is_empty() {
            let values = outcome.answers.join(", ");
            let reason = format!("the evidence does not hold the proposed answer ({values})");
            outcome = Outcome::abstain(reason, outcome.evidence);
        } else {
            outcome.answers = supported;
            outcome.text = None;
            if let Some(table) = &mut outcome.table {
                table.leave_out(&grounding.unsupported);
            }
            outcome.confidence *= 0.8;
        }
    }
    (outcome, grounding)
}

/// Ids of the evidence that holds the answer's values, in the order of the evidence.
fn citations(grounding: &Grounding, evidence: &[Evidence], answered: bool) -> Vec<String> {
    let mut positions: Vec<usize> =
        grounding.supported.iter().flat_map(|(_, at)| at.iter().copied()).collect();
    positions.sort_unstable();
    positions.dedup();
    let ids = positions.into_iter().filter_map(|at| evidence.get(at)).map(|e| e.id.clone());
    if answered { ids.collect() } else { Vec::new() }
}
