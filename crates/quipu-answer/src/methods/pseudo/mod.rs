//! Pseudo-graphs (Liu et al., *Pseudo- and Multisource-Knowledge Graphs*, §3): the model writes what it believes as a small graph, code looks up
//! what the sources say of the same things, the model corrects its graph after that, and answers from the corrected one.
//!
//! 1. Pseudo-graph (§3.1): Cypher `CREATE` statements, read by [`PseudoGraph::read`]: one call.
//! 2. Semantic querying (§3.2.1, `query.rs`): the nearest triples of every pseudo-triple, over all sources; then two-step pruning
//!    (`gold.rs`): as many entities as there are pseudo-subjects, by hits, then those of enough similarity. No call.
//! 3. Verification (§3.2.2, `verify.rs`): delete, replace, add; every edit names the triple that caused it: one call, none by similarity,
//!    none by the whole paths of the sources (`whole.rs`, the default), which decide as well whether the sources can answer at all.
//! 4. Answer (§3.3, `respond.rs`) from the corrected graph: one call, none where the sources filled the node that the question asks for.
//!
//! So 3 calls, 2 where code verifies or nothing does, 1 where a whole path is likely, where the sources fill all that the model leaves open,
//! or where they hold nothing about the question, which is an abstention.
//!
//! Where it differs from the paper: the model may say what it does not know, and is shown what the sources' relations are called. The
//! pseudo-graph is followed from what the question names (`follow.rs`): what the sources state along a pseudo-triple is its other end,
//! whatever the model believed, so that a chain of beliefs with a wrong link still leads on. A corrected graph holds triples of the sources
//! only.

mod follow;
mod gold;
mod hits;
mod loose;
mod meant;
mod pool;
mod query;
mod relations;
mod respond;
mod verify;
mod whole;

use quipu_language::wanted;
use quipu_model::ChatRequest;
use quipu_query::PseudoGraph;
use serde_json::json;

use crate::answer::{AnswerError, Event, Outcome, Question, Stage};
use crate::ledger::Context;
use crate::plan::with_solved;
use crate::planners::Planning;
use crate::prompts::Prompt;
use crate::sources::tell_of_contradictions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who corrects the pseudo-graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// Code: what the question's own words fit among the whole paths of the sources stands whatever was believed, and where nothing
    /// fits, nothing is answered. Between the two, and where sources have to be joined, as by similarity: no call.
    Paths,
    /// The model names the edits: one call.
    Model,
    /// Code replaces every pseudo-triple by the source's most similar one, and deletes what has none: no call.
    Similarity,
    /// Nobody (the ablation "pseudo-graph without verification"): the answer rests on the model alone, and is marked so.
    Off,
}

/// Parameters of the pseudo-graph method; the defaults are the paper's where it has them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PseudoConfig {
    /// Triples of the sources taken for each pseudo-triple (10).
    pub nearest: usize,
    /// Entities whose triples resemble the pseudo-graph less than this on the mean are dropped (.7), unless the question names them.
    pub least_similarity: f32,
    /// Who corrects: code by whole paths, with which the default local model answers best; the paper asks the model.
    pub verification: Verification,
    /// By whole paths: where the best of them fits less than this (.2, as with `kerag`), the sources do not hold what is asked for.
    pub least_fit: f64,
    /// Whether the model composes every answer (the paper's way), also where the sources filled the node that the question asks for.
    pub always_compose: bool,
    /// Relations of the sources that the model is shown (24), those most like the question; 0: none, as in the paper.
    pub relations: usize,
    /// Whether all sources are asked; `false`: the first alone.
    pub all_sources: bool,
    /// Pseudo-triples that are looked up (40); of more, those nearest to the question.
    pub most_triples: usize,
    /// Triples along one step, and around the entities that are compared (600 a source).
    #[schemars(range(max = 600))]
    pub around: usize,
    /// Most triples of a graph that is compared as a whole, whatever the names (2,000).
    #[schemars(range(max = 2000))]
    pub whole: u64,
}

