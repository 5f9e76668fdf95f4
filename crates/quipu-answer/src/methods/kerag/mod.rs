//! KERAG (Sun et al.): plan a neighbourhood on the schema, filter it, retrieve all of it, reason over it.
//!
//! With D hops it asks the model D + 2 times: once for the topic (§4.2 step 1), once for each hop (steps 2 to 4), once to
//! compose (§4.3). Each relinking after "wrongly linked" starts the hops anew and costs the calls of its hops.
//!
//! By whole paths ([`RelationFilter::Paths`], the default; module `ways`) it is two calls for any number of hops.
//!
//! Where it differs from the paper: the topic call also names the operation of the question; composition names rows
//! and an operation, and code calculates; every value must be found in the evidence (all three: DESIGN §8). The
//! summarizer is not fine-tuned.

mod ways;

use std::collections::HashMap;

use quipu_graph::{NodeId, Step};

use crate::answer::{AnswerError, Event, Outcome, Question, Stage, cell};
use crate::compose::{compose, compose_plain};
use crate::ledger::Context;
use crate::link::{Anchor, Mentioned, anchors_for_names, mask, mentions};
use crate::plan::{Frontier, OfferedRelation, Scope, Topic, common_types, domain_of, read_topic};
use crate::planners::Planning;
use crate::planners::paths::{Settled, settle};
use crate::prune::{Verdict, filter_by_model, filter_by_similarity, judge_scope, relevance, similarities};
use crate::retrieve::retrieve_scope;

/// Most relations that the model sees in one filtering call; the most similar go first where there are more.
const MOST_RELATIONS_SHOWN: usize = 40;
/// Domains offered: the graph's types with the most entities.
const MOST_DOMAINS: usize = 12;
/// Names of the graph offered to the topic call.
const MOST_NAMES: usize = 6;
/// How often a wrongly linked question is linked anew.
const MOST_RELINKS: usize = 2;

/// How relations are filtered (§4.2 "Filtering").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationFilter {
    /// The model names the irrelevant ones.
    Model,
    /// The `keep` most similar to the question stay (App. E: 30); the model judges sufficiency only.
    Similarity {
        /// How many stay.
        keep: usize,
    },
    /// Those of the `keep` best whole paths stay, and the longest of them says how many hops are enough: no model call in planning.
    Paths {
        /// How many paths.
        keep: usize,
    },
    /// All stay (ablation "- filter").
    Off,
}

/// Parameters of KERAG; the defaults are the paper's but for the filter.
#[derive(Debug, Clone, PartialEq)]
pub struct KeragConfig {
    /// Most hops (3). 1 is the ablation "- multihop".
    pub max_hops: u32,
    /// How relations are filtered: by whole paths, with which the default local model answers best. The paper's ways, by similarity
    /// (App. E, models of 8 billion parameters and less) and by model, ask it "is this enough?", which it answers badly
    /// (docs/results/).
    pub filter: RelationFilter,
    /// Whether composition reasons step by step; `false` is the ablation "- CoT".
    pub reasoning: bool,
    /// By whole paths: a way of less confidence than this is no answer, whatever the model makes of it (.2: keeps 997 of 1000 right answers,
    /// docs/results/). Where no way reaches it, the model is not asked.
    pub least_confidence: f64,
}

impl Default for KeragConfig {
    fn default() -> Self {
        Self {
            max_hops: 3,
            filter: RelationFilter::Paths { keep: 3 },
            reasoning: true,
            least_confidence: 0.2,
        }
    }
}

/// The plan of §4.2: what to start from, which relations to follow for how many hops.
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
    let _ = planning;
    if matches!(config.filter, RelationFilter::Paths { .. })
        && let Some(settled) = settle(context, question, &ways::planning(config)).await?
    {
        let outcome = run_open(context, &settled.question, Some(&settled), config).await?;
        return Ok(settled.complete(outcome));
    }
    run_open(context, question, None, config).await
}

