//! The local embedder: a sentence-transformers BERT in a folder.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};
use tokenizers::{Tokenizer, TruncationParams};

use super::bert::Bert;
use super::cache::VectorCache;
use super::config;
use super::{Embedder, Embeddings, TokenVectors};
use crate::ModelError;

/// Most tokens of a text, as in sentence-transformers for this model; the rest is cut.
const LONGEST: usize = 256;
/// Tokens of a core's chunk: few enough that their activations stay in its cache.
const CHUNK: usize = 128;
/// Largest call that uses the cache. An import's batches would only evict texts that recur.
const CACHED_BATCH: usize = 2048;

/// A sentence-transformers model of the BERT family: `model.safetensors`, `tokenizer.json` and
/// `config.json` in one folder, heads of 32 dimensions, mean pooling (all-MiniLM-L6-v2,
/// all-MiniLM-L12-v2). Other configurations are refused.
pub struct LocalEmbedder {
    name: String,
    fingerprint: String,
    inner: Arc<Inner>,
}

struct Inner {
    tokenizer: Tokenizer,
    bert: Bert,
    cache: VectorCache,
}

impl LocalEmbedder {
    /// Opens a folder.
    pub fn open(name: impl Into<String>, folder: &Path) -> Result<Self, ModelError> {
        let name = name.into();
        let weights = folder.join("model.safetensors");
        let bert = Bert::open(&weights)?;
        let said = config::check(folder, bert.dimensions())?;
        let path = folder.join("tokenizer.json");
        let damaged = |reason: String| ModelError::Damaged { path: path.clone(), reason };
        let text = std::fs::read(&path).map_err(|source| ModelError::Io {
            action: "cannot read",
            path: path.clone(),
            source: Arc::new(source),
        })?;
        let mut tokenizer = read_tokenizer(&text).map_err(damaged)?;
        let max_length = said.unwrap_or(LONGEST).min(LONGEST).min(bert.positions());
        tokenizer
            .with_truncation(Some(TruncationParams { max_length, ..TruncationParams::default() }))
            .map_err(|error| damaged(error.to_string()))?;
        tokenizer.with_padding(None);
        let fingerprint = format!("{name}:mean:{max_length}:{}", fingerprint(&weights, &text)?);
        let inner = Arc::new(Inner { tokenizer, bert, cache: VectorCache::default() });
        Ok(Self { name, fingerprint, inner })
    }
}

/// Reads `tokenizer.json`. Its library panics at some texts that are no JSON.
fn read_tokenizer(text: &[u8]) -> Result<Tokenizer, String> {
    serde_json::from_slice::<serde::de::IgnoredAny>(text).map_err(|error| error.to_string())?;
    let read = catch_unwind(|| Tokenizer::from_bytes(text));
    let read = read.map_err(|_| String::from("the tokenizers library cannot read it"))?;
    read.map_err(|error| error.to_string())
}

#[async_trait::async_trait]
impl Embedder for LocalEmbedder {
    fn name(&self) -> &str {
        &self.name
    }

    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn dimensions(&self) -> usize {
        self.inner.bert.dimensions()
    }

    async fn embed(&self, texts: &[&str]) -> Result<Embeddings, ModelError> {
        let dimensions = self.dimensions();
        let mut rows = vec![0.0; texts.len() * dimensions];
        let cached = texts.len() <= CACHED_BATCH;
        let unknown = if cached {
            self.inner.cache.fill(texts, &mut rows, dimensions)
        } else {
            (0..texts.len()).collect()
        };
        if !unknown.is_empty() {
            let wanted: Vec<String> =
                unknown.iter().filter_map(|&index| texts.get(index)).map(|&t| t.into()).collect();
            let vectors = self.compute(move |inner| inner.embed(&wanted, cached)).await?;
            for (index, vector) in unknown.into_iter().zip(vectors.chunks_exact(dimensions)) {
                if let Some(row) = rows.get_mut(index * dimensions..(index + 1) * dimensions) {
                    row.copy_from_slice(vector);
                }
            }
        }
        Ok(Embeddings::new(dimensions, rows))
    }

    async fn embed_tokens(&self, texts: &[&str]) -> Result<Option<Vec<TokenVectors>>, ModelError> {
        let texts: Vec<String> = texts.iter().map(|&text| text.into()).collect();
        self.compute(move |inner| inner.embed_tokens(&texts)).await.map(Some)
    }
}

impl LocalEmbedder {
    /// Runs `work` on the computing threads.
    async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner) -> Result<T, String> + Send + 'static,
    ) -> Result<T, ModelError> {
        let inner = Arc::clone(&self.inner);
        // Starts on a thread of the pool: from any other thread each step would be handed over.
        let (send, result) = tokio::sync::oneshot::channel();
        rayon::spawn(move || {
            let computed = catch_unwind(AssertUnwindSafe(|| work(&inner)));
            // A panic drops the sender, which the receiver reports. The receiver itself may be
            // gone.
            let _ = computed.map(|result| send.send(result));
        });
        let result = result.await.unwrap_or(Err(String::from("its thread ended")));
        result.map_err(|reason| ModelError::Engine { model: self.name.clone(), reason })
    }
}

