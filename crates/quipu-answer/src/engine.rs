//! The engine: one question in, one answer out, whatever the method.

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use quipu_graph::{ApiGraph, NodeId, RelationId, RelationRole, counting_requests};
use quipu_index::{SearchMode, Workspace};
use quipu_model::{Embedder, LanguageModel};

use crate::AnswerError;
use crate::answer::{Answer, AnswerUsage, Note, Status, UNKNOWN};
use crate::context::{Context, Learnt, Limits, Planned};
use crate::conversation::{Conversation, Understood, understand};
use crate::error::Exhausted;
use crate::evidence::Evidence;
use crate::ground::{Grounding, ground};
use crate::link::{Mentioned, mentions};
use crate::methods::{Experience, HybridConfig, Method, MethodConfig, Outcome, balanced, experiences_of};
use crate::plan::{
    Features, RelationCard, SolvedExample, Subject, WalkConfig, follow, plan_keys, rank, read_subject,
    reword, write_card,
};
use crate::question::Question;
use crate::retrieve::{Page, retrieve_passages};
use crate::sources::{Source, ask_each, ask_workspace, source_folder, walked_api};
use crate::trace::{Event, EventSink, Stage, Trace};

/// What to answer with and how, for one question.
#[derive(Clone, Default)]
pub struct AskOptions {
    /// The method.
    pub method: Method,
    /// Parameters of the methods.
    pub config: MethodConfig,
    /// What the question may cost.
    pub limits: Limits,
    /// Entities to start from, by key or name; linking then takes these and looks for no others. Empty is the open
    /// setting, in which the question alone says what it is about.
    pub anchors: Vec<String>,
    /// Whether plans of grounded answers are kept as solved examples.
    pub learn: bool,
    /// Answer by this one of [`Answer::readings`] (from 1); 0 leaves the choice to the method. Of methods that give readings.
    pub reading: usize,
    /// Read the question and say how, without running anything: the answer holds readings and no values. Of methods that give readings.
    pub plan_only: bool,
    /// What was said before the question; a follow-up is first said so that it stands alone, by one model call.
    pub conversation: Conversation,
    /// Pages that the question comes with, for the methods that read pages.
    pub pages: Arc<[Page]>,
    /// Sees every event as it happens.
    pub sink: Option<EventSink>,
    /// Whether the answer carries its trace.
    pub keep_trace: bool,
}

/// A workspace with the models to ask it with. Cheap to clone; questions run side by side.
#[derive(Clone)]
pub struct Engine {
    workspace: Arc<Workspace>,
    model: Option<Arc<dyn LanguageModel>>,
    embedder: Option<Arc<dyn Embedder>>,
    learnt: Arc<Learnt>,
    others: Vec<Source>,
    /// The graphs of all sources as one, joined when first asked for.
    joint: Arc<OnceLock<Option<Source>>>,
    /// The workspace's APIs that are not its graph.
    apis: Vec<Source>,
    down: Vec<Note>,
}

/// Nobody waits for a card that is written ahead; a model that takes longer than this is stuck.
const CARD_AHEAD_TIMEOUT: Duration = Duration::from_secs(600);

/// From this confidence on, an answer's plan is worth learning from.
const SURE: f64 = 0.8;

/// What a method may take beyond its time to end by itself, with what it has; then it is ended.
const GRACE: Duration = Duration::from_millis(100);

/// A path that planning considered.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedPath {
    /// The path in words.
    pub phrase: String,
    /// How well it fits the question.
    pub features: Features,
    /// Names of all its ends.
    pub names: Vec<String>,
}

