//! The default method: a description if the question only names a thing; yes or no if it asks for
//! a thing's kind, which the graph states; the answer of a path if it surely explains the whole
//! question; else the answer of a query; else the path's answer if it is good enough; else "I don't
//! know" (DESIGN §7).

mod described;
mod membership;
mod people;
mod phrasal;
mod readings;
mod walked;

use std::collections::HashSet;
use std::ptr;

use quipu_graph::RelationRole;
use quipu_language::{Language, impossible_place};
use quipu_reading::OfPath;
use quipu_stages::answer::{AnswerError, Event, Exhausted, Outcome, Question, Reading, Stage, Status};
use quipu_stages::ledger::Context;
use quipu_stages::planners::{paths, query};

use readings::readings;
use walked::{denies, doubts, is_calculated};

use super::MethodConfig;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of `auto`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AutoConfig {
    /// The trust in a path's answer for graphs with types, where a query knows the kinds of
    /// entities.
    pub typed: PathTrust,
    /// The same for graphs without types, where a query knows no more than a path.
    pub untyped: PathTrust,
    /// Most model calls of a question.
    pub llm_calls: u32,
}

/// How far the answer of a path is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PathTrust {
    /// From this confidence on, the answer stands without a query.
    pub sure: f64,
    /// The same for a calculation (an extreme, a comparison, a sum).
    pub sure_calculated: f64,
    /// From this confidence on, the answer stands if no query gave an answer.
    pub least_confidence: f64,
    /// Whether the model may write cards for relations ([`RelationCard`](crate::RelationCard));
    /// paths are then tried with the cards before queries. In a graph with types, cards made the
    /// results on unseen questions worse than the relations' own names.
    pub cards: bool,
    /// From this confidence on, the answer of a path with cards stands without a query.
    pub sure_with_cards: f64,
    /// The same where the prompt of a query shows every relation of the graph: the model then reads
    /// the graph's own names, which come before a card.
    pub sure_beside_names: f64,
    /// From this confidence on, the answer stands although no query is sure, if a query of the
    /// model gives the same, or if none of them gives any rows.
    pub agreed: f64,
}

