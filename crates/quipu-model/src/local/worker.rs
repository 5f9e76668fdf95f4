//! The thread that owns a model's context and answers its queue.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use tokio::sync::{mpsc, oneshot};

use super::LocalConfig;
use super::alternatives::alternatives;
use super::choice::choose;
use super::engine::{Engine, Evaluated, Last, LoadedAdapter, Stop};
use super::generated::{Generated, find_stop};
use super::kept::Kept;
use super::prompt::{Prompt, PromptWriter};
use super::sample::{Sampler, log_probability};
use super::score::score;
use crate::thinking::split_thinking;
use crate::{
    Alternative, Alternatives, ChatReply, ChatRequest, Constraint, FinishReason, Likelihood, ModelError,
    ScoreReply, ScoreRequest, Usage,
};

type Reply<T> = oneshot::Sender<Result<T, ModelError>>;

/// A waiting request.
pub(super) enum Job {
    Chat { request: ChatRequest, reply: Reply<ChatReply> },
    Score { request: ScoreRequest, reply: Reply<ScoreReply> },
}

/// Starts the thread; fails if the context cannot be created.
pub(super) fn spawn(
    name: &str,
    model: Arc<LlamaModel>,
    backend: &'static LlamaBackend,
    config: LocalConfig,
    kept: Option<Kept>,
    adapters: Vec<LoadedAdapter>,
    queue: mpsc::Receiver<Job>,
) -> Result<JoinHandle<()>, ModelError> {
    let (ready, started) = std::sync::mpsc::channel();
    let no_thread = |reason: String| ModelError::Engine { model: name.to_owned(), reason };
    let thread_name = name.to_owned();
    let thread = std::thread::Builder::new()
        .name(format!("llama {name}"))
        .spawn(move || match Engine::new(thread_name, &model, backend, &config, kept, adapters) {
            Ok(engine) => {
                let _ = ready.send(Ok(()));
                Worker { prompts: PromptWriter::for_model(&model), engine }.run(queue);
            }
            Err(error) => {
                let _ = ready.send(Err(error));
            }
        })
        .map_err(|error| no_thread(format!("cannot start its thread: {error}")))?;
    started.recv().map_err(|_| no_thread("its thread ended at once".into()))??;
    Ok(thread)
}

struct Worker<'m> {
    engine: Engine<'m>,
    prompts: PromptWriter,
}

