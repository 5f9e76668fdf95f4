//! HybGRAG with a query instead of the router and the graph's retrieval. The query's rows are
//! ranked by their documents, and the critic judges the first one. If it rejects it, or no row has
//! a document, the text module takes over. Calls: the query's and one.

use quipu_graph::NodeId;
use quipu_stages::answer::{AnswerError, Outcome, Question, Refinement, Stage, Status};
use quipu_stages::compose::answer_from;
use quipu_stages::critique::says_yes;
use quipu_stages::ledger::Context;
use quipu_stages::planners::{QueryConfig, query};
use quipu_stages::prompts::Prompt;
use quipu_stages::retrieve::{Documents, nearest_snippets};
use serde_json::json;

use super::answer::{Ranked, answer};
use super::crag::accepts;
use super::found::{Found, UNVALIDATED, entries};
use super::published::{by_text, rank};
use super::{HybridConfig, Judge, Modules, report};

/// Snippets of one page in a batch; a page has about three.
const SNIPPETS_OF_PAGE: usize = 3;

pub(super) async fn run(
    context: &Context<'_>,
    question: &Question,
    documents: &Documents<'_>,
    config: &HybridConfig,
    planner: &QueryConfig,
) -> Result<Outcome, AnswerError> {
    let queried = match config.modules {
        Modules::Text => Outcome::default(),
        Modules::Both | Modules::Graph => query::run(context, question, planner).await?,
    };
    let keys: Vec<&str> = queried.table.iter().flat_map(keys).collect();
    let mut nodes: Vec<NodeId> = context.graph().resolve(&keys).await?.into_iter().flatten().collect();
    nodes.sort_unstable();
    nodes.dedup();
    let found = Found { entities: rank(documents, &nodes)? };
    // Without documents nothing is left for the rest of the method.
    if queried.status == Status::Answered && found.entities.is_empty() {
        return Ok(queried);
    }
    let first = entries(context, documents, &found, 1).await?.pop();
    let judge = Judge::of(context, config);
    let accepted = match (&first, judge) {
        (None, _) => false,
        (_, Judge::Nobody) => true,
        (_, Judge::Given(_)) => {
            let gold = judge.gold(context).await?;
            found.entities.first().is_some_and(|first| gold.contains(&first.node))
        }
        (Some(document), Judge::Model) => {
            let ways: Vec<String> =
                queried.readings.first().map(|way| way.words.clone()).into_iter().collect();
            let paths = if config.validation_context { ways } else { Vec::new() };
            let values = json!({
                "question": question.text(), "document": document, "paths": paths, "examples": [],
            });
            says_yes(context, "critique.validate", Prompt::HybridValidate.render(values)?).await?
        }
    };
    if let Some(document) = first {
        let probability = f64::from(u8::from(accepted));
        report(context, Stage::Critique, 1, Refinement::Validated { document, accepted, probability });
    }
    let (found, probability) = match accepted || config.modules == Modules::Graph {
        true => (found, if accepted { 1.0 } else { UNVALIDATED }),
        false => (by_text(documents)?, UNVALIDATED),
    };
    let evidence = if accepted { queried.evidence } else { Vec::new() };
    let ranked = Ranked { found, ways: Vec::new(), probability, evidence };
    let outcome = answer(context, question, documents, ranked, config).await?;
    Ok(Outcome { readings: queried.readings, ..outcome })
}

/// For entities without documents: the query's outcome if the validator accepts it, else an answer
/// from the pages that came with the question. Without pages, a rejected outcome stays with half
/// its confidence.
pub(super) async fn without_documents(
    context: &Context<'_>,
    question: &Question,
    config: &HybridConfig,
    planner: &QueryConfig,
) -> Result<Outcome, AnswerError> {
    let queried = query::run(context, question, planner).await?;
    let accepted = match Judge::of(context, config) {
        _ if queried.status == Status::Abstained => false,
        Judge::Model => accepts(context, question, &queried, config).await?,
        Judge::Nobody | Judge::Given(_) => true,
    };
    if accepted || context.pages.is_empty() {
        let confidence = if accepted { queried.confidence } else { queried.confidence * 0.5 };
        return Ok(Outcome { confidence, ..queried });
    }
    let snippets = config.batch * SNIPPETS_OF_PAGE;
    let evidence = nearest_snippets(context, question.text(), context.pages, snippets).await?;
    answer_from(context, question, (evidence, 0), UNVALIDATED).await
}

/// The keys of the entities in a table.
fn keys(table: &quipu_stages::answer::AnswerTable) -> impl Iterator<Item = &str> {
    table.rows.iter().flatten().flatten().filter_map(|value| value.key.as_deref())
}
