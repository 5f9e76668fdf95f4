//! The mentions of a question and the entities that they may mean, from the name index or from
//! names that a model gave.

use std::ops::Range;

use quipu_graph::{Direction, RelationRole, RelationUse};
use quipu_index::{Candidate, MatchReason};
use quipu_language::words;

use crate::answer::AnswerError;
use crate::ledger::Context;
use crate::link::given::given;
use crate::link::mentioned::{Anchor, CANDIDATES, Mentioned, apart};
use crate::link::values::values_of;

/// A name that a model gave must match at least this well to be an anchor (1: exact match).
const GOOD_MATCH: f64 = 0.6;
/// Below this score, and with fewer than half of its words shared, a candidate is a different name:
/// "Class Act" is not the "Michael Rooker act".
const LEAST_MATCH: f64 = 0.4;

/// The mentions that the indexes find in a text, without a language model: those of the best
/// reading, best first. If names do not settle a mention and the workspace has vectors, candidates
/// by meaning are added. Literal values of the graph ("TX") come last.
///
/// # Errors
/// The index's and the embedder's.
pub async fn mentions(context: &Context<'_>, text: &str) -> Result<Vec<Mentioned>, AnswerError> {
    Ok(detected(context, text, CANDIDATES).await?.mentioned)
}

/// The exact names in a text that its best reading skips, such as "comedy" in "is Emma a comedy?".
/// None overlaps with `mentioned`.
///
/// # Errors
/// The index's.
pub async fn names_passed_over(
    context: &Context<'_>,
    text: &str,
    mentioned: &[Mentioned],
) -> Result<Vec<Mentioned>, AnswerError> {
    let mut found = context.workspace.link(text, CANDIDATES).await?;
    for mention in &mut found {
        mention.candidates.retain(|c| matches!(c.reason, MatchReason::Exact | MatchReason::Alias));
    }
    let unknown = |span: &Range<usize>| mentioned.iter().all(|known| apart(&known.span, span));
    found.retain(|mention| !mention.candidates.is_empty() && unknown(&mention.span));
    Ok(found.into_iter().map(|mention| Mentioned::from_mention(mention, CANDIDATES)).collect())
}

/// The indexes' reading of a text.
pub struct Detected {
    /// The mentions, as [`mentions`] gives them.
    pub mentioned: Vec<Mentioned>,
    /// Places of words that the graph knows but the best reading does not take for names, such as
    /// "director" in "who is the director of".
    pub passed_over: Vec<Range<usize>>,
}

/// The same with at most `k` candidates for each mention, and with the places that were passed
/// over.
///
/// # Errors
/// As [`mentions`].
pub async fn detected(context: &Context<'_>, text: &str, k: usize) -> Result<Detected, AnswerError> {
    if !context.anchors.is_empty() {
        return Ok(Detected { mentioned: given(context, text).await?, passed_over: Vec::new() });
    }
    let found = match context.embedder() {
        Some(embedder) => context.workspace.link_with(text, k, embedder).await?,
        None => context.workspace.link(text, k).await?,
    };
    let (named, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|m| m.chosen && !m.candidates.is_empty());
    let mut passed_over: Vec<Range<usize>> = others.into_iter().map(|mention| mention.span).collect();
    let (mut mentioned, mut exact, mut vague) = (Vec::new(), Vec::new(), Vec::new());
    for mention in named {
        let by_meaning = mention.candidates.iter().all(|c| matches!(c.reason, MatchReason::Dense { .. }));
        if !by_meaning && mention.candidates.iter().all(|candidate| is_another(candidate, &mention.text)) {
            continue;
        }
        let by_name =
            mention.candidates.first().map(|c| matches!(c.reason, MatchReason::Exact | MatchReason::Alias));
        let mention = Mentioned::from_mention(mention, k);
        let kind = !mention.text.contains(char::is_uppercase) && is_type(context, &mention).await?;
        if by_meaning || kind {
            vague.push(mention);
            continue;
        }
        if by_name == Some(true) {
            exact.push(mention.span.clone());
        }
        mentioned.push(mention);
    }
    let values = values_of(context, text, &exact, mentioned.is_empty()).await?;
    mentioned.retain(|m| values.iter().all(|value| apart(&m.span, &value.span)));
    mentioned.extend(values);
    for bound in bound_in(context, text).await? {
        mentioned.retain(|mention| apart(&mention.span, &bound.span));
        mentioned.insert(0, bound);
    }
    // "Which country" is an anchor only if the text names nothing else.
    if mentioned.is_empty() {
        mentioned = vague;
    } else {
        passed_over.extend(vague.into_iter().map(|mention| mention.span));
    }
    Ok(Detected { mentioned, passed_over })
}

