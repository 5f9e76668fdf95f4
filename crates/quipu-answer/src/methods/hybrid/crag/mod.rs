//! HybGRAG as published, for entities without documents (App. C, the setting of CRAG): the graph of
//! an API, an endpoint or a store, and pages that came with the question. The router reads the
//! question (type, dynamism, field), extracts entities and relations, and chooses a source. The
//! generator answers from that source. The validator judges the answer. If it rejects it, the
//! commentator names one of the five kinds of Table 12, and the router reads that part again, for
//! at most four rounds.
//!
//! Calls: five of the router in the first round (fewer if there is only one field or one source),
//! one each of the generator, the validator and the commentator. In later rounds the router is
//! asked only for the part that was wrong.

mod critic;
mod retriever;
mod router;

use critic::comment;
use quipu_graph::NodeId;
use quipu_model::ModelError;
use quipu_stages::answer::{AnswerError, Evidence, Outcome, Question, Refinement, Stage, Status};
use quipu_stages::compose::compose_about;
use quipu_stages::critique::prediction;
use quipu_stages::ledger::Context;
use quipu_stages::prompts::Prompt;
use quipu_stages::retrieve::{one_hop, retrieve_scope};
use retriever::retrieve;
use router::{Action, Router};
use serde_json::json;

pub(super) use critic::accepts;

use super::experience::{Experience, Learnt};
use super::feedback::ErrorKind;
use super::{HybridConfig, Judge, report};

/// A shorter answer ("2", "no") stands in many references by chance.
const LEAST_TELLING: usize = 4;
/// Confidence in an answer that the validator accepted, in one that nobody checked, and in one that
/// it rejected.
const ACCEPTED: f64 = 0.7;
const UNCHECKED: f64 = 0.5;
const REJECTED: f64 = 0.3;

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &HybridConfig,
) -> Result<Outcome, AnswerError> {
    let mut last = None;
    match search(context, question, config, &mut last).await {
        Err(AnswerError::Exhausted(limit)) if last.is_some() => {
            context.note_limit(limit);
        }
        ended => ended?,
    }
    let nothing = "neither the graph nor a page is relevant to the question";
    Ok(last.unwrap_or_else(|| Outcome::abstain(nothing, Vec::new())))
}

/// Algorithm 1 with a generator (App. C.1.1).
async fn search(
    context: &Context<'_>,
    question: &Question,
    config: &HybridConfig,
    last: &mut Option<Outcome>,
) -> Result<(), AnswerError> {
    let judge = Judge::of(context, config);
    let gold = match judge {
        Judge::Given(keys) => names_of(context, keys).await?,
        Judge::Model | Judge::Nobody => Vec::new(),
    };
    let mut router = Router::new(context, question, config);
    let mut feedback = None;
    for round in 1..=config.rounds.max(1) {
        let action = router.route(round, feedback).await?;
        let evidence = retrieve(context, question, round, &action, config).await?;
        let outcome = last.insert(generate(context, question, &action, evidence).await?);
        // Algorithm 1 returns the result of the last round, whatever it is.
        if round == config.rounds || judge == Judge::Nobody {
            break;
        }
        let accepted = match judge {
            Judge::Given(_) => holds(outcome, &gold),
            _ => accepts(context, question, outcome, config).await?,
        };
        let (document, probability) = (prediction(outcome), f64::from(u8::from(accepted)));
        report(context, Stage::Critique, round, Refinement::Validated { document, accepted, probability });
        outcome.confidence = if accepted { ACCEPTED } else { REJECTED };
        if accepted {
            break;
        }
        let wrong = match judge {
            Judge::Given(_) => by_gold(context, &action, outcome, &gold).await?,
            _ => comment(context, question, &action, outcome, config).await?,
        };
        let about = action.named().join("; ");
        let step = Refinement::Feedback { kind: wrong.name().into(), about };
        report(context, Stage::Critique, round, step);
        feedback = Some(wrong);
    }
    Ok(())
}

