//! Computes answers from the values at the ends of paths.

use std::collections::{HashMap, HashSet};

use quipu_graph::{NodeId, NodeSummary, Step};
use quipu_language::{Condition, Operand, Operation, Places, calculate_places};
use quipu_query::Made;

use super::owners::{common_owners, operand, owners};
use super::{Asking, Choice, MOST_EVIDENCE, RunPath};
use crate::answer::{
    AnswerError, AnswerTable, Event, Evidence, Outcome, PlanStart, Planned, Stage, Status, Value,
};
use crate::ledger::Context;
use crate::link::Mentioned;
use crate::retrieve::triples_to_evidence;

/// The operation on the values.
#[derive(Clone, Copy)]
pub(super) struct Arithmetic {
    pub(super) operation: Operation,
    pub(super) places: Option<Places>,
}

impl Arithmetic {
    /// The same operation as part of a query; `None` for a difference.
    pub(super) fn made(self) -> Option<Made> {
        let count = |places: usize| u64::try_from(places).ok();
        let (offset, limit) = match (self.operation.chooses(), self.places.unwrap_or_default()) {
            (true, Places::At(place)) => (count(place.checked_sub(1)?)?, Some(1)),
            (true, Places::UpTo(most)) => (0, Some(count(most)?)),
            (false, _) => (0, None),
        };
        Some(match self.operation {
            Operation::Count => Made::Count,
            Operation::Sum => Made::Sum,
            Operation::Average => Made::Average,
            Operation::Highest | Operation::Descending => Made::Ordered { descending: true, offset, limit },
            Operation::Lowest | Operation::Ascending => Made::Ordered { descending: false, offset, limit },
            Operation::Difference => return None,
        })
    }
}

/// The outcome with these values as its answer.
pub(super) fn answered(
    values: Vec<Value>,
    text: Option<String>,
    evidence: Vec<Evidence>,
    confidence: f64,
) -> Outcome {
    let table = AnswerTable::of_values(COLUMN, values);
    let (answers, table) = (table.answers(), Some(table));
    Outcome { status: Status::Answered, answers, table, text, evidence, confidence, ..Outcome::default() }
}

/// The column title of values that come from no query.
const COLUMN: &str = "answer";

/// Most names listed in a reason.
const MOST_NAMED: usize = 3;

pub(super) async fn calculated(
    context: &Context<'_>,
    asked: Arithmetic,
    choice: &Choice,
    ends: &[NodeSummary],
    mut evidence: Vec<Evidence>,
) -> Result<Outcome, AnswerError> {
    let operands = match (asked.operation, choice.runs.as_slice()) {
        (Operation::Count, _) => ends.iter().map(|s| operand([&s.key, &s.name], s)).collect(),
        (_, [run]) => owners(context, run, ends).await?,
        (_, runs) => {
            let common = common_owners(context, runs, ends).await?;
            if common.is_empty() {
                ends.iter().map(|s| operand([&s.key, &s.name], s)).collect()
            } else {
                common
            }
        }
    };
    finish(context, asked, operands, &mut evidence, choice.confidence)
}

fn finish(
    context: &Context<'_>,
    asked: Arithmetic,
    operands: Vec<Operand>,
    evidence: &mut Vec<Evidence>,
    confidence: f64,
) -> Result<Outcome, AnswerError> {
    let Arithmetic { operation, places } = asked;
    let owners: HashSet<&str> = operands.iter().map(|o| o.key.as_str()).collect();
    if operation.chooses() && owners.len() < 2 {
        let owner = operands.first().map_or("", |only| &only.label);
        let reason = format!("the graph has only one value ({owner}), so there is nothing to compare");
        return Ok(Outcome::abstain(reason, std::mem::take(evidence)));
    }
    match calculate_places(operation, &cite(operands, evidence), places.unwrap_or_default()) {
        Ok(calculation) => {
            let (operation, result) = (calculation.operation.clone(), calculation.result.clone());
            context.trace.report(Stage::Compose, Event::Calculated { operation, result });
            evidence.push(Evidence::calculation(
                &calculation.operation,
                &calculation.result,
                calculation.evidence,
            ));
            let evidence = std::mem::take(evidence);
            let values = match calculation.chosen.as_slice() {
                // A computed number is not an entity of the graph.
                [] => calculation.answers.into_iter().map(Value::calculated).collect(),
                chosen => chosen.iter().map(owner_of).collect(),
            };
            Ok(answered(values, Some(calculation.result), evidence, confidence))
        }
        Err(error) => Ok(Outcome::abstain(error.to_string(), std::mem::take(evidence))),
    }
}

