//! Multi-vector ranking (Multi-VSS, which HybGRAG compares with on STaRK, Table 3). A document has
//! one vector for each passage; an entity's score is the mean of its best passages. One call
//! composes the answer from the best passages of the best entities.

use std::collections::HashSet;

use quipu_graph::NodeId;
use quipu_index::{Passage, SearchMode};

use quipu_stages::answer::{AnswerError, Event, Outcome, Question, RankedEntity, Stage, Status};
use quipu_stages::compose::answer_from;
use quipu_stages::ledger::Context;
use quipu_stages::retrieve::Documents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Passages searched for entities to rank.
const SEARCHED: usize = 400;
/// Most entities in the ranking.
const RANKED: usize = 100;

/// Parameters of multi-vector ranking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MultiVectorConfig {
    /// An entity's score is the mean of this many best passages (3; 0 is 1), or of all if it has
    /// fewer.
    #[schemars(range(max = 100))]
    pub best: usize,
    /// Passages that become evidence, the best one of each entity (10).
    #[schemars(range(max = 100))]
    pub passages: usize,
    /// Whether the model composes an answer (yes). If not, the best entity is the answer, without a
    /// call.
    pub compose: bool,
}

impl Default for MultiVectorConfig {
    fn default() -> Self {
        Self { best: 3, passages: 10, compose: true }
    }
}

/// An entity with its score and its best passage.
struct Worth {
    node: NodeId,
    score: f32,
    passage: u64,
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &MultiVectorConfig,
) -> Result<Outcome, AnswerError> {
    let Some(documents) = Documents::open(context, question.text()).await? else {
        return Ok(Outcome::abstain("the graph has no documents", Vec::new()));
    };
    let Some(vector) = documents.vector() else {
        return Ok(Outcome::abstain("the documents have no vectors, or there is no embedder", Vec::new()));
    };
    let (ranked, evidence) = {
        let _timer = context.ledger.enter(Stage::Retrieve);
        let worths = worths(&documents, vector, config.best)?;
        let best = worths.iter().take(config.passages);
        let passages = best.map(|worth| documents.index().passage(worth.passage));
        let passages = passages.collect::<Result<Vec<Passage>, _>>()?;
        (ranking(context, &worths).await?, documents.evidence(context, passages).await?)
    };
    if config.compose {
        let outcome = answer_from(context, question, (evidence, 0), 0.4).await?;
        return Ok(Outcome { ranked, ..outcome });
    }
    context.trace.report(Stage::Retrieve, Event::Retrieved { evidence: evidence.len(), left_out: 0 });
    let answers: Vec<String> = ranked.first().map(|entity| entity.name.clone()).into_iter().collect();
    if answers.is_empty() {
        return Ok(Outcome::abstain("no document is similar in meaning to the question", evidence));
    }
    let status = Status::Answered;
    Ok(Outcome { status, answers, ranked, evidence, confidence: 0.4, ..Outcome::default() })
}

/// The entities of the passages nearest to `vector`, each scored by the mean of its `best`
/// passages; the best entity first.
fn worths(documents: &Documents<'_>, vector: &[f32], best: usize) -> Result<Vec<Worth>, AnswerError> {
    let mut seen = HashSet::new();
    let hits = documents.search(SearchMode::Meaning, SEARCHED)?;
    let entities: Vec<NodeId> =
        hits.iter().map(|hit| hit.passage.node).filter(|node| seen.insert(*node)).take(RANKED).collect();
    let mut worths = Vec::new();
    for node in entities {
        let nearest = documents.index().nearest_of(vector, node)?;
        let Some((passage, _)) = nearest.first() else { continue };
        let scores: Vec<f32> = nearest.iter().take(best.max(1)).map(|(_, cosine)| *cosine).collect();
        #[expect(clippy::cast_precision_loss, reason = "a few passages")]
        let score = scores.iter().sum::<f32>() / scores.len() as f32;
        worths.push(Worth { node, score, passage: *passage });
    }
    worths.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.node.cmp(&b.node)));
    Ok(worths)
}

async fn ranking(context: &Context<'_>, worths: &[Worth]) -> Result<Vec<RankedEntity>, AnswerError> {
    let nodes: Vec<NodeId> = worths.iter().map(|worth| worth.node).collect();
    let summaries = context.graph().summaries(&nodes).await?;
    let ranked = |(worth, summary): (&Worth, quipu_graph::NodeSummary)| RankedEntity {
        key: summary.key,
        name: summary.name,
        score: f64::from(worth.score),
        paths: Vec::new(),
    };
    Ok(worths.iter().zip(summaries).map(ranked).collect())
}
