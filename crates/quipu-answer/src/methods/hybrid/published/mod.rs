//! HybGRAG as published over entities with documents (§3, Algorithm 1).
//!
//! Calls: in each round two of the router, and one each of the validator and the commentator except
//! in the last round, whose result is returned as it is. That is 14 in four rounds (§4.3).

mod bank;
mod critic;
mod learn;
mod router;

use bank::{Bank, Retrieved};
use critic::Critic;
use router::Router;

use quipu_stages::answer::{AnswerError, Outcome, Question};
use quipu_stages::ledger::Context;
use quipu_stages::retrieve::Documents;

use super::answer::{Ranked, answer};
use super::found::UNVALIDATED;
use super::{HybridConfig, Modules};

pub(super) use bank::{by_text, rank};
pub(super) use learn::learn;

/// The result of the last round, and the probability that its first document is right.
struct Last {
    retrieved: Retrieved,
    probability: f64,
}

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    documents: &Documents<'_>,
    config: &HybridConfig,
) -> Result<Outcome, AnswerError> {
    let bank = Bank::new(context, documents, config)?;
    let mut last = None;
    match search(context, question, documents, config, (&bank, &mut last)).await {
        // The results so far are ranked, with a note that the search was cut off.
        Err(AnswerError::Exhausted(limit)) if last.is_some() => {
            context.note_limit(limit);
        }
        ended => ended?,
    }
    let Some(Last { retrieved, probability }) = last else {
        return Ok(Outcome::abstain("the method is set to make no round", Vec::new()));
    };
    let Retrieved { found, ways, .. } = retrieved;
    // Algorithm 1, line 15: the last round's result, whatever it is.
    if found.entities.is_empty() {
        let reason = "the last round found no entity that all topic entities lead to";
        return Ok(Outcome::abstain(reason, Vec::new()));
    }
    answer(context, question, documents, Ranked { found, ways, probability, evidence: Vec::new() }, config)
        .await
}

/// Algorithm 1.
async fn search(
    context: &Context<'_>,
    question: &Question,
    documents: &Documents<'_>,
    config: &HybridConfig,
    (bank, last): (&Bank<'_>, &mut Option<Last>),
) -> Result<(), AnswerError> {
    let mut router = Router::new(context, question.text(), config);
    let critic = Critic::new(context, documents, question.text(), config).await?;
    // With text alone there is nothing to try again.
    let rounds = if config.modules == Modules::Text { 1 } else { config.rounds.max(1) };
    let mut feedback = None;
    for round in 1..=rounds {
        let action = router.route(round, feedback.as_ref()).await?;
        let retrieved = bank.retrieve(round, &action).await?;
        let kept = last.insert(Last { retrieved, probability: UNVALIDATED });
        if round == rounds || critic.is_off() {
            break;
        }
        let verdict = critic.validate(round, &kept.retrieved).await?;
        kept.probability = verdict.probability;
        if verdict.accepted {
            break;
        }
        feedback = critic.comment(round, &kept.retrieved).await?;
    }
    Ok(())
}
