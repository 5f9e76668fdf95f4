//! The names that a question is about, proof-read by the model (AnchorRAG §3.3 "Candidate Entity Generation", App. 6.3): spelling mended,
//! distractors dropped.

use quipu_model::{ChatRequest, ModelError};
use serde::Deserialize;
use serde_json::json;

use super::anchors::Mentioned;
use crate::AnswerError;
use crate::context::Context;
use crate::prompts::Prompt;
use crate::question::Question;
use crate::trace::{Event, Stage};

/// Most keywords of a question.
const MOST_KEYWORDS: usize = 4;

#[derive(Deserialize)]
struct Reply {
    keywords: Vec<String>,
}

/// The question's keywords: one call. `names` are names of the graph that the index found in it, to proof-read towards. None where the
/// reply cannot be read, which the trace then says.
///
/// # Errors
/// The model's, but for an unreadable reply.
pub async fn keywords(
    context: &Context<'_>,
    question: &Question,
    names: &[String],
) -> Result<Vec<String>, AnswerError> {
    let values = json!({ "candidates": names, "question": question.text() });
    let request =
        ChatRequest::new("link.keywords", Prompt::AnchorKeywords.render(values)?).with_max_tokens(120);
    let schema = json!({
        "type": "object",
        "properties": { "keywords": {
            "type": "array", "items": { "type": "string", "maxLength": 120 }, "maxItems": MOST_KEYWORDS
        } },
        "required": ["keywords"]
    });
    match context.json::<Reply>(Stage::Link, request, &schema).await {
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
            let reason = format!("{error}; linked by the name index alone");
            context.trace.report(Stage::Link, Event::Degraded { reason });
            Ok(Vec::new())
        }
        reply => {
            let mut keywords = reply?.keywords;
            keywords.retain(|keyword| !keyword.trim().is_empty());
            keywords.truncate(MOST_KEYWORDS);
            let reading = format!("keywords: {}", keywords.join("; "));
            context.trace.report(Stage::Link, Event::Read { reading });
            Ok(keywords)
        }
    }
}

/// The mentions that the index detected and those that the model named, each thing once: what both say first, then what either says,
/// each in its own order. Candidates are joined, with the better score of each.
pub fn merge(detected: Vec<Mentioned>, named: Vec<Mentioned>) -> Vec<Mentioned> {
    let mut both: Vec<Mentioned> = Vec::new();
    let mut only_named: Vec<Mentioned> = Vec::new();
    let mut detected: Vec<Option<Mentioned>> = detected.into_iter().map(Some).collect();
    for mention in named {
        let same =
            detected.iter_mut().find(|other| other.as_ref().is_some_and(|o| means_the_same(o, &mention)));
        match same.and_then(Option::take) {
            Some(other) => both.push(joined(other, mention)),
            None if both.iter().any(|known| means_the_same(known, &mention)) => {}
            None => only_named.push(mention),
        }
    }
    both.into_iter().chain(only_named).chain(detected.into_iter().flatten()).collect()
}

fn means_the_same(one: &Mentioned, other: &Mentioned) -> bool {
    let overlap = one.span.start < other.span.end && other.span.start < one.span.end;
    let best = other.best().map(|anchor| anchor.node);
    overlap || (best.is_some() && one.best().map(|anchor| anchor.node) == best)
}

/// Both mentions as one, in the place that is known.
fn joined(mut detected: Mentioned, named: Mentioned) -> Mentioned {
    for mut candidate in named.candidates {
        match detected.candidates.iter_mut().find(|known| known.node == candidate.node) {
            Some(known) if known.score < candidate.score => {
                (known.score, known.reason) = (candidate.score, candidate.reason);
            }
            Some(_) => {}
            None => {
                candidate.span = detected.span.clone();
                detected.candidates.push(candidate);
            }
        }
    }
    detected
        .candidates
        .sort_by(|left, right| right.score.total_cmp(&left.score).then(left.node.cmp(&right.node)));
    detected
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use quipu_graph::NodeId;

    use super::*;
    use crate::link::Anchor;

    fn mentioned(text: &str, span: Range<usize>, candidates: &[(u64, f64)]) -> Mentioned {
        let anchor = |(node, score): &(u64, f64)| Anchor {
            node: NodeId(*node),
            name: format!("n{node}"),
            score: *score,
            reason: String::new(),
            span: span.clone(),
        };
        let candidates = candidates.iter().map(anchor).collect();
        Mentioned { text: text.into(), span: span.clone(), candidates, score: 1.0, chosen: true }
    }

    #[test]
    fn what_both_name_comes_first_and_once() {
        let detected =
            vec![mentioned("the", 0..3, &[(9, 0.5)]), mentioned("Kauwbo", 4..10, &[(1, 0.7), (2, 0.6)])];
        let named = vec![
            mentioned("Kauwboy", 20..20, &[(1, 1.0), (3, 0.65)]),
            mentioned("Tonio", 20..20, &[(5, 1.0)]),
        ];
        let merged = merge(detected, named);
        let texts: Vec<&str> = merged.iter().map(|m| m.text.as_str()).collect();
        assert_eq!(texts, ["Kauwbo", "Tonio", "the"]);
        let first: Vec<(u64, f64)> = merged[0].candidates.iter().map(|a| (a.node.0, a.score)).collect();
        assert_eq!(first, [(1, 1.0), (3, 0.65), (2, 0.6)]);
        assert!(merged[0].candidates.iter().all(|a| a.span == (4..10)));
    }
}
