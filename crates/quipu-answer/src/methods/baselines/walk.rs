//! One step of a walk in which the model chooses: the relations on offer, the triples along them,
//! and these as evidence.

use std::collections::HashSet;

use quipu_graph::{NodeId, Step};
use quipu_index::inner_product;
use quipu_stages::answer::{AnswerError, Evidence, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::plan::{Frontier, OfferedRelation};
use quipu_stages::prune::{filter_by_similarity, similarities};
use quipu_stages::retrieve::{Walked, latest_within_budget, sentence, triples_to_evidence};

/// Most relations offered at once; of more, the most similar to the question.
pub(super) const MOST_OFFERED: usize = 30;

/// The relations that lead on from some nodes, at most `most`; of more, the most similar to the
/// question.
pub(super) async fn offered(
    context: &Context<'_>,
    question: &str,
    nodes: &[NodeId],
    most: usize,
) -> Result<Vec<OfferedRelation>, AnswerError> {
    let graph = context.graph();
    let offered = Frontier::at(graph, nodes).await?.expand(graph).await?;
    most_offered(context, question, offered, most).await
}

/// At most `most` of the offered relations; of more, the most similar to the question.
pub(super) async fn most_offered(
    context: &Context<'_>,
    question: &str,
    mut offered: Vec<OfferedRelation>,
    most: usize,
) -> Result<Vec<OfferedRelation>, AnswerError> {
    if offered.len() > most && context.embedder().is_some() {
        let scores = similarities(context, question, &offered).await?;
        let kept = filter_by_similarity(&scores, most);
        offered = kept.into_iter().filter_map(|index| offered.get(index).cloned()).collect();
    }
    offered.truncate(most);
    Ok(offered)
}

/// The triples along `steps` from each of the nodes, at most `each` for one node and step.
pub(super) async fn along(
    context: &Context<'_>,
    nodes: &[NodeId],
    steps: &[Step],
    each: usize,
) -> Result<Vec<Walked>, AnswerError> {
    let mut triples = Vec::new();
    for (from, expansions) in nodes.iter().zip(context.graph().expand(nodes, Some(steps), each).await?) {
        for expansion in expansions {
            triples.extend(expansion.nodes.iter().map(|to| (*from, expansion.step, *to)));
        }
    }
    Ok(triples)
}

/// The triples as evidence, each once, within the question's budget, and how many did not fit.
pub(super) async fn evidence(
    context: &Context<'_>,
    walked: &[Walked],
) -> Result<(Vec<Evidence>, usize), AnswerError> {
    let mut evidence = triples_to_evidence(context.graph(), walked).await?;
    let mut seen = HashSet::new();
    evidence.retain(|piece| seen.insert(piece.id.clone()));
    Ok(latest_within_budget(context, evidence))
}

/// Similarity of each triple's sentence with the question; empty without an embedder.
pub(super) async fn scores(
    context: &Context<'_>,
    question: &str,
    triples: &[Walked],
) -> Result<Vec<f32>, AnswerError> {
    if context.embedder().is_none() || triples.is_empty() {
        return Ok(Vec::new());
    }
    let sentences: Vec<String> =
        triples_to_evidence(context.graph(), triples).await?.iter().map(sentence).collect();
    let mut texts = vec![question];
    texts.extend(sentences.iter().map(String::as_str));
    let rows = context.embed(Stage::Prune, &texts).await?;
    let product = |row: &[f32]| inner_product(row, rows.row(0));
    Ok(rows.rows().skip(1).map(product).collect())
}
