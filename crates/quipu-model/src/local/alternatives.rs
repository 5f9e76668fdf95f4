//! Other replies than a known one: the model departs from the known reply where it was least sure,
//! and goes on greedily (DESIGN §8).
//!
//! A tuned model is so sure of most tokens that samples repeat the likeliest reply. Its doubt is at
//! a few tokens: a column, a comparison, an end. So the search takes the forks with the greatest
//! probability of all tokens up to them, first in the known reply, then in the new ones too.

use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;

use super::engine::{Engine, Entry, Evaluated, Last, STEP, Stop, scratch};
use super::generated::{Generated, find_stop};
use super::sample::likeliest;
use crate::{Alternatives, ChatRequest, ModelError};

/// Forks that are followed in one batch; the next batch knows the forks of these.
const AT_ONCE: usize = 4;
/// Most replies that are begun for one request.
const MOST: usize = 16;
/// Tokens at one place that are looked at: the one that is taken, and two others.
const BEST: usize = 3;
/// A token that the model takes less often than once in a hundred times is no fork.
const LEAST_LOG: f64 = -4.6;

/// A token with the natural logarithm of its probability.
type Likely = (LlamaToken, f64);

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    /// The model ended it, or a stop text did.
    Ended,
    /// It reached the limit of tokens.
    Cut,
}

/// A reply in a scratch sequence of its own.
#[derive(Default)]
struct Branch {
    /// Its tokens from the reply's beginning.
    tokens: Vec<LlamaToken>,
    /// Natural logarithms of their probabilities.
    likely: Vec<f64>,
    bytes: Vec<u8>,
}

/// A token that could have stood at a place of a branch.
struct Fork {
    branch: usize,
    /// Number of the branch's tokens before it.
    at: usize,
    other: Likely,
    /// The logarithm of the probability of all tokens up to it.
    total: f64,
}

struct Search<'a, 'm> {
    engine: &'a mut Engine<'m>,
    request: &'a ChatRequest,
    slot: usize,
    /// Tokens of the prompt.
    prompt: usize,
    /// The known reply, then the new ones; each has the scratch sequence of its number.
    branches: Vec<Branch>,
    forks: Vec<Fork>,
    /// Number of evaluated tokens.
    computed: usize,
}

/// The likeliest replies other than the known one, and the number of tokens computed for them.
pub(super) fn alternatives(
    engine: &mut Engine<'_>,
    evaluated: Evaluated,
    prompt: usize,
    wanted: &Alternatives,
    request: &ChatRequest,
    stop: Stop<'_>,
) -> Result<(Vec<Generated>, usize), ModelError> {
    let slot = evaluated.slot;
    let (branches, forks) = (Vec::new(), Vec::new());
    let mut search = Search { engine, request, slot, prompt, branches, forks, computed: 0 };
    let found = search.run(evaluated, wanted, stop);
    for index in 0..=search.branches.len() {
        search.engine.free_scratch(index);
    }
    found.map(|found| (found, search.computed))
}

impl Search<'_, '_> {
    fn run(
        &mut self,
        evaluated: Evaluated,
        wanted: &Alternatives,
        stop: Stop<'_>,
    ) -> Result<Vec<Generated>, ModelError> {
        let known = wanted.to.trim_end();
        self.read_known(evaluated, known)?;
        let mut found: Vec<Generated> = Vec::new();
        while let missing @ 1.. = (wanted.count as usize).saturating_sub(found.len()) {
            let opened = self.open(missing.min(AT_ONCE))?;
            if opened.is_empty() {
                break;
            }
            for index in self.write(opened, stop)? {
                let Some(branch) = self.branches.get(index) else { continue };
                let reply = Generated::ended(&branch.bytes, branch.tokens.len());
                let is_same = |text: &str| text.trim() == reply.text.trim();
                if !is_same(known) && !found.iter().any(|other| is_same(&other.text)) {
                    found.push(Generated { likely: branch.likely.clone(), ..reply });
                }
            }
        }
        Ok(found)
    }

    /// Evaluates the known reply and collects its forks.
    fn read_known(&mut self, evaluated: Evaluated, text: &str) -> Result<(), ModelError> {
        let tokens = self.engine.model.vocab().tokenize(text.as_bytes(), false, false);
        self.engine.share_with_scratch(self.slot, 0, self.prompt)?;
        let bytes = text.as_bytes().to_vec();
        self.branches.push(Branch { tokens: tokens.clone(), bytes, ..Branch::default() });
        self.stand(0, evaluated.last, tokens.first().copied());
        let sequences = [scratch(0)];
        for start in (0..tokens.len()).step_by(STEP) {
            let chunk = tokens.get(start..tokens.len().min(start + STEP)).unwrap_or_default();
            let entries = chunk.iter().enumerate().map(|(offset, &token)| Entry {
                token,
                position: self.prompt + start + offset,
                sequences: &sequences,
                logits: true,
            });
            self.engine.step(self.slot, entries)?;
            self.computed += chunk.len();
            for (index, at) in (0_i32..).zip(start + 1..=start + chunk.len()) {
                self.stand(at, Last::Computed(index), tokens.get(at).copied());
            }
        }
        Ok(())
    }

