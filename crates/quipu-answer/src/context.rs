//! What a method works with while it answers one question: the source, the models behind meters, the limits, the trace.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use quipu_graph::{ApiGraph, Graph, Step};
use quipu_index::Workspace;
use quipu_model::{
    Amount, ChatReply, ChatRequest, Embedder, Embeddings, LanguageModel, ScoreReply, ScoreRequest,
    TokenVectors, Tool, ToolCall, ask_json, ask_tool,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::answer::{Note, Value as AnswerValue};
use crate::conversation::Bound;
use crate::error::{AnswerError, Exhausted};
use crate::link::RelationVectors;
use crate::meter::Metered;
use crate::methods::{EXPERIENCES_FILE, Experiences, Outcome};
use crate::plan::{CARDS_FILE, Cards, MEANINGS_FILE, Meanings, SOLVED_FILE, SolvedExamples, StepSamples};
use crate::retrieve::{GraphTables, KINDS_FILE, Page, TablesMemory, TripleSentences};
use crate::sources::{Source, read_on, walked_api};
use crate::trace::{Stage, Trace};
use quipu_query::Made;

/// What one question may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most model calls.
    pub llm_calls: u32,
    /// Most wall-clock time.
    pub time: Duration,
    /// Most tokens of all prompts and replies together.
    pub tokens: u64,
    /// Most tokens of evidence in one prompt.
    pub evidence_tokens: usize,
    /// Most that the model's tokens may cost, in the currency of the model's price.
    pub cost: Option<Amount>,
}

impl Default for Limits {
    /// 16 calls (Think-on-Graph's 14 and two repairs), 5 minutes, any number of tokens at any cost, 3,000 tokens of evidence in one prompt.
    fn default() -> Self {
        let time = Duration::from_secs(300);
        Self { llm_calls: 16, time, tokens: u64::MAX, evidence_tokens: 3000, cost: None }
    }
}

/// What the engine has learnt about a workspace's relations; shared by all questions.
#[derive(Debug, Default)]
pub struct Learnt {
    /// What people call them.
    pub cards: Cards,
    /// What the words of questions mean in the graph's words.
    pub meanings: Meanings,
    /// How their steps follow one another.
    pub samples: StepSamples,
    /// The meaning of all triples, for the graphs that are small enough.
    pub sentences: TripleSentences,
    /// What was wrong with earlier actions of the hybrid method.
    pub experiences: Experiences,
    /// The meaning of relations.
    pub relations: RelationVectors,
    /// Solved questions.
    pub solved: SolvedExamples,
    /// The graph as tables, with the values of their columns.
    pub tables: TablesMemory,
}

/// Files of a workspace that hold what was learnt about it while it was asked.
pub const LEARNT_FILES: [&str; 5] = [CARDS_FILE, MEANINGS_FILE, EXPERIENCES_FILE, SOLVED_FILE, KINDS_FILE];

impl Learnt {
    /// Reads what was learnt from the files in `folder`; of a graph that is an API its documents describe the relations.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when they cannot be read.
    pub(crate) fn open(folder: &Path, api: Option<&ApiGraph>) -> Result<Arc<Self>, AnswerError> {
        let (cards, meanings) = (Cards::open(folder)?, Meanings::open(folder)?);
        let cards = match api {
            Some(api) => cards.described_by(api),
            None => cards,
        };
        let experiences = Experiences::open(folder)?;
        let solved = SolvedExamples::open(folder)?;
        let tables = TablesMemory::open(folder)?;
        Ok(Arc::new(Self { cards, meanings, experiences, solved, tables, ..Self::default() }))
    }
}

