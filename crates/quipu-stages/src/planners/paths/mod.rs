//! Whole-path planning as a method of its own (DESIGN §8): links the question, ranks the paths that
//! exist around each anchor, runs the best one exactly, and calculates if the question asks for it.
//! It calls a model only to learn other words for the graph's relations and the meanings of
//! question words, once for each relation and each word.

mod answer;
mod check;
mod compute;
mod confirm;
mod list;
mod meet;
mod owners;
pub mod readings;
mod settled;

use std::ops::Range;

use futures::FutureExt as _;
use quipu_graph::{LiteralValue, NodeId};
use quipu_language::{
    Condition, Language, Operation, Places, Wanted, blank, chosen_from, condition, normalise, quantity,
    value_of_node, wanted, words,
};

use crate::answer::{AnswerError, Event, Outcome, Question, Stage, Status};
use crate::ledger::{Context, Trace};
use crate::link::{Anchor, Mentioned, apart, mentions, without};
use crate::plan::{RankConfig, RankedPath, Seen, Walk, WalkConfig, follow, rank_informed};
use crate::planners::reading::read_path;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use answer::answer;
pub use answer::{finish, say};
use check::check;
use compute::compare;
use confirm::Confirmation;
use list::{List, listed};
use meet::{choose, each, meet_most};
use owners::of_kind;
use readings::alone;
pub use readings::{Readings, readings};
pub use settled::{Settled, settle};

/// Parameters of whole-path planning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathsConfig {
    /// How paths are enumerated.
    #[serde(flatten)]
    pub walk: WalkConfig,
    /// Most mentions that are planned for (3).
    pub mentions: usize,
    /// Most near-equal candidates of one mention that are planned for (2).
    #[schemars(range(max = 5))]
    pub candidates: usize,
    /// Best paths of each anchor that are run (12).
    pub run: usize,
    /// Most relation cards written for one question (4).
    pub new_cards: usize,
    /// Most words of one question whose meaning in the graph is looked up, or asked of the model
    /// (3).
    pub new_meanings: usize,
    /// Paths of each anchor that are combined when several anchors meet (20). The path that
    /// explains the words another anchor leaves open often ranks low on its own.
    pub meet: usize,
    /// From this confidence on, unexplained words do not cast doubt on a path.
    pub sure: f64,
    /// Below this confidence the method abstains. The default 0.3 keeps 99 of 100 right answers,
    /// and answers one in five questions whose answer the graph lacks; docs/results/.
    pub least_confidence: f64,
}

impl PathsConfig {
    fn ranking(&self) -> RankConfig {
        let Self { walk, run: best, new_cards, new_meanings, sure, .. } = *self;
        RankConfig { walk, best, new_cards, new_meanings, sure }
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
            new_meanings: 3,
            meet: 20,
            sure: 1.0,
            least_confidence: 0.3,
        }
    }
}

/// Candidates within this score of the best one count as near-equal.
const CLOSE: f64 = 0.02;
/// Most triples of one hop that are kept as evidence.
const MOST_EVIDENCE: usize = 2000;

/// A path that was run, with its exact ends.
#[derive(Clone)]
pub struct RunPath {
    /// The entity that it starts from.
    pub anchor: Anchor,
    /// The path, with its rank.
    pub path: RankedPath,
    /// The walk along it.
    pub walk: Walk,
    /// Its ends, sorted for comparison as a set.
    pub(crate) ends: Vec<NodeId>,
    /// Its share among all paths of all candidates of the mention, by the fit of the path and the
    /// match of the candidate.
    weight: f64,
}

/// Paths of several anchors that are answered together, and the ends that they share.
#[derive(Clone)]
pub struct Choice {
    /// The paths, the first one first.
    pub runs: Vec<RunPath>,
    /// The nodes that all of them lead to.
    pub ends: Vec<NodeId>,
    /// The estimate, 0 to 1, that the paths say what the question asks.
    pub confidence: f64,
}

