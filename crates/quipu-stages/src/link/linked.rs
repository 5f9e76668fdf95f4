//! The entities that a question names, found by the indexes alone; no model is asked.

use quipu_graph::NodeId;

use super::{Anchor, Mentioned, mentions};
use crate::answer::{AnswerError, Event, Question, Stage};
use crate::ledger::Context;

/// Most mentions to start from, and most near-equal candidates of one mention, as in `paths`.
const MOST_MENTIONS: usize = 3;
const MOST_CANDIDATES: usize = 2;
/// Candidates within this score of the best one count as near-equal.
const CLOSE: f64 = 0.02;

/// The reason for an abstention when nothing was linked.
pub const NOTHING_LINKED: &str = "no entity of the graph was recognised in the question";

/// The entities that the question names.
///
/// # Errors
/// The index's and the graph's.
pub async fn linked(context: &Context<'_>, question: &Question) -> Result<Vec<Anchor>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Link);
    let mut mentioned = mentions(context, question.text()).await?;
    mentioned.truncate(MOST_MENTIONS);
    let event = Event::Linked { mentions: mentioned.iter().map(Mentioned::to_event).collect() };
    context.trace.report(Stage::Link, event);
    Ok(close_anchors(&mentioned))
}

/// The best candidate of each mention, and the next one if it is near-equal.
pub fn close_anchors(mentioned: &[Mentioned]) -> Vec<Anchor> {
    let mut anchors: Vec<Anchor> = Vec::new();
    for mention in mentioned {
        let best = mention.best().map_or(0.0, |anchor| anchor.score);
        let close = mention.candidates.iter().filter(|anchor| best - anchor.score <= CLOSE);
        for anchor in close.take(MOST_CANDIDATES) {
            if anchors.iter().all(|known| known.node != anchor.node) {
                anchors.push(anchor.clone());
            }
        }
    }
    anchors
}

/// The anchors' nodes.
pub fn nodes(anchors: &[Anchor]) -> Vec<NodeId> {
    anchors.iter().map(|anchor| anchor.node).collect()
}
