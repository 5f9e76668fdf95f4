//! The likeliest readings of a question, for a method that lets a model choose among them.

use quipu_language::condition;

use super::compute::compare;
use super::meet::without_anchors;
use super::{
    Asking, Choice, PathsConfig, RunPath, SURE_TOGETHER, asking, check, each, few, listed, meet_most,
    meeting, plan,
};
use crate::answer::{AnswerError, Outcome, Question};
use crate::ledger::Context;
use crate::link::Mentioned;

/// Less probable paths are not offered.
const LEAST_PROBABLE: f64 = 0.05;

/// The possible readings of a question.
pub struct Readings {
    /// Paths to values, the likeliest first: the meeting of several anchors, then the paths of each
    /// anchor alone. No two have the same ends.
    pub choices: Vec<Choice>,
    /// The question's demands on the values.
    pub asking: Asking,
    /// The answer by code, from the paths of all mentions, if the question compares entities or
    /// asks for yes or no.
    pub decided: Option<Outcome>,
}

/// The readings of `question` from its mentions: the `keep` best paths of each mention, or only one
/// if the mentions surely meet.
///
/// # Errors
/// The graph's, the embedder's.
pub async fn readings(
    context: &Context<'_>,
    question: &Question,
    mut mentioned: Vec<Mentioned>,
    config: &PathsConfig,
    keep: usize,
) -> Result<Readings, AnswerError> {
    let condition = condition(question.text());
    mentioned.retain(|mention| super::outside(mention, condition.as_ref()));
    few(question, &mut mentioned, config);
    let mut asking = asking(context, question, &mentioned, condition);
    let list = listed(question.text(), &mentioned);
    asking.wanted.compares |= list.is_some_and(|list| list.compares(asking.wanted.operation));
    let several = mentioned.len() > 1;
    let planning =
        PathsConfig { run: config.run.max(if several { config.meet } else { 0 }), ..config.clone() };
    let mut runs = plan(context, question, &mentioned, &mentioned, &asking, &planning).await?;
    let decided = if !several {
        None
    } else if asking.wanted.compares {
        compare(context, &mentioned, &runs, &asking).await?
    } else if asking.wanted.checks {
        Some(check(context, question.text(), &mentioned, &runs, config).await?)
    } else {
        None
    };
    let mut choices = Vec::new();
    if runs.len() > 1 {
        let together = list.and_then(|list| each(&mut runs.clone(), config, list.either));
        let short = meeting(config).walk.max_hops;
        let mut meeting: Vec<Vec<RunPath>> = runs.clone();
        meeting.iter_mut().for_each(|of_anchor| of_anchor.retain(|run| run.path.steps.len() <= short));
        choices.extend(together.or_else(|| meet_most(&mut meeting, config)));
    }
    // A sure meeting is offered beside one path of each anchor, for comparison; three of each would
    // fill the prompt.
    let met = choices.first().is_some_and(|met| met.confidence >= SURE_TOGETHER);
    let keep = if met { keep.min(1) } else { keep };
    for of_anchor in &mut runs {
        of_anchor.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        for (choice, _) in alone(of_anchor).into_iter().take(keep) {
            if choices.iter().all(|known| known.ends != choice.ends) {
                choices.push(choice);
            }
        }
    }
    Ok(Readings { choices, asking, decided })
}

/// The paths as choices, each with the share of its ends in the probability of all paths from its
/// entity; paths with the same ends make one choice.
pub(super) fn alone(runs: &[RunPath]) -> Vec<(Choice, f64)> {
    let mut choices: Vec<(Choice, f64)> = Vec::new();
    for run in runs.iter().filter(|run| run.path.probability >= LEAST_PROBABLE) {
        let ends = without_anchors(&run.ends, &[run.anchor.node]);
        if choices.iter().all(|(known, _)| known.ends != ends) {
            let same = runs.iter().filter(|other| other.ends == run.ends);
            let share = same.map(|other| other.path.probability).sum::<f64>().min(1.0);
            let confidence = run.path.confidence(share);
            choices.push((Choice { runs: vec![run.clone()], ends, confidence }, share));
        }
    }
    choices
}