/// The owner of a value.
fn owner_of(operand: &Operand) -> Value {
    Value { key: Some(operand.key.clone()), name: operand.label.clone(), datatype: None }
}

/// Attaches the evidence to each operand: the pieces that name both its owner and its value; for a
/// count, the value.
fn cite(mut operands: Vec<Operand>, evidence: &[Evidence]) -> Vec<Operand> {
    let mut stating: HashMap<&str, Vec<&Evidence>> = HashMap::new();
    for piece in evidence {
        for value in piece.values() {
            stating.entry(value).or_default().push(piece);
        }
    }
    for operand in &mut operands {
        let pieces = stating.get(operand.text.as_str()).into_iter().flatten();
        let of_owner = pieces.filter(|piece| piece.values().contains(&operand.label.as_str()));
        operand.evidence = of_owner.map(|piece| piece.id.clone()).collect();
    }
    operands
}

/// The entities whose value satisfies the condition:
/// `the countries with a population over 40 million`.
pub(super) async fn filtered(
    context: &Context<'_>,
    condition: &Condition,
    asking: &Asking,
    choice: &Choice,
    ends: &[NodeSummary],
    mut evidence: Vec<Evidence>,
) -> Result<Outcome, AnswerError> {
    let [run] = choice.runs.as_slice() else {
        let reason = format!(
            "the condition “{}” was not checked: it needs the values of a single path",
            condition.text
        );
        return Ok(Outcome::abstain(reason, evidence));
    };
    let operands = cite(owners(context, run, ends).await?, &evidence);
    let (mut holding, mut measured) = (Vec::new(), 0_usize);
    for operand in operands {
        if let Some(holds) = condition.holds(&operand.value) {
            measured += 1;
            if holds && !holding.iter().any(|known: &Operand| known.key == operand.key) {
                holding.push(operand);
            }
        }
    }
    if holding.is_empty() {
        let reason = format!("none of the {measured} values found is {}", condition.text);
        return Ok(Outcome::abstain(reason, evidence));
    }
    if asking.wanted.operation == Some(Operation::Count) {
        let asked = Arithmetic { operation: Operation::Count, places: None };
        return finish(context, asked, holding, &mut evidence, choice.confidence);
    }
    holding.truncate(asking.most());
    let words: Vec<String> = holding.iter().map(|o| format!("{} ({})", o.label, o.text)).collect();
    let (operation, result) = (format!("{} of {measured} values", condition.text), words.join(", "));
    context
        .trace
        .report(Stage::Compose, Event::Calculated { operation: operation.clone(), result: result.clone() });
    let from = holding.iter().flat_map(|o| o.evidence.iter().cloned()).collect();
    evidence.push(Evidence::calculation(&operation, &result, from));
    let values = holding.iter().map(owner_of).collect();
    Ok(answered(values, Some(result), evidence, choice.confidence))
}

