//! The default: whole paths where one surely explains the whole question, else queries, else what paths say of it, else "I don't
//! know" (DESIGN §7).

use std::collections::HashSet;

use quipu_graph::{Direction, RelationRole};
use quipu_index::LookupConfig;

use super::{Method, MethodConfig, Outcome};
use crate::AnswerError;
use crate::answer::Status;
use crate::calculate::Operation;
use crate::context::{Context, Planned};
use crate::error::Exhausted;
use crate::evidence::EvidenceContent;
use crate::language::{
    Side, asks_for, asks_for_two, asks_for_units, asks_twice, impossible_place, meanings, meanings_at,
    side_of,
};
use crate::question::Question;
use crate::trace::{Event, Stage};

/// Parameters of `auto`.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoConfig {
    /// What an answer of a path must be worth in a graph with types, where a query knows what things are.
    pub typed: PathTrust,
    /// The same in a graph without types, where a query knows no more than a path.
    pub untyped: PathTrust,
    /// Most model calls of a question.
    pub llm_calls: u32,
}

/// How far the answer of a path is trusted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathTrust {
    /// From this confidence on it stands without a query.
    pub sure: f64,
    /// The same of a calculation (an extreme, a comparison, a sum), which has all that the question names explained or is not made.
    pub sure_calculated: f64,
    /// From this confidence on it stands where no query gave an answer.
    pub least_confidence: f64,
    /// Whether the model may write down what people call relations ([`RelationCard`](crate::RelationCard)), and paths are tried
    /// with that before queries. In a graph with types its cards made unseen questions worse than the relations' own names did.
    pub cards: bool,
    /// From this confidence on the answer of a path with cards stands without a query.
    pub sure_with_cards: f64,
}

impl Default for AutoConfig {
    /// With types sure from .7, a calculation from .5, an answer from .6 on, no cards; without types sure from .8, with cards from .5,
    /// an answer from .3 on; at most 4 calls.
    fn default() -> Self {
        Self {
            typed: PathTrust {
                sure: 0.7,
                sure_calculated: 0.5,
                least_confidence: 0.6,
                cards: false,
                sure_with_cards: 0.9,
            },
            untyped: PathTrust {
                sure: 0.8,
                sure_calculated: 0.8,
                least_confidence: 0.3,
                cards: true,
                sure_with_cards: 0.5,
            },
            llm_calls: 4,
        }
    }
}

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &MethodConfig,
) -> Result<Outcome, AnswerError> {
    let auto = &config.auto;
    let trust = if has_types(context) { auto.typed } else { auto.untyped };
    let within = context.at_most(auto.llm_calls);
    if context.plan_only() || context.wanted_reading() > 0 {
        // Readings are those of queries.
        return Box::pin(Method::Query.run(&within, question, config)).await;
    }
    if let Some(place) = impossible_place(question.text()) {
        return Ok(Outcome::abstain(format!("“{place}” is no place of an order"), Vec::new()));
    }
    let mut walked = walk(&within.without_model(), question, config, &trust).await?;
    let mut is_sure = walked.is_from(if walked.calculated { trust.sure_calculated } else { trust.sure });
    if !is_sure && trust.cards && context.has_model() {
        // One call is left to a query.
        let with_cards = context.at_most(auto.llm_calls.saturating_sub(1));
        walked = walk(&with_cards, question, config, &trust).await?;
        is_sure = walked.is_from(trust.sure_with_cards);
    }
    if is_sure {
        // To be learnt from.
        walked.plan.into_iter().for_each(|plan| context.keep_plan(plan));
        return Ok(walked.outcome);
    }
    if !context.has_model() || !takes_queries(context) {
        return Ok(if walked.stands { walked.outcome } else { unsure(walked.outcome) });
    }
    let queried = match Box::pin(Method::Query.run(&within, question, config)).await {
        Err(AnswerError::Exhausted(limit @ (Exhausted::Calls(_) | Exhausted::Tokens(_)))) => {
            context.trace.report(Stage::Plan, Event::Degraded { reason: limit.to_string() });
            Outcome::abstain(limit.to_string(), Vec::new())
        }
        queried => queried?,
    };
    Ok(together(queried, walked.outcome, walked.stands))
}

/// Whether a third of the graph's things have a type, as far as the source can tell.
fn has_types(context: &Context<'_>) -> bool {
    let described = context.graph().describe();
    let of_types = context.graph().relations().iter().filter(|info| info.role == RelationRole::Type);
    let typed = of_types.map(|info| info.heads).max().unwrap_or_default();
    // Relations and types that have names of their own are entities too, and no things.
    let things = described.entities.saturating_sub(described.relations + described.types);
    described.types > 0 && (typed == 0 || typed * 3 >= things)
}

/// What paths say to a question.
struct Walked {
    outcome: Outcome,
    plan: Option<Planned>,
    /// Whether it is an answer where no query gives one.
    stands: bool,
    /// Whether code calculated it of what the path led to.
    calculated: bool,
}

