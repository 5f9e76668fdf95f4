//! Passages of entities' documents, from the workspace's document index: by words (BM25), by
//! meaning, or by both, fused by reciprocal rank. The documents of linked entities are always
//! ranked too.

use std::collections::HashMap;

use quipu_graph::NodeId;
use quipu_index::{DocumentIndex, DocumentQuery, Passage, PassageHit, SearchMode};
use quipu_model::Embeddings;

use crate::answer::{AnswerError, Evidence, Stage, cell};
use crate::ledger::Context;

/// Passages of a search that are ranked.
const SEARCHED: usize = 64;
/// The usual constant of reciprocal rank fusion: the larger it is, the less the first ranks stand
/// out.
const FUSION: f32 = 60.0;

/// The workspace's document index, prepared for a question.
pub struct Documents<'a> {
    index: &'a DocumentIndex,
    source: &'a str,
    /// The question's embedding, if there is an embedder and the index has vectors.
    vector: Option<Embeddings>,
    question: &'a str,
}

impl<'a> Documents<'a> {
    /// Prepares the workspace's documents for `question`; `None` if there are none.
    ///
    /// # Errors
    /// The embedder's; an error if another embedder made the index.
    pub async fn open(context: &Context<'a>, question: &'a str) -> Result<Option<Self>, AnswerError> {
        let Some(index) = context.workspace.documents() else { return Ok(None) };
        let vector = match context.embedder() {
            Some(embedder) if index.has_vectors() => {
                index.check_embedder(embedder)?;
                Some(context.embed(Stage::Retrieve, &[question]).await?)
            }
            _ => None,
        };
        Ok(Some(Self { index, source: &context.graph().describe().name, vector, question }))
    }

    /// The index.
    pub fn index(&self) -> &'a DocumentIndex {
        self.index
    }

    /// The question.
    pub fn question(&self) -> &'a str {
        self.question
    }

    /// The question's embedding.
    pub fn vector(&self) -> Option<&[f32]> {
        self.vector.as_ref().map(|vector| vector.row(0))
    }

    /// The `k` passages that fit the question best, best first. Without vectors, a search by
    /// meaning becomes one by words.
    ///
    /// # Errors
    /// The index's.
    pub fn search(&self, mode: SearchMode, k: usize) -> Result<Vec<PassageHit>, AnswerError> {
        let vector = self.vector();
        let mode = if vector.is_none() { SearchMode::Words } else { mode };
        let query = DocumentQuery { text: self.question, vector, mode, k, only: None };
        Ok(self.index.search(&query)?)
    }

    /// A passage as evidence.
    ///
    /// # Errors
    /// The graph's.
    pub async fn evidence(
        &self,
        context: &Context<'_>,
        passages: Vec<Passage>,
    ) -> Result<Vec<Evidence>, AnswerError> {
        let nodes: Vec<NodeId> = passages.iter().map(|passage| passage.node).collect();
        let summaries = context.graph().summaries(&nodes).await?;
        let piece = |(passage, summary): (Passage, quipu_graph::NodeSummary)| {
            Evidence::passage(self.source, &cell(&summary.name), &passage.text).of_document(
                &summary.key,
                &passage.title,
                passage.characters,
            )
        };
        Ok(passages.into_iter().zip(summaries).map(piece).collect())
    }
}

/// The `k` passages that fit `question` best, best first; empty if the graph has no documents.
/// Without an embedder only words count.
///
/// # Errors
/// The graph's, the index's and the embedder's.
pub async fn retrieve_passages(
    context: &Context<'_>,
    question: &str,
    linked: &[NodeId],
    mode: SearchMode,
    k: usize,
) -> Result<Vec<Evidence>, AnswerError> {
    let Some(documents) = Documents::open(context, question).await? else { return Ok(Vec::new()) };
    let hits = documents.search(mode, k.max(SEARCHED))?;
    let mut scores: HashMap<u64, f32> = hits.iter().map(|hit| (hit.passage.number, 0.0)).collect();
    let mut meanings: Vec<(u64, f32)> =
        hits.iter().filter_map(|h| Some((h.passage.number, h.meaning?))).collect();
    if let (Some(vector), true) = (documents.vector(), mode == SearchMode::Hybrid) {
        let best = documents.index.rank(vector, linked)?;
        meanings.extend(best.into_iter().flatten().filter(|(number, _)| !scores.contains_key(number)));
    }
    let words: Vec<(u64, f32)> = hits.iter().filter_map(|h| Some((h.passage.number, h.words?))).collect();
    for mut list in [words, meanings] {
        list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        for (rank, (number, _)) in list.into_iter().enumerate() {
            *scores.entry(number).or_default() += reciprocal(rank);
        }
    }
    let mut ranked: Vec<(u64, f32)> = scores.into_iter().collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let best = ranked.into_iter().take(k).map(|(number, _)| documents.index.passage(number));
    let passages = best.collect::<Result<Vec<Passage>, _>>()?;
    documents.evidence(context, passages).await
}

#[expect(clippy::cast_precision_loss, reason = "ranks of a few hundred passages")]
fn reciprocal(rank: usize) -> f32 {
    1.0 / (FUSION + rank as f32 + 1.0)
}
