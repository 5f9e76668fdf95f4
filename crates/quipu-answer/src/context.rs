//! What a method works with while it answers one question: the source, the models behind meters, the limits, the trace.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use quipu_graph::Graph;
use quipu_index::Workspace;
use quipu_model::{
    Abilities, ChatReply, ChatRequest, Embedder, Embeddings, LanguageModel, ModelError, ScoreReply,
    ScoreRequest, Tool, ToolCall, ask_json, ask_tool,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::{AnswerError, Exhausted};
use crate::methods::{EXPERIENCES_FILE, Experiences};
use crate::plan::{CARDS_FILE, Cards, MEANINGS_FILE, Meanings, StepSamples};
use crate::retrieve::{Page, TripleSentences};
use crate::trace::{Event, Stage, Trace};

/// What one question may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most model calls.
    pub llm_calls: u32,
    /// Most wall-clock time.
    pub time: Duration,
    /// Most tokens of evidence in one prompt.
    pub evidence_tokens: usize,
}

impl Default for Limits {
    /// 16 calls (Think-on-Graph's 14 and two repairs), 5 minutes, 3,000 tokens of evidence.
    fn default() -> Self {
        Self { llm_calls: 16, time: Duration::from_secs(300), evidence_tokens: 3000 }
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
}

/// Files of a workspace that hold what was learnt about it while it was asked.
pub const LEARNT_FILES: [&str; 3] = [CARDS_FILE, MEANINGS_FILE, EXPERIENCES_FILE];

impl Learnt {
    /// Reads what was learnt from the files in `folder`.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] when they cannot be read.
    pub fn open(folder: &Path) -> Result<Arc<Self>, AnswerError> {
        let (cards, meanings) = (Cards::open(folder)?, Meanings::open(folder)?);
        let experiences = Experiences::open(folder)?;
        Ok(Arc::new(Self { cards, meanings, experiences, ..Self::default() }))
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
    /// What the question may cost.
    pub limits: Limits,
    /// What happened so far.
    pub trace: &'a Trace,
    /// Entities that the question was given with; empty in the open setting.
    pub anchors: &'a [String],
    /// Pages that the question was given with.
    pub pages: &'a [Page],
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
        let Learnt { cards, meanings, samples, sentences, experiences } = learnt;
        let (anchors, pages) = (&[], &[]);
        Self {
            workspace,
            model,
            embedder,
            cards,
            meanings,
            samples,
            sentences,
            experiences,
            limits,
            trace,
            anchors,
            pages,
        }
    }

    /// Sets the entities to start from, by key or name.
    pub fn with_anchors(self, anchors: &'a [String]) -> Self {
        Self { anchors, ..self }
    }

    /// Sets the pages that the question came with.
    pub fn with_pages(self, pages: &'a [Page]) -> Self {
        Self { pages, ..self }
    }

    /// The graph.
    pub fn graph(&self) -> &'a dyn Graph {
        &**self.workspace.graph()
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
        Ok(Metered { model, trace: self.trace, limits: self.limits, stage, exhausted: Mutex::new(None) })
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
}

/// The model of one question: every call is held against the limits, counted and reported, the repairs that
/// [`ask_json`] makes among them.
struct Metered<'a> {
    model: &'a dyn LanguageModel,
    trace: &'a Trace,
    limits: Limits,
    stage: Stage,
    exhausted: Mutex<Option<Exhausted>>,
}

impl Metered<'_> {
    /// The time left for one more call.
    fn allowance(&self) -> Result<Duration, Exhausted> {
        if self.trace.model_calls() >= self.limits.llm_calls {
            return Err(Exhausted::Calls(self.limits.llm_calls));
        }
        let left = self.limits.time.saturating_sub(self.trace.elapsed());
        if left.is_zero() { Err(Exhausted::Seconds(self.limits.time.as_secs())) } else { Ok(left) }
    }

    /// The time left; where there is none, or no call, that is noted as the cause.
    fn time_left(&self) -> Result<Duration, ModelError> {
        self.allowance().map_err(|exhausted| {
            *self.exhausted.lock() = Some(exhausted);
            ModelError::Cancelled
        })
    }

    /// A call that ran past the question's time, not past its own, ends the question.
    fn in_time<T>(&self, own_limit: bool, reply: Result<T, ModelError>) -> Result<T, ModelError> {
        match reply {
            Err(ModelError::TimedOut { .. }) if !own_limit => {
                *self.exhausted.lock() = Some(Exhausted::Seconds(self.limits.time.as_secs()));
                Err(ModelError::Cancelled)
            }
            reply => reply,
        }
    }

    /// The error to show: the limit, where one was the reason.
    fn cause(&self, error: ModelError) -> AnswerError {
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

    fn count_tokens(&self, text: &str) -> usize {
        self.model.count_tokens(text)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let left = self.time_left()?;
        let mut request = request.clone();
        let own_limit = request.timeout <= left;
        request.timeout = request.timeout.min(left);
        let reply = self.in_time(own_limit, self.model.chat(&request).await)?;
        self.trace.count_model_call(self.stage, &reply.usage);
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
        let left = self.time_left()?;
        let mut request = request.clone();
        let own_limit = request.timeout <= left;
        request.timeout = request.timeout.min(left);
        let reply = self.in_time(own_limit, self.model.score(&request).await)?;
        self.trace.count_model_call(self.stage, &reply.usage);
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
