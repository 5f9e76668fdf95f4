//! The predictor: keywords, candidates, relation-aware grounding (§3.3).

use std::collections::{HashMap, HashSet};

use quipu_graph::NodeId;
use quipu_index::normalise;

use super::grounding::relation_scores;
use super::{AnchorConfig, Grounding, Guide, Predictor};
use crate::answer::{AnswerError, CandidateEvent, Event, NamedKey, Note, Question, Stage, cell};
use crate::ledger::Context;
use crate::link::{Anchor, Mentioned, detected, keywords, merge, named, shape_of};

/// Names of the graph offered to the keyword call.
const MOST_NAMES: usize = 8;
/// How much a candidate's relations count beside its name (1). The inner products of two homonyms differ by .05 to .3, the scores of an
/// exact name and of one a typing error away by .1 or more.
const RELATIONS_COUNT: f64 = 0.3;
/// A candidate whose name matches worse than its mention's best by more than this is not meant, whatever its relations.
const WORSE: f64 = 0.08;
/// A candidate is started from only if a name matches at least so well.
const LEAST_MATCH: f64 = 0.6;

/// A candidate with its scores.
struct Scored {
    anchor: Anchor,
    /// Equation 2.
    relations: f64,
    fused: f64,
}

/// The question's mentions, each with the candidates that may be started from, best first; at most `anchors` candidates in all. The best
/// candidate of each mention comes before the second of any.
pub(super) async fn predict(
    context: &Context<'_>,
    question: &Question,
    config: &AnchorConfig,
) -> Result<Vec<Mentioned>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Link);
    let mut mentioned = candidates(context, question, config).await?;
    if context.anchors.is_empty() {
        mentioned.retain(|m| m.best().is_some_and(|best| best.score >= LEAST_MATCH));
        mentioned = ground(context, question, mentioned, config).await?;
    }
    // Whole paths are planned for every thing that a question lists; retrievers are m.
    let most =
        if config.guide == Guide::Paths { config.anchors.max(mentioned.len()) } else { config.anchors };
    let taken: HashSet<NodeId> = chosen(&mentioned, most).into_iter().map(|a| a.node).collect();
    for mention in &mut mentioned {
        mention.candidates.retain(|candidate| taken.contains(&candidate.node));
    }
    mentioned.retain(|mention| !mention.candidates.is_empty());
    let mentions = mentioned.iter().map(Mentioned::to_event).collect();
    context.trace.report(Stage::Link, Event::Linked { mentions });
    Ok(mentioned)
}

/// The anchors to explore from: the best of each mention, then the second of each, and so on, at most `most`.
pub(super) fn chosen(mentioned: &[Mentioned], most: usize) -> Vec<Anchor> {
    let longest = mentioned.iter().map(|m| m.candidates.len()).max().unwrap_or_default();
    let mut anchors: Vec<Anchor> = Vec::new();
    for anchor in (0..longest).flat_map(|rank| mentioned.iter().filter_map(move |m| m.candidates.get(rank))) {
        if anchors.len() < most && anchors.iter().all(|known| known.node != anchor.node) {
            anchors.push(anchor.clone());
        }
    }
    anchors
}

/// Keywords and candidates: one call with [`Predictor::Model`], none where the anchors are given.
async fn candidates(
    context: &Context<'_>,
    question: &Question,
    config: &AnchorConfig,
) -> Result<Vec<Mentioned>, AnswerError> {
    let detected = detected(context, question.text(), config.candidates).await?;
    if !context.anchors.is_empty() || config.predictor == Predictor::Index || !context.has_model() {
        return Ok(detected.mentioned);
    }
    let mut offered: Vec<String> = Vec::new();
    for anchor in detected.mentioned.iter().flat_map(|m| m.candidates.iter().take(2)) {
        let name = cell(&anchor.name);
        if offered.len() < MOST_NAMES && !offered.contains(&name) {
            offered.push(name);
        }
    }
    let read = keywords(context, question, &offered).await?;
    let named = named(context, question.text(), &read, config.candidates).await?;
    Ok(merge(detected, named))
}

/// Ranks the candidates of every mention by name and relations (equation 2), all of them in one call of the graph and one of the
/// embedder, and tells of namesakes.
async fn ground(
    context: &Context<'_>,
    question: &Question,
    mentioned: Vec<Mentioned>,
    config: &AnchorConfig,
) -> Result<Vec<Mentioned>, AnswerError> {
    if config.grounding == Grounding::Off {
        return Ok(mentioned);
    }
    let nodes: Vec<NodeId> = mentioned.iter().flat_map(|m| m.candidates.iter().map(|a| a.node)).collect();
    let masked = masked(question.text(), &mentioned);
    let scores = relation_scores(context, &masked, &nodes, config.relations_scored).await?;
    let relations: HashMap<NodeId, f64> = nodes.into_iter().zip(scores.into_iter().map(f64::from)).collect();
    let mut grounded = Vec::with_capacity(mentioned.len());
    let mut shown: Vec<CandidateEvent> = Vec::new();
    for mention in mentioned {
        let scored = rank(&mention, &relations, config.grounding);
        shown.extend(scored.iter().map(|s| CandidateEvent {
            name: s.anchor.name.clone(),
            score: s.fused,
            reason: format!("{}; relations {:.2}", s.anchor.reason, s.relations),
        }));
        tell_of_namesakes(context, &mention, &scored).await?;
        let candidates = scored.into_iter().map(|s| s.anchor).collect();
        grounded.push(Mentioned { candidates, ..mention });
    }
    shown.sort_by(|a, b| b.score.total_cmp(&a.score));
    context.trace.report(Stage::Link, Event::Scored { candidates: shown });
    Ok(grounded)
}

