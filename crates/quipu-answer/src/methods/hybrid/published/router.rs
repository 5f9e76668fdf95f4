//! The router (HybGRAG §3.1, App. C.2): topic entities and useful relations first, then the module,
//! in one conversation with the model: two calls a round. From the second round on it is told the
//! error.

use quipu_graph::Step;
use quipu_model::{ChatRequest, Constraint, Message, ModelError};
use quipu_stages::answer::{AnswerError, Event, Stage, cell};
use quipu_stages::ledger::Context;
use quipu_stages::prompts::Prompt;
use serde_json::{Value, json};

use crate::methods::hybrid::experience::{Experiences, Extracted};
use crate::methods::hybrid::feedback::Feedback;
use crate::methods::hybrid::linking::{Extraction, Named, extraction_schema, link, vocabulary};
use crate::methods::hybrid::{HybridConfig, Modules};

/// The action of one round.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Action {
    /// Whether the action uses the text module.
    pub(super) is_text: bool,
    pub(super) entities: Vec<Named>,
    /// Names of the useful relations.
    pub(super) relations: Vec<String>,
    /// Both directions of each relation.
    pub(super) steps: Vec<Step>,
}

pub(super) struct Router<'a> {
    context: &'a Context<'a>,
    question: &'a str,
    config: &'a HybridConfig,
    /// The conversation so far; it gives the examples only once (§4.3).
    conversation: Vec<Message>,
}

impl<'a> Router<'a> {
    pub(super) fn new(context: &'a Context<'a>, question: &'a str, config: &'a HybridConfig) -> Self {
        Self { context, question, config, conversation: Vec::new() }
    }

    /// The action of a round: two calls.
    ///
    /// # Errors
    /// The model's, the graph's, the indexes'.
    pub(super) async fn route(
        &mut self,
        round: usize,
        feedback: Option<&Feedback>,
    ) -> Result<Action, AnswerError> {
        if self.config.modules == Modules::Text {
            return Ok(Action { is_text: true, ..Action::default() });
        }
        let _timer = self.context.ledger.enter(Stage::Plan);
        let extraction = match self.extract(round, feedback).await {
            Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
                let reason = format!("{error}; the text module takes the question");
                self.context.trace.report(Stage::Plan, Event::Degraded { reason });
                return Ok(Action { is_text: true, ..Action::default() });
            }
            extraction => extraction?,
        };
        let is_text = self.config.modules != Modules::Graph && self.chooses_text(round).await?;
        let senses = self.config.requirements.senses;
        let linked = link(self.context, round, extraction, senses).await?;
        Ok(Action { is_text, entities: linked.entities, relations: linked.relations, steps: linked.steps })
    }

    /// The first call: extracts entities and relations, again after feedback.
    async fn extract(
        &mut self,
        round: usize,
        feedback: Option<&Feedback>,
    ) -> Result<Extraction, AnswerError> {
        if round == 1 {
            let values = self.shown().await?;
            self.conversation = Prompt::HybridExtract.render(values)?;
        } else {
            let told = feedback.map(|f| json!({ "kind": f.kind.name(), "name": cell(&f.name) }));
            let values = json!({ "feedback": told, "question": self.question });
            self.conversation.extend(Prompt::HybridReflect.render(values)?);
        }
        let request = ChatRequest::new("plan.extract", self.conversation.clone()).with_max_tokens(300);
        let reply: Value = self.context.json(Stage::Plan, request, &extraction_schema()).await?;
        self.conversation.push(Message::assistant(reply.to_string()));
        Ok(serde_json::from_value(reply).unwrap_or_default())
    }

    /// The material before the question: kinds, relations, training examples.
    async fn shown(&self) -> Result<Value, AnswerError> {
        let graph = self.context.graph();
        let (types, relations) = vocabulary(graph).await?;
        let examples = self.context.memory::<Experiences>().extracted("", self.config.examples);
        Ok(json!({
            "documents": true,
            "types": types,
            "relations": relations,
            "examples": examples.iter().map(Extracted::shown).collect::<Vec<_>>(),
            "question": self.question,
        }))
    }

    /// The second call: whether text suits the question better, given the extraction.
    async fn chooses_text(&mut self, round: usize) -> Result<bool, AnswerError> {
        self.conversation.extend(Prompt::HybridModule.render(json!({ "again": round > 1 }))?);
        let request = ChatRequest::new("plan.route", self.conversation.clone())
            .with_constraint(Constraint::Choice(vec!["graph".into(), "text".into()]))
            .with_max_tokens(4);
        let said = self.context.chat(Stage::Plan, request).await?.text.trim().to_lowercase();
        let is_text = said.starts_with("text");
        self.conversation.push(Message::assistant(if is_text { "text" } else { "graph" }));
        Ok(is_text)
    }
}

#[cfg(test)]
mod tests;
