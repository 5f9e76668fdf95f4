//! KERAG over whole paths (DESIGN §8): the scope consists of the likeliest paths around the
//! anchors. The model reasons over the triples along them and names the path that leads to the
//! answer; then all of that path is retrieved. Two calls for any number of hops.

use std::collections::HashSet;

use quipu_graph::NodeId;
use quipu_language::{Operation, normalise};
use quipu_stages::answer::{AnswerError, Event, Evidence, Outcome, Question, Stage, Status};
use quipu_stages::compose::{OfferedWay, WaysReply, compose_ways, why_not};
use quipu_stages::ledger::Context;
use quipu_stages::link::Mentioned;
use quipu_stages::plan::{Topic, WalkConfig};
use quipu_stages::planners::paths::{Choice, PathsConfig, Readings, finish, readings, say};
use quipu_stages::retrieve::{best_within_budget, triples_to_evidence};

use super::{KeragConfig, Summary};

/// Most triples of one hop of a chosen path that are kept as evidence.
const MOST_EVIDENCE: usize = 2000;
/// Values of a path whose triples the model sees, and triples of one hop: a few show what kind of
/// path it is.
const MOST_BACKED: usize = 5;
/// Most values of a path that are read by name for the model.
const MOST_VALUES: usize = 500;

/// The parameters of path planning here.
pub(super) fn planning(config: &KeragConfig) -> PathsConfig {
    let max_hops = usize::try_from(config.max_hops).unwrap_or(usize::MAX);
    PathsConfig { walk: WalkConfig { max_hops, ..WalkConfig::default() }, ..PathsConfig::default() }
}

/// Plans, retrieves and composes by the likeliest paths of each anchor.
pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    topic: &Topic,
    linked: Vec<Mentioned>,
    config: &KeragConfig,
) -> Result<Outcome, AnswerError> {
    let planning = planning(config);
    let found = readings(context, question, linked, &planning, config.paths).await?;
    if found.choices.is_empty() {
        return Ok(Outcome::abstain("the graph says nothing relevant about these entities", Vec::new()));
    }
    let evidence = retrieve(context, &found.choices).await?;
    let likeliest = found.choices.iter().max_by(|a, b| a.confidence.total_cmp(&b.confidence));
    if let Some(way) =
        likeliest.filter(|way| found.decided.is_none() && way.confidence < config.least_confidence)
    {
        return Ok(Outcome::abstain(unlikely(way), evidence));
    }
    let _timer = context.ledger.enter(Stage::Compose);
    let offered = offered(context, &found.choices).await?;
    let frames = &topic.time_frames;
    let reply =
        compose_ways(context, question, frames, &evidence, &offered, config.summary == Summary::Reasoned)
            .await;
    match reply {
        Ok(reply) => {
            let reply = doubted(context, reply, &found.choices, planning.least_confidence);
            settle(context, topic, found, reply, evidence, config.least_confidence).await
        }
        Err(AnswerError::Model(error @ quipu_model::ModelError::Unreadable { .. })) => {
            Ok(Outcome::abstain(error.to_string(), evidence))
        }
        Err(error) => Err(error),
    }
}

/// The triples behind the values of each path that the model sees, the likeliest paths first. All
/// of a path is retrieved only after the model names it; a path through a hub would fill the prompt
/// with triples that nobody reads.
async fn retrieve(context: &Context<'_>, choices: &[Choice]) -> Result<Vec<Evidence>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Retrieve);
    let mut walked = Vec::new();
    for choice in choices {
        let ends: Vec<NodeId> = choice.ends.iter().copied().take(MOST_BACKED).collect();
        for run in &choice.runs {
            walked.extend(run.walk.triples_to(&ends, MOST_BACKED));
        }
    }
    let mut evidence = triples_to_evidence(context.graph(), &walked).await?;
    let mut seen = HashSet::new();
    evidence.retain(|piece| seen.insert(piece.id.clone()));
    let (evidence, left_out) = best_within_budget(context, evidence);
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out });
    Ok(evidence)
}

/// The choices as the model reads them.
async fn offered(context: &Context<'_>, choices: &[Choice]) -> Result<Vec<OfferedWay>, AnswerError> {
    let mut offered = Vec::new();
    for choice in choices {
        let phrases: Vec<&str> = choice.runs.iter().map(|run| run.path.phrase.as_str()).collect();
        let ends: Vec<NodeId> = choice.ends.iter().copied().take(MOST_VALUES).collect();
        let names = context.graph().summaries(&ends).await?;
        offered.push(OfferedWay {
            says: say(&phrases, choice),
            fit: choice.confidence,
            values: names.into_iter().map(|summary| summary.name).collect(),
        });
    }
    Ok(offered)
}

/// Corrects a reply that names paths to the answer but calls it unknown, a contradiction that small
/// models produce if several paths are offered. The likeliest of those paths is the answer, if
/// whole-path planning alone would accept it.
fn doubted(context: &Context<'_>, reply: WaysReply, choices: &[Choice], least_confidence: f64) -> WaysReply {
    let likeliest = reply.ways.iter().copied().min();
    let sure = likeliest.and_then(|at| choices.get(at)).is_some_and(|way| way.confidence >= least_confidence);
    if reply.status != Status::Abstained || !sure {
        return reply;
    }
    let reason =
        "the model named paths to the answer but called it unknown; the likeliest path is used".to_owned();
    context.trace.report(Stage::Compose, Event::Degraded { reason });
    WaysReply { status: Status::Answered, ways: likeliest.into_iter().collect(), some: Vec::new(), ..reply }
}

