//! AnchorRAG (Xu et al. 2025): the anchors of a question are not given but found, several are explored side by side, and a supervisor
//! says after each round whether what was found is enough.
//!
//! 1. The predictor (§3.3) reads keywords, gathers candidates by name and by meaning, and grounds them by their relations
//!    (equations 1 and 2); the best `anchors` are kept.
//! 2. One retriever an anchor (§3.4), all of them at once: relations, then entities, then triples, each pruned; nothing left ends it.
//! 3. The supervisor (§3.5) after each round: enough is composed into an answer; else the live retrievers go on, to depth L.
//!
//! With m retrievers, b relations each and R ≤ L rounds it asks the model at most 1 + R (m (b + 2) + 1) + 1 times under
//! [`Guide::Model`], and 1 + R (m + 1) + 1 times under [`Guide::Similarity`]: keywords, in each round the retrievers and the supervisor,
//! composition. Under [`Guide::Paths`], the default, whole-path planning takes the place of rounds: 1, and what the workspace learns once.
//!
//! Where it differs from the paper: a candidate's name counts beside its relations; a relation may be followed again, but not from the same
//! entity (`parent` of a `parent`); all values of a row that bears on the question are kept, not three of them, so that lists are
//! answered whole; and at the end the default is an abstention, not what the model believes.

mod grounding;
mod predictor;
mod retriever;

use futures::future::join_all;

use crate::answer::{AnswerError, Evidence, Note, Outcome, Question, Stage, Status};
use crate::compose::{self, answer_from};
use crate::critique;
use crate::ledger::Context;
use crate::link::{Anchor, NOTHING_LINKED};
use crate::planners::{PathsConfig, Planning, paths};
use crate::retrieve::{latest_within_budget, triples_to_evidence};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use retriever::Retriever;

/// Who names what a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Predictor {
    /// The model reads keywords and mends their spelling; what the name index finds is offered to it, and kept beside: one call.
    Model,
    /// The name index alone: no call.
    Index,
}

/// How candidates are held against their relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Grounding {
    /// The match of the name and equation 2 together: relations decide among names that match alike.
    Fused,
    /// Equation 2 alone, as in the paper.
    Relations,
    /// Names alone (the ablation "w/o entity grounding").
    Off,
}

/// What chooses the way through the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Guide {
    /// Whole-path planning around every anchor instead of rounds (DESIGN §8).
    Paths,
    /// Rounds; relations and entities by embedding, triples and the end by the model.
    Similarity,
    /// Rounds; everything by the model, as in the paper.
    Model,
}

/// Parameters of AnchorRAG; k, m, b and L are the paper's (§4.2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnchorConfig {
    /// m: retrievers, one an anchor (3). 1 is the ablation "w/o parallel retrieval".
    #[schemars(range(max = 5))]
    pub anchors: usize,
    /// k: relations of a candidate that its score is the mean of (5).
    pub relations_scored: usize,
    /// b: relations, and entities of a relation, that a retriever goes on with (3).
    #[schemars(range(max = 10))]
    pub width: usize,
    /// L: most rounds (3).
    #[schemars(range(max = 5))]
    pub depth: u32,
    /// Candidates of one keyword (10).
    pub candidates: usize,
    /// Who reads the keywords.
    pub predictor: Predictor,
    /// How candidates are grounded.
    pub grounding: Grounding,
    /// What chooses the way.
    pub guide: Guide,
    /// Whether triples are filtered by the model after each round; `false` is the ablation "w/o triples fine filtering".
    pub triple_filter: bool,
    /// Most relations, entities or facts that the model sees in one call (20); the most similar to the question where there are more.
    pub shown: usize,
    /// Whether the model answers from what it knows where the graph holds nothing, marked so (§3.5); else that is an abstention.
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
            grounding: Grounding::Fused,
            guide: Guide::Paths,
            triple_filter: true,
            shown: 20,
            model_alone: false,
        }
    }
}

