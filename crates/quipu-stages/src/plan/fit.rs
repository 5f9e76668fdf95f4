//! How well the operations of APIs fit a question.

use quipu_graph::{ApiGraph, Operation};
use quipu_index::inner_product;

use super::plain_words;
use crate::answer::{AnswerError, Stage};
use crate::ledger::Context;

/// How well each operation of the API fits the question: the share of words in common, rarer words
/// counting more, plus the cosine of the embeddings.
///
/// # Errors
/// The embedder's.
pub async fn fit_of_operations(
    context: &Context<'_>,
    api: &ApiGraph,
    question: &str,
) -> Result<Vec<f32>, AnswerError> {
    fit_of(context, question, &api.service().operations.iter().collect::<Vec<_>>()).await
}

/// The same for operations of several APIs, weighed together.
///
/// # Errors
/// The embedder's.
pub(crate) async fn fit_of(
    context: &Context<'_>,
    question: &str,
    operations: &[&Operation],
) -> Result<Vec<f32>, AnswerError> {
    let texts: Vec<String> = operations.iter().map(|operation| describe(operation)).collect();
    let mut fits = shared_words(question, &texts);
    if context.embedder().is_some() && !texts.is_empty() {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let asked = context.embed(Stage::Plan, &[question]).await?;
        let rows = context.embed(Stage::Plan, &texts).await?;
        for (fit, row) in fits.iter_mut().zip(rows.rows()) {
            *fit += inner_product(asked.row(0), row);
        }
    }
    Ok(fits)
}

fn describe(operation: &Operation) -> String {
    let first =
        operation.description.lines().find(|line| line.split_whitespace().count() > 3).unwrap_or_default();
    format!("{}. {}. {}", operation.name, operation.asks, first)
}

/// The share of the question's words that each text contains. A word counts more the fewer texts
/// contain it.
#[expect(clippy::cast_precision_loss, reason = "counts of words")]
pub fn shared_words(question: &str, texts: &[String]) -> Vec<f32> {
    let asked = plain_words(question);
    let words: Vec<Vec<String>> = texts.iter().map(|text| plain_words(text)).collect();
    let weight = |word: &String| {
        let having = words.iter().filter(|own| own.contains(word)).count();
        if having == 0 { 0.0 } else { (1.0 + texts.len() as f32 / having as f32).ln() }
    };
    let weights: Vec<f32> = asked.iter().map(weight).collect();
    let total = weights.iter().sum::<f32>().max(1.0);
    let share = |own: &Vec<String>| {
        let shared =
            asked.iter().zip(&weights).filter(|(word, _)| own.contains(word)).map(|(_, weight)| weight);
        shared.sum::<f32>() / total
    };
    words.iter().map(share).collect()
}
