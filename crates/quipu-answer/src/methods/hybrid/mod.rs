//! HybGRAG (Lee et al., 2025, §3, Algorithm 1): questions over entities that have documents. A router says which relational
//! requirements the question sets and whether the graph or only text can narrow the search; the chosen module retrieves; a critic
//! validates what came first, and where it rejects it, says what was wrong, so that the router tries again, at most four rounds.
//!
//! What differs from the paper and why stands in docs/hybrid.md.

mod answer;
mod bank;
mod critic;
mod feedback;
mod fits;
mod free;
mod pagerank;
mod reader;
mod references;
mod router;

use crate::answer::{AnswerError, Event, Outcome, Question, Refinement, Stage};
use crate::ledger::Context;
use crate::plan::RequirementConfig;
use crate::planners::Planning;
use crate::retrieve::Documents;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use answer::answer;
use bank::Bank;
use critic::{Critic, Verdict};
use router::{Action, Router};

pub(crate) use feedback::balanced;
use feedback::by_gold;
pub use feedback::{EXPERIENCES_FILE, ErrorKind, Experience, Experiences};

/// Parameters of the hybrid method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HybridConfig {
    /// Most rounds of routing, retrieval and critique (4).
    #[schemars(range(max = 8))]
    pub rounds: usize,
    /// Which modules may be used.
    pub modules: Modules,
    /// Who says whether a round's result is right.
    pub critic: CriticKind,
    /// Whether the validator sees how the graph leads to a document (yes).
    pub validation_context: bool,
    /// Examples shown to the commentator (30).
    pub experiences: usize,
    /// How entities that satisfy an action are ranked, and what counts of documents in routing.
    pub ranking: Ranking,
    /// Documents that the model reads and ranks by likelihood (0: the ranking is left to similarity; a model of 1.5 billion parameters
    /// gains nothing by it, docs/results/).
    pub read: usize,
    /// From this probability of a yes on, the validator accepts (0.1: a small model's doubts are often wrong, and the actions come in
    /// the order of what speaks for them).
    pub accept: f64,
    /// Whether the model composes an answer (yes); else the best entity is the answer.
    pub compose: bool,
    /// Whether the model's likelihoods of requirements count in routing (no: one call more, and small models mislead; docs/results/).
    pub likelihood: bool,
    /// Who routes.
    pub router: RouterKind,
    /// How requirements are enumerated.
    #[serde(flatten)]
    pub requirements: RequirementConfig,
}

impl Default for HybridConfig {
    fn default() -> Self {
        Self {
            rounds: 4,
            modules: Modules::Both,
            critic: CriticKind::Model,
            validation_context: true,
            experiences: 30,
            ranking: Ranking::Words,
            read: 0,
            accept: 0.1,
            compose: true,
            likelihood: false,
            router: RouterKind::Graph,
            requirements: RequirementConfig::default(),
        }
    }
}

/// Which modules of the retriever bank may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Modules {
    /// The text and the hybrid module.
    #[default]
    Both,
    /// Text alone (ablation).
    Text,
    /// The graph alone: personalised PageRank from the entities (the paper's graph retriever, §2.2).
    Graph,
}

/// How documents are compared with the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ranking {
    /// Word for word, without the words that name entities; as `Similarity` where the embedder gives no tokens.
    #[default]
    Words,
    /// By the cosine of whole texts, as the paper's ranker (§3.1).
    Similarity,
}

/// Who chooses entities, relations and module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RouterKind {
    /// The graph proposes what the question may ask, and what speaks for each is weighed: no call.
    #[default]
    Graph,
    /// The model writes them, as in the paper (§3.1): one call a round. For large models.
    Model,
}

/// Who says whether a round's result is right.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CriticKind {
    /// The language model.
    #[default]
    Model,
    /// Nobody: one round (ablation).
    Off,
    /// The gold answers, by key; for evaluation only.
    #[serde(skip)]
    Oracle(Vec<String>),
}

/// A later round has to be so much likelier than an earlier one, whose action had more in its favour.
const CLEARLY: f64 = 0.25;

/// What one round gave.
struct Round {
    action: Action,
    found: bank::Found,
    verdict: Verdict,
}

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &HybridConfig,
    planning: Planning<'_>,
) -> Result<Outcome, AnswerError> {
    let _ = planning;
    let Some(documents) = Documents::open(context, question.text()).await? else {
        // No entity has a document: the graph of an API, of most endpoints (App. C).
        return references::run(context, question, config).await;
    };
    let bank = Bank::new(context, &documents, config);
    let mut router = Router::open(context, &documents, question.text(), config).await?;
    let critic = Critic::new(context, &documents, question.text(), config).await?;
    let (mut best, mut feedback): (Option<Round>, _) = (None, None);
    for number in 1..=config.rounds.max(1) {
        let Some(action) = router.next(number, feedback.as_ref()).await? else { break };
        report(context, Stage::Plan, number, router.described(&action));
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
    let Some(round) = best else {
        return Ok(Outcome::abstain("neither the graph nor a document bears on the question", Vec::new()));
    };
    answer(context, question, &documents, &router, round, config).await
}

/// What was wrong with the actions that the router takes for a question whose answers are known, until one of them finds an answer first
/// of all, or no other action would.
///
/// # Errors
/// The graph's, the index's and the model's.
pub(crate) async fn experiences_of(
    context: &Context<'_>,
    question: &str,
    gold: &[String],
    config: &HybridConfig,
) -> Result<Vec<Experience>, AnswerError> {
    let Some(documents) = Documents::open(context, question).await? else { return Ok(Vec::new()) };
    let keys: Vec<&str> = gold.iter().map(String::as_str).collect();
    let answers: Vec<_> = context.graph().resolve(&keys).await?.into_iter().flatten().collect();
    let bank = Bank::new(context, &documents, config);
    let mut router = Router::open(context, &documents, question, config).await?;
    let (mut experiences, mut feedback) = (Vec::new(), None);
    while experiences.len() < config.rounds {
        let number = experiences.len() + 1;
        let Some(action) = router.next(number, feedback.as_ref()).await? else { break };
        let found = bank.retrieve(number, &action, &router).await?;
        if found.entities.first().is_some_and(|first| answers.contains(&first.node)) {
            break;
        }
        let Some(wrong) = by_gold(&action, &router, &answers) else { break };
        experiences.push(Experience::new(question, &action, &router, &wrong));
        feedback = Some(wrong);
    }
    Ok(experiences)
}

fn report(context: &Context<'_>, stage: Stage, round: usize, step: Refinement) {
    context.trace.report(stage, Event::Refined { round: u32::try_from(round).unwrap_or(u32::MAX), step });
}
