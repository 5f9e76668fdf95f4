//! KERAG's first planning step: domain, topic entities, time frame and operation, in one call (§4.2
//! step 1, App. I.1). Dates are computed by code from the words that the model points at.

use quipu_language::{Operation, TimeFrame, time_frames_with};
use quipu_model::ChatRequest;
use serde::Deserialize;
use serde_json::json;

use crate::answer::{AnswerError, Event, Question, Stage};
use crate::ledger::Context;
use crate::plan::{OfferedPair, with_solved};
use crate::prompts::Prompt;

/// The topic of the question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Topic {
    /// One of the domains offered, or `other`.
    pub domain: String,
    /// Names to start from, as the question writes them.
    pub entities: Vec<String>,
    /// The time frames in the question.
    pub time_frames: Vec<TimeFrame>,
    /// The operation on the values found; `None` if the values are the answer.
    pub operation: Option<Operation>,
    /// The offered pair that the question asks for, counted from 0.
    pub pair: Option<usize>,
}

#[derive(Deserialize)]
struct Reply {
    domain: String,
    entities: Vec<String>,
    time: String,
    #[serde(default)]
    pair: usize,
    operation: String,
}

/// Reads the question: one call. `domains` are the graph's types with the most entities; `names`
/// are names of the graph that occur in the question; `pairs` are proposed by 3-grams, and the
/// model may choose one of them (App. E).
///
/// # Errors
/// The model's.
pub async fn read_topic(
    context: &Context<'_>,
    question: &Question,
    domains: &[String],
    names: &[String],
    pairs: &[OfferedPair],
) -> Result<Topic, AnswerError> {
    let described: Vec<String> = pairs.iter().map(OfferedPair::describe).collect();
    let values = json!({
        "domains": domains, "candidates": names, "pairs": described, "question": question.text()
    });
    let messages = with_solved(context, question.text(), Prompt::KeragPlan.render(values)?).await?;
    let request = ChatRequest::new("plan.topic", messages).with_max_tokens(200);
    let mut allowed: Vec<&str> = domains.iter().map(String::as_str).collect();
    allowed.push("other");
    let schema = json!({
        "type": "object",
        "properties": {
            "domain": { "type": "string", "enum": allowed },
            "entities": { "type": "array", "items": { "type": "string", "maxLength": 120 }, "maxItems": 4 },
            "time": { "type": "string", "maxLength": 60 },
            "pair": { "type": "integer", "minimum": 0, "maximum": pairs.len() },
            "operation": { "type": "string", "enum": [
                "list", "count", "sum", "average", "highest", "lowest", "difference", "ascending", "descending"
            ] }
        },
        "required": ["domain", "entities", "time", "pair", "operation"]
    });
    let reply: Reply = context.json(Stage::Plan, request, &schema).await?;
    let mut frames = context.times(question);
    if frames.is_empty() {
        frames = time_frames_with(&reply.time, question.asked_at().date(), context.calendar());
    }
    let operation = serde_json::from_value(json!(reply.operation)).ok();
    let pair = reply.pair.checked_sub(1).filter(|at| *at < pairs.len());
    let topic =
        Topic { domain: reply.domain, entities: reply.entities, time_frames: frames, operation, pair };
    context.trace.report(Stage::Plan, Event::Read { reading: topic.describe() });
    Ok(topic)
}

impl Topic {
    fn describe(&self) -> String {
        let operation = self.operation.map_or("list", Operation::name);
        let mut words = format!("domain {}; start at {}; {operation}", self.domain, self.entities.join(", "));
        for frame in &self.time_frames {
            words.push_str(&format!("; {} is {} to {}", frame.text, frame.from, frame.to));
        }
        words
    }
}
