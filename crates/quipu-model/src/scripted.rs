//! A language model that replies by script, for tests and for reproducing a case by hand.

use std::collections::VecDeque;
use std::time::Duration;

use parking_lot::Mutex;

use crate::{
    Abilities, Alternative, ChatReply, ChatRequest, FinishReason, LanguageModel, Likelihood, ModelError,
    Price, ScoreReply, ScoreRequest, Usage,
};

/// The reaction of a [`ScriptedModel`] to a request.
#[derive(Debug)]
pub enum Scripted {
    /// Replies with this text.
    Text(String),
    /// Replies with this text, and with its likelihood if requested.
    Likely(Likelihood, String),
    /// Replies with these alternatives, if the request wants some, else with the first one.
    Alternatives(Vec<String>),
    /// Replies with this text, cut by the token limit.
    Cut(String),
    /// Replies with this text after a delay.
    Late(Duration, String),
    /// Fails.
    Fail(ModelError),
}

impl From<&str> for Scripted {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Scripted {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<ModelError> for Scripted {
    fn from(error: ModelError) -> Self {
        Self::Fail(error)
    }
}

type ChatRule = Box<dyn Fn(&ChatRequest) -> Option<Scripted> + Send + Sync>;
type ScoreRule = Box<dyn Fn(&ScoreRequest) -> Option<Vec<f64>> + Send + Sync>;

/// A language model that replies by rules and records its requests.
///
/// The next reply queued for the request's stage answers it, else the first rule with a reply.
/// Otherwise the call fails with the stage's name, so that a test cannot pass by accident.
///
/// ```
/// use quipu_model::{ChatRequest, LanguageModel, Message, ScriptedModel};
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// let model = ScriptedModel::new().on("plan", "two hops").when(|request| {
///     request.messages.last()?.content.contains("capital").then(|| "Lima".into())
/// });
/// let reply = model.chat(&ChatRequest::new("plan", vec![Message::user("How?")])).await.unwrap();
/// assert_eq!(reply.text, "two hops");
/// let reply = model.chat(&ChatRequest::new("compose", vec![Message::user("The capital?")])).await.unwrap();
/// assert_eq!(reply.text, "Lima");
/// assert_eq!(model.calls(), 2);
/// # });
/// ```
pub struct ScriptedModel {
    name: String,
    abilities: Abilities,
    price: Option<Price>,
    queues: Mutex<Vec<(String, VecDeque<Scripted>)>>,
    rules: Vec<ChatRule>,
    score_rules: Vec<ScoreRule>,
    asked: Mutex<Vec<ChatRequest>>,
    scored: Mutex<Vec<ScoreRequest>>,
}

impl Default for ScriptedModel {
    fn default() -> Self {
        Self::new()
    }
}

impl ScriptedModel {
    /// A model without a script, with all abilities and a context of 8192 tokens.
    pub fn new() -> Self {
        Self {
            name: "scripted".to_owned(),
            abilities: Abilities { constrained: true, grammar: true, score: true, context_tokens: 8192 },
            price: None,
            queues: Mutex::default(),
            rules: Vec::new(),
            score_rules: Vec::new(),
            asked: Mutex::default(),
            scored: Mutex::default(),
        }
    }

    /// Sets its abilities.
    pub fn with_abilities(mut self, abilities: Abilities) -> Self {
        self.abilities = abilities;
        self
    }

    /// Sets the price of its tokens.
    pub fn with_price(mut self, price: Price) -> Self {
        self.price = Some(price);
        self
    }

    /// Sets its name.
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Queues a reply for a stage; each is used once, in order.
    pub fn on(self, stage: impl Into<String>, reply: impl Into<Scripted>) -> Self {
        let stage = stage.into();
        {
            let mut queues = self.queues.lock();
            match queues.iter_mut().find(|(name, _)| *name == stage) {
                Some((_, queue)) => queue.push_back(reply.into()),
                None => queues.push((stage, VecDeque::from([reply.into()]))),
            }
        }
        self
    }

    /// Adds a rule. Its result is the reply; `None` passes the request on to the next rule.
    pub fn when(mut self, rule: impl Fn(&ChatRequest) -> Option<Scripted> + Send + Sync + 'static) -> Self {
        self.rules.push(Box::new(rule));
        self
    }

    /// Adds a rule that always replies with this text to a stage.
    pub fn always(self, stage: impl Into<String>, text: impl Into<String>) -> Self {
        let (stage, text) = (stage.into(), text.into());
        self.when(move |request| (request.stage == stage).then(|| text.clone().into()))
    }