/// The surroundings of one question.
pub struct Context<'a> {
    /// Graph, names and vectors.
    pub workspace: &'a Workspace,
    /// The language model; ask it through [`Context::chat`] and [`Context::json`] only, which count.
    model: Option<&'a Arc<dyn LanguageModel>>,
    embedder: Option<&'a Arc<dyn Embedder>>,
    /// What was written about the workspace's relations.
    pub cards: &'a Cards,
    /// What the words of questions mean in the graph's words.
    pub meanings: &'a Meanings,
    /// How the graph's steps follow one another.
    pub samples: &'a StepSamples,
    /// The meaning of all triples.
    pub sentences: &'a TripleSentences,
    /// What was wrong with earlier actions of the hybrid method.
    pub experiences: &'a Experiences,
    /// The meaning of relations.
    pub relations: &'a RelationVectors,
    /// Solved questions.
    pub solved: &'a SolvedExamples,
    /// The graph as tables.
    pub(crate) tables: &'a TablesMemory,
    /// What the question may cost.
    pub limits: Limits,
    /// What happened so far.
    pub trace: &'a Trace,
    /// Entities that the question was given with; empty in the open setting.
    pub anchors: &'a [String],
    /// The things of earlier turns that the question's words stand for.
    pub(crate) bound: &'a [Bound],
    /// Pages that the question was given with.
    pub pages: &'a [Page],
    /// The sources to ask besides.
    others: &'a [Source],
    /// All workspaces with graphs as one, where there are several.
    joint: Option<&'a Source>,
    /// The workspace's APIs that are not its graph.
    pub(crate) apis: &'a [Source],
    reading: usize,
    plan_only: bool,
    best: Mutex<Option<Outcome>>,
    /// The plan of the answer: where the anchor is mentioned, the steps from there, in words.
    plan: Mutex<Option<Planned>>,
}

/// A plan that led to an answer.
#[derive(Debug)]
pub(crate) struct Planned {
    /// Where it starts.
    pub start: PlanStart,
    /// The steps from there.
    pub steps: Vec<Step>,
    /// The way in words, X where it starts.
    pub way: String,
    /// The same from the names that it starts from.
    pub said: String,
    /// Other paths that lead to the same values: what is asked for is where all meet.
    pub met: Vec<Self>,
    /// What is made of the values that the steps lead to.
    pub made: Made,
    /// All that it gives, where the answer is said of that: yes or no.
    pub gives: Option<Vec<AnswerValue>>,
}

/// Where a plan starts.
#[derive(Debug)]
pub(crate) enum PlanStart {
    /// From an entity, and where the question mentions it, in bytes.
    Entity(quipu_graph::NodeId, std::ops::Range<usize>),
    /// From several entities, whose values are compared.
    Several(Vec<quipu_graph::NodeId>),
    /// From what another plan led to.
    Found(Box<Planned>),
}

impl Planned {
    /// How many entities it starts from.
    pub fn starts(&self) -> usize {
        let own = match &self.start {
            PlanStart::Entity(..) => 1,
            PlanStart::Several(nodes) => nodes.len(),
            PlanStart::Found(inner) => inner.starts(),
        };
        own + self.met.iter().map(Self::starts).sum::<usize>()
    }

    /// Whether values of several things are asked for: of each, or those where their ways meet.
    pub fn is_of_several(&self) -> bool {
        let of_each = matches!(self.start, PlanStart::Several(_)) && self.made == Made::Values;
        of_each || !self.met.is_empty()
    }

    /// The entity of a plain path and where the question mentions it: nothing where something is made of its values.
    pub fn plain(&self) -> Option<(quipu_graph::NodeId, &std::ops::Range<usize>)> {
        match &self.start {
            PlanStart::Entity(node, span)
                if self.made == Made::Values && self.gives.is_none() && self.met.is_empty() =>
            {
                Some((*node, span))
            }
            _ => None,
        }
    }
}

