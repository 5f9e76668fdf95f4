//! Pseudo-graphs (Liu et al., *Pseudo- and Multisource-Knowledge Graphs*, §3): the model writes its
//! beliefs as a small graph, code looks up the sources' triples about the same entities, the model
//! corrects its graph by them, and answers from the corrected graph.
//!
//! 1. Pseudo-graph (§3.1, here): a plan of the required knowledge, then Cypher `CREATE` statements,
//!    read by [`PseudoGraph::read`]: one call.
//! 2. Semantic querying (§3.2.1, `semantic.rs`): the ten nearest triples of every pseudo-triple
//!    over all sources; then two-step pruning: as many entities as there are pseudo-subjects, by
//!    their number of triples, then those of a mean similarity of .7. No call.
//! 3. Verification (§3.2.2, `verify.rs`): delete, replace, add; every edit names the triple that
//!    caused it: one call.
//! 4. Answer (§3.3, `respond.rs`) from the corrected graph, or, if that is empty, from the model's
//!    own knowledge, marked so: one call.
//!
//! So 3 calls; 2 if the sources hold nothing to verify by, and in the ablation without
//! verification. `by_paths/` is our version, which `--planner paths` uses instead of steps 1 to 4;
//! `--planner query` uses queries instead. docs/methods.md lists the differences from the paper,
//! with the reasons.

mod by_paths;
mod edits;
mod order;
mod respond;
mod semantic;
mod verify;

use quipu_model::{ChatRequest, ModelError};
use quipu_query::PseudoGraph;
use serde_json::json;

use quipu_stages::answer::{AnswerError, Event, Outcome, Question, Stage};
use quipu_stages::compose::from_own_knowledge;
use quipu_stages::ledger::{BestSoFar, Context};
use quipu_stages::plan::with_solved;
use quipu_stages::planners::{Planner, Planning, QueryConfig, query};
use quipu_stages::prompts::Prompt;
use quipu_stages::sources::{Way, ask_each, tell_of_contradictions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The corrector of the pseudo-graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// The model names the edits, as in the paper (§3.2.2): one call. The planner `paths` asks no
    /// model here: whole paths, and the triples found by following, correct the graph.
    Model,
    /// Code replaces every pseudo-triple by the sources' most similar triple, and deletes it if
    /// there is none: no call. The planner `paths` then works without whole paths.
    Similarity,
    /// Nobody (the ablation "pseudo-graph", Tables 4 and 5): the answer rests on the model alone,
    /// and is marked so.
    Off,
}

/// Parameters of the pseudo-graph method; the defaults are the paper's where it has them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PseudoConfig {
    /// Triples taken for each pseudo-triple, from all sources together (10, §3.2.1).
    pub nearest: usize,
    /// The least mean similarity of an entity's triples to the pseudo-graph (.7, §3.2.1).
    pub least_similarity: f32,
    /// The corrector (the model, §3.2.2).
    pub verification: Verification,
    /// Whether the model answers from its own knowledge, marked so, if its corrected graph is empty
    /// (yes, App. A.1, Fig. 5). If not, that is an abstention.
    pub model_alone: bool,
    /// Whether all sources are asked (yes, §4.4.2); `false`: only the first.
    pub all_sources: bool,
    /// Pseudo-triples that are looked up (40), the first that the model wrote. The paper sets no
    /// bound.
    pub most_triples: usize,
    /// Most triples of a graph that is compared completely (20,000, about a millisecond each,
    /// once). The paper compares with a part of the graph cut out for its questions, without saying
    /// how.
    #[schemars(range(max = 20000))]
    pub whole: u64,
    /// Triples around the named entities with which a larger source is compared if it has no triple
    /// index (600). With the planner `paths` also the most triples along one step.
    #[schemars(range(max = 600))]
    pub around: usize,
    /// Planner `paths` only: if the best path fits less than this (.2, as with `kerag`), the
    /// sources do not hold the answer.
    pub least_fit: f64,
    /// Planner `paths` only: whether the model composes every answer, even if the sources filled
    /// the node that the question asks for.
    pub always_compose: bool,
    /// Planner `paths` only: relations of the sources shown to the model (24), those most similar
    /// to the question.
    pub relations: usize,
}

