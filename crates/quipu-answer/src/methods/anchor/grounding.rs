//! Relation-aware grounding (AnchorRAG §3.3, equations 1 and 2): the closer an entity's relations
//! are to the question, the more likely the question means that entity.

use std::collections::{HashMap, HashSet};

use quipu_graph::{NodeId, RelationRole, RelationUse, Step};
use quipu_language::normalise;
use quipu_stages::answer::{AnswerError, CandidateEvent, Event, NamedKey, Note, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::link::{Anchor, Mentioned, RelationVectors, shape_of};
use quipu_stages::plan::Cards;

use super::{AnchorConfig, Grounding};

/// The weight of a candidate's relations under [`Grounding::Fused`], where its name has weight 1.
/// The inner products of two homonyms differ by .05 to .3; the scores of an exact name and of a
/// name with one typing error differ by .1 or more.
const RELATIONS_COUNT: f64 = 0.3;

/// A candidate with its scores.
#[derive(Debug, Clone)]
pub(super) struct Scored {
    /// Position of its mention.
    pub mention: usize,
    pub anchor: Anchor,
    /// Equation 2.
    relations: f64,
    score: f64,
}

/// All candidates of all mentions in one order, best first; for equal scores the better match of
/// the name goes first. Reports homonyms.
///
/// [`Grounding::Relations`] scores by equation 2, of the question as asked and the relations'
/// names. [`Grounding::Fused`] adds the match of the name to equation 2 of the question without its
/// mentions and the relations' phrases. [`Grounding::Off`] scores by the match of the name alone.
///
/// # Errors
/// The graph's and the embedder's.
pub(super) async fn ranked(
    context: &Context<'_>,
    question: &str,
    mentioned: &[Mentioned],
    grounding: Grounding,
    config: &AnchorConfig,
) -> Result<Vec<Scored>, AnswerError> {
    let all = || mentioned.iter().enumerate().flat_map(|(at, m)| m.candidates.iter().map(move |a| (at, a)));
    let nodes: Vec<NodeId> = all().map(|(_, anchor)| anchor.node).collect();
    let k = config.relations_scored;
    let relations = match grounding {
        Grounding::Off => vec![0.0; nodes.len()],
        Grounding::Relations => relation_scores(context, question, &nodes, k, relation_name).await?,
        Grounding::Fused => {
            let masked = shape_of(question, mentioned.iter().map(|mention| mention.span.clone()));
            relation_scores(context, &masked, &nodes, k, relation_phrase).await?
        }
    };
    let scored = all().zip(relations).map(|((mention, anchor), relations)| {
        let (anchor, relations) = (anchor.clone(), f64::from(relations));
        let score = match grounding {
            Grounding::Off => anchor.score,
            Grounding::Relations => relations,
            Grounding::Fused => anchor.score + RELATIONS_COUNT * relations,
        };
        Scored { mention, anchor, relations, score }
    });
    let ranked = best_first(scored.collect());
    if grounding != Grounding::Off {
        let shown = |scored: &Scored| CandidateEvent {
            name: scored.anchor.name.clone(),
            score: scored.score,
            reason: format!("{}; relations {:.2}", scored.anchor.reason, scored.relations),
        };
        let candidates = ranked.iter().map(shown).collect();
        context.trace.report(Stage::Link, Event::Scored { candidates });
        for (at, mention) in mentioned.iter().enumerate() {
            tell_of_namesakes(context, mention, ranked.iter().filter(|s| s.mention == at)).await?;
        }
    }
    Ok(ranked)
}

fn best_first(mut scored: Vec<Scored>) -> Vec<Scored> {
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.anchor.score.total_cmp(&a.anchor.score)));
    scored
}