impl Default for PseudoConfig {
    fn default() -> Self {
        Self {
            nearest: 10,
            least_similarity: 0.7,
            verification: Verification::Paths,
            least_fit: 0.2,
            always_compose: false,
            relations: 24,
            all_sources: true,
            most_triples: 40,
            around: 600,
            whole: 2000,
        }
    }
}

/// What the model believes, and what kind of question it takes it for.
struct Belief {
    graph: PseudoGraph,
    open: bool,
}

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &PseudoConfig,
    planning: Planning<'_>,
) -> Result<Outcome, AnswerError> {
    let _ = planning;
    let belief = believe(context, question, config).await?;
    if config.verification == Verification::Off {
        return respond::from_belief(context, question, &belief).await;
    }
    let mut whole = match config.verification {
        Verification::Paths => Some(whole::plan(context, question, config).await?),
        Verification::Model | Verification::Similarity | Verification::Off => None,
    };
    if let Some(whole) = whole.take_if(|whole| whole.decides(belief.open, false)) {
        return whole.settle(context, question, &belief.graph, config).await;
    }
    let gold = {
        let _timer = context.ledger.enter(Stage::Retrieve);
        let found = query::query(context, question, &belief.graph, config).await?;
        gold::prune(context, &belief.graph, found, config)
    };
    let retrieved = Event::Retrieved { evidence: gold.evidence.len(), left_out: gold.left_out };
    context.trace.report(Stage::Retrieve, retrieved);
    let asks = wanted(question.text());
    let plain = !belief.open && asks.operation.is_none() && !asks.compares && !asks.checks;
    let marked =
        gold.answer.as_ref().filter(|marked| plain && !config.always_compose && marked.score >= SURE);
    if let Some(whole) = whole.filter(|whole| marked.is_none() && whole.decides(belief.open, true)) {
        return whole.settle(context, question, &belief.graph, config).await;
    }
    if gold.evidence.is_empty() {
        return Ok(Outcome::abstain(
            "no source says anything that resembles what was looked for",
            Vec::new(),
        ));
    }
    let corrected = {
        let _timer = context.ledger.enter(Stage::Critique);
        verify::verify(context, question, &belief.graph, &gold, config).await?
    };
    tell_of_contradictions(context, &corrected);
    match marked {
        Some(marked) => Ok(respond::from_marked(context, marked, corrected)),
        None => respond::from_evidence(context, question, corrected, belief.open).await,
    }
}

/// The pseudo-graph: one call. A reply without anything readable is an empty graph; the question's own names are looked up all the same.
async fn believe(
    context: &Context<'_>,
    question: &Question,
    config: &PseudoConfig,
) -> Result<Belief, AnswerError> {
    let _timer = context.ledger.enter(Stage::Plan);
    let relations = relations::offered(context, question, config).await?;
    let values = json!({ "relations": relations, "question": question.text() });
    let messages = Prompt::PseudoGraph.render(values)?;
    let messages = with_solved(context, question.text(), messages).await?;
    let mut request = ChatRequest::new("plan.pseudo", messages).with_max_tokens(MOST_REPLY);
    request.stop.push("Question:".into());
    let reply = context.chat(Stage::Plan, request).await?;
    let graph = PseudoGraph::read(&reply.text);
    let graph = loose::tied(context, question, graph).await?;
    let graph = query::nearest_to_question(context, question, graph, config.most_triples).await?;
    let said_open =
        graph.comment.as_deref().is_some_and(|comment| comment.trim().eq_ignore_ascii_case("open"));
    let believed: Vec<String> = graph.triples.iter().map(|triple| graph.names(triple).join(" | ")).collect();
    if believed.is_empty() {
        let reason = "the model wrote no graph that can be read; the question's own names are looked up";
        context.trace.report(Stage::Plan, Event::Degraded { reason: reason.into() });
    }
    context.trace.report(Stage::Plan, Event::Believed { triples: believed });
    // What asks for one node is no open question, whatever the model called it.
    let open = said_open && graph.asked.is_none();
    Ok(Belief { graph, open })
}

/// The least likeness of relations from which on what the sources filled in is the answer, without the model.
const SURE: f32 = 0.6;
/// Tokens of a pseudo-graph.
const MOST_REPLY: u32 = 500;