async fn run_open(
    context: &Context<'_>,
    question: &Question,
    settled: Option<&Settled>,
    config: &KeragConfig,
) -> Result<Outcome, AnswerError> {
    let (topic, linked) = identify(context, question, settled, config.filter).await?;
    if linked.is_empty() {
        return Ok(Outcome::abstain("no entity of the graph was recognised in the question", Vec::new()));
    }
    if let RelationFilter::Paths { keep } = config.filter {
        if context.embedder().is_some() {
            return ways::run(context, question, &topic, linked, config, keep).await;
        }
        let reason = "whole paths need an embedder; the plan goes hop by hop".to_owned();
        context.trace.report(Stage::Plan, Event::Degraded { reason });
    }
    let mut plan = None;
    for attempt in 0..=MOST_RELINKS {
        let Some(anchors) = choose(&linked, attempt) else { break };
        let next = plan_hops(context, question, anchors, config).await?;
        let wrong = next.verdict == Verdict::Wrong;
        plan = Some(next);
        if !wrong {
            break;
        }
    }
    let Some(plan) = plan else { return Ok(Outcome::abstain("nothing was linked", Vec::new())) };
    summarize(context, question, &topic, plan, config).await
}

/// Step 1: domain, topic entities, time frame. Entities that the model names are linked by the name index; when none of
/// them is found, the mentions that the index itself found stand in. Whole paths tell mentions apart better than a small model does:
/// there what the index found goes first.
async fn identify(
    context: &Context<'_>,
    question: &Question,
    settled: Option<&Settled>,
    filter: RelationFilter,
) -> Result<(Topic, Vec<Mentioned>), AnswerError> {
    let detected = {
        let _timer = context.ledger.enter(Stage::Link);
        let detected = mentions(context, question.text()).await?;
        match settled {
            Some(settled) => settled.among(detected),
            None => detected,
        }
    };
    let domains = domains(context, question).await?;
    let names: Vec<String> =
        detected.iter().take(MOST_NAMES).filter_map(|m| m.best()).map(|a| cell(&a.name)).collect();
    let _timer = context.ledger.enter(Stage::Plan);
    let topic = match read_topic(context, question, &domains, &names).await {
        Ok(topic) => topic,
        Err(AnswerError::Model(error @ quipu_model::ModelError::Unreadable { .. })) => {
            let reason = format!("{error}; linked by the name index alone");
            context.trace.report(Stage::Plan, Event::Degraded { reason });
            Topic::default()
        }
        Err(error) => return Err(error),
    };
    let by_paths = matches!(filter, RelationFilter::Paths { .. }) && context.embedder().is_some();
    let named = if by_paths && !detected.is_empty() {
        Vec::new()
    } else {
        anchors_for_names(context, question.text(), &topic.entities).await?
    };
    let linked = if named.is_empty() { detected } else { named };
    context
        .trace
        .report(Stage::Link, Event::Linked { mentions: linked.iter().map(Mentioned::to_event).collect() });
    Ok((topic, linked))
}

/// The domains offered: the graph's types; of an API its fields, which rules narrow as in self-verification (App. I.1 asks the model alone).
async fn domains(context: &Context<'_>, question: &Question) -> Result<Vec<String>, AnswerError> {
    let graph = context.graph();
    if let (false, Some(api)) = (context.workspace.has_graph(), context.workspace.apis().first()) {
        let ruled = domain_of(question.text(), &[api]);
        let known = api.service().domains().into_iter().map(str::to_owned);
        return Ok(ruled.map_or_else(|| known.collect(), |domain| vec![domain]));
    }
    common_types(graph, MOST_DOMAINS).await
}

/// The anchors of one attempt: the first candidate of each mention; in attempt n, the mention with the least certain
/// choice gets its candidate n + 1. `None` when nothing new is left to try.
fn choose(linked: &[Mentioned], attempt: usize) -> Option<Vec<Anchor>> {
    let doubtful = linked.iter().position(|m| m.candidates.len() > attempt)?;
    let pick = |(at, mention): (usize, &Mentioned)| {
        mention.candidates.get(if at == doubtful { attempt } else { 0 }).cloned()
    };
    Some(linked.iter().enumerate().filter_map(pick).collect())
}

/// Steps 2 to 4: expand one hop in the schema, filter, decide whether to go on.
async fn plan_hops(
    context: &Context<'_>,
    question: &Question,
    anchors: Vec<Anchor>,
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
        let offered = frontier.expand(graph).await?;
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
        let kept: Vec<OfferedRelation> = kept.into_iter().filter_map(|i| offered.get(i).cloned()).collect();
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
        // The last call is the composition's.
        if verdict == Verdict::Enough || context.calls_left() <= 1 {
            break;
        }
    }
    Ok(plan)
}

