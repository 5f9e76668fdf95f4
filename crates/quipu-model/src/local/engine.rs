//! The context of one model: evaluates prompts on top of remembered ones, and returns logits.

use std::num::NonZeroU32;
use std::path::Path;

use llama_cpp_2::DecodeError;
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::context::params::LlamaContextParams;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::llama_batch::LlamaBatch;
use llama_cpp_2::model::{LlamaLoraAdapter, LlamaModel};
use llama_cpp_2::token::LlamaToken;

use super::LocalConfig;
use super::adapter::Adapter;
use super::kept::{Kept, LEAST_TOKENS};
use super::prompt::Prompt;
use super::slots::{Place, Slots};
use crate::ModelError;

/// Most prompts that the context remembers.
const SLOTS: usize = 16;
/// Continuations that are scored at once.
pub(super) const SCORED_AT_ONCE: usize = 32;
/// Tokens of one step: small enough that a dropped request is noticed soon, large enough to keep
/// the cores busy.
pub(super) const STEP: usize = 256;

/// Returns whether the request should stop: its caller left or its time is over.
pub(super) type Stop<'a> = &'a dyn Fn() -> bool;

/// An adapter whose weights are in memory.
pub(super) struct LoadedAdapter {
    pub(super) adapter: Adapter,
    pub(super) weights: LlamaLoraAdapter,
}

/// One model's context. Sequences `0..SLOTS` are remembered prompts, the others are scratch
/// sequences for scoring.
pub(super) struct Engine<'m> {
    pub(super) name: String,
    pub(super) model: &'m LlamaModel,
    context: LlamaContext<'m>,
    batch: LlamaBatch<'static>,
    slots: Slots,
    kept: Option<Kept>,
    adapters: Vec<LoadedAdapter>,
    /// The active adapter.
    active: Option<usize>,
}

/// An evaluated prompt.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evaluated {
    /// Its slot.
    pub(super) slot: usize,
    /// Number of its tokens that were reused.
    pub(super) reused: usize,
    /// Its last token.
    pub(super) last: Last,
}

/// The token whose logits tell the next one.
#[derive(Debug, Clone, Copy)]
pub(super) enum Last {
    /// A token of the last step, by its index.
    Computed(i32),
    /// The end of the prompt that a slot holds.
    Held(usize),
}

/// A token to evaluate: its position, the sequences that it belongs to, and whether its logits are
/// needed.
pub(super) struct Entry<'a> {
    pub(super) token: LlamaToken,
    pub(super) position: usize,
    pub(super) sequences: &'a [i32],
    pub(super) logits: bool,
}

impl<'m> Engine<'m> {
    pub(super) fn new(
        name: String,
        model: &'m LlamaModel,
        backend: &LlamaBackend,
        config: &LocalConfig,
        kept: Option<Kept>,
        adapters: Vec<LoadedAdapter>,
    ) -> Result<Self, ModelError> {
        let threads = i32::try_from(config.threads.max(1)).unwrap_or(1);
        let sequences = sequence(SLOTS + SCORED_AT_ONCE);
        let params = LlamaContextParams::default()
            .with_n_ctx(NonZeroU32::new(config.context_tokens.max(64)))
            .with_n_batch(STEP as u32)
            .with_n_ubatch(STEP as u32)
            .with_n_seq_max((SLOTS + SCORED_AT_ONCE) as u32)
            .with_kv_unified(true)
            .with_n_threads(threads)
            .with_n_threads_batch(threads);
        let context = model.new_context(backend, params).map_err(|error| ModelError::Engine {
            model: name.clone(),
            reason: format!("no context of {} tokens: {error}", config.context_tokens),
        })?;
        Ok(Self {
            name,
            model,
            context,
            batch: LlamaBatch::new(STEP, sequences),
            slots: Slots::new(SLOTS),
            kept,
            adapters,
            active: None,
        })
    }

    /// Activates the adapter that serves this stage and this language, if there is one.
    pub(super) fn serve(&mut self, stage: &str, language: Option<&str>) -> Result<(), ModelError> {
        let serves = |loaded: &LoadedAdapter| loaded.adapter.serves(stage, language);
        let wanted = self.adapters.iter().position(serves);
        if wanted == self.active {
            return Ok(());
        }
        // llama.cpp removes all adapters, whichever is passed.
        if let Some(loaded) = self.active.and_then(|active| self.adapters.get_mut(active)) {
            let removed = self.context.lora_adapter_remove(&mut loaded.weights);
            removed.map_err(|error| self.failed(error))?;
        }
        self.active = None;
        self.slots.compute_with(None);
        if let Some(loaded) = wanted.and_then(|wanted| self.adapters.get_mut(wanted)) {
            let set = self.context.lora_adapter_set(&mut loaded.weights, 1.0);
            set.map_err(|error| self.failed(error))?;
        }
        self.active = wanted;
        self.slots.compute_with(wanted);
        Ok(())
    }

