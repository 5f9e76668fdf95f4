//! From the accepted round to the answer: the ranking, the evidence from passages and triples, and
//! the composed answer.

use quipu_graph::{NodeId, NodeSummary};
use quipu_index::Passage;
use quipu_language::normalise;
use quipu_model::ModelError;
use quipu_stages::answer::{AnswerError, Event, Evidence, Outcome, Question, RankedEntity, Stage, Status};
use quipu_stages::compose::compose;
use quipu_stages::ledger::Context;
use quipu_stages::plan::Requirement;
use quipu_stages::retrieve::{Documents, Walked, triples_to_evidence};

use super::HybridConfig;
use super::found::Found;
use super::ways::{paths_to, walked};

/// Entities in the answer's ranking.
const RANKED: usize = 50;
/// Entities whose documents and triples become evidence.
const SHOWN: usize = 5;

/// The material of the answer.
pub(super) struct Ranked {
    pub(super) found: Found,
    /// The paths from the question's entities.
    pub(super) ways: Vec<Requirement>,
    /// Probability that the first entity answers the question.
    pub(super) probability: f64,
    /// Further evidence for the ranking.
    pub(super) evidence: Vec<Evidence>,
}

pub(super) async fn answer(
    context: &Context<'_>,
    question: &Question,
    documents: &Documents<'_>,
    ranked: Ranked,
    config: &HybridConfig,
) -> Result<Outcome, AnswerError> {
    let nodes: Vec<NodeId> = ranked.found.entities.iter().take(RANKED).map(|entity| entity.node).collect();
    let summaries = context.graph().summaries(&nodes).await?;
    let ranking = ranking(&ranked, &summaries);
    let evidence = evidence(context, documents, &ranked).await?;
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out: 0 });
    let shown: Vec<String> = ranking.iter().take(SHOWN).map(|entity| entity.name.clone()).collect();
    let best: Vec<String> = ranking.first().map(|entity| entity.name.clone()).into_iter().collect();
    if best.is_empty() {
        let ranked = ranking;
        return Ok(Outcome {
            ranked,
            ..Outcome::abstain("no document is relevant to the question", evidence)
        });
    }
    let confidence = ranked.probability.clamp(0.05, 0.95);
    let plain = Outcome {
        status: Status::Answered,
        answers: best,
        ranked: ranking,
        text: None,
        evidence,
        confidence,
        reason: None,
        ..Outcome::default()
    };
    if !config.compose || !context.has_model() || !context.has_calls_beyond(0) {
        return Ok(plain);
    }
    composed(context, question, plain, &shown).await
}

/// The model's answer from the evidence: one call. If it gives none, the best entity is the answer,
/// with half the confidence.
async fn composed(
    context: &Context<'_>,
    question: &Question,
    plain: Outcome,
    shown: &[String],
) -> Result<Outcome, AnswerError> {
    let _timer = context.ledger.enter(Stage::Compose);
    let frames = context.times(question);
    let composed = match compose(context, question, &frames, &plain.evidence).await {
        Ok(composed) => composed,
        Err(AnswerError::Exhausted(limit)) => {
            context.note_limit(limit);
            return Ok(plain);
        }
        Err(AnswerError::Model(ModelError::Unreadable { .. })) => return Ok(plain),
        Err(error) => return Err(error),
    };
    if composed.status != Status::Answered {
        let confidence = plain.confidence * 0.5;
        return Ok(Outcome { confidence, ..plain });
    }
    let mut evidence = plain.evidence;
    evidence.extend(composed.calculation);
    let mut answers: Vec<String> = composed.answers.into_iter().map(|answer| named(answer, shown)).collect();
    answers.dedup();
    Ok(Outcome { answers, evidence, ..plain })
}

fn has_figure(text: &str) -> bool {
    text.chars().any(|character| character.is_ascii_digit())
}

/// Shortens an answer to the shown entity whose name it contains, if that is only one and the
/// answer has no digits ("Skye Long low terrier"); else the answer stays.
fn named(answer: String, shown: &[String]) -> String {
    let padded = |text: &str| format!(" {} ", normalise(text));
    let (whole, mut inside) =
        (padded(&answer), shown.iter().filter(|name| padded(&answer).contains(&padded(name))));
    match (inside.next(), inside.next()) {
        (Some(name), None)
            if padded(name) != whole && !normalise(name).is_empty() && !has_figure(&answer) =>
        {
            name.clone()
        }
        _ => answer,
    }
}

fn ranking(ranked: &Ranked, summaries: &[NodeSummary]) -> Vec<RankedEntity> {
    let entities = ranked.found.entities.iter().zip(summaries).map(|(entity, summary)| RankedEntity {
        key: summary.key.clone(),
        name: summary.name.clone(),
        score: entity.score,
        paths: match entity.satisfies {
            true => paths_to(&ranked.ways, entity.node, &summary.name),
            false => Vec::new(),
        },
    });
    entities.collect()
}

/// The passages of the best entities, and the triples on the paths from the question's entities to
/// them.
async fn evidence(
    context: &Context<'_>,
    documents: &Documents<'_>,
    ranked: &Ranked,
) -> Result<Vec<Evidence>, AnswerError> {
    let shown: Vec<_> = ranked.found.entities.iter().take(SHOWN).collect();
    let passages = shown.iter().filter_map(|entity| entity.passage);
    let passages =
        passages.map(|number| documents.index().passage(number)).collect::<Result<Vec<Passage>, _>>()?;
    let mut evidence = documents.evidence(context, passages).await?;
    let ends: Vec<NodeId> =
        shown.iter().filter(|entity| entity.satisfies).map(|entity| entity.node).collect();
    let mut steps: Vec<Walked> = Vec::new();
    for way in &ranked.ways {
        let own: Vec<NodeId> =
            ends.iter().copied().filter(|end| way.ends.binary_search(end).is_ok()).collect();
        if !own.is_empty() {
            steps.extend(walked(context, way, &own).await?);
        }
    }
    evidence.extend(triples_to_evidence(context.graph(), &steps).await?);
    evidence.extend(ranked.evidence.iter().cloned());
    Ok(evidence)
}
