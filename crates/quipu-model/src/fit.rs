//! Fits a prompt to the model's context. Evidence is dropped in whole blocks, the lowest-ranked
//! first, and never truncated.

use crate::{LanguageModel, Message};

/// Most tokens that a chat template adds to a message.
const PER_MESSAGE: usize = 8;

/// The blocks that fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// Indices of the kept blocks, in their order.
    pub kept: Vec<usize>,
    /// Number of blocks left out.
    pub dropped: usize,
    /// Tokens of the prompt with the kept blocks.
    pub tokens: usize,
}

/// Chooses the blocks (best first) that fit beside `fixed` messages (the instructions and the
/// question).
///
/// Prompt and reply together stay within the model's context, and the prompt within `budget` if
/// given. Each block takes precedence over later ones. A block that is too large is dropped, and
/// smaller ones behind it may still fit.
pub fn fit_blocks(
    model: &dyn LanguageModel,
    fixed: &[Message],
    blocks: &[String],
    reply_tokens: usize,
    budget: Option<usize>,
) -> Fit {
    let context = model.abilities().context_tokens.saturating_sub(reply_tokens);
    let limit = budget.map_or(context, |budget| budget.min(context));
    let mut tokens: usize =
        fixed.iter().map(|message| model.count_tokens(&message.content) + PER_MESSAGE).sum();
    let mut kept = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        // One more for the line break that joins blocks.
        let need = model.count_tokens(block) + 1;
        if tokens + need <= limit {
            tokens += need;
            kept.push(index);
        }
    }
    Fit { dropped: blocks.len() - kept.len(), kept, tokens }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Abilities, ScriptedModel};

    fn check(lengths: &[usize], context: usize, budget: Option<usize>, kept: &[usize]) {
        let model = ScriptedModel::new()
            .with_abilities(Abilities { context_tokens: context, ..Abilities::default() });
        let blocks: Vec<String> = lengths.iter().map(|tokens| "x".repeat(tokens * 4)).collect();
        let fixed = [Message::system("y".repeat(40))];
        let fit = fit_blocks(&model, &fixed, &blocks, 100, budget);
        assert_eq!(fit.kept, kept);
        assert_eq!(fit.dropped, lengths.len() - kept.len());
        assert!(fit.tokens <= context.saturating_sub(100).max(18));
    }

    #[test]
    fn the_lowest_ranked_go_first() {
        check(&[50, 50, 50], 1000, None, &[0, 1, 2]);
        check(&[50, 50, 50], 225, None, &[0, 1]);
        check(&[50, 50, 50], 1000, Some(75), &[0]);
        check(&[500, 50, 50], 225, None, &[1, 2]);
        check(&[50], 100, None, &[]);
        check(&[], 1000, None, &[]);
    }
}
