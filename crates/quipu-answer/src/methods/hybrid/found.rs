//! What a round found, best first, and how a critic sees it.

use quipu_graph::NodeId;

use crate::answer::{AnswerError, cell, passage_cell};
use crate::ledger::Context;
use crate::retrieve::Documents;

/// Characters of a document that a model reads: a passage's beginning, so that several fit into a small context.
const READ: usize = 240;

/// An entity with the passage that it was ranked by.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FoundEntity {
    pub(super) node: NodeId,
    /// The passage's number; `None` for an entity without documents, which the graph alone finds.
    pub(super) passage: Option<u64>,
    pub(super) score: f64,
    /// Whether it satisfies the requirements of the action.
    pub(super) satisfies: bool,
}

/// What one round's retrieval gave, best first.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Found {
    pub(super) entities: Vec<FoundEntity>,
}

/// What the validator says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Verdict {
    pub(super) accepted: bool,
    /// Probability that the first document is what the question asks for.
    pub(super) probability: f64,
}

/// Probability of a result that nobody validated.
pub(super) const UNVALIDATED: f64 = 0.4;

/// Best first; the same in every run.
pub(super) fn sort(entities: &mut [FoundEntity]) {
    entities.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.node.cmp(&b.node)));
}

/// `name: text` of the first entities.
///
/// # Errors
/// The graph's, the index's.
pub(super) async fn entries(
    context: &Context<'_>,
    documents: &Documents<'_>,
    found: &Found,
    count: usize,
) -> Result<Vec<String>, AnswerError> {
    let nodes: Vec<_> = found.entities.iter().take(count).map(|entity| entity.node).collect();
    let summaries = context.graph().summaries(&nodes).await?;
    let mut entries = Vec::new();
    for (entity, summary) in found.entities.iter().zip(summaries) {
        let text = match entity.passage {
            Some(number) => passage_cell(&documents.index().passage(number)?.text),
            None => String::new(),
        };
        let text = text.get(..text.floor_char_boundary(READ)).unwrap_or(&text);
        entries.push(format!("{}: {text}", cell(&summary.name)));
    }
    Ok(entries)
}
