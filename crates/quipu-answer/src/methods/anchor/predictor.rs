//! The predictor: keywords, candidates, relation-aware grounding (§3.3).

use std::collections::HashSet;

use quipu_graph::NodeId;
use quipu_stages::answer::{AnswerError, Event, Question, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::link::{self, Anchor, Mentioned, detected, keywords};

use super::grounding::ranked;
use super::{AnchorConfig, Predictor};

/// The m anchors: the candidates with the highest scores, over all keywords. Anchors that came with
/// the question are taken as they are.
///
/// # Errors
/// The model's, the index's, the graph's and the embedder's.
pub(super) async fn predict(
    context: &Context<'_>,
    question: &Question,
    config: &AnchorConfig,
) -> Result<Vec<Anchor>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Link);
    let mut mentioned = candidates(context, question, config).await?;
    let anchors = if context.anchors.is_empty() {
        let ranked = ranked(context, question.text(), &mentioned, config.grounding, config).await?;
        each_once(ranked.into_iter().map(|scored| scored.anchor), config.anchors)
    } else {
        chosen(&mentioned, config.anchors)
    };
    let taken: HashSet<NodeId> = anchors.iter().map(|anchor| anchor.node).collect();
    for mention in &mut mentioned {
        mention.candidates.retain(|candidate| taken.contains(&candidate.node));
    }
    mentioned.retain(|mention| !mention.candidates.is_empty());
    let mentions = mentioned.iter().map(Mentioned::to_event).collect();
    context.trace.report(Stage::Link, Event::Linked { mentions });
    Ok(anchors)
}

/// Keywords and candidates: one call with [`Predictor::Model`], none if the anchors are given.
async fn candidates(
    context: &Context<'_>,
    question: &Question,
    config: &AnchorConfig,
) -> Result<Vec<Mentioned>, AnswerError> {
    if !context.anchors.is_empty() || config.predictor == Predictor::Index {
        return Ok(detected(context, question.text(), config.candidates).await?.mentioned);
    }
    let read = keywords(context, question, &[]).await?;
    link::candidates(context, question.text(), &read, config.candidates).await
}

/// The best candidate of each mention, then the second of each, and so on, at most `most`.
pub(super) fn chosen(mentioned: &[Mentioned], most: usize) -> Vec<Anchor> {
    let longest = mentioned.iter().map(|m| m.candidates.len()).max().unwrap_or_default();
    let in_turn = (0..longest).flat_map(|rank| mentioned.iter().filter_map(move |m| m.candidates.get(rank)));
    each_once(in_turn.cloned(), most)
}

fn each_once(anchors: impl Iterator<Item = Anchor>, most: usize) -> Vec<Anchor> {
    let mut seen = HashSet::new();
    anchors.filter(|anchor| seen.insert(anchor.node)).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentioned(candidates: &[u64]) -> Mentioned {
        let anchor = |node: &u64| Anchor {
            node: NodeId(*node),
            name: format!("n{node}"),
            score: 1.0,
            reason: String::new(),
            span: 0..0,
        };
        let candidates = candidates.iter().map(anchor).collect();
        Mentioned { text: String::new(), span: 0..0, candidates, score: 1.0, chosen: true }
    }

    #[test]
    fn the_best_of_each_mention_goes_before_the_second_of_any() {
        let mentions = [mentioned(&[1, 2, 3]), mentioned(&[7])];
        let nodes = |most| chosen(&mentions, most).iter().map(|a| a.node.0).collect::<Vec<_>>();
        assert_eq!(nodes(3), [1, 7, 2]);
        assert_eq!(nodes(1), [1]);
        assert!(chosen(&[], 3).is_empty());
    }
}
