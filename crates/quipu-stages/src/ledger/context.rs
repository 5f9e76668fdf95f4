//! The context of one question: the source, the models with meters, the limits, the costs, the
//! trace.

use std::sync::Arc;
use std::time::Instant;

use quipu_graph::{ApiGraph, Calendar, Graph};
use quipu_index::Workspace;
use quipu_language::{TimeFrame, time_frames_with};
use quipu_model::{
    ChatReply, ChatRequest, Embedder, Embeddings, LanguageModel, ScoreReply, ScoreRequest, TokenVectors,
    Tool, ToolCall, ask_json, ask_tool,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Ledger, Limits, Memories, Memory, Metered, Source, Trace, read_on, walked_api};
use crate::answer::{AnswerError, Bound, Critic, Exhausted, Note, Page, Question, Stage};

/// The context of one question.
pub struct Context<'a> {
    /// Graph, names and vectors.
    pub workspace: &'a Workspace,
    /// The language model. Ask it only through [`Context::chat`] and [`Context::json`], which
    /// count.
    model: Option<&'a Arc<dyn LanguageModel>>,
    embedder: Option<&'a Arc<dyn Embedder>>,
    /// The stages' memories of the source.
    memories: &'a Memories,
    /// The limits on the question's cost.
    pub limits: Limits,
    /// The events so far.
    pub trace: &'a Trace,
    /// The costs so far.
    pub ledger: &'a Ledger,
    /// Entities given with the question; empty in the open setting.
    pub anchors: &'a [String],
    /// The entities of earlier turns that the question's words stand for.
    pub(crate) bound: &'a [Bound],
    /// Pages given with the question.
    pub pages: &'a [Page],
    /// The critic given with the question.
    pub critic: Option<&'a dyn Critic>,
    /// The additional sources.
    others: &'a [Source],
    /// All workspaces with graphs joined into one, if there are several.
    joint: Option<&'a Source>,
    /// The workspace's APIs that are not its graph.
    pub(crate) apis: &'a [Source],
    reading: usize,
    plan_only: bool,
}

impl<'a> Context<'a> {
    /// Builds the context. Work that needs a missing model or embedder fails with a message that
    /// says so.
    pub fn new(
        source: &'a Source,
        model: Option<&'a Arc<dyn LanguageModel>>,
        embedder: Option<&'a Arc<dyn Embedder>>,
        limits: Limits,
        trace: &'a Trace,
        ledger: &'a Ledger,
    ) -> Self {
        Self {
            workspace: &source.workspace,
            model,
            embedder,
            memories: &source.memories,
            limits,
            trace,
            ledger,
            anchors: &[],
            bound: &[],
            pages: &[],
            critic: None,
            others: &[],
            joint: None,
            apis: &[],
            reading: 0,
            plan_only: false,
        }
    }

    /// A stage's memory of the source.
    pub fn memory<M: Memory>(&self) -> Arc<M> {
        self.memories.of()
    }

    /// Sets the additional sources, the join of all graphs, and the APIs beside the workspace's
    /// graph.
    pub fn with_others(self, others: &'a [Source], joint: Option<&'a Source>, apis: &'a [Source]) -> Self {
        Self { others, joint, apis, ..self }
    }

    /// The context over all workspaces with graphs joined into one, with their APIs; `None` if
    /// there are not several.
    pub(crate) fn joint(&self) -> Option<Self> {
        let joint = self.joint?;
        Some(Self { apis: &joint.apis, ..self.over(joint) })
    }

    /// Whether some knowledge is in a place that no path of this graph reaches: in another graph
    /// that is not joined to it, or in an API.
    pub fn has_apart(&self) -> bool {
        let sources = self.sources();
        sources.len() > 1 && (self.joint.is_none() || sources.iter().any(|source| source.api().is_some()))
    }

    /// The contexts of all sources, APIs beside graphs included, this one first.
    pub fn sources(&self) -> Vec<Self> {
        let workspaces = self.workspaces();
        workspaces.iter().flat_map(|one| std::iter::once(one.alone()).chain(one.apis_alone())).collect()
    }

    /// The contexts of all workspaces, each with its APIs, this one first.
    pub(crate) fn workspaces(&self) -> Vec<Self> {
        let mut workspaces = vec![Self { apis: self.apis, ..self.alone() }];
        workspaces.extend(self.others.iter().map(|source| Self { apis: &source.apis, ..self.over(source) }));
        workspaces
    }

    /// The contexts of the workspace's APIs that are not its graph.
    pub(crate) fn apis_alone(&self) -> Vec<Self> {
        self.apis.iter().map(|source| self.over(source)).collect()
    }

    /// The same question over another source.
    fn over(&self, source: &'a Source) -> Self {
        Self { workspace: &source.workspace, memories: &source.memories, ..self.alone() }
    }