/// Calls kept back while retrievers work: the supervisor's and the composition's.
const KEPT_BACK: u32 = 2;
/// Confidence in an answer that the supervisor called supported, and in one it did not.
const ENOUGH: f64 = 0.6;
const NOT_ENOUGH: f64 = 0.4;

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &AnchorConfig,
    planning: Planning<'_>,
) -> Result<Outcome, AnswerError> {
    let _ = planning;
    let outcome = if config.guide == Guide::Paths && context.embedder().is_some() {
        by_paths(context, question, config).await?
    } else {
        let predicted = predictor::predict(context, question, config).await?;
        if predicted.is_empty() {
            Outcome::abstain(NOTHING_LINKED, Vec::new())
        } else {
            let anchors = predictor::chosen(&predicted, config.anchors);
            explore(context, question, anchors, config).await?
        }
    };
    if outcome.status == Status::Abstained && config.model_alone && context.calls_left() > 0 {
        return alone(context, question, outcome).await;
    }
    Ok(outcome)
}

/// Whole paths from the predicted anchors, in the place of rounds; a question within the question first.
async fn by_paths(
    context: &Context<'_>,
    question: &Question,
    config: &AnchorConfig,
) -> Result<Outcome, AnswerError> {
    let mut paths =
        PathsConfig { candidates: config.anchors, mentions: config.anchors, ..PathsConfig::default() };
    paths.walk.max_hops = usize::try_from(config.depth).unwrap_or(usize::MAX);
    let settled = paths::settle(context, question, &paths).await?;
    let question = settled.as_ref().map_or(question, |settled| &settled.question);
    let mut predicted = predictor::predict(context, question, config).await?;
    if let Some(settled) = &settled {
        predicted = settled.among(predicted);
    }
    if predicted.is_empty() {
        return Ok(Outcome::abstain(NOTHING_LINKED, Vec::new()));
    }
    let outcome = paths::run_from(context, question, predicted, &paths).await?;
    Ok(match settled {
        Some(settled) => settled.complete(outcome),
        None => outcome,
    })
}

/// Rounds of all retrievers at once, until the supervisor has enough, none is left, or the depth is reached; then the answer.
async fn explore(
    context: &Context<'_>,
    question: &Question,
    anchors: Vec<Anchor>,
    config: &AnchorConfig,
) -> Result<Outcome, AnswerError> {
    let mut retrievers: Vec<Retriever> = anchors.into_iter().map(Retriever::new).collect();
    let mut enough = false;
    for hop in 1..=config.depth {
        let sparing = context.sparing(KEPT_BACK);
        {
            let _timer = context.ledger.enter(Stage::Retrieve);
            let rounds = retrievers
                .iter_mut()
                .filter(|r| r.is_live())
                .map(|r| r.explore(&sparing, question, hop, config));
            for done in join_all(rounds).await {
                done?;
            }
        }
        let found = retrievers.iter().any(|r| r.found_in(hop));
        if found && context.calls_left() >= KEPT_BACK {
            enough = is_enough(context, question, &retrievers, hop).await?;
        }
        if enough || !retrievers.iter().any(Retriever::is_live) {
            break;
        }
    }
    let evidence = evidence(context, &retrievers).await?;
    answer_from(context, question, evidence, if enough { ENOUGH } else { NOT_ENOUGH }).await
}

/// What all retrievers found, each piece once.
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

/// The supervisor's judgement: one call, where any triple was found.
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

/// What the model knows by itself, marked so (§3.5, early termination): one call.
async fn alone(
    context: &Context<'_>,
    question: &Question,
    abstained: Outcome,
) -> Result<Outcome, AnswerError> {
    let outcome = match compose::alone(context, question).await {
        Err(AnswerError::Exhausted(_)) => return Ok(abstained),
        outcome => outcome?,
    };
    if outcome.status != Status::Answered {
        return Ok(abstained);
    }
    context.trace.note(Note::ModelAlone);
    Ok(Outcome { evidence: abstained.evidence, model_alone: true, ..outcome })
}
