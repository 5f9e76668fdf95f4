//! Questions for yes or no: "is Lima the capital of Peru?" asks whether the path that the words tell leads from one mention to another.

use quipu_graph::{Direction, NodeId, NodeSummary};
use quipu_index::words;
use quipu_language::{Language, value_of_node, values_said};
use quipu_query::Made;

use super::{MOST_EVIDENCE, PathsConfig, RunPath, is_measure};
use crate::answer::{AnswerError, Event, Evidence, Outcome, Planned, Stage, Status, Value};
use crate::ledger::Context;
use crate::link::Mentioned;
use crate::retrieve::triples_to_evidence;

/// "No" needs a path that is surely meant: what it does not lead to may stand elsewhere.
pub(super) const SURE_OF_NO: f64 = 0.5;
/// Most ends that the path's query is held against.
const MOST_GIVEN: usize = 1000;
/// Triples that show what a relation leads to.
const SAMPLED: usize = 100;
/// Ends that show what a path leads to.
const SHOWN: usize = 5;

/// Yes where the best path from one mention leads to another mention; no where it surely is what the question means and leads
/// elsewhere only. Else an abstention: a question for yes or no is not answered with a list.
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
        let reason = "no path of the graph leads on from what the question names";
        return Ok(Outcome::abstain(reason, Vec::new()));
    };
    // What the same words may mean besides is no other thing.
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
    let phrase = best.path.phrase.replacen('X', &best.anchor.name, 1);
    if confidence < if yes { config.least_confidence } else { SURE_OF_NO } {
        return Ok(unsure(&phrase, confidence));
    }
    if !yes && others.len() > 1 {
        let reason = format!("“{phrase}” does not reach everything that the question names");
        return Ok(Outcome::abstain(reason, Vec::new()));
    }
    if !yes && is_of_another_kind(context, best, mentioned).await? {
        let reason = format!("“{phrase}” leads to another kind of thing than the question names");
        return Ok(Outcome::abstain(reason, Vec::new()));
    }
    verdict(context, best, &reached.concat(), confidence).await
}

/// Whether a path leads to another kind of thing than the question names beside its start: to numbers or dates, where "the 1990s" is no
/// year, or to flights, where it names an airport.
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
    // A capital and a town are of two types: elsewhere the relation may lead to a town.
    if let Some(last) = run.path.steps.last() {
        let triples = context.graph().sample_triples(last.relation, SAMPLED).await?;
        let end = |(head, tail)| if last.direction == Direction::Forward { tail } else { head };
        let others: Vec<NodeId> = triples.into_iter().map(end).collect();
        of_ends.extend(types(&context.graph().summaries(&others).await?));
    }
    Ok(!of_ends.iter().any(|of| of_named.contains(of)))
}

/// Yes where `reached` is something, shown with the way there; else no, shown with what the way leads to instead.
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
    let phrase = run.path.phrase.replacen('X', &run.anchor.name, 1);
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
    let reason = format!("whether the question means “{phrase}” is not sure enough (fit {confidence:.2})");
    Outcome::abstain(reason, Vec::new())
}
