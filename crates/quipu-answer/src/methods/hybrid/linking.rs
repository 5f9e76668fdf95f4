//! Links the model's extraction to the graph: names become entities, unknown relations become the
//! nearest known ones, and long lists are cut to the first few. Each change is reported.

use std::collections::HashSet;

use quipu_graph::{Direction, Graph, NodeId, RelationId, RelationRole, Step};
use quipu_index::{LookupConfig, inner_product};
use quipu_language::normalise;
use quipu_stages::answer::{AnswerError, CandidateEvent, Event, MentionEvent, Refinement, Stage, cell};
use quipu_stages::ledger::Context;
use quipu_stages::plan::common_types;
use serde::Deserialize;
use serde_json::{Value, json};

use super::report;

/// Entities and relations used from one reply; a small model that repeats itself names a hundred.
const MOST_ENTITIES: usize = 5;
const MOST_RELATIONS: usize = 8;
/// A candidate may match worse than the best one by this much and still be a sense of the name.
const NEAR_NAME: f64 = 0.02;

/// Kinds of entities and relations shown to the model, the most frequent first: as many as fit a
/// context of 8,192 tokens.
const TYPES_SHOWN: usize = 40;
pub(super) const RELATIONS_SHOWN: usize = 80;

/// The graph's kinds of entities and relations, as shown to the model.
pub(super) async fn vocabulary(graph: &dyn Graph) -> Result<(Vec<String>, Vec<String>), AnswerError> {
    let mut relations: Vec<_> =
        graph.relations().iter().filter(|r| r.role == RelationRole::Ordinary).collect();
    relations.sort_by(|a, b| b.triples.cmp(&a.triples).then_with(|| a.name.cmp(&b.name)));
    let relations = relations.iter().take(RELATIONS_SHOWN).map(|relation| cell(&relation.name)).collect();
    Ok((common_types(graph, TYPES_SHOWN).await?, relations))
}

/// The model's extraction.
#[derive(Deserialize, Default)]
pub(super) struct Extraction {
    #[serde(default)]
    pub(super) entities: Vec<ExtractedEntity>,
    #[serde(default)]
    pub(super) relations: Vec<String>,
}

#[derive(Deserialize)]
pub(super) struct ExtractedEntity {
    pub(super) name: String,
    #[serde(default)]
    pub(super) category: String,
}

/// A topic entity.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Named {
    /// The name as the model wrote it.
    pub(super) name: String,
    /// The senses of the name: nodes with their names.
    pub(super) senses: Vec<(NodeId, String)>,
}

/// The topic entities and useful relations that the graph has.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Linked {
    pub(super) entities: Vec<Named>,
    /// Names of the useful relations.
    pub(super) relations: Vec<String>,
    /// Both directions of each relation; of all relations if none is named.
    pub(super) steps: Vec<Step>,
}

/// The JSON schema of an extraction.
pub(super) fn extraction_schema() -> Value {
    let named = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "maxLength": 120 },
            "category": { "type": "string", "maxLength": 60 },
        },
        "required": ["name", "category"],
    });
    let relation = json!({ "type": "string", "maxLength": 120 });
    json!({
        "type": "object",
        "properties": {
            "entities": { "type": "array", "items": named, "maxItems": MOST_ENTITIES },
            "relations": { "type": "array", "items": relation, "maxItems": MOST_RELATIONS },
        },
        "required": ["entities", "relations"],
    })
}

/// Links the names, each to at most `most_senses` entities.
///
/// # Errors
/// The graph's and the indexes'.
pub(super) async fn link(
    context: &Context<'_>,
    round: usize,
    extraction: Extraction,
    most_senses: usize,
) -> Result<Linked, AnswerError> {
    let tell = |step: String| report(context, Stage::Plan, round, Refinement::Relaxed { step });
    let Extraction { mut entities, mut relations } = extraction;
    let mut seen = HashSet::new();
    entities.retain(|entity| !entity.name.trim().is_empty() && seen.insert(normalise(&entity.name)));
    seen.clear();
    relations.retain(|name| !name.trim().is_empty() && seen.insert(normalise(name)));
    if entities.len() > MOST_ENTITIES {
        tell(format!("{} entities named: the first {MOST_ENTITIES} are looked at", entities.len()));
    }
    if relations.len() > MOST_RELATIONS {
        tell(format!("{} relations named: the first {MOST_RELATIONS} are looked at", relations.len()));
    }
    relations.truncate(MOST_RELATIONS);
    let (mut named, mut mentions) = (Vec::new(), Vec::new());
    for ExtractedEntity { name, category } in entities.into_iter().take(MOST_ENTITIES) {
        let lookup = LookupConfig { k: most_senses, ..LookupConfig::default() };
        let found = context.workspace.lookup(&name, &lookup).await?;
        let best = found.first().map_or(0.0, |candidate| candidate.score);
        // The senses of the name itself, or of the nearest names if no entity has this name.
        let near: Vec<_> =
            found.into_iter().filter(|candidate| candidate.score >= best - NEAR_NAME).collect();
        let candidate = |found: &quipu_index::Candidate| CandidateEvent {
            name: found.name.clone(),
            score: found.score,
            reason: "named by the router".into(),
        };
        mentions.push(MentionEvent { text: name.clone(), candidates: near.iter().map(candidate).collect() });
        let senses = near.into_iter().map(|candidate| (candidate.node, candidate.name)).collect();
        let senses = of_category(context, senses, &category).await?;
        if senses.is_empty() {
            tell(format!("no entity is called {}: it is left out", cell(&name)));
        } else {
            named.push(Named { name: cell(&name), senses });
        }
    }
    context.trace.report(Stage::Link, Event::Linked { mentions });
    let (steps, relations) = steps_called(context, round, &relations).await?;
    Ok(Linked { entities: named, relations, steps })
}