    /// The API that is walked as a graph here.
    pub fn api(&self) -> Option<&'a ApiGraph> {
        walked_api(self.workspace)
    }

    /// The opening days that questions here refer to: those of the workspace's first API that has
    /// any.
    pub(crate) fn calendar(&self) -> Option<&'a Calendar> {
        self.workspace.apis().iter().find_map(|api| api.service().calendar.as_ref())
    }

    /// The times in a question's own words.
    pub fn times(&self, question: &Question) -> Vec<TimeFrame> {
        time_frames_with(question.text(), question.asked_at().date(), self.calendar())
    }

    /// This source alone.
    pub fn alone(&self) -> Self {
        Self { others: &[], joint: None, apis: &[], ..*self }
    }

    /// The day on which the source was read.
    pub(crate) fn read_on(&self) -> Option<jiff::civil::Date> {
        read_on(self.workspace)
    }

    /// The same context with `calls` fewer model calls, which are kept for later.
    pub fn sparing(&self, calls: u32) -> Self {
        let limits = Limits { llm_calls: self.limits.llm_calls.saturating_sub(calls), ..self.limits };
        Self { limits, ..*self }
    }

    /// The same context with at most `calls` model calls in total.
    pub fn at_most(&self, calls: u32) -> Self {
        let limits = Limits { llm_calls: self.limits.llm_calls.min(calls), ..self.limits };
        Self { limits, ..*self }
    }

    /// Sets whether the question is only read, and the reading to answer.
    pub fn reading(self, reading: usize, plan_only: bool) -> Self {
        Self { reading, plan_only, ..self }
    }

    /// Whether the question is only read and nothing is run.
    pub fn plan_only(&self) -> bool {
        self.plan_only
    }

    /// The reading to answer, from 1; 0 leaves the choice to the method.
    pub fn wanted_reading(&self) -> usize {
        self.reading
    }

    /// The same context without a model.
    pub fn without_model(&self) -> Self {
        Self { model: None, ..*self }
    }

    /// The same with events reported elsewhere.
    pub(crate) fn traced_by<'b>(&'b self, trace: &'b Trace) -> Context<'b> {
        let context: &Context<'b> = self;
        Context { trace, ..*context }
    }

    /// The same without the anchors that came with the question.
    pub(crate) fn without_anchors(&self) -> Self {
        Self { anchors: &[], ..*self }
    }

    /// Sets the entities to start from, by key or name.
    pub fn with_anchors(self, anchors: &'a [String]) -> Self {
        Self { anchors, ..self }
    }

    /// Sets the entities that the question's words for earlier ones stand for.
    pub fn with_bound(self, bound: &'a [Bound]) -> Self {
        Self { bound, ..self }
    }

    /// Sets the pages given with the question.
    pub fn with_pages(self, pages: &'a [Page]) -> Self {
        Self { pages, ..self }
    }

    /// Sets the critic given with the question.
    pub fn with_critic(self, critic: Option<&'a dyn Critic>) -> Self {
        Self { critic, ..self }
    }

    /// Turns a failure to keep learnt data into a note: the data still helps this question.
    pub fn keep(&self, kept: Result<(), AnswerError>) -> Result<(), AnswerError> {
        match kept {
            Err(AnswerError::NotKept(reason)) => {
                self.trace.note(Note::NotKept { reason });
                Ok(())
            }
            kept => kept,
        }
    }

    /// Notes that the source cannot be reached.
    pub fn note_down(&self, error: &AnswerError) {
        let source = self.graph().describe().name.clone();
        self.trace.note(Note::SourceDown { source, reason: error.to_string() });
    }

    /// The graph.
    pub fn graph(&self) -> &'a dyn Graph {
        &**self.workspace.graph()
    }

    /// Tokens of a text, by the language model's own count; without one an upper estimate for
    /// English.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.model.map_or(text.len().div_ceil(3), |model| model.count_tokens(text))
    }

    /// Whether there is a language model.
    pub fn has_model(&self) -> bool {
        self.model.is_some()
    }

    /// The language model, for free operations: counting tokens, reading its abilities.
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

    /// Asks the model for JSON that satisfies `schema`; a reply that cannot be read is repaired by
    /// one more call.
    ///
    /// # Errors
    /// As [`Context::chat`]; [`ModelError::Unreadable`](quipu_model::ModelError::Unreadable) when
    /// the repair failed too.
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

    /// Asks the model for one call of one of `tools`; a reply that calls none is repaired by one
    /// more call.
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
        self.limits.llm_calls.saturating_sub(self.ledger.model_calls())
    }

    /// Whether the question may still make more than `kept` model calls. If not, the answer gets a
    /// remark: the limit ended the method's work early.
    pub fn has_calls_beyond(&self, kept: u32) -> bool {
        let has_more = self.calls_left() > kept;
        if !has_more {
            self.note_limit(Exhausted::Calls(self.limits.llm_calls));
        }
        has_more
    }

    /// Adds the remark that a limit ended the method's work early.
    pub fn note_limit(&self, limit: Exhausted) {
        self.trace.note(Note::Limit { reason: limit.to_string() });
    }

    /// Checks the question's time, for work that asks no language model.
    ///
    /// # Errors
    /// [`AnswerError::Exhausted`] when the time is up.
    pub fn check_time(&self) -> Result<(), AnswerError> {
        if self.ledger.elapsed() < self.limits.time {
            return Ok(());
        }
        Err(AnswerError::Exhausted(Exhausted::Seconds(self.limits.time.as_secs())))
    }

    /// Asks the model for the log-likelihoods of continuations.
    ///
    /// # Errors
    /// As [`Context::chat`]; [`ModelError::Unsupported`](quipu_model::ModelError::Unsupported) when
    /// the model does not score.
    pub async fn score(&self, stage: Stage, request: ScoreRequest) -> Result<ScoreReply, AnswerError> {
        let metered = self.metered(stage)?;
        metered.score(&request).await.map_err(|error| metered.cause(error))
    }

    fn metered(&self, stage: Stage) -> Result<Metered<'_>, AnswerError> {
        let model = self.model()?;
        Ok(Metered::new(model, (self.trace, self.ledger), self.limits, stage))
    }

    /// The embedder, if there is one.
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
        self.ledger.count_embedding(stage, started.elapsed());
        Ok(embeddings)
    }

    /// The vectors of each text's tokens; `None` without an embedder, or if the embedder only gives
    /// vectors for whole texts.
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
        self.ledger.count_embedding(stage, started.elapsed());
        Ok(vectors)
    }
}
