//! StructGPT (Jiang et al., 2023), as KERAG compares with it (§5.1). The model reads the graph
//! through two interfaces: the relations around the current entities, and the triples along the
//! relation that it chose. It reads on until the triples hold the answer.
//!
//! In each hop one call chooses a relation and one judges whether the triples are enough; the last
//! hop needs no judgement. With D hops and the composition that is 2D calls at most. Entities with
//! a single relation need no choice. The topic entities come from the index.

use std::collections::HashSet;

use quipu_graph::NodeId;
use quipu_model::ChatRequest;
use quipu_stages::answer::{AnswerError, Event, Outcome, Question, Stage, cell};
use quipu_stages::compose::answer_from;
use quipu_stages::critique;
use quipu_stages::ledger::Context;
use quipu_stages::link::{NOTHING_LINKED, linked, nodes};
use quipu_stages::plan::{OfferedRelation, with_solved};
use quipu_stages::prompts::Prompt;
use quipu_stages::prune::{filter_by_similarity, pick_numbers, similarities};
use quipu_stages::retrieve::Walked;
use serde_json::json;

use super::walk::{MOST_OFFERED, along, evidence, offered};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most entities that go on, and most neighbours of each.
const MOST_NODES: usize = 100;
const MOST_NEIGHBOURS: usize = 100;
/// Names of the current entities that the model sees.
const MOST_NAMES: usize = 3;

/// Parameters of StructGPT.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StructGptConfig {
    /// Most hops (3).
    #[schemars(range(max = 5))]
    pub depth: u32,
}

impl Default for StructGptConfig {
    fn default() -> Self {
        Self { depth: 3 }
    }
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &StructGptConfig,
) -> Result<Outcome, AnswerError> {
    let anchors = linked(context, question).await?;
    if anchors.is_empty() {
        return Ok(Outcome::abstain(NOTHING_LINKED, Vec::new()));
    }
    let mut here = nodes(&anchors);
    let mut visited: HashSet<NodeId> = here.iter().copied().collect();
    let mut way: Vec<String> = Vec::new();
    let mut walked: Vec<Walked> = Vec::new();
    let mut enough = false;
    for hop in 1..=config.depth {
        if !context.has_calls_beyond(1) {
            break;
        }
        let Some(relation) = choose(context, question, &here, &way, hop).await? else { break };
        let triples = {
            let _timer = context.ledger.enter(Stage::Retrieve);
            along(context, &here, &[relation.step], MOST_NEIGHBOURS).await?
        };
        here =
            triples.iter().map(|(_, _, to)| *to).filter(|to| visited.insert(*to)).take(MOST_NODES).collect();
        walked.extend(triples);
        way.push(relation.describe());
        // The last call is kept for the answer, and after the last hop nothing more can be found.
        if here.is_empty() || hop == config.depth || !context.has_calls_beyond(1) {
            break;
        }
        let _timer = context.ledger.enter(Stage::Critique);
        let (facts, _) = evidence(context, &walked).await?;
        enough = critique::is_enough(context, question, &facts, hop, "critique.structgpt").await?;
        if enough {
            break;
        }
    }
    let found = evidence(context, &walked).await?;
    answer_from(context, question, found, if enough { 0.6 } else { 0.4 }).await
}

/// The relation to follow: one call, or none if there is only one relation. If the reply cannot be
/// read, the most similar relation.
async fn choose(
    context: &Context<'_>,
    question: &Question,
    here: &[NodeId],
    way: &[String],
    hop: u32,
) -> Result<Option<OfferedRelation>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Prune);
    let offered = offered(context, question.text(), here, MOST_OFFERED).await?;
    let relations: Vec<String> = offered.iter().map(OfferedRelation::describe).collect();
    context.trace.report(Stage::Plan, Event::Expanded { hop, relations: relations.clone() });
    let (mut picked, mut by) = (Vec::new(), "number");
    if offered.len() > 1 {
        by = "model";
        let named = here.get(..MOST_NAMES).unwrap_or(here);
        let names: Vec<String> =
            context.graph().summaries(named).await?.iter().map(|node| cell(&node.name)).collect();
        let values = json!({
            "most": 1, "question": question.text(), "at": names.join(" / "), "way": way.join("; "),
            "relations": relations,
        });
        let messages = with_solved(context, question.text(), Prompt::TogRelations.render(values)?).await?;
        let request = ChatRequest::new("prune.structgpt", messages);
        picked = pick_numbers(context, Stage::Prune, request, offered.len(), 1..=1).await?;
        if picked.is_empty() && context.embedder().is_some() {
            by = "similarity";
            picked = filter_by_similarity(&similarities(context, question.text(), &offered).await?, 1);
        }
    }
    let chosen = offered.get(picked.first().copied().unwrap_or(0)).cloned();
    let kept: Vec<String> = chosen.iter().map(OfferedRelation::describe).collect();
    let dropped = offered.len() - kept.len();
    context.trace.report(Stage::Prune, Event::Filtered { hop, kept, dropped, by: by.into() });
    Ok(chosen)
}
