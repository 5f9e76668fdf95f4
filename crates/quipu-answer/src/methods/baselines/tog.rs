//! Think-on-Graph (Sun et al., 2024): a beam search in which the model chooses the next steps.
//!
//! In each hop the model picks the relations to follow for each of the N paths of the beam; the
//! `width` best entities along them go on; then the model judges whether the triples so far are
//! enough. With D hops this takes N·D calls for relations, D for sufficiency, one for the topic
//! entities and one for the answer: ND + D + 2, as the KERAG paper counts them (App. H). That is
//! the maximum: the first hop has only as many paths as topic entities, and a path with a single
//! relation needs no choice.
//!
//! Sentence embeddings prune the entities, one of the pruning tools that the paper itself compares
//! (its §3.2.3); pruning by model would take another N·D calls. The paper keeps only the chains of
//! the beam as evidence; here all triples along a surviving step are kept, so that lists can be
//! answered whole. The paper falls back on the model's knowledge; here the method abstains.

use quipu_graph::{NodeId, Step};
use quipu_model::{ChatRequest, ModelError};
use quipu_stages::answer::{AnswerError, Event, Outcome, Question, Stage, cell};
use quipu_stages::compose::answer_from;
use quipu_stages::critique;
use quipu_stages::ledger::Context;
use quipu_stages::link::{Anchor, Mentioned, NOTHING_LINKED, anchors_for_names, close_anchors, mentions};
use quipu_stages::plan::{OfferedRelation, Topic, read_topic, with_solved};
use quipu_stages::prompts::Prompt;
use quipu_stages::prune::{filter_by_similarity, pick_numbers, similarities};
use quipu_stages::retrieve::Walked;
use serde_json::json;

use super::walk::{MOST_OFFERED, evidence, offered, scores};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Neighbours along one step of one entity.
const MOST_NEIGHBOURS: usize = 50;
/// Names of the graph offered to the topic call.
const MOST_NAMES: usize = 6;
/// The factor on the score of each further relation that the model named.
const RANK_DISCOUNT: f32 = 0.7;

/// Parameters of Think-on-Graph; the defaults are the paper's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TogConfig {
    /// Paths kept after each hop, and relations picked for each (3).
    #[schemars(range(max = 10))]
    pub width: usize,
    /// Most hops (3).
    #[schemars(range(max = 5))]
    pub depth: u32,
}

impl Default for TogConfig {
    fn default() -> Self {
        Self { width: 3, depth: 3 }
    }
}

/// The end of a path of the beam.
struct End {
    node: NodeId,
    name: String,
    /// The path to it, in words.
    way: String,
    /// Entities on the way.
    visited: Vec<NodeId>,
    score: f32,
}

/// The ends of a picked relation.
struct Lead {
    /// Position of the path in the beam.
    from: usize,
    relation: OfferedRelation,
    to: Vec<NodeId>,
    weight: f32,
}

pub(in crate::methods) async fn run(
    context: &Context<'_>,
    question: &Question,
    config: &TogConfig,
) -> Result<Outcome, AnswerError> {
    let mut beam: Vec<End> = start(context, question).await?.into_iter().map(End::from).collect();
    if beam.is_empty() {
        return Ok(Outcome::abstain(NOTHING_LINKED, Vec::new()));
    }
    beam.truncate(config.width);
    let mut walked: Vec<Walked> = Vec::new();
    let mut enough = false;
    for hop in 1..=config.depth {
        let leads = prune_relations(context, question, &beam, hop, config).await?;
        let (next, triples) = prune_entities(context, question, &beam, leads, hop, config).await?;
        if next.is_empty() {
            break;
        }
        walked.extend(triples);
        beam = next;
        // The last call is kept for the answer.
        if !context.has_calls_beyond(1) {
            break;
        }
        enough = is_enough(context, question, &walked, hop).await?;
        if enough || hop == config.depth || !context.has_calls_beyond(1) {
            break;
        }
    }
    let found = evidence(context, &walked).await?;
    answer_from(context, question, found, if enough { 0.6 } else { 0.4 }).await
}

