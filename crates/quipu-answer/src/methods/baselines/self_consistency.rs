//! Self-consistency (Wang et al., 2023): several samples of the model's own thinking, and a vote.
//! One call a sample.
//!
//! The vote is on each value, because an answer may be a list. A value wins if more than half of
//! the samples give it. If none does, the values with the most votes win; if no value has two
//! votes, the first sample that gives any value wins.

use quipu_language::normalise;
use quipu_model::ModelError;

use quipu_stages::answer::{AnswerError, Event, Outcome, Question, Stage, Status};
use quipu_stages::compose::{think, thinking};
use quipu_stages::ledger::Context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of self-consistency.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelfConsistencyConfig {
    /// Samples (3).
    #[schemars(range(max = 10))]
    pub samples: u32,
    /// Temperature of each (0.7).
    #[schemars(range(max = 2))]
    pub temperature: f32,
}

impl Default for SelfConsistencyConfig {
    fn default() -> Self {
        Self { samples: 3, temperature: 0.7 }
    }
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &SelfConsistencyConfig,
) -> Result<Outcome, AnswerError> {
    let _timer = context.ledger.enter(Stage::Compose);
    let mut samples = Vec::new();
    for seed in 1..=config.samples {
        let mut request = thinking(question)?;
        request.temperature = config.temperature;
        request.seed = u64::from(seed);
        match think(context, request).await {
            Ok(thought) => samples.push(thought.answers),
            Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
                let reason = format!("{error}; the sample has no vote");
                context.trace.report(Stage::Compose, Event::Degraded { reason });
            }
            // The samples taken before the limit still vote.
            Err(AnswerError::Exhausted(limit)) if !samples.is_empty() => {
                context.note_limit(limit);
                context.trace.report(Stage::Compose, Event::Degraded { reason: limit.to_string() });
                break;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(elected(&samples))
}

fn elected(samples: &[Vec<String>]) -> Outcome {
    let silent = samples.iter().filter(|answers| answers.is_empty()).count();
    if silent * 2 >= samples.len() {
        return Outcome::abstain("most samples say that the model does not know", Vec::new());
    }
    let votes = count(samples);
    let most = votes.iter().map(|(_, votes)| *votes).max().unwrap_or(0);
    let needed = most.min(samples.len() / 2 + 1);
    let mut answers: Vec<String> =
        votes.into_iter().filter(|(_, votes)| *votes >= needed).map(|(value, _)| value).collect();
    if most == 1 {
        answers = samples.iter().find(|answers| !answers.is_empty()).cloned().unwrap_or_default();
    }
    #[expect(clippy::cast_precision_loss, reason = "a handful of samples")]
    let share = most as f64 / samples.len() as f64;
    let evidence = Vec::new();
    Outcome {
        status: Status::Answered,
        answers,
        text: None,
        evidence,
        confidence: 0.4 * share,
        reason: None,
        ..Outcome::default()
    }
}

/// Each value as first written, with the number of samples that give it, in the order of first
/// mention.
fn count(samples: &[Vec<String>]) -> Vec<(String, usize)> {
    let mut votes: Vec<(String, String, usize)> = Vec::new();
    for answers in samples {
        let mut names: Vec<(String, &String)> =
            answers.iter().map(|value| (normalise(value), value)).collect();
        names.sort_by(|left, right| left.0.cmp(&right.0));
        names.dedup_by(|left, right| left.0 == right.0);
        for value in answers {
            let name = normalise(value);
            let Some(at) = names.iter().position(|(known, _)| *known == name) else { continue };
            names.remove(at);
            match votes.iter_mut().find(|(known, ..)| *known == name) {
                Some((.., votes)) => *votes += 1,
                None => votes.push((name, value.clone(), 1)),
            }
        }
    }
    votes.into_iter().map(|(_, value, votes)| (value, votes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(samples: &[&[&str]], expected: &[&str]) {
        let samples: Vec<Vec<String>> =
            samples.iter().map(|s| s.iter().map(|v| (*v).to_owned()).collect()).collect();
        let outcome = elected(&samples);
        assert_eq!(outcome.answers, expected, "{samples:?}");
        assert_eq!(outcome.status == Status::Answered, !expected.is_empty());
    }

    #[test]
    fn the_majority_decides_value_by_value() {
        check(&[&["Lima"], &["Quito"], &["lima"]], &["Lima"]);
        check(&[&["red", "green"], &["green", "blue"], &["green", "red"]], &["red", "green"]);
        check(&[&["red"], &["green", "blue"], &["black"]], &["red"]);
        check(&[&["red", "Red"], &["blue"], &["blue"]], &["blue"]);
    }

    #[test]
    fn silence_is_a_vote_too() {
        check(&[&[], &[], &["Lima"]], &[]);
        check(&[&[], &["Lima"], &["Lima"]], &["Lima"]);
        check(&[], &[]);
    }
}
