//! Scores a requirement before its documents are read: by the similarity of its words to the
//! question, its hops, and the number of entities that it leaves to choose from.

use std::collections::HashMap;
use std::time::Duration;

use quipu_index::inner_product;
use quipu_language::Language;
use quipu_model::ScoreRequest;
use quipu_stages::answer::{AnswerError, Event, Stage, cell};
use quipu_stages::plan::{NamedPart, Requirement, with_solved};
use quipu_stages::prompts::Prompt;
use serde_json::json;

use super::{Router, count};

/// Phrases of one part of the question that the model scores, the most similar to the question
/// first; and of all parts together.
const PHRASES_OF_PART: usize = 4;
const MOST_PHRASES: usize = 36;
/// Longest wait for a local model to score about forty phrases.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The weights in an action's score: round numbers inside the range on which fits on halves of one
/// base's development questions agreed (docs/results/ has the results on the other halves).
pub(super) mod weight {
    /// For the likelihood of a phrase, relative to the likeliest phrase of the same part of the
    /// question.
    pub(in super::super) const RELATION: f64 = 0.2;
    /// For the likelihood itself, which tells the relational part of the question.
    pub(in super::super) const LIKELIHOOD: f64 = 0.05;
    /// The most that a phrase can lose.
    pub(in super::super) const LEAST: f64 = -8.0;
    /// For the cosine of phrase and question.
    pub(in super::super) const PHRASE: f64 = 4.0;
    /// For the greatest cosine of the question and a reachable document; it decides which actions
    /// are worth reading.
    pub(in super::super) const TEXT: f64 = 6.0;
    /// For the share of the question that the entities and the best document explain together, if
    /// documents are read word for word.
    pub(in super::super) const EXPLAINED: f64 = 8.0;
    /// The cost of a requirement with fewer than `FEW` entities, for each factor of e below `FEW`:
    /// it leaves text nothing to choose from.
    pub(in super::super) const NARROW: f64 = -2.0;
    pub(in super::super) const FEW: f64 = 5.0;
    /// For the logarithm of how much oftener than by chance two requirements meet, up to
    /// `MEETING_MOST`.
    pub(in super::super) const MEETING: f64 = 0.15;
    pub(in super::super) const MEETING_MOST: f64 = 6.0;
    /// For the likelihood that a part of the question names something, up to `PART_MOST`.
    pub(in super::super) const PART: f64 = 1.0;
    pub(in super::super) const PART_MOST: f64 = 1.5;
    /// For the part that follows the question word: "which *terrier*".
    pub(in super::super) const ASKED: f64 = 1.0;
    /// For each hop beyond the first.
    pub(in super::super) const HOP: f64 = -1.0;
    /// The value of the text module before its best document is read.
    pub(in super::super) const TEXT_MODULE: f64 = 2.0;
}

