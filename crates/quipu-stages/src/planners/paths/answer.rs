//! From the chosen paths to the answer.

use std::collections::HashMap;

use quipu_graph::{NodeId, NodeSummary};
use quipu_language::{Operation, Places, value_of_node};
use quipu_query::Made;
use quipu_reading::bounds;

use super::compute::{Arithmetic, answered, calculated, filtered};
use super::{Asking, Choice, MOST_EVIDENCE, PathsConfig, RunPath, is_measure};
use crate::answer::{AnswerError, Event, Evidence, Outcome, PlanStart, Planned, Stage, Value};
use crate::ledger::Context;
use crate::retrieve::triples_to_evidence;

/// The answer of the chosen paths.
pub(super) async fn answer(
    context: &Context<'_>,
    choice: Choice,
    asking: &Asking,
    config: &PathsConfig,
) -> Result<Outcome, AnswerError> {
    let graph = context.graph();
    let mut triples = Vec::new();
    for run in &choice.runs {
        triples.extend(run.walk.triples_to(&choice.ends, MOST_EVIDENCE));
    }
    let evidence = triples_to_evidence(graph, &triples).await?;
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out: 0 });
    if choice.confidence < config.least_confidence {
        let phrases: Vec<&str> = choice.runs.iter().map(|r| r.path.named.as_str()).collect();
        let reason = format!(
            "no path of the graph clearly matches the question; the nearest is {} (fit {:.2})",
            say(&phrases, &choice),
            choice.confidence
        );
        return Ok(Outcome::abstain(reason, evidence));
    }
    finish(context, choice, asking, evidence).await
}

/// Computes the answer by code from the values of a choice.
pub async fn finish(
    context: &Context<'_>,
    choice: Choice,
    asking: &Asking,
    evidence: Vec<Evidence>,
) -> Result<Outcome, AnswerError> {
    let ends = context.graph().summaries(&choice.ends).await?;
    let dated = |s: &NodeSummary| is_measure(&value_of_node(s.literal.as_ref(), &s.name));
    if asking.wanted.dates && !ends.iter().any(dated) {
        let phrases: Vec<&str> = choice.runs.iter().map(|r| r.path.named.as_str()).collect();
        let reason = format!(
            "the question asks for a date, but the best path, {}, leads to none",
            say(&phrases, &choice)
        );
        return Ok(Outcome::abstain(reason, evidence));
    }
    if let Some(condition) = &asking.condition {
        let counted = asking.wanted.operation == Some(Operation::Count);
        let plan = planned(&choice, Made::Within { bounds: bounds(condition), counted });
        let outcome = filtered(context, condition, asking, &choice, &ends, evidence).await?;
        return Ok(Outcome { plan, ..outcome });
    }
    match asking.wanted.operation {
        Some(operation) if needs_operation(operation, &ends) => {
            let asked = Arithmetic { operation, places: asking.places };
            let plan = asked.made().and_then(|made| planned(&choice, made));
            let outcome = calculated(context, asked, &choice, &ends, evidence).await?;
            Ok(Outcome { plan, ..outcome })
        }
        _ if matches!(asking.places, Some(Places::At(place)) if place > 1) => {
            let reason = "the question asks for a rank, but the values found cannot be ordered";
            Ok(Outcome::abstain(reason, evidence))
        }
        _ => {
            let mut values = by_support(&ends, &choice);
            values.truncate(asking.most());
            let outcome = answered(values, None, evidence, choice.confidence);
            Ok(Outcome { plan: planned(&choice, Made::Values), ..outcome })
        }
    }
}

/// The plan of a choice: one path, one path from each of several entities, or several paths that
/// meet.
fn planned(choice: &Choice, made: Made) -> Option<Box<Planned>> {
    let (first, others) = choice.runs.split_first()?;
    let is_met = choice.ends.iter().all(|end| others.iter().all(|run| run.ends.binary_search(end).is_ok()));
    let is_same = others.iter().all(|run| run.path.steps == first.path.steps);
    let plan = first.planned(made);
    let said = others.iter().fold(plan.said.clone(), |said, run| {
        let next = run.planned(Made::Values).said;
        format!("{said} and {next}")
    });
    let plan = if is_same && !is_met {
        let start = PlanStart::Several(choice.runs.iter().map(|run| run.anchor.node).collect());
        Planned { start, said, ..plan }
    } else {
        Planned { met: others.iter().map(|run| run.planned(Made::Values)).collect(), said, ..plan }
    };
    Some(Box::new(plan))
}

impl RunPath {
    /// The plan of this path.
    pub(super) fn planned(&self, made: Made) -> Planned {
        let start = PlanStart::Entity(self.anchor.node, self.anchor.span.clone());
        let (steps, way) = (self.path.steps.clone(), self.path.phrase.clone());
        let said = self.path.named.replacen('X', &self.anchor.name, 1);
        Planned { start, steps, way, said, made, met: Vec::new(), gives: None }
    }
}

/// The paths of a choice in words, each starting with its anchor's name.
pub fn say(phrases: &[&str], choice: &Choice) -> String {
    let said: Vec<String> = phrases
        .iter()
        .zip(&choice.runs)
        .map(|(phrase, run)| phrase.replacen('X', &run.anchor.name, 1))
        .collect();
    format!("“{}”", said.join("” and “"))
}

/// Whether an operation has values to work on. A single number is not counted: "how many people
/// live in Peru" asks for a value that the graph holds. Names are not compared: "the longest river
/// of Peru" may be a relation. In graphs of plain text triples, numbers have names like any entity.
fn needs_operation(operation: Operation, ends: &[NodeSummary]) -> bool {
    let measures = |literal: bool| {
        ends.iter()
            .filter(|s| {
                !literal || s.literal.is_some() || (s.types.is_empty() && s.name.parse::<f64>().is_ok())
            })
            .filter(|s| is_measure(&value_of_node(s.literal.as_ref(), &s.name)))
            .count()
    };
    if operation == Operation::Count {
        return ends.len() != 1 || measures(true) == 0;
    }
    measures(false) * 2 > ends.len()
}

/// The ends, sorted by how many triples of the last hop lead to them.
fn by_support(ends: &[NodeSummary], choice: &Choice) -> Vec<Value> {
    let ways: HashMap<NodeId, usize> = choice
        .runs
        .iter()
        .filter_map(|run| run.walk.hops.last())
        .flatten()
        .map(|(node, from)| (*node, from.len()))
        .collect();
    let mut ranked: Vec<&NodeSummary> = ends.iter().collect();
    ranked.sort_by_key(|s| (std::cmp::Reverse(ways.get(&s.node).copied().unwrap_or_default()), s.node));
    ranked.into_iter().map(Value::from).collect()
}
