//! Which of the paths that were run hold the answer: of one anchor, or where those of several meet.

use std::collections::HashMap;

use quipu_graph::NodeId;

use super::{Choice, PathsConfig, RunPath};

/// Where anchors meet, each hop beyond the first costs this much of the score: conjunctions are short.
const MEETING_HOP: f32 = 2.0;
/// Paths whose ends meet: of all anchors, else of all but the least sure.
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

/// A path that leads to nothing but what the question names counts this much.
const BACK_AT_THE_START: f64 = 0.6;

/// Of one anchor, the ends that its paths together hold most probable.
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
    // Of the paths to the chosen ends, the best; as sure as all paths of its anchor that lead there.
    let there = runs.iter().enumerate().filter(|(_, run)| run.ends == ends);
    let (at, best) = there.max_by(|a, b| a.1.weight.total_cmp(&b.1.weight))?;
    let same = runs.iter().filter(|run| run.ends == ends && run.anchor.node == best.anchor.node);
    let share: f64 = same.map(|run| counted(run, run.path.probability) * run.anchor.score).sum();
    let best = runs.into_iter().nth(at)?;
    let confidence = best.path.confidence(share);
    let ends = without_anchors(&best.ends, &[best.anchor.node]);
    Some(Choice { runs: vec![best], ends, confidence })
}

/// A meeting must be this much more likely (in logits) than the same path from each, to be what a list asks for.
const MEETING_OF_A_LIST: f32 = 1.0;

/// The same path from each thing of a list, where that fits the question better than a place where they meet: "the capitals of
/// Norway and Sweden".
pub(super) fn each(runs: &mut Vec<Vec<RunPath>>, config: &PathsConfig) -> Option<Choice> {
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
    let shared = first.iter().enumerate().filter_map(|(at, run)| Some((at, total(run)?)));
    let (at, (others, score)) = shared.max_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
    let met = meetings(runs, config.meet).iter().map(|m| m.score).reduce(f32::max);
    if met.is_some_and(|met| met + MEETING_OF_A_LIST > score) {
        return None;
    }
    let picked = std::iter::once(at).chain(others).zip(runs.iter_mut());
    let runs: Vec<RunPath> = picked.map(|(at, of_anchor)| of_anchor.swap_remove(at)).collect();
    let mut ends: Vec<NodeId> = runs.iter().flat_map(|run| run.ends.iter().copied()).collect();
    ends.sort_unstable();
    ends.dedup();
    let confidence = runs.iter().map(|run| run.path.confidence(run.path.probability)).fold(1.0, f64::min);
    Some(Choice { runs, ends, confidence })
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
