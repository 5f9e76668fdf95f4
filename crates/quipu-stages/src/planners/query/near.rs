//! How close a reading comes in meaning to each word of the question: late interaction (Khattab and
//! Zaharia, ColBERT, 2020) between the tokens of the question and of the reading in words, with the
//! sentence embedder's token vectors.

use std::collections::HashMap;

use quipu_index::inner_product;
use quipu_language::Language;
use quipu_model::TokenVectors;
use quipu_query::{Query, Tables, words_of};
use quipu_reading::{Nearness, role_not_given};

use crate::answer::{AnswerError, Stage};
use crate::ledger::Context;

/// The question as the embedder's tokens.
pub(super) struct AskedTokens {
    tokens: TokenVectors,
    /// Each word with its tokens.
    words: Vec<(String, Vec<usize>)>,
}

impl AskedTokens {
    /// Reads a question; `None` without an embedder, or if the embedder only gives vectors for
    /// whole texts.
    pub(super) async fn read(context: &Context<'_>, question: &str) -> Result<Option<Self>, AnswerError> {
        let tokens = context.embed_tokens(Stage::Plan, &[question]).await?.and_then(|mut all| all.pop());
        Ok(tokens.map(|tokens| {
            let words = words_with_tokens(question, &tokens);
            Self { tokens, words }
        }))
    }

    /// How close a reading in words, with the graph's comments on what it uses, comes to each word
    /// of the question, and how close the question comes to each word of the reading itself.
    pub(super) async fn near(
        &self,
        context: &Context<'_>,
        reading: &str,
        comments: &[String],
    ) -> Result<Nearness, AnswerError> {
        let told = [&[reading.to_owned()], comments].concat().join("; ");
        let read = context.embed_tokens(Stage::Plan, &[&told]).await?.and_then(|mut all| all.pop());
        let Some(read) = read else { return Ok(Nearness::default()) };
        Ok(Nearness {
            asked: best_of_words(&self.words, &self.tokens.nearest(&read)),
            read: best_of_words(&words_with_tokens(reading, &read), &read.nearest(&self.tokens)),
        })
    }
}

/// Each word of a text with its tokens.
fn words_with_tokens(text: &str, tokens: &TokenVectors) -> Vec<(String, Vec<usize>)> {
    let of = |word: quipu_language::Word| {
        let inside = tokens
            .spans()
            .iter()
            .enumerate()
            .filter(|(_, span)| !span.is_empty() && word.start <= span.start && span.end <= word.end);
        (word.text.clone(), inside.map(|(at, _)| at).collect())
    };
    quipu_language::words(text).into_iter().map(of).collect()
}

/// For each word, the best value of its tokens.
fn best_of_words(words: &[(String, Vec<usize>)], nearest: &[f32]) -> HashMap<String, f64> {
    let mut near = HashMap::new();
    for (word, tokens) in words {
        let of_tokens = tokens.iter().filter_map(|at| nearest.get(*at)).map(|near| f64::from(*near));
        let Some(best) = of_tokens.reduce(f64::max) else { continue };
        for part in words_of(word) {
            let known = near.entry(part).or_insert(0.0_f64);
            *known = known.max(best.clamp(0.0, 1.0));
        }
    }
    near
}

/// How far the role that a question asks for ("the mayor of the city") is in meaning from every
/// column that the query gives. 0 if the question asks for no role, or if the query gives a column
/// of that name.
pub(super) async fn distance_of_role(
    context: &Context<'_>,
    question: &str,
    query: &Query,
    tables: &Tables,
) -> Result<f64, AnswerError> {
    let Some(texts) = role_not_given(question, query, tables) else { return Ok(0.0) };
    // A father is no mother, although the words are close.
    let language = Language::of(question);
    let are_kin = |text: &String| words_of(text).iter().any(|word| language.is_kin(word));
    if texts.split_first().is_some_and(|(role, given)| are_kin(role) && given.iter().any(are_kin)) {
        return Ok(1.0);
    }
    if context.embedder().is_none() {
        return Ok(0.0);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = context.embed(Stage::Plan, &texts).await?;
    let mut rows = vectors.rows();
    let Some(role) = rows.next() else { return Ok(0.0) };
    let nearest = rows.map(|row| inner_product(role, row)).reduce(f32::max).unwrap_or_default();
    Ok(f64::from((1.0 - nearest).clamp(0.0, 1.0)))
}
