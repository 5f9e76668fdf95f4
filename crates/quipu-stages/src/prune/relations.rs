//! Filters relations by model or by similarity, and judges in the same step whether the scope is
//! enough (KERAG §4.2 "Filtering" and "Termination", App. E, I.2).

use std::collections::HashMap;

use quipu_graph::Step;
use quipu_index::inner_product;
use quipu_model::{ChatRequest, Constraint};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::answer::{AnswerError, Stage};
use crate::ledger::Context;
use crate::plan::{OfferedRelation, with_solved};
use crate::prompts::Prompt;

/// Tokens that the number of an irrelevant relation takes in the filter's reply.
pub const TOKENS_OF_A_NUMBER: usize = 4;
/// Longest reply about few relations, in tokens.
const SHORT_REPLY: u32 = 200;

/// The decision after a hop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The scope holds the answer.
    Enough,
    /// The answer lies beyond.
    More,
    /// The question means other entities than the anchors.
    Wrong,
}

impl Verdict {
    /// The verdict in words, for the trace.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Enough => "sufficient",
            Self::More => "one hop more",
            Self::Wrong => "wrongly linked",
        }
    }
}

#[derive(Deserialize)]
struct FilterReply {
    irrelevant: Vec<usize>,
    verdict: Verdict,
}

/// Asks the model which of `offered` are irrelevant and whether the rest is enough: one call.
///
/// # Errors
/// The model's.
pub async fn filter_by_model(
    context: &Context<'_>,
    question: &str,
    start: &str,
    taken: &str,
    offered: &[OfferedRelation],
) -> Result<(Vec<usize>, Verdict), AnswerError> {
    let relations: Vec<String> = offered.iter().map(OfferedRelation::describe).collect();
    let values = json!({ "start": start, "taken": taken, "relations": relations, "question": question });
    let messages = with_solved(context, question, Prompt::KeragFilter.render(values)?).await?;
    let numbers = u32::try_from(offered.len() * TOKENS_OF_A_NUMBER).unwrap_or(u32::MAX);
    let request = ChatRequest::new("prune.relations", messages).with_max_tokens(SHORT_REPLY.max(numbers));
    let schema = json!({
        "type": "object",
        "properties": {
            "irrelevant": { "type": "array", "items": { "type": "integer" }, "maxItems": offered.len() },
            "verdict": { "type": "string", "enum": ["enough", "more", "wrong"] }
        },
        "required": ["irrelevant", "verdict"]
    });
    let reply: FilterReply = context.json(Stage::Prune, request, &schema).await?;
    let kept = (0..offered.len()).filter(|index| !reply.irrelevant.contains(&(index + 1))).collect();
    Ok((kept, reply.verdict))
}

/// Similarity of each relation with the question (from which the caller has removed the entities),
/// by embedding.
///
/// # Errors
/// The embedder's.
pub async fn similarities(
    context: &Context<'_>,
    masked_question: &str,
    offered: &[OfferedRelation],
) -> Result<Vec<f32>, AnswerError> {
    let words: Vec<String> = offered.iter().map(OfferedRelation::words).collect();
    let mut texts: Vec<&str> = vec![masked_question];
    texts.extend(words.iter().map(String::as_str));
    let embeddings = context.embed(Stage::Prune, &texts).await?;
    let mut rows = embeddings.rows();
    let question = rows.next().unwrap_or_default();
    Ok(rows.map(|row| inner_product(row, question)).collect())
}

/// The positions of the `keep` relations with the highest similarity (30 in App. E), in their
/// order.
pub fn filter_by_similarity(similarities: &[f32], keep: usize) -> Vec<usize> {
    let mut ranked: Vec<usize> = (0..similarities.len()).collect();
    let of = |index: &usize| similarities.get(*index).copied().unwrap_or(f32::MIN);
    ranked.sort_by(|a, b| of(b).total_cmp(&of(a)).then(a.cmp(b)));
    ranked.truncate(keep);
    ranked.sort_unstable();
    ranked
}

/// Asks the model whether the scope is enough (App. I.1, "Multi-hop Retrieval Boundary"): one call.
///
/// # Errors
/// The model's.
pub async fn judge_scope(
    context: &Context<'_>,
    question: &str,
    start: &str,
    hops: &[String],
) -> Result<Verdict, AnswerError> {
    let options = [Verdict::Enough, Verdict::More, Verdict::Wrong];
    let words: HashMap<&str, Verdict> = ["enough", "more", "wrong"].into_iter().zip(options).collect();
    let messages =
        Prompt::KeragBoundary.render(json!({ "start": start, "hops": hops, "question": question }))?;
    let messages = with_solved(context, question, messages).await?;
    let request = ChatRequest::new("critique.scope", messages)
        .with_constraint(Constraint::Choice(vec!["enough".into(), "more".into(), "wrong".into()]))
        .with_max_tokens(4);
    let reply = context.chat(Stage::Critique, request).await?;
    let said = reply.text.to_lowercase();
    let found = words
        .iter()
        .filter_map(|(word, verdict)| said.find(word).map(|at| (at, *verdict)))
        .min_by_key(|f| f.0);
    Ok(found.map_or(Verdict::Enough, |(_, verdict)| verdict))
}

/// Relevance of each step for the retrieval budget: its similarity, or 1 without a comparison.
pub fn relevance(offered: &[OfferedRelation], similarities: &[f32]) -> HashMap<Step, f32> {
    let of = |index: usize| similarities.get(index).copied().unwrap_or(1.0);
    offered.iter().enumerate().map(|(index, offer)| (offer.step, of(index))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similarity_keeps_the_best_in_their_order() {
        assert_eq!(filter_by_similarity(&[0.1, 0.9, 0.3, 0.8], 2), [1, 3]);
        assert_eq!(filter_by_similarity(&[0.5, 0.5, 0.5], 2), [0, 1]);
        assert_eq!(filter_by_similarity(&[], 30), [0usize; 0]);
    }
}
