//! Yes-or-no questions about two mentions: "is Lima the capital of Peru?" asks whether the path
//! that the words describe leads from one to the other.

use quipu_graph::{Direction, NodeId, NodeSummary};
use quipu_language::{Language, value_of_node, values_said, words};
use quipu_query::Made;

use super::{MOST_EVIDENCE, PathsConfig, RunPath, is_measure};
use crate::answer::{AnswerError, Event, Evidence, Outcome, Planned, Stage, Status, Value};
use crate::ledger::Context;
use crate::link::Mentioned;
use crate::retrieve::triples_to_evidence;

/// The least confidence for a "no": an unsure path proves nothing by what it fails to reach.
pub(super) const SURE_OF_NO: f64 = 0.5;
/// Most ends compared with the results of the path's query.
const MOST_GIVEN: usize = 1000;
/// Triples sampled for the kinds of entity that a relation leads to.
const SAMPLED: usize = 100;
/// Ends sampled for the kinds of entity that a path leads to.
const SHOWN: usize = 5;

/// Answers yes if the best path from one mention leads to another mention; no if that path is
/// surely meant but leads only elsewhere. Otherwise abstains: a list does not answer a yes-or-no
/// question.
pub(super) async fn check(
    context: &Context<'_>,
    question: &str,
    mentioned: &[Mentioned],
    runs: &[Vec<RunPath>],
    config: &PathsConfig,
) -> Result<Outcome, AnswerError> {
    let language = Language::of(question);
    let best = runs.iter().flatten().max_by(|a, b| a.weight.total_cmp(&b.weight));
    let Some(best) = best else {
        let reason = "no path of the graph starts at the entities in the question";
        return Ok(Outcome::abstain(reason, Vec::new()));
    };
    // A second mention of the anchor itself does not count as another entity.
    let is_anchor =
        |mention: &Mentioned| mention.candidates.iter().all(|found| found.node == best.anchor.node);
    let others: Vec<&Mentioned> = (mentioned.iter())
        .filter(|mention| mention.span != best.anchor.span && !is_anchor(mention))
        .collect();
    let ends_at = |other: &&Mentioned| -> Vec<NodeId> {
        let nodes = other.candidates.iter().map(|candidate| candidate.node);
        nodes.filter(|node| best.ends.binary_search(node).is_ok()).collect()
    };
    let reached: Vec<Vec<NodeId>> = others.iter().map(ends_at).collect();
    let chooses = words(question).iter().any(|word| language.offers_a_choice(&word.text));
    let mut found = reached.iter().map(|reached| !reached.is_empty());
    let yes =
        if chooses { found.any(|found| found) } else { !reached.is_empty() && found.all(|found| found) };
    let confidence = best.path.confidence(best.path.probability);
    let phrase = best.path.named.replacen('X', &best.anchor.name, 1);
    if confidence < if yes { config.least_confidence } else { SURE_OF_NO } {
        return Ok(unsure(&phrase, confidence));
    }
    if !yes && others.len() > 1 {
        let reason = format!("“{phrase}” does not reach every entity in the question");
        return Ok(Outcome::abstain(reason, Vec::new()));
    }
    if !yes && is_of_another_kind(context, best, mentioned).await? {
        let reason = format!("“{phrase}” leads to another kind of value than the question names");
        return Ok(Outcome::abstain(reason, Vec::new()));
    }
    verdict(context, best, &reached.concat(), confidence).await
}

/// Whether a path leads to a different kind than the question names besides its start: to numbers
/// or dates although "the 1990s" is no year, or to flights although the question names an airport.
async fn is_of_another_kind(
    context: &Context<'_>,
    run: &RunPath,
    mentioned: &[Mentioned],
) -> Result<bool, AnswerError> {
    let others = || mentioned.iter().filter(|mention| mention.span != run.anchor.span);
    if others().any(|mention| !values_said(&mention.text).is_empty()) {
        return Ok(false);
    }
    let ends = context.graph().summaries(run.ends.get(..SHOWN).unwrap_or(&run.ends)).await?;
    if ends.iter().all(|end| is_measure(&value_of_node(end.literal.as_ref(), &end.name))) {
        return Ok(true);
    }
    let named: Vec<NodeId> =
        others().flat_map(|mention| &mention.candidates).map(|candidate| candidate.node).collect();
    let named = context.graph().summaries(&named).await?;
    let types = |nodes: &[NodeSummary]| -> Vec<NodeId> {
        nodes.iter().flat_map(|node| node.types.iter().copied()).collect()
    };
    let (mut of_ends, of_named) = (types(&ends), types(&named));
    if of_ends.is_empty() || of_named.is_empty() {
        return Ok(false);
    }
    // A capital and a town have different types, but the relation may lead to a town elsewhere in
    // the graph.
    if let Some(last) = run.path.steps.last() {
        let triples = context.graph().sample_triples(last.relation, SAMPLED).await?;
        let end = |(head, tail)| if last.direction == Direction::Forward { tail } else { head };
        let others: Vec<NodeId> = triples.into_iter().map(end).collect();
        of_ends.extend(types(&context.graph().summaries(&others).await?));
    }
    Ok(!of_ends.iter().any(|of| of_named.contains(of)))
}

/// Answers yes if `reached` is not empty, with the path to it as evidence; else no, with the path's
/// actual ends as evidence.
pub(super) async fn verdict(
    context: &Context<'_>,
    run: &RunPath,
    reached: &[NodeId],
    confidence: f64,
) -> Result<Outcome, AnswerError> {
    let yes = !reached.is_empty();
    let ends = context.graph().summaries(run.ends.get(..MOST_GIVEN).unwrap_or(&run.ends)).await?;
    let gives = Some(ends.iter().map(Value::from).collect());
    let plan = Planned { gives, ..run.planned(Made::Values) };
    let phrase = run.path.named.replacen('X', &run.anchor.name, 1);
    let shown = if yes { reached } else { &run.ends };
    let mut evidence =
        triples_to_evidence(context.graph(), &run.walk.triples_to(shown, MOST_EVIDENCE)).await?;
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out: 0 });
    let result = if yes { "yes" } else { "no" };
    let operation = format!("is it among “{phrase}”");
    context
        .trace
        .report(Stage::Compose, Event::Calculated { operation: operation.clone(), result: result.into() });
    let from = evidence.iter().map(|piece| piece.id.clone()).collect();
    evidence.push(Evidence::calculation(&operation, result, from));
    let outcome = Outcome {
        status: Status::Answered,
        answers: vec![result.to_owned()],
        text: None,
        evidence,
        confidence,
        reason: None,
        ..Outcome::default()
    };
    Ok(outcome.by(plan))
}

pub(super) fn unsure(phrase: &str, confidence: f64) -> Outcome {
    let reason = format!("I am not sure enough that the question means “{phrase}” (fit {confidence:.2})");
    Outcome::abstain(reason, Vec::new())
}
