//! Whole-path planning as a method of its own (DESIGN §8): link, rank the paths that exist around each anchor, run the best one
//! exactly, calculate where the question asks for it. No model call, but for the relation cards of a graph that has none
//! yet: one call for each relation, once.

use std::collections::{HashMap, HashSet};

use quipu_graph::{LiteralValue, NodeId, NodeSummary, Step};

use crate::AnswerError;
use crate::answer::Status;
use crate::calculate::{Operation, calculate};
use crate::context::Context;
use crate::evidence::{Evidence, Operand};
use crate::link::{Anchor, Mentioned, mask, mentions};
use crate::methods::Outcome;
use crate::plan::{RankConfig, RankedPath, Seen, Walk, WalkConfig, Wanted, follow, rank_informed, wanted};
use crate::question::Question;
use crate::retrieve::triples_to_evidence;
use crate::trace::{Event, Stage};
use crate::values::value_of_node;

/// Parameters of whole-path planning.
#[derive(Debug, Clone, PartialEq)]
pub struct PathsConfig {
    /// How paths are enumerated.
    pub walk: WalkConfig,
    /// Mentions that are planned for (3).
    pub mentions: usize,
    /// Candidates of one mention that are planned for when they are all but equally good (2).
    pub candidates: usize,
    /// Best paths of each anchor that are run (12).
    pub run: usize,
    /// Most relation cards written for one question (4).
    pub new_cards: usize,
    /// Paths of each anchor that are held against one another when several anchors meet (10).
    pub meet: usize,
    /// From this confidence on, a path is not doubted for words that it leaves unexplained.
    pub sure: f64,
    /// Below this confidence the question is not answered.
    pub least_confidence: f64,
}

impl PathsConfig {
    fn ranking(&self) -> RankConfig {
        RankConfig { walk: self.walk, best: self.run, new_cards: self.new_cards, sure: self.sure }
    }
}

impl Default for PathsConfig {
    fn default() -> Self {
        Self {
            walk: WalkConfig::default(),
            mentions: 3,
            candidates: 2,
            run: 12,
            new_cards: 4,
            meet: 10,
            sure: 1.0,
            least_confidence: 0.05,
        }
    }
}

/// Candidates within this of the best one are all but equally good.
const CLOSE: f64 = 0.02;
/// Triples of one hop that are kept as evidence.
const MOST_EVIDENCE: usize = 2000;

/// A path that was run: where it leads, exactly.
struct RunPath {
    anchor: Anchor,
    path: RankedPath,
    walk: Walk,
    /// Its ends, sorted: a set to be compared.
    ends: Vec<NodeId>,
    /// Share among all paths of the anchor, with how well the anchor matches its mention.
    weight: f64,
}

/// Paths of all anchors that are answered together, and what they have in common.
struct Choice {
    runs: Vec<RunPath>,
    ends: Vec<NodeId>,
    confidence: f64,
}

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &PathsConfig,
) -> Result<Outcome, AnswerError> {
    let mentioned = link(context, question, config).await?;
    // "First Light" asks for no extreme: what names things does not say what to do with them.
    let anchors: Vec<Anchor> = mentioned.iter().filter_map(Mentioned::best).cloned().collect();
    let wanted = wanted(&mask(question.text(), &anchors));
    if mentioned.is_empty() {
        return Ok(Outcome::abstain("no entity of the graph was recognised in the question", Vec::new()));
    }
    if mentioned.len() > 1 {
        let mut runs = plan(context, question, &mentioned, &mentioned, wanted, &meeting(config)).await?;
        if wanted.compares
            && let Some(outcome) = compare(context, &runs, wanted).await?
        {
            return Ok(outcome);
        }
        if let Some(choice) = meet_most(&mut runs, config) {
            return answer(context, choice, wanted, config).await;
        }
    }
    // Nothing meets: the surest mention alone, as far as paths go.
    let (surest, others) = mentioned.split_at(1);
    let runs = plan(context, question, surest, others, wanted, config).await?;
    match choose(runs.into_iter().flatten().collect()) {
        Some(choice) => answer(context, choice, wanted, config).await,
        None => {
            Ok(Outcome::abstain("no path of the graph leads on from what the question names", Vec::new()))
        }
    }
}

