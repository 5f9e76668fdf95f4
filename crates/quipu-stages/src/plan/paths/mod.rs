//! Whole-path planning (DESIGN §8): enumerates the relation paths that exist around an anchor, puts
//! each into words, and ranks them against the question. Walking hop by hop asks "is this enough?",
//! which small models judge badly; a whole path shows what it asks for.

mod align;
mod chain;
mod coverage;
mod features;
mod informed;
mod joint;
mod lexicon;
mod reword;
mod walk;
mod words;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use quipu_graph::{Direction, NodeId, RelationId, Step};
use quipu_language::{Asked, Language};

use crate::answer::{AnswerError, Event, PathEvent, Stage};
use crate::ledger::Context;
use crate::plan::Cards;
use crate::plan::meanings::Sense;
use crate::plan::solved::solved_plans;

use coverage::Coverage;
use features::{Comparison, Vectors};
use lexicon::Lexicon;

pub use chain::StepSamples;
pub use features::{FEATURE_NAMES, Features};
pub use informed::{RankConfig, Seen, rank_informed};
pub use joint::joint;
pub use reword::reword;
pub(crate) use reword::{is_a_word, misspelt};
pub use walk::{ExistingPath, Walk, WalkConfig, enumerate, follow};
pub use words::StepWords;

/// Paths shown in the trace.
const SHOWN: usize = 5;

/// About this many names are offered as the meaning of a word.
const MOST_NAMES: usize = 40;

/// A path with its place in the ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedPath {
    /// The steps from the anchor.
    pub steps: Vec<Step>,
    /// Some of its ends.
    pub ends: Vec<NodeId>,
    /// The path in its cards' words, for models and the ranking.
    pub phrase: String,
    /// The path in its relations' own names, for people.
    pub named: String,
    /// The fused score: a logit.
    pub score: f32,
    /// Its share among all paths of the anchor (softmax of the scores).
    pub probability: f64,
    /// How well it fits the question.
    pub features: Features,
    /// The question's telling words.
    words: Arc<[String]>,
    /// How well it explains each of them.
    coverage: Vec<Coverage>,
}

impl RankedPath {
    /// The probability, from 0 to 1, that the graph holds the answer and that this path leads to
    /// it. `share` is the total probability of the paths that lead to the same ends. Fitted on
    /// answered questions, and on the same questions with the relations that answer them removed
    /// from the graph (docs/results/).
    pub fn confidence(&self, share: f64) -> f64 {
        self.features.confidence(share)
    }

    /// Marks the words for which `known` holds as explained, for a caller that knows more about the
    /// path's entities than their labels tell.
    pub(crate) fn explain(&mut self, known: impl Fn(&str) -> bool) {
        #[expect(clippy::cast_precision_loss, reason = "a question has a few words")]
        let count = self.words.len().max(1) as f32;
        let explained = self.words.iter().zip(&mut self.coverage).filter(|(word, _)| known(word));
        for (_, coverage) in explained {
            self.features.alignment += (1.0 - coverage.all).max(0.0) / count;
            (coverage.all, coverage.telling) = (1.0, 1.0);
        }
        let least = self.coverage.iter().map(|coverage| coverage.all).reduce(f32::min);
        self.features.least_covered = least.unwrap_or(self.features.least_covered);
    }
}

/// The paths of one anchor, best first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// Best first.
    pub paths: Vec<RankedPath>,
    /// The question with its mention as `X`.
    pub masked: String,
    /// Words of the question that no step explains, normalised.
    pub unexplained: Vec<String>,
    /// For each step its names and the kind it leads to, the steps of the best paths first.
    pub senses: Vec<Sense>,
    /// The words of all labels of the steps.
    pub vocabulary: HashSet<String>,
}

