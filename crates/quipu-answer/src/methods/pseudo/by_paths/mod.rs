//! Our version of pseudo-graphs (`--planner paths`): the model may leave entities unknown and sees
//! the names of the sources' relations. Whole paths of the sources, and the triples found by
//! following the pseudo-graph, correct it.
//!
//! 1. Pseudo-graph: one call. Its loose ends are tied (`loose.rs`).
//! 2. Whole paths of the sources (`whole.rs`), no call: a path that fits the question's own words
//!    decides, whatever the model believed; if no path fits, the method abstains. A path never
//!    answers an open question.
//! 3. Following (`follow.rs`, `query.rs`), no call: the sources' triples along a pseudo-triple give
//!    its other end, whatever the model believed. Pruning (`gold.rs`) keeps the followed triples.
//! 4. Correction by similarity (`verify.rs`), no call: a corrected graph holds only triples of the
//!    sources.
//! 5. Answer (`respond.rs`): no call if the sources filled the node that the question asks for,
//!    else one.

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

use futures::FutureExt as _;
use quipu_language::wanted;
use quipu_model::ChatRequest;
use quipu_query::PseudoGraph;
use quipu_stages::answer::{AnswerError, Event, Outcome, Question, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::plan::with_solved;
use quipu_stages::planners::PathsConfig;
use quipu_stages::prompts::Prompt;
use quipu_stages::sources::tell_of_contradictions;
use serde_json::json;

use super::{PseudoConfig, Verification};

/// The model's beliefs, and whether it considers the question open.
struct Belief {
    graph: PseudoGraph,
    open: bool,
}

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &PseudoConfig,
    paths: &PathsConfig,
) -> Result<Outcome, AnswerError> {
    let belief = believe(context, question, config).await?;
    let mut whole = None;
    if config.verification != Verification::Similarity {
        whole = Some(whole::plan(context, question, config, paths).boxed().await?);
    }
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
        return Ok(Outcome::abstain("no source has triples similar to the model's graph", Vec::new()));
    }
    let corrected = {
        let _timer = context.ledger.enter(Stage::Critique);
        verify::corrected(context, &belief.graph, &gold)
    };
    tell_of_contradictions(context, &corrected);
    match marked {
        Some(marked) => Ok(respond::from_marked(context, marked, corrected)),
        None => respond::from_evidence(context, question, corrected, belief.open).await,
    }
}

/// The pseudo-graph: one call. An unreadable reply gives an empty graph; the question's own names
/// are looked up anyway.
async fn believe(
    context: &Context<'_>,
    question: &Question,
    config: &PseudoConfig,
) -> Result<Belief, AnswerError> {
    let _timer = context.ledger.enter(Stage::Plan);
    let relations = relations::offered(context, question, config).await?;
    let values = json!({ "relations": relations, "question": question.text() });
    let messages = Prompt::PseudoSketch.render(values)?;
    let messages = with_solved(context, question.text(), messages).await?;
    let mut request = ChatRequest::new("plan.pseudo", messages).with_max_tokens(MOST_REPLY);
    request.stop.push("Question:".into());
    let reply = context.chat(Stage::Plan, request).await?;
    let graph = PseudoGraph::read(&reply.text);
    let graph = loose::tied(context, question, graph).await?;
    let graph = hits::nearest_to_question(context, question, graph, config.most_triples).await?;
    let said_open =
        graph.comment.as_deref().is_some_and(|comment| comment.trim().eq_ignore_ascii_case("open"));
    let believed: Vec<String> = graph.triples.iter().map(|triple| graph.names(triple).join(" | ")).collect();
    if believed.is_empty() {
        let reason = "the model's graph cannot be read; the names in the question are looked up instead";
        context.trace.report(Stage::Plan, Event::Degraded { reason: reason.into() });
    }
    context.trace.report(Stage::Plan, Event::Believed { triples: believed });
    // A question that asks for one node is not open, whatever the model says.
    let open = said_open && graph.asked.is_none();
    Ok(Belief { graph, open })
}

/// From this similarity of relations on, the entities that the sources filled in are the answer,
/// without a model call.
const SURE: f32 = 0.6;
/// Tokens of a pseudo-graph.
const MOST_REPLY: u32 = 500;