impl<'a> Context<'a> {
    /// Puts the surroundings together. Without a model or an embedder, whatever needs one says so.
    pub fn new(
        workspace: &'a Workspace,
        model: Option<&'a Arc<dyn LanguageModel>>,
        embedder: Option<&'a Arc<dyn Embedder>>,
        learnt: &'a Learnt,
        limits: Limits,
        trace: &'a Trace,
    ) -> Self {
        let Learnt { cards, meanings, samples, sentences, experiences, relations, solved, tables } = learnt;
        let (anchors, pages, bound) = (&[], &[], &[]);
        Self {
            workspace,
            model,
            embedder,
            cards,
            meanings,
            samples,
            sentences,
            experiences,
            relations,
            solved,
            tables,
            limits,
            trace,
            anchors,
            bound,
            pages,
            others: &[],
            joint: None,
            apis: &[],
            reading: 0,
            plan_only: false,
            best: Mutex::new(None),
            plan: Mutex::new(None),
        }
    }

    /// The graph as tables, with the values of their columns; read when first asked for.
    ///
    /// # Errors
    /// The graph's.
    pub(crate) async fn tables(&self) -> Result<Arc<GraphTables>, AnswerError> {
        self.tables.of(self.workspace).await
    }

    /// Keeps the plan that led to the answer, to be learnt from.
    pub(crate) fn keep_plan(&self, plan: Planned) {
        *self.plan.lock() = Some(plan);
    }

    /// The plan kept last.
    pub(crate) fn kept_plan(&self) -> Option<Planned> {
        self.plan.lock().take()
    }

    /// Sets the sources to ask besides, the graphs among them as one with this, and the APIs beside the workspace's graph.
    pub(crate) fn with_others(
        self,
        others: &'a [Source],
        joint: Option<&'a Source>,
        apis: &'a [Source],
    ) -> Self {
        Self { others, joint, apis, ..self }
    }

    /// The surroundings of all workspaces with graphs as one, their APIs beside it; `None` where there are not several. Words and solved
    /// questions are this workspace's.
    pub(crate) fn joint(&self) -> Option<Self> {
        let joint = self.joint?;
        let (meanings, solved) = (self.meanings, self.solved);
        Some(Self { meanings, solved, apis: &joint.apis, ..self.over(joint) })
    }

    /// Whether some part of what is known stands where no path of a graph leads: in another graph that is not joined to this, or in an API.
    pub(crate) fn has_apart(&self) -> bool {
        let sources = self.sources();
        sources.len() > 1 && (self.joint.is_none() || sources.iter().any(|source| source.api().is_some()))
    }

    /// The surroundings of every source, APIs beside graphs among them: this one first.
    pub(crate) fn sources(&self) -> Vec<Self> {
        let workspaces = self.workspaces();
        workspaces.iter().flat_map(|one| std::iter::once(one.alone()).chain(one.apis_alone())).collect()
    }

    /// The surroundings of every workspace, each with its APIs: this one first.
    pub(crate) fn workspaces(&self) -> Vec<Self> {
        let mut workspaces = vec![Self { apis: self.apis, ..self.alone() }];
        workspaces.extend(self.others.iter().map(|source| Self { apis: &source.apis, ..self.over(source) }));
        workspaces
    }

    /// The surroundings of the workspace's APIs that are not its graph.
    pub(crate) fn apis_alone(&self) -> Vec<Self> {
        self.apis.iter().map(|source| self.over(source)).collect()
    }

    /// The same question over another source.
    fn over(&self, source: &'a Source) -> Self {
        let Learnt { cards, meanings, samples, sentences, experiences, relations, solved, tables } =
            &*source.learnt;
        Self {
            workspace: &source.workspace,
            cards,
            meanings,
            samples,
            sentences,
            experiences,
            relations,
            solved,
            tables,
            ..self.alone()
        }
    }