/// The entities of earlier turns that a text names. Another entity with the same name does not
/// count, and neither do entities that this source lacks.
pub(super) async fn bound_in(context: &Context<'_>, text: &str) -> Result<Vec<Mentioned>, AnswerError> {
    let mut spans = Vec::new();
    for bound in context.bound {
        let there = text.get(bound.span.clone()) == Some(bound.name.as_str());
        // In a nested question the name stands in another place.
        let elsewhere = || text.find(&bound.name).map(|start| start..start + bound.name.len());
        spans.push(if there { Some(bound.span.clone()) } else { elsewhere() });
    }
    let keys: Vec<&str> = context.bound.iter().map(|bound| bound.key.as_str()).collect();
    let nodes = context.graph().resolve(&keys).await?;
    let found = context.bound.iter().zip(spans).zip(nodes).filter_map(|((bound, span), node)| {
        let (span, node, name) = (span?, node?, bound.name.clone());
        let reason = "said before".into();
        let anchor = Anchor { node, name: name.clone(), score: 1.0, reason, span: span.clone() };
        Some(Mentioned { text: name, span, candidates: vec![anchor], score: 1.0, chosen: true })
    });
    Ok(found.collect())
}

/// Whether a candidate shares hardly anything with the words of the mention.
fn is_another(candidate: &Candidate, mentioned: &str) -> bool {
    let of_name: Vec<String> = words(&candidate.matched).into_iter().map(|word| word.text).collect();
    let mentioned = words(mentioned);
    let shared = mentioned.iter().filter(|word| of_name.contains(&word.text)).count();
    candidate.score < LEAST_MATCH && 2 * shared < mentioned.len()
}

/// Whether a mention means a type of the graph.
async fn is_type(context: &Context<'_>, mention: &Mentioned) -> Result<bool, AnswerError> {
    let Some(best) = mention.best() else { return Ok(false) };
    let relations = context.graph().relations();
    let has_instances = |used: &RelationUse| {
        let info = usize::try_from(used.step.relation.0).ok().and_then(|at| relations.get(at));
        used.step.direction == Direction::Backward && info.is_some_and(|i| i.role == RelationRole::Type)
    };
    let uses = context.graph().relations_of(&[best.node]).await?;
    Ok(uses.iter().flatten().any(has_instances))
}

/// Entities for names that a model gave. A name without a good match is left out.
///
/// # Errors
/// The index's and the embedder's.
pub async fn anchors_for_names(
    context: &Context<'_>,
    text: &str,
    names: &[String],
) -> Result<Vec<Mentioned>, AnswerError> {
    named(context, text, names, CANDIDATES).await
}

/// The same with at most `k` candidates for each name.
///
/// # Errors
/// As [`anchors_for_names`].
pub async fn named(
    context: &Context<'_>,
    text: &str,
    names: &[String],
    k: usize,
) -> Result<Vec<Mentioned>, AnswerError> {
    if !context.anchors.is_empty() {
        return given(context, text).await;
    }
    let names: Vec<&str> = names.iter().map(String::as_str).filter(|n| !n.trim().is_empty()).collect();
    let found = context.workspace.candidates_for(text, &names, k, context.embedder()).await?;
    let good = |m: &Mentioned| m.best().is_some_and(|best| best.score >= GOOD_MATCH);
    Ok(found.into_iter().map(|mention| Mentioned::from_mention(mention, k)).filter(good).collect())
}

/// The question without the words that mention the anchors (KERAG App. E: "the query with the main
/// entity removed").
pub fn mask(question: &str, anchors: &[Anchor]) -> String {
    without(question, anchors.iter().map(|a| a.span.clone()))
}

/// The shape of a text: the words at `spans` replaced by `X`.
pub fn shape_of(text: &str, spans: impl IntoIterator<Item = Range<usize>>) -> String {
    let mut spans: Vec<Range<usize>> = spans.into_iter().filter(|span| !span.is_empty()).collect();
    spans.sort_by_key(|span| std::cmp::Reverse(span.start));
    let mut shape = text.to_owned();
    let mut from = text.len() + 1;
    for span in spans {
        // Overlapping mentions become one X.
        if span.end <= from && shape.is_char_boundary(span.start) && shape.is_char_boundary(span.end) {
            from = span.start;
            shape.replace_range(span, "X");
        }
    }
    shape
}

/// A text without the words at `spans`.
pub fn without(text: &str, spans: impl IntoIterator<Item = Range<usize>>) -> String {
    let mut spans: Vec<Range<usize>> = spans.into_iter().filter(|s| !s.is_empty()).collect();
    spans.sort_by_key(|span| std::cmp::Reverse(span.start));
    let mut masked = text.to_owned();
    for span in spans {
        if masked.is_char_boundary(span.start)
            && masked.is_char_boundary(span.end)
            && span.end <= masked.len()
        {
            masked.replace_range(span, " ");
        }
    }
    masked.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A question with its mentions replaced by `X`.
///
/// # Errors
/// The index's and the graph's.
pub async fn masked(context: &Context<'_>, question: &str) -> Result<String, AnswerError> {
    let spans = mentions(context, question).await?.into_iter().map(|mention| mention.span);
    Ok(shape_of(question, spans))
}

#[cfg(test)]
mod tests {
    use quipu_graph::NodeId;

    use super::*;

    fn anchor(span: Range<usize>) -> Anchor {
        Anchor { node: NodeId(1), name: "x".into(), score: 1.0, reason: String::new(), span }
    }

    #[test]
    fn masking_takes_out_every_mention() {
        let question = "is Lima larger than Quito?";
        assert_eq!(mask(question, &[anchor(3..7), anchor(20..25)]), "is larger than ?");
        assert_eq!(mask(question, &[anchor(0..0)]), question);
        assert_eq!(mask("é", &[anchor(1..2)]), "é");
    }
}