impl Worker<'_> {
    fn run(mut self, mut queue: mpsc::Receiver<Job>) {
        while let Some(job) = queue.blocking_recv() {
            match job {
                Job::Chat { request, reply } => {
                    let stop = watch(&reply, request.timeout);
                    let result = if stop() { Err(ModelError::Cancelled) } else { self.chat(&request, &stop) };
                    drop(stop);
                    let _ = reply.send(result);
                }
                Job::Score { request, reply } => {
                    let stop = watch(&reply, request.timeout);
                    let result =
                        if stop() { Err(ModelError::Cancelled) } else { self.score(&request, &stop) };
                    drop(stop);
                    let _ = reply.send(result);
                }
            }
        }
    }

    fn chat(&mut self, request: &ChatRequest, stop: Stop<'_>) -> Result<ChatReply, ModelError> {
        self.engine.serve(&request.stage, request.language.as_deref())?;
        let mut prompt = match self.engine.is_tuned() {
            true => self.prompts.write(self.engine.model, &request.messages_for_tuned(), 0),
            false => self.prompts.write(self.engine.model, &request.messages, request.worked),
        };
        prompt.lasting = request.lasting;
        self.check_length(&prompt, request.max_tokens as usize)?;
        let evaluated = self.engine.evaluate(&prompt, stop)?;
        if let Some(wanted) = &request.alternatives {
            return self.alternatives(evaluated, prompt.len(), wanted, request, stop);
        }
        let generated = match &request.constraint {
            Constraint::Choice(options) => choose(&mut self.engine, evaluated, options, request, stop)?,
            _ => self.generate(evaluated.slot, evaluated.last, request, stop)?,
        };
        let (text, thinking) = split_thinking(&generated.text);
        let usage = Usage {
            llm_calls: 1,
            prompt_tokens: prompt.len() as u64,
            reused_tokens: evaluated.reused as u64,
            completion_tokens: generated.tokens as u64,
            ..Usage::default()
        };
        let likelihood = Likelihood::of(generated.likely);
        let finish = generated.finish;
        Ok(ChatReply { text, thinking, finish, usage, likelihood, ..ChatReply::default() })
    }

    /// The likeliest replies other than a known one.
    fn alternatives(
        &mut self,
        evaluated: Evaluated,
        prompt: usize,
        wanted: &Alternatives,
        request: &ChatRequest,
        stop: Stop<'_>,
    ) -> Result<ChatReply, ModelError> {
        if request.constraint != Constraint::None {
            let (model, ability) = (self.engine.name.clone(), "write alternatives within a constraint");
            return Err(ModelError::Unsupported { model, ability });
        }
        let (found, computed) = alternatives(&mut self.engine, evaluated, prompt, wanted, request, stop)?;
        let usage = Usage {
            llm_calls: 1,
            prompt_tokens: prompt as u64,
            reused_tokens: evaluated.reused as u64,
            completion_tokens: computed as u64,
            ..Usage::default()
        };
        let alternatives = found.into_iter().map(|reply| Alternative {
            text: split_thinking(&reply.text).0,
            likelihood: Likelihood::of(reply.likely),
        });
        Ok(ChatReply { alternatives: alternatives.collect(), usage, ..ChatReply::default() })
    }

    fn score(&mut self, request: &ScoreRequest, stop: Stop<'_>) -> Result<ScoreReply, ModelError> {
        let prompt = self.prompts.write(self.engine.model, &request.messages, 0);
        self.check_length(&prompt, 0)?;
        self.engine.serve(&request.stage, None)?;
        let evaluated = self.engine.evaluate(&prompt, stop)?;
        let (scores, tokens) =
            score(&mut self.engine, evaluated, prompt.len(), &request.continuations, stop)?;
        let usage = Usage {
            llm_calls: 1,
            prompt_tokens: (prompt.len() + tokens) as u64,
            reused_tokens: evaluated.reused as u64,
            ..Usage::default()
        };
        Ok(ScoreReply { scores, usage })
    }

    fn check_length(&self, prompt: &Prompt, reserve: usize) -> Result<(), ModelError> {
        let (tokens, limit) = (prompt.len() + reserve, self.engine.context_tokens());
        if prompt.tokens.is_empty() || tokens > limit {
            return Err(ModelError::TooLong { model: self.engine.name.clone(), tokens, limit });
        }
        Ok(())
    }

    /// Generates tokens until the model ends, a stop text appears, or the limit is reached.
    fn generate(
        &mut self,
        slot: usize,
        mut last: Last,
        request: &ChatRequest,
        stop: Stop<'_>,
    ) -> Result<Generated, ModelError> {
        let mut sampler = Sampler::new(&self.engine, request)?;
        let mut bytes = Vec::new();
        let mut tokens = 0;
        let mut likely = Vec::new();
        while tokens < request.max_tokens as usize {
            let Some(token) = sampler.next(&self.engine, last)? else {
                return Ok(Generated { likely, ..Generated::ended(&bytes, tokens) });
            };
            tokens += 1;
            if request.likelihood {
                likely.push(log_probability(self.engine.logits(last), token));
            }
            self.engine.model.vocab().token_to_piece_into(token, &mut bytes, false, None);
            if let Some(end) = find_stop(&bytes, &request.stop) {
                bytes.truncate(end);
                return Ok(Generated { likely, ..Generated::ended(&bytes, tokens) });
            }
            if sampler.is_complete(&self.engine, &bytes) {
                return Ok(Generated { likely, ..Generated::ended(&bytes, tokens) });
            }
            last = self.engine.append(slot, &[token], stop)?;
        }
        Ok(Generated { finish: FinishReason::Length, likely, ..Generated::ended(&bytes, tokens) })
    }
}

/// Returns whether the caller of a request has left or its time is over.
fn watch<T>(reply: &Reply<T>, limit: Duration) -> impl Fn() -> bool + '_ {
    let deadline = Instant::now().checked_add(limit);
    move || reply.is_closed() || deadline.is_some_and(|deadline| Instant::now() > deadline)
}
