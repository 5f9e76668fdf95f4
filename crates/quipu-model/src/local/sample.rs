//! Chooses the next token: greedily or by temperature, freely or within a grammar.

use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;

use super::engine::{Engine, Last};
use crate::gbnf::schema_to_grammar;
use crate::{ChatRequest, Constraint, ModelError};

/// Chooses the tokens of one reply.
pub(super) struct Sampler {
    grammar: Option<LlamaSampler>,
    json: bool,
    temperature: Option<LlamaSampler>,
}

impl Sampler {
    /// Prepares for a request; a grammar that llama.cpp refuses is an error.
    pub(super) fn new(engine: &Engine<'_>, request: &ChatRequest) -> Result<Self, ModelError> {
        let (text, json) = match &request.constraint {
            Constraint::Grammar(grammar) => (Some(grammar.clone()), false),
            constraint => match constraint.schema() {
                Some(schema) => {
                    let grammar = schema_to_grammar(&schema).map_err(|reason| engine.failed(reason))?;
                    (Some(grammar), true)
                }
                None => (None, false),
            },
        };
        let grammar = text
            .map(|text| LlamaSampler::grammar(engine.model, &text, "root"))
            .transpose()
            .map_err(|error| engine.failed(format!("the grammar is not valid GBNF: {error}")))?;
        let temperature = (request.temperature > 0.0).then(|| {
            LlamaSampler::chain_simple([
                LlamaSampler::temp(request.temperature),
                LlamaSampler::dist(request.seed as u32 ^ (request.seed >> 32) as u32),
            ])
        });
        Ok(Self { grammar, json, temperature })
    }

    /// The next token after token `last` of the last step; `None` at the end of the reply.
    pub(super) fn next(&mut self, engine: &Engine<'_>, last: Last) -> Result<Option<LlamaToken>, ModelError> {
        let logits = engine.logits(last);
        let mut token = match &mut self.temperature {
            None => argmax(logits),
            Some(temperature) => draw(temperature, &mut candidates(logits)),
        };
        if let Some(grammar) = &mut self.grammar
            && !token.is_some_and(|token| allows(grammar, token))
        {
            // Checking the whole vocabulary costs more than evaluating most tokens, so it runs only
            // if the best token is not allowed.
            let mut all = candidates(logits);
            all.apply_sampler(grammar);
            all.data.retain(|candidate| candidate.logit().is_finite());
            token = match &mut self.temperature {
                None => best(&all),
                Some(temperature) => draw(temperature, &mut all),
            };
        }
        let token = token.ok_or_else(|| engine.failed("the grammar allows no next token"))?;
        if engine.model.vocab().is_eog(token) {
            return Ok(None);
        }
        if let Some(grammar) = &mut self.grammar {
            // Every token that gets here is one that the grammar allows.
            grammar.accept(token);
        }
        Ok(Some(token))
    }

    /// Whether a JSON reply is complete, so that its end token need not be computed.
    pub(super) fn is_complete(&mut self, engine: &Engine<'_>, bytes: &[u8]) -> bool {
        let Some(grammar) = self.grammar.as_mut().filter(|_| self.json) else { return false };
        matches!(bytes.last(), Some(b'}' | b']' | b'"')) && allows(grammar, engine.model.vocab().eos())
    }
}

/// Whether the grammar allows this token next.
fn allows(grammar: &mut LlamaSampler, token: LlamaToken) -> bool {
    let mut one = LlamaTokenDataArray::new(vec![LlamaTokenData::new(token, 0.0, 0.0)], false);
    one.apply_sampler(grammar);
    one.data.first().is_some_and(|candidate| candidate.logit().is_finite())
}

fn candidates(logits: &[f32]) -> LlamaTokenDataArray {
    LlamaTokenDataArray::from_iter(
        (0_i32..).zip(logits).map(|(id, &logit)| LlamaTokenData::new(LlamaToken(id), logit, 0.0)),
        false,
    )
}

fn draw(temperature: &mut LlamaSampler, candidates: &mut LlamaTokenDataArray) -> Option<LlamaToken> {
    if candidates.data.is_empty() {
        return None;
    }
    candidates.apply_sampler(temperature);
    candidates.selected_token()
}

fn best(candidates: &LlamaTokenDataArray) -> Option<LlamaToken> {
    let by_logit = |a: &&LlamaTokenData, b: &&LlamaTokenData| a.logit().total_cmp(&b.logit());
    candidates.data.iter().max_by(by_logit).map(LlamaTokenData::id)
}

/// The token with the highest logit; the first of equals.
fn argmax(logits: &[f32]) -> Option<LlamaToken> {
    let (mut id, mut top) = (None, f32::NEG_INFINITY);
    for (index, &logit) in (0_i32..).zip(logits) {
        if logit > top {
            (id, top) = (Some(LlamaToken(index)), logit);
        }
    }
    id
}

/// The `count` likeliest tokens with the natural logarithms of their probabilities, the likeliest
/// first, and the logarithm of another token's probability (that of none is zero).
pub(super) fn likeliest(
    logits: &[f32],
    count: usize,
    standing: Option<LlamaToken>,
) -> (Vec<(LlamaToken, f64)>, f64) {
    let mut best: Vec<(i32, f32)> = Vec::with_capacity(count + 1);
    for (id, &logit) in (0_i32..).zip(logits) {
        if best.len() < count || best.last().is_some_and(|(_, least)| logit > *least) {
            let at = best.partition_point(|(_, known)| *known >= logit);
            best.insert(at, (id, logit));
            best.truncate(count);
        }
    }
    let log_sum = log_sum(logits);
    let log = |logit: f32| f64::from(logit) - log_sum;
    let stands = standing.and_then(|token| logits.get(usize::try_from(token.0).ok()?).copied());
    let best = best.into_iter().map(|(id, logit)| (LlamaToken(id), log(logit))).collect();
    (best, stands.map_or(0.0, log))
}

/// The natural logarithm of the sum of the logits' exponentials.
fn log_sum(logits: &[f32]) -> f64 {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = logits.iter().map(|logit| (logit - top).exp()).sum();
    f64::from(top) + f64::from(sum).ln()
}

/// The natural logarithm of a token's probability before any temperature.
pub(super) fn log_probability(logits: &[f32], token: LlamaToken) -> f64 {
    let logit = usize::try_from(token.0).ok().and_then(|id| logits.get(id));
    f64::from(logit.copied().unwrap_or(f32::NEG_INFINITY)) - log_sum(logits)
}
