//! The meaning of relations: a vector for the words of each.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::RwLock;

use crate::answer::{AnswerError, Stage};
use crate::ledger::{Context, Memory};

/// The vectors of relations by their words: made when a question first meets them, kept by the engine.
#[derive(Debug, Default)]
pub struct RelationVectors {
    rows: RwLock<HashMap<String, Arc<[f32]>>>,
}

impl Memory for RelationVectors {}

impl RelationVectors {
    /// Those of some texts that the engine has not met, each once.
    pub(crate) fn lacking<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
        let rows = self.rows.read();
        let mut lacking: Vec<&str> = texts.filter(|text| !rows.contains_key(*text)).collect();
        lacking.sort_unstable();
        lacking.dedup();
        lacking
    }

    /// Keeps the vectors of texts.
    pub(crate) fn add<'r>(&self, texts: &[&str], rows: impl Iterator<Item = &'r [f32]>) {
        let mut known = self.rows.write();
        known.extend(texts.iter().zip(rows).map(|(text, row)| ((*text).to_owned(), Arc::from(row))));
    }

    /// The vectors of texts, in their order: one call of the embedder for those that the engine has not met.
    ///
    /// # Errors
    /// The embedder's.
    pub(crate) async fn vectors(
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
    pub(crate) fn product(&self, text: &str, question: &[f32]) -> f32 {
        let rows = self.rows.read();
        let row = rows.get(text).map(|row| row.iter().zip(question));
        row.map_or(0.0, |pairs| pairs.map(|(left, right)| left * right).sum())
    }
}
