//! Estimates the cost of a question before a model is asked: the method runs up to its first calls,
//! whose prompts are counted and not sent.

use std::sync::Arc;

use parking_lot::Mutex;
use quipu_model::{
    Abilities, ChatReply, ChatRequest, LanguageModel, Message, ModelError, Price, ScoreReply, ScoreRequest,
};
use quipu_stages::answer::{AnswerError, Cost, Question};
use quipu_stages::ledger::Limits;
use quipu_stages::planners::Planner;
use serde::Serialize;

use super::{AskOptions, Engine};
use crate::methods::{Method, MethodConfig};

/// Tokens of a usual reply: a query, or a few names as JSON. A guess; the maximum cost does not
/// depend on it.
const USUAL_REPLY: u64 = 60;
/// Tokens of a message besides its words: role and separators.
const MESSAGE: usize = 8;

/// The estimated cost of a question.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// The method.
    pub method: &'static str,
    /// The language model; `none` without one.
    pub llm: String,
    /// The expected cost; nothing if the method needs no model for it.
    pub expected: Estimated,
    /// The maximum cost: the method's bound on calls, each as long as the model's context, within
    /// the limits.
    pub most: Estimated,
}

/// Calls, tokens and money.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Estimated {
    /// Model calls.
    pub calls: u32,
    /// Tokens of their prompts and replies.
    pub tokens: u64,
    /// Their cost, if the model's price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// A call that the method wanted to make.
struct Seen {
    prompt: u64,
    reply: u64,
}

/// Stands in for a model: counts the requests and replies to none.
struct Probe {
    model: Arc<dyn LanguageModel>,
    seen: Mutex<Vec<Seen>>,
}

impl Probe {
    fn count(&self, messages: &[Message], reply: u64) -> ModelError {
        let prompt = messages.iter().map(|m| self.model.count_tokens(&m.content) + MESSAGE).sum::<usize>();
        self.seen.lock().push(Seen { prompt: prompt as u64, reply });
        ModelError::Cancelled
    }
}

#[async_trait::async_trait]
impl LanguageModel for Probe {
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
        Err(self.count(&request.messages, u64::from(request.max_tokens)))
    }

    async fn score(&self, request: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        let scored = request.continuations.iter().map(|text| self.model.count_tokens(text) as u64).sum();
        Err(self.count(&request.messages, scored))
    }
}

impl Engine {
    /// The price of the language model's tokens, if known.
    ///
    /// # Errors
    /// [`AnswerError::Usage`] if the cost is limited and the price is unknown.
    pub(super) fn price(&self, limits: Limits) -> Result<Option<Price>, AnswerError> {
        let model = self.language_model();
        let price = model.as_ref().and_then(|model| model.price());
        if limits.cost.is_some() && price.is_none() && model.is_some() {
            let name = self.model_name();
            return Err(AnswerError::Usage(format!(
                "the price of {name} is not known, so its cost cannot be limited; set it in quipu.toml: \
                 [prices.{name:?}] with input and output, per million tokens"
            )));
        }
        Ok(price)
    }

    /// The expected and the maximum cost of a question by the method of `options`. The graph is
    /// asked as for an answer; no model is asked, and nothing is learnt.
    ///
    /// # Errors
    /// As [`Engine::ask`], without the model's errors.
    pub async fn estimate(&self, question: &Question, options: &AskOptions) -> Result<Estimate, AnswerError> {
        let AskOptions { method, config, limits, .. } = options;
        let (method, limits) = (*method, *limits);
        let llm = self.model_name().to_owned();
        let price = self.price(limits)?;
        let nothing =
            Estimated { cost: price.map(|p| Cost::new(p.at_most(0, 0), p.currency)), ..Estimated::default() };
        let none = Estimate { method: method.name(), llm, expected: nothing.clone(), most: nothing };
        let Some(model) = self.language_model() else {
            // Fails if the method needs a model.
            self.ask(question, options).await?;
            return Ok(none);
        };
        let context = model.abilities().context_tokens as u64;
        let probe = Arc::new(Probe { model, seen: Mutex::default() });
        let unsent = self.clone().with_model(Some(probe.clone()));
        let outcome = unsent.ask(question, &AskOptions { learn: false, sink: None, ..options.clone() }).await;
        let seen = std::mem::take(&mut *probe.seen.lock());
        if seen.is_empty() {
            outcome?;
            return Ok(none);
        }
        let (usual, most) = calls(method, config);
        let (usual, most) = (usual.max(u32::try_from(seen.len()).unwrap_or(u32::MAX)), most);
        let expected = usually(&seen, usual.min(limits.llm_calls), limits, price);
        let most = at_most(most.max(usual).min(limits.llm_calls), context, limits, price);
        Ok(Estimate { expected, most, ..none })
    }
}

