//! Corrective RAG (Yan et al., 2024) without a trained evaluator, as HybGRAG compares with it (App.
//! C.1.2). It retrieves text first; a model judges the passages correct, ambiguous or incorrect;
//! incorrect ones are replaced by triples of the graph; the answer is composed step by step.
//!
//! Calls: 2 if the passages are correct (judge, compose), 3 if not (judge, relations, compose), 2
//! if there are no passages to judge (relations, compose). Ambiguous passages stay beside the
//! graph's triples, as in the original. The start entities come from the indexes, as for every
//! baseline here. The model chooses the relations; the ego-graph along them has a radius of two
//! hops, as in HybGRAG's own graph module.

use std::collections::HashMap;

use quipu_graph::{Direction, RelationId, Step};
use quipu_index::SearchMode;
use quipu_model::{ChatRequest, Constraint};
use serde_json::json;

use quipu_stages::answer::{AnswerError, Event, Evidence, Outcome, Question, Stage, cell, to_markdown};
use quipu_stages::compose::answer_from;
use quipu_stages::ledger::Context;
use quipu_stages::link::{Anchor, NOTHING_LINKED, linked, mask, nodes};
use quipu_stages::plan::{Frontier, OfferedRelation, Scope, with_solved};
use quipu_stages::prompts::Prompt;
use quipu_stages::prune::{filter_by_similarity, pick_numbers, relevance, similarities};
use quipu_stages::retrieve::{retrieve_passages, retrieve_scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most relations offered; of more, the most similar to the question.
const MOST_OFFERED: usize = 40;

/// Parameters of Corrective RAG.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CorrectiveConfig {
    /// Passages of the text module (10).
    pub passages: usize,
    /// Radius of the graph module's ego-graph (2).
    #[schemars(range(max = 2))]
    pub radius: usize,
    /// Most relations that the model chooses (6).
    pub relations: usize,
}

impl Default for CorrectiveConfig {
    fn default() -> Self {
        Self { passages: 10, radius: 2, relations: 6 }
    }
}

/// The evaluator's verdict on the passages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worth {
    Correct,
    Ambiguous,
    Incorrect,
}