    /// Whether an adapter serves the current stage.
    pub(super) fn is_tuned(&self) -> bool {
        self.active.is_some()
    }

    /// The key of instructions on disk, of which the first `worked` tokens are worked examples.
    fn key(&self, instructions: &[LlamaToken], worked: usize) -> String {
        let active = self.active.and_then(|active| self.adapters.get(active));
        Kept::key(instructions, worked, active.map(|loaded| loaded.adapter.sha256.as_str()))
    }

    /// Size of the context in tokens.
    pub(super) fn context_tokens(&self) -> usize {
        self.context.n_ctx() as usize
    }

    /// Evaluates a prompt in a slot, computing only the tokens that no slot holds yet. Worked
    /// examples and then the other instructions are computed by themselves, so that they are the
    /// same numbers in every prompt.
    pub(super) fn evaluate(&mut self, prompt: &Prompt, stop: Stop<'_>) -> Result<Evaluated, ModelError> {
        let (instructions, worked, lasting) = (prompt.instructions(), prompt.worked(), prompt.lasting);
        let prompt = prompt.tokens.as_slice();
        if let Some(slot) = self.slots.holding(prompt) {
            if self.forget(slot, prompt.len()) {
                self.slots.cut(slot);
                return Ok(Evaluated { slot, reused: prompt.len(), last: Last::Held(slot) });
            }
            self.slots.reset(slot, &[], 0);
        }
        let mut place = self.slots.place(prompt);
        for kept in [instructions, worked] {
            if place.prefix < kept.len() {
                place = self.recall(place, kept, worked.len());
            }
        }
        let mut reused = place.prefix;
        if place.slot != place.source || reused == 0 {
            self.forget(place.slot, 0);
        }
        if place.slot != place.source && reused > 0 {
            self.share(place.source, place.slot, reused)?;
        } else if reused > 0 && !self.forget(place.slot, reused) {
            reused = 0;
        }
        self.slots.take(place.slot, place.source, reused);
        self.make_room(place.slot, prompt.len() - reused);
        let mut computed = reused;
        for end in [worked.len(), instructions.len()] {
            if let Some(new) = prompt.get(computed..end).filter(|new| !new.is_empty()) {
                self.append(place.slot, new, stop)?;
                self.slots.mark(place.slot, None);
                computed = end;
            }
        }
        let rest = prompt.get(computed..).unwrap_or_default();
        let last = self.append(place.slot, rest, stop)?;
        if let Last::Computed(index) = last {
            self.slots.mark(place.slot, Some(self.context.get_logits_ith(index)));
        }
        self.keep(place.slot, worked, worked.len(), true);
        self.keep(place.slot, instructions, worked.len(), lasting);
        Ok(Evaluated { slot: place.slot, reused, last })
    }

    /// Loads instructions that an earlier process stored into a place's slot. Returns the place as
    /// it is if nothing is stored, an empty one if the file cannot be read. The first `worked`
    /// tokens are worked examples.
    fn recall(&mut self, place: Place, instructions: &[LlamaToken], worked: usize) -> Place {
        let key = self.key(instructions, worked);
        let Some(file) = self.kept.as_ref().and_then(|kept| kept.file(&key)) else { return place };
        let slot = place.slot;
        self.forget(slot, 0);
        self.slots.reset(slot, &[], 0);
        self.make_room(slot, instructions.len());
        let read = self.context.state_seq_load_file(&file, sequence(slot), instructions.len());
        if read.is_ok_and(|(tokens, _)| tokens == instructions) {
            self.slots.reset(slot, instructions, worked);
            return Place { slot, source: slot, prefix: instructions.len() };
        }
        self.forget(slot, 0);
        if let Some(kept) = &self.kept {
            kept.remove(&key);
        }
        Place { slot, source: slot, prefix: 0 }
    }

    /// Stores the instructions at the beginning of a slot for later processes: `lasting` ones at
    /// once, others once they recur. The first `worked` tokens are worked examples.
    fn keep(&mut self, slot: usize, instructions: &[LlamaToken], worked: usize, lasting: bool) {
        let key = self.key(instructions, worked);
        let Some(kept) = self.kept.as_mut().filter(|_| instructions.len() >= LEAST_TOKENS) else { return };
        if !kept.meet(&key, lasting) {
            return;
        }
        // A sequence is written whole, so the instructions are copied to a sequence of their own.
        let shared = self.share_with_scratch(slot, 0, instructions.len());
        if let (Ok(()), Some(kept)) = (shared, &self.kept) {
            let context = &self.context;
            let write = |path: &Path| {
                let written = context.state_seq_save_file(path, scratch(0), instructions);
                written.map(drop).map_err(std::io::Error::other)
            };
            if let Err(error) = kept.keep(&key, write) {
                tracing::debug!(%error, "instructions cannot be kept");
            }
        }
        self.free_scratch(0);
    }