/// Where anchors are to meet, paths are short.
fn meeting(config: &PathsConfig) -> PathsConfig {
    let walk = WalkConfig { max_hops: config.walk.max_hops.min(MEETING_HOPS), ..config.walk };
    PathsConfig { walk, ..config.clone() }
}

async fn plan(
    context: &Context<'_>,
    question: &Question,
    mentioned: &[Mentioned],
    all: &[Mentioned],
    wanted: Wanted,
    config: &PathsConfig,
) -> Result<Vec<Vec<RunPath>>, AnswerError> {
    let _timer = context.trace.enter(Stage::Plan);
    let mut runs = Vec::new();
    for mention in mentioned {
        runs.push(plan_mention(context, question, mention, all, wanted, config).await?);
    }
    Ok(runs)
}

async fn link(
    context: &Context<'_>,
    question: &Question,
    config: &PathsConfig,
) -> Result<Vec<Mentioned>, AnswerError> {
    let _timer = context.trace.enter(Stage::Link);
    let mut mentioned = mentions(context, question.text()).await?;
    mentioned.truncate(config.mentions);
    context
        .trace
        .report(Stage::Link, Event::Linked { mentions: mentioned.iter().map(Mentioned::to_event).collect() });
    Ok(mentioned)
}

/// Ranks and runs the paths of one mention, for its candidates that are all but equally good.
async fn plan_mention(
    context: &Context<'_>,
    question: &Question,
    mention: &Mentioned,
    all: &[Mentioned],
    wanted: Wanted,
    config: &PathsConfig,
) -> Result<Vec<RunPath>, AnswerError> {
    let best = mention.best().map_or(0.0, |a| a.score);
    let close = mention.candidates.iter().filter(|a| best - a.score <= CLOSE).take(config.candidates);
    let others: Vec<_> = all.iter().map(|m| m.span.clone()).filter(|s| *s != mention.span).collect();
    let mut runs = Vec::new();
    for anchor in close {
        let seen = Seen { node: anchor.node, span: mention.span.clone(), others: others.clone() };
        let ranked = rank_informed(context, question.text(), &seen, config.ranking()).await?;
        let mut paths = ranked.paths;
        if wanted.operation.is_some_and(|op| op != Operation::Count) {
            paths = comparable(context, paths).await?;
        }
        for path in paths.into_iter().take(config.run) {
            let walk = follow(context.graph(), anchor.node, &path.steps).await?;
            let ends: Vec<NodeId> = walk.ends().collect();
            let weight = path.probability * anchor.score;
            if !ends.is_empty() {
                runs.push(RunPath { anchor: anchor.clone(), path, walk, ends, weight });
            }
        }
    }
    Ok(runs)
}

/// The paths that end in numbers or dates; all where none does.
async fn comparable(context: &Context<'_>, paths: Vec<RankedPath>) -> Result<Vec<RankedPath>, AnswerError> {
    const LOOKED_AT: usize = 5;
    let mut kept = Vec::new();
    let all = paths.clone();
    for path in paths {
        let ends: Vec<NodeId> = path.ends.iter().copied().take(LOOKED_AT).collect();
        let summaries = context.graph().summaries(&ends).await?;
        let values =
            summaries.iter().filter(|s| is_measure(&value_of_node(s.literal.as_ref(), &s.name))).count();
        if values * 2 > ends.len() {
            kept.push(path);
        }
    }
    if kept.is_empty() {
        return Ok(all);
    }
    let total: f64 = kept.iter().map(|p| p.probability).sum();
    for path in &mut kept {
        path.probability /= total.max(f64::MIN_POSITIVE);
    }
    Ok(kept)
}

fn is_measure(value: &LiteralValue) -> bool {
    matches!(value, LiteralValue::Number(_) | LiteralValue::Date { .. })
}

/// Where anchors meet, each hop beyond the first costs this much of the score: conjunctions are short.
const MEETING_HOP: f32 = 1.0;
/// Hops of a path that is to meet others.
const MEETING_HOPS: usize = 2;

