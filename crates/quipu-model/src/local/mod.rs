//! Local language models: GGUF files, run in this process by llama.cpp.
//!
//! A dedicated thread owns the model's context. Requests wait in a bounded queue and are answered
//! one after the other. Dropping the future of a request removes it from the queue, or stops it at
//! its next token.

mod adapter;
mod alternatives;
mod choice;
mod engine;
mod file;
mod generated;
mod kept;
mod prompt;
mod sample;
mod score;
mod slots;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use parking_lot::Mutex;
use tokio::sync::{mpsc, oneshot};

use crate::{Abilities, ChatReply, ChatRequest, LanguageModel, ModelError, ScoreReply, ScoreRequest};
pub use adapter::Adapter;
use engine::LoadedAdapter;
pub(crate) use file::{checksum, unread};
use kept::Kept;
use worker::Job;

/// Settings of a local model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalConfig {
    /// Tokens for one prompt and its reply together; the remembered prefixes share this space.
    pub context_tokens: u32,
    /// Computing threads: `QUIPU_THREADS` if set, else one for each core. They wait for each other
    /// many times a token, so fewer are faster on a machine with other work.
    pub threads: usize,
    /// Length of the queue; further requests wait outside.
    pub queue: usize,
    /// Folder, for this model alone, where evaluated instructions are stored for later processes;
    /// without it, none are stored.
    pub kept: Option<PathBuf>,
    /// Adapters of this model, each for certain requests.
    pub adapters: Vec<Adapter>,
}

impl Default for LocalConfig {
    fn default() -> Self {
        let wanted = std::env::var("QUIPU_THREADS").ok().and_then(|threads| threads.parse().ok());
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let threads = wanted.filter(|&threads| threads > 0).unwrap_or_else(cores);
        Self { context_tokens: 8192, threads, queue: 64, kept: None, adapters: Vec::new() }
    }
}

/// A GGUF model in this process.
pub struct LocalModel {
    name: String,
    context_tokens: usize,
    model: Arc<LlamaModel>,
    jobs: Option<mpsc::Sender<Job>>,
    worker: Mutex<Option<JoinHandle<()>>>,
}

impl LocalModel {
    /// Loads a GGUF file; `name` is its name for people and reports.
    ///
    /// Takes about a second for a model of a gigabyte, whose file stays mapped.
    pub fn load(name: impl Into<String>, path: &Path, config: &LocalConfig) -> Result<Self, ModelError> {
        let name = name.into();
        file::check_magic(path)?;
        let backend = backend(&name)?;
        if let Some((first, second)) = Adapter::overlapping(&config.adapters) {
            let (first, second) = (first.path.display(), second.path.display());
            let message =
                format!("{first} and {second} are adapters for the same requests; name one of them");
            return Err(ModelError::Usage(message));
        }
        let mut model =
            LlamaModel::load_from_file(backend, path, &LlamaModelParams::default()).map_err(|error| {
                ModelError::Damaged {
                    path: path.to_path_buf(),
                    reason: format!("llama.cpp cannot load it: {error}"),
                }
            })?;
        let adapters = config
            .adapters
            .iter()
            .map(|adapter| load_adapter(&mut model, &name, adapter))
            .collect::<Result<_, _>>()?;
        let model = Arc::new(model);
        // Beyond its training length, a model only babbles.
        let context_tokens = config.context_tokens.min(model.n_ctx_train().max(64));
        let config = LocalConfig { context_tokens, ..config.clone() };
        let (jobs, queue) = mpsc::channel(config.queue.max(1));
        let kept = config.kept.clone().map(Kept::new);
        let worker = worker::spawn(&name, Arc::clone(&model), backend, config, kept, adapters, queue)?;
        Ok(Self {
            name,
            context_tokens: context_tokens as usize,
            model,
            jobs: Some(jobs),
            worker: Mutex::new(Some(worker)),
        })
    }

    async fn submit<T>(
        &self,
        limit: std::time::Duration,
        job: impl FnOnce(oneshot::Sender<Result<T, ModelError>>) -> Job,
    ) -> Result<T, ModelError> {
        let (reply, answer) = oneshot::channel();
        let gone = || ModelError::Engine { model: self.name.clone(), reason: "its thread has ended".into() };
        let jobs = self.jobs.as_ref().ok_or_else(gone)?;
        let call = async {
            jobs.send(job(reply)).await.map_err(|_| gone())?;
            answer.await.map_err(|_| gone())?
        };
        match tokio::time::timeout(limit, call).await {
            // The thread may notice the time limit first.
            Ok(Err(ModelError::Cancelled)) | Err(_) => {
                Err(ModelError::TimedOut { model: self.name.clone(), limit })
            }
            Ok(result) => result,
        }
    }
}

impl Drop for LocalModel {
    fn drop(&mut self) {
        // Closing the queue ends the thread. Waiting for it prevents llama.cpp from computing while
        // the process exits.
        self.jobs = None;
        if let Some(worker) = self.worker.lock().take() {
            let _ = worker.join();
        }
    }
}

#[async_trait::async_trait]
impl LanguageModel for LocalModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn abilities(&self) -> Abilities {
        Abilities { constrained: true, grammar: true, score: true, context_tokens: self.context_tokens }
    }

    fn count_tokens(&self, text: &str) -> usize {
        self.model.vocab().tokenize(text.as_bytes(), false, false).len()
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ModelError> {
        let started = std::time::Instant::now();
        let mut reply =
            self.submit(request.timeout, |reply| Job::Chat { request: request.clone(), reply }).await?;
        reply.usage.seconds = started.elapsed().as_secs_f64();
        Ok(reply)
    }

    async fn score(&self, request: &ScoreRequest) -> Result<ScoreReply, ModelError> {
        let started = std::time::Instant::now();
        let mut reply =
            self.submit(request.timeout, |reply| Job::Score { request: request.clone(), reply }).await?;
        reply.usage.seconds = started.elapsed().as_secs_f64();
        Ok(reply)
    }
}

/// Reads an adapter's weights; llama.cpp compares their shapes with the model's.
fn load_adapter(model: &mut LlamaModel, name: &str, adapter: &Adapter) -> Result<LoadedAdapter, ModelError> {
    let own = model.meta_val_str("general.architecture").unwrap_or_default();
    if own != adapter.architecture {
        return Err(ModelError::Usage(format!(
            "{}: this adapter is of the architecture {}, {name} is of {own}",
            adapter.path.display(),
            adapter.architecture
        )));
    }
    let weights = model.lora_adapter_init(&adapter.path).map_err(|_| ModelError::Damaged {
        path: adapter.path.clone(),
        reason: format!(
            "llama.cpp cannot load the adapter for {name}: it is cut off, damaged, or made for a model of another size"
        ),
    })?;
    Ok(LoadedAdapter { adapter: adapter.clone(), weights })
}

/// llama.cpp's global state, set up once; its log lines go to `tracing`.
fn backend(name: &str) -> Result<&'static LlamaBackend, ModelError> {
    static BACKEND: OnceLock<Result<LlamaBackend, String>> = OnceLock::new();
    BACKEND
        .get_or_init(|| {
            file::logs_to_tracing();
            LlamaBackend::init().map_err(|error| error.to_string())
        })
        .as_ref()
        .map_err(|reason| ModelError::Engine { model: name.to_owned(), reason: reason.clone() })
}
