//! The names that a question is about, proofread by the model (AnchorRAG §3.3 "Candidate Entity
//! Generation", App. 6.3): spelling corrected, distractors dropped.

use std::collections::HashMap;

use quipu_language::normalise;
use quipu_model::{ChatRequest, ModelError};
use serde::Deserialize;
use serde_json::json;
use strsim::normalized_damerau_levenshtein;

use super::anchors::{Detected, bound_in};
use super::mentioned::{Anchor, Mentioned};
use crate::answer::{AnswerError, Event, Question, Stage};
use crate::ledger::Context;
use crate::prompts::Prompt;

/// Most keywords of a question.
const MOST_KEYWORDS: usize = 4;

#[derive(Deserialize)]
struct Reply {
    keywords: Vec<String>,
}

/// The question's keywords: one call. `names` are names of the graph that the index found in the
/// question, as a guide for the proofreading; the paper shows none. An unreadable reply gives no
/// keywords and is noted in the trace.
///
/// # Errors
/// The model's, except an unreadable reply.
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
            let reason = format!("{error}; no keyword was read");
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

/// The entities that each keyword may name: at most `k` candidates a keyword, by name, by name with
/// typing errors, and by meaning if no name settles it. Weak matches stay. A name that stands for
/// an entity of an earlier turn has that entity as its candidate.
///
/// # Errors
/// The index's, the graph's and the embedder's.
pub async fn candidates(
    context: &Context<'_>,
    text: &str,
    keywords: &[String],
    k: usize,
) -> Result<Vec<Mentioned>, AnswerError> {
    let keywords: Vec<&str> = keywords.iter().map(String::as_str).collect();
    let found = context.workspace.candidates_for(text, &keywords, k, context.embedder()).await?;
    let mut mentioned: Vec<Mentioned> =
        found.into_iter().map(|mention| Mentioned::from_mention(mention, k)).collect();
    for bound in bound_in(context, text).await? {
        mentioned.retain(|mention| normalise(&mention.text) != normalise(&bound.text));
        mentioned.push(bound);
    }
    mentioned.retain(|mention| !mention.candidates.is_empty());
    Ok(mentioned)
}