/// Paths whose ends meet: of all anchors, else of all but the least sure.
fn meet_most(runs: &mut Vec<Vec<RunPath>>, config: &PathsConfig) -> Option<Choice> {
    runs.retain(|r| !r.is_empty());
    while runs.len() > 1 {
        if let Some(choice) = meet(runs, config.meet) {
            return Some(choice);
        }
        runs.pop();
    }
    None
}

/// A path that leads to nothing but what the question names counts this much.
const BACK_AT_THE_START: f64 = 0.6;

/// Of one anchor, the ends that its paths together hold most probable.
fn choose(runs: Vec<RunPath>) -> Option<Choice> {
    let mut shares: HashMap<Vec<NodeId>, f64> = HashMap::new();
    for run in &runs {
        let at_the_start = run.ends == [run.anchor.node];
        let weight = if at_the_start { run.weight * BACK_AT_THE_START } else { run.weight };
        *shares.entry(run.ends.clone()).or_default() += weight;
    }
    let (ends, share) = shares.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(&a.0)))?;
    // Of the paths to the chosen ends, the best.
    let best =
        runs.into_iter().filter(|run| run.ends == ends).max_by(|a, b| a.weight.total_cmp(&b.weight))?;
    let confidence = best.path.confidence(share);
    let ends = without_anchors(&best.ends, &[best.anchor.node]);
    Some(Choice { runs: vec![best], ends, confidence })
}

/// What the question names is no answer while others remain.
fn without_anchors(ends: &[NodeId], anchors: &[NodeId]) -> Vec<NodeId> {
    let others: Vec<NodeId> = ends.iter().copied().filter(|node| !anchors.contains(node)).collect();
    if others.is_empty() { ends.to_vec() } else { others }
}

/// One path of each anchor, by position, with what their ends share.
struct Meeting {
    picked: Vec<usize>,
    common: Vec<NodeId>,
    score: f32,
}

/// The best paths, one for each anchor, whose ends meet; meetings at the same ends stand together.
fn meet(runs: &mut [Vec<RunPath>], most: usize) -> Option<Choice> {
    let meetings = meetings(runs, most);
    let top = meetings.iter().map(|m| m.score).reduce(f32::max)?;
    let mut mass: HashMap<&[NodeId], f64> = HashMap::new();
    for meeting in &meetings {
        *mass.entry(&meeting.common).or_default() += f64::from(meeting.score - top).exp();
    }
    let total: f64 = mass.values().sum();
    let mass_of = |meeting: &Meeting| mass.get(meeting.common.as_slice()).copied().unwrap_or_default();
    let better =
        |a: &&Meeting, b: &&Meeting| mass_of(a).total_cmp(&mass_of(b)).then(a.score.total_cmp(&b.score));
    let best = meetings.iter().max_by(better)?;
    let (share, ends) = (mass_of(best) / total, best.common.clone());
    let picked = best.picked.iter().zip(runs);
    let runs: Vec<RunPath> = picked.map(|(at, of_anchor)| of_anchor.swap_remove(*at)).collect();
    let confidence = runs.iter().map(|run| run.path.confidence(share)).fold(1.0, f64::min);
    Some(Choice { runs, ends, confidence })
}

fn meetings(runs: &[Vec<RunPath>], most: usize) -> Vec<Meeting> {
    let anchors: Vec<NodeId> = runs.iter().filter_map(|r| r.first()).map(|r| r.anchor.node).collect();
    let mut meetings = vec![Meeting { picked: Vec::new(), common: Vec::new(), score: 0.0 }];
    for of_anchor in runs {
        let mut next = Vec::new();
        for meeting in &meetings {
            for (at, run) in of_anchor.iter().enumerate().take(most) {
                let first = meeting.picked.is_empty();
                let mut common = if first { run.ends.clone() } else { shared(&meeting.common, &run.ends) };
                common.retain(|node| !anchors.contains(node));
                #[expect(clippy::cast_precision_loss, reason = "a path has a handful of steps")]
                let cost = MEETING_HOP * (run.path.steps.len() - 1) as f32;
                if !common.is_empty() {
                    let picked = meeting.picked.iter().copied().chain([at]).collect();
                    next.push(Meeting { picked, common, score: meeting.score + run.path.score - cost });
                }
            }
        }
        meetings = next;
    }
    meetings
}

