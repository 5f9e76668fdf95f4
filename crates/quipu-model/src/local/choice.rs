//! Chooses among listed texts: only tokens that lead to one of them are considered.

use std::collections::BTreeMap;

use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;

use super::engine::{Engine, Evaluated, Last, Stop};
use super::generated::Generated;
use crate::{ChatRequest, ModelError};

/// Picks one of `options`. A token is computed only while several options remain, so that a digit
/// among up to nine costs nothing beyond the prompt.
pub(super) fn choose(
    engine: &mut Engine<'_>,
    evaluated: Evaluated,
    options: &[String],
    request: &ChatRequest,
    stop: Stop<'_>,
) -> Result<Generated, ModelError> {
    let vocab = engine.model.vocab();
    let spelled: Vec<Vec<LlamaToken>> =
        options.iter().map(|option| vocab.tokenize(option.as_bytes(), false, false)).collect();
    let mut left: Vec<usize> = (0..options.len()).collect();
    let mut sampler = (request.temperature > 0.0).then(|| {
        let seed = request.seed as u32 ^ (request.seed >> 32) as u32;
        LlamaSampler::chain_simple([LlamaSampler::temp(request.temperature), LlamaSampler::dist(seed)])
    });
    let mut last = evaluated.last;
    let mut depth = 0;
    while left.len() > 1 {
        let mut next = by_next_token(&left, &spelled, depth);
        let token = match next.keys().next() {
            Some(&only) if next.len() == 1 => only,
            _ => pick(engine, last, next.keys().copied(), sampler.as_mut()),
        };
        left = next.remove(&token).unwrap_or_default();
        let Some(token) = token else { break };
        if left.len() > 1 {
            last = engine.append(evaluated.slot, &[token], stop)?;
        }
        depth += 1;
    }
    let chosen = left.first().and_then(|&index| options.get(index));
    let chosen = chosen.ok_or_else(|| engine.failed("there is nothing to choose from"))?;
    let tokens = left.first().and_then(|&index| spelled.get(index)).map_or(0, Vec::len);
    Ok(Generated::ended(chosen.as_bytes(), tokens))
}

/// Groups the options by their token at `depth`; `None` for options that end before it.
fn by_next_token(
    left: &[usize],
    spelled: &[Vec<LlamaToken>],
    depth: usize,
) -> BTreeMap<Option<LlamaToken>, Vec<usize>> {
    let mut groups: BTreeMap<Option<LlamaToken>, Vec<usize>> = BTreeMap::new();
    for &index in left {
        let token = spelled.get(index).and_then(|tokens| tokens.get(depth)).copied();
        groups.entry(token).or_default().push(index);
    }
    groups
}

/// The best of these tokens, or one sampled by temperature; `None` among them means the end of the
/// reply.
fn pick(
    engine: &Engine<'_>,
    last: Last,
    tokens: impl Iterator<Item = Option<LlamaToken>>,
    sampler: Option<&mut LlamaSampler>,
) -> Option<LlamaToken> {
    let vocab = engine.model.vocab();
    let (eos, eot) = (vocab.eos(), vocab.eot());
    let end = if eot.0 >= 0 { eot } else { eos };
    let logits = engine.logits(last);
    let logit = |token: LlamaToken| {
        usize::try_from(token.0).ok().and_then(|id| logits.get(id)).copied().unwrap_or(f32::NEG_INFINITY)
    };
    let data =
        tokens.map(|token| token.unwrap_or(end)).map(|token| LlamaTokenData::new(token, logit(token), 0.0));
    let mut data = LlamaTokenDataArray::from_iter(data, false);
    let chosen = match sampler {
        Some(sampler) => {
            data.apply_sampler(sampler);
            data.selected_token()
        }
        None => data.data.iter().max_by(|a, b| a.logit().total_cmp(&b.logit())).map(LlamaTokenData::id),
    };
    chosen.filter(|&token| token != end)
}
