//! KERAG (Sun et al.): plans a neighbourhood on the schema, filters it, retrieves all of it, and
//! reasons over it.
//!
//! With D hops it calls the model D + 2 times: once for the topic (§4.2 step 1), once for each hop
//! (steps 2 to 4), once to compose (§4.3). Each relinking after "wrongly linked" starts the hops
//! again, with their calls.
//!
//! With the planner `paths` (module `ways`) it takes two calls for any number of hops; with `query`
//! the summary reasons over the rows.
//!
//! docs/methods.md lists the differences from the paper.

mod config;
mod hops;
mod topic;
mod ways;

use quipu_graph::NodeId;
use quipu_language::TimeFrame;
use quipu_stages::answer::{AnswerError, Event, Evidence, Outcome, Question, Stage, Status};
use quipu_stages::compose::{Composed, compose, compose_plain, compose_triples};
use quipu_stages::ledger::Context;
use quipu_stages::link::{Anchor, Mentioned, NOTHING_LINKED};
use quipu_stages::planners::paths::settle;
use quipu_stages::planners::{Planner, Planning, query};
use quipu_stages::prune::Verdict;
use quipu_stages::retrieve::{best_within_budget, retrieve_scope};

pub use config::{KeragConfig, RelationFilter, Summary, TimeReader};
use hops::{Plan, plan_hops};
use topic::{Start, identify};

/// Most relinkings of a wrongly linked question.
const MOST_RELINKS: usize = 2;
/// Confidence in an answer whose scope the model judged sufficient, and in one whose scope it did
/// not.
const ENOUGH: f64 = 0.7;
const NOT_ENOUGH: f64 = 0.5;

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &KeragConfig,
    planning: Planning<'_>,
) -> Result<Outcome, AnswerError> {
    match planning.planner {
        Planner::Published => published(context, question, config).await,
        Planner::Paths => by_paths(context, question, config).await,
        Planner::Query => by_query(context, question, config, planning).await,
    }
}

/// The paper's algorithm: topic, hops in the schema, all triples in their scope, summary.
async fn published(
    context: &Context<'_>,
    question: &Question,
    config: &KeragConfig,
) -> Result<Outcome, AnswerError> {
    let start = identify(context, question, None, config, false).await?;
    if start.linked.is_empty() {
        return Ok(Outcome::abstain(NOTHING_LINKED, Vec::new()));
    }
    let mut plan = None;
    for attempt in 0..=MOST_RELINKS {
        let Some(anchors) = choose(&start.linked, attempt) else { break };
        let next = plan_hops(context, question, anchors, start.pair, config).await?;
        let wrong = next.verdict == Verdict::Wrong;
        plan = Some(next);
        if !wrong {
            break;
        }
    }
    let Some(plan) = plan else { return Ok(Outcome::abstain(NOTHING_LINKED, Vec::new())) };
    let evidence = retrieve(context, &plan).await?;
    if evidence.is_empty() {
        return Ok(Outcome::abstain("the graph says nothing relevant about these entities", evidence));
    }
    let confidence = if plan.verdict == Verdict::Enough { ENOUGH } else { NOT_ENOUGH };
    summarize(context, question, &start, evidence, confidence, config).await
}

/// Whole paths instead of hops, after an inner question is answered.
async fn by_paths(
    context: &Context<'_>,
    question: &Question,
    config: &KeragConfig,
) -> Result<Outcome, AnswerError> {
    let settled = settle(context, question, &ways::planning(config)).await?;
    let asked = settled.as_ref().map_or(question, |settled| &settled.question);
    let start = identify(context, asked, settled.as_ref(), config, true).await?;
    if start.linked.is_empty() {
        return Ok(Outcome::abstain(NOTHING_LINKED, Vec::new()));
    }
    let outcome = ways::run(context, asked, &start.topic, start.linked, config).await?;
    Ok(match settled {
        Some(settled) => settled.complete(outcome),
        None => outcome,
    })
}

/// A query instead of topic and hops: the summary reasons over the evidence of its rows.
async fn by_query(
    context: &Context<'_>,
    question: &Question,
    config: &KeragConfig,
    planning: Planning<'_>,
) -> Result<Outcome, AnswerError> {
    let queried = query::run(context, question, planning.query).await?;
    if queried.status != Status::Answered || queried.evidence.is_empty() {
        return Ok(queried);
    }
    let (evidence, left_out) = best_within_budget(context, queried.evidence);
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out });
    let start = Start { times: context.times(question), ..Start::default() };
    let outcome = summarize(context, question, &start, evidence, queried.confidence, config).await?;
    Ok(Outcome { readings: queried.readings, plan: queried.plan, ..outcome })
}

/// The anchors of one attempt: the first candidate of each mention, but in attempt n the first
/// mention with enough candidates takes candidate n + 1. `None` if no mention has one.
fn choose(linked: &[Mentioned], attempt: usize) -> Option<Vec<Anchor>> {
    let doubtful = linked.iter().position(|m| m.candidates.len() > attempt)?;
    let pick = |(at, mention): (usize, &Mentioned)| {
        mention.candidates.get(if at == doubtful { attempt } else { 0 }).cloned()
    };
    Some(linked.iter().enumerate().filter_map(pick).collect())
}

/// Retrieval of the whole scope (§4.1 step 2).
async fn retrieve(context: &Context<'_>, plan: &Plan) -> Result<Vec<Evidence>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Retrieve);
    let nodes: Vec<NodeId> = plan.anchors.iter().map(|a| a.node).collect();
    let budget = context.limits.evidence_tokens;
    let retrieved = retrieve_scope(context, &nodes, &plan.scope, &plan.relevance, budget).await?;
    let event = Event::Retrieved { evidence: retrieved.evidence.len(), left_out: retrieved.left_out };
    context.trace.report(Stage::Retrieve, event);
    Ok(retrieved.evidence)
}

/// Summarization (§4.3): one call.
async fn summarize(
    context: &Context<'_>,
    question: &Question,
    start: &Start,
    evidence: Vec<Evidence>,
    confidence: f64,
    config: &KeragConfig,
) -> Result<Outcome, AnswerError> {
    let _timer = context.ledger.enter(Stage::Compose);
    match composed(context, question, &start.times, &evidence, config.summary).await {
        Ok(composed) => Ok(composed.outcome(evidence, confidence)),
        Err(AnswerError::Model(error @ quipu_model::ModelError::Unreadable { .. })) => {
            Ok(Outcome::abstain(error.to_string(), evidence))
        }
        Err(error) => Err(error),
    }
}

async fn composed(
    context: &Context<'_>,
    question: &Question,
    times: &[TimeFrame],
    evidence: &[Evidence],
    summary: Summary,
) -> Result<Composed, AnswerError> {
    match summary {
        Summary::Reasoned => compose(context, question, times, evidence).await,
        Summary::Plain => compose_plain(context, question, times, evidence).await,
        Summary::Triples => compose_triples(context, question, evidence).await,
    }
}
