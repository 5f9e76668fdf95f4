//! Names of the sources' relations that the question may need. A model that sees them writes a
//! pseudo-graph that can be looked up.

use std::collections::{HashMap, HashSet};

use quipu_graph::{NodeId, RelationInfo, RelationRole};
use quipu_index::inner_product;
use quipu_stages::answer::{AnswerError, Question, Stage, cell};
use quipu_stages::ledger::{Context, is_down};
use quipu_stages::link::RelationVectors;
use quipu_stages::link::{mentions, shape_of};
use quipu_stages::plan::Cards;
use quipu_stages::retrieve::nearby_triples;

use super::PseudoConfig;

/// If a graph has more relations than this, only those around the question's entities are offered.
const ALL: usize = 200;
/// Hops around the question's entities, neighbours along each relation of an entity, and most
/// triples read in total.
const HOPS: usize = 2;
const EACH: usize = 3;
const NEARBY: usize = 600;

/// The relations as `(film)-[:DIRECTED_BY]->(person)`, or by name alone if no card gives their
/// kinds; those most similar to the question, sorted by name. A source that cannot be read offers
/// none; the failure is reported when it is queried.
///
/// # Errors
/// The embedder's.
pub(super) async fn offered(
    context: &Context<'_>,
    question: &Question,
    config: &PseudoConfig,
) -> Result<Vec<String>, AnswerError> {
    if config.relations == 0 {
        return Ok(Vec::new());
    }
    let sources = if config.all_sources { context.sources() } else { vec![context.alone()] };
    let mut by_name: HashMap<String, String> = HashMap::new();
    for source in &sources {
        let around = match around(source, question).await {
            Err(error) if is_down(&error) => Vec::new(),
            around => around?,
        };
        for info in around {
            by_name.entry(info.name.clone()).or_insert_with(|| described(source, info));
        }
    }
    let mut names: Vec<(String, String)> = by_name.into_iter().collect();
    names.sort_unstable();
    if names.len() > config.relations {
        let mentioned = mentions(context, question.text()).await?;
        let masked = shape_of(question.text(), mentioned.into_iter().map(|mention| mention.span));
        names = nearest(context, &masked, names, config.relations).await?;
    }
    Ok(names.into_iter().map(|(_, shown)| shown).collect())
}

/// The ordinary relations of a source: all, or those near the question's entities.
async fn around<'c>(
    context: &Context<'c>,
    question: &Question,
) -> Result<Vec<&'c RelationInfo>, AnswerError> {
    let relations = context.graph().relations();
    let ordinary = |info: &&RelationInfo| info.role == RelationRole::Ordinary;
    if relations.iter().filter(ordinary).count() <= ALL {
        return Ok(relations.iter().filter(ordinary).collect());
    }
    let mentioned = mentions(context, question.text()).await?;
    let nodes: Vec<NodeId> = mentioned.iter().filter_map(|mention| Some(mention.best()?.node)).collect();
    let nearby = nearby_triples(context.graph(), &nodes, HOPS, EACH, NEARBY).await?;
    let used: HashSet<u32> = nearby.iter().map(|(_, step, _)| step.relation.0).collect();
    let used = used.into_iter().filter_map(|at| relations.get(usize::try_from(at).ok()?));
    Ok(used.filter(ordinary).collect())
}

fn described(context: &Context<'_>, info: &RelationInfo) -> String {
    // In the spelling of a pseudo-graph; its reader turns it into words again.
    let words = cell(&info.name);
    let parts: Vec<String> = words
        .split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(str::to_uppercase)
        .collect();
    let name = parts.join("_");
    match context.memory::<Cards>().get(&info.key) {
        Some(card) if !card.head_kind.is_empty() && !card.tail_kind.is_empty() => {
            format!("({})-[:{name}]->({})", cell(&card.head_kind), cell(&card.tail_kind))
        }
        _ => name,
    }
}

async fn nearest(
    context: &Context<'_>,
    masked: &str,
    names: Vec<(String, String)>,
    most: usize,
) -> Result<Vec<(String, String)>, AnswerError> {
    let asked = context.embed(Stage::Plan, &[masked]).await?;
    let texts: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    let rows = context.memory::<RelationVectors>().vectors(context, Stage::Plan, &texts).await?;
    let mut ranked: Vec<(f32, (String, String))> =
        rows.iter().map(|row| inner_product(row, asked.row(0))).zip(names).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    ranked.truncate(most);
    let mut names: Vec<(String, String)> = ranked.into_iter().map(|(_, name)| name).collect();
    names.sort_unstable();
    Ok(names)
}
