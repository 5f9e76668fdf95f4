//! Log-likelihoods of continuations that share one prompt.

use llama_cpp_2::token::LlamaToken;

use super::engine::{Engine, Entry, Evaluated, Last, SCORED_AT_ONCE, STEP, Stop, scratch};
use crate::ModelError;

/// A token of some continuations; continuations with the same beginning share it.
struct Node {
    token: LlamaToken,
    depth: usize,
    /// Scratch sequences of the continuations through this token.
    sequences: Vec<i32>,
    /// `(continuation, token)` pairs whose probability is in the logits after this token.
    tells: Vec<(usize, LlamaToken)>,
}

/// Sum of natural-log probabilities and number of tokens of each continuation after the evaluated
/// prompt; and the number of computed tokens.
pub(super) fn score(
    engine: &mut Engine<'_>,
    evaluated: Evaluated,
    prompt: usize,
    continuations: &[String],
    stop: Stop<'_>,
) -> Result<(Vec<(f64, u32)>, usize), ModelError> {
    let vocab = engine.model.vocab();
    let spelled: Vec<Vec<LlamaToken>> =
        continuations.iter().map(|text| vocab.tokenize(text.as_bytes(), false, false)).collect();
    check_lengths(engine, prompt, &spelled)?;
    let mut scores: Vec<(f64, u32)> = spelled.iter().map(|tokens| (0.0, count(tokens))).collect();
    let first: Vec<_> =
        (0..).zip(&spelled).filter_map(|(index, tokens)| Some((index, *tokens.first()?))).collect();
    add_log_probabilities(engine.logits(evaluated.last), &first, &mut scores);
    let mut computed = 0;
    for group in groups(&spelled) {
        if stop() {
            return Err(ModelError::Cancelled);
        }
        for index in 0..group.len() {
            engine.share_with_scratch(evaluated.slot, index, prompt)?;
        }
        let nodes = prefix_tree(&group, &spelled);
        computed += nodes.len();
        let result = evaluate_tree(engine, evaluated.slot, prompt, &nodes, &mut scores);
        for index in 0..group.len() {
            engine.free_scratch(index);
        }
        result?;
    }
    Ok((scores, computed))
}

/// Continuations that fit one step, each group in order.
fn groups(spelled: &[Vec<LlamaToken>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for (index, tokens) in spelled.iter().enumerate().filter(|(_, tokens)| tokens.len() > 1) {
        let need = tokens.len() - 1;
        match groups.last_mut() {
            Some(group) if need <= room && group.len() < SCORED_AT_ONCE => {
                group.push(index);
                room -= need;
            }
            _ => {
                groups.push(vec![index]);
                room = STEP.saturating_sub(need);
            }
        }
    }
    groups
}

/// The tokens of a group without each continuation's last one, with common beginnings merged,
/// parents before children.
fn prefix_tree(group: &[usize], spelled: &[Vec<LlamaToken>]) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    let members: Vec<(usize, usize)> = group.iter().copied().enumerate().collect();
    grow(&mut nodes, &members, spelled, 0);
    nodes
}

fn grow(nodes: &mut Vec<Node>, members: &[(usize, usize)], spelled: &[Vec<LlamaToken>], depth: usize) {
    let mut branches: Vec<(LlamaToken, Vec<(usize, usize)>)> = Vec::new();
    for &(place, index) in members {
        let Some([token, _, ..]) = spelled.get(index).and_then(|tokens| tokens.get(depth..)) else {
            continue;
        };
        match branches.iter_mut().find(|(branch, _)| branch == token) {
            Some((_, branch)) => branch.push((place, index)),
            None => branches.push((*token, vec![(place, index)])),
        }
    }
    for (token, members) in branches {
        let tells = members
            .iter()
            .filter_map(|&(_, index)| Some((index, *spelled.get(index)?.get(depth + 1)?)))
            .collect();
        let sequences = members.iter().map(|&(place, _)| scratch(place)).collect();
        nodes.push(Node { token, depth, sequences, tells });
        grow(nodes, &members, spelled, depth + 1);
    }
}

/// Evaluates a tree of at most [`STEP`] tokens and adds the probabilities in its logits.
fn evaluate_tree(
    engine: &mut Engine<'_>,
    slot: usize,
    prompt: usize,
    nodes: &[Node],
    scores: &mut [(f64, u32)],
) -> Result<(), ModelError> {
    for chunk in nodes.chunks(STEP) {
        let entries = chunk.iter().map(|node| Entry {
            token: node.token,
            position: prompt + node.depth,
            sequences: &node.sequences,
            logits: true,
        });
        engine.step(slot, entries)?;
        for (index, node) in (0_i32..).zip(chunk) {
            add_log_probabilities(engine.logits(Last::Computed(index)), &node.tells, scores);
        }
    }
    Ok(())
}

/// Adds the log-probability of each `(continuation, token)` under these logits.
fn add_log_probabilities(logits: &[f32], tells: &[(usize, LlamaToken)], scores: &mut [(f64, u32)]) {
    let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 =
        logits.chunks(1024).map(|chunk| f64::from(chunk.iter().map(|x| (x - top).exp()).sum::<f32>())).sum();
    let log_sum = f64::from(top) + sum.ln();
    for &(continuation, token) in tells {
        let logit = usize::try_from(token.0).ok().and_then(|id| logits.get(id));
        if let (Some(&logit), Some((score, _))) = (logit, scores.get_mut(continuation)) {
            *score += f64::from(logit) - log_sum;
        }
    }
}

fn check_lengths(engine: &Engine<'_>, prompt: usize, spelled: &[Vec<LlamaToken>]) -> Result<(), ModelError> {
    let longest = spelled.iter().map(Vec::len).max().unwrap_or(0);
    let (tokens, limit) = (prompt + longest, engine.context_tokens());
    if tokens > limit {
        return Err(ModelError::TooLong { model: engine.name.clone(), tokens, limit });
    }
    Ok(())
}

fn count(tokens: &[LlamaToken]) -> u32 {
    u32::try_from(tokens.len()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(texts: &[&[i32]]) -> Vec<Vec<LlamaToken>> {
        texts.iter().map(|ids| ids.iter().map(|&id| LlamaToken(id)).collect()).collect()
    }

    #[test]
    fn common_beginnings_are_computed_once() {
        let spelled = spelled(&[&[1, 2, 3], &[1, 2, 4], &[5], &[1, 6]]);
        let group = &groups(&spelled)[0];
        assert_eq!(group, &[0, 1, 3]);
        let nodes = prefix_tree(group, &spelled);
        let ids: Vec<_> = nodes.iter().map(|node| (node.token.0, node.sequences.len())).collect();
        assert_eq!(ids, [(1, 3), (2, 2)]);
        assert_eq!(nodes[0].tells, [(0, LlamaToken(2)), (1, LlamaToken(2)), (3, LlamaToken(6))]);
    }

    #[test]
    fn log_probabilities_sum_to_one() {
        let logits = [1.0, 2.0, 0.5];
        let mut scores = vec![(0.0, 1); 3];
        let tells: Vec<_> = (0..3).map(|id| (id as usize, LlamaToken(id))).collect();
        add_log_probabilities(&logits, &tells, &mut scores);
        let sum: f64 = scores.iter().map(|(score, _)| score.exp()).sum();
        assert!((sum - 1.0).abs() < 1e-6);
    }
}
