//! The default: whole paths where one surely explains the whole question, else queries, else what paths say of it, else "I don't
//! know" (DESIGN §7).

mod walked;

use std::collections::HashSet;

use quipu_graph::RelationRole;
use quipu_language::{Language, impossible_place};

use walked::{denies, is_answer, is_calculated};

use super::MethodConfig;
use crate::answer::{AnswerError, Event, Exhausted, Outcome, Question, Stage, Status};
use crate::ledger::Context;
use crate::planners::{paths, query};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of `auto`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AutoConfig {
    /// What an answer of a path must be worth in a graph with types, where a query knows what things are.
    pub typed: PathTrust,
    /// The same in a graph without types, where a query knows no more than a path.
    pub untyped: PathTrust,
    /// Most model calls of a question.
    pub llm_calls: u32,
}

/// How far the answer of a path is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
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
        return query::run(&within, question, &config.query).await;
    }
    if let Some(place) = impossible_place(question.text()) {
        return Ok(Outcome::abstain(format!("“{place}” is no place of an order"), Vec::new()));
    }
    if let Some(language) = without_paths(question.text()) {
        if context.has_model() && takes_queries(context) {
            return by_query(&within, question, config).await;
        }
        let reason = format!(
            "a question in {language} is asked as a query: that takes a language model (--llm), and a graph or an endpoint"
        );
        return Ok(Outcome::abstain(reason, Vec::new()));
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
        // Its plan is to be learnt from.
        return Ok(walked.outcome);
    }
    walked.outcome.plan = None;
    if !context.has_model() || !takes_queries(context) {
        return Ok(if walked.stands { walked.outcome } else { unsure(walked.outcome) });
    }
    let queried = by_query(&within, question, config).await?;
    Ok(together(question.text(), queried, walked))
}

/// The language of a question off whose words no path is read.
fn without_paths(question: &str) -> Option<&'static str> {
    let language = Language::of(question);
    Language::unread(question).or_else(|| (!language.tells_paths()).then(|| language.name()))
}

/// The question as a query, within the limit of calls.
async fn by_query(
    context: &Context<'_>,
    question: &Question,
    config: &MethodConfig,
) -> Result<Outcome, AnswerError> {
    match query::run(context, question, &config.query).await {
        Err(AnswerError::Exhausted(limit @ (Exhausted::Calls(_) | Exhausted::Tokens(_)))) => {
            context.trace.report(Stage::Plan, Event::Degraded { reason: limit.to_string() });
            Ok(Outcome::abstain(limit.to_string(), Vec::new()))
        }
        queried => queried,
    }
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
    /// Whether it is what the question asks for, as far as its form and the graph show it.
    says: bool,
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
    let outcome = paths::run(context, question, &config.paths).await?;
    let calculated = is_calculated(&outcome);
    let least = trust.least_confidence.min(if calculated { trust.sure_calculated } else { 1.0 });
    let of_one = outcome.plan.as_deref().filter(|plan| !plan.is_of_several());
    let says = is_answer(context, question.text(), of_one, &outcome, has_types(context)).await?;
    let stands = says && outcome.confidence >= least;
    Ok(Walked { outcome, says, stands, calculated })
}

/// Whether the source is a graph that queries run on.
fn takes_queries(context: &Context<'_>) -> bool {
    context.workspace.embedded().is_some() || context.workspace.endpoint().is_some()
}

/// Of two answers that agree the query's, surer than either; else the surer one.
fn together(question: &str, queried: Outcome, walked: Walked) -> Outcome {
    let Walked { outcome: walked, says, stands: walked_stands, .. } = walked;
    if queried.status != Status::Answered {
        return if walked_stands { walked } else { queried };
    }
    if same_values(&queried, &walked) && denies(question, &walked) {
        let reason = "the same would be answered without the word that denies: it was not understood";
        return Outcome { readings: queried.readings, ..Outcome::abstain(reason, queried.evidence) };
    }
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
