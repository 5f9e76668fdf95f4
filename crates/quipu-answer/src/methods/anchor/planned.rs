//! Our planners instead of the paper's rounds. The predictor stays: it finds the entities that the
//! question names.

use std::collections::HashSet;

use quipu_graph::NodeId;
use quipu_language::normalise;
use quipu_stages::answer::{AnswerError, Event, Outcome, Question, Stage, cell};
use quipu_stages::ledger::Context;
use quipu_stages::link::{Mentioned, NOTHING_LINKED, detected, keywords, merge, named};
use quipu_stages::planners::{PathsConfig, QueryConfig, paths, query};

use super::grounding::ranked;
use super::predictor::chosen;
use super::{AnchorConfig, Grounding, Predictor};

/// Names of the graph offered to the keyword call.
const MOST_NAMES: usize = 8;
/// A candidate whose name matches worse than the best of its mention by more than this is dropped,
/// whatever its relations.
const WORSE: f64 = 0.08;
/// The least match of a name for a candidate to start from.
const LEAST_MATCH: f64 = 0.6;

/// Whole paths from the predicted anchors, after an inner question is answered.
pub(super) async fn by_paths(
    context: &Context<'_>,
    question: &Question,
    config: &AnchorConfig,
    paths: &PathsConfig,
) -> Result<Outcome, AnswerError> {
    let mut paths = PathsConfig { candidates: config.anchors, mentions: config.anchors, ..paths.clone() };
    paths.walk.max_hops = paths.walk.max_hops.min(usize::try_from(config.depth).unwrap_or(usize::MAX));
    let settled = paths::settle(context, question, &paths).await?;
    let question = settled.as_ref().map_or(question, |settled| &settled.question);
    let mut predicted = predict(context, question, config).await?;
    if let Some(settled) = &settled {
        predicted = settled.among(predicted);
    }
    if predicted.is_empty() {
        return Ok(Outcome::abstain(NOTHING_LINKED, Vec::new()));
    }
    let outcome = paths::run_from(context, question, predicted, &paths).await?;
    Ok(match settled {
        Some(settled) => settled.complete(outcome),
        None => outcome,
    })
}

/// A query for the proofread question, with the graph's own names.
pub(super) async fn by_query(
    context: &Context<'_>,
    question: &Question,
    config: &AnchorConfig,
    query: &QueryConfig,
) -> Result<Outcome, AnswerError> {
    let predicted = predict(context, question, config).await?;
    let text = proof_read(question.text(), &predicted);
    if text == question.text() {
        return query::run(context, question, query).await;
    }
    let question = Question::new(&text, question.asked_at().clone())?;
    context.trace.report(Stage::Plan, Event::Restated { question: text });
    query::run(context, &question, query).await
}

/// Replaces the words of each mention by the name of its best candidate.
fn proof_read(text: &str, mentioned: &[Mentioned]) -> String {
    let mut best: Vec<_> = mentioned.iter().filter_map(|m| Some((m.span.clone(), m.best()?))).collect();
    best.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut read = text.to_owned();
    let mut from = text.len();
    for (span, anchor) in best {
        let Some(written) = text.get(span.clone()).filter(|words| !words.is_empty()) else { continue };
        if span.end <= from && normalise(written) != normalise(&anchor.name) {
            from = span.start;
            read.replace_range(span, &anchor.name);
        }
    }
    read
}

/// The question's mentions, each with the candidates to start from, best first. The index's
/// mentions and the model's keywords are merged. Names count beside relations here, because whole
/// paths are planned for every entity that the question lists.
async fn predict(
    context: &Context<'_>,
    question: &Question,
    config: &AnchorConfig,
) -> Result<Vec<Mentioned>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Link);
    let mut mentioned = candidates(context, question, config).await?;
    if context.anchors.is_empty() {
        mentioned.retain(|m| m.best().is_some_and(|best| best.score >= LEAST_MATCH));
        mentioned = grounded(context, question, mentioned, config).await?;
    }
    let most = config.anchors.max(mentioned.len());
    let taken: HashSet<NodeId> = chosen(&mentioned, most).into_iter().map(|a| a.node).collect();
    for mention in &mut mentioned {
        mention.candidates.retain(|candidate| taken.contains(&candidate.node));
    }
    mentioned.retain(|mention| !mention.candidates.is_empty());
    let mentions = mentioned.iter().map(Mentioned::to_event).collect();
    context.trace.report(Stage::Link, Event::Linked { mentions });
    Ok(mentioned)
}

/// Keywords and candidates: one call with [`Predictor::Model`], none if the anchors are given.
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

/// Ranks the candidates of every mention by name and relations.
async fn grounded(
    context: &Context<'_>,
    question: &Question,
    mut mentioned: Vec<Mentioned>,
    config: &AnchorConfig,
) -> Result<Vec<Mentioned>, AnswerError> {
    if config.grounding == Grounding::Off {
        return Ok(mentioned);
    }
    for mention in &mut mentioned {
        let best = mention.best().map_or(0.0, |anchor| anchor.score);
        mention.candidates.retain(|anchor| best - anchor.score <= WORSE);
    }
    let ranked = ranked(context, question.text(), &mentioned, Grounding::Fused, config).await?;
    mentioned.iter_mut().for_each(|mention| mention.candidates.clear());
    for scored in ranked {
        if let Some(mention) = mentioned.get_mut(scored.mention) {
            mention.candidates.push(scored.anchor);
        }
    }
    Ok(mentioned)
}

#[cfg(test)]
mod tests {
    use quipu_stages::link::Anchor;

    use super::*;

    fn mentioned(span: std::ops::Range<usize>, name: &str) -> Mentioned {
        let anchor = Anchor {
            node: NodeId(1),
            name: name.to_owned(),
            score: 1.0,
            reason: String::new(),
            span: span.clone(),
        };
        Mentioned { text: String::new(), span, candidates: vec![anchor], score: 1.0, chosen: true }
    }

    #[test]
    fn names_are_written_as_the_graph_has_them() {
        let found = [mentioned(13..17, "Lima"), mentioned(22..27, "Quito"), mentioned(0..0, "Peru")];
        assert_eq!(proof_read("who built in Lmia and Quito?", &found), "who built in Lima and Quito?");
        // Overlapping mentions are replaced once.
        let found = [mentioned(3..10, "Ada Berg"), mentioned(3..6, "Ade")];
        assert_eq!(proof_read("is Ada Brg here?", &found), "is Ada Berg here?");
    }
}