/// The question's demands on the values that paths lead to.
pub struct Asking {
    /// The kind of answer.
    pub wanted: Wanted,
    /// The condition that a value must meet.
    pub condition: Option<Condition>,
    /// The rank or number of values that it asks for.
    pub places: Option<Places>,
    /// Words that say what to do with the values, not how to reach them: "three", "second",
    /// "combined". In bytes.
    unsaid: Vec<Range<usize>>,
    /// Words for the kind of entity that an extreme chooses from, the surest first.
    kinds: [Vec<String>; 3],
}

impl Asking {
    /// Whether the answer needs values that can be compared.
    fn needs_measures(&self) -> bool {
        let operation = self.wanted.operation.is_some_and(|op| op != Operation::Count);
        self.condition.is_some() || self.wanted.dates || operation
    }

    /// Most answers to give.
    pub fn most(&self) -> usize {
        self.places.and_then(Places::most).unwrap_or(usize::MAX)
    }

    /// Whether the question chooses one of several entities that it does not name.
    fn chooses(&self) -> bool {
        self.wanted.operation.is_some_and(Operation::chooses) && !self.wanted.compares
    }
}

/// The answer of the best path, with those of other paths that may be meant.
pub struct Answered {
    /// The answer.
    pub outcome: Outcome,
    /// The share of its values in the probability of all paths from its entity; `None` if several
    /// entities or a question within the question led to them.
    pub share: Option<f64>,
    /// The answers of other paths with their shares, also of those that are too unsure to stand.
    pub others: Vec<(Outcome, f64)>,
}

impl From<Outcome> for Answered {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, share: None, others: Vec::new() }
    }
}

/// Answers by the likeliest path.
///
/// # Errors
/// The graph's, the model's, and a limit that was reached.
pub async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &PathsConfig,
) -> Result<Outcome, AnswerError> {
    run_with_others(context, question, config, 0).await.map(|answered| answered.outcome)
}

/// The same, with the answers of at most `most` other paths.
pub async fn run_with_others(
    context: &Context<'_>,
    question: &Question,
    config: &PathsConfig,
    most: usize,
) -> Result<Answered, AnswerError> {
    if let Some(reason) = not_read(question.text()) {
        return Ok(Outcome::abstain(reason, Vec::new()).into());
    }
    let answered = run_unread(context, question, config, most).await?;
    Ok(Answered { outcome: as_read(context, question.text(), answered.outcome).await?, ..answered })
}

/// The reason for abstaining if the question's language has no word lists for paths.
fn not_read(question: &str) -> Option<String> {
    let language = Language::of(question);
    let reason =
        || format!("paths cannot be planned for a question in {}; use --method query", language.name());
    (!language.tells_paths()).then(reason)
}

/// Adds the reading of the plan that led to the outcome.
async fn as_read(
    context: &Context<'_>,
    question: &str,
    mut outcome: Outcome,
) -> Result<Outcome, AnswerError> {
    let Some(plan) = outcome.plan.take().filter(|_| outcome.status == Status::Answered) else {
        return Ok(outcome);
    };
    let read = read_path(context, question, &plan, outcome).await?;
    Ok(Outcome { plan: Some(plan), ..read })
}

async fn run_unread(
    context: &Context<'_>,
    question: &Question,
    config: &PathsConfig,
    most: usize,
) -> Result<Answered, AnswerError> {
    if let Some(settled) = settle(context, question, config).await? {
        let answered = run_open(context, &settled.question, Some(&settled), config, 0).await?;
        return Ok(settled.complete(answered.outcome).into());
    }
    run_open(context, question, None, config, most).await
}

async fn run_open(
    context: &Context<'_>,
    question: &Question,
    settled: Option<&Settled>,
    config: &PathsConfig,
    most: usize,
) -> Result<Answered, AnswerError> {
    let condition = condition(question.text());
    let mentioned = link(context, question, condition.as_ref(), settled, config).await?;
    run_linked(context, question, mentioned, condition, config, most).boxed().await
}

/// The same for mentions that the caller linked, the surest first.
pub async fn run_from(
    context: &Context<'_>,
    question: &Question,
    mut mentioned: Vec<Mentioned>,
    config: &PathsConfig,
) -> Result<Outcome, AnswerError> {
    if let Some(reason) = not_read(question.text()) {
        return Ok(Outcome::abstain(reason, Vec::new()));
    }
    let condition = condition(question.text());
    mentioned.retain(|m| outside(m, condition.as_ref()));
    few(question, &mut mentioned, config);
    let answered = run_linked(context, question, mentioned, condition, config, 0).boxed().await?;
    as_read(context, question.text(), answered.outcome).await
}