fn rank(mention: &Mentioned, relations: &HashMap<NodeId, f64>, grounding: Grounding) -> Vec<Scored> {
    let best = mention.best().map_or(0.0, |anchor| anchor.score);
    let mut scored: Vec<Scored> = mention
        .candidates
        .iter()
        .filter(|anchor| grounding == Grounding::Relations || best - anchor.score <= WORSE)
        .map(|anchor| {
            let relations = relations.get(&anchor.node).copied().unwrap_or_default();
            let fused = match grounding {
                Grounding::Relations => relations,
                _ => anchor.score + RELATIONS_COUNT * relations,
            };
            Scored { anchor: anchor.clone(), relations, fused }
        })
        .collect();
    scored.sort_by(|a, b| b.fused.total_cmp(&a.fused).then(b.anchor.score.total_cmp(&a.anchor.score)));
    scored
}

/// Others of the same name, and why this one was taken.
async fn tell_of_namesakes(
    context: &Context<'_>,
    mention: &Mentioned,
    scored: &[Scored],
) -> Result<(), AnswerError> {
    let Some((first, others)) = scored.split_first() else { return Ok(()) };
    let name = normalise(&first.anchor.name);
    let others: Vec<&Scored> = others.iter().filter(|other| normalise(&other.anchor.name) == name).collect();
    let Some(next) = others.first() else { return Ok(()) };
    let reason = if first.relations - next.relations > 0.005 {
        format!(
            "its relations fit the question better ({:.2} against {:.2})",
            first.relations, next.relations
        )
    } else if first.anchor.score > next.anchor.score {
        "the graph says more about it, and the relations fit alike".to_owned()
    } else {
        "nothing tells them apart: the first of them was taken".to_owned()
    };
    let nodes: Vec<NodeId> = std::iter::once(first).chain(others).map(|s| s.anchor.node).collect();
    let summaries = context.graph().summaries(&nodes).await?;
    let mut keys = summaries.into_iter().map(|s| NamedKey { name: s.name, key: s.key });
    let Some(chosen) = keys.next() else { return Ok(()) };
    context.trace.note(Note::Homonyms {
        mention: mention.text.clone(),
        chosen,
        reason,
        others: keys.collect(),
    });
    Ok(())
}

/// The question with every mention as `X`.
fn masked(question: &str, mentioned: &[Mentioned]) -> String {
    shape_of(question, mentioned.iter().map(|mention| mention.span.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mentioned(span: std::ops::Range<usize>, candidates: &[(u64, f64)]) -> Mentioned {
        let anchor = |(node, score): &(u64, f64)| Anchor {
            node: NodeId(*node),
            name: format!("n{node}"),
            score: *score,
            reason: String::new(),
            span: span.clone(),
        };
        let candidates = candidates.iter().map(anchor).collect();
        Mentioned { text: String::new(), span: span.clone(), candidates, score: 1.0, chosen: true }
    }

    #[test]
    fn the_best_of_each_mention_goes_before_the_second_of_any() {
        let mentions = [mentioned(0..1, &[(1, 1.0), (2, 0.99), (3, 0.98)]), mentioned(4..5, &[(7, 0.7)])];
        let nodes = |most| chosen(&mentions, most).iter().map(|a| a.node.0).collect::<Vec<_>>();
        assert_eq!(nodes(3), [1, 7, 2]);
        assert_eq!(nodes(1), [1]);
        assert!(chosen(&[], 3).is_empty());
    }

    #[test]
    fn relations_decide_among_names_that_match_alike() {
        let relations = HashMap::from([(NodeId(1), 0.2), (NodeId(2), 0.4), (NodeId(3), 0.9)]);
        let order = |grounding, candidates: &[(u64, f64)]| {
            rank(&mentioned(0..1, candidates), &relations, grounding)
                .iter()
                .map(|s| s.anchor.node.0)
                .collect::<Vec<_>>()
        };
        assert_eq!(order(Grounding::Fused, &[(1, 1.0), (2, 0.98), (3, 0.7)]), [2, 1]);
        assert_eq!(order(Grounding::Relations, &[(1, 1.0), (2, 0.98), (3, 0.7)]), [3, 2, 1]);
    }

    #[test]
    fn every_mention_is_masked_once() {
        let mentions =
            [mentioned(11..15, &[(1, 1.0)]), mentioned(0..0, &[(2, 1.0)]), mentioned(13..20, &[(3, 1.0)])];
        assert_eq!(
            masked(
                "who founded Lima and Quito",
                &[mentioned(12..16, &[(1, 1.0)]), mentioned(21..26, &[(2, 1.0)])]
            ),
            "who founded X and X"
        );
        assert!(masked("who founded Lima and Quito", &mentions).contains('X'));
    }
}