    /// Adds a rule that gives the log-likelihood of each continuation.
    pub fn when_scoring(
        mut self,
        rule: impl Fn(&ScoreRequest) -> Option<Vec<f64>> + Send + Sync + 'static,
    ) -> Self {
        self.score_rules.push(Box::new(rule));
        self
    }

    /// All chat requests, in order.
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.asked.lock().clone()
    }

    /// All scoring requests, in order.
    pub fn score_requests(&self) -> Vec<ScoreRequest> {
        self.scored.lock().clone()
    }

    /// Number of chat and scoring calls.
    pub fn calls(&self) -> usize {
        self.asked.lock().len() + self.scored.lock().len()
    }

    /// Number of chat calls of a stage.
    pub fn calls_of(&self, stage: &str) -> usize {
        self.asked.lock().iter().filter(|request| request.stage == stage).count()
    }

    fn next(&self, request: &ChatRequest) -> Scripted {
        let queued = {
            let mut queues = self.queues.lock();
            queues
                .iter_mut()
                .find(|(stage, _)| *stage == request.stage)
                .and_then(|(_, queue)| queue.pop_front())
        };
        queued.or_else(|| self.rules.iter().find_map(|rule| rule(request))).unwrap_or_else(|| {
            Scripted::Fail(ModelError::Engine {
                model: self.name.clone(),
                reason: format!("the script has no reply for stage {:?}", request.stage),
            })
        })
    }

    fn usage(&self, messages: &[crate::Message], reply: &str, started: std::time::Instant) -> Usage {
        Usage {
            llm_calls: 1,
            prompt_tokens: messages.iter().map(|message| self.count_tokens(&message.content) as u64).sum(),
            completion_tokens: self.count_tokens(reply) as u64,
            seconds: started.elapsed().as_secs_f64(),
            ..Usage::default()
        }
    }
}

#[async_trait::async_trait]
impl LanguageModel for ScriptedModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn abilities(&self) -> Abilities {
        self.abilities
    }

    fn price(&self) -> Option<Price> {
        self.price
    }

    /// One token for each four bytes, rounded up.
    fn count_tokens(&self, text: &str) -> usize {
        text.len().div_ceil(4)
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let started = std::time::Instant::now();
        self.asked.lock().push(request.clone());
        let mut likelihood = None;
        let (text, finish) = match self.next(request) {
            Scripted::Likely(how, text) => {
                likelihood = request.likelihood.then_some(how);
                (text, FinishReason::Stop)
            }
            Scripted::Alternatives(mut texts) => {
                if request.alternatives.is_some() {
                    let of_one = |text| Alternative { text, likelihood: None };
                    let usage = self.usage(&request.messages, &texts.concat(), started);
                    let alternatives = texts.into_iter().map(of_one).collect();
                    return Ok(ChatReply { alternatives, usage, ..ChatReply::default() });
                }
                texts.truncate(1);
                (texts.concat(), FinishReason::Stop)
            }
            Scripted::Text(text) => (text, FinishReason::Stop),
            Scripted::Cut(text) => (text, FinishReason::Length),
            Scripted::Late(delay, text) => {
                tokio::time::timeout(request.timeout, tokio::time::sleep(delay))
                    .await
                    .map_err(|_| ModelError::TimedOut { model: self.name.clone(), limit: request.timeout })?;
                (text, FinishReason::Stop)
            }
            Scripted::Fail(error) => return Err(error),
        };
        let usage = self.usage(&request.messages, &text, started);
        let (text, thinking) = crate::thinking::split_thinking(&text);
        let reply = ChatReply { text, thinking, finish, usage, likelihood, ..ChatReply::default() };
        Ok(reply.answering(request))
    }

    async fn score(&self, request: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        let started = std::time::Instant::now();
        self.scored.lock().push(request.clone());
        if !self.abilities.score {
            return Err(ModelError::Unsupported { model: self.name.clone(), ability: "score continuations" });
        }
        let given = self.score_rules.iter().find_map(|rule| rule(request));
        // A stage without scores acts like a model that cannot score.
        let given = given.filter(|scores| scores.len() == request.continuations.len());
        let given = given.ok_or_else(|| ModelError::Unsupported {
            model: self.name.clone(),
            ability: "score continuations",
        })?;
        let tokens =
            request.continuations.iter().map(|text| u32::try_from(self.count_tokens(text)).unwrap_or(1));
        let scores = given.into_iter().zip(tokens).collect();
        Ok(ScoreReply {
            scores,
            usage: self.usage(&request.messages, &request.continuations.concat(), started),
        })
    }
}
