//! ReAct (Yao et al., 2023): a thought, an action, its observation, the next thought, until the
//! model finishes; then the answer is composed from the observations. R + 1 calls for R rounds.
//!
//! The actions are those of HybGRAG's ReAct (App. C.1.2) for a graph: its "extract entity relation
//! domain" and "search KG" are `search` and `follow`; its "search web" is `read`, offered if the
//! graph has documents.

use quipu_model::{ChatRequest, Message};
use quipu_stages::answer::{AnswerError, Outcome, Question, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::prompts::Prompt;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::rounds::{Action, Agent, Attempt, RoundsConfig, converse};

/// The agent that thinks before each action.
struct Thinker {
    /// Whether the graph has documents to read.
    documents: bool,
}

#[derive(Serialize, Deserialize)]
struct Step {
    #[serde(default)]
    thought: String,
    action: String,
    #[serde(default)]
    entity: String,
    #[serde(default)]
    relation: String,
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &RoundsConfig,
) -> Result<Outcome, AnswerError> {
    Ok(attempt(context, question, &[], config).await?.outcome)
}

/// One search from the beginning, with the lessons of earlier attempts (Reflexion).
pub(super) async fn attempt(
    context: &Context<'_>,
    question: &Question,
    lessons: &[String],
    config: &RoundsConfig,
) -> Result<Attempt, AnswerError> {
    let documents = context.workspace.documents().is_some();
    let values = json!({ "documents": documents, "lessons": lessons, "question": question.text() });
    let messages = Prompt::React.render(values)?;
    converse(context, question, messages, &Thinker { documents }, config).await
}

fn schema(documents: bool, may_finish: bool) -> Value {
    let actions = [("search", true), ("follow", true), ("read", documents), ("finish", may_finish)];
    let actions: Vec<&str> =
        actions.into_iter().filter(|(_, allowed)| *allowed).map(|(action, _)| action).collect();
    json!({
        "type": "object",
        "properties": {
            "thought": { "type": "string", "maxLength": 300 },
            "action": { "type": "string", "enum": actions },
            "entity": { "type": "string", "maxLength": 120 },
            "relation": { "type": "string", "maxLength": 120 }
        },
        "required": ["thought", "action", "entity", "relation"]
    })
}

impl Agent for Thinker {
    async fn next(
        &self,
        context: &Context<'_>,
        messages: &[Message],
        may_finish: bool,
    ) -> Result<(Action, String), AnswerError> {
        let _timer = context.ledger.enter(Stage::Plan);
        let request = ChatRequest::new("plan.react", messages.to_vec()).with_max_tokens(200);
        let step: Step = context.json(Stage::Plan, request, &schema(self.documents, may_finish)).await?;
        let words = serde_json::to_string(&step).unwrap_or_default();
        let (entity, relation) = (step.entity.trim().to_owned(), step.relation.trim().to_owned());
        let action = match step.action.as_str() {
            "search" => Action::Find(entity),
            "follow" => Action::Expand(entity, relation),
            "read" => Action::Read(entity),
            _ => Action::Finish,
        };
        Ok((action, words))
    }
}
