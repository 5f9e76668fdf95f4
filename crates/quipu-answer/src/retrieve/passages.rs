//! Passages of the documents attached to entities: by their words (BM25) and by meaning, fused by reciprocal rank.
//!
//! Candidates are the documents of the linked entities, those that fit the question's words best, and those of the entities nearest
//! to it in the vector index, where there is one. Their passages are ranked exactly.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use quipu_graph::NodeId;
use quipu_index::exact_top_k;

use crate::AnswerError;
use crate::context::Context;
use crate::evidence::{Evidence, MOST_PASSAGE, cell};
use crate::trace::Stage;

/// Documents by words, and rows of the vector index whose documents are looked at.
const BY_WORDS: usize = 64;
const NEAREST: usize = 64;
/// Most passages ranked for one question; those of the linked entities come first.
const MOST_RANKED: usize = 512;
/// The usual constant of reciprocal rank fusion: how little the first ranks stand out.
const FUSION: f32 = 60.0;

/// A passage of a document.
struct Passage {
    node: NodeId,
    name: String,
    text: String,
}

/// The `k` passages that fit `question` best, best first; none where the graph has no documents. Without an embedder words alone
/// decide.
///
/// # Errors
/// The graph's, the index's and the embedder's.
pub async fn retrieve_passages(
    context: &Context<'_>,
    question: &str,
    linked: &[NodeId],
    k: usize,
) -> Result<Vec<Evidence>, AnswerError> {
    let graph = context.graph();
    if graph.describe().documents == 0 {
        return Ok(Vec::new());
    }
    let by_words = context.documents.best(context, question, BY_WORDS)?;
    let mut nodes = linked.to_vec();
    nodes.extend(&by_words);
    nodes.extend(nearest(context, question).await?);
    let mut seen = HashSet::new();
    nodes.retain(|node| seen.insert(*node));
    let passages = passages_of(context, &nodes).await?;
    let best = fused(context, question, &passages, &by_words).await?;
    let source = &graph.describe().name;
    let piece = |passage: &Passage| Evidence::passage(source, &passage.name, &passage.text);
    Ok(best.into_iter().take(k).filter_map(|index| passages.get(index)).map(piece).collect())
}

/// Entities by meaning, where the workspace has vectors.
async fn nearest(context: &Context<'_>, question: &str) -> Result<Vec<NodeId>, AnswerError> {
    let (Some(vectors), Some(embedder)) = (context.workspace.vectors(), context.embedder()) else {
        return Ok(Vec::new());
    };
    vectors.check_embedder(embedder)?;
    let asked = context.embed(Stage::Retrieve, &[question]).await?;
    Ok(vectors.search(asked.row(0), NEAREST)?.into_iter().flat_map(|hit| hit.nodes).collect())
}

/// Positions of the passages, best first: the sum of their reciprocal ranks by meaning and by their documents' words.
async fn fused(
    context: &Context<'_>,
    question: &str,
    passages: &[Passage],
    by_words: &[NodeId],
) -> Result<Vec<usize>, AnswerError> {
    let ranks: HashMap<NodeId, usize> =
        by_words.iter().enumerate().map(|(rank, node)| (*node, rank)).collect();
    let mut scores: Vec<f32> = passages
        .iter()
        .map(|passage| ranks.get(&passage.node).map_or(0.0, |rank| reciprocal(*rank)))
        .collect();
    if context.embedder().is_some() && !passages.is_empty() {
        let texts: Vec<String> = passages.iter().map(|p| format!("{}: {}", p.name, p.text)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let asked = context.embed(Stage::Retrieve, &[question]).await?;
        let rows = context.embed(Stage::Retrieve, &texts).await?;
        let by_meaning = exact_top_k(asked.row(0), &rows, passages.len());
        for (rank, (index, _)) in by_meaning.into_iter().enumerate() {
            if let Some(score) = scores.get_mut(index) {
                *score += reciprocal(rank);
            }
        }
    }
    let mut order: Vec<usize> = (0..passages.len()).collect();
    let by_score = |a: &usize, b: &usize| -> Ordering {
        let score = |index: &usize| scores.get(*index).copied().unwrap_or(0.0);
        score(b).total_cmp(&score(a)).then(a.cmp(b))
    };
    order.sort_by(by_score);
    Ok(order)
}

#[expect(clippy::cast_precision_loss, reason = "ranks of a few hundred passages")]
fn reciprocal(rank: usize) -> f32 {
    1.0 / (FUSION + rank as f32 + 1.0)
}

/// The passages of all documents of `nodes`, in their order.
async fn passages_of(context: &Context<'_>, nodes: &[NodeId]) -> Result<Vec<Passage>, AnswerError> {
    let graph = context.graph();
    let documents = graph.documents(nodes).await?;
    let summaries = graph.summaries(nodes).await?;
    let mut passages = Vec::new();
    for (document, summary) in documents.into_iter().zip(summaries) {
        let Some(document) = document else { continue };
        let name = cell(&summary.name);
        let passage = |text| Passage { node: document.node, name: name.clone(), text };
        passages.extend(divide(&document.text).into_iter().map(passage));
        if passages.len() >= MOST_RANKED {
            break;
        }
    }
    passages.truncate(MOST_RANKED);
    Ok(passages)
}

/// Divides a text at the ends of sentences, else between words, into passages that prompts show whole.
fn divide(text: &str) -> Vec<String> {
    let mut passages: Vec<String> = Vec::new();
    let mut passage = String::new();
    let mut sentence = String::new();
    let mut flush = |passage: &mut String| {
        if !passage.is_empty() {
            passages.push(std::mem::take(passage));
        }
    };
    for word in text.split_whitespace() {
        let longer = passage.chars().count() + sentence.chars().count() + word.chars().count() + 2;
        if longer > MOST_PASSAGE {
            flush(&mut passage);
            if sentence.chars().count() + word.chars().count() + 1 > MOST_PASSAGE {
                flush(&mut sentence);
            }
        }
        append(&mut sentence, word);
        if word.ends_with(['.', '!', '?', ';']) {
            append(&mut passage, &sentence);
            sentence.clear();
        }
    }
    append(&mut passage, &sentence);
    flush(&mut passage);
    passages
}

fn append(text: &mut String, words: &str) {
    if !text.is_empty() && !words.is_empty() {
        text.push(' ');
    }
    text.push_str(words);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passages_end_with_sentences_and_lose_nothing() {
        let text = "The Orle flows through Lindau. ".repeat(40);
        let passages = divide(&text);
        assert!(passages.len() > 1);
        assert!(passages.iter().all(|p| p.ends_with("Lindau.") && p.chars().count() <= MOST_PASSAGE));
        assert_eq!(passages.join(" "), text.trim());
    }

    #[test]
    fn a_text_without_sentences_is_divided_between_words() {
        let text = "word ".repeat(400);
        let passages = divide(&text);
        assert!(passages.len() > 3 && passages.iter().all(|p| p.chars().count() <= MOST_PASSAGE));
        assert_eq!(passages.join(" "), text.trim());
        assert_eq!(divide(" \n "), [""; 0]);
        assert_eq!(divide(&"x".repeat(600)).len(), 1);
    }
}