impl Default for AutoConfig {
    /// With types: sure from .7, a calculation from .9, an answer from .6 on, no cards. Without
    /// types: sure from .8, with cards from .5, beside a prompt that shows all relations from .75,
    /// an answer from .3 on, one that a query agrees with from .5. At most 4 calls.
    fn default() -> Self {
        Self {
            typed: PathTrust {
                sure: 0.7,
                sure_calculated: 0.9,
                least_confidence: 0.6,
                cards: false,
                sure_with_cards: 0.9,
                sure_beside_names: 0.9,
                agreed: 1.0,
            },
            untyped: PathTrust {
                sure: 0.8,
                sure_calculated: 0.8,
                least_confidence: 0.3,
                cards: true,
                sure_with_cards: 0.5,
                sure_beside_names: 0.75,
                agreed: 0.5,
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
    let without_preamble = match takes_queries(context) {
        true => query::without_preamble(context, question).await?,
        false => None,
    };
    let question = without_preamble.as_ref().unwrap_or(question);
    if let Some(described) = described::describe(context, question).await? {
        return Ok(described);
    }
    let by_relations = people::by_their_relations(context, question);
    let question = by_relations.as_ref().unwrap_or(question);
    let by_verbs = phrasal::in_the_graphs_verbs(context, question);
    let question = by_verbs.as_ref().unwrap_or(question);
    if let Some(member) = membership::answer(context, question).await? {
        return Ok(member);
    }
    let within = context.at_most(auto.llm_calls);
    if let Some(place) = impossible_place(question.text()) {
        return Ok(Outcome::abstain(format!("“{place}” is not a valid rank"), Vec::new()));
    }
    if let Some(language) = without_paths(question.text()) {
        if context.has_model() && takes_queries(context) {
            return by_query(&within, question, config, &[]).await.map(|queried| queried.outcome);
        }
        let reason = format!(
            "a question in {language} is answered by a query, which needs a language model (--llm) and a graph or an endpoint"
        );
        return Ok(Outcome::abstain(reason, Vec::new()));
    }
    let mut walked = walk(&within.without_model(), question, config, &trust).await?;
    let mut is_sure = walked.is_from(if walked.calculated { trust.sure_calculated } else { trust.sure });
    // A reading that is asked for by its number is one of those that were weighed.
    is_sure &= context.wanted_reading() == 0;
    if !is_sure && trust.cards && context.has_model() {
        // The nouns of the tables serve every question; cards serve those on one relation.
        if takes_queries(context) {
            query::name_tables(&within).await?;
        }
        // One call is kept for a query.
        let with_cards = context.at_most(auto.llm_calls.saturating_sub(1));
        walked = walk(&with_cards, question, config, &trust).await?;
        let sure = match shows_all_relations(context, config).await? {
            true if walked.calculated => trust.sure_beside_names.max(trust.sure_calculated),
            true => trust.sure_beside_names,
            false => trust.sure_with_cards,
        };
        is_sure = walked.is_from(sure);
    }
    let asks_model = context.has_model() && takes_queries(context);
    if context.plan_only() && (is_sure || !asks_model) {
        return Ok(only_read(walked.outcome));
    }
    if is_sure {
        // The plan stays, so that it can be learnt.
        return Ok(walked.outcome);
    }
    let plan = walked.outcome.plan.take();
    if !asks_model {
        return Ok(if walked.stands { walked.outcome } else { unsure(walked.outcome) });
    }
    let readings = readings(context, question.text(), plan.as_deref(), &walked).await?;
    let mut queried = by_query(&within, question, config, &readings).await?;
    // Another path may be the first reading, if no query says the best one.
    let is_best =
        readings.first().zip(plan.as_deref()).is_some_and(|(first, best)| ptr::eq(first.plan, best));
    if context.plan_only() {
        return Ok(queried.outcome);
    }
    if !is_best {
        queried.of_path = OfPath::Contest;
    }
    Ok(together(question.text(), queried, walked, &trust))
}

/// The reading of a path without its values; the reason why there is none, if no path was found.
fn only_read(walked: Outcome) -> Outcome {
    if walked.readings.is_empty() {
        return walked;
    }
    let without_values = |reading| Reading { values: Vec::new(), ..reading };
    Outcome::only_read(walked.readings.into_iter().map(without_values).collect())
}

/// Whether the prompt of a query shows every relation of the graph.
async fn shows_all_relations(context: &Context<'_>, config: &MethodConfig) -> Result<bool, AnswerError> {
    Ok(takes_queries(context) && query::shows_all_tables(context, &config.query).await?)
}

/// The name of the question's language, if paths cannot be read from it.
fn without_paths(question: &str) -> Option<&'static str> {
    let language = Language::of(question);
    Language::unread(question).or_else(|| (!language.tells_paths()).then(|| language.name()))
}

/// Answers the question by a query, within the limit of calls.
async fn by_query(
    context: &Context<'_>,
    question: &Question,
    config: &MethodConfig,
    paths: &[query::PathReading<'_>],
) -> Result<query::Queried, AnswerError> {
    match query::run_beside(context, question, &config.query, paths).await {
        Err(AnswerError::Exhausted(limit @ (Exhausted::Calls(_) | Exhausted::Tokens(_)))) => {
            context.trace.report(Stage::Plan, Event::Degraded { reason: limit.to_string() });
            let outcome = Outcome::abstain(limit.to_string(), Vec::new());
            Ok(query::Queried { outcome, weighed_path: false, of_path: OfPath::Contest })
        }
        queried => queried,
    }
}

/// Whether at least a third of the graph's entities have a type, as far as the source can tell.
fn has_types(context: &Context<'_>) -> bool {
    let described = context.graph().describe();
    let of_types = context.graph().relations().iter().filter(|info| info.role == RelationRole::Type);
    let typed = of_types.map(|info| info.heads).max().unwrap_or_default();
    // Relations and types with names of their own count as entities, but they have no type to miss.
    let things = described.entities.saturating_sub(described.relations + described.types);
    described.types > 0 && (typed == 0 || typed * 3 >= things)
}

/// The answer by paths.
struct Walked {
    outcome: Outcome,
    /// The share of its values in the probability of all paths, if one path gave them.
    share: Option<f64>,
    /// The answers of other paths, with their shares.
    others: Vec<(Outcome, f64)>,
    /// The checks that it fails, if it is an answer at all.
    doubts: Vec<&'static str>,
    /// Whether it is an answer if no query gives one.
    stands: bool,
    /// Whether code calculated it from the path's values.
    calculated: bool,
}

impl Walked {
    /// Whether it is an answer with at least this confidence.
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
    let answered = paths::run_with_others(context, question, &config.paths, OTHERS).await?;
    let paths::Answered { outcome, share, others } = answered;
    let calculated = is_calculated(&outcome);
    let least = trust.least_confidence.min(if calculated { trust.sure_calculated } else { 1.0 });
    let of_one = outcome.plan.as_deref().filter(|plan| !plan.is_of_several());
    let answered = outcome.status == Status::Answered;
    let doubts = match answered {
        true => doubts(context, question.text(), of_one, &outcome, has_types(context)).await?,
        false => Vec::new(),
    };
    if answered {
        let event = Event::Walked {
            answers: outcome.answers.iter().take(TOLD).cloned().collect(),
            confidence: outcome.confidence,
            doubts: doubts.iter().map(|doubt| (*doubt).to_owned()).collect(),
        };
        context.trace.report(Stage::Plan, event);
    }
    let stands = answered && doubts.is_empty() && outcome.confidence >= least;
    Ok(Walked { outcome, share, others, doubts, stands, calculated })
}

/// Whether the source is a graph that queries can run on.
fn takes_queries(context: &Context<'_>) -> bool {
    context.workspace.embedded().is_some() || context.workspace.endpoint().is_some()
}

/// Combines both answers. If the path was weighed beside the queries, the surest reading is the
/// answer; if none is sure, the path's answer stands where a query gives the same, or where none of
/// them gives rows and nothing speaks against it. Else, if both agree, the query's with a
/// confidence above either; else the surer one.
fn together(question: &str, queried: query::Queried, walked: Walked, trust: &PathTrust) -> Outcome {
    let query::Queried { outcome: queried, weighed_path, of_path } = queried;
    let is_let_stand = match of_path {
        OfPath::Confirm => true,
        OfPath::Silent => !walked.calculated,
        OfPath::Contest => false,
    };
    let is_confirmed = is_let_stand && walked.is_from(trust.agreed) && !denies(question, &walked.outcome);
    let Walked { outcome: walked, doubts, stands: walked_stands, .. } = walked;
    if queried.status != Status::Answered {
        return if (walked_stands && !weighed_path) || is_confirmed { walked } else { queried };
    }
    if same_values(&queried, &walked) && denies(question, &walked) {
        let reason = "the answer would be the same without the question's negation, so the negation was not understood";
        return Outcome { readings: queried.readings, ..Outcome::abstain(reason, queried.evidence) };
    }
    if weighed_path {
        return queried;
    }
    let says = doubts.is_empty();
    if says && same_values(&queried, &walked) {
        let confidence = 1.0 - (1.0 - queried.confidence) * (1.0 - walked.confidence);
        let mut agreed = Outcome { confidence, ..queried };
        if let Some(reading) = agreed.readings.first_mut() {
            reading.confidence = confidence;
        }
        return agreed;
    }
    if walked_stands && walked.confidence > queried.confidence { walked } else { queried }
}

/// Abstains from a path's answer that is not sure enough: with its own reason if it has one, else
/// with its nearest answers.
fn unsure(walked: Outcome) -> Outcome {
    if walked.status != Status::Answered {
        return walked;
    }
    let reason = format!(
        "no path of the graph clearly matches the question (the best leads to {}, {:.2}); with a language model (--llm), \
         Quipu answers it by a query",
        walked.answers.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", "),
        walked.confidence
    );
    Outcome { confidence: 0.0, ..Outcome::abstain(reason, walked.evidence) }
}

/// Paths beside the best one that are weighed as readings.
const OTHERS: usize = 2;
/// Most values of a path in the trace.
const TOLD: usize = 12;
/// Most values named in a reason.
const NAMED: usize = 3;

/// Whether two outcomes have the same values: the same things where both name their keys, else the
/// same names.
fn same_values(a: &Outcome, b: &Outcome) -> bool {
    let names = |outcome: &Outcome| -> HashSet<String> {
        outcome.answers.iter().map(|answer| quipu_language::normalise(answer)).collect()
    };
    if b.status != Status::Answered {
        return false;
    }
    match (keys(a), keys(b)) {
        (Some(a), Some(b)) => a == b,
        _ => names(a) == names(b),
    }
}

/// The keys of an outcome's values, if all of them are entities.
fn keys(outcome: &Outcome) -> Option<HashSet<&str>> {
    let values = outcome.table.as_ref()?.values();
    let keys: Option<HashSet<&str>> = values.into_iter().map(|value| value.key.as_deref()).collect();
    keys.filter(|keys| !keys.is_empty())
}
