//! Scores by an endpoint that returns the log-probabilities of a prompt (`/completions` with `echo`
//! and `logprobs`).

use std::time::Instant;

use serde::Deserialize;
use serde_json::json;

use super::endpoint::{Endpoint, MOST_TOKENS, unreadable};
use crate::{ModelError, Role, ScoreReply, ScoreRequest, Usage};

/// Scores all continuations in one request: each is a separate prompt, echoed with its
/// log-probabilities.
pub(super) async fn score(
    endpoint: &Endpoint,
    name: &str,
    model: &str,
    request: &ScoreRequest,
) -> Result<ScoreReply, ModelError> {
    let started = Instant::now();
    let prompt = plain_prompt(request);
    let prompts: Vec<String> = request.continuations.iter().map(|text| format!("{prompt}{text}")).collect();
    let body = json!({ "model": model, "prompt": prompts, "echo": true, "logprobs": 1, "max_tokens": 1, "temperature": 0 });
    let reply = match endpoint.post(name, "completions", &body, request.timeout).await {
        Err(ModelError::Refused { status: 400 | 404 | 405 | 422 | 501, .. }) => {
            return Err(ModelError::Unsupported { model: name.to_owned(), ability: "score continuations" });
        }
        other => other?,
    };
    let raw = reply.to_string();
    let read = |reason: String| unreadable(name, reason, raw.as_bytes());
    let mut completions: Completions =
        serde_json::from_value(reply).map_err(|error| read(error.to_string()))?;
    completions.choices.sort_by_key(|choice| choice.index);
    if completions.choices.len() != request.continuations.len() {
        return Err(read(format!(
            "expected {} choices, found {}",
            request.continuations.len(),
            completions.choices.len()
        )));
    }
    let start = prompt.chars().count();
    let scores = completions
        .choices
        .iter()
        .zip(&request.continuations)
        .map(|(choice, continuation)| choice.sum(start, start + continuation.chars().count()))
        .collect::<Option<Vec<_>>>()
        .ok_or(ModelError::Unsupported { model: name.to_owned(), ability: "score continuations" })?;
    let usage = Usage {
        llm_calls: 1,
        prompt_tokens: completions.usage.map_or(0, |usage| usage.prompt_tokens.min(MOST_TOKENS)),
        seconds: started.elapsed().as_secs_f64(),
        ..Usage::default()
    };
    Ok(ScoreReply { scores, usage })
}

/// The conversation as plain text, because the template of an endpoint's model is unknown.
fn plain_prompt(request: &ScoreRequest) -> String {
    let mut prompt = String::new();
    for message in &request.messages {
        let speaker = match message.role {
            Role::System => "",
            Role::User => "Question: ",
            Role::Assistant => "Answer: ",
        };
        prompt.push_str(speaker);
        prompt.push_str(&message.content);
        prompt.push_str("\n\n");
    }
    prompt.push_str("Answer: ");
    prompt
}

#[derive(Deserialize)]
struct Completions {
    choices: Vec<Choice>,
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default)]
    prompt_tokens: u64,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: usize,
    logprobs: Option<LogProbabilities>,
}

#[derive(Deserialize)]
struct LogProbabilities {
    token_logprobs: Vec<Option<f64>>,
    text_offset: Vec<usize>,
}

impl Choice {
    /// Sum and number of the tokens that begin inside `start..end`. A token across the start counts
    /// too. `None` for logarithms whose sum is no number.
    fn sum(&self, start: usize, end: usize) -> Option<(f64, u32)> {
        let given = self.logprobs.as_ref()?;
        let ends = given.text_offset.iter().skip(1).copied().chain([usize::MAX]);
        let (mut sum, mut count) = (0.0, 0);
        for ((&from, to), logprob) in given.text_offset.iter().zip(ends).zip(&given.token_logprobs) {
            if to > start && from < end {
                sum += (*logprob)?;
                count += 1;
            }
        }
        f64::is_finite(sum).then_some((sum, count))
    }
}
