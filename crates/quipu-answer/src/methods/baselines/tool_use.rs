//! Function calling: the model looks things up by `find`, `relations` and `expand`, round by round,
//! until it calls `finish`; then the answer is composed from the expanded triples. R + 1 calls for
//! R rounds.
//!
//! Uses the endpoint's own function calling if it has it; otherwise the calls are JSON that must
//! fit the functions' schemas.

use quipu_model::{ChatRequest, Message, Tool, ToolCall};
use quipu_stages::answer::{AnswerError, Outcome, Question, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::prompts::{Prompt, graph_tools};
use serde_json::{Value, json};

use super::rounds::{Action, Agent, RoundsConfig, converse};

/// The function that ends the search.
const FINISH: &str = "finish";

/// The agent that calls functions.
struct Caller;

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &RoundsConfig,
) -> Result<Outcome, AnswerError> {
    let messages = Prompt::ToolUse.render(json!({ "question": question.text() }))?;
    Ok(converse(context, question, messages, &Caller, config).await?.outcome)
}

impl Agent for Caller {
    async fn next(
        &self,
        context: &Context<'_>,
        messages: &[Message],
        may_finish: bool,
    ) -> Result<(Action, String), AnswerError> {
        let _timer = context.ledger.enter(Stage::Plan);
        let request = ChatRequest::new("plan.tool", messages.to_vec()).with_max_tokens(150);
        let allowed = |tool: &&Tool| may_finish || tool.name != FINISH;
        let tools: Vec<Tool> = graph_tools().iter().filter(allowed).cloned().collect();
        let call = context.tool(Stage::Plan, request, &tools).await?;
        let words = serde_json::to_string(&call).unwrap_or_default();
        Ok((action(&call), words))
    }
}

fn action(call: &ToolCall) -> Action {
    let argument =
        |name: &str| call.arguments.get(name).and_then(Value::as_str).unwrap_or_default().trim().to_owned();
    match call.tool.as_str() {
        "find" => Action::Find(argument("name")),
        "relations" => Action::Relations(argument("entity")),
        "expand" => Action::Expand(argument("entity"), argument("relation")),
        _ => Action::Finish,
    }
}