/// Both are sorted.
fn shared(a: &[NodeId], b: &[NodeId]) -> Vec<NodeId> {
    a.iter().copied().filter(|node| b.binary_search(node).is_ok()).collect()
}

/// The answer of the chosen paths.
async fn answer(
    context: &Context<'_>,
    choice: Choice,
    wanted: Wanted,
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
        let phrases: Vec<&str> = choice.runs.iter().map(|r| r.path.phrase.as_str()).collect();
        let reason = format!(
            "nothing in the graph clearly is what the question asks for; the nearest is {} (fit {:.2})",
            say(&phrases, &choice),
            choice.confidence
        );
        return Ok(Outcome::abstain(reason, evidence));
    }
    let ends = graph.summaries(&choice.ends).await?;
    match wanted.operation {
        Some(operation) if needs_operation(operation, &ends) => {
            calculated(context, operation, &choice, &ends, evidence).await
        }
        _ => {
            let answers = by_support(&ends, &choice);
            Ok(answered(answers, None, evidence, choice.confidence))
        }
    }
}

fn say(phrases: &[&str], choice: &Choice) -> String {
    let said: Vec<String> = phrases
        .iter()
        .zip(&choice.runs)
        .map(|(phrase, run)| phrase.replacen('X', &run.anchor.name, 1))
        .collect();
    format!("“{}”", said.join("” and “"))
}

fn answered(answers: Vec<String>, text: Option<String>, evidence: Vec<Evidence>, confidence: f64) -> Outcome {
    Outcome { status: Status::Answered, answers, text, evidence, confidence, reason: None }
}

/// Counting one number is no counting: "how many people live in Peru" asks for a value that the graph holds. Names are
/// not compared: "the longest river of Peru" may be a relation.
fn needs_operation(operation: Operation, ends: &[NodeSummary]) -> bool {
    let measures = |literal: bool| {
        ends.iter()
            .filter(|s| !literal || s.literal.is_some())
            .filter(|s| is_measure(&value_of_node(s.literal.as_ref(), &s.name)))
            .count()
    };
    if operation == Operation::Count {
        return ends.len() != 1 || measures(true) == 0;
    }
    measures(false) * 2 > ends.len()
}

/// The names of the ends: those that more ways lead to first.
fn by_support(ends: &[NodeSummary], choice: &Choice) -> Vec<String> {
    let ways: HashMap<NodeId, usize> = choice
        .runs
        .iter()
        .filter_map(|run| run.walk.hops.last())
        .flatten()
        .map(|(node, from)| (*node, from.len()))
        .collect();
    let mut ranked: Vec<&NodeSummary> = ends.iter().collect();
    ranked.sort_by_key(|s| (std::cmp::Reverse(ways.get(&s.node).copied().unwrap_or_default()), s.node));
    let mut seen = HashSet::new();
    ranked.into_iter().map(|s| s.name.clone()).filter(|name| seen.insert(name.clone())).collect()
}

async fn calculated(
    context: &Context<'_>,
    operation: Operation,
    choice: &Choice,
    ends: &[NodeSummary],
    mut evidence: Vec<Evidence>,
) -> Result<Outcome, AnswerError> {
    let operands = match (operation, choice.runs.as_slice()) {
        (Operation::Count, _) => ends.iter().map(|s| operand(&s.name, s)).collect(),
        (_, [run]) => owners(context, run, ends).await?,
        _ => ends.iter().map(|s| operand(&s.name, s)).collect(),
    };
    finish(context, operation, operands, &mut evidence, choice.confidence)
}