/// The topic entities: one call. The name index links the model's names. If it finds none of them,
/// the mentions that the index itself found are used.
async fn start(context: &Context<'_>, question: &Question) -> Result<Vec<Anchor>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Link);
    let detected = mentions(context, question.text()).await?;
    let names: Vec<String> =
        detected.iter().take(MOST_NAMES).filter_map(Mentioned::best).map(|a| cell(&a.name)).collect();
    let topic = match read_topic(context, question, &[], &names, &[]).await {
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
            let reason = format!("{error}; linked by the name index alone");
            context.trace.report(Stage::Plan, Event::Degraded { reason });
            Topic::default()
        }
        topic => topic?,
    };
    let named = anchors_for_names(context, question.text(), &topic.entities).await?;
    let linked = if named.is_empty() { detected } else { named };
    let events = linked.iter().map(Mentioned::to_event).collect();
    context.trace.report(Stage::Link, Event::Linked { mentions: events });
    Ok(close_anchors(&linked))
}

/// The relations to follow from each path: one call for each path.
async fn prune_relations(
    context: &Context<'_>,
    question: &Question,
    beam: &[End],
    hop: u32,
    config: &TogConfig,
) -> Result<Vec<Lead>, AnswerError> {
    let _timer = context.ledger.enter(Stage::Prune);
    let mut leads = Vec::new();
    for (from, end) in beam.iter().enumerate() {
        if !context.has_calls_beyond(1) {
            break;
        }
        let offered = offered(context, question.text(), &[end.node], MOST_OFFERED).await?;
        let relations = offered.iter().map(OfferedRelation::describe).collect();
        context.trace.report(Stage::Plan, Event::Expanded { hop, relations });
        let picked = pick(context, question, end, &offered, config.width).await?;
        let kept: Vec<String> =
            picked.iter().filter_map(|index| offered.get(*index)).map(OfferedRelation::describe).collect();
        let dropped = offered.len() - kept.len();
        context.trace.report(Stage::Prune, Event::Filtered { hop, kept, dropped, by: "model".into() });
        let mut weight = end.score;
        for relation in picked.into_iter().filter_map(|index| offered.get(index)) {
            let expanded =
                context.graph().expand(&[end.node], Some(&[relation.step]), MOST_NEIGHBOURS).await?;
            let neighbours = expanded.into_iter().flatten().flat_map(|expansion| expansion.nodes);
            let to = neighbours.filter(|node| !end.visited.contains(node)).collect();
            leads.push(Lead { from, relation: relation.clone(), to, weight });
            weight *= RANK_DISCOUNT;
        }
    }
    Ok(leads)
}

/// The relations to follow, best first. If the reply cannot be read, the most similar ones. A
/// single relation needs no choice.
async fn pick(
    context: &Context<'_>,
    question: &Question,
    end: &End,
    offered: &[OfferedRelation],
    width: usize,
) -> Result<Vec<usize>, AnswerError> {
    if offered.len() <= 1 {
        return Ok((0..offered.len()).collect());
    }
    let most = width.min(offered.len());
    let relations: Vec<String> = offered.iter().map(OfferedRelation::describe).collect();
    let values = json!({
        "most": most, "question": question.text(), "at": end.name, "way": end.way, "relations": relations,
    });
    let messages = with_solved(context, question.text(), Prompt::TogRelations.render(values)?).await?;
    let request = ChatRequest::new("prune.tog", messages);
    let picked = pick_numbers(context, Stage::Prune, request, offered.len(), most..=most).await?;
    if !picked.is_empty() || context.embedder().is_none() {
        return Ok(if picked.is_empty() { (0..offered.len().min(width)).collect() } else { picked });
    }
    let scores = similarities(context, question.text(), offered).await?;
    Ok(filter_by_similarity(&scores, width))
}