impl Walked {
    /// Whether it is an answer of this confidence or more.
    fn is_from(&self, confidence: f64) -> bool {
        self.stands && self.outcome.confidence >= confidence
    }
}

async fn walk(
    context: &Context<'_>,
    question: &Question,
    config: &MethodConfig,
    trust: &PathTrust,
) -> Result<Walked, AnswerError> {
    let outcome = Box::pin(Method::Paths.run(context, question, config)).await?;
    let plan = context.kept_plan();
    let text = question.text();
    let says = plan.as_ref().is_none_or(|plan| says_what_was_walked(context, text, plan, &outcome));
    let is_answer =
        outcome.status == Status::Answered && says && heeds_all(text, &outcome) && is_of_kind(text, &outcome);
    let is_one = match &plan {
        Some(plan) if is_answer => is_one_thing(context, plan).await?,
        _ => true,
    };
    // Paths do not know that soups are dishes: what is of a class is not all of its kinds.
    let calculated = is_calculated(&outcome);
    let knows_all = match &plan {
        Some(plan) if calculated => !has_kinds(context, plan).await?,
        _ => true,
    };
    let least = trust.least_confidence.min(if calculated { trust.sure_calculated } else { 1.0 });
    let stands = is_answer && is_one && knows_all && outcome.confidence >= least;
    let outcome = match &plan {
        Some(plan) if stands => super::query::read_path(context, plan, outcome).await?,
        _ => outcome,
    };
    Ok(Walked { outcome, plan, stands, calculated })
}

fn is_calculated(outcome: &Outcome) -> bool {
    outcome.evidence.iter().any(|piece| matches!(piece.content, EvidenceContent::Calculation { .. }))
}

/// Whether a path starts from a class with classes below it.
async fn has_kinds(context: &Context<'_>, plan: &Planned) -> Result<bool, AnswerError> {
    let Some(tables) = quipu_query::kept_tables(context.workspace) else { return Ok(false) };
    let Some(anchor) = context.graph().summaries(&[plan.anchor]).await?.pop() else { return Ok(false) };
    let below = tables.types_below(&quipu_graph::iri_of_key(&anchor.key)).map(<[String]>::len);
    Ok(below.is_some_and(|types| types > 1))
}

/// Whether a path starts from the only thing of its name and types: a query asks of all that are called so.
async fn is_one_thing(context: &Context<'_>, plan: &Planned) -> Result<bool, AnswerError> {
    let Some(anchor) = context.graph().summaries(&[plan.anchor]).await?.pop() else { return Ok(true) };
    if anchor.types.is_empty() || anchor.literal.is_some() {
        return Ok(true);
    }
    let config = LookupConfig { k: NAMESAKES, ..LookupConfig::default() };
    let found = context.workspace.lookup(&anchor.name, &config).await?;
    let others: Vec<_> =
        found.iter().map(|candidate| candidate.node).filter(|node| *node != anchor.node).collect();
    let name = quipu_index::normalise(&anchor.name);
    let others = context.graph().summaries(&others).await?;
    Ok(!others.iter().any(|other| other.types == anchor.types && quipu_index::normalise(&other.name) == name))
}

/// Things that are looked at for one that has another's name.
const NAMESAKES: usize = 8;

/// Whether the source is a graph that queries run on.
fn takes_queries(context: &Context<'_>) -> bool {
    context.workspace.embedded().is_some() || context.workspace.endpoint().is_some()
}

/// Of two answers that agree the query's, surer than either; else the surer one.
fn together(queried: Outcome, walked: Outcome, walked_stands: bool) -> Outcome {
    if queried.status != Status::Answered {
        return if walked_stands { walked } else { queried };
    }
    if same_values(&queried, &walked) {
        let confidence = 1.0 - (1.0 - queried.confidence) * (1.0 - walked.confidence);
        let mut agreed = Outcome { confidence, ..queried };
        if let Some(reading) = agreed.readings.first_mut() {
            reading.confidence = confidence;
        }
        return agreed;
    }
    if walked_stands && walked.confidence > queried.confidence { walked } else { queried }
}

/// A path's answer that is not sure enough to stand: its reason where it gave none, else how near it came.
fn unsure(walked: Outcome) -> Outcome {
    if walked.status != Status::Answered {
        return walked;
    }
    let reason = format!(
        "no path of the graph surely is what the question asks for (the nearest leads to {}, {:.2}); with a language model \
         (--llm) it is asked as a query",
        walked.answers.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "),
        walked.confidence
    );
    Outcome { confidence: 0.0, ..Outcome::abstain(reason, walked.evidence) }
}

/// Values that a reason names.
const NAMED: usize = 3;

fn same_values(a: &Outcome, b: &Outcome) -> bool {
    let values = |outcome: &Outcome| -> HashSet<String> {
        outcome.answers.iter().map(|answer| quipu_index::normalise(answer)).collect()
    };
    b.status == Status::Answered && values(a) == values(b)
}