/// The senses of the kind that the model gave; all senses if none is of that kind.
async fn of_category(
    context: &Context<'_>,
    senses: Vec<(NodeId, String)>,
    category: &str,
) -> Result<Vec<(NodeId, String)>, AnswerError> {
    let graph = context.graph();
    let nodes: Vec<NodeId> = senses.iter().map(|(node, _)| *node).collect();
    let summaries = graph.summaries(&nodes).await?;
    let types: Vec<NodeId> = summaries.iter().flat_map(|summary| summary.types.clone()).collect();
    let named = graph.summaries(&types).await?;
    let wanted: HashSet<NodeId> = named
        .into_iter()
        .filter(|kind| normalise(&kind.name) == normalise(category))
        .map(|kind| kind.node)
        .collect();
    let of_kind: HashSet<NodeId> = summaries
        .into_iter()
        .filter(|summary| summary.types.iter().any(|kind| wanted.contains(kind)))
        .map(|summary| summary.node)
        .collect();
    match of_kind.is_empty() {
        true => Ok(senses),
        false => Ok(senses.into_iter().filter(|(node, _)| of_kind.contains(node)).collect()),
    }
}

/// Both directions of the relations with these names, and the relations' names. An unknown name
/// stands for the nearest relation, which is reported. Without any relation, the steps of all
/// relations.
async fn steps_called(
    context: &Context<'_>,
    round: usize,
    named: &[String],
) -> Result<(Vec<Step>, Vec<String>), AnswerError> {
    let relations = context.graph().relations();
    let ordinary = relations.iter().enumerate().filter(|(_, r)| r.role == RelationRole::Ordinary);
    let ordinary: Vec<(usize, &str)> = ordinary.map(|(at, r)| (at, r.name.as_str())).collect();
    let mut chosen: Vec<(usize, &str)> = Vec::new();
    for name in named {
        let same = |(_, other): &&(usize, &str)| normalise(other) == normalise(name);
        let mut found: Vec<(usize, &str)> = ordinary.iter().filter(same).copied().collect();
        if found.is_empty() {
            let nearest = nearest_relation(context, name, &ordinary).await?;
            let to = nearest.map_or("none", |(_, name)| name);
            let step = Refinement::Mapped { relation: cell(name), to: cell(to) };
            report(context, Stage::Plan, round, step);
            found.extend(nearest);
        }
        for relation in found {
            if !chosen.contains(&relation) {
                chosen.push(relation);
            }
        }
    }
    let mut names: Vec<String> = chosen.iter().map(|(_, name)| cell(name)).collect();
    names.dedup();
    if chosen.is_empty() {
        chosen = ordinary;
    }
    let both = |(at, _): (usize, &str)| {
        let relation = RelationId(u32::try_from(at).unwrap_or(u32::MAX));
        [Direction::Forward, Direction::Backward].map(|direction| Step { relation, direction })
    };
    Ok((chosen.into_iter().flat_map(both).collect(), names))
}

async fn nearest_relation<'r>(
    context: &Context<'_>,
    name: &str,
    relations: &[(usize, &'r str)],
) -> Result<Option<(usize, &'r str)>, AnswerError> {
    if context.embedder().is_none() || relations.is_empty() {
        let words = normalise(name);
        let shared = |other: &str| {
            normalise(other).split(' ').filter(|word| words.split(' ').any(|w| w == *word)).count()
        };
        let best = relations.iter().max_by_key(|(_, other)| shared(other));
        return Ok(best.copied().filter(|(_, other)| shared(other) > 0));
    }
    let mut texts = vec![name];
    texts.extend(relations.iter().map(|(_, name)| *name));
    let rows = context.embed(Stage::Plan, &texts).await?;
    let similarity = |at: usize| inner_product(rows.row(0), rows.row(at + 1));
    let best = (0..relations.len()).max_by(|a, b| similarity(*a).total_cmp(&similarity(*b)));
    Ok(best.and_then(|at| relations.get(at)).copied())
}