async fn run_linked(
    context: &Context<'_>,
    question: &Question,
    mentioned: Vec<Mentioned>,
    condition: Option<Condition>,
    config: &PathsConfig,
    most: usize,
) -> Result<Answered, AnswerError> {
    let mut asking = asking(context, question, &mentioned, condition);
    if mentioned.is_empty() {
        let reason = "no entity of the graph was recognised in the question";
        return Ok(Outcome::abstain(reason, Vec::new()).into());
    }
    if mentioned.len() > 1 {
        let list = listed(question.text(), &mentioned);
        asking.wanted.compares |= list.is_some_and(|list| list.compares(asking.wanted.operation));
        // The words that one anchor's paths leave unexplained may belong to the other anchor. So
        // words are looked up only in a second attempt.
        let once = PathsConfig { sure: 0.0, ..meeting(config) };
        let found = together(context, question, &mentioned, &asking, &once, list).await?;
        let found = match found {
            Some(outcome) if outcome.confidence >= SURE_TOGETHER => Some(outcome),
            _ => together(context, question, &mentioned, &asking, &meeting(config), list).await?,
        };
        if let Some(outcome) = found {
            return Ok(outcome.into());
        }
    }
    // Nothing meets: continue with the surest mention alone.
    let (surest, others) = mentioned.split_at(1);
    let runs = plan(context, question, surest, others, &asking, config).await?;
    if asking.wanted.checks && others.is_empty() {
        let runs: Vec<RunPath> = runs.iter().flatten().cloned().collect();
        let condition = asking.condition.as_ref();
        let asked = Confirmation { question: question.text(), condition, mentioned: &mentioned, runs: &runs };
        if let Some(outcome) = asked.answer(context, config).await? {
            return Ok(outcome.into());
        }
    }
    let mut runs: Vec<RunPath> = runs.into_iter().flatten().collect();
    let mut others = Vec::new();
    if most > 0 {
        runs.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        others = alone(&runs);
        others.truncate(most + 1);
    }
    let Some(choice) = choose(runs) else {
        let reason = "no path of the graph starts at the entities in the question";
        return Ok(Outcome::abstain(reason, Vec::new()).into());
    };
    let ends = choice.ends.clone();
    let outcome = answer(context, choice, &asking, config).await?;
    let mut answered = Answered::from(outcome);
    // What other paths would answer is no event of this question.
    let silent = Trace::new(None);
    let (silent, any) = (context.traced_by(&silent), PathsConfig { least_confidence: 0.0, ..config.clone() });
    for (choice, share) in others {
        if choice.ends == ends {
            answered.share = Some(share);
            if answered.outcome.status == Status::Answered {
                continue;
            }
        }
        let outcome = answer(&silent, choice, &asking, &any).await?;
        answered.others.push((as_read(&silent, question.text(), outcome).await?, share));
    }
    Ok(answered)
}

/// Reads the question's demands on the values. Words inside names do not count: neither "First
/// Light" nor a relation "highest point" asks for an extreme.
fn asking(
    context: &Context<'_>,
    question: &Question,
    mentioned: &[Mentioned],
    condition: Option<Condition>,
) -> Asking {
    let language = Language::of(question.text());
    let spans = mentioned.iter().map(|m| m.span.clone()).chain(condition.as_ref().map(|c| c.span.clone()));
    let spans: Vec<_> = spans.chain(operations_in_names(context, question.text())).collect();
    let text = without(question.text(), spans.iter().cloned());
    let outside = |span: &Range<usize>| spans.iter().all(|name| apart(name, span));
    let quantity = quantity(&blank(question.text(), &spans));
    let said = words(question.text());
    let texts: Vec<&str> = said.iter().map(|word| word.text.as_str()).collect();
    let summing = said.iter().enumerate().filter(|(at, _)| language.is_summing(&texts, *at));
    let summing: Vec<_> = summing.map(|(_, word)| word.start..word.end).filter(outside).collect();
    let mut wanted = wanted(&text);
    let how_many = language.asks_how_many(&texts);
    if wanted.operation == Some(Operation::Sum) && !summing.is_empty() && how_many && mentioned.len() < 2 {
        // "How many films did she direct altogether" adds nothing up.
        wanted.operation = Some(Operation::Count);
    }
    Asking {
        wanted,
        kinds: chosen_from(&text),
        places: quantity.as_ref().map(|quantity| quantity.places),
        unsaid: summing.into_iter().chain(quantity.map(|quantity| quantity.span)).collect(),
        condition,
    }
}

