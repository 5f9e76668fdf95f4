//! Relation-aware grounding (AnchorRAG §3.3, equations 1 and 2): an entity is the more likely meant, the more its relations are about what
//! the question asks.

use std::collections::HashMap;

use quipu_graph::{NodeId, RelationRole, Step};

use crate::answer::{AnswerError, Stage};
use crate::ledger::Context;
use crate::link::RelationVectors;
use crate::plan::Cards;

/// Equation 2 for each of `nodes`: the mean of the `k` highest inner products of its relations with the question, from which the caller
/// has masked the mentions. One batched graph call for all nodes and one batched embedding call, of the question and the relations that
/// the engine has not met. An entity without relations, and every one where there is no embedder, has 0.
///
/// Where fewer than `k` relations are there, the mean is over those: an entity of two relations is not punished for being small.
///
/// # Errors
/// The graph's and the embedder's.
pub(super) async fn relation_scores(
    context: &Context<'_>,
    masked_question: &str,
    nodes: &[NodeId],
    k: usize,
) -> Result<Vec<f32>, AnswerError> {
    if context.embedder().is_none() || nodes.is_empty() {
        return Ok(vec![0.0; nodes.len()]);
    }
    let uses = context.graph().relations_of(nodes).await?;
    let mut words: HashMap<Step, String> = HashMap::new();
    for used in uses.iter().flatten() {
        if !words.contains_key(&used.step)
            && let Some(text) = relation_words(context, used.step)
        {
            words.insert(used.step, text);
        }
    }
    let mut texts = vec![masked_question];
    texts.extend(context.memory::<RelationVectors>().lacking(words.values().map(String::as_str)));
    let rows = context.embed(Stage::Link, &texts).await?;
    context.memory::<RelationVectors>().add(texts.get(1..).unwrap_or_default(), rows.rows().skip(1));
    let question = rows.row(0);
    let products: HashMap<&str, f32> = words
        .values()
        .map(|text| (text.as_str(), context.memory::<RelationVectors>().product(text, question)))
        .collect();
    let score = |steps: &Vec<quipu_graph::RelationUse>| {
        let mut scores: Vec<f32> =
            steps.iter().filter_map(|used| products.get(words.get(&used.step)?.as_str()).copied()).collect();
        scores.sort_by(|left, right| right.total_cmp(left));
        scores.truncate(k.max(1));
        if scores.is_empty() { 0.0 } else { scores.iter().sum::<f32>() / count(scores.len()) }
    };
    Ok(uses.iter().map(score).collect())
}

#[expect(clippy::cast_precision_loss, reason = "a handful")]
fn count(length: usize) -> f32 {
    length as f32
}

/// What an ordinary relation is called in the direction of the step: its card's phrase where there is one.
fn relation_words(context: &Context<'_>, step: Step) -> Option<String> {
    let relation = context.graph().relations().get(usize::try_from(step.relation.0).ok()?)?;
    if relation.role != RelationRole::Ordinary {
        return None;
    }
    let card = context.memory::<Cards>().get(&relation.key);
    let phrase = card.map(|card| card.phrase(step.direction).to_owned()).filter(|phrase| !phrase.is_empty());
    Some(phrase.unwrap_or_else(|| relation.name.clone()))
}
