//! The default: whole paths where one surely explains the whole question, else queries, else what paths say of it, else "I don't
//! know" (DESIGN §7).

use std::collections::HashSet;

use super::{Method, MethodConfig, Outcome};
use crate::AnswerError;
use crate::answer::Status;
use crate::context::Context;
use crate::error::Exhausted;
use crate::evidence::EvidenceContent;
use crate::language::meanings;
use crate::question::Question;
use crate::trace::{Event, Stage};

/// Parameters of `auto`.
#[derive(Debug, Clone, PartialEq)]
pub struct AutoConfig {
    /// From this confidence on the answer of a path stands without a query.
    pub sure: f64,
    /// From this confidence on the answer of a path stands where no query gave one.
    pub least_confidence: f64,
    /// Most model calls of a question.
    pub llm_calls: u32,
}

impl Default for AutoConfig {
    /// Sure from .9, an answer from .6 on, at most 4 calls.
    fn default() -> Self {
        Self { sure: 0.9, least_confidence: 0.6, llm_calls: 4 }
    }
}

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &MethodConfig,
) -> Result<Outcome, AnswerError> {
    let auto = &config.auto;
    let walked = match context.plan_only() {
        true => None,
        // Paths ask no model here: what a model would say of relations is no better than their names.
        false => Some(Box::pin(Method::Paths.run(&context.without_model(), question, config)).await?),
    };
    let heeds = walked.as_ref().is_some_and(|outcome| heeds_all(question.text(), outcome));
    if let Some(outcome) = &walked
        && outcome.status == Status::Answered
        && outcome.confidence >= auto.sure
        && heeds
    {
        return Ok(walked.unwrap_or_default());
    }
    let by_path = |outcome: Outcome| match outcome {
        outcome
            if outcome.status == Status::Answered && outcome.confidence >= auto.least_confidence && heeds =>
        {
            Some(outcome)
        }
        _ => None,
    };
    if !context.has_model() {
        return Ok(walked.and_then(by_path).unwrap_or_else(|| without_model()));
    }
    let within = context.at_most(auto.llm_calls);
    let queried = match Box::pin(Method::Query.run(&within, question, config)).await {
        Err(AnswerError::Exhausted(limit @ (Exhausted::Calls(_) | Exhausted::Tokens(_)))) => {
            context.trace.report(Stage::Plan, Event::Degraded { reason: limit.to_string() });
            Outcome::abstain(limit.to_string(), Vec::new())
        }
        queried => queried?,
    };
    Ok(match walked {
        Some(walked) => together(queried, walked, by_path),
        None => queried,
    })
}

/// Of two answers that agree the query's, surer than either; else the query's, else the path's.
fn together(queried: Outcome, walked: Outcome, by_path: impl Fn(Outcome) -> Option<Outcome>) -> Outcome {
    if queried.status == Status::Answered {
        if same_values(&queried, &walked) {
            let confidence = 1.0 - (1.0 - queried.confidence) * (1.0 - walked.confidence);
            return Outcome { confidence, ..queried };
        }
        return queried;
    }
    let (readings, reason) = (queried.readings.clone(), queried.reason.clone());
    match by_path(walked) {
        Some(walked) => Outcome { readings: [walked.readings.clone(), readings].concat(), ..walked },
        None => Outcome { readings, reason, ..queried },
    }
}

fn same_values(a: &Outcome, b: &Outcome) -> bool {
    let values = |outcome: &Outcome| -> HashSet<String> {
        outcome.answers.iter().map(|answer| quipu_index::normalise(answer)).collect()
    };
    b.status == Status::Answered && values(a) == values(b)
}

/// Whether a path's answer heeds the words that change a question's meaning: those that deny are beyond any path, the others ask for a
/// calculation.
fn heeds_all(question: &str, outcome: &Outcome) -> bool {
    let words = quipu_query::words_of(question);
    let of_words: Vec<_> =
        words.iter().flat_map(|word| meanings(word)).filter(|meaning| meaning.sure).collect();
    let calculated =
        outcome.evidence.iter().any(|piece| matches!(piece.content, EvidenceContent::Calculation { .. }));
    let beyond = ["negation", "only", "percentage", "ratio", "difference"];
    of_words.iter().all(|meaning| calculated && !beyond.contains(&meaning.means.as_str()))
}

fn without_model() -> Outcome {
    let reason = "no path of the graph surely is what the question asks for; with a language model (--llm) it would be asked as a query";
    Outcome::abstain(reason, Vec::new())
}
