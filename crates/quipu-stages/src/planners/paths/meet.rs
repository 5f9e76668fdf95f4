//! Chooses the paths that hold the answer: the paths of one anchor, or paths of several anchors
//! that meet.

use std::collections::HashMap;

use quipu_graph::NodeId;

use super::{Choice, PathsConfig, RunPath};
use crate::plan::{Features, RankedPath, joint};

/// The cost in score of each hop beyond the first when anchors meet, because conjunctions are
/// short.
const MEETING_HOP: f32 = 2.0;

/// Paths of all anchors whose ends meet. If none do, the least sure anchor is dropped and the rest
/// are tried.
pub(super) fn meet_most(runs: &mut Vec<Vec<RunPath>>, config: &PathsConfig) -> Option<Choice> {
    runs.retain(|r| !r.is_empty());
    while runs.len() > 1 {
        if let Some(choice) = meet(runs, config.meet) {
            return Some(choice);
        }
        runs.pop();
    }
    None
}

/// The factor on the weight of a path that leads back to the mention alone.
const BACK_AT_THE_START: f64 = 0.6;

/// For one anchor, the set of ends with the greatest total probability of paths.
pub(super) fn choose(runs: Vec<RunPath>) -> Option<Choice> {
    let counted = |run: &RunPath, weight: f64| {
        if run.ends == [run.anchor.node] { weight * BACK_AT_THE_START } else { weight }
    };
    let mut shares: HashMap<&[NodeId], f64> = HashMap::new();
    for run in &runs {
        *shares.entry(&run.ends).or_default() += counted(run, run.weight);
    }
    let (ends, _) = shares.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(a.0)))?;
    let ends = ends.to_vec();
    // The best path to the chosen ends stands for all; its confidence counts all paths of its
    // anchor to these ends.
    let there = runs.iter().enumerate().filter(|(_, run)| run.ends == ends);
    let (at, best) = there.max_by(|a, b| a.1.weight.total_cmp(&b.1.weight))?;
    let same = runs.iter().filter(|run| run.ends == ends && run.anchor.node == best.anchor.node);
    let share: f64 = same.map(|run| counted(run, run.path.probability) * run.anchor.score).sum();
    let best = runs.into_iter().nth(at)?;
    let confidence = best.path.confidence(share);
    let ends = without_anchors(&best.ends, &[best.anchor.node]);
    Some(Choice { runs: vec![best], ends, confidence })
}

/// For a list, the same path from each entity must beat the best meeting by this much (in logits).
const MEETING_OF_A_LIST: f32 = 1.0;

/// Follows the same path from each entity of a list: "the capitals of Norway and Sweden". `None` if
/// these paths share an end, or if a meeting of other paths fits about as well; but what `either`
/// of them leads to is asked for even so.
pub(super) fn each(runs: &mut [Vec<RunPath>], config: &PathsConfig, either: bool) -> Option<Choice> {
    let (first, rest) = runs.split_first()?;
    let total = |run: &RunPath| -> Option<(Vec<usize>, f32)> {
        let mut picked = Vec::new();
        let mut score = run.path.score;
        for of_anchor in rest {
            let at = of_anchor.iter().position(|other| other.path.steps == run.path.steps)?;
            score += of_anchor.get(at)?.path.score;
            picked.push(at);
        }
        Some((picked, score))
    };
    let alike = first.iter().enumerate().filter_map(|(at, run)| Some((at, total(run)?)));
    let (at, (others, total)) = alike.max_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
    #[expect(clippy::cast_precision_loss, reason = "a question lists a few things")]
    let score = total / runs.len() as f32;
    let picked = || std::iter::once(at).chain(others.iter().copied());
    let ends: Vec<&[NodeId]> =
        picked().zip(runs.iter()).filter_map(|(at, r)| r.get(at)).map(|r| r.ends.as_slice()).collect();
    let (one, more) = ends.split_first()?;
    let meet = || !more.iter().fold(one.to_vec(), |common, ends| shared(&common, ends)).is_empty();
    let others_fit = || {
        let met = meetings(runs, config.meet).iter().map(|met| met.score).reduce(f32::max);
        met.is_some_and(|met| met + MEETING_OF_A_LIST > score)
    };
    if !either && (meet() || others_fit()) {
        return None;
    }
    let picked: Vec<usize> = picked().collect();
    let runs: Vec<RunPath> =
        picked.into_iter().zip(runs.iter_mut()).map(|(at, of_anchor)| of_anchor.swap_remove(at)).collect();
    let mut ends: Vec<NodeId> = runs.iter().flat_map(|run| run.ends.iter().copied()).collect();
    ends.sort_unstable();
    ends.dedup();
    let confidence = runs.iter().map(|run| run.path.confidence(run.path.probability)).fold(1.0, f64::min);
    Some(Choice { runs, ends, confidence })
}

/// Drops the anchors from the ends, unless nothing else is left: the question already names them.
pub(super) fn without_anchors(ends: &[NodeId], anchors: &[NodeId]) -> Vec<NodeId> {
    let others: Vec<NodeId> = ends.iter().copied().filter(|node| !anchors.contains(node)).collect();
    if others.is_empty() { ends.to_vec() } else { others }
}

/// One path for each anchor, by position, and the ends that they share.
struct Meeting {
    picked: Vec<usize>,
    common: Vec<NodeId>,
    features: Features,
    score: f32,
}

/// The best paths, one for each anchor, whose ends meet. Meetings with the same ends add up.
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
    let (confidence, ends) = (best.features.confidence(mass_of(best) / total), best.common.clone());
    let picked = best.picked.iter().zip(runs);
    let runs: Vec<RunPath> = picked.map(|(at, of_anchor)| of_anchor.swap_remove(*at)).collect();
    Some(Choice { runs, ends, confidence })
}

fn meetings(runs: &[Vec<RunPath>], most: usize) -> Vec<Meeting> {
    let anchors: Vec<NodeId> = runs.iter().filter_map(|r| r.first()).map(|r| r.anchor.node).collect();
    let mut together: Vec<(Vec<usize>, Vec<NodeId>)> = vec![(Vec::new(), Vec::new())];
    for of_anchor in runs {
        let mut next = Vec::new();
        for (picked, common) in &together {
            for (at, run) in of_anchor.iter().enumerate().take(most) {
                let mut common = if picked.is_empty() { run.ends.clone() } else { shared(common, &run.ends) };
                common.retain(|node| !anchors.contains(node));
                if !common.is_empty() {
                    next.push((picked.iter().copied().chain([at]).collect(), common));
                }
            }
        }
        together = next;
    }
    let scored = |(picked, common): (Vec<usize>, Vec<NodeId>)| {
        let paths = picked.iter().zip(runs).filter_map(|(at, of_anchor)| of_anchor.get(*at));
        let paths: Vec<&RankedPath> = paths.map(|run| &run.path).collect();
        let features = joint(&paths);
        let hops: usize = paths.iter().map(|path| path.steps.len().saturating_sub(1)).sum();
        #[expect(clippy::cast_precision_loss, reason = "paths have a handful of steps")]
        let score = features.score() - MEETING_HOP * hops as f32;
        Meeting { picked, common, features, score }
    };
    together.into_iter().filter(|(picked, _)| !picked.is_empty()).map(scored).collect()
}

/// The nodes in both slices, which must be sorted.
fn shared(a: &[NodeId], b: &[NodeId]) -> Vec<NodeId> {
    a.iter().copied().filter(|node| b.binary_search(node).is_ok()).collect()
}