/// The answer of the paths that the model names: their values, a calculation from them, or some of
/// them.
async fn settle(
    context: &Context<'_>,
    topic: &Topic,
    found: Readings,
    reply: WaysReply,
    mut evidence: Vec<Evidence>,
    least_confidence: f64,
) -> Result<Outcome, AnswerError> {
    let Readings { choices, mut asking, decided } = found;
    let WaysReply { status, reasoning, ways, operation, some } = reply;
    context
        .trace
        .report(Stage::Compose, Event::Composed { reasoning: reasoning.clone(), answers: some.clone() });
    if status != Status::Answered {
        let reason = why_not(status, &reasoning).unwrap_or_default();
        return Ok(Outcome { status, ..Outcome::abstain(reason, evidence) });
    }
    if let Some(outcome) = decided.filter(|outcome| outcome.status == Status::Answered) {
        return Ok(outcome);
    }
    let named: Vec<Choice> =
        choices.iter().enumerate().filter(|(at, _)| ways.contains(at)).map(|(_, way)| way.clone()).collect();
    let Some(choice) = together(named).or_else(|| choices.into_iter().next()) else {
        return Ok(Outcome::abstain("no path leads to an answer", evidence));
    };
    if choice.confidence < least_confidence {
        return Ok(Outcome::abstain(unlikely(&choice), evidence));
    }
    asking.wanted.operation = agreed([asking.wanted.operation, topic.operation, operation]);
    add_triples(context, &choice, &mut evidence).await?;
    let calculates = asking.wanted.operation.is_some() || asking.condition.is_some();
    let most = asking.most();
    if !calculates {
        // The model's choice of values comes first; the number of values is cut after it.
        asking.places = None;
    }
    let mut outcome = finish(context, choice, &asking, evidence).await?;
    let picked = picked(&some, &outcome.answers);
    if !calculates && !picked.is_empty() {
        outcome.answers = picked;
    }
    if !calculates {
        outcome.answers.truncate(most);
    }
    Ok(outcome)
}

/// The message for a path that fits the question too poorly.
fn unlikely(way: &Choice) -> String {
    let phrases: Vec<&str> = way.runs.iter().map(|run| run.path.phrase.as_str()).collect();
    let (said, fit) = (say(&phrases, way), way.confidence);
    format!("no path of the graph clearly matches the question; the nearest is {said} (fit {fit:.2})")
}

/// Joins several paths, the likeliest of each anchor: the values that paths of different anchors
/// share, or all their values if they share none.
fn together(named: Vec<Choice>) -> Option<Choice> {
    let anchors =
        |choice: &Choice| -> Vec<NodeId> { choice.runs.iter().map(|run| run.anchor.node).collect() };
    let mut named = named.into_iter();
    let first = named.next()?;
    Some(named.fold(first, |mut all, next| {
        let known = anchors(&all);
        if anchors(&next).iter().any(|anchor| known.contains(anchor)) {
            return all;
        }
        let common: Vec<NodeId> = all.ends.iter().copied().filter(|end| next.ends.contains(end)).collect();
        if common.is_empty() {
            all.ends.extend(next.ends);
            all.ends.sort_unstable();
            all.ends.dedup();
        } else {
            all.ends = common;
        }
        all.runs.extend(next.runs);
        all.confidence = all.confidence.min(next.confidence);
        all
    }))
}

/// The operation on which at least two of the three readings agree: the question's words, the topic
/// call and the composition.
fn agreed(readings: [Option<Operation>; 3]) -> Option<Operation> {
    let [words, topic, composed] = readings;
    [(words, topic), (words, composed), (topic, composed)].into_iter().find(|(a, b)| a == b)?.0
}

/// Adds the chosen path's own triples, which may not have fit the prompt's budget.
async fn add_triples(
    context: &Context<'_>,
    choice: &Choice,
    evidence: &mut Vec<Evidence>,
) -> Result<(), AnswerError> {
    let mut seen: HashSet<String> = evidence.iter().map(|piece| piece.id.clone()).collect();
    for run in &choice.runs {
        let triples = run.walk.triples_to(&choice.ends, MOST_EVIDENCE);
        let pieces = triples_to_evidence(context.graph(), &triples).await?;
        evidence.extend(pieces.into_iter().filter(|piece| seen.insert(piece.id.clone())));
    }
    Ok(())
}

/// The values that the model picked, in the graph's spelling.
fn picked(some: &[String], values: &[String]) -> Vec<String> {
    let wanted: HashSet<String> = some.iter().map(|value| normalise(value)).collect();
    values.iter().filter(|value| wanted.contains(&normalise(value))).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_three_readings_decide_what_is_calculated() {
        use Operation::{Count, Highest};
        assert_eq!(
            agreed([None, None, Some(Count)]),
            None,
            "a composition that counts where nobody asks how many"
        );
        assert_eq!(agreed([Some(Count), None, Some(Count)]), Some(Count));
        assert_eq!(agreed([Some(Count), Some(Count), None]), Some(Count));
        assert_eq!(agreed([None, Some(Highest), Some(Highest)]), Some(Highest));
        assert_eq!(agreed([Some(Count), Some(Highest), None]), None);
    }

    #[test]
    fn some_values_are_taken_as_the_graph_writes_them() {
        let values = ["Salt Roads".to_owned(), "The Ninth Wave".to_owned()];
        assert_eq!(picked(&["the ninth wave".to_owned()], &values), ["The Ninth Wave"]);
        assert_eq!(picked(&["Lindau".to_owned()], &values), [""; 0]);
    }
}
