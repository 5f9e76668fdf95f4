//! The examples from a training question (HybGRAG §3.2, App. C): the entities and relations that
//! lead to its answer, the right document, and the errors in the router's actions.

use quipu_graph::{NodeId, RelationRole};
use quipu_stages::answer::{AnswerError, cell};
use quipu_stages::ledger::Context;
use quipu_stages::link::apart;
use quipu_stages::plan::{NamedPart, Requirement, requirements};
use quipu_stages::retrieve::Documents;

use super::bank::{Bank, rank};
use super::critic::{entry, shown_paths};
use super::router::Router;
use crate::methods::hybrid::HybridConfig;
use crate::methods::hybrid::experience::{Experience, Extracted, Judged, Learnt};
use crate::methods::hybrid::feedback::by_gold;
use crate::methods::hybrid::found::{Found, FoundEntity};

/// Topic entities of one example.
const MOST_ENTITIES: usize = 2;

/// Runs the rounds with the gold answers as the critic, if the model routes (`routes`). Otherwise
/// only the graph gives examples.
///
/// # Errors
/// The model's, the graph's, the index's.
pub(in crate::methods::hybrid) async fn learn(
    context: &Context<'_>,
    question: &str,
    documents: &Documents<'_>,
    gold: &[NodeId],
    (config, routes): (&HybridConfig, bool),
) -> Result<Learnt, AnswerError> {
    let line = question.split_whitespace().collect::<Vec<_>>().join(" ");
    let (parts, possible) = requirements(context, question, config.requirements).await?;
    let leading = leading(&parts, &possible, gold);
    let mut learnt = Learnt::default();
    learnt.extracted.push(extracted(context, &line, &parts, &leading).await?);
    let bank = Bank::new(context, documents, config)?;
    let by_text = bank.by_text();
    learnt.judged = judged(context, &line, documents, gold, (&leading, &by_text)).await?;
    if !routes {
        return Ok(learnt);
    }
    let mut router = Router::new(context, question, config);
    let mut feedback = None;
    for round in 1..=config.rounds {
        let action = router.route(round, feedback.as_ref()).await?;
        let retrieved = bank.retrieve(round, &action).await?;
        if retrieved.found.entities.first().is_some_and(|first| gold.contains(&first.node)) {
            break;
        }
        let Some(wrong) = by_gold(&retrieved.taken, &possible, gold) else { break };
        learnt.experience.push(Experience::new(question, &retrieved.taken, &wrong));
        feedback = Some(wrong);
    }
    Ok(learnt)
}

/// The requirements that an answer satisfies, one for each part of the question, the most specific
/// first.
fn leading(parts: &[NamedPart], possible: &[Requirement], gold: &[NodeId]) -> Vec<Requirement> {
    let holds = |way: &&Requirement| gold.iter().any(|answer| way.ends.binary_search(answer).is_ok());
    let mut ways: Vec<&Requirement> = possible.iter().filter(holds).collect();
    ways.sort_by_key(|way| (way.steps.len(), way.ends.len()));
    let mut kept: Vec<Requirement> = Vec::new();
    for way in ways {
        let span = |way: &Requirement| parts.get(way.part).map(|part| part.span.clone());
        let overlaps = |known: &Requirement| match (span(known), span(way)) {
            (Some(known), Some(own)) => !apart(&known, &own),
            _ => true,
        };
        if kept.len() < MOST_ENTITIES && !kept.iter().any(overlaps) {
            kept.push(way.clone());
        }
    }
    kept
}

/// The question with the entities and relations that lead to its answer.
async fn extracted(
    context: &Context<'_>,
    question: &str,
    parts: &[NamedPart],
    leading: &[Requirement],
) -> Result<Extracted, AnswerError> {
    let anchors: Vec<NodeId> = leading.iter().map(|way| way.anchor).collect();
    let mut relations: Vec<String> = Vec::new();
    for step in leading.iter().flat_map(|way| &way.steps) {
        let at = usize::try_from(step.relation.0).unwrap_or(usize::MAX);
        let relation = context.graph().relations().get(at);
        let name = relation.filter(|r| r.role == RelationRole::Ordinary).map(|r| cell(&r.name));
        relations.extend(name.filter(|name| !relations.contains(name)));
    }
    let named = leading.iter().map(|way| parts.get(way.part).map_or("", |part| part.text.as_str()));
    Ok(Extracted {
        question: question.to_owned(),
        entities: named.map(cell).collect(),
        categories: categories(context, &anchors).await?,
        relations,
        field: String::new(),
    })
}

/// The name of each node's first type; empty if it has none.
async fn categories(context: &Context<'_>, nodes: &[NodeId]) -> Result<Vec<String>, AnswerError> {
    let mut names = Vec::new();
    for summary in context.graph().summaries(nodes).await? {
        let named = context.graph().summaries(summary.types.get(..1).unwrap_or_default()).await?;
        names.push(named.first().map(|kind| cell(&kind.name)).unwrap_or_default());
    }
    Ok(names)
}

/// The document of an answer, and the best wrong document by text alone.
async fn judged(
    context: &Context<'_>,
    question: &str,
    documents: &Documents<'_>,
    gold: &[NodeId],
    (leading, by_text): (&[Requirement], &Found),
) -> Result<Vec<Judged>, AnswerError> {
    let right = rank(documents, gold)?.into_iter().next();
    let wrong = by_text.entities.iter().find(|entity| !gold.contains(&entity.node)).cloned();
    let mut judged = Vec::new();
    let both: [(Option<FoundEntity>, bool); 2] = [(right, true), (wrong, false)];
    for (entity, right) in both {
        let Some(entity) = entity else { continue };
        let node = entity.node;
        let document = entry(context, documents, &Found { entities: vec![entity] }).await?;
        judged.push(Judged {
            question: question.to_owned(),
            category: categories(context, &[node]).await?.pop().unwrap_or_default(),
            paths: shown_paths(leading, node, &document),
            document,
            right,
        });
    }
    Ok(judged)
}