    /// Looks at a place of the known reply; keeps the probability of the token that stands there.
    fn stand(&mut self, at: usize, last: Last, standing: Option<LlamaToken>) {
        let (best, likely) = likeliest(self.engine.logits(last), BEST, standing);
        self.look(0, at, best, standing);
        if let (Some(known), Some(_)) = (self.branches.first_mut(), standing) {
            known.likely.push(likely);
        }
    }

    /// Keeps the best tokens at a place of a branch as forks, without the one that stands there. If
    /// none does, the branch ends there.
    fn look(&mut self, branch: usize, at: usize, best: Vec<Likely>, standing: Option<LlamaToken>) {
        let model = self.engine.model;
        let Some(of) = self.branches.get(branch) else { return };
        let total: f64 = of.likely.iter().sum();
        let ends = standing.is_none_or(|token| of.would_end(model, token, &self.request.stop));
        for other @ (token, log) in best {
            let is_other = Some(token) != standing && log >= LEAST_LOG;
            // Another way to end is the same reply.
            if is_other && !(ends && of.would_end(model, token, &self.request.stop)) {
                self.forks.push(Fork { branch, at, other, total: total + log });
            }
        }
    }

    /// Opens branches at the likeliest forks; returns their numbers and first own tokens.
    fn open(&mut self, count: usize) -> Result<Vec<(usize, Likely)>, ModelError> {
        self.forks.sort_by(|a, b| b.total.total_cmp(&a.total));
        let count = count.min(self.forks.len()).min((MOST + 1).saturating_sub(self.branches.len()));
        let mut opened = Vec::new();
        for Fork { branch, at, other, .. } in self.forks.drain(..count) {
            let Some(source) = self.branches.get(branch) else { continue };
            let new = source.beginning(at, self.engine.model);
            self.engine.share_between(branch, self.branches.len(), self.prompt + at)?;
            opened.push((self.branches.len(), other));
            self.branches.push(new);
        }
        Ok(opened)
    }

    /// Writes branches to their ends, one token of each in a step; returns those that ended within
    /// the limit.
    fn write(&mut self, opened: Vec<(usize, Likely)>, stop: Stop<'_>) -> Result<Vec<usize>, ModelError> {
        let mut ended = Vec::new();
        let mut next = opened;
        while !next.is_empty() {
            if stop() {
                return Err(ModelError::Cancelled);
            }
            let mut open: Vec<(usize, LlamaToken, usize, [i32; 1])> = Vec::new();
            for (index, (token, log)) in next.drain(..) {
                let Some(branch) = self.branches.get_mut(index) else { continue };
                match branch.take(self.engine.model, self.request, token, log) {
                    State::Open => open.push((index, token, branch.tokens.len(), [scratch(index)])),
                    State::Ended => ended.push(index),
                    State::Cut => {}
                }
            }
            if open.is_empty() {
                break;
            }
            let entries = open.iter().map(|(_, token, length, sequences)| Entry {
                token: *token,
                position: self.prompt + length - 1,
                sequences,
                logits: true,
            });
            self.engine.step(self.slot, entries)?;
            self.computed += open.len();
            for (at, (index, _, length, _)) in (0_i32..).zip(open) {
                let (best, _) = likeliest(self.engine.logits(Last::Computed(at)), BEST, None);
                let Some(&first) = best.first() else { continue };
                self.look(index, length, best, Some(first.0));
                next.push((index, first));
            }
        }
        Ok(ended)
    }
}

impl Branch {
    /// A branch with the same first tokens.
    fn beginning(&self, length: usize, model: &LlamaModel) -> Self {
        let tokens: Vec<LlamaToken> = self.tokens.iter().take(length).copied().collect();
        let mut bytes = Vec::new();
        for &token in &tokens {
            model.vocab().token_to_piece_into(token, &mut bytes, false, None);
        }
        Self { likely: self.likely.iter().take(length).copied().collect(), tokens, bytes }
    }

    /// Adds a token, which may end the reply.
    fn take(&mut self, model: &LlamaModel, request: &ChatRequest, token: LlamaToken, log: f64) -> State {
        if model.vocab().is_eog(token) {
            return State::Ended;
        }
        self.tokens.push(token);
        self.likely.push(log);
        model.vocab().token_to_piece_into(token, &mut self.bytes, false, None);
        if let Some(end) = find_stop(&self.bytes, &request.stop) {
            self.bytes.truncate(end);
            return State::Ended;
        }
        if self.tokens.len() < request.max_tokens as usize { State::Open } else { State::Cut }
    }

    /// Whether a token would end the reply.
    fn would_end(&self, model: &LlamaModel, token: LlamaToken, stops: &[String]) -> bool {
        let mut bytes = self.bytes.clone();
        model.vocab().token_to_piece_into(token, &mut bytes, false, None);
        model.vocab().is_eog(token) || find_stop(&bytes, stops).is_some()
    }
}