impl Engine {
    /// Puts an engine together. Without a model or an embedder, the methods that need one say so.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the workspace's relation cards or words cannot be read.
    pub fn new(
        workspace: Arc<Workspace>,
        model: Option<Arc<dyn LanguageModel>>,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Self, AnswerError> {
        let Source { workspace, learnt, apis } = Source::open(workspace)?;
        let (others, joint, down) = (Vec::new(), Arc::default(), Vec::new());
        Ok(Self { workspace, model, embedder, learnt, others, joint, apis, down })
    }

    /// Asks this language model instead, or none.
    pub fn with_model(mut self, model: Option<Arc<dyn LanguageModel>>) -> Self {
        self.model = model;
        self
    }

    /// Asks other sources too: their graphs are walked as one. Where documents are read, each source is asked, and the answer of the most
    /// confidence is given.
    pub fn with_sources(mut self, others: Vec<Source>) -> Self {
        self.others = others;
        self.joint = Arc::default();
        self
    }

    /// The graphs of all sources as one; `None` where there are not several.
    fn joint(&self) -> Result<Option<&Source>, AnswerError> {
        if self.joint.get().is_none() {
            let (workspace, learnt, apis) = (self.workspace.clone(), self.learnt.clone(), self.apis.clone());
            let first = Source { workspace, learnt, apis };
            let all: Vec<Source> = std::iter::once(first).chain(self.others.iter().cloned()).collect();
            let joined = Source::joined(&all)?;
            self.joint.get_or_init(|| joined);
        }
        Ok(self.joint.get().and_then(Option::as_ref))
    }

    /// Sources that cannot be opened, with what is wrong: every answer says so.
    pub fn without_sources(mut self, down: impl IntoIterator<Item = (String, String)>) -> Self {
        self.down = down.into_iter().map(|(source, reason)| Note::SourceDown { source, reason }).collect();
        self
    }

    /// The sources that are asked besides.
    pub fn sources(&self) -> &[Source] {
        &self.others
    }

    /// What every answer says of sources that cannot be opened.
    pub fn missing_sources(&self) -> &[Note] {
        &self.down
    }

    /// Reads what was learnt ([`LEARNT_FILES`](crate::LEARNT_FILES)) from `folder`, and keeps what is new there, instead of in the
    /// workspace: a replay starts from what its run started from, and leaves the workspace as it is. What was learnt about other
    /// sources stands in folders within ([`source_folder`](crate::source_folder)).
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the files there cannot be read.
    pub fn with_learnt_in(mut self, folder: &Path) -> Result<Self, AnswerError> {
        self.learnt = Learnt::open(folder, walked_api(&self.workspace))?;
        for api in &mut self.apis {
            api.relearn(&folder.join(api.name()))?;
        }
        for (at, other) in self.others.iter_mut().enumerate() {
            other.relearn(&folder.join(source_folder(at)))?;
        }
        self.joint = Arc::default();
        Ok(self)
    }

    /// The workspace's folder.
    pub fn path(&self) -> &Path {
        self.workspace.folder()
    }

    /// The workspace.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// The embedder's name and fingerprint; `None` without one.
    pub fn embedder(&self) -> Option<(&str, &str)> {
        self.embedder.as_ref().map(|embedder| (embedder.name(), embedder.fingerprint()))
    }

    /// What is written about a relation, by its key.
    pub fn relation_card(&self, key: &str) -> Option<RelationCard> {
        self.learnt.cards.get(key)
    }

    /// Name of the language model; `none` without one.
    pub fn model_name(&self) -> &str {
        self.model.as_ref().map_or("none", |model| model.name())
    }

    /// Answers a question. Where the evidence holds no answer, or the question's limits end the work, the answer is an
    /// abstention with its reason.
    ///
    /// A language model that fails is no reason to abstain, however it fails: it cannot be reached,
    /// breaks off, refuses, takes too long, sends what is no reply. What is found without it is the
    /// answer, with [`Note::ModelFailed`]; where nothing is, and it did not reply again, its failure is
    /// the error.
    ///
    /// # Errors
    /// When graph, index or model fail, or the options cannot be worked with.
    pub async fn ask(&self, question: &Question, options: &AskOptions) -> Result<Answer, AnswerError> {
        let trace = Trace::new(options.sink.clone());
        counting_requests(trace.requests(), self.ask_traced(question, options, &trace)).await
    }

    async fn ask_traced(
        &self,
        question: &Question,
        options: &AskOptions,
        trace: &Trace,
    ) -> Result<Answer, AnswerError> {
        let context = Context::new(
            &self.workspace,
            self.model.as_ref(),
            self.embedder.as_ref(),
            &self.learnt,
            Limits { time: options.limits.time.saturating_sub(kept_back(options)), ..options.limits },
            trace,
        )
        .with_anchors(&options.anchors)
        .with_pages(&options.pages)
        .reading(options.reading, options.plan_only)
        .with_others(&self.others, self.joint()?, &self.apis);
        self.down.iter().for_each(|note| trace.note(note.clone()));
        let understood = match understand(&context, question, &options.conversation).await {
            // What comes after says so too.
            Err(AnswerError::Exhausted(_)) => Understood::AsItIs,
            understood => understood?,
        };
        // What a follow-up asks for is not known then.
        if let Some(failure) = trace.model_failure() {
            return Err(failure.into());
        }
        let (question, bound) = match &understood {
            Understood::AsItIs => (question, &[][..]),
            Understood::As(restated) => (&restated.question, restated.bound.as_slice()),
            Understood::Nothing | Understood::Unclear(_) => {
                let reason = match &understood {
                    Understood::Unclear(word) => format!("it is not clear what “{word}” stands for"),
                    _ => "the message asks nothing".to_owned(),
                };
                let outcome = Outcome::abstain(reason, Vec::new());
                return Ok(self.answer(question, options, outcome, &Grounding::default(), trace));
            }
        };
        let context = context.with_bound(bound);
        let (method, config) = (options.method, &options.config);
        let run = async {
            match (method.reads_several(), self.others.is_empty()) {
                (true, _) => method.run(&context, question, config).await,
                (false, true) => ask_workspace(&context, question, method, config).await,
                (false, false) => ask_each(&context, question, method, config).await,
            }
        };
        let over = Exhausted::Seconds(options.limits.time.as_secs());
        let outcome = tokio::time::timeout(context.limits.time.saturating_add(GRACE), run).await;
        let outcome = match outcome.unwrap_or(Err(AnswerError::Exhausted(over))) {
            Err(AnswerError::Exhausted(Exhausted::Seconds(_))) => {
                best_so_far(&context, question, options, over).await?
            }
            Err(AnswerError::Exhausted(limit)) => best_so_far(&context, question, options, limit).await?,
            Err(AnswerError::Model(error)) if error.is_failure() => {
                found_without_model(&context, question, options).await?.ok_or(AnswerError::Model(error))?
            }
            outcome => outcome?,
        };
        if let Some(failure) = trace.model_failure()
            && outcome.status == Status::Abstained
            && outcome.readings.is_empty()
        {
            return Err(failure.into());
        }
        let grounds = options.method.must_be_grounded() && !trace.notes().contains(&Note::ModelAlone);
        let (outcome, grounding) = held_against_evidence(outcome, grounds, trace);
        let plan = context.kept_plan();
        let mut answer = self.answer(question, options, outcome, &grounding, trace);
        if options.learn && answer.grounded && answer.confidence >= SURE {
            context.keep(self.learn(&context, question, plan, &answer).await)?;
            answer.notes = trace.notes();
        }
        Ok(answer)
    }

    /// What a question for the workspace's APIs is about: the field, by rules or by the model, and the names to look up, as
    /// self-verification reads them (§4.1.1); at most one model call, and no request.
    ///
    /// # Errors
    /// The model's; [`AnswerError::Usage`] in a workspace without APIs.
    pub async fn subject(&self, question: &Question) -> Result<(Subject, AnswerUsage), AnswerError> {
        let apis: Vec<&ApiGraph> = self.workspace.apis().iter().map(|api| &**api).collect();
        if apis.is_empty() {
            return Err(AnswerError::Usage(
                "the workspace has no API whose fields a question could be of".into(),
            ));
        }
        let trace = Trace::new(None);
        let (model, embedder) = (self.model.as_ref(), self.embedder.as_ref());
        let context = Context::new(&self.workspace, model, embedder, &self.learnt, Limits::default(), &trace);
        let subject = read_subject(&context, question, &apis).await?;
        Ok((subject, trace.usage()))
    }

    /// Keeps the path or the query that led to an answer as a solved example.
    async fn learn(
        &self,
        context: &Context<'_>,
        question: &Question,
        plan: Option<Planned>,
        answer: &Answer,
    ) -> Result<(), AnswerError> {
        let text = question.text();
        let reading = answer.readings.first();
        let sql = reading.and_then(|reading| reading.sql.clone());
        let learnt = SolvedExample {
            question: text.to_owned(),
            sql,
            answers: answer.answers.clone(),
            learnt: true,
            ..SolvedExample::default()
        };
        let example = match (plan, reading) {
            (Some(plan), _) if plan.plain().is_some() => {
                let span = plan.plain().map(|(_, span)| span.clone()).unwrap_or_default();
                let (before, behind) = (text.get(..span.start), text.get(span.end..));
                let (Some(before), Some(behind)) = (before, behind) else { return Ok(()) };
                SolvedExample {
                    masked: [before, "X", behind].concat().split_whitespace().collect::<Vec<_>>().join(" "),
                    plan: plan_keys(self.workspace.graph().as_ref(), &plan.steps),
                    way: plan.way,
                    ..learnt
                }
            }
            (_, Some(reading)) if learnt.sql.is_some() => SolvedExample {
                masked: crate::examples::masked(context, text).await?,
                way: reading.words.clone(),
                ..learnt
            },
            _ => return Ok(()),
        };
        self.learnt.solved.add(&self.workspace.graph_state(), example)
    }

    pub(crate) fn learnt(&self) -> &Learnt {
        &self.learnt
    }

    /// The surroundings of work without a language model.
    pub(crate) fn context<'a>(&'a self, limits: Limits, trace: &'a Trace) -> Context<'a> {
        Context::new(&self.workspace, None, self.embedder.as_ref(), &self.learnt, limits, trace)
    }

    /// The `k` passages of the graph's documents that fit a text best, best first; none where it has no documents.
    ///
    /// # Errors
    /// When graph, index or embedder fail.
    pub async fn passages(&self, text: &str, k: usize) -> Result<Vec<Evidence>, AnswerError> {
        let trace = Trace::new(None);
        let (model, embedder) = (self.model.as_ref(), self.embedder.as_ref());
        let context = Context::new(&self.workspace, model, embedder, &self.learnt, Limits::default(), &trace);
        let mentioned = mentions(&context, text).await?;
        let linked: Vec<NodeId> = mentioned.iter().filter_map(|m| Some(m.best()?.node)).collect();
        retrieve_passages(&context, text, &linked, SearchMode::default(), k).await
    }

    /// Writes the cards of the `most` relations of the most triples that have none yet, so that no question waits for them: one
    /// model call each. `progress` hears how many are done, of how many.
    ///
    /// # Errors
    /// When graph or model fail; cards written until then are kept.
    pub async fn learn_relations(
        &self,
        most: usize,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<usize, AnswerError> {
        let trace = Trace::new(None);
        let limits = Limits { llm_calls: u32::MAX, time: Duration::MAX, ..Limits::default() };
        let (model, embedder) = (self.model.as_ref(), self.embedder.as_ref());
        let context = Context::new(&self.workspace, model, embedder, &self.learnt, limits, &trace);
        let mut relations: Vec<(u64, RelationId, &str)> = context
            .graph()
            .relations()
            .iter()
            .enumerate()
            .filter(|(_, info)| {
                info.role == RelationRole::Ordinary && context.cards.lacks(&info.key, self.model_name())
            })
            .filter_map(|(at, info)| {
                Some((info.triples, RelationId(u32::try_from(at).ok()?), info.key.as_str()))
            })
            .collect();
        relations.sort_by_key(|(triples, relation, _)| (std::cmp::Reverse(*triples), *relation));
        relations.truncate(most);
        for (done, (_, relation, key)) in relations.iter().enumerate() {
            progress(done, relations.len());
            let card = write_card(&context, *relation, CARD_AHEAD_TIMEOUT).await?;
            context.cards.add([((*key).to_owned(), card)])?;
        }
        Ok(relations.len())
    }

    /// Collects experiences for the commentator of the hybrid method from questions with the keys of their answers: what was wrong with
    /// the router's actions, as the answers show; at most `most`, balanced over the kinds of error, in the place of those that the
    /// workspace has. A model is asked where `config` has it route, one call for each action. `progress` hears how many questions are done.
    ///
    /// # Errors
    /// When graph, index or model fail.
    pub async fn collect_experiences(
        &self,
        questions: &[(String, Vec<String>)],
        most: usize,
        config: &HybridConfig,
        mut progress: impl FnMut(usize, usize),
    ) -> Result<Vec<Experience>, AnswerError> {
        let mut found = Vec::new();
        for (done, (question, gold)) in questions.iter().enumerate() {
            progress(done, questions.len());
            let trace = Trace::new(None);
            let (model, embedder) = (self.model.as_ref(), self.embedder.as_ref());
            let limits = Limits::default();
            let context = Context::new(&self.workspace, model, embedder, &self.learnt, limits, &trace);
            found.extend(experiences_of(&context, question, gold, config).await?);
        }
        let kept = balanced(&found, most);
        self.learnt.experiences.replace(kept.clone())?;
        Ok(kept)
    }

    /// The experiences that the workspace has.
    pub fn experiences(&self) -> Vec<Experience> {
        self.learnt.experiences.all()
    }

    /// The paths around the first anchor of a question with their features and the names that they lead to: what the
    /// weights of whole-path planning are fitted on. Follows every path: for fitting, not for answering.
    ///
    /// # Errors
    /// When graph, index or embedder fail.
    pub async fn planned_paths(&self, question: &Question) -> Result<Vec<PlannedPath>, AnswerError> {
        let trace = Trace::new(None);
        let context = Context::new(
            &self.workspace,
            None,
            self.embedder.as_ref(),
            &self.learnt,
            Limits::default(),
            &trace,
        );
        let mentioned = mentions(&context, question.text()).await?;
        let Some(anchor) = mentioned.first().and_then(Mentioned::best) else { return Ok(Vec::new()) };
        let others: Vec<_> = mentioned.iter().skip(1).map(|m| m.span.clone()).collect();
        let text = question.text();
        let (span, walk) = (&anchor.span, WalkConfig::default());
        let mut ranking = rank(&context, text, anchor.node, span.clone(), &others, walk).await?;
        if let Some(again) = reword(&context, text, span, &others, &ranking).await? {
            ranking = rank(&context, &again.text, anchor.node, again.span, &again.others, walk).await?;
        }
        let mut planned = Vec::new();
        for path in ranking.paths {
            let walk = follow(context.graph(), anchor.node, &path.steps).await?;
            let ends: Vec<NodeId> = walk.ends().filter(|end| *end != anchor.node).collect();
            let ends = if ends.is_empty() { walk.ends().collect() } else { ends };
            let names = context.graph().summaries(&ends).await?.into_iter().map(|s| s.name).collect();
            planned.push(PlannedPath { phrase: path.phrase, features: path.features, names });
        }
        Ok(planned)
    }

    fn answer(
        &self,
        question: &Question,
        options: &AskOptions,
        outcome: Outcome,
        grounding: &Grounding,
        trace: &Trace,
    ) -> Answer {
        let answered = outcome.status == Status::Answered;
        let supported = !grounding.supported.is_empty();
        let complete = grounding.unsupported.is_empty() || options.method.must_be_grounded();
        let words = match outcome.status {
            Status::Answered => outcome.text.unwrap_or_else(|| outcome.answers.join(", ")),
            Status::Abstained => UNKNOWN.into(),
            Status::InvalidQuestion => {
                "The question assumes something that the evidence does not bear out.".into()
            }
        };
        Answer {
            question: question.text().into(),
            status: outcome.status,
            answer: words,
            grounded: answered && supported && complete,
            confidence: if answered { outcome.confidence.clamp(0.0, 1.0) } else { 0.0 },
            answers: if answered { outcome.answers } else { Vec::new() },
            table: outcome.table.filter(|_| answered),
            readings: outcome.readings,
            method: options.method.name().into(),
            llm: self.model_name().into(),
            citations: citations(grounding, &outcome.evidence, answered),
            evidence: outcome.evidence,
            ranked: trace.take_ranking(),
            usage: trace.usage(),
            notes: trace.notes(),
            reason: outcome.reason,
            trace: options.keep_trace.then(|| trace.events()),
        }
    }
}

/// Time kept back from a method for what stands in for it where its time ends: a tenth, two seconds at the most.
fn kept_back(options: &AskOptions) -> Duration {
    const MOST: Duration = Duration::from_secs(2);
    if options.method.falls_back() { (options.limits.time / 10).min(MOST) } else { Duration::ZERO }
}

/// The best grounded answer that was found before a limit ended the work, marked; else an abstention.
async fn best_so_far(
    context: &Context<'_>,
    question: &Question,
    options: &AskOptions,
    limit: Exhausted,
) -> Result<Outcome, AnswerError> {
    let Some(outcome) = found_without_model(context, question, options).await? else {
        return Ok(Outcome::abstain(limit.to_string(), Vec::new()));
    };
    context.trace.note(Note::Limit { reason: limit.to_string() });
    Ok(outcome)
}

/// The best grounded answer that was found before the work ended; where the method has another stand in
/// for it, and time is left, what that finds.
async fn found_without_model(
    context: &Context<'_>,
    question: &Question,
    options: &AskOptions,
) -> Result<Option<Outcome>, AnswerError> {
    let best = context.proposed();
    if best.is_some() || !options.method.falls_back() {
        return Ok(best);
    }
    let alone = context.without_model();
    let left = options.limits.time.saturating_sub(context.trace.elapsed());
    let run = tokio::time::timeout(left, ask_each(&alone, question, Method::FALL_BACK, &options.config));
    match run.await {
        Err(_) | Ok(Err(AnswerError::Exhausted(_) | AnswerError::Usage(_))) => Ok(None),
        Ok(outcome) => Ok(Some(outcome?).filter(|outcome| outcome.status == Status::Answered)),
    }
}

/// Grounds the values; those without support are taken out, and with none left there is no answer.
fn held_against_evidence(mut outcome: Outcome, must: bool, trace: &Trace) -> (Outcome, Grounding) {
    if outcome.status != Status::Answered {
        return (outcome, Grounding::default());
    }
    let _timer = trace.enter(Stage::Ground);
    let grounding = ground(&outcome.answers, &outcome.evidence);
    let supported: Vec<String> = grounding.supported.iter().map(|(value, _)| value.clone()).collect();
    let event = Event::Grounded { supported: supported.clone(), unsupported: grounding.unsupported.clone() };
    trace.report(Stage::Ground, event);
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
