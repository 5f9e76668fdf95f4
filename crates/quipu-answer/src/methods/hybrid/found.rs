//! The result of a round, best first, and its form for a critic.

use quipu_graph::NodeId;
use quipu_stages::answer::{AnswerError, cell, passage_cell};
use quipu_stages::ledger::Context;
use quipu_stages::retrieve::Documents;

/// Characters of a document that a model reads: the beginning of a passage, so that several fit
/// into a small context.
const READ: usize = 240;

/// An entity with the passage that ranked it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FoundEntity {
    pub(super) node: NodeId,
    /// The passage's number; `None` for an entity that only the graph found, without a document.
    pub(super) passage: Option<u64>,
    pub(super) score: f64,
    /// Whether it satisfies the requirements of the action.
    pub(super) satisfies: bool,
}

/// The entities that one round retrieved, best first.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Found {
    pub(super) entities: Vec<FoundEntity>,
}

/// The validator's verdict.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Verdict {
    pub(super) accepted: bool,
    /// Probability that the first document answers the question.
    pub(super) probability: f64,
}

/// Probability of a result without validation.
pub(super) const UNVALIDATED: f64 = 0.4;

/// Sorts the best first; equal scores by node, so that every run is the same.
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
