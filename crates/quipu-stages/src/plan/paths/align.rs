//! Aligns a question's telling words with the steps of a path, in order.

use quipu_language::Chunk;

/// The penalties of an alignment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs {
    /// For a step that no word asks for.
    pub(super) skipped_step: f32,
    /// For one step that explains words of two separate runs of the question; 0 if runs do not
    /// matter.
    pub(super) second_chunk: f32,
}

/// The words of a question as rows of similarities.
#[derive(Debug, Clone)]
pub(super) struct Words<'a> {
    /// One row for each word, nearest to the mention first: its value with each step, in path
    /// order.
    pub(super) values: Vec<Vec<f32>>,
    /// For each word, its value as a description of the mention itself.
    pub(super) of_mention: Vec<f32>,
    /// The run that each word belongs to; a word with `None` fits any run.
    pub(super) chunks: &'a [Option<Chunk>],
}

impl Words<'_> {
    /// The same words in another order.
    fn reordered(&self, order: &[usize]) -> (Vec<Vec<f32>>, Vec<f32>, Vec<Option<Chunk>>) {
        let pick = |at: &usize| {
            let values = self.values.get(*at).cloned().unwrap_or_default();
            (
                values,
                self.of_mention.get(*at).copied().unwrap_or_default(),
                self.chunks.get(*at).copied().flatten(),
            )
        };
        let mut parts = (Vec::new(), Vec::new(), Vec::new());
        for (values, of_mention, chunk) in order.iter().map(pick) {
            parts.0.push(values);
            parts.1.push(of_mention);
            parts.2.push(chunk);
        }
        parts
    }
}

/// The better alignment of two reading orders; the second order costs a little.
pub(super) fn align_either(
    words: &Words<'_>,
    other_order: Option<&[usize]>,
    steps: usize,
    costs: Costs,
) -> f32 {
    const SECOND_ORDER: f32 = 0.05;
    let first = align(words, steps, costs);
    let Some(order) = other_order else { return first };
    let (values, of_mention, chunks) = words.reordered(order);
    first.max(align(&Words { values, of_mention, chunks: &chunks }, steps, costs) - SECOND_ORDER)
}

/// The greatest total value of an alignment. Each word belongs to one step (or to the mention), a
/// later word never to an earlier step, and each step without a word costs.
fn align(words: &Words<'_>, steps: usize, costs: Costs) -> f32 {
    const IMPOSSIBLE: f32 = -1e9;
    // State k: the first k steps have begun. State 0: still at the mention.
    let mut current = vec![IMPOSSIBLE; steps + 1];
    if let Some(start) = current.first_mut() {
        *start = 0.0;
    }
    for (word, values) in words.values.iter().enumerate() {
        let of_mention = words.of_mention.get(word).copied().unwrap_or(IMPOSSIBLE);
        let chunk = |at: usize| words.chunks.get(at).copied().flatten();
        let before = word.checked_sub(1).and_then(chunk);
        let apart = matches!((before, chunk(word)), (Some(a), Some(b)) if a != b);
        let mut next = vec![IMPOSSIBLE; steps + 1];
        for (state, slot) in next.iter_mut().enumerate() {
            let stays = current.get(state).copied().unwrap_or(IMPOSSIBLE);
            *slot = stays + of_mention;
            let Some(value) = state.checked_sub(1).and_then(|step| values.get(step)) else { continue };
            for (from, reached) in current.iter().enumerate().take(state + 1) {
                let skipped = state.saturating_sub(from + 1);
                #[expect(clippy::cast_precision_loss, reason = "a path has a handful of steps")]
                let mut total = reached + value - costs.skipped_step * skipped as f32;
                if from == state && apart {
                    total -= costs.second_chunk;
                }
                *slot = slot.max(total);
            }
        }
        current = next;
    }
    #[expect(clippy::cast_precision_loss, reason = "a path has a handful of steps")]
    let finished =
        current.iter().enumerate().map(|(state, value)| value - costs.skipped_step * (steps - state) as f32);
    finished.fold(IMPOSSIBLE, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: Costs = Costs { skipped_step: 0.5, second_chunk: 0.0 };

    const NOT: f32 = -1e9;

    fn check(values: &[&[f32]], of_mention: &[f32], expected: f32) {
        let chunks: Vec<Option<Chunk>> = (0..values.len()).map(|n| Some((true, n))).collect();
        let steps = values.first().map_or(0, |row| row.len());
        let values = values.iter().map(|row| row.to_vec()).collect();
        let words = Words { values, of_mention: of_mention.to_vec(), chunks: &chunks };
        let got = align(&words, steps, COSTS);
        assert!((got - expected).abs() < 1e-6, "{got} {expected}");
    }

    #[test]
    fn words_follow_the_steps_in_order() {
        check(&[&[1.0, 0.0], &[0.0, 1.0]], &[NOT, NOT], 2.0);
        // Crossed: both words go to one step, and no word asks for the other.
        check(&[&[0.0, 1.0], &[1.0, 0.0]], &[NOT, NOT], 0.5);
    }

    #[test]
    fn another_order_may_be_right() {
        let chunks = [Some((true, 0)), Some((false, 0))];
        let words =
            Words { values: vec![vec![0.0, 1.0], vec![1.0, 0.0]], of_mention: vec![NOT; 2], chunks: &chunks };
        assert!((align_either(&words, Some(&[1, 0]), 2, COSTS) - 1.95).abs() < 1e-6);
        assert!((align_either(&words, None, 2, COSTS) - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_step_nobody_asks_for_costs() {
        check(&[&[1.0, 0.0]], &[NOT], 0.5);
        check(&[&[0.0, 1.0]], &[NOT], 0.5);
    }

    #[test]
    fn a_word_may_describe_the_mention() {
        check(&[&[0.1], &[0.9]], &[0.8, NOT], 1.7);
    }

    #[test]
    fn runs_that_stand_apart_cost_on_one_step() {
        let costs = Costs { skipped_step: 0.5, second_chunk: 0.3 };
        let value = |chunks: [Option<Chunk>; 2]| {
            align(
                &Words { values: vec![vec![1.0], vec![1.0]], of_mention: vec![NOT; 2], chunks: &chunks },
                1,
                costs,
            )
        };
        assert!((value([Some((true, 0)), Some((true, 1))]) - 1.7).abs() < 1e-6);
        assert!((value([Some((true, 0)), Some((true, 0))]) - 2.0).abs() < 1e-6);
        assert!((value([Some((true, 0)), None]) - 2.0).abs() < 1e-6);
    }
}
