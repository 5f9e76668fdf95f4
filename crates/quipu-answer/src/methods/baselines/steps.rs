//! What the baselines have in common: linking without a model, and composition from whatever evidence they found.

use quipu_graph::NodeId;
use quipu_language::{TimeFrame, time_frames};
use quipu_model::ModelError;

use crate::AnswerError;
use crate::compose::compose;
use crate::context::Context;
use crate::evidence::Evidence;
use crate::link::{Anchor, Mentioned, mentions};
use crate::methods::Outcome;
use crate::question::Question;
use crate::trace::{Event, Stage};

/// Mentions that are started from, and candidates of one mention when they are all but equally good, as in `paths`.
const MOST_MENTIONS: usize = 3;
const MOST_CANDIDATES: usize = 2;
/// Candidates within this of the best one are all but equally good.
const CLOSE: f64 = 0.02;

/// Why there is no answer where nothing was linked.
pub(in crate::methods) const NOTHING_LINKED: &str = "no entity of the graph was recognised in the question";

/// The entities that the question names, by the indexes alone.
pub(in crate::methods) async fn link(
    context: &Context<'_>,
    question: &Question,
) -> Result<Vec<Anchor>, AnswerError> {
    let _timer = context.trace.enter(Stage::Link);
    let mut mentioned = mentions(context, question.text()).await?;
    mentioned.truncate(MOST_MENTIONS);
    context
        .trace
        .report(Stage::Link, Event::Linked { mentions: mentioned.iter().map(Mentioned::to_event).collect() });
    Ok(anchors(&mentioned))
}

/// Of each mention the best candidate, and the next where it is all but equally good.
pub(super) fn anchors(mentioned: &[Mentioned]) -> Vec<Anchor> {
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

pub(super) fn nodes(anchors: &[Anchor]) -> Vec<NodeId> {
    anchors.iter().map(|anchor| anchor.node).collect()
}

/// What the question's own words say about time.
pub(in crate::methods) fn times(question: &Question) -> Vec<TimeFrame> {
    time_frames(question.text(), question.asked_at().date())
}

/// Composes the answer: one call, or an abstention without a call where there is no evidence.
pub(in crate::methods) async fn answer_from(
    context: &Context<'_>,
    question: &Question,
    (evidence, left_out): (Vec<Evidence>, usize),
    confidence: f64,
) -> Result<Outcome, AnswerError> {
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out });
    if evidence.is_empty() {
        return Ok(Outcome::abstain("nothing was found that could hold an answer", evidence));
    }
    let _timer = context.trace.enter(Stage::Compose);
    let composed = match compose(context, question, &times(question), &evidence).await {
        Ok(composed) => composed,
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
            return Ok(Outcome::abstain(error.to_string(), evidence));
        }
        Err(AnswerError::Exhausted(limit)) => return Ok(Outcome::abstain(limit.to_string(), evidence)),
        Err(error) => return Err(error),
    };
    Ok(Outcome::composed(composed, evidence, confidence))
}