/// Most entities in a list.
const MOST_LISTED: usize = 12;

/// The places of extremes and sums in the question that belong to a relation's name of several
/// words.
fn operations_in_names(context: &Context<'_>, question: &str) -> Vec<Range<usize>> {
    let language = Language::of(question);
    let words = words(question);
    let texts: Vec<&str> = words.iter().map(|w| w.text.as_str()).collect();
    let asking =
        texts.iter().enumerate().filter(|(at, w)| language.is_extreme(w) || language.is_summing(&texts, *at));
    let asking: Vec<(usize, &str)> = asking.map(|(at, w)| (at, *w)).collect();
    if asking.is_empty() {
        return Vec::new();
    }
    let mut spans = Vec::new();
    for relation in context.graph().relations() {
        let name = normalise(&relation.name);
        let name: Vec<&str> = name.split(' ').collect();
        for (at, word) in &asking {
            let Some(start) = name.iter().position(|w| w == word).and_then(|place| at.checked_sub(place))
            else {
                continue;
            };
            let run = words.get(start..start + name.len()).unwrap_or_default();
            let said = name.len() > 1 && run.iter().map(|w| w.text.as_str()).eq(name.iter().copied());
            spans.extend(words.get(*at).filter(|_| said).map(|w| w.start..w.end));
        }
    }
    spans.dedup();
    spans
}

/// From this confidence on, the answer for several anchors needs no looking up of words.
const SURE_TOGETHER: f64 = 0.5;

/// The answer of several mentions together: compared, checked, listed, or at the place where their
/// paths meet. `None` if nothing meets.
async fn together(
    context: &Context<'_>,
    question: &Question,
    mentioned: &[Mentioned],
    asking: &Asking,
    config: &PathsConfig,
    list: Option<List>,
) -> Result<Option<Outcome>, AnswerError> {
    let mut runs = plan(context, question, mentioned, mentioned, asking, config).await?;
    if asking.wanted.compares
        && let Some(outcome) = compare(context, mentioned, &runs, asking).await?
    {
        return Ok(Some(outcome));
    }
    if asking.wanted.checks {
        return check(context, question.text(), mentioned, &runs, config).await.map(Some);
    }
    let choice = list.and_then(|list| each(&mut runs, config, list.either));
    match choice.or_else(|| meet_most(&mut runs, config)) {
        Some(choice) => answer(context, choice, asking, config).await.map(Some),
        None => Ok(None),
    }
}

/// Most hops of a path that should meet others.
const MEETING_HOPS: usize = 2;

/// For anchors that should meet: shorter paths, and more of them.
fn meeting(config: &PathsConfig) -> PathsConfig {
    let walk = WalkConfig { max_hops: config.walk.max_hops.min(MEETING_HOPS), ..config.walk };
    PathsConfig { walk, run: config.run.max(config.meet), ..config.clone() }
}

async fn plan(
    context: &Context<'_>,
    question: &Question,
    mentioned: &[Mentioned],
    all: &[Mentioned],
    asking: &Asking,
    config: &PathsConfig,
) -> Result<Vec<Vec<RunPath>>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Plan);
    let mut runs = Vec::new();
    for mention in mentioned {
        runs.push(plan_mention(context, question, mention, all, asking, config).await?);
    }
    Ok(runs)
}

/// Keeps as many mentions as are planned for; keeps all mentions of a list.
fn few(question: &Question, mentioned: &mut Vec<Mentioned>, config: &PathsConfig) {
    if listed(question.text(), mentioned).is_none() {
        mentioned.truncate(config.mentions);
    }
    mentioned.truncate(MOST_LISTED);
}

