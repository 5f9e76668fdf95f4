//! The vectors of a text's tokens, for late interaction.

use std::ops::Range;

use super::vector::{inner_product, scale_to_unit};

/// The tokens of a text, each with its contextual vector.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TokenVectors {
    spans: Vec<Range<usize>>,
    dimensions: usize,
    values: Vec<f32>,
}

impl TokenVectors {
    /// Takes `values` as one vector of `dimensions` numbers a token and scales each to unit length;
    /// `spans` are the tokens' byte ranges in the text. Numbers beyond the tokens are dropped.
    pub fn new(spans: Vec<Range<usize>>, dimensions: usize, mut values: Vec<f32>) -> Self {
        values.truncate(spans.len() * dimensions);
        for row in values.chunks_exact_mut(dimensions.max(1)) {
            scale_to_unit(row);
        }
        Self { spans, dimensions, values }
    }

    /// The tokens' byte ranges in the text.
    pub fn spans(&self) -> &[Range<usize>] {
        &self.spans
    }

    /// For each token the greatest cosine with any token of another text (MaxSim; Khattab and
    /// Zaharia, 2020, §3.3): how well the other text matches this token. 0 if the other text has no
    /// token.
    pub fn nearest(&self, other: &Self) -> Vec<f32> {
        let nearest = |row: &[f32]| {
            let others = other.values.chunks_exact(other.dimensions.max(1));
            let cosines = others.map(|other| inner_product(row, other));
            cosines.reduce(f32::max).unwrap_or(0.0)
        };
        self.values.chunks_exact(self.dimensions.max(1)).map(nearest).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_token_finds_its_nearest() {
        let asked = TokenVectors::new(vec![0..3, 4..7], 2, vec![2.0, 0.0, 0.0, 3.0]);
        let text = TokenVectors::new(vec![0..1, 1..2], 2, vec![3.0, 4.0, -1.0, 0.0]);
        assert_eq!(asked.nearest(&text), [0.6, 0.8]);
        assert_eq!(asked.nearest(&TokenVectors::default()), [0.0, 0.0]);
        assert_eq!(asked.spans(), [0..3, 4..7]);
    }
}
