//! How well a passage explains a question, word for word: late interaction (Khattab and Zaharia,
//! ColBERT, 2020) between the tokens of the sentence embedder.
//!
//! A single vector for the whole question mixes the part that the graph answers ("which river of
//! Germany") with the part that only text can answer ("reaches the Black Sea"). Here each word
//! finds its own best match in the passage. A word that names an entity from which the graph led
//! needs no text; of the others rare words count more, and function words nothing.

use std::collections::HashMap;
use std::ops::Range;

use parking_lot::Mutex;
use quipu_graph::NodeId;
use quipu_index::{DocumentIndex, Passage};
use quipu_language::{Language, words};
use quipu_model::TokenVectors;

use super::Documents;
use crate::answer::{AnswerError, Stage};
use crate::ledger::Context;

/// How well an entity explains the words that name it, on the scale of cosines between tokens of
/// one meaning.
const NAMED: f64 = 0.9;

/// A word of the question that a text may explain.
struct AskedWord {
    span: Range<usize>,
    /// Its weight: its inverse document frequency.
    weight: f64,
    /// Its tokens, by position.
    tokens: Vec<usize>,
}

/// The words of a question, and the similarity of passages to each.
pub struct QuestionWords<'a> {
    context: &'a Context<'a>,
    index: &'a DocumentIndex,
    words: Vec<AskedWord>,
    tokens: TokenVectors,
    /// For each passage read, its similarity to each word.
    read: Mutex<HashMap<u64, Vec<f64>>>,
}

impl<'a> QuestionWords<'a> {
    /// The words of the question; `None` if the embedder gives no token vectors, or if no word has
    /// any weight.
    ///
    /// # Errors
    /// The index's and the embedder's.
    pub async fn open(
        context: &'a Context<'a>,
        documents: &Documents<'a>,
    ) -> Result<Option<Self>, AnswerError> {
        let question = documents.question();
        let language = Language::of(question);
        let tokens =
            context.embed_tokens(Stage::Plan, &[question]).await?.and_then(|mut tokens| tokens.pop());
        let Some(tokens) = tokens else { return Ok(None) };
        let mut asked = Vec::new();
        for word in words(question).into_iter().filter(|word| !language.is_empty_word(&word.text)) {
            let inside =
                |span: &Range<usize>| word.start <= span.start && span.end <= word.end && !span.is_empty();
            let of_word = tokens.spans().iter().enumerate().filter(|(_, span)| inside(span));
            let of_word: Vec<usize> = of_word.map(|(at, _)| at).collect();
            // Words beyond the embedder's maximum length have no tokens.
            if !of_word.is_empty() {
                let weight = documents.index().rarity(&word.text)?;
                asked.push(AskedWord { span: word.start..word.end, weight, tokens: of_word });
            }
        }
        let words = asked;
        if words.iter().map(|word| word.weight).sum::<f64>() <= 0.0 {
            return Ok(None);
        }
        Ok(Some(Self { context, index: documents.index(), words, tokens, read: Mutex::default() }))
    }

    /// Reads the passages not read yet: one embedder batch.
    ///
    /// # Errors
    /// The index's, the graph's and the embedder's.
    pub async fn read(&self, passages: &[u64]) -> Result<(), AnswerError> {
        let mut unread: Vec<u64> = passages.to_vec();
        unread.sort_unstable();
        unread.dedup();
        unread.retain(|number| !self.read.lock().contains_key(number));
        if unread.is_empty() {
            return Ok(());
        }
        let found = unread.iter().map(|number| self.index.passage(*number));
        let found = found.collect::<Result<Vec<Passage>, _>>()?;
        let nodes: Vec<NodeId> = found.iter().map(|passage| passage.node).collect();
        let summaries = self.context.graph().summaries(&nodes).await?;
        let named = found.iter().zip(summaries);
        let texts: Vec<String> = named.map(|(passage, summary)| passage.described(&summary.name)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let vectors = self.context.embed_tokens(Stage::Retrieve, &texts).await?.unwrap_or_default();
        let mut read = self.read.lock();
        for (number, tokens) in unread.into_iter().zip(vectors) {
            let nearest = self.tokens.nearest(&tokens);
            read.insert(number, self.words.iter().map(|word| mean(&nearest, &word.tokens)).collect());
        }
        Ok(())
    }

    /// The share of the question that a passage and the entities named at `named` explain together:
    /// a weighted mean over the words, from 0 to about 1. `None` for a passage that was not read.
    pub fn explained(&self, passage: u64, named: &[Range<usize>]) -> Option<f64> {
        let read = self.read.lock();
        let nearest = read.get(&passage)?;
        let is_named = |word: &AskedWord| {
            named.iter().any(|span| span.start <= word.span.start && word.span.end <= span.end)
        };
        let explained =
            |(word, near): (&AskedWord, &f64)| word.weight * if is_named(word) { NAMED } else { *near };
        let sum: f64 = self.words.iter().zip(nearest).map(explained).sum();
        Some(sum / self.words.iter().map(|word| word.weight).sum::<f64>())
    }
}

#[expect(clippy::cast_precision_loss, reason = "a word has a few tokens")]
fn mean(nearest: &[f32], tokens: &[usize]) -> f64 {
    let sum: f64 = tokens.iter().filter_map(|at| nearest.get(*at)).map(|near| f64::from(*near)).sum();
    sum / tokens.len().max(1) as f64
}