/// The cost of `calls` calls like those seen, with usual replies.
fn usually(seen: &[Seen], calls: u32, limits: Limits, price: Option<Price>) -> Estimated {
    let number = seen.len().max(1) as u64;
    let prompt = seen.iter().map(|seen| seen.prompt).sum::<u64>() * u64::from(calls) / number;
    let replies =
        seen.iter().map(|seen| seen.reply.min(USUAL_REPLY)).sum::<u64>() * u64::from(calls) / number;
    let cost = price.map(|price| {
        let cost = price.at_most(prompt, replies);
        Cost::new(limits.cost.map_or(cost, |most| cost.min(most)), price.currency)
    });
    Estimated { calls, tokens: (prompt + replies).min(limits.tokens), cost }
}

/// The cost of calls that each fill the model's context.
fn at_most(calls: u32, context: u64, limits: Limits, price: Option<Price>) -> Estimated {
    let tokens = u64::from(calls).saturating_mul(context).min(limits.tokens);
    let cost = price.map(|price| {
        let cost = price.dearest(tokens);
        Cost::new(limits.cost.map_or(cost, |most| cost.min(most)), price.currency)
    });
    Estimated { calls, tokens, cost }
}

/// The usual and the maximum number of calls of a method (docs/methods.md); a method without a
/// bound of its own has the question's. Any reply may need one more call to repair it.
fn calls(method: Method, config: &MethodConfig) -> (u32, u32) {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let repaired = |calls: u32| (calls, calls.saturating_mul(2));
    match method {
        Method::Auto => (1, config.auto.llm_calls),
        Method::Query => {
            let repair = u32::from(config.query.repair);
            (1, 1 + repair + u32::from(config.query.alternatives > 0))
        }
        // With paths, learning cards and meanings adds calls, once for each workspace.
        Method::Kerag if config.planner == Planner::Paths => (2, u32::MAX),
        Method::Kerag => repaired(config.kerag.max_hops.saturating_add(3)),
        Method::Io
        | Method::Cot
        | Method::QuestionMatch
        | Method::Graph
        | Method::Text
        | Method::MultiVector
        | Method::TextGraph => repaired(1),
        Method::SelfConsistency => repaired(config.self_consistency.samples),
        Method::ToolUse => agent(number(config.tool_use.rounds)),
        Method::React => agent(number(config.react.rounds)),
        Method::Tog => {
            let (width, depth) = (number(config.tog.width), config.tog.depth);
            repaired(width.saturating_mul(depth).saturating_add(depth).saturating_add(2))
        }
        Method::StructGpt => repaired(config.structgpt.depth.saturating_mul(2)),
        Method::PlanOnGraph => repaired(config.plan_on_graph.depth.saturating_mul(4).saturating_add(1)),
        Method::Reflexion => {
            let attempts = number(config.reflexion.attempts.max(1));
            let (usual, most) = agent(number(config.reflexion.rounds));
            (usual, most.saturating_add(2).saturating_mul(attempts))
        }
        Method::Corrective => (2, 6),
        Method::Verify => (2, 8),
        Method::Anchor => match config.planner {
            Planner::Published => repaired(config.anchor.most_calls()),
            Planner::Paths => (1, u32::MAX),
            Planner::Query => (2, u32::MAX),
        },
        Method::Paths => (1, u32::MAX),
        Method::Pseudo if config.planner == Planner::Published => repaired(3),
        Method::Pseudo => (2, u32::MAX),
        Method::Hybrid => (3, u32::MAX),
    }
}

/// The calls of an agent with this many rounds; half of them are usual.
fn agent(rounds: u32) -> (u32, u32) {
    ((rounds / 2).saturating_add(1), rounds.saturating_add(1).saturating_mul(2))
}