impl Router<'_> {
    /// How well each requirement fits the question by its words.
    pub(super) async fn fits(&self, likelihood: bool) -> Result<Vec<f64>, AnswerError> {
        let question = self.question;
        let mut phrases: Vec<&str> = self.requirements.iter().map(|r| r.phrase.as_str()).collect();
        phrases.sort_unstable();
        phrases.dedup();
        if phrases.is_empty() {
            return Ok(Vec::new());
        }
        let cosines = self.cosines(question, &phrases).await?;
        let likelihoods =
            if likelihood { self.likelihoods(question, &cosines).await? } else { HashMap::new() };
        let mut best_of_part: HashMap<usize, f64> = HashMap::new();
        for requirement in &self.requirements {
            if let Some(likelihood) = likelihoods.get(requirement.phrase.as_str()) {
                let best = best_of_part.entry(requirement.part).or_insert(f64::NEG_INFINITY);
                *best = best.max(*likelihood);
            }
        }
        let asked = asked_part(question, &self.parts);
        let greatest = likelihoods.values().copied().fold(f64::NEG_INFINITY, f64::max);
        let fit = |requirement: &Requirement| {
            let cosine = cosines.get(requirement.phrase.as_str()).copied().unwrap_or_default();
            let relation =
                match (likelihoods.get(requirement.phrase.as_str()), best_of_part.get(&requirement.part)) {
                    (Some(likelihood), Some(best)) => {
                        weight::RELATION * (likelihood - best).max(weight::LEAST)
                            + weight::LIKELIHOOD * (likelihood - greatest).max(2.0 * weight::LEAST)
                    }
                    _ if likelihoods.is_empty() => 0.0,
                    _ => weight::RELATION * weight::LEAST + 2.0 * weight::LIKELIHOOD * weight::LEAST,
                };
            let asked_for = asked.is_some_and(|part| part == requirement.part);
            let part = self.parts.get(requirement.part).map_or(0.0, |part| part.score);
            #[expect(clippy::cast_precision_loss, reason = "a path has two hops at most")]
            let hops = (requirement.steps.len() - 1) as f64;
            relation
                + weight::PHRASE * cosine
                + weight::HOP * hops
                + weight::PART * part.min(weight::PART_MOST)
                + if asked_for { weight::ASKED } else { 0.0 }
                + narrow(requirement.ends.len())
        };
        Ok(self.requirements.iter().map(fit).collect())
    }

    async fn cosines<'p>(
        &self,
        question: &str,
        phrases: &[&'p str],
    ) -> Result<HashMap<&'p str, f64>, AnswerError> {
        if self.context.embedder().is_none() {
            return Ok(phrases.iter().map(|phrase| (*phrase, 0.0)).collect());
        }
        let asked = self.context.embed(Stage::Plan, &[question]).await?;
        let rows = self.context.embed(Stage::Plan, phrases).await?;
        let cosine = |row: &[f32]| f64::from(inner_product(row, asked.row(0)));
        Ok(phrases.iter().copied().zip(rows.rows().map(cosine)).collect())
    }

    /// The natural-log likelihoods of the phrases most similar to the question, as its relational
    /// part: one call. Empty if the model cannot score.
    async fn likelihoods<'p>(
        &self,
        question: &str,
        cosines: &HashMap<&'p str, f64>,
    ) -> Result<HashMap<&'p str, f64>, AnswerError> {
        if !self.context.has_model() || !self.context.model()?.abilities().score {
            return Ok(HashMap::new());
        }
        let mut offered: Vec<(&'p str, f64)> = Vec::new();
        for part in 0..self.parts.len() {
            let of_part = self.requirements.iter().filter(|r| r.part == part);
            let mut of_part: Vec<(&'p str, f64)> = of_part
                .filter_map(|r| cosines.get_key_value(r.phrase.as_str()))
                .map(|(p, c)| (*p, *c))
                .collect();
            of_part.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
            of_part.dedup();
            offered.extend(of_part.into_iter().take(PHRASES_OF_PART));
        }
        offered.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        offered.dedup();
        offered.truncate(MOST_PHRASES);
        if offered.len() < 2 {
            return Ok(HashMap::new());
        }
        let request = ScoreRequest {
            stage: "plan.route".into(),
            messages: with_solved(
                self.context,
                question,
                Prompt::HybridRoute.render(json!({ "question": question }))?,
            )
            .await?,
            continuations: offered.iter().map(|(phrase, _)| cell(phrase)).collect(),
            timeout: TIMEOUT,
        };
        let reply = match self.context.score(Stage::Plan, request).await {
            Err(AnswerError::Exhausted(limit)) => {
                self.context.note_limit(limit);
                let reason = format!("{limit}; requirements are ranked by similarity alone");
                self.context.trace.report(Stage::Plan, Event::Degraded { reason });
                return Ok(HashMap::new());
            }
            reply => reply?,
        };
        Ok(offered
            .into_iter()
            .map(|(phrase, _)| phrase)
            .zip(reply.scores.into_iter().map(|(s, _)| s))
            .collect())
    }
}

/// The part that names the kind of answer: the first one after the question word.
fn asked_part(question: &str, parts: &[NamedPart]) -> Option<usize> {
    const FAR: usize = 24;
    let words = quipu_language::words(question);
    let language = Language::of(question);
    let asking = words.iter().find(|word| language.asks_for_a_part(&word.text))?;
    let behind = |part: &&(usize, &NamedPart)| {
        part.1.span.start > asking.start && part.1.span.start <= asking.start + FAR
    };
    let places: Vec<(usize, &NamedPart)> = parts.iter().enumerate().collect();
    let first = places
        .iter()
        .filter(behind)
        .min_by_key(|(_, part)| (part.span.start, usize::MAX - part.span.len()))?;
    Some(first.0)
}

/// The cost of a requirement with few entities.
pub(super) fn narrow(ends: usize) -> f64 {
    weight::NARROW * (weight::FEW / count(ends)).ln().max(0.0)
}

#[cfg(test)]
mod tests;
