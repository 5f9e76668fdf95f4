//! HybGRAG (Lee et al., 2025, §3, Algorithm 1): questions over entities that have documents. A
//! router reads the relational requirements of the question and decides whether the graph or only
//! text can narrow the search; the chosen module retrieves; a critic validates the first result. If
//! it rejects the result, it names the error and the router tries again, for at most four rounds.
//!
//! `published/` is the paper's algorithm, `crag/` its setting without documents (App. C).
//! `planned/` replaces the router by whole paths, `queried.rs` by queries. docs/hybrid.md lists the
//! differences from the paper, with the reasons.

mod answer;
mod crag;
mod experience;
mod feedback;
mod found;
mod learn;
mod linking;
mod pagerank;
mod planned;
mod published;
mod queried;
mod taken;
mod ways;

use quipu_graph::NodeId;
use quipu_stages::answer::{AnswerError, Event, Outcome, Question, Refinement, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::plan::RequirementConfig;
use quipu_stages::planners::{Planner, Planning};
use quipu_stages::retrieve::Documents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use experience::Learnt;
pub use experience::{EXPERIENCES_FILE, Experience, Experiences, Extracted, Judged};
pub use feedback::ErrorKind;
pub(crate) use learn::learn_from;

/// Parameters of the hybrid method; the defaults are the paper's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HybridConfig {
    /// Most rounds of routing, retrieval and critique (4; App. C.1.1).
    #[schemars(range(max = 8))]
    pub rounds: usize,
    /// The modules that may be used (both; §3.1).
    pub modules: Modules,
    /// The judge of a round's result (the model; §3.2).
    pub critic: CriticKind,
    /// Whether the validator sees the paths in the graph that lead to a document (yes; §3.2).
    pub validation_context: bool,
    /// Training examples shown to the router (10; without documents 5 of the question's field;
    /// App. C.2). If none were collected, the router shows ten invented ones.
    pub examples: usize,
    /// Training examples shown to the validator for each kind of entity (2; App. C.2).
    pub validations: usize,
    /// Examples shown to the commentator (30; §3.2. Without documents 5; App. C.2).
    pub experiences: usize,
    /// Pages of one batch of the text module without documents (5; App. C.1.1).
    pub batch: usize,
    /// Whether the model composes an answer (no: §3.3 returns the ranking, and its best entity is
    /// the answer).
    pub compose: bool,
    /// Bounds of the requirements; their radius is that of the ego-graphs (2; App. C.1.1).
    #[serde(flatten)]
    pub requirements: RequirementConfig,
    /// Planner `paths` only: the ranking of documents (word for word). The published method ranks
    /// by cosine (§3.1).
    pub ranking: Ranking,
    /// Planner `paths` only: documents that the model reads and ranks by likelihood (0: similarity
    /// ranks alone, because a model of 1.5 billion parameters gains nothing by reading,
    /// docs/results/).
    pub read: usize,
    /// Planner `paths` only: the validator accepts from this probability of a yes on (0.1: a small
    /// model's doubts are often wrong, and the best actions come first). The published validator
    /// says yes or no (App. C.2).
    pub accept: f64,
    /// Planner `paths` only: whether the model's likelihoods of requirements count in routing (no:
    /// they cost one more call, and small models mislead; docs/results/).
    pub likelihood: bool,
}

impl Default for HybridConfig {
    fn default() -> Self {
        Self {
            rounds: 4,
            modules: Modules::Both,
            critic: CriticKind::Model,
            validation_context: true,
            examples: 10,
            validations: 2,
            experiences: 30,
            batch: 5,
            compose: false,
            requirements: RequirementConfig::default(),
            ranking: Ranking::Words,
            read: 0,
            accept: 0.1,
            likelihood: false,
        }
    }
}

/// The modules of the retriever bank that may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Modules {
    /// The text and the hybrid module.
    #[default]
    Both,
    /// Text alone (ablation).
    Text,
    /// The graph alone: personalised PageRank from the entities (the paper's graph retriever,
    /// §2.2).
    Graph,
}

/// How documents are compared with the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ranking {
    /// Word for word, without the words that name entities; as `Similarity` if the embedder gives
    /// no token vectors.
    #[default]
    Words,
    /// By the cosine of whole texts, as the paper's ranker (§3.1).
    Similarity,
}

/// The judge of a round's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CriticKind {
    /// The language model.
    #[default]
    Model,
    /// Nobody: one round (ablation).
    Off,
}

/// The judge of one question's rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Judge<'a> {
    /// The critic that came with the question, which knows the keys of the right answers.
    Given(&'a [String]),
    /// The language model.
    Model,
    /// Nobody.
    Nobody,
}

impl<'a> Judge<'a> {
    fn of(context: &Context<'a>, config: &HybridConfig) -> Self {
        match (context.critic, config.critic) {
            (Some(critic), _) => Self::Given(critic.right_answers()),
            (None, CriticKind::Model) => Self::Model,
            (None, CriticKind::Off) => Self::Nobody,
        }
    }

    /// The right answers that the graph holds; empty if the judge knows none.
    async fn gold(self, context: &Context<'_>) -> Result<Vec<NodeId>, AnswerError> {
        let Self::Given(keys) = self else { return Ok(Vec::new()) };
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        Ok(context.graph().resolve(&keys).await?.into_iter().flatten().collect())
    }
}

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &HybridConfig,
    planning: Planning<'_>,
) -> Result<Outcome, AnswerError> {
    // The graphs of an API and of most endpoints have no documents: the setting of App. C.
    let documents = Documents::open(context, question.text()).await?;
    match (planning.planner, documents) {
        (Planner::Published, Some(documents)) => published::run(context, question, &documents, config).await,
        (Planner::Published, None) => crag::run(context, question, config).await,
        (Planner::Paths, Some(documents)) => planned::run(context, question, &documents, config).await,
        (Planner::Paths, None) => planned::without_documents(context, question, config, planning.paths).await,
        (Planner::Query, Some(documents)) => {
            queried::run(context, question, &documents, config, planning.query).await
        }
        (Planner::Query, None) => queried::without_documents(context, question, config, planning.query).await,
    }
}

fn report(context: &Context<'_>, stage: Stage, round: usize, step: Refinement) {
    context.trace.report(stage, Event::Refined { round: u32::try_from(round).unwrap_or(u32::MAX), step });
}
