//! The interface of embedders: texts to vectors.

mod bert;
mod cache;
mod config;
mod kernels;
mod local;
mod tokens;
mod vector;

pub use local::LocalEmbedder;
pub use tokens::TokenVectors;
pub use vector::inner_product;
pub(crate) use vector::scale_to_unit;

use crate::ModelError;

/// Vectors of a batch, row by row in one block, each of unit length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Embeddings {
    dimensions: usize,
    values: Vec<f32>,
}

impl Embeddings {
    /// Takes `values` as rows of `dimensions` numbers each.
    ///
    /// Trailing numbers that do not fill a row are dropped.
    pub fn new(dimensions: usize, mut values: Vec<f32>) -> Self {
        let rows = values.len().checked_div(dimensions).unwrap_or(0);
        values.truncate(rows * dimensions);
        Self { dimensions, values }
    }

    /// Length of each vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Number of vectors.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.dimensions).unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The vectors in input order.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[f32]> {
        self.values.chunks_exact(self.dimensions.max(1))
    }

    /// The vector of input `index`; empty beyond the end.
    pub fn row(&self, index: usize) -> &[f32] {
        let start = index * self.dimensions;
        self.values.get(start..start + self.dimensions).unwrap_or(&[])
    }

    /// All numbers, row by row.
    pub fn values(&self) -> &[f32] {
        &self.values
    }
}

/// A sentence embedder. Vectors have unit length, so that an inner product is a cosine.
#[async_trait::async_trait]
pub trait Embedder: Send + Sync {
    /// Name for people, as in `models.toml`.
    fn name(&self) -> &str;

    /// Identifies model, weights and pooling: two embedders with the same fingerprint give the same
    /// vectors. Indexes store it, and refuse any other.
    fn fingerprint(&self) -> &str;

    /// Length of the vectors.
    fn dimensions(&self) -> usize;

    /// One vector a text, in input order. Texts beyond the model's length are cut at their end.
    async fn embed(&self, texts: &[&str]) -> Result<Embeddings, ModelError>;

    /// The vectors of each text's tokens in their context, in input order; `None` from an embedder
    /// for whole texts only, as those behind HTTP are.
    async fn embed_tokens(&self, _texts: &[&str]) -> Result<Option<Vec<TokenVectors>>, ModelError> {
        Ok(None)
    }
}