/// Merges the mentions that the index detected with those that the model named, each entity once.
/// Mentions from both come first, then those from the model alone, then those from the index alone.
/// Candidates are joined, each with its better score. If the index found any mention, words that it
/// passed over are dropped from the model's mentions too.
pub fn merge(detected: Detected, mut named: Vec<Mentioned>) -> Vec<Mentioned> {
    let Detected { mentioned: detected, passed_over } = detected;
    if !detected.is_empty() {
        named.retain(|mention| !passed_over.contains(&mention.span));
    }
    let mut both: Vec<Mentioned> = Vec::new();
    let mut only_named: Vec<Mentioned> = Vec::new();
    let mut detected: Vec<Option<Mentioned>> = detected.into_iter().map(Some).collect();
    for mention in named {
        let same =
            detected.iter_mut().find(|other| other.as_ref().is_some_and(|o| means_the_same(o, &mention)));
        match same.and_then(Option::take) {
            Some(other) => both.push(joined(other, mention)),
            None if both.iter().any(|known| means_the_same(known, &mention)) => {}
            None if both
                .iter()
                .chain(detected.iter().flatten())
                .any(|known| is_less_like(known, &mention)) => {}
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

/// Whether a name that the question does not contain is only a weaker candidate of a detected
/// mention. Offered "Spain" and "Al Ain FC" for "Sain", a small model may choose the second.
fn is_less_like(detected: &Mentioned, named: &Mentioned) -> bool {
    let (Some(best), Some(other), true) = (detected.best(), named.best(), named.span.is_empty()) else {
        return false;
    };
    let alike = |name: &str| normalized_damerau_levenshtein(&normalise(name), &normalise(&detected.text));
    let offered = detected.candidates.iter().skip(1).any(|candidate| candidate.node == other.node);
    offered && alike(&other.name) < alike(&best.name)
}

/// Joins two mentions, in the place of the detected one.
///
/// A spelling corrected by the model counts for every entity with that name. "joseph conrd" may be
/// the novelist or a tag, and the model's choice of capitals says nothing about what the user
/// wrote.
fn joined(mut detected: Mentioned, named: Mentioned) -> Mentioned {
    let mut mended: HashMap<String, (f64, String)> = HashMap::new();
    for candidate in &named.candidates {
        let best = |candidates: &[Anchor]| {
            let namesakes = candidates.iter().filter(|a| normalise(&a.name) == normalise(&candidate.name));
            namesakes.map(|namesake| namesake.score).reduce(f64::max)
        };
        let gain = candidate.score - best(&detected.candidates).unwrap_or(candidate.score);
        let known = mended.entry(normalise(&candidate.name)).or_insert_with(|| (0.0, String::new()));
        if gain > known.0 {
            *known = (gain, candidate.reason.clone());
        }
    }
    for candidate in &mut detected.candidates {
        if let Some((gain, reason)) = mended.get(&normalise(&candidate.name)).filter(|(gain, _)| *gain > 0.0)
        {
            candidate.score += gain;
            candidate.reason.clone_from(reason);
        }
    }
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
        let merged = merge(Detected { mentioned: detected, passed_over: Vec::new() }, named);
        let texts: Vec<&str> = merged.iter().map(|m| m.text.as_str()).collect();
        assert_eq!(texts, ["Kauwbo", "Tonio", "the"]);
        let first: Vec<(u64, f64)> = merged[0].candidates.iter().map(|a| (a.node.0, a.score)).collect();
        assert_eq!(first, [(1, 1.0), (3, 0.65), (2, 0.6)]);
        assert!(merged[0].candidates.iter().all(|a| a.span == (4..10)));
    }

    #[test]
    fn words_that_are_no_name_in_the_question_are_none_for_the_model_either() {
        let detected = || Detected {
            mentioned: vec![mentioned("Kauwbo", 20..26, &[(1, 0.7)])],
            passed_over: vec![4..12, 0..3],
        };
        let named =
            vec![mentioned("Kauwboy", 40..40, &[(1, 1.0)]), mentioned("director", 4..12, &[(2, 1.0)])];
        let texts = |merged: Vec<Mentioned>| merged.into_iter().map(|m| m.text).collect::<Vec<_>>();
        assert_eq!(texts(merge(detected(), named.clone())), ["Kauwbo"]);
        // If nothing else is named, they may be a name.
        let nothing = Detected { mentioned: Vec::new(), ..detected() };
        assert_eq!(texts(merge(nothing, named)), ["Kauwboy", "director"]);
    }

    #[test]
    fn another_candidate_of_the_same_words_is_named_only_where_it_is_no_less_like_them() {
        let mut sain = mentioned("Sain", 3..7, &[(1, 0.72), (2, 0.6), (3, 0.6)]);
        for (candidate, name) in sain.candidates.iter_mut().zip(["Spain", "Al Ain FC", "Saina"]) {
            candidate.name = name.into();
        }
        let merged = |at: u64, name: &str| {
            let mut named = mentioned(name, 20..20, &[(at, 0.95)]);
            named.candidates[0].name = name.into();
            let detected = Detected { mentioned: vec![sain.clone()], passed_over: Vec::new() };
            merge(detected, vec![named]).into_iter().map(|m| m.text).collect::<Vec<_>>()
        };
        assert_eq!(merged(2, "Al Ain FC"), ["Sain"]);
        assert_eq!(merged(3, "Saina"), ["Saina", "Sain"]);
        // The model may name an entity that the words do not suggest.
        assert_eq!(merged(9, "New York"), ["New York", "Sain"]);
    }

    #[test]
    fn mended_spelling_counts_for_all_that_bear_the_name() {
        let mut detected = mentioned("joseph conrd", 0..12, &[(1, 0.81), (2, 0.80), (3, 0.79)]);
        let mut named = mentioned("Joseph Conrad", 0..0, &[(1, 0.95), (2, 0.9)]);
        for (mention, names) in [
            (&mut detected, ["Joseph Conrad", "joseph conrad", "Joseph Konrad"].as_slice()),
            (&mut named, &["Joseph Conrad", "joseph conrad"]),
        ] {
            mention.candidates.iter_mut().zip(names).for_each(|(c, name)| c.name = (*name).to_owned());
        }
        let merged = joined(detected, named);
        let scores: Vec<(u64, f64)> =
            merged.candidates.iter().map(|a| (a.node.0, (a.score * 100.0).round())).collect();
        assert_eq!(scores, [(1, 95.0), (2, 94.0), (3, 79.0)]);
    }
}