/// Equation 2 for each of `nodes`: the mean of the `k` highest inner products of its relations with
/// the question. Costs one batched graph call for all nodes, and one batched embedding call for the
/// question and the relations without a vector. An entity without relations scores 0, and so does
/// every entity if there is no embedder.
///
/// R(e) is a set: equal words for both directions count once. If an entity has fewer than `k`
/// relations, the mean is over those, so that a small entity is not punished.
async fn relation_scores(
    context: &Context<'_>,
    question: &str,
    nodes: &[NodeId],
    k: usize,
    words_of: fn(&Context<'_>, Step) -> Option<String>,
) -> Result<Vec<f32>, AnswerError> {
    if context.embedder().is_none() || nodes.is_empty() {
        return Ok(vec![0.0; nodes.len()]);
    }
    let uses = context.graph().relations_of(nodes).await?;
    let mut words: HashMap<Step, String> = HashMap::new();
    for used in uses.iter().flatten() {
        if !words.contains_key(&used.step)
            && let Some(text) = words_of(context, used.step)
        {
            words.insert(used.step, text);
        }
    }
    let mut texts = vec![question];
    texts.extend(context.memory::<RelationVectors>().lacking(words.values().map(String::as_str)));
    let rows = context.embed(Stage::Link, &texts).await?;
    context.memory::<RelationVectors>().add(texts.get(1..).unwrap_or_default(), rows.rows().skip(1));
    let question = rows.row(0);
    let products: HashMap<&str, f32> = words
        .values()
        .map(|text| (text.as_str(), context.memory::<RelationVectors>().product(text, question)))
        .collect();
    let score = |uses: &Vec<RelationUse>| {
        let texts: HashSet<&str> =
            uses.iter().filter_map(|used| words.get(&used.step)).map(String::as_str).collect();
        mean_of_best(texts.iter().filter_map(|text| products.get(text).copied()).collect(), k)
    };
    Ok(uses.iter().map(score).collect())
}

fn mean_of_best(mut scores: Vec<f32>, k: usize) -> f32 {
    scores.sort_by(|left, right| right.total_cmp(left));
    scores.truncate(k.max(1));
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let count = scores.len() as f32;
    if scores.is_empty() { 0.0 } else { scores.iter().sum::<f32>() / count }
}

/// The name of an ordinary relation, the same in both directions.
fn relation_name(context: &Context<'_>, step: Step) -> Option<String> {
    let relation = context.graph().relations().get(usize::try_from(step.relation.0).ok()?)?;
    (relation.role == RelationRole::Ordinary).then(|| relation.name.clone())
}

/// The words for an ordinary relation in the step's direction: its card's phrase, or its name
/// without a card.
fn relation_phrase(context: &Context<'_>, step: Step) -> Option<String> {
    let name = relation_name(context, step)?;
    let relation = context.graph().relations().get(usize::try_from(step.relation.0).ok()?)?;
    let card = context.memory::<Cards>().get(&relation.key);
    let phrase = card.map(|card| card.phrase(step.direction).to_owned()).filter(|phrase| !phrase.is_empty());
    Some(phrase.unwrap_or(name))
}

/// Reports other entities of the same name, and why this one goes first.
async fn tell_of_namesakes(
    context: &Context<'_>,
    mention: &Mentioned,
    mut scored: impl Iterator<Item = &Scored>,
) -> Result<(), AnswerError> {
    let Some(first) = scored.next() else { return Ok(()) };
    let name = normalise(&first.anchor.name);
    let others: Vec<&Scored> = scored.filter(|other| normalise(&other.anchor.name) == name).collect();
    let Some(next) = others.first() else { return Ok(()) };
    let reason = if first.relations - next.relations > 0.005 {
        format!(
            "its relations fit the question better ({:.2} against {:.2})",
            first.relations, next.relations
        )
    } else if first.anchor.score > next.anchor.score {
        "the graph says more about it; the relations fit equally well".to_owned()
    } else {
        "nothing tells them apart; the first was taken".to_owned()
    };
    let nodes: Vec<NodeId> = std::iter::once(first).chain(others).map(|s| s.anchor.node).collect();
    let summaries = context.graph().summaries(&nodes).await?;
    let mut keys = summaries.into_iter().map(|s| NamedKey { name: s.name, key: s.key });
    let Some(chosen) = keys.next() else { return Ok(()) };
    context.trace.note(Note::Homonyms {
        mention: mention.text.clone(),
        chosen,
        reason,
        others: keys.collect(),
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_are_told_apart_by_the_match_of_the_name() {
        let scored = |node: u64, name: f64, score: f64| Scored {
            mention: 0,
            anchor: Anchor {
                node: NodeId(node),
                name: String::new(),
                score: name,
                reason: String::new(),
                span: 0..0,
            },
            relations: score,
            score,
        };
        let all = vec![scored(1, 0.5, 0.3), scored(2, 1.0, 0.3), scored(3, 0.2, 0.4)];
        let nodes: Vec<u64> = best_first(all).iter().map(|s| s.anchor.node.0).collect();
        assert_eq!(nodes, [3, 2, 1]);
    }

    #[test]
    fn the_mean_is_of_the_k_highest() {
        assert!((mean_of_best(vec![0.1, 0.9, 0.5], 2) - 0.7).abs() < 1e-6);
        assert!((mean_of_best(vec![0.4], 5) - 0.4).abs() < 1e-6);
        assert_eq!(mean_of_best(Vec::new(), 5), 0.0);
    }
}