/// What one hop's filtering is asked about.
struct HopQuestion<'a> {
    question: &'a str,
    masked: &'a str,
    start: &'a str,
    hops: &'a [String],
}

type Filtered = (Vec<usize>, Verdict, Vec<f32>);

/// Step 3: one model call, whichever way relations are filtered.
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
            let shown = filter_by_similarity(&padded(&scores, offered.len()), MOST_RELATIONS_SHOWN);
            let list: Vec<OfferedRelation> = shown.iter().filter_map(|i| offered.get(*i).cloned()).collect();
            let (kept, verdict) = ask_filter(context, asked, &list).await?;
            (kept.into_iter().filter_map(|i| shown.get(i).copied()).collect(), verdict)
        }
        RelationFilter::Similarity { keep } => {
            let kept = filter_by_similarity(&padded(&scores, offered.len()), keep);
            let verdict = judge(context, asked, offered, &kept).await?;
            (kept, verdict)
        }
        RelationFilter::Off | RelationFilter::Paths { .. } => {
            let kept: Vec<usize> = (0..offered.len()).collect();
            let verdict = judge(context, asked, offered, &kept).await?;
            (kept, verdict)
        }
    };
    Ok((kept, verdict, scores))
}

/// Without an embedder all relations are alike.
fn padded(scores: &[f32], length: usize) -> Vec<f32> {
    let mut scores = scores.to_vec();
    scores.resize(length, 0.0);
    scores
}

/// A reply that cannot be read keeps everything and ends the planning: nothing is lost, no more calls are spent.
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
        // "Enough", with nothing kept: the two contradict each other, and dropping is the worse mistake (recall first).
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
) -> Result<Verdict, AnswerError> {
    let shown = kept.iter().take(MOST_RELATIONS_SHOWN).filter_map(|i| offered.get(*i));
    let mut hops = asked.hops.to_vec();
    hops.push(shown.map(OfferedRelation::describe).collect::<Vec<_>>().join("; "));
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
        RelationFilter::Similarity { .. } => "similarity",
        RelationFilter::Paths { .. } => "paths",
        RelationFilter::Off => "nothing",
    };
    let dropped = offered.saturating_sub(kept.len());
    let kept = kept.iter().map(OfferedRelation::describe).collect();
    context.trace.report(Stage::Prune, Event::Filtered { hop, kept, dropped, by: by.into() });
}

/// Retrieval of the whole scope and summarization (§4.1 step 2, §4.3).
async fn summarize(
    context: &Context<'_>,
    question: &Question,
    topic: &Topic,
    plan: Plan,
    config: &KeragConfig,
) -> Result<Outcome, AnswerError> {
    let nodes: Vec<NodeId> = plan.anchors.iter().map(|a| a.node).collect();
    let retrieved = {
        let _timer = context.ledger.enter(Stage::Retrieve);
        let budget = context.limits.evidence_tokens;
        retrieve_scope(context, &nodes, &plan.scope, &plan.relevance, budget).await?
    };
    let evidence = retrieved.evidence;
    let event = Event::Retrieved { evidence: evidence.len(), left_out: retrieved.left_out };
    context.trace.report(Stage::Retrieve, event);
    if evidence.is_empty() {
        return Ok(Outcome::abstain("the graph says nothing relevant about these entities", evidence));
    }
    let _timer = context.ledger.enter(Stage::Compose);
    let composed = if config.reasoning {
        compose(context, question, &topic.time_frames, &evidence).await
    } else {
        compose_plain(context, question, &topic.time_frames, &evidence).await
    };
    let composed = match composed {
        Ok(composed) => composed,
        Err(AnswerError::Model(error @ quipu_model::ModelError::Unreadable { .. })) => {
            return Ok(Outcome::abstain(error.to_string(), evidence));
        }
        Err(error) => return Err(error),
    };
    let confidence = if plan.verdict == Verdict::Enough { 0.7 } else { 0.5 };
    Ok(composed.outcome(evidence, confidence))
}
