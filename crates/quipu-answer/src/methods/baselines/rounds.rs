//! The conversation of an agent with the graph: a call, its observation, the next call. Function
//! calling and ReAct differ only in how a call is written.

use quipu_model::{Message, ModelError};
use quipu_stages::answer::{AnswerError, Event, Outcome, Question, Stage};
use quipu_stages::compose::answer_from;
use quipu_stages::ledger::Context;
use quipu_stages::plan::with_solved;

use super::toolbox::{Observation, Toolbox};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RoundsConfig {
    /// Most rounds before the answer is composed (8).
    pub rounds: usize,
}

impl Default for RoundsConfig {
    fn default() -> Self {
        Self { rounds: 8 }
    }
}

/// An agent's action in one round.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Action {
    Find(String),
    /// As `Find`, with the relations in full.
    Relations(String),
    Expand(String, String),
    Read(String),
    Finish,
}

/// The agent: decides on the next action.
pub(super) trait Agent {
    /// The next action, given the conversation so far, and the model's own words for it. With
    /// `may_finish` false the agent may not finish, because small models like to stop once they
    /// know where to look.
    async fn next(
        &self,
        context: &Context<'_>,
        messages: &[Message],
        may_finish: bool,
    ) -> Result<(Action, String), AnswerError>;
}

/// The outcome of an agent, with its calls and their observations.
pub(super) struct Attempt {
    pub(super) outcome: Outcome,
    pub(super) steps: Vec<String>,
}

/// Lets the agent act until it finishes, its rounds are used up, or one call is left; then composes
/// the answer.
pub(super) async fn converse(
    context: &Context<'_>,
    question: &Question,
    mut messages: Vec<Message>,
    agent: &impl Agent,
    config: &RoundsConfig,
) -> Result<Attempt, AnswerError> {
    messages = with_solved(context, question.text(), messages).await?;
    let mut toolbox = Toolbox::new(context, question.text());
    let mut done: Vec<Action> = Vec::new();
    let mut steps: Vec<String> = Vec::new();
    for _ in 0..config.rounds {
        if !context.has_calls_beyond(1) {
            break;
        }
        let (action, words) = match agent.next(context, &messages, toolbox.may_hold_an_answer()).await {
            Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
                let reason = format!("{error}; the answer is composed from the evidence found so far");
                context.trace.report(Stage::Plan, Event::Degraded { reason });
                break;
            }
            next => next?,
        };
        // The second repetition of an action ends the search, and so does a second attempt to
        // finish with nothing found.
        let repeated = done.contains(&action);
        if (action == Action::Finish && (repeated || !toolbox.is_empty()))
            || done.iter().filter(|a| **a == action).count() > 1
        {
            steps.push(words);
            break;
        }
        let observation = if action == Action::Finish {
            Observation::NothingYet
        } else if repeated {
            Observation::Repeated
        } else {
            let _timer = context.ledger.enter(Stage::Retrieve);
            act(&mut toolbox, &action).await?
        };
        done.push(action);
        let found = observation.to_message(question.text())?;
        // The question stands below the observation; a reflection gets it separately.
        let told = found.content.rsplit_once('\n').map_or("", |(told, _)| told);
        steps.push(format!("{words}\n{told}"));
        messages.push(Message::assistant(words));
        messages.push(found);
    }
    let found = toolbox.into_evidence().await?;
    let outcome = answer_from(context, question, found, 0.5).await?;
    Ok(Attempt { outcome, steps })
}

async fn act(toolbox: &mut Toolbox<'_>, action: &Action) -> Result<Observation, AnswerError> {
    match action {
        Action::Find(name) => toolbox.find(name).await,
        Action::Relations(entity) => toolbox.relations(entity).await,
        Action::Expand(entity, relation) => toolbox.expand(entity, relation).await,
        Action::Read(entity) => toolbox.read(entity).await,
        Action::Finish => Ok(Observation::NothingYet),
    }
}