/// Each value with the node that it belongs to: the one before it on the path.
async fn owners(
    context: &Context<'_>,
    run: &RunPath,
    ends: &[NodeSummary],
) -> Result<Vec<Operand>, AnswerError> {
    let owners: Vec<(NodeId, NodeId)> = run
        .walk
        .hops
        .last()
        .into_iter()
        .flatten()
        .flat_map(|(end, from)| from.iter().map(|owner| (*owner, *end)))
        .collect();
    let nodes: Vec<NodeId> = owners.iter().map(|(owner, _)| *owner).collect();
    let names = context.graph().summaries(&nodes).await?;
    let values: HashMap<NodeId, &NodeSummary> = ends.iter().map(|s| (s.node, s)).collect();
    let pairs = owners.iter().zip(&names).filter_map(|((_, end), owner)| Some((owner, *values.get(end)?)));
    Ok(pairs.map(|(owner, value)| operand(&owner.name, value)).collect())
}

fn operand(label: &str, value: &NodeSummary) -> Operand {
    Operand {
        label: label.to_owned(),
        value: value_of_node(value.literal.as_ref(), &value.name),
        text: value.name.clone(),
        evidence: Vec::new(),
    }
}

fn finish(
    context: &Context<'_>,
    operation: Operation,
    operands: Vec<Operand>,
    evidence: &mut Vec<Evidence>,
    confidence: f64,
) -> Result<Outcome, AnswerError> {
    let mut owners: Vec<&str> = operands.iter().map(|o| o.label.as_str()).collect();
    owners.sort_unstable();
    owners.dedup();
    let chooses = matches!(operation, Operation::Highest | Operation::Lowest);
    if chooses && owners.len() < 2 {
        let reason =
            format!("the graph holds one value only ({}), nothing to compare it with", owners.join(""));
        return Ok(Outcome::abstain(reason, std::mem::take(evidence)));
    }
    match calculate(operation, &cite(operands, evidence)) {
        Ok(calculation) => {
            let (operation, result) = (calculation.operation.clone(), calculation.result.clone());
            context.trace.report(Stage::Compose, Event::Calculated { operation, result });
            evidence.push(Evidence::calculation(
                &calculation.operation,
                &calculation.result,
                calculation.evidence,
            ));
            let evidence = std::mem::take(evidence);
            Ok(answered(calculation.answers, Some(calculation.result), evidence, confidence))
        }
        Err(error) => Ok(Outcome::abstain(error.to_string(), std::mem::take(evidence))),
    }
}

/// Operands with the evidence that names both their owner and their value, or, for a count, the value alone.
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

/// A comparison of the things named: the same path from each, the values held against one another. `None` when no path
/// is shared.
async fn compare(
    context: &Context<'_>,
    runs: &[Vec<RunPath>],
    wanted: Wanted,
) -> Result<Option<Outcome>, AnswerError> {
    let Some(operation) = wanted.operation.filter(|op| op.needs_values()) else { return Ok(None) };
    let Some((first, rest)) = runs.split_first() else { return Ok(None) };
    let same = |steps: &[Step]| -> Option<Vec<&RunPath>> {
        rest.iter().map(|of_anchor| of_anchor.iter().find(|r| r.path.steps == steps)).collect()
    };
    let best = first.iter().filter_map(|run| Some((run, same(&run.path.steps)?)));
    let best = best.max_by(|a, b| joint(a.0, &a.1).total_cmp(&joint(b.0, &b.1)));
    let Some((run, others)) = best else { return Ok(None) };
    let confidence = joint(run, &others).sqrt();
    let mut operands = Vec::new();
    let mut triples = Vec::new();
    for run in std::iter::once(run).chain(others) {
        let ends = context.graph().summaries(&run.ends).await?;
        operands.extend(ends.iter().map(|s| operand(&run.anchor.name, s)));
        triples.extend(run.walk.triples_to(&run.ends, MOST_EVIDENCE));
    }
    let mut evidence = triples_to_evidence(context.graph(), &triples).await?;
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out: 0 });
    finish(context, operation, operands, &mut evidence, confidence).map(Some)
}

fn joint(run: &RunPath, others: &[&RunPath]) -> f64 {
    others.iter().fold(run.weight, |product, other| product * other.weight)
}