/// Whether a mention lies outside the condition: the "1990" of "before 1990" is a value, not an
/// entity to start from.
fn outside(mention: &Mentioned, condition: Option<&Condition>) -> bool {
    condition.is_none_or(|condition| apart(&mention.span, &condition.span))
}

async fn link(
    context: &Context<'_>,
    question: &Question,
    condition: Option<&Condition>,
    settled: Option<&Settled>,
    config: &PathsConfig,
) -> Result<Vec<Mentioned>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Link);
    let mut mentioned = mentions(context, question.text()).await?;
    if let Some(settled) = settled {
        mentioned = settled.among(mentioned);
    }
    mentioned.retain(|m| outside(m, condition));
    if settled.is_none_or(|settled| !settled.is_several()) {
        few(question, &mut mentioned, config);
    }
    context
        .trace
        .report(Stage::Link, Event::Linked { mentions: mentioned.iter().map(Mentioned::to_event).collect() });
    Ok(mentioned)
}

/// Ranks and runs the paths of one mention, for each of its near-equal candidates.
async fn plan_mention(
    context: &Context<'_>,
    question: &Question,
    mention: &Mentioned,
    all: &[Mentioned],
    asking: &Asking,
    config: &PathsConfig,
) -> Result<Vec<RunPath>, AnswerError> {
    let best = mention.best().map_or(0.0, |a| a.score);
    let close = mention.candidates.iter().filter(|a| best - a.score <= CLOSE).take(config.candidates);
    let mentions = all.iter().map(|m| m.span.clone()).filter(|s| *s != mention.span);
    let others = mentions.chain(asking.condition.as_ref().map(|c| c.span.clone()));
    let others: Vec<_> = others.chain(asking.unsaid.iter().cloned()).collect();
    let mut planned = Vec::new();
    for anchor in close {
        let seen = Seen { node: anchor.node, span: mention.span.clone(), others: others.clone() };
        let ranked = rank_informed(context, question.text(), &seen, config.ranking()).await?;
        let mut paths = ranked.paths;
        if asking.needs_measures() {
            paths = comparable(context, paths, asking).await?;
        }
        planned.push((anchor, paths));
    }
    // The fit of their paths tells candidates apart too.
    let scores = planned.iter().flat_map(|(_, paths)| paths.iter().map(|path| path.score));
    let top = scores.reduce(f32::max).unwrap_or_default();
    let weigh = |anchor: &Anchor, path: &RankedPath| f64::from(path.score - top).exp() * anchor.score;
    let all: f64 = planned.iter().flat_map(|(a, paths)| paths.iter().map(|path| weigh(a, path))).sum();
    let mut runs = Vec::new();
    for (anchor, paths) in planned {
        for path in paths.into_iter().take(config.run) {
            let walk = follow(context.graph(), anchor.node, &path.steps).await?;
            let ends: Vec<NodeId> = walk.ends().collect();
            let weight = weigh(anchor, &path) / all;
            if !ends.is_empty() {
                runs.push(RunPath { anchor: anchor.clone(), path, walk, ends, weight });
            }
        }
    }
    if asking.chooses() { of_kind(context, runs, &asking.kinds).await } else { Ok(runs) }
}

/// The paths that end in numbers or dates; in at least two of them if one of several is asked for.
/// All paths if there is no such path.
async fn comparable(
    context: &Context<'_>,
    paths: Vec<RankedPath>,
    asking: &Asking,
) -> Result<Vec<RankedPath>, AnswerError> {
    const LOOKED_AT: usize = 5;
    let least = if asking.chooses() { 2 } else { 1 };
    let mut kept = Vec::new();
    for path in &paths {
        let ends: Vec<NodeId> = path.ends.iter().copied().take(LOOKED_AT).collect();
        let summaries = context.graph().summaries(&ends).await?;
        let values =
            summaries.iter().filter(|s| is_measure(&value_of_node(s.literal.as_ref(), &s.name))).count();
        if values * 2 > ends.len() && ends.len() >= least {
            kept.push(path.clone());
        }
    }
    if kept.is_empty() {
        return Ok(paths);
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