/// Ranks the paths around `anchor`. The question mentions it at `span`; `others` are the places of
/// its other mentions. No model call; one batch of embeddings.
///
/// # Errors
/// The graph's and the embedder's.
pub async fn rank(
    context: &Context<'_>,
    question: &str,
    anchor: NodeId,
    span: Range<usize>,
    others: &[Range<usize>],
    config: WalkConfig,
) -> Result<Ranking, AnswerError> {
    let language = Language::of(question);
    let graph = context.graph();
    let asked = Asked::new(question, span, others);
    let mut existing = enumerate(graph, anchor, config).await?;
    if asked.by_prefix {
        keep_shared(&mut existing);
    }
    let steps = distinct_steps(&existing);
    let samples = context.memory::<StepSamples>();
    samples.learn(graph, &steps).await?;
    samples.learn_types(graph, without_card(context, &steps)).await;
    let lexicon = Lexicon::new(language, graph, &context.memory::<Cards>(), &samples, &steps);
    let labels: HashSet<&str> = steps.iter().flat_map(|s| lexicon.labels(*s)).collect();
    let tokens = asked.tokens(&labels);
    let phrases: Vec<[String; 2]> =
        existing.iter().map(|p| [lexicon.phrase(&p.steps), lexicon.plain_phrase(&p.steps)]).collect();

    let kinds = steps.iter().flat_map(|s| [lexicon.kind(*s), lexicon.kind(s.reversed())]);
    let back_labels = steps.iter().flat_map(|s| lexicon.labels(s.reversed()));
    let telling = tokens.tokens.iter().map(|t| t.text.as_str());
    let mut texts: Vec<&str> = vec![&asked.masked];
    texts.extend(asked.head_words());
    let others = |word| language.other_words(word).iter().map(String::as_str);
    texts.extend(telling.flat_map(|word| std::iter::once(word).chain(others(word))));
    texts.extend(labels.iter().copied().chain(kinds).chain(back_labels));
    texts.extend(phrases.iter().flatten().map(String::as_str));
    texts.sort_unstable();
    texts.dedup();
    let vectors = Vectors::new(language, &texts, context.embed(Stage::Plan, &texts).await?);

    let comparison = Comparison::new(&asked, &tokens, &steps, &lexicon, &vectors);
    let words = comparison.words();
    let mut paths: Vec<RankedPath> = existing
        .into_iter()
        .zip(&phrases)
        .map(|(path, [phrase, plain])| {
            let usual = samples.usual(&path.steps);
            let back_at_start = path.ends == [anchor];
            let features = comparison.features(&path.steps, [phrase, plain], usual, back_at_start);
            RankedPath {
                words: Arc::clone(&words),
                coverage: comparison.coverage(&path.steps),
                steps: path.steps,
                ends: path.ends,
                phrase: phrase.clone(),
                named: plain.clone(),
                score: features.score(),
                probability: 0.0,
                features,
            }
        })
        .collect();
    prefer_stated(&mut paths);
    prefer_first_meaning(&mut paths, &words, &lexicon);
    for (steps, solved) in solved_plans(context, question, &asked.masked).await? {
        for path in paths.iter_mut().filter(|path| path.steps == steps) {
            path.score += solved.weight;
            // An example explains a question as well as the question's words would.
            path.features.alignment = path.features.alignment.max(solved.like);
            path.features.least_covered = path.features.least_covered.max(solved.like);
        }
    }
    paths.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.steps.cmp(&b.steps)));
    set_probabilities(&mut paths);
    report(context, &paths);
    let senses = senses(&paths, &lexicon, &samples, &steps);
    let unexplained = comparison.unexplained();
    let vocabulary = labels.iter().flat_map(|label| label.split(' ')).map(str::to_owned).collect();
    Ok(Ranking { paths, senses, unexplained, masked: asked.masked.clone(), vocabulary })
}