impl Inner {
    /// Vectors in the order of `texts`.
    fn embed(&self, texts: &[String], remember: bool) -> Result<Vec<f32>, String> {
        let tokens = self.tokenize(texts)?;
        // Texts of equal length follow each other, and each distinct text is computed once.
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&index| tokens.get(index).map_or(0, Vec::len));
        let chunks = chunks(&order, &tokens);
        let computed = in_chunks(&chunks, &tokens, |texts, parallel| self.bert.embed(texts, parallel));
        let dimensions = self.bert.dimensions();
        let mut rows = vec![0.0; texts.len() * dimensions];
        for (chunk, vectors) in chunks.iter().zip(&computed) {
            for (&index, vector) in chunk.iter().zip(vectors.chunks_exact(dimensions)) {
                if let Some(row) = rows.get_mut(index * dimensions..(index + 1) * dimensions) {
                    row.copy_from_slice(vector);
                }
                if let Some(text) = texts.get(index).filter(|_| remember) {
                    self.cache.insert(text, vector);
                }
            }
        }
        Ok(rows)
    }

    /// The vectors of each text's tokens, without the special tokens at beginning and end.
    fn embed_tokens(&self, texts: &[String]) -> Result<Vec<TokenVectors>, String> {
        let encode =
            |text: &String| self.tokenizer.encode(text.as_str(), true).map_err(|error| error.to_string());
        let encodings: Vec<_> =
            texts.par_iter().with_min_len(16).map(encode).collect::<Result<_, String>>()?;
        let tokens: Vec<Vec<u32>> = encodings.iter().map(|encoding| encoding.get_ids().to_vec()).collect();
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|&index| tokens.get(index).map_or(0, Vec::len));
        let chunks = chunks(&order, &tokens);
        let computed = in_chunks(&chunks, &tokens, |texts, parallel| self.bert.embed_tokens(texts, parallel));
        let dimensions = self.bert.dimensions();
        let mut vectors = vec![TokenVectors::default(); texts.len()];
        for (&index, values) in order.iter().zip(computed.into_iter().flatten()) {
            let (Some(encoding), Some(place)) = (encodings.get(index), vectors.get_mut(index)) else {
                continue;
            };
            let marks = encoding.get_special_tokens_mask();
            let rows = values.chunks_exact(dimensions).zip(encoding.get_offsets()).zip(marks);
            let said = rows.filter(|(_, mark)| **mark == 0).map(|(token, _)| token);
            let (rows, spans): (Vec<&[f32]>, Vec<_>) =
                said.map(|(row, (start, end))| (row, *start..*end)).unzip();
            *place = TokenVectors::new(spans, dimensions, rows.concat());
        }
        Ok(vectors)
    }

    fn tokenize(&self, texts: &[String]) -> Result<Vec<Vec<u32>>, String> {
        let one = |text: &String| {
            let encoding =
                self.tokenizer.encode_fast(text.as_str(), true).map_err(|error| error.to_string())?;
            Ok(encoding.get_ids().to_vec())
        };
        texts.par_iter().with_min_len(16).map(one).collect()
    }
}

/// Computes chunks of texts, given by their tokens: many chunks in parallel, few with all cores on
/// each step.
fn in_chunks<T: Send>(
    chunks: &[&[usize]],
    tokens: &[Vec<u32>],
    compute: impl Fn(&[&[u32]], bool) -> T + Sync,
) -> Vec<T> {
    let of = |chunk: &&[usize]| -> Vec<&[u32]> {
        chunk.iter().filter_map(|&index| tokens.get(index)).map(Vec::as_slice).collect()
    };
    if chunks.len() >= 3 * rayon::current_num_threads() {
        chunks.par_iter().map(|chunk| compute(&of(chunk), false)).collect()
    } else {
        chunks.iter().map(|chunk| compute(&of(chunk), true)).collect()
    }
}

/// Cuts `order` into runs of about [`CHUNK`] tokens.
fn chunks<'a>(order: &'a [usize], tokens: &[Vec<u32>]) -> Vec<&'a [usize]> {
    let mut chunks = Vec::new();
    let (mut start, mut size) = (0, 0);
    for (place, &index) in order.iter().enumerate() {
        size += tokens.get(index).map_or(0, Vec::len);
        if size >= CHUNK || place + 1 == order.len() {
            chunks.extend(order.get(start..=place));
            (start, size) = (place + 1, 0);
        }
    }
    chunks
}

/// Identifies weights and tokenizer: a hash of the tokenizer, the size of the weights, and a page
/// of each megabyte of them, which takes a millisecond.
fn fingerprint(weights: &Path, tokenizer: &[u8]) -> Result<String, ModelError> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let io = |source| ModelError::Io {
        action: "cannot read",
        path: weights.to_path_buf(),
        source: Arc::new(source),
    };
    let mut file = std::fs::File::open(weights).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    let mut hash = Sha256::new();
    hash.update(tokenizer);
    hash.update(size.to_le_bytes());
    let mut page = Vec::new();
    for start in (0..size).step_by(1 << 20) {
        file.seek(SeekFrom::Start(start)).map_err(io)?;
        page.clear();
        file.by_ref().take(4096).read_to_end(&mut page).map_err(io)?;
        hash.update(&page);
    }
    Ok(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tokenizer_that_is_no_json_is_refused() {
        let model = r#""model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}"#;
        let text = |decoder: &str| format!(r#"{{"version": "1.0", "decoder": {decoder}, {model}}}"#);
        assert!(read_tokenizer(text("null").as_bytes()).is_ok());
        let refused = read_tokenizer(text(r#"{"type": "WordPiece", "cleanup": ype}"#).as_bytes());
        assert!(refused.unwrap_err().contains("line 1"));
    }

    #[test]
    fn chunks_cover_the_order_once() {
        let tokens: Vec<Vec<u32>> = (0..50).map(|length| vec![0; length]).collect();
        let order: Vec<usize> = (0..50).collect();
        let chunks = chunks(&order, &tokens);
        assert_eq!(chunks.concat(), order);
        assert!(
            chunks
                .iter()
                .all(|chunk| chunk[1..].iter().map(|&i| tokens[i].len()).sum::<usize>() <= CHUNK + 50)
        );
    }
}