impl Default for PseudoConfig {
    fn default() -> Self {
        Self {
            nearest: 10,
            least_similarity: 0.7,
            verification: Verification::Model,
            model_alone: true,
            all_sources: true,
            most_triples: 40,
            whole: 20_000,
            around: 600,
            least_fit: 0.2,
            always_compose: false,
            relations: 24,
        }
    }
}

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &PseudoConfig,
    planning: Planning<'_>,
) -> Result<Outcome, AnswerError> {
    match planning.planner {
        Planner::Query => ask_each(context, question, &ByQuery(planning.query), &BestSoFar::default()).await,
        Planner::Paths if config.verification != Verification::Off => {
            by_paths::run(context, question, config, planning.paths).await
        }
        // Without verification no planner asks a source.
        Planner::Published | Planner::Paths => published(context, question, config).await,
    }
}

async fn published(
    context: &Context<'_>,
    question: &Question,
    config: &PseudoConfig,
) -> Result<Outcome, AnswerError> {
    let pseudo = believe(context, question, config).await?;
    if config.verification == Verification::Off {
        return respond::from_belief(context, question, &pseudo).await;
    }
    let ground = {
        let _timer = context.ledger.enter(Stage::Retrieve);
        let near = semantic::query(context, question, &pseudo, config).await?;
        semantic::prune(context, &pseudo, near, config)
    };
    let retrieved = Event::Retrieved { evidence: ground.evidence.len(), left_out: ground.left_out };
    context.trace.report(Stage::Retrieve, retrieved);
    let corrected = {
        let _timer = context.ledger.enter(Stage::Critique);
        match verify::verify(context, question, &pseudo, &ground, config).await {
            // Unverified beliefs are no ground for an answer.
            Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
                return Ok(Outcome::abstain(error.to_string(), ground.evidence));
            }
            corrected => corrected?,
        }
    };
    tell_of_contradictions(context, &corrected);
    if !corrected.is_empty() {
        return respond::from_evidence(context, question, corrected).await;
    }
    if config.model_alone {
        return from_own_knowledge(context, question).await;
    }
    Ok(Outcome::abstain("no source confirms any triple of the model's graph", ground.evidence))
}

/// The pseudo-graph: one call. An unreadable reply gives an empty graph, and nothing is looked up.
async fn believe(
    context: &Context<'_>,
    question: &Question,
    config: &PseudoConfig,
) -> Result<PseudoGraph, AnswerError> {
    let _timer = context.ledger.enter(Stage::Plan);
    let messages = Prompt::PseudoGraph.render(json!({ "question": question.text() }))?;
    let messages = with_solved(context, question.text(), messages).await?;
    let mut request = ChatRequest::new("plan.pseudo", messages).with_max_tokens(MOST_REPLY);
    request.stop.push("Question:".into());
    let reply = context.chat(Stage::Plan, request).await?;
    let (plan, cypher) = parts(&reply.text);
    if !plan.is_empty() {
        context.trace.report(Stage::Plan, Event::Read { reading: format!("knowledge needed: {plan}") });
    }
    let mut graph = PseudoGraph::read(cypher);
    graph.triples.truncate(config.most_triples);
    if graph.triples.is_empty() {
        let reason = "the model's graph cannot be read; nothing is looked up";
        context.trace.report(Stage::Plan, Event::Degraded { reason: reason.into() });
    }
    let triples = graph.triples.iter().map(|triple| graph.names(triple).join(" | ")).collect();
    context.trace.report(Stage::Plan, Event::Believed { triples });
    Ok(graph)
}

/// Splits a reply into its plan, as one line without headings, and its statements.
fn parts(reply: &str) -> (String, &str) {
    let at = ["```", "CREATE"].iter().filter_map(|sign| reply.find(sign)).min().unwrap_or(0);
    let (plan, cypher) = reply.split_at(at);
    let lines = plan.lines().map(|line| line.trim().trim_start_matches("- "));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.ends_with(':')).collect();
    (lines.join("; "), cypher)
}

/// Queries as a way of asking a source.
struct ByQuery<'a>(&'a QueryConfig);

impl Way for ByQuery<'_> {
    fn walks_one_graph(&self) -> bool {
        false
    }

    fn reads_documents(&self) -> bool {
        false
    }

    async fn ask(&self, context: &Context<'_>, question: &Question) -> Result<Outcome, AnswerError> {
        query::run(context, question, self.0).await
    }
}

/// Tokens of a plan with its pseudo-graph.
const MOST_REPLY: u32 = 800;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plan_is_no_part_of_the_graph() {
        let reply = "Plan:\n- the film (its director)\n- that person's birthplace\nGraph:\n```cypher\nCREATE (k:Film {name: 'Kauwboy'})\n```";
        let (plan, cypher) = parts(reply);
        assert_eq!(plan, "the film (its director); that person's birthplace");
        assert!(cypher.starts_with("```cypher\nCREATE"));
        assert_eq!(parts("no graph at all"), (String::new(), "no graph at all"));
    }
}
