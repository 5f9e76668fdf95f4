//! What a generation yielded.

use crate::FinishReason;

/// What a generation yielded.
pub(super) struct Generated {
    pub(super) text: String,
    pub(super) tokens: usize,
    pub(super) finish: FinishReason,
    /// Natural logarithms of the tokens' probabilities, where they were asked for.
    pub(super) likely: Vec<f64>,
}

impl Generated {
    pub(super) fn ended(bytes: &[u8], tokens: usize) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        Self { text, tokens, finish: FinishReason::Stop, likely: Vec::new() }
    }
}