/// The paths that go on, and the triples along every step that one of them took.
async fn prune_entities(
    context: &Context<'_>,
    question: &Question,
    beam: &[End],
    leads: Vec<Lead>,
    hop: u32,
    config: &TogConfig,
) -> Result<(Vec<End>, Vec<Walked>), AnswerError> {
    let _timer = context.ledger.enter(Stage::Prune);
    let mut candidates: Vec<(usize, Walked)> = Vec::new();
    for (index, lead) in leads.iter().enumerate() {
        let Some(from) = beam.get(lead.from) else { continue };
        candidates.extend(lead.to.iter().map(|to| (index, (from.node, lead.relation.step, *to))));
    }
    let triples: Vec<Walked> = candidates.iter().map(|(_, triple)| *triple).collect();
    let scores = scores(context, question.text(), &triples).await?;
    let score = |at: usize| {
        let weight =
            candidates.get(at).and_then(|(lead, _)| leads.get(*lead)).map_or(0.0, |lead| lead.weight);
        weight * scores.get(at).copied().unwrap_or(1.0).max(0.01)
    };
    let mut ranked: Vec<usize> = (0..candidates.len()).collect();
    ranked.sort_by(|a, b| score(*b).total_cmp(&score(*a)).then(a.cmp(b)));
    let mut next: Vec<End> = Vec::new();
    let mut taken: Vec<usize> = Vec::new();
    let names = context.graph().summaries(&triples.iter().map(|t| t.2).collect::<Vec<_>>()).await?;
    for at in ranked {
        let (Some((lead_at, (_, step, to))), Some(name)) = (candidates.get(at), names.get(at)) else {
            continue;
        };
        let (Some(lead), true) = (leads.get(*lead_at), next.len() < config.width) else { continue };
        let Some(from) = beam.get(lead.from).filter(|_| next.iter().all(|end| end.node != *to)) else {
            continue;
        };
        next.push(from.along(&lead.relation, *step, *to, &cell(&name.name), score(at)));
        if !taken.contains(lead_at) {
            taken.push(*lead_at);
        }
    }
    let kept = next.iter().map(|end| end.name.clone()).collect();
    let dropped = candidates.len() - next.len();
    context.trace.report(Stage::Prune, Event::Filtered { hop, kept, dropped, by: "similarity".into() });
    let along = candidates.into_iter().filter(|(lead, _)| taken.contains(lead)).map(|(_, triple)| triple);
    Ok((next, along.collect()))
}

/// Whether the triples so far hold the answer: one call.
async fn is_enough(
    context: &Context<'_>,
    question: &Question,
    walked: &[Walked],
    hop: u32,
) -> Result<bool, AnswerError> {
    let _timer = context.ledger.enter(Stage::Critique);
    let (evidence, _) = evidence(context, walked).await?;
    critique::is_enough(context, question, &evidence, hop, "critique.tog").await
}

impl End {
    fn along(&self, relation: &OfferedRelation, step: Step, to: NodeId, name: &str, score: f32) -> Self {
        let (here, there) = (self.name.as_str(), name);
        let words = match step.direction {
            quipu_graph::Direction::Forward => format!("{here} - {} -> {there}", relation.relation),
            quipu_graph::Direction::Backward => format!("{there} - {} -> {here}", relation.relation),
        };
        let way = if self.way.is_empty() { words } else { format!("{}; {words}", self.way) };
        let mut visited = self.visited.clone();
        visited.push(to);
        Self { node: to, name: name.to_owned(), way, visited, score }
    }
}

impl From<Anchor> for End {
    fn from(anchor: Anchor) -> Self {
        Self {
            node: anchor.node,
            name: cell(&anchor.name),
            way: String::new(),
            visited: vec![anchor.node],
            score: 1.0,
        }
    }
}
