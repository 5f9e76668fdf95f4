//! HybGRAG by whole paths: the graph, instead of a routing model, proposes the requirements of the
//! question. Feedback removes the actions that it contradicts from the ranked list.

mod bank;
mod critic;
mod reader;
mod references;
mod router;

use bank::Bank;
use critic::Critic;
use router::{Action, Router};

use quipu_stages::answer::{AnswerError, Outcome, Question, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::retrieve::Documents;

use super::answer::{Ranked, answer};
use super::experience::{Experience, Learnt};
use super::feedback::by_gold;
use super::found::{Found, Verdict};
use super::{HybridConfig, report};
use quipu_graph::NodeId;

pub(super) use references::run as without_documents;

/// A later round must be this much likelier to replace an earlier one, whose action ranked higher.
const CLEARLY: f64 = 0.25;

/// The result of one round.
struct Round {
    action: Action,
    found: Found,
    verdict: Verdict,
}

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    documents: &Documents<'_>,
    config: &HybridConfig,
) -> Result<Outcome, AnswerError> {
    let bank = Bank::new(context, documents, config);
    let mut router = Router::open(context, documents, question.text(), config).await?;
    let critic = Critic::new(context, documents, question.text(), config).await?;
    let (mut best, mut feedback): (Option<Round>, _) = (None, None);
    for number in 1..=config.rounds.max(1) {
        let Some(action) = router.next(feedback.as_ref()) else { break };
        let phrases = router.chosen(&action).into_iter().map(|chosen| chosen.phrase).collect();
        report(context, Stage::Plan, number, router.taken(&action).described(phrases));
        let mut found = bank.retrieve(number, &action, &router).await?;
        let verdict = critic.validate(number, &action, &mut found, &router).await?;
        let accepted = verdict.accepted;
        if best.as_ref().is_none_or(|best| verdict.probability > best.verdict.probability + CLEARLY) {
            best = Some(Round { action: action.clone(), found, verdict });
        }
        if accepted || number == config.rounds {
            break;
        }
        feedback = critic.comment(number, &action, &router).await?;
    }
    let Some(Round { action, found, verdict }) = best else {
        return Ok(Outcome::abstain(
            "neither the graph nor a document is relevant to the question",
            Vec::new(),
        ));
    };
    let ways = router.chosen(&action);
    let ranked = Ranked { found, ways, probability: verdict.probability, evidence: Vec::new() };
    answer(context, question, documents, ranked, config).await
}

/// The errors in the router's actions for a question with known answers, until an action ranks an
/// answer first or no other action would.
///
/// # Errors
/// The graph's and the index's.
pub(super) async fn learn(
    context: &Context<'_>,
    question: &str,
    documents: &Documents<'_>,
    gold: &[NodeId],
    config: &HybridConfig,
) -> Result<Learnt, AnswerError> {
    let bank = Bank::new(context, documents, config);
    let mut router = Router::open(context, documents, question, config).await?;
    let (mut learnt, mut feedback) = (Learnt::default(), None);
    while learnt.experience.len() < config.rounds {
        let Some(action) = router.next(feedback.as_ref()) else { break };
        let found = bank.retrieve(learnt.experience.len() + 1, &action, &router).await?;
        if found.entities.first().is_some_and(|first| gold.contains(&first.node)) {
            break;
        }
        let taken = router.taken(&action);
        let Some(wrong) = by_gold(&taken, &router.requirements, gold) else { break };
        learnt.experience.push(Experience::new(question, &taken, &wrong));
        feedback = Some(wrong);
    }
    Ok(learnt)
}