/// For "co-wrote films with": drops a path that ends like another one, as long, which goes back by
/// the relation that it came by. Whoever wrote what A directed is no co-writer of A's.
fn keep_shared(paths: &mut Vec<ExistingPath>) {
    let turns =
        |path: &ExistingPath| path.steps.array_windows().any(|[there, back]| there.reversed() == *back);
    let shared: HashSet<(usize, Step)> = paths
        .iter()
        .filter(|path| turns(path))
        .filter_map(|path| Some((path.steps.len(), *path.steps.last()?)))
        .collect();
    paths.retain(|path| {
        turns(path) || path.steps.last().is_none_or(|last| !shared.contains(&(path.steps.len(), *last)))
    });
}

/// Prefers the stated one of two converse relations. "The parents of" is the relation `parents`,
/// and also `children` walked backwards; such paths read the same and mean the same. In each such
/// group, the path with the fewest backward steps takes over the group's best fit.
fn prefer_stated(paths: &mut [RankedPath]) {
    let against =
        |path: &RankedPath| path.steps.iter().filter(|s| s.direction == Direction::Backward).count();
    let mut alike: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, path) in paths.iter().enumerate() {
        alike.entry(path.phrase.clone()).or_default().push(at);
    }
    for group in alike.into_values() {
        give_best_fits(paths, &group, against);
    }
}

/// Decides what an extreme measures if the question leaves it open: "the largest" country is the
/// largest by area, not by population. Looks at paths that differ only in a last step labelled with
/// another word for the extreme; the path whose label stands first in the word list takes over the
/// best fit. Does nothing if the question itself says one of these words.
fn prefer_first_meaning(paths: &mut [RankedPath], words: &[String], lexicon: &Lexicon) {
    let language = Language::of_words(words);
    let same = |a: &str, b: &str| language.are_one_noun(a, b);
    for extreme in words.iter().filter(|word| language.is_extreme(word)) {
        let meanings = language.other_words(extreme);
        if meanings.iter().any(|meaning| words.iter().any(|word| same(word, meaning))) {
            continue;
        }
        let meaning_of = |path: &RankedPath| {
            let labels = lexicon.labels(*path.steps.last()?);
            meanings.iter().position(|meaning| labels.iter().any(|label| same(label, meaning)))
        };
        let mut alike: HashMap<&[Step], Vec<usize>> = HashMap::new();
        for (at, path) in paths.iter().enumerate().filter(|(_, path)| meaning_of(path).is_some()) {
            let owners = path.steps.split_last().map_or(&[][..], |(_, before)| before);
            alike.entry(owners).or_default().push(at);
        }
        let groups: Vec<Vec<usize>> = alike.into_values().collect();
        for group in groups {
            give_best_fits(paths, &group, meaning_of);
        }
    }
}

/// Sorts a group of paths by `order` and gives the group's best fit to the first path, the next
/// best to the second, and so on.
fn give_best_fits<K: Ord>(paths: &mut [RankedPath], group: &[usize], order: impl Fn(&RankedPath) -> K) {
    let mut members: Vec<_> = group.iter().filter_map(|at| Some((*at, paths.get(*at)?))).collect();
    members.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score).then_with(|| a.steps.cmp(&b.steps)));
    let fits: Vec<_> = members.iter().map(|(_, p)| (p.score, p.features, p.coverage.clone())).collect();
    members.sort_by_key(|(_, path)| order(path));
    let order: Vec<usize> = members.into_iter().map(|(at, _)| at).collect();
    for (at, fit) in order.into_iter().zip(fits) {
        if let Some(path) = paths.get_mut(at) {
            (path.score, path.features, path.coverage) = fit;
        }
    }
}

