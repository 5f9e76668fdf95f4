//! Picks several of a numbered list by model.

use std::ops::RangeInclusive;

use quipu_model::{ChatRequest, ModelError};
use serde::Deserialize;
use serde_json::json;

use crate::answer::{AnswerError, Event, Stage};
use crate::ledger::Context;

/// Tokens of a reply: of each number with its comma and blank, and of the shortest list with room for what stands around it.
const OF_NUMBER: u32 = 5;
const LEAST_TOKENS: u32 = 60;

#[derive(Deserialize)]
struct Reply {
    numbers: Vec<usize>,
}

/// Asks which of `options` numbered things (from 1) to keep: one call, held to the numbers. Gives indexes from 0, best first,
/// each once, as many as `wanted` says, but for repetitions; none where the reply cannot be read, which the trace then says.
///
/// # Errors
/// The model's, but for an unreadable reply.
pub async fn pick_numbers(
    context: &Context<'_>,
    stage: Stage,
    request: ChatRequest,
    options: usize,
    wanted: RangeInclusive<usize>,
) -> Result<Vec<usize>, AnswerError> {
    let schema = json!({
        "type": "object",
        "properties": { "numbers": {
            "type": "array",
            "items": { "type": "integer", "minimum": 1, "maximum": options },
            "minItems": wanted.start(),
            "maxItems": wanted.end()
        } },
        "required": ["numbers"]
    });
    let tokens = u32::try_from(*wanted.end()).unwrap_or(u32::MAX).saturating_mul(OF_NUMBER).max(LEAST_TOKENS);
    let reply: Reply = match context.json(stage, request.with_max_tokens(tokens), &schema).await {
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
            let reason = format!("{error}; nothing was picked");
            context.trace.report(stage, Event::Degraded { reason });
            Reply { numbers: Vec::new() }
        }
        reply => reply?,
    };
    let mut picked: Vec<usize> = Vec::new();
    for number in reply.numbers {
        if (1..=options).contains(&number) && !picked.contains(&(number - 1)) {
            picked.push(number - 1);
        }
    }
    picked.truncate(*wanted.end());
    Ok(picked)
}
