//! The conversation of an agent with the graph: a call, what it found, the next call. Function calling and ReAct differ in how a
//! call is written.

use quipu_model::{Message, ModelError};

use super::toolbox::{Observation, Toolbox};
use crate::answer::{AnswerError, Event, Outcome, Question, Stage};
use crate::compose::answer_from;
use crate::ledger::Context;
use crate::plan::with_solved;
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

/// What an agent does in one round.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Action {
    Find(String),
    /// Find, with the relations in full.
    Relations(String),
    Expand(String, String),
    Read(String),
    Finish,
}

/// Who decides on the next action.
pub(super) trait Agent {
    /// The next action, given the conversation so far, and the words in which it was asked for. With `may_finish` false it is not to
    /// be the end: small models like to stop once they know where to look.
    async fn next(
        &self,
        context: &Context<'_>,
        messages: &[Message],
        may_finish: bool,
    ) -> Result<(Action, String), AnswerError>;
}

/// What an agent came to, and on the way its calls with what each found.
pub(super) struct Attempt {
    pub(super) outcome: Outcome,
    pub(super) steps: Vec<String>,
}

/// Lets the agent act until it is done, its rounds are used up, or one call is left to compose with; then composes.
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
        if context.calls_left() <= 1 {
            break;
        }
        let (action, words) = match agent.next(context, &messages, toolbox.may_hold_an_answer()).await {
            Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
                let reason = format!("{error}; the answer is composed from what was found");
                context.trace.report(Stage::Plan, Event::Degraded { reason });
                break;
            }
            next => next?,
        };
        // A second repetition, and a second wish to end with nothing, are the end.
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
        // The question stands below what was found; a reflection has it anyway.
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