impl Worth {
    const ALL: [(&'static str, Self); 3] =
        [("incorrect", Self::Incorrect), ("ambiguous", Self::Ambiguous), ("correct", Self::Correct)];
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &CorrectiveConfig,
) -> Result<Outcome, AnswerError> {
    let anchors = linked(context, question).await?;
    let mut evidence = {
        let _timer = context.ledger.enter(Stage::Retrieve);
        retrieve_passages(context, question.text(), &nodes(&anchors), SearchMode::Hybrid, config.passages)
            .await?
    };
    let worth =
        if evidence.is_empty() { Worth::Incorrect } else { judge(context, question, &evidence).await? };
    if worth == Worth::Correct {
        return answer_from(context, question, (evidence, 0), 0.5).await;
    }
    if worth == Worth::Incorrect {
        evidence.clear();
    }
    if anchors.is_empty() && evidence.is_empty() {
        return Ok(Outcome::abstain(NOTHING_LINKED, evidence));
    }
    let (triples, left_out) = graph_module(context, question, &anchors, &evidence, config).await?;
    evidence.extend(triples);
    answer_from(context, question, (evidence, left_out), 0.5).await
}

/// The evaluator: one call. A reply with none of the three words counts as ambiguous, which loses
/// nothing.
async fn judge(
    context: &Context<'_>,
    question: &Question,
    passages: &[Evidence],
) -> Result<Worth, AnswerError> {
    let _timer = context.ledger.enter(Stage::Critique);
    let values = json!({ "facts": to_markdown(passages), "question": question.text() });
    let words = Worth::ALL.iter().map(|(word, _)| (*word).to_owned()).collect();
    let request = ChatRequest::new("critique.passages", Prompt::CorrectiveJudge.render(values)?)
        .with_constraint(Constraint::Choice(words))
        .with_max_tokens(4);
    let said = context.chat(Stage::Critique, request).await?.text.to_lowercase();
    let found = Worth::ALL.iter().find(|(word, _)| said.contains(word));
    let (verdict, worth) = found.copied().unwrap_or(("ambiguous", Worth::Ambiguous));
    context.trace.report(Stage::Critique, Event::Judged { hop: 0, verdict: format!("passages {verdict}") });
    Ok(worth)
}

/// The graph module: one call for the useful relations, then the ego-graph along them, within the
/// part of the budget that `beside` leaves.
async fn graph_module(
    context: &Context<'_>,
    question: &Question,
    anchors: &[Anchor],
    beside: &[Evidence],
    config: &CorrectiveConfig,
) -> Result<(Vec<Evidence>, usize), AnswerError> {
    let (offered, scores) = offered(context, question, anchors, config.radius).await?;
    if offered.is_empty() {
        return Ok((Vec::new(), 0));
    }
    let chosen = {
        let _timer = context.ledger.enter(Stage::Prune);
        let relations: Vec<String> = offered.iter().map(OfferedRelation::describe).collect();
        let start = anchors.iter().map(|anchor| cell(&anchor.name)).collect::<Vec<_>>().join(", ");
        let values = json!({
            "most": config.relations, "start": start, "relations": relations, "question": question.text(),
        });
        let messages = Prompt::CorrectiveRelations.render(values)?;
        let messages = with_solved(context, question.text(), messages).await?;
        let request = ChatRequest::new("prune.useful", messages);
        pick_numbers(context, Stage::Prune, request, offered.len(), 1..=config.relations).await?
    };
    // An unreadable reply chooses nothing: then all relations are followed, the most similar first.
    let chosen: Vec<usize> = if chosen.is_empty() { (0..offered.len()).collect() } else { chosen };
    let chosen: Vec<&OfferedRelation> = chosen.iter().filter_map(|index| offered.get(*index)).collect();
    let kept: Vec<String> = chosen.iter().map(|relation| relation.describe()).collect();
    let dropped = offered.len() - kept.len();
    context.trace.report(Stage::Prune, Event::Filtered { hop: 0, kept, dropped, by: "model".into() });
    let _timer = context.ledger.enter(Stage::Retrieve);
    let steps = both_ways(chosen.iter().map(|relation| relation.step.relation));
    let scope = Scope { hops: vec![steps; config.radius] };
    let relevance = both_ways_relevance(relevance(&offered, &scores));
    let spent = context.count_tokens(&to_markdown(beside));
    let budget = context.limits.evidence_tokens.saturating_sub(spent);
    let found = retrieve_scope(context, &nodes(anchors), &scope, &relevance, budget).await?;
    Ok((found.evidence, found.left_out))
}

/// The relations up to `radius` hops around the anchors, each once, with their similarity to the
/// question.
async fn offered(
    context: &Context<'_>,
    question: &Question,
    anchors: &[Anchor],
    radius: usize,
) -> Result<(Vec<OfferedRelation>, Vec<f32>), AnswerError> {
    let graph = context.graph();
    let mut offered: Vec<OfferedRelation> = Vec::new();
    let mut frontier = Frontier::at(graph, &nodes(anchors)).await?;
    for _ in 0..radius {
        let next = frontier.expand(graph).await?;
        let steps: Vec<Step> = next.iter().map(|relation| relation.step).collect();
        for relation in next {
            if offered.iter().all(|known| known.step.relation != relation.step.relation) {
                offered.push(relation);
            }
        }
        frontier.advance(graph, &steps).await?;
        if frontier.is_empty() {
            break;
        }
    }
    let hop = u32::try_from(radius).unwrap_or(u32::MAX);
    let relations = offered.iter().map(OfferedRelation::describe).collect();
    context.trace.report(Stage::Plan, Event::Expanded { hop, relations });
    if context.embedder().is_none() {
        offered.truncate(MOST_OFFERED);
        return Ok((offered, Vec::new()));
    }
    let scores = similarities(context, &mask(question.text(), anchors), &offered).await?;
    let kept = filter_by_similarity(&scores, MOST_OFFERED);
    let pairs = kept.into_iter().filter_map(|index| Some((offered.get(index)?.clone(), *scores.get(index)?)));
    Ok(pairs.unzip())
}

fn both_ways(relations: impl Iterator<Item = RelationId>) -> Vec<Step> {
    let directions = [Direction::Forward, Direction::Backward];
    relations.flat_map(|relation| directions.map(|direction| Step { relation, direction })).collect()
}

fn both_ways_relevance(relevance: HashMap<Step, f32>) -> HashMap<Step, f32> {
    let pairs = relevance.into_iter().flat_map(|(step, score)| {
        both_ways(std::iter::once(step.relation)).into_iter().map(move |step| (step, score))
    });
    pairs.collect()
}
