//! AnchorRAG (Xu et al. 2025): the anchors of a question are found, not given; several are explored
//! in parallel; after each round a supervisor judges whether the evidence is enough.
//!
//! 1. The predictor (§3.3, `predictor.rs`) reads keywords, gathers candidates, and ranks all of
//!    them by their relations (equations 1 and 2, `grounding.rs`). The best m are the anchors.
//! 2. One retriever for each anchor (§3.4, `retriever.rs`), all in parallel: relations, then
//!    entities, then triples, each pruned (`pruning.rs`). A retriever stops when all its triples
//!    are dropped.
//! 3. The supervisor (§3.5) judges after each round. If the evidence is enough, the answer is
//!    composed from it; if not, the live retrievers go on, to depth L. If none is live or L is
//!    reached, the model answers from its own knowledge, and the answer is marked so.
//!
//! [`AnchorConfig::most_calls`] bounds the model calls. docs/methods.md lists the differences from
//! the paper, with the reasons.

mod grounding;
mod lead;
mod planned;
mod predictor;
mod pruning;
mod retriever;

use futures::future::join_all;

use quipu_stages::answer::{AnswerError, Evidence, Exhausted, Outcome, Question, Stage};
use quipu_stages::compose::{answer_from, from_own_knowledge};
use quipu_stages::critique;
use quipu_stages::ledger::Context;
use quipu_stages::link::NOTHING_LINKED;
use quipu_stages::planners::{Planner, Planning};
use quipu_stages::retrieve::{latest_within_budget, triples_to_evidence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use retriever::Retriever;

/// The part that finds the names in a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Predictor {
    /// The model reads keywords and corrects their spelling, as in the paper (§3.3): one call.
    Model,
    /// The name index alone: no call.
    Index,
}

/// The scores that rank candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grounding {
    /// Equation 2 alone, as in the paper (§3.3).
    Relations,
    /// The match of the name plus equation 2, as in our planners: relations decide between names
    /// that match equally well.
    Fused,
    /// The match of the name alone (the ablation "w/o entity grounding", Table 3).
    Off,
}

/// The part that prunes relations and entities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Guide {
    /// The model, as in the paper (§3.4).
    Model,
    /// Embeddings: no call. The model still filters triples and judges the end.
    Similarity,
}

/// Parameters of AnchorRAG; the defaults are the paper's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnchorConfig {
    /// m: retrievers, one an anchor (3, §4.2, Table 4). 1 is the ablation "w/o parallel retrieval"
    /// (Table 3).
    #[schemars(range(max = 5))]
    pub anchors: usize,
    /// k: a candidate's score is the mean of its k best relations (5, equation 2, §4.2, Table 4).
    pub relations_scored: usize,
    /// b: relations that a retriever follows, and entities that it keeps for each relation (3,
    /// §3.4, §4.2, Fig. 5).
    #[schemars(range(max = 10))]
    pub width: usize,
    /// L: most rounds (3, §3.5, §4.2, Fig. 5).
    #[schemars(range(max = 5))]
    pub depth: u32,
    /// Candidates of one keyword (10; the paper gives no number).
    pub candidates: usize,
    /// The part that reads the keywords (the model, §3.3).
    pub predictor: Predictor,
    /// The ranking of candidates (equation 2 alone, §3.3).
    pub grounding: Grounding,
    /// The part that prunes relations and entities (the model, §3.4).
    pub guide: Guide,
    /// Whether the model filters triples after each round (§3.4); `false` is the ablation "w/o
    /// triples fine filtering" (Table 3).
    pub triple_filter: bool,
    /// Entities of one relation, and triples in one call, that the model sees (20; the paper bounds
    /// both without a number). Of more entities the most similar to the question are shown; more
    /// triples take further calls.
    pub shown: usize,
    /// Whether the model answers from its own knowledge, marked so, if the rounds end without
    /// enough evidence (§3.5). If not, the answer is composed from the evidence found, and may be
    /// an abstention.
    pub model_alone: bool,
}

impl Default for AnchorConfig {
    fn default() -> Self {
        Self {
            anchors: 3,
            relations_scored: 5,
            width: 3,
            depth: 3,
            candidates: 10,
            predictor: Predictor::Model,
            grounding: Grounding::Relations,
            guide: Guide::Model,
            triple_filter: true,
            shown: 20,
            model_alone: true,
        }
    }
}

impl AnchorConfig {
    /// Most model calls for one question in the paper's rounds, without repairs of replies: one for
    /// the keywords; in each round and retriever one for relations, one for the entities of each
    /// relation and one for each list of triples; one for the supervisor after each round; one for
    /// the answer. With the defaults 1 + L (m (b + 2) + 1) + 1 = 50, because b² triples fit one
    /// list.
    pub fn most_calls(&self) -> u32 {
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let b = number(self.width);
        let lists = b.saturating_mul(b).div_ceil(number(self.shown).max(1));
        let of_retriever = match self.guide {
            Guide::Model => b.saturating_add(1),
            Guide::Similarity => 0,
        };
        let of_retriever = of_retriever.saturating_add(if self.triple_filter { lists } else { 0 });
        let round = number(self.anchors).saturating_mul(of_retriever).saturating_add(1);
        self.depth.saturating_mul(round).saturating_add(2)
    }
}