/// Compares the entities in the question: follows the same path from each and compares the values.
/// "Is A larger than B" is answered yes if A is the larger one. `None` if the entities share no
/// path.
pub(super) async fn compare(
    context: &Context<'_>,
    mentioned: &[Mentioned],
    runs: &[Vec<RunPath>],
    asking: &Asking,
) -> Result<Option<Outcome>, AnswerError> {
    let Some(operation) = asking.wanted.operation.filter(|op| op.needs_values()) else { return Ok(None) };
    let Some((first, rest)) = runs.split_first() else { return Ok(None) };
    let same = |steps: &[Step]| -> Option<Vec<&RunPath>> {
        rest.iter().map(|of_anchor| of_anchor.iter().find(|r| r.path.steps == steps)).collect()
    };
    let best = first.iter().filter_map(|run| Some((run, same(&run.path.steps)?)));
    let best = best.max_by(|a, b| joint(a.0, &a.1).total_cmp(&joint(b.0, &b.1)));
    let Some((run, others)) = best else { return Ok(None) };
    if let Some(shared) = shared_owners(run, &others) {
        let names = context.graph().summaries(shared.get(..MOST_NAMED).unwrap_or(&shared)).await?;
        let names: Vec<String> = names.into_iter().map(|summary| summary.name).collect();
        let reason = format!(
            "the entities in the question have no values of their own to compare; the values found belong to things that they share: {}",
            names.join(", ")
        );
        return Ok(Some(Outcome::abstain(reason, Vec::new())));
    }
    let confidence = joint(run, &others).sqrt();
    let mut operands = Vec::new();
    let mut triples = Vec::new();
    let compared: Vec<&RunPath> = std::iter::once(run).chain(others).collect();
    let anchors: Vec<NodeId> = compared.iter().map(|run| run.anchor.node).collect();
    for (run, owner) in compared.iter().zip(context.graph().summaries(&anchors).await?) {
        let ends = context.graph().summaries(&run.ends).await?;
        operands.extend(ends.iter().map(|s| operand([&owner.key, &run.anchor.name], s)));
        triples.extend(run.walk.triples_to(&run.ends, MOST_EVIDENCE));
    }
    let mut evidence = triples_to_evidence(context.graph(), &triples).await?;
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out: 0 });
    let asked = Arithmetic { operation, places: asking.places };
    let mut outcome = finish(context, asked, operands, &mut evidence, confidence)?;
    let says = asking.wanted.confirms && operation.chooses();
    if let Some(made) = asked.made() {
        let gives = outcome.table.as_ref().filter(|_| says);
        let gives = gives.map(|table| table.values().into_iter().cloned().collect());
        let said: Vec<String> = compared.iter().map(|run| run.planned(Made::Values).said).collect();
        let (start, said) = (PlanStart::Several(anchors), said.join(" and "));
        outcome = outcome.by(Planned { start, gives, said, ..run.planned(made) });
    }
    if !says || outcome.status != Status::Answered {
        return Ok(Some(outcome));
    }
    let named_first = compared.iter().zip(mentioned).min_by_key(|(_, mention)| mention.span.start);
    let named_first = named_first.map(|(run, _)| run.anchor.name.as_str());
    let is_the_one = matches!(outcome.answers.as_slice(), [one] if Some(one.as_str()) == named_first);
    let answer = if is_the_one { "yes" } else { "no" };
    let text = outcome.text.unwrap_or_default();
    let from = outcome.evidence.iter().map(|piece| piece.id.clone()).collect();
    let mut evidence = outcome.evidence;
    evidence.push(Evidence::calculation(
        &format!("whether {} is the one: {text}", named_first.unwrap_or_default()),
        answer,
        from,
    ));
    let text = Some(format!("{answer}: {text}"));
    Ok(Some(Outcome { answers: vec![answer.to_owned()], table: None, text, evidence, ..outcome }))
}

/// The owners of the values, if all compared entities have the same owners: the area of the country
/// that contains two states says nothing about either state.
fn shared_owners(run: &RunPath, others: &[&RunPath]) -> Option<Vec<NodeId>> {
    let owners = |run: &RunPath| -> Option<Vec<NodeId>> {
        let hop = run.walk.hops.get(run.walk.hops.len().checked_sub(2)?)?;
        Some(hop.iter().map(|(node, _)| *node).collect())
    };
    let own = owners(run)?;
    others.iter().all(|other| owners(other).as_ref() == Some(&own)).then_some(own)
}

fn joint(run: &RunPath, others: &[&RunPath]) -> f64 {
    others.iter().fold(run.weight, |product, other| product * other.weight)
}