/// The candidate meanings of a question word: for each step, the names that no earlier step has.
fn senses(paths: &[RankedPath], lexicon: &Lexicon, samples: &StepSamples, steps: &[Step]) -> Vec<Sense> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut senses: Vec<(Step, Sense)> = Vec::new();
    for step in paths.iter().flat_map(|p| &p.steps) {
        if seen.len() >= MOST_NAMES {
            break;
        }
        let new = lexicon.nouns(*step).filter(|name| seen.insert(*name));
        let names = new.map(str::to_owned).collect();
        senses.push((*step, Sense { names, also: Vec::new() }));
    }
    senses.retain(|(_, sense)| !sense.names.is_empty());
    join_kinds(&mut senses, samples, steps);
    senses.into_iter().map(|(_, sense)| sense).collect()
}

/// Counts the kind of a relation's heads among the names of the relation whose tails they are, if
/// that is one relation only. A model writes each card by itself and calls the same things "club"
/// in one and "team" in another.
fn join_kinds(senses: &mut Vec<(Step, Sense)>, samples: &StepSamples, steps: &[Step]) {
    let is_forward = |step: &&Step| step.direction == Direction::Forward;
    let heads: Vec<Step> = senses.iter().map(|(step, _)| *step).filter(|step| !is_forward(&step)).collect();
    for step in heads {
        let mut same =
            steps.iter().filter(is_forward).filter(|tails| samples.lead_to_the_same(**tails, step));
        let (Some(tails), None) = (same.next(), same.next()) else { continue };
        let at = |step: &Step| senses.iter().position(|(of, _)| of == step);
        let (Some(tails), Some(heads)) = (at(tails), at(&step)) else { continue };
        let names = senses.get_mut(heads).map(|(_, sense)| std::mem::take(&mut sense.names));
        if let Some((_, sense)) = senses.get_mut(tails) {
            sense.also.extend(names.into_iter().flatten());
        }
    }
    senses.retain(|(_, sense)| !sense.names.is_empty());
}

fn distinct_steps(paths: &[ExistingPath]) -> Vec<Step> {
    let mut steps: Vec<Step> = paths.iter().flat_map(|p| p.steps.iter().copied()).collect();
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// The relations of `steps` that have no card.
fn without_card(context: &Context<'_>, steps: &[Step]) -> HashSet<RelationId> {
    let info = |id: RelationId| usize::try_from(id.0).ok().and_then(|at| context.graph().relations().get(at));
    let relations = steps.iter().map(|step| step.relation);
    relations
        .filter(|id| info(*id).is_some_and(|i| context.memory::<Cards>().get(&i.key).is_none()))
        .collect()
}

fn set_probabilities(paths: &mut [RankedPath]) {
    let best = paths.first().map_or(0.0, |p| p.score);
    let total: f64 = paths.iter().map(|p| f64::from(p.score - best).exp()).sum();
    for path in paths {
        path.probability = f64::from(path.score - best).exp() / total;
    }
}

fn report(context: &Context<'_>, paths: &[RankedPath]) {
    let shown = paths.iter().take(SHOWN);
    let shown = shown.map(|p| PathEvent { phrase: p.phrase.clone(), score: p.probability }).collect();
    context.trace.report(Stage::Plan, Event::Ranked { considered: paths.len(), paths: shown });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_gives_way_to_one_that_shares_the_relation() {
        let step = |relation, direction| Step { relation: RelationId(relation), direction };
        let (there, back) = (Direction::Backward, Direction::Forward);
        let path = |steps: &[Step]| ExistingPath { steps: steps.to_vec(), ends: Vec::new() };
        let shared = path(&[step(0, there), step(0, back)]);
        let by_another = path(&[step(1, there), step(0, back)]);
        let other_end = path(&[step(0, there), step(1, back)]);
        let direct = path(&[step(0, back)]);
        let mut paths = vec![direct.clone(), by_another.clone(), shared.clone(), other_end.clone()];
        keep_shared(&mut paths);
        assert_eq!(paths, [direct.clone(), shared, other_end.clone()]);
        let mut none_shared = vec![direct.clone(), by_another.clone(), other_end.clone()];
        keep_shared(&mut none_shared);
        assert_eq!(none_shared, [direct, by_another, other_end]);
    }
}
