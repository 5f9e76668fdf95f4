//! Composition over whole paths. The model sees the facts and the paths through them, and names the
//! path that leads to the answer and the operation on its values. Code takes the values, so that
//! none is lost or altered in copying.

use quipu_language::{Operation, TimeFrame};
use quipu_model::ChatRequest;
use serde::Deserialize;
use serde_json::json;

use super::reason::{ReplyOperation, ReplyStatus, frames, status_schema};
use crate::answer::{AnswerError, Evidence, Question, Stage, Status, cell, to_markdown};
use crate::ledger::Context;
use crate::prompts::Prompt;

/// Values of a path shown to the model.
const MOST_SHOWN: usize = 12;
/// Values that the model may pick.
const MOST_ANSWERS: usize = 20;

/// A path on offer.
#[derive(Debug, Clone, PartialEq)]
pub struct OfferedWay {
    /// The path in words, starting with the question's name.
    pub says: String,
    /// The probability that the question means it, 0 to 1.
    pub fit: f64,
    /// Its values, by name.
    pub values: Vec<String>,
}

/// The model's choice among the paths.
#[derive(Debug, Clone, PartialEq)]
pub struct WaysReply {
    /// Answered, abstained or invalid.
    pub status: Status,
    /// The model's reasoning.
    pub reasoning: String,
    /// The positions of the paths that lead to the answer.
    pub ways: Vec<usize>,
    /// The operation on their values.
    pub operation: Option<Operation>,
    /// The values that answer the question, in the model's spelling; empty if all do.
    pub some: Vec<String>,
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    reasoning: String,
    status: ReplyStatus,
    ways: Vec<String>,
    operation: ReplyOperation,
    all: bool,
    #[serde(default)]
    answers: Vec<String>,
}

/// Asks the model which of the paths answers the question: one call. Without `reasoning` it does
/// not think first (the paper's ablation "- CoT").
///
/// # Errors
/// The model's.
pub async fn compose_ways(
    context: &Context<'_>,
    question: &Question,
    time_frames: &[TimeFrame],
    evidence: &[Evidence],
    ways: &[OfferedWay],
    reasoning: bool,
) -> Result<WaysReply, AnswerError> {
    let ids: Vec<String> = (1..=ways.len()).map(|number| format!("W{number}")).collect();
    let mut properties = json!({
        "reasoning": { "type": "string", "maxLength": 400 },
        "status": status_schema(),
        "ways": { "type": "array", "items": { "type": "string", "enum": ids }, "maxItems": ways.len() },
        "operation": { "type": "string", "enum": [
            "none", "count", "sum", "average", "highest", "lowest", "difference", "ascending", "descending"
        ] },
        "all": { "type": "boolean" },
        "answers": { "type": "array", "items": { "type": "string", "maxLength": 200 }, "maxItems": MOST_ANSWERS }
    });
    let mut required = vec!["reasoning", "status", "ways", "operation", "all", "answers"];
    if !reasoning {
        required.remove(0);
        properties.as_object_mut().map(|fields| fields.remove("reasoning"));
    }
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let offered: Vec<_> = ids
        .iter()
        .zip(ways)
        .map(|(id, way)| {
            json!({ "id": id, "says": cell(&way.says), "fit": format!("{:.2}", way.fit), "values": way.shown() })
        })
        .collect();
    let messages = Prompt::KeragWays.render(json!({
        "asked_at": question.asked_at().date().to_string(),
        "time_frame": frames(time_frames),
        "facts": to_markdown(evidence),
        "ways": offered,
        "question": question.text(),
        "reasoning": reasoning,
    }))?;
    let request = ChatRequest::new("compose", messages).with_max_tokens(500);
    let reply: Reply = context.json(Stage::Compose, request, &schema).await?;
    let number = |id: &String| ids.iter().position(|known| known == id);
    Ok(WaysReply {
        status: reply.status.into(),
        reasoning: reply.reasoning,
        ways: reply.ways.iter().filter_map(number).collect(),
        operation: reply.operation.into(),
        some: if reply.all { Vec::new() } else { reply.answers },
    })
}

impl OfferedWay {
    fn shown(&self) -> String {
        let mut shown: Vec<String> = self.values.iter().take(MOST_SHOWN).map(|value| cell(value)).collect();
        if self.values.len() > MOST_SHOWN {
            shown.push(format!("… ({} in all)", self.values.len()));
        }
        shown.join("; ")
    }
}
