//! Embeddings from an OpenAI-compatible endpoint.

use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::endpoint::{Endpoint, EndpointConfig, unreadable};
use crate::embed::scale_to_unit;
use crate::{Embedder, Embeddings, ModelError};

/// Texts in one request.
const BATCH: usize = 256;
/// Limit for one request with its retries.
const TIMEOUT: Duration = Duration::from_secs(120);
/// Most numbers of one vector.
const MOST_DIMENSIONS: usize = 1 << 16;

/// An embedder behind an OpenAI-compatible endpoint.
pub struct HttpEmbedder {
    name: String,
    model: String,
    fingerprint: String,
    dimensions: usize,
    endpoint: Endpoint,
}

impl HttpEmbedder {
    /// Connects to an endpoint and embeds one word, which shows the length of its vectors.
    pub async fn connect(model: impl Into<String>, config: EndpointConfig) -> Result<Self, ModelError> {
        let model = model.into();
        let endpoint = Endpoint::new(config)?;
        let name = format!("openai:{model}");
        let mut embedder = Self { fingerprint: String::new(), dimensions: 0, name, model, endpoint };
        embedder.dimensions = embedder.request(&["dimensions"]).await?.first().map_or(0, Vec::len);
        embedder.fingerprint = format!("{}:{}", embedder.name, embedder.dimensions);
        Ok(embedder)
    }

    async fn request(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let body = json!({ "model": self.model, "input": texts, "encoding_format": "float" });
        let reply = self.endpoint.post(&self.name, "embeddings", &body, TIMEOUT).await?;
        let raw = reply.to_string();
        let refuse = |reason: String| unreadable(&self.name, reason, raw.as_bytes());
        let mut reply: Reply = serde_json::from_value(reply).map_err(|error| refuse(error.to_string()))?;
        reply.data.sort_by_key(|vector| vector.index);
        let mut vectors: Vec<Vec<f32>> = reply.data.into_iter().map(|vector| vector.embedding).collect();
        vectors.iter_mut().for_each(|vector| scale_to_unit(vector));
        let length = vectors.first().map_or(0, Vec::len);
        let expected = if self.dimensions == 0 { length } else { self.dimensions };
        if vectors.len() != texts.len()
            || !(1..=MOST_DIMENSIONS).contains(&expected)
            || vectors.iter().any(|vector| vector.len() != expected)
        {
            let reason = format!(
                "expected {} vectors of length {expected}, found {} of length {length}",
                texts.len(),
                vectors.len()
            );
            return Err(refuse(reason));
        }
        if vectors.iter().flatten().any(|value| !value.is_finite()) {
            return Err(refuse("a vector with a number beyond 32 bits".to_owned()));
        }
        Ok(vectors)
    }
}

#[async_trait::async_trait]
impl Embedder for HttpEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    async fn embed(&self, texts: &[&str]) -> Result<Embeddings, ModelError> {
        let mut values = Vec::with_capacity(texts.len() * self.dimensions);
        for batch in texts.chunks(BATCH) {
            // Endpoints refuse empty texts; a blank has the same meaning.
            let batch: Vec<&str> =
                batch.iter().map(|text| if text.is_empty() { " " } else { text }).collect();
            for vector in self.request(&batch).await? {
                values.extend(vector);
            }
        }
        Ok(Embeddings::new(self.dimensions, values))
    }
}

#[derive(Deserialize)]
struct Reply {
    data: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    #[serde(default)]
    index: usize,
    embedding: Vec<f32>,
}
