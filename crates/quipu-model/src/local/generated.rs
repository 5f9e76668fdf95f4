//! The result of a generation.

use crate::FinishReason;

/// The result of a generation.
pub(super) struct Generated {
    pub(super) text: String,
    pub(super) tokens: usize,
    pub(super) finish: FinishReason,
    /// Natural logarithms of the tokens' probabilities, if requested.
    pub(super) likely: Vec<f64>,
}

impl Generated {
    pub(super) fn ended(bytes: &[u8], tokens: usize) -> Self {
        let text = String::from_utf8_lossy(bytes).into_owned();
        Self { text, tokens, finish: FinishReason::Stop, likely: Vec::new() }
    }
}

/// Where the first stop text begins.
pub(super) fn find_stop(bytes: &[u8], stops: &[String]) -> Option<usize> {
    stops
        .iter()
        .filter(|stop| !stop.is_empty())
        .filter_map(|stop| bytes.windows(stop.len()).position(|window| window == stop.as_bytes()))
        .min()
}
