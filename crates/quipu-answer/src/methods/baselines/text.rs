//! Text-only RAG: the passages of the graph's documents that fit the question best, and one call
//! over them. Without documents there is no evidence to answer from. Its ranking is the passages'
//! entities.

use std::collections::HashSet;

use quipu_graph::NodeId;
use quipu_index::{PassageHit, SearchMode};

use quipu_stages::answer::{AnswerError, Event, Outcome, Question, RankedEntity, Stage, Status};
use quipu_stages::compose::answer_from;
use quipu_stages::ledger::Context;
use quipu_stages::link::{linked, nodes};
use quipu_stages::retrieve::{Documents, retrieve_passages};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Passages from which the entities are ranked.
const RANKED: usize = 100;

/// Parameters of text-only RAG.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TextConfig {
    /// Passages that become evidence (10).
    pub passages: usize,
    /// The search mode (both by words and by meaning).
    pub mode: SearchMode,
    /// Whether the model composes an answer (yes). If not, the entity of the best passage is the
    /// answer, without a call.
    pub compose: bool,
}

impl Default for TextConfig {
    fn default() -> Self {
        Self { passages: 10, mode: SearchMode::Hybrid, compose: true }
    }
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &TextConfig,
) -> Result<Outcome, AnswerError> {
    let Some(documents) = Documents::open(context, question.text()).await? else {
        return Ok(Outcome::abstain("the graph has no documents", Vec::new()));
    };
    let hits = {
        let _timer = context.ledger.enter(Stage::Retrieve);
        documents.search(config.mode, RANKED)?
    };
    let ranking = ranking(context, &hits).await?;
    let best = ranking.first().map(|entity| entity.name.clone());
    if !config.compose {
        let passages = hits.into_iter().take(config.passages).map(|hit| hit.passage).collect();
        let evidence = documents.evidence(context, passages).await?;
        context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out: 0 });
        let Some(best) = best else {
            let reason = "no document has any of the question's words";
            return Ok(Outcome { ranked: ranking, ..Outcome::abstain(reason, evidence) });
        };
        let answers = vec![best];
        let confidence = 0.4;
        return Ok(Outcome {
            status: Status::Answered,
            answers,
            ranked: ranking,
            text: None,
            evidence,
            confidence,
            reason: None,
            ..Outcome::default()
        });
    }
    let anchors = linked(context, question).await?;
    let passages = {
        let _timer = context.ledger.enter(Stage::Retrieve);
        let anchors = nodes(&anchors);
        retrieve_passages(context, question.text(), &anchors, config.mode, config.passages).await?
    };
    let outcome = answer_from(context, question, (passages, 0), 0.4).await?;
    Ok(Outcome { ranked: ranking, ..outcome })
}

/// The entities of passages, each once, in their order.
async fn ranking(context: &Context<'_>, hits: &[PassageHit]) -> Result<Vec<RankedEntity>, AnswerError> {
    let mut seen: HashSet<NodeId> = HashSet::new();
    let best: Vec<&PassageHit> = hits.iter().filter(|hit| seen.insert(hit.passage.node)).collect();
    let entities: Vec<NodeId> = best.iter().map(|hit| hit.passage.node).collect();
    let summaries = context.graph().summaries(&entities).await?;
    let ranked = |(hit, summary): (&PassageHit, quipu_graph::NodeSummary)| RankedEntity {
        key: summary.key,
        name: summary.name,
        score: f64::from(hit.score),
        paths: Vec::new(),
    };
    Ok(best.into_iter().zip(summaries).map(ranked).collect())
}
