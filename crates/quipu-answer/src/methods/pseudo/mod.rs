//! Pseudo-graphs (Liu et al., *Pseudo- and Multisource-Knowledge Graphs*, §3): the model writes what it believes as a small graph, code looks up
//! what the sources say of the same things, the model corrects its graph after that, and answers from the corrected one.
//!
//! 1. Pseudo-graph (§3.1, here): a plan of the knowledge that is needed, then Cypher `CREATE` statements, read by [`PseudoGraph::read`]: one
//!    call.
//! 2. Semantic querying (§3.2.1, `semantic.rs`): the ten nearest triples of every pseudo-triple over all sources; then two-step pruning: as
//!    many entities as there are pseudo-subjects, by their number of triples, then those of a mean similarity of .7. No call.
//! 3. Verification (§3.2.2, `verify.rs`): delete, replace, add; every edit names the triple that caused it: one call.
//! 4. Answer (§3.3, `respond.rs`) from the corrected graph, or, where nothing is left in it, from what the model knows, marked so: one call.
//!
//! So 3 calls; 2 where the sources hold nothing to verify after, and in the ablation without verification. `by_paths/` is our way, which
//! `--planner paths` puts in the place of steps 1 to 4; `--planner query` puts queries there. docs/methods.md lists what differs from the
//! paper, with the reasons.

mod by_paths;
mod edits;
mod order;
mod respond;
mod semantic;
mod verify;

use quipu_model::{ChatRequest, ModelError};
use quipu_query::PseudoGraph;
use serde_json::json;

use crate::answer::{AnswerError, Event, Outcome, Question, Stage};
use crate::compose::from_own_knowledge;
use crate::ledger::{BestSoFar, Context};
use crate::plan::with_solved;
use crate::planners::{Planner, Planning, QueryConfig, query};
use crate::prompts::Prompt;
use crate::sources::{Way, ask_each, tell_of_contradictions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who corrects the pseudo-graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// The model names the edits, as in the paper (§3.2.2): one call. Our planner by paths asks nobody: whole paths correct, and what the
    /// pseudo-graph is followed to.
    Model,
    /// Code replaces every pseudo-triple by the sources' most similar one, and deletes what has none: no call. Our planner by paths then does
    /// without whole paths.
    Similarity,
    /// Nobody (the ablation "pseudo-graph", Tables 4 and 5): the answer rests on the model alone, and is marked so.
    Off,
}

/// Parameters of the pseudo-graph method; the defaults are the paper's where it has them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PseudoConfig {
    /// Triples of all sources together taken for each pseudo-triple (10, §3.2.1).
    pub nearest: usize,
    /// Entities whose triples resemble the pseudo-graph less than this on the mean are dropped (.7, §3.2.1).
    pub least_similarity: f32,
    /// Who corrects (the model, §3.2.2).
    pub verification: Verification,
    /// Whether the model answers from what it knows where nothing is left of its graph, marked so (yes, App. A.1, Fig. 5); else that is an
    /// abstention.
    pub model_alone: bool,
    /// Whether all sources are asked (yes, §4.4.2); `false`: the first alone.
    pub all_sources: bool,
    /// Pseudo-triples that are looked up (40), the first that the model wrote. The paper has no bound.
    pub most_triples: usize,
    /// Most triples of a graph that is compared as a whole (20,000, about a millisecond each, once). The paper compares with a part of the
    /// graph that is cut out for the questions, of which it does not say how.
    #[schemars(range(max = 20000))]
    pub whole: u64,
    /// Triples around what is named that a larger source is compared by, where it has no index of triples (600). With our planner by paths:
    /// the same, and triples along one step.
    #[schemars(range(max = 600))]
    pub around: usize,
    /// Our planner by paths: where the best path fits less than this (.2, as with `kerag`), the sources do not hold what is asked for.
    pub least_fit: f64,
    /// Our planner by paths: whether the model composes every answer, also where the sources filled the node that the question asks for.
    pub always_compose: bool,
    /// Our planner by paths: relations of the sources that the model is shown (24), those most like the question.
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
        // Without verification no source is asked, whoever plans.
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
            // Beliefs that nobody verified are no ground for an answer.
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
    Ok(Outcome::abstain("no source bears out anything that was believed", ground.evidence))
}

/// The pseudo-graph: one call. A reply without anything readable is an empty graph, of which nothing can be looked up.
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
        let reason = "the model wrote no graph that can be read; nothing is looked up";
        context.trace.report(Stage::Plan, Event::Degraded { reason: reason.into() });
    }
    let triples = graph.triples.iter().map(|triple| graph.names(triple).join(" | ")).collect();
    context.trace.report(Stage::Plan, Event::Believed { triples });
    Ok(graph)
}

/// A reply's plan, as one line without its headings, and its statements.
fn parts(reply: &str) -> (String, &str) {
    let at = ["```", "CREATE"].iter().filter_map(|sign| reply.find(sign)).min().unwrap_or(0);
    let (plan, cypher) = reply.split_at(at);
    let lines = plan.lines().map(|line| line.trim().trim_start_matches("- "));
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.ends_with(':')).collect();
    (lines.join("; "), cypher)
}

/// Queries as a way to ask a source.
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
