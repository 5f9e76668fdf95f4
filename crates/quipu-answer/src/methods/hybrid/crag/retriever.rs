//! The retrieval modules without documents (HybGRAG App. C.1.1): the entities' ego-graphs along the
//! useful relations, or the next batch of pages.

use std::collections::HashMap;

use quipu_graph::{NodeId, Step};
use quipu_index::inner_product;
use quipu_stages::answer::{AnswerError, Evidence, Question, Refinement, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::plan::Scope;
use quipu_stages::retrieve::{nearest_snippets, ranked_pages, retrieve_scope};

use super::router::Action;
use crate::methods::hybrid::{HybridConfig, report};

/// Most entities expanded in a second hop if each costs a request.
const MOST_ASKED: usize = 12;
/// Snippets of one page in the reference.
const SNIPPETS_OF_PAGE: usize = 3;

/// The evidence from the action's source.
///
/// # Errors
/// The graph's and the embedder's.
pub(super) async fn retrieve(
    context: &Context<'_>,
    question: &Question,
    round: usize,
    action: &Action,
    config: &HybridConfig,
) -> Result<Vec<Evidence>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Retrieve);
    let evidence = match action.is_text {
        true => batch(context, question, action.batch, config.batch).await?,
        false => around(context, question, action, config.requirements.radius).await?,
    };
    report(context, Stage::Retrieve, round, Refinement::Retrieved { entities: evidence.len() });
    Ok(evidence)
}

/// The snippets of one batch of pages, the pages in the order of their similarity to the question.
async fn batch(
    context: &Context<'_>,
    question: &Question,
    batch: usize,
    size: usize,
) -> Result<Vec<Evidence>, AnswerError> {
    let ranked = ranked_pages(context, question.text(), context.pages).await?;
    let pages: Vec<_> = ranked.into_iter().skip(batch * size).take(size).cloned().collect();
    nearest_snippets(context, question.text(), &pages, pages.len() * SNIPPETS_OF_PAGE).await
}

/// The triples of the ego-graphs; of too many, those along the relations most similar to the
/// question.
async fn around(
    context: &Context<'_>,
    question: &Question,
    action: &Action,
    radius: usize,
) -> Result<Vec<Evidence>, AnswerError> {
    let (nodes, steps) = (action.nodes(), &action.linked.steps);
    if nodes.is_empty() {
        return Ok(Vec::new());
    }
    let graph = context.graph();
    let mut hops = vec![steps.clone()];
    let first = graph.expand(&nodes, Some(steps), MOST_ASKED + 1).await?;
    let ends = first.into_iter().flatten().flat_map(|expansion| expansion.nodes);
    let entities: Vec<NodeId> = ends.filter(|node| !graph.is_literal(*node)).collect();
    let few = !graph.asks_for_each_node() || entities.len() <= MOST_ASKED;
    if radius > 1 && few {
        hops.resize(radius, steps.clone());
    }
    let relevance = likeness(context, question, steps).await?;
    let budget = context.limits.evidence_tokens;
    Ok(retrieve_scope(context, &nodes, &Scope { hops }, &relevance, budget).await?.evidence)
}

/// The similarity of each relation with the question.
async fn likeness(
    context: &Context<'_>,
    question: &Question,
    steps: &[Step],
) -> Result<HashMap<Step, f32>, AnswerError> {
    if context.embedder().is_none() {
        return Ok(HashMap::new());
    }
    let name = |step: &Step| {
        let at = usize::try_from(step.relation.0).unwrap_or(usize::MAX);
        context.graph().relations().get(at).map_or("", |relation| relation.name.as_str())
    };
    let mut texts = vec![question.text()];
    texts.extend(steps.iter().map(name));
    let rows = context.embed(Stage::Retrieve, &texts).await?;
    let cosine = |row: &[f32]| inner_product(rows.row(0), row);
    Ok(steps.iter().copied().zip(rows.rows().skip(1).map(cosine)).collect())
}
