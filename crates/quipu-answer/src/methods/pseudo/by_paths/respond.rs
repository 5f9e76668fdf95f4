//! The answer from the corrected graph: the entities that the sources marked, sentences for an open
//! question, values for any other.

use quipu_model::{ChatRequest, ModelError};
use quipu_stages::answer::{
    AnswerError, Event, Evidence, Outcome, Question, Stage, Status, shown_values, to_markdown,
};
use quipu_stages::compose::{answer_from, row_positions};
use quipu_stages::ledger::Context;
use quipu_stages::prompts::Prompt;
use serde::Deserialize;
use serde_json::json;

use super::query::Marked;

/// Sentences of an open answer.
const MOST_SENTENCES: usize = 8;
/// Confidence in an answer from a corrected graph.
const CORRECTED: f64 = 0.6;

/// The answer from the corrected graph: one call. An open question gets sentences with their
/// evidence, any other question values.
pub(super) async fn from_evidence(
    context: &Context<'_>,
    question: &Question,
    evidence: Vec<Evidence>,
    open: bool,
) -> Result<Outcome, AnswerError> {
    if open {
        told(context, question, evidence).await
    } else {
        answer_from(context, question, (evidence, 0), CORRECTED).await
    }
}

/// The answer that the sources mark in the corrected graph: no call.
pub(super) fn from_marked(context: &Context<'_>, marked: &Marked, evidence: Vec<Evidence>) -> Outcome {
    let _timer = context.ledger.enter(Stage::Compose);
    let reasoning = "the node that the question asks for, in the corrected graph".to_owned();
    let answers = marked.names.clone();
    context.trace.report(Stage::Compose, Event::Composed { reasoning, answers });
    Outcome {
        status: Status::Answered,
        answers: marked.names.clone(),
        text: None,
        evidence,
        confidence: CORRECTED + (1.0 - CORRECTED) * f64::from(marked.score) / 2.0,
        reason: None,
        ..Outcome::default()
    }
}

#[derive(Deserialize)]
struct Telling {
    sentences: Vec<Sentence>,
}

#[derive(Deserialize)]
struct Sentence {
    text: String,
    rows: Vec<String>,
}

/// Sentences, each with the numbers of its evidence. A sentence without evidence is left out.
async fn told(
    context: &Context<'_>,
    question: &Question,
    evidence: Vec<Evidence>,
) -> Result<Outcome, AnswerError> {
    let _timer = context.ledger.enter(Stage::Compose);
    let values = json!({ "facts": to_markdown(&evidence), "question": question.text() });
    let request = ChatRequest::new("compose", Prompt::PseudoTell.render(values)?).with_max_tokens(700);
    let rows = json!({ "type": "array", "items": { "type": "string", "maxLength": 12 }, "minItems": 1, "maxItems": 8 });
    let schema = json!({
        "type": "object",
        "properties": { "sentences": { "type": "array", "maxItems": MOST_SENTENCES, "items": {
            "type": "object",
            "properties": { "text": { "type": "string", "maxLength": 400 }, "rows": rows },
            "required": ["text", "rows"]
        } } },
        "required": ["sentences"]
    });
    let telling: Telling = match context.json(Stage::Compose, request, &schema).await {
        Err(AnswerError::Model(error @ ModelError::Unreadable { .. })) => {
            return Ok(Outcome::abstain(error.to_string(), evidence));
        }
        telling => telling?,
    };
    Ok(settle(context, telling, evidence))
}

fn settle(context: &Context<'_>, telling: Telling, evidence: Vec<Evidence>) -> Outcome {
    let shown: Vec<String> = shown_values(&evidence).into_iter().map(str::to_owned).collect();
    let mut cited: Vec<usize> = Vec::new();
    let mut text = String::new();
    for sentence in telling.sentences {
        let mut rows: Vec<usize> = sentence.rows.iter().flat_map(|row| row_positions(row)).collect();
        rows.retain(|at| *at < evidence.len());
        rows.dedup();
        let words = sentence.text.trim();
        if rows.is_empty() || words.is_empty() {
            continue;
        }
        let mut numbers = Vec::new();
        for row in rows {
            let at = cited.iter().position(|known| *known == row).unwrap_or_else(|| {
                cited.push(row);
                cited.len() - 1
            });
            numbers.push(format!("[{}]", at + 1));
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&format!("{words} {}", numbers.concat()));
    }
    let mut answers: Vec<String> = Vec::new();
    for value in cited.iter().filter_map(|at| shown.get(*at)) {
        if !value.is_empty() && !answers.contains(value) {
            answers.push(value.clone());
        }
    }
    context
        .trace
        .report(Stage::Compose, Event::Composed { reasoning: text.clone(), answers: answers.clone() });
    if answers.is_empty() {
        return Outcome::abstain("no evidence is relevant to the question", evidence);
    }
    // The cited evidence comes first, in the order of its numbers.
    let rest =
        evidence.iter().enumerate().filter(|(at, _)| !cited.contains(at)).map(|(_, piece)| piece.clone());
    let ordered = cited.iter().filter_map(|at| evidence.get(*at).cloned()).chain(rest).collect();
    Outcome {
        status: Status::Answered,
        answers,
        text: Some(text),
        evidence: ordered,
        confidence: CORRECTED,
        reason: None,
        ..Outcome::default()
    }
}
