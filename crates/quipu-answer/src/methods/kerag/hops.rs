//! KERAG's planning (§4.2, steps 2 to 4): hop by hop in the schema, each hop filtered.

use std::collections::HashMap;

use quipu_graph::{NodeId, Step};
use quipu_stages::answer::{AnswerError, Event, Question, Stage, cell};
use quipu_stages::ledger::Context;
use quipu_stages::link::{Anchor, mask};
use quipu_stages::plan::{Frontier, OfferedRelation, Scope};
use quipu_stages::prune::{
    TOKENS_OF_A_NUMBER, Verdict, filter_by_model, filter_by_similarity, judge_scope, relevance, similarities,
};

use super::config::{KeragConfig, RelationFilter};

/// Tokens for a line's number and line end.
const LINE_TOKENS: usize = 4;
/// Tokens of the filter's prompt beside the relations, at most: instructions, question, hops taken.
const REST_TOKENS: usize = 1_500;

/// The plan of §4.2: the anchors, and the relations to follow hop by hop.
pub(super) struct Plan {
    pub(super) anchors: Vec<Anchor>,
    pub(super) scope: Scope,
    pub(super) relevance: HashMap<Step, f32>,
    pub(super) verdict: Verdict,
}

/// Steps 2 to 4: expand one hop in the schema, filter, decide whether to continue.
pub(super) async fn plan_hops(
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
        let is_last = frontier.hop >= config.max_hops || frontier.is_empty();
        // The last call is kept for the composition.
        if verdict == Verdict::Enough || is_last || !context.has_calls_beyond(1) {
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
            let shown = within_context(context, &scores, offered)?;
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

/// All relations if their lines and numbers fit the model's context beside the rest of the prompt;
/// else those most similar to the question.
fn within_context(
    context: &Context<'_>,
    scores: &[f32],
    offered: &[OfferedRelation],
) -> Result<Vec<usize>, AnswerError> {
    let room = context.model()?.abilities().context_tokens.saturating_sub(REST_TOKENS);
    let room = room.max(context.limits.evidence_tokens);
    let line =
        |offer: &OfferedRelation| context.count_tokens(&offer.describe()) + LINE_TOKENS + TOKENS_OF_A_NUMBER;
    let lengths: Vec<usize> = offered.iter().map(line).collect();
    let mut fit = offered.len();
    let mut shown: Vec<usize> = (0..fit).collect();
    while shown.iter().filter_map(|at| lengths.get(*at)).sum::<usize>() > room {
        fit = fit.saturating_sub(fit.div_ceil(10));
        shown = filter_by_similarity(&padded(scores, offered.len()), fit);
    }
    Ok(shown)
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
    let shown = within_context(context, &scores, &kept)?;
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