/// Calls kept back while the retrievers work, for the supervisor and the answer.
const KEPT_BACK: u32 = 2;
/// Confidence in an answer that the supervisor judged supported, and in one that it did not.
const ENOUGH: f64 = 0.6;
const NOT_ENOUGH: f64 = 0.4;

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &AnchorConfig,
    planning: Planning<'_>,
) -> Result<Outcome, AnswerError> {
    match planning.planner {
        Planner::Published => published(context, question, config).await,
        Planner::Paths => planned::by_paths(context, question, config, planning.paths).await,
        Planner::Query => planned::by_query(context, question, config, planning.query).await,
    }
}

async fn published(
    context: &Context<'_>,
    question: &Question,
    config: &AnchorConfig,
) -> Result<Outcome, AnswerError> {
    let anchors = predictor::predict(context, question, config).await?;
    let mut retrievers: Vec<Retriever> = anchors.into_iter().map(Retriever::new).collect();
    let mut end = End::NothingLeft;
    for hop in 1..=config.depth {
        end = round(context, question, &mut retrievers, hop, config).await?;
        if end != End::Open {
            break;
        }
    }
    match end {
        End::Enough => answer_from(context, question, evidence(context, &retrievers).await?, ENOUGH).await,
        End::Spent(limit) => out_of_budget(context, question, &retrievers, limit).await,
        End::Open | End::NothingLeft if config.model_alone => from_own_knowledge(context, question).await,
        End::Open | End::NothingLeft if retrievers.is_empty() => {
            Ok(Outcome::abstain(NOTHING_LINKED, Vec::new()))
        }
        End::Open | End::NothingLeft => {
            answer_from(context, question, evidence(context, &retrievers).await?, NOT_ENOUGH).await
        }
    }
}

/// How a round ends.
#[derive(Debug, Clone, Copy, PartialEq)]
enum End {
    /// The supervisor judged the evidence enough.
    Enough,
    /// Not enough, and some retriever is live.
    Open,
    /// Not enough, and no retriever is live.
    NothingLeft,
    /// The question's budget is used up.
    Spent(Exhausted),
}

/// One round of all live retrievers in parallel. If it found any triple, the supervisor judges all
/// triples so far.
async fn round(
    context: &Context<'_>,
    question: &Question,
    retrievers: &mut [Retriever],
    hop: u32,
    config: &AnchorConfig,
) -> Result<End, AnswerError> {
    let explored = {
        let _timer = context.ledger.enter(Stage::Retrieve);
        let sparing = context.sparing(KEPT_BACK);
        let live = retrievers.iter_mut().filter(|retriever| retriever.is_live());
        join_all(live.map(|retriever| retriever.explore(&sparing, question, hop, config))).await
    };
    let mut spent = None;
    for explored in explored {
        match explored {
            // The calls kept back count toward the limit too.
            Err(AnswerError::Exhausted(Exhausted::Calls(_))) => {
                spent = Some(Exhausted::Calls(context.limits.llm_calls));
            }
            Err(AnswerError::Exhausted(limit)) => spent = Some(limit),
            explored => explored?,
        }
    }
    if let Some(limit) = spent {
        return Ok(End::Spent(limit));
    }
    if retrievers.iter().any(|retriever| retriever.found_in(hop)) {
        match is_enough(context, question, retrievers, hop).await {
            Err(AnswerError::Exhausted(limit)) => return Ok(End::Spent(limit)),
            Ok(true) => return Ok(End::Enough),
            judged => judged?,
        };
    }
    Ok(if retrievers.iter().any(Retriever::is_live) { End::Open } else { End::NothingLeft })
}

/// The evidence of all retrievers, each piece once.
async fn evidence(
    context: &Context<'_>,
    retrievers: &[Retriever],
) -> Result<(Vec<Evidence>, usize), AnswerError> {
    let walked: Vec<_> = retrievers.iter().flat_map(Retriever::triples).collect();
    let mut evidence = triples_to_evidence(context.graph(), &walked).await?;
    let mut seen = std::collections::HashSet::new();
    evidence.retain(|piece| seen.insert(piece.id.clone()));
    Ok(latest_within_budget(context, evidence))
}

/// The supervisor's judgement: one call.
async fn is_enough(
    context: &Context<'_>,
    question: &Question,
    retrievers: &[Retriever],
    hop: u32,
) -> Result<bool, AnswerError> {
    let _timer = context.ledger.enter(Stage::Critique);
    let (evidence, _) = evidence(context, retrievers).await?;
    critique::is_enough(context, question, &evidence, hop, "critique.supervisor").await
}

/// The answer from the evidence found before the budget ended, with a note that it ended. Without
/// any triple, the error about the limit.
async fn out_of_budget(
    context: &Context<'_>,
    question: &Question,
    retrievers: &[Retriever],
    limit: Exhausted,
) -> Result<Outcome, AnswerError> {
    let found = evidence(context, retrievers).await?;
    if found.0.is_empty() {
        return Err(AnswerError::Exhausted(limit));
    }
    context.note_limit(limit);
    answer_from(context, question, found, NOT_ENOUGH).await
}
