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

mod topic;
mod ways;

use std::collections::HashMap;

use quipu_graph::{NodeId, Step};
use quipu_language::TimeFrame;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{AnswerError, Event, Evidence, Outcome, Question, Stage, Status, cell};
use crate::compose::{Composed, compose, compose_plain, compose_triples};
use crate::ledger::Context;
use crate::link::{Anchor, Mentioned, NOTHING_LINKED, mask};
use crate::plan::{Frontier, OfferedRelation, Scope};
use crate::planners::paths::settle;
use crate::planners::{Planner, Planning, query};
use crate::prune::{Verdict, filter_by_model, filter_by_similarity, judge_scope, relevance, similarities};
use crate::retrieve::{best_within_budget, retrieve_scope};

use topic::{Start, identify};

/// Tokens for a line's number and line end.
const LINE_TOKENS: usize = 4;
/// Most relinkings of a wrongly linked question.
const MOST_RELINKS: usize = 2;
/// Confidence in an answer whose scope the model judged sufficient, and in one whose scope it did
/// not.
const ENOUGH: f64 = 0.7;
const NOT_ENOUGH: f64 = 0.5;

/// How relations are filtered (§4.2 "Filtering").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RelationFilter {
    /// The model names the irrelevant relations.
    Model,
    /// The most similar to the question stay (App. E); the model only judges sufficiency.
    Similarity,
    /// All relations stay (ablation "- filter"); the model judges sufficiency.
    Off,
}

/// How the model is asked to summarise (App. I.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Summary {
    /// Step by step, over tables (the CoT-based prompt).
    Reasoned,
    /// At once, over tables (the base prompt; ablation "- CoT").
    Plain,
    /// At once, over triples, one a line (the prompt for Head2Tail).
    Triples,
}

/// The reader of times (App. I.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeReader {
    /// Code reads the times in the words that the topic call gives: no call.
    Code,
    /// The model reads them, step by step: one call.
    Model,
}

/// Parameters of KERAG; the defaults are the paper's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeragConfig {
    /// Most hops (3: the API of CRAG allows no more). 1 is the ablation "- multihop".
    #[schemars(range(max = 4))]
    pub max_hops: u32,
    /// The filter of relations (by the model, §4.2; the paper uses `similarity` for models of 8
    /// billion parameters, App. E).
    pub filter: RelationFilter,
    /// Relations that the filter by similarity keeps (30, App. E).
    pub keep: usize,
    /// Pairs of an entity and a relation that matching 3-grams offers to the topic call (3, App.
    /// E); 0: none. For graphs only, not for APIs.
    #[schemars(range(max = 10))]
    pub pairs: usize,
    /// The reader of times (code: exact, and without a call).
    pub time: TimeReader,
    /// How the model summarises (step by step).
    pub summary: Summary,
    /// Planner `paths` only: the likeliest paths of each anchor that the summary chooses from (3).
    #[schemars(range(max = 20))]
    pub paths: usize,
    /// Planner `paths` only: the least confidence of a path for an answer, whatever the model makes
    /// of it (.2: keeps 997 of 1000 right answers, docs/results/). If no path reaches it, the model
    /// is not called.
    pub least_confidence: f64,
}

impl Default for KeragConfig {
    fn default() -> Self {
        Self {
            max_hops: 3,
            filter: RelationFilter::Model,
            keep: 30,
            pairs: 3,
            time: TimeReader::Code,
            summary: Summary::Reasoned,
            paths: 3,
            least_confidence: 0.2,
        }
    }
}

/// The plan of §4.2: the anchors, and the relations to follow hop by hop.
struct Plan {
    anchors: Vec<Anchor>,
    scope: Scope,
    relevance: HashMap<Step, f32>,
    verdict: Verdict,
}

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

/// Steps 2 to 4: expand one hop in the schema, filter, decide whether to continue.
async fn plan_hops(
    context: &Context<'_>,
    question: &Question,
    anchors: Vec<Anchor>,
    pair: Option<Step>,
    config: &KeragConfig,
) -> Result<Plan, AnswerError> {
    let graph = context.graph();
    let nodes: Vec<NodeId> = anchors.iter().map(|a| a.node).collect();
    let start = anchors.iter().map(|a| cell(&a.name)).collect::<Vec<_>>().join(", ");
    let masked = mask(question.text(), &anchors);
    let mut frontier = Frontier::at(graph, &nodes).await?;
    let mut plan =
        Plan { anchors, scope: Scope::default(), relevance: HashMap::new(), verdict: Verdict::More };
    let mut hops: Vec<String> = Vec::new();
    while frontier.hop < config.max_hops && !frontier.is_empty() {
        let offered = frontier.expand_schema(graph).await?;
        if offered.is_empty() {
            break;
        }
        let hop = frontier.hop + 1;
        let relations = offered.iter().map(OfferedRelation::describe).collect();
        context.trace.report(Stage::Plan, Event::Expanded { hop, relations });
        let hop_plan = HopQuestion { question: question.text(), masked: &masked, start: &start, hops: &hops };
        let (kept, verdict, scores) = filter_hop(context, &hop_plan, &offered, config).await?;
        context.trace.report(Stage::Critique, Event::Judged { hop, verdict: verdict.describe().into() });
        plan.verdict = verdict;
        if verdict == Verdict::Wrong {
            break;
        }
        // The filter must not drop the relation of the pair that the model chose.
        let named = |offer: &OfferedRelation| hop == 1 && pair == Some(offer.step);
        let kept: Vec<OfferedRelation> = offered
            .iter()
            .enumerate()
            .filter(|(at, offer)| kept.contains(at) || named(offer))
            .map(|(_, offer)| offer.clone())
            .collect();
        report_filtered(context, hop, &kept, offered.len(), config.filter);
        if kept.is_empty() {
            break;
        }
        for (step, score) in relevance(&offered, &scores) {
            plan.relevance.entry(step).and_modify(|s| *s = s.max(score)).or_insert(score);
        }
        hops.push(kept.iter().map(OfferedRelation::describe).collect::<Vec<_>>().join("; "));
        let steps: Vec<Step> = kept.iter().map(|k| k.step).collect();
        frontier.advance(graph, &steps).await?;
        plan.scope.hops.push(steps);
        // The last call is kept for the composition.
        if verdict == Verdict::Enough || context.calls_left() <= 1 {
            break;
        }
    }
    Ok(plan)
}

