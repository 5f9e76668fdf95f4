//! Pseudo-graphs (Liu et al., *Pseudo- and Multisource-Knowledge Graphs*, §3): the model writes what it believes as a small graph, code looks up
//! what the sources say of the same things, the model corrects its graph after that, and answers from the corrected one.
//!
//! 1. Pseudo-graph (§3.1): Cypher `CREATE` statements, read by [`PseudoGraph::read`]: one call.
//! 2. Semantic querying (§3.2.1, `query.rs`): the nearest triples of every pseudo-triple, over all sources; then two-step pruning
//!    (`gold.rs`): as many entities as there are pseudo-subjects, by hits, then those of enough similarity. No call.
//! 3. Verification (§3.2.2, `verify.rs`): delete, replace, add; every edit names the triple that caused it: one call, none by similarity.
//! 4. Answer (§3.3, `respond.rs`) from the corrected graph: one call.
//!
//! So 3 calls, 2 where similarity verifies or nothing does, 1 where the sources hold nothing about the question, which is an abstention.
//!
//! Where it differs from the paper: the pseudo-graph says where to look even where its names are wrong. What the question itself names is
//! looked up too, and what the sources state at one end of a pseudo-triple is taken for its other end, so that a chain of beliefs
//! with a wrong link still leads on. A corrected graph holds triples of the sources only.

mod gold;
mod query;
mod respond;
mod verify;

use quipu_model::ChatRequest;
use serde_json::json;

use crate::AnswerError;
use crate::answer::Note;
use crate::context::Context;
use crate::cypher::PseudoGraph;
use crate::methods::Outcome;
use crate::plan::with_solved;
use crate::prompts::Prompt;
use crate::question::Question;
use crate::trace::{Event, Stage};

/// Who corrects the pseudo-graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verification {
    /// The model names the edits: one call.
    Model,
    /// Code replaces every pseudo-triple by the source's most similar one, and deletes what has none: no call.
    Similarity,
    /// Nobody (the ablation "pseudo-graph without verification"): the answer rests on the model alone, and is marked so.
    Off,
}

/// Parameters of the pseudo-graph method; the defaults are the paper's where it has them.
#[derive(Debug, Clone, PartialEq)]
pub struct PseudoConfig {
    /// Triples of the sources taken for each pseudo-triple (10).
    pub nearest: usize,
    /// Entities whose triples resemble the pseudo-graph less than this on the mean are dropped (.7), unless the question names them.
    pub least_similarity: f32,
    /// Who corrects.
    pub verification: Verification,
    /// Whether all sources are asked; `false`: the first alone.
    pub all_sources: bool,
    /// Pseudo-triples that are looked up (40); of more, those nearest to the question.
    pub most_triples: usize,
    /// Triples around the entities of one step that are compared (600 a source).
    pub around: usize,
    /// Most triples of a graph that is compared as a whole, whatever the names (2,000).
    pub whole: u64,
}

impl Default for PseudoConfig {
    fn default() -> Self {
        Self {
            nearest: 10,
            least_similarity: 0.7,
            verification: Verification::Model,
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
) -> Result<Outcome, AnswerError> {
    let belief = believe(context, question).await?;
    if config.verification == Verification::Off {
        return respond::from_belief(context, question, &belief).await;
    }
    let gold = {
        let _timer = context.trace.enter(Stage::Retrieve);
        let hits = query::query(context, question, &belief.graph, config).await?;
        gold::prune(context, &belief.graph, hits, config)
    };
    let retrieved = Event::Retrieved { evidence: gold.evidence.len(), left_out: gold.left_out };
    context.trace.report(Stage::Retrieve, retrieved);
    if gold.evidence.is_empty() {
        return Ok(Outcome::abstain(
            "no source says anything that resembles what was looked for",
            Vec::new(),
        ));
    }
    let corrected = {
        let _timer = context.trace.enter(Stage::Critique);
        verify::verify(context, question, &belief.graph, &gold, config).await?
    };
    gold::tell_of_contradictions(context, &corrected);
    respond::from_evidence(context, question, corrected, belief.open).await
}

/// The pseudo-graph: one call. A reply without anything readable is an empty graph; the question's own names are looked up all the same.
async fn believe(context: &Context<'_>, question: &Question) -> Result<Belief, AnswerError> {
    let _timer = context.trace.enter(Stage::Plan);
    let messages = Prompt::PseudoGraph.render(json!({ "question": question.text() }))?;
    let messages = with_solved(context, question.text(), messages).await?;
    let mut request = ChatRequest::new("plan.pseudo", messages).with_max_tokens(MOST_REPLY);
    request.stop.push("Question:".into());
    let reply = context.chat(Stage::Plan, request).await?;
    let graph = PseudoGraph::read(&reply.text);
    let open = graph.comment.as_deref().is_some_and(|comment| comment.trim().eq_ignore_ascii_case("open"));
    let believed: Vec<String> = graph.triples.iter().map(|triple| graph.names(triple).join(" | ")).collect();
    if believed.is_empty() {
        let reason = "the model wrote no graph that can be read; the question's own names are looked up";
        context.trace.report(Stage::Plan, Event::Degraded { reason: reason.into() });
    }
    context.trace.report(Stage::Plan, Event::Believed { triples: believed });
    Ok(Belief { graph, open })
}

/// Tokens of a pseudo-graph.
const MOST_REPLY: u32 = 500;

/// Marks an answer that no source bears out.
fn mark_alone(context: &Context<'_>) {
    context.trace.note(Note::ModelAlone);
}
