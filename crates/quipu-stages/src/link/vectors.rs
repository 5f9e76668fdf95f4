//! Vectors for the words of relations.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;
use quipu_index::inner_product;

use crate::answer::{AnswerError, Stage};
use crate::ledger::{Context, Memory};

/// The vectors of relations, by their words. Made when a question first needs them, kept by the
/// engine.
#[derive(Debug, Default)]
pub struct RelationVectors {
    rows: RwLock<HashMap<String, Arc<[f32]>>>,
}

impl Memory for RelationVectors {}

impl RelationVectors {
    /// The texts that have no vector yet, each once.
    pub fn lacking<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
        let rows = self.rows.read();
        let mut lacking: Vec<&str> = texts.filter(|text| !rows.contains_key(*text)).collect();
        lacking.sort_unstable();
        lacking.dedup();
        lacking
    }

    /// Keeps the vectors of texts.
    pub fn add<'r>(&self, texts: &[&str], rows: impl Iterator<Item = &'r [f32]>) {
        let mut known = self.rows.write();
        known.extend(texts.iter().zip(rows).map(|(text, row)| ((*text).to_owned(), Arc::from(row))));
    }

    /// The vectors of texts, in their order. One embedder call for the texts that have no vector
    /// yet.
    ///
    /// # Errors
    /// The embedder's.
    pub async fn vectors(
        &self,
        context: &Context<'_>,
        stage: Stage,
        texts: &[&str],
    ) -> Result<Vec<Arc<[f32]>>, AnswerError> {
        let lacking = self.lacking(texts.iter().copied());
        if !lacking.is_empty() {
            let rows = context.embed(stage, &lacking).await?;
            self.add(&lacking, rows.rows());
        }
        let rows = self.rows.read();
        Ok(texts.iter().map(|text| rows.get(*text).cloned().unwrap_or_default()).collect())
    }

    /// Equation 1: the inner product of a relation's vector with the question's.
    pub fn product(&self, text: &str, question: &[f32]) -> f32 {
        let rows = self.rows.read();
        rows.get(text).map_or(0.0, |row| inner_product(row, question))
    }
}