/// The input of one hop's filtering.
struct HopQuestion<'a> {
    question: &'a str,
    masked: &'a str,
    start: &'a str,
    hops: &'a [String],
}

type Filtered = (Vec<usize>, Verdict, Vec<f32>);

/// Step 3: one model call, with every kind of filter.
async fn filter_hop(
    context: &Context<'_>,
    asked: &HopQuestion<'_>,
    offered: &[OfferedRelation],
    config: &KeragConfig,
) -> Result<Filtered, AnswerError> {
    let _timer = context.ledger.enter(Stage::Prune);
    let scores = if context.embedder().is_some() {
        similarities(context, asked.masked, offered).await?
    } else {
        Vec::new()
    };
    let (kept, verdict) = match config.filter {
        RelationFilter::Model => {
            let shown = within_budget(context, &scores, offered);
            let list: Vec<OfferedRelation> = shown.iter().filter_map(|i| offered.get(*i).cloned()).collect();
            let (kept, verdict) = ask_filter(context, asked, &list).await?;
            (kept.into_iter().filter_map(|i| shown.get(i).copied()).collect(), verdict)
        }
        RelationFilter::Similarity => {
            let kept = filter_by_similarity(&padded(&scores, offered.len()), config.keep);
            let verdict = judge(context, asked, offered, &kept, &scores).await?;
            (kept, verdict)
        }
        RelationFilter::Off => {
            let kept: Vec<usize> = (0..offered.len()).collect();
            let verdict = judge(context, asked, offered, &kept, &scores).await?;
            (kept, verdict)
        }
    };
    Ok((kept, verdict, scores))
}

/// All relations if their lines fit the evidence budget; else those most similar to the question.
fn within_budget(context: &Context<'_>, scores: &[f32], offered: &[OfferedRelation]) -> Vec<usize> {
    let lengths: Vec<usize> =
        offered.iter().map(|offer| context.count_tokens(&offer.describe()) + LINE_TOKENS).collect();
    let mut fit = offered.len();
    let mut shown: Vec<usize> = (0..fit).collect();
    while shown.iter().filter_map(|at| lengths.get(*at)).sum::<usize>() > context.limits.evidence_tokens {
        fit = fit.saturating_sub(fit.div_ceil(10));
        shown = filter_by_similarity(&padded(scores, offered.len()), fit);
    }
    shown
}

/// Without an embedder all relations score 0.
fn padded(scores: &[f32], length: usize) -> Vec<f32> {
    let mut scores = scores.to_vec();
    scores.resize(length, 0.0);
    scores
}

/// An unreadable reply keeps all relations and ends the planning: nothing is lost, and no more
/// calls are spent.
async fn ask_filter(
    context: &Context<'_>,
    asked: &HopQuestion<'_>,
    list: &[OfferedRelation],
) -> Result<(Vec<usize>, Verdict), AnswerError> {
    let taken = asked.hops.join("; then ");
    match filter_by_model(context, asked.question, asked.start, &taken, list).await {
        Err(AnswerError::Model(error @ quipu_model::ModelError::Unreadable { .. })) => {
            let reason = format!("{error}; all relations were kept");
            context.trace.report(Stage::Prune, Event::Degraded { reason });
            Ok(((0..list.len()).collect(), Verdict::Enough))
        }
        // "Enough" and nothing kept contradict each other; dropping everything would be the worse
        // mistake (recall first).
        Ok((kept, Verdict::Enough)) if kept.is_empty() => {
            let reason =
                "the model called every relation irrelevant and the scope sufficient; all were kept".into();
            context.trace.report(Stage::Prune, Event::Degraded { reason });
            Ok(((0..list.len()).collect(), Verdict::Enough))
        }
        other => other,
    }
}

async fn judge(
    context: &Context<'_>,
    asked: &HopQuestion<'_>,
    offered: &[OfferedRelation],
    kept: &[usize],
    scores: &[f32],
) -> Result<Verdict, AnswerError> {
    let scores: Vec<f32> = kept.iter().filter_map(|at| scores.get(*at).copied()).collect();
    let kept: Vec<OfferedRelation> = kept.iter().filter_map(|at| offered.get(*at).cloned()).collect();
    let shown = within_budget(context, &scores, &kept);
    let mut hops = asked.hops.to_vec();
    let last: Vec<String> =
        shown.iter().filter_map(|at| kept.get(*at)).map(OfferedRelation::describe).collect();
    hops.push(last.join("; "));
    judge_scope(context, asked.question, asked.start, &hops).await
}

fn report_filtered(
    context: &Context<'_>,
    hop: u32,
    kept: &[OfferedRelation],
    offered: usize,
    filter: RelationFilter,
) {
    let by = match filter {
        RelationFilter::Model => "model",
        RelationFilter::Similarity => "similarity",
        RelationFilter::Off => "nothing",
    };
    let dropped = offered.saturating_sub(kept.len());
    let kept = kept.iter().map(OfferedRelation::describe).collect();
    context.trace.report(Stage::Prune, Event::Filtered { hop, kept, dropped, by: by.into() });
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
