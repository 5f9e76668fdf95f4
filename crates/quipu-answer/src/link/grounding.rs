//! Relation-aware grounding (AnchorRAG §3.3, equations 1 and 2): an entity is the more likely meant, the more its relations are about what
//! the question asks.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use quipu_graph::{NodeId, RelationRole, Step};

use crate::AnswerError;
use crate::context::Context;
use crate::trace::Stage;

/// The vectors of relations by their words: made when a question first meets them, kept by the engine.
#[derive(Debug, Default)]
pub struct RelationVectors {
    rows: RwLock<HashMap<String, Arc<[f32]>>>,
}

impl RelationVectors {
    fn lacking<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
        let rows = self.rows.read();
        let mut lacking: Vec<&str> = texts.filter(|text| !rows.contains_key(*text)).collect();
        lacking.sort_unstable();
        lacking.dedup();
        lacking
    }

    fn add<'r>(&self, texts: &[&str], rows: impl Iterator<Item = &'r [f32]>) {
        let mut known = self.rows.write();
        known.extend(texts.iter().zip(rows).map(|(text, row)| ((*text).to_owned(), Arc::from(row))));
    }

    /// The vectors of texts, in their order: one call of the embedder for those that the engine has not met.
    ///
    /// # Errors
    /// The embedder's.
    pub(crate) async fn vectors(
        &self,
        context: &Context<'_>,
        stage: Stage,
        texts: &[&str],
    ) -> Result<Vec<Arc<[f32]>>, AnswerError> {
        let lacking = self.lacking(texts.iter().copied());
        if !lacking.is_empty() {
            let rows = context.embed(stage, &lacking).await?;
            self.add(&lacking, rows.rows());
        }
        let rows = self.rows.read();
        Ok(texts.iter().map(|text| rows.get(*text).cloned().unwrap_or_default()).collect())
    }

    /// Equation 1: the inner product of a relation's vector with the question's.
    fn product(&self, text: &str, question: &[f32]) -> f32 {
        let rows = self.rows.read();
        let row = rows.get(text).map(|row| row.iter().zip(question));
        row.map_or(0.0, |pairs| pairs.map(|(left, right)| left * right).sum())
    }
}

/// Equation 2 for each of `nodes`: the mean of the `k` highest inner products of its relations with the question, from which the caller
/// has masked the mentions. One batched graph call for all nodes and one batched embedding call, of the question and the relations that
/// the engine has not met. An entity without relations, and every one where there is no embedder, has 0.
///
/// Where fewer than `k` relations are there, the mean is over those: an entity of two relations is not punished for being small.
///
/// # Errors
/// The graph's and the embedder's.
pub async fn relation_scores(
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
    texts.extend(context.relations.lacking(words.values().map(String::as_str)));
    let rows = context.embed(Stage::Link, &texts).await?;
    context.relations.add(texts.get(1..).unwrap_or_default(), rows.rows().skip(1));
    let question = rows.row(0);
    let products: HashMap<&str, f32> =
        words.values().map(|text| (text.as_str(), context.relations.product(text, question))).collect();
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
    let card = context.cards.get(&relation.key);
    let phrase = card.map(|card| card.phrase(step.direction).to_owned()).filter(|phrase| !phrase.is_empty());
    Some(phrase.unwrap_or_else(|| relation.name.clone()))
}