/// A name with fewer characters that is not written as in the graph is too easily another one's.
const SHORT_NAME: usize = 6;

/// Whether a path is what the question says, as far as its form shows: a short name is the graph's own, "the capital of Lima" is not
/// walked from Lima to the country, and "the capital of the capital" asks for two steps.
fn says_what_was_walked(context: &Context<'_>, question: &str, plan: &Planned, walked: &Outcome) -> bool {
    let named = question.get(plan.span.clone()).unwrap_or_default();
    let name = quipu_index::normalise(named);
    let as_written = walked
        .evidence
        .iter()
        .flat_map(|piece| piece.values())
        .any(|value| quipu_index::normalise(value) == name);
    if !as_written && named.chars().count() < SHORT_NAME {
        return false;
    }
    let words = quipu_query::words_of(question).join(" ");
    let before = quipu_query::words_of(question.get(..plan.span.start).unwrap_or_default()).join(" ");
    let relations = context.graph().relations();
    plan.steps.iter().all(|step| {
        let Some(relation) = relations.get(step.relation.0 as usize) else { return true };
        let asked = format!("{} of", quipu_query::words_of(&relation.name).join(" "));
        let steps = plan.steps.iter().filter(|other| other.relation == step.relation).count();
        let from_name = plan.steps.first() == Some(step) && plan.steps.len() == 1;
        let ends = before.strip_suffix(" the").unwrap_or(&before).ends_with(&asked);
        words.matches(&asked).count() <= steps
            && stands_right(question, plan, &relation.name)
            && !(from_name && ends && step.direction == Direction::Backward)
    })
}

/// Whether a path of one step leaves the name on the side of the relation on which the question has it: "whom did A influence" is not
/// walked from A to whom A was influenced by.
fn stands_right(question: &str, plan: &Planned, relation: &str) -> bool {
    let [step] = plan.steps.as_slice() else { return true };
    let start = quipu_query::words_of(question.get(..plan.span.start).unwrap_or_default()).len();
    let name = quipu_query::words_of(question.get(plan.span.clone()).unwrap_or_default()).len();
    let expected = match side_of(&quipu_query::words_of(question), &(start..start + name), relation) {
        Some(Side::Head) => Direction::Forward,
        Some(Side::Tail) => Direction::Backward,
        None => return true,
    };
    step.direction == expected
}

/// Whether a path's answer is of the kind that the question's words ask for: a number to "how many", and no count to "how many years";
/// yes or no to "is".
fn is_of_kind(question: &str, outcome: &Outcome) -> bool {
    let counts = outcome.evidence.iter().any(|piece| {
        matches!(&piece.content, EvidenceContent::Calculation { operation, .. } if operation.starts_with(Operation::Count.name()))
    });
    match asks_for(question) {
        Some("count") => {
            let is_number = |answer: &String| answer.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            outcome.answers.iter().all(is_number) && !(counts && asks_for_units(question))
        }
        Some("yes_or_no") => outcome.answers.iter().all(|answer| answer == "yes" || answer == "no"),
        _ => true,
    }
}

/// Whether a path's answer heeds the words that change a question's meaning: those that deny are beyond any path, the others ask for a
/// calculation.
fn heeds_all(question: &str, outcome: &Outcome) -> bool {
    let words = quipu_query::words_of(question);
    let named = words_of_names(&words, outcome);
    let of_words: Vec<_> = (0..words.len())
        .filter(|at| !named.contains(at))
        .flat_map(|at| meanings_at(&words, at))
        .filter(|meaning| meaning.sure)
        .collect();
    let calculated = is_calculated(outcome);
    let beyond = ["negation", "only", "percentage", "ratio", "difference"];
    let groups = words.iter().any(|word| meanings(word).iter().any(|meaning| meaning.means == "group"));
    // "The 1000th" asks for a place of an order.
    let is_place = |word: &String| {
        let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end));
        digits.is_some_and(|digits| digits.parse::<u64>().is_ok())
    };
    let asks_for_place = words.iter().enumerate().any(|(at, word)| !named.contains(&at) && is_place(word));
    if asks_for_place && !calculated {
        return false;
    }
    if asks_twice(question) || asks_for_two(&words, &named) || (calculated && groups) {
        return false;
    }
    of_words.iter().all(|meaning| calculated && !beyond.contains(&meaning.means.as_str()))
}

/// Places of the question's words that stand in a name of several words which the answer rests on: the "top" of "View from the Top" asks
/// for nothing.
fn words_of_names(words: &[String], outcome: &Outcome) -> HashSet<usize> {
    let mut named = HashSet::new();
    for value in outcome.evidence.iter().flat_map(|piece| piece.values()) {
        let name = quipu_query::words_of(value);
        if name.len() > 1 {
            let starts = words.windows(name.len()).enumerate().filter(|(_, window)| **window == name);
            named.extend(starts.flat_map(|(start, _)| start..start + name.len()));
        }
    }
    named
}
