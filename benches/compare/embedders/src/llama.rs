//! llama.cpp with a converted GGUF.

use std::num::NonZeroU32;
use std::path::Path;

use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::{LlamaContextParams, LlamaPoolingType};
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use llama_cpp_2::token::LlamaToken;

use crate::{Encode, Result, normalised};

/// Tokens of one batch: 16 passages of 121.
const TOKENS: u32 = 2048;
/// Texts of one batch.
const TEXTS: u32 = 64;

pub struct Llama {
    context: LlamaContext<'static>,
}

impl Llama {
    pub fn open(file: &Path, threads: usize) -> Result<Self> {
        let mut backend = LlamaBackend::init()?;
        backend.void_logs();
        let backend: &'static LlamaBackend = Box::leak(Box::new(backend));
        let model = LlamaModel::load_from_file(backend, file, &LlamaModelParams::default())?;
        let threads = i32::try_from(threads)?;
        let parameters = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(TOKENS))
            .with_n_batch(TOKENS)
            .with_n_ubatch(TOKENS)
            .with_n_seq_max(TEXTS)
            .with_kv_unified(true)
            .with_n_threads(threads)
            .with_n_threads_batch(threads)
            .with_embeddings(true)
            .with_pooling_type(LlamaPoolingType::Mean);
        // One for the whole run.
        let model: &'static LlamaModel = Box::leak(Box::new(model));
        Ok(Self { context: model.new_context(backend, parameters)? })
    }
}

impl Encode for Llama {
    fn encode(&mut self, tokens: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        let mut batch = LlamaBatch::new(TOKENS as usize, i32::try_from(TEXTS)?);
        for (number, text) in tokens.iter().enumerate() {
            let text: Vec<LlamaToken> = text.iter().map(|token| LlamaToken(token.cast_signed())).collect();
            batch.add_sequence(&text, i32::try_from(number)?, true)?;
        }
        self.context.encode(&mut batch)?;
        let vector =
            |number: usize| Ok(normalised(self.context.embeddings_seq_ith(i32::try_from(number)?)?.to_vec()));
        (0..tokens.len()).map(vector).collect()
    }
}