    /// The API that is walked as a graph here.
    pub(crate) fn api(&self) -> Option<&'a ApiGraph> {
        walked_api(self.workspace)
    }

    /// This source alone.
    pub(crate) fn alone(&self) -> Self {
        Self { others: &[], joint: None, apis: &[], best: Mutex::new(None), plan: Mutex::new(None), ..*self }
    }

    /// The day on which the source was read.
    pub(crate) fn read_on(&self) -> Option<jiff::civil::Date> {
        read_on(self.workspace)
    }

    /// The same surroundings with `calls` fewer model calls, which are kept for what comes after.
    pub(crate) fn sparing(&self, calls: u32) -> Self {
        let limits = Limits { llm_calls: self.limits.llm_calls.saturating_sub(calls), ..self.limits };
        Self { limits, best: Mutex::new(None), plan: Mutex::new(None), ..*self }
    }

    /// The same surroundings with at most `calls` model calls in all.
    pub(crate) fn at_most(&self, calls: u32) -> Self {
        let limits = Limits { llm_calls: self.limits.llm_calls.min(calls), ..self.limits };
        Self { limits, best: Mutex::new(None), plan: Mutex::new(None), ..*self }
    }

    /// Sets whether the question is read only, and which reading is wanted.
    pub(crate) fn reading(self, reading: usize, plan_only: bool) -> Self {
        Self { reading, plan_only, ..self }
    }

    /// Whether the question is read and nothing is run.
    pub(crate) fn plan_only(&self) -> bool {
        self.plan_only
    }

    /// The reading that is wanted, from 1; 0 leaves the choice to the method.
    pub(crate) fn wanted_reading(&self) -> usize {
        self.reading
    }

    /// The same surroundings without a model.
    pub(crate) fn without_model(&self) -> Self {
        Self { model: None, best: Mutex::new(None), plan: Mutex::new(None), ..*self }
    }

    /// The same without the anchors that came with the question.
    pub(crate) fn without_anchors(&self) -> Self {
        Self { anchors: &[], best: Mutex::new(None), plan: Mutex::new(None), ..*self }
    }

    /// Keeps an answer for the case that a limit ends the work before a better one is found.
    pub(crate) fn propose(&self, outcome: Outcome) {
        *self.best.lock() = Some(outcome);
    }

    /// The answer kept last.
    pub(crate) fn proposed(&self) -> Option<Outcome> {
        self.best.lock().take()
    }

    /// Sets the entities to start from, by key or name.
    pub fn with_anchors(self, anchors: &'a [String]) -> Self {
        Self { anchors, ..self }
    }

    /// Sets the things that the question's words for earlier ones stand for.
    pub(crate) fn with_bound(self, bound: &'a [Bound]) -> Self {
        Self { bound, ..self }
    }

    /// Sets the pages that the question came with.
    pub fn with_pages(self, pages: &'a [Page]) -> Self {
        Self { pages, ..self }
    }

    /// What was learnt helps this question whether or not the workspace's disk takes it: that it does not is said, no more.
    pub(crate) fn keep(&self, kept: Result<(), AnswerError>) -> Result<(), AnswerError> {
        match kept {
            Err(AnswerError::NotKept(reason)) => {
                self.trace.note(Note::NotKept { reason });
                Ok(())
            }
            kept => kept,
        }
    }

    /// The graph.
    pub fn graph(&self) -> &'a dyn Graph {
        &**self.workspace.graph()
    }

    /// Tokens of a text, by the language model's own count; without one an upper estimate for English.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.model.map_or(text.len().div_ceil(3), |model| model.count_tokens(text))
    }

    /// Whether there is a language model.
    pub fn has_model(&self) -> bool {
        self.model.is_some()
    }

    /// The language model, for what costs nothing: counting tokens, asking what it can do.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when the engine was set up without one.
    pub fn model(&self) -> Result<&'a dyn LanguageModel, AnswerError> {
        self.model.map(|model| &**model).ok_or_else(|| {
            AnswerError::Usage("this method needs a language model; name one with --llm".into())
        })
    }

    /// Asks the model.
    ///
    /// # Errors
    /// The model's, or [`AnswerError::Exhausted`] when the question's calls or time are used up.
    pub async fn chat(&self, stage: Stage, request: ChatRequest) -> Result<ChatReply, AnswerError> {
        let metered = self.metered(stage)?;
        metered.chat(&request).await.map_err(|error| metered.cause(error))
    }

    /// Asks the model for JSON that satisfies `schema`; a reply that cannot be read is repaired by one more call.
    ///
    /// # Errors
    /// As [`Context::chat`]; [`ModelError::Unreadable`] when the repair failed too.
    pub async fn json<T: DeserializeOwned>(
        &self,
        stage: Stage,
        request: ChatRequest,
        schema: &Value,
    ) -> Result<T, AnswerError> {
        let metered = self.metered(stage)?;
        let (value, _) =
            ask_json::<T>(&metered, &request, schema).await.map_err(|error| metered.cause(error))?;
        Ok(value)
    }

    /// Asks the model for one call of one of `tools`; a reply that calls none is repaired by one more call.
    ///
    /// # Errors
    /// As [`Context::json`].
    pub async fn tool(
        &self,
        stage: Stage,
        request: ChatRequest,
        tools: &[Tool],
    ) -> Result<ToolCall, AnswerError> {
        let metered = self.metered(stage)?;
        let (call, _) = ask_tool(&metered, &request, tools).await.map_err(|error| metered.cause(error))?;
        Ok(call)
    }

    /// Model calls that the question may still make.
    pub fn calls_left(&self) -> u32 {
        self.limits.llm_calls.saturating_sub(self.trace.model_calls())
    }

    /// Whether the question's time is over, for work that asks no language model.
    ///
    /// # Errors
    /// [`AnswerError::Exhausted`] when it is.
    pub fn check_time(&self) -> Result<(), AnswerError> {
        if self.trace.elapsed() < self.limits.time {
            return Ok(());
        }
        Err(AnswerError::Exhausted(Exhausted::Seconds(self.limits.time.as_secs())))
    }

    /// Asks the model for the log-likelihoods of continuations.
    ///
    /// # Errors
    /// As [`Context::chat`]; [`ModelError::Unsupported`] when the model does not score.
    pub async fn score(&self, stage: Stage, request: ScoreRequest) -> Result<ScoreReply, AnswerError> {
        let metered = self.metered(stage)?;
        metered.score(&request).await.map_err(|error| metered.cause(error))
    }

    fn metered(&self, stage: Stage) -> Result<Metered<'_>, AnswerError> {
        let model = self.model()?;
        Ok(Metered::new(model, self.trace, self.limits, stage))
    }

    /// The embedder, where there is one.
    pub fn embedder(&self) -> Option<&'a dyn Embedder> {
        self.embedder.map(|embedder| &**embedder)
    }

    /// Embeds texts.
    ///
    /// # Errors
    /// The embedder's; [`AnswerError::Usage`] when the engine was set up without one.
    pub async fn embed(&self, stage: Stage, texts: &[&str]) -> Result<Embeddings, AnswerError> {
        let embedder = self.embedder.ok_or_else(|| {
            AnswerError::Usage(
                "this needs an embedder; fetch one with `quipu models pull all-minilm-l6-v2`".into(),
            )
        })?;
        let started = Instant::now();
        let embeddings = embedder.embed(texts).await?;
        self.trace.count_embedding(stage, started.elapsed());
        Ok(embeddings)
    }

    /// The vectors of each text's tokens; `None` where there is no embedder, or one that gives whole texts only.
    ///
    /// # Errors
    /// The embedder's.
    pub async fn embed_tokens(
        &self,
        stage: Stage,
        texts: &[&str],
    ) -> Result<Option<Vec<TokenVectors>>, AnswerError> {
        let Some(embedder) = self.embedder else { return Ok(None) };
        let started = Instant::now();
        let vectors = embedder.embed_tokens(texts).await?;
        self.trace.count_embedding(stage, started.elapsed());
        Ok(vectors)
    }
}
