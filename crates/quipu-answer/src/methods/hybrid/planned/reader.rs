//! The model reads the best documents and ranks them by likelihood: how much likelier does the
//! question make a document's words?
//!
//! That is the pointwise mutual information of question and document. Unlike a yes or no, it does
//! not depend on how readily a small model says yes, and two calls score all documents.

use std::time::Duration;

use quipu_model::ScoreRequest;
use quipu_stages::answer::{AnswerError, Event, Stage};
use quipu_stages::ledger::Context;
use quipu_stages::prompts::Prompt;
use quipu_stages::retrieve::Documents;
use serde_json::json;

use crate::methods::hybrid::found::{Found, entries, sort};

/// The weight of one unit of the earlier ranking, in nats.
const SIMILARITY: f64 = 10.0;
/// The weight of one nat of the document's gain.
const GAIN: f64 = 0.2;
/// Longest wait for a local model to read a page of documents.
const TIMEOUT: Duration = Duration::from_secs(90);

/// Ranks the first `most` entities of a round again; only the satisfying ones, if there are any.
/// Changes nothing without a model that scores. Two calls.
///
/// # Errors
/// The model's, the index's.
pub(super) async fn read(
    context: &Context<'_>,
    documents: &Documents<'_>,
    question: &str,
    found: &mut Found,
    most: usize,
) -> Result<(), AnswerError> {
    let satisfying = found.entities.iter().take_while(|entity| entity.satisfies).count();
    let count = if satisfying == 0 { found.entities.len() } else { satisfying }.min(most);
    if count < 2 || !context.has_model() || !context.model()?.abilities().score {
        return Ok(());
    }
    let _timer = context.ledger.enter(Stage::Critique);
    let entries = entries(context, documents, found, count).await?;
    let gained = match gains(context, question, &entries).await {
        Err(AnswerError::Exhausted(limit)) => {
            context.note_limit(limit);
            let reason = format!("{limit}; the ranking is by similarity");
            context.trace.report(Stage::Critique, Event::Degraded { reason });
            return Ok(());
        }
        gained => gained?,
    };
    let (head, _) = found.entities.split_at_mut(count);
    for (entity, gain) in head.iter_mut().zip(gained) {
        entity.score = SIMILARITY * entity.score + GAIN * gain;
    }
    sort(head);
    // The scores of the unread entities are shifted below those of the read ones.
    let least = head.last().map_or(0.0, |entity| entity.score);
    for entity in found.entities.iter_mut().skip(count) {
        entity.score += least - 2.0;
    }
    Ok(())
}

/// For each entry, the natural logarithm of the factor by which the question makes it likelier.
async fn gains(context: &Context<'_>, question: &str, entries: &[String]) -> Result<Vec<f64>, AnswerError> {
    let mut likelihoods = Vec::new();
    for question in [question, ""] {
        let request = ScoreRequest {
            stage: "critique.read".into(),
            messages: Prompt::HybridRead.render(json!({ "question": question }))?,
            continuations: entries.to_vec(),
            timeout: TIMEOUT,
        };
        likelihoods.push(context.score(Stage::Critique, request).await?.scores);
    }
    let [asked, alone] = likelihoods.as_slice() else { return Ok(Vec::new()) };
    Ok(asked.iter().zip(alone).map(|((asked, _), (alone, _))| asked - alone).collect())
}