    /// Evaluates tokens at a slot's end; returns the last one.
    pub(super) fn append(
        &mut self,
        slot: usize,
        tokens: &[LlamaToken],
        stop: Stop<'_>,
    ) -> Result<Last, ModelError> {
        let sequences = [sequence(slot)];
        let mut last = 0;
        for chunk in tokens.chunks(STEP) {
            if stop() {
                return Err(ModelError::Cancelled);
            }
            let start = self.slots.tokens(slot).len();
            let final_chunk = std::ptr::eq(chunk.as_ptr_range().end, tokens.as_ptr_range().end);
            let entries = chunk.iter().enumerate().map(|(offset, &token)| Entry {
                token,
                position: start + offset,
                sequences: &sequences,
                logits: final_chunk && offset + 1 == chunk.len(),
            });
            self.step(slot, entries)?;
            self.slots.extend(slot, chunk);
            last = position(chunk.len().saturating_sub(1));
        }
        Ok(Last::Computed(last))
    }

    /// Evaluates at most [`STEP`] tokens at once. When the cells run out, the least recently used
    /// slots make room, except the slot `protected`.
    pub(super) fn step<'a>(
        &mut self,
        protected: usize,
        entries: impl Iterator<Item = Entry<'a>>,
    ) -> Result<(), ModelError> {
        self.batch.clear();
        for entry in entries {
            self.batch
                .add(entry.token, position(entry.position), entry.sequences, entry.logits)
                .map_err(|error| self.failed(error))?;
        }
        loop {
            match self.context.decode(&mut self.batch) {
                Ok(()) => return Ok(()),
                Err(DecodeError::NoKvCacheSlot) => match self.slots.evictable(protected) {
                    Some(slot) => {
                        self.forget(slot, 0);
                        self.slots.reset(slot, &[], 0);
                    }
                    None => return Err(self.out_of_cells(protected)),
                },
                Err(error) => {
                    // The state of the caches is unknown now, so all of it is dropped.
                    self.context.clear_kv_cache();
                    self.slots.clear();
                    return Err(self.failed(error));
                }
            }
        }
    }

    /// Drops the least recently used slots until the rest and `tokens` more fit into half of the
    /// context. (Every token attends over all cells in use, whichever slot owns them.)
    fn make_room(&mut self, protected: usize, tokens: usize) {
        while self.slots.occupied() + tokens > self.context_tokens() / 2
            && let Some(slot) = self.slots.evictable(protected)
        {
            self.forget(slot, 0);
            self.slots.reset(slot, &[], 0);
        }
    }

    /// The logits after a token.
    pub(super) fn logits(&self, last: Last) -> &[f32] {
        match last {
            Last::Computed(index) => self.context.get_logits_ith(index),
            Last::Held(slot) => self.slots.logits(slot),
        }
    }

    /// Lets a scratch sequence share the first `length` tokens of a slot.
    pub(super) fn share_with_scratch(
        &mut self,
        slot: usize,
        scratch: usize,
        length: usize,
    ) -> Result<(), ModelError> {
        self.forget(SLOTS + scratch, 0);
        self.share(slot, SLOTS + scratch, length)
    }

    /// Lets a scratch sequence share the first `length` tokens of another.
    pub(super) fn share_between(&mut self, from: usize, to: usize, length: usize) -> Result<(), ModelError> {
        self.forget(SLOTS + to, 0);
        self.share(SLOTS + from, SLOTS + to, length)
    }

    /// Frees a scratch sequence.
    pub(super) fn free_scratch(&mut self, scratch: usize) {
        self.forget(SLOTS + scratch, 0);
    }

    /// An error of llama.cpp.
    pub(super) fn failed(&self, error: impl std::fmt::Display) -> ModelError {
        ModelError::Engine { model: self.name.clone(), reason: error.to_string() }
    }

    fn share(&mut self, from: usize, to: usize, length: usize) -> Result<(), ModelError> {
        self.context
            .copy_kv_cache_seq(sequence(from), sequence(to), Some(0), u32::try_from(length).ok())
            .map_err(|error| self.failed(error))
    }

    /// Removes a sequence's cells from position `start` on. Returns false if the architecture
    /// cannot remove a part; then the whole sequence is removed.
    fn forget(&mut self, sequence: usize, start: usize) -> bool {
        let id = u32::try_from(sequence).ok();
        let removed = self.context.clear_kv_cache_seq(id, u32::try_from(start).ok(), None);
        if matches!(removed, Ok(true)) {
            return true;
        }
        let _ = self.context.clear_kv_cache_seq(id, None, None);
        false
    }

    fn out_of_cells(&self, slot: usize) -> ModelError {
        ModelError::TooLong {
            model: self.name.clone(),
            tokens: self.slots.tokens(slot).len() + self.batch.n_tokens().unsigned_abs() as usize,
            limit: self.context_tokens(),
        }
    }
}

/// Number of the scratch sequence `index` in llama.cpp.
pub(super) fn scratch(index: usize) -> i32 {
    sequence(SLOTS + index)
}

fn sequence(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

fn position(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}
