//! Lets the model pick several entries of a numbered list.

use std::ops::RangeInclusive;

use quipu_model::{ChatRequest, ModelError};
use serde::Deserialize;
use serde_json::json;

use crate::answer::{AnswerError, Event, Stage};
use crate::ledger::Context;

/// Tokens of a reply: for each number with its comma and blank, and the minimum, which includes the
/// rest of the reply.
const OF_NUMBER: u32 = 5;
const LEAST_TOKENS: u32 = 60;

#[derive(Deserialize)]
struct Reply {
    numbers: Vec<usize>,
}

/// Asks which of `options` numbered entries (from 1) to keep: one call, restricted to the numbers.
/// Returns indexes from 0, best first, each once, as many as `wanted` allows; repetitions may make
/// them fewer. An unreadable reply gives none and is noted in the trace.
///
/// # Errors
/// The model's, except an unreadable reply.
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