/// The answer from the reference: one call, or none without a reference.
async fn generate(
    context: &Context<'_>,
    question: &Question,
    action: &Action,
    evidence: Vec<Evidence>,
) -> Result<Outcome, AnswerError> {
    if evidence.is_empty() {
        return Ok(Outcome::abstain("no evidence was found", evidence));
    }
    let _timer = context.ledger.enter(Stage::Compose);
    let frames = context.times(question);
    let about = json!({
        "source": action.source(), "type": action.question_type, "dynamism": action.dynamism,
        "domain": action.domain,
    });
    match compose_about(context, question, &frames, &evidence, Prompt::HybridGenerate, about).await {
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
            Ok(Outcome::abstain(error.to_string(), evidence))
        }
        composed => Ok(composed?.outcome(evidence, UNCHECKED)),
    }
}

/// The names of the gold answers. If the graph knows none of the keys, they are the answers: the
/// values of an API have no keys.
async fn names_of(context: &Context<'_>, keys: &[String]) -> Result<Vec<String>, AnswerError> {
    let asked: Vec<&str> = keys.iter().map(String::as_str).collect();
    let nodes: Vec<NodeId> = context.graph().resolve(&asked).await?.into_iter().flatten().collect();
    if nodes.is_empty() {
        return Ok(keys.to_vec());
    }
    Ok(context.graph().summaries(&nodes).await?.into_iter().map(|summary| summary.name).collect())
}

fn holds(outcome: &Outcome, gold: &[String]) -> bool {
    let given = |name: &String| outcome.status == Status::Answered && outcome.answers.contains(name);
    !gold.is_empty() && gold.iter().all(given)
}

/// The error in an action, judged by the gold answers. If the evidence holds the answer, the
/// question was misread; if other relations of the entities lead to it, the entities and relations
/// are wrong; else the source is.
async fn by_gold(
    context: &Context<'_>,
    action: &Action,
    outcome: &Outcome,
    gold: &[String],
) -> Result<ErrorKind, AnswerError> {
    let has = |evidence: &[Evidence]| {
        evidence.iter().any(|piece| piece.values().iter().any(|value| gold.iter().any(|name| name == value)))
    };
    if has(&outcome.evidence) {
        return Ok(ErrorKind::IncorrectQuestionType);
    }
    let nodes = action.nodes();
    if action.is_text || nodes.is_empty() {
        return Ok(ErrorKind::IncorrectModule);
    }
    let scope = one_hop(context.graph(), &nodes).await?;
    let budget = context.limits.evidence_tokens;
    let around = retrieve_scope(context, &nodes, &scope, &std::collections::HashMap::new(), budget).await?;
    Ok(match has(&around.evidence) {
        true => ErrorKind::IncorrectEntityAndRelation,
        false => ErrorKind::IncorrectModule,
    })
}

/// The errors in the router's actions for a question with known answers, round by round until it is
/// answered rightly, and the extraction of a round whose reference held the answer.
///
/// # Errors
/// The graph's and the model's.
pub(super) async fn learn(
    context: &Context<'_>,
    question: &Question,
    gold: &[String],
    config: &HybridConfig,
) -> Result<Learnt, AnswerError> {
    let gold = names_of(context, gold).await?;
    let mut router = Router::new(context, question, config);
    let (mut learnt, mut feedback) = (Learnt::default(), None);
    for round in 1..=config.rounds {
        let action = router.route(round, feedback).await?;
        let evidence = retrieve(context, question, round, &action, config).await?;
        let outcome = generate(context, question, &action, evidence).await?;
        if gold.is_empty() {
            break;
        }
        let wrong = by_gold(context, &action, &outcome, &gold).await?;
        // Where the answer is in the reference, entities and relations were extracted rightly.
        let is_telling = gold.iter().all(|name| name.chars().count() >= LEAST_TELLING);
        let leads_there = !action.is_text && is_telling && wrong == ErrorKind::IncorrectQuestionType;
        if leads_there && learnt.extracted.is_empty() {
            learnt.extracted.extend(router.extracted());
        }
        if holds(&outcome, &gold) {
            break;
        }
        learnt.experience.push(Experience {
            question: question.text().to_owned(),
            module: action.source().to_owned(),
            entities: action.named(),
            relations: action.linked.relations.clone(),
            reading: action.reading(),
            kind: wrong,
            feedback: wrong.name().to_owned(),
        });
        feedback = Some(wrong);
    }
    Ok(learnt)
}
