//! Means with bootstrap intervals.

use serde::{Deserialize, Serialize};

use crate::random::Random;

/// Number of resamples; the ends of an interval vary in the third digit between seeds.
const RESAMPLES: usize = 1000;
/// Share of the resamples outside the interval on either side.
const OUTSIDE: f64 = 0.025;

/// A mean over questions with its 95% interval (percentile bootstrap over questions; Efron and
/// Tibshirani 1993, §13.3).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Number of values.
    pub n: usize,
}

impl std::fmt::Display for Interval {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.n == 0 {
            return write!(out, "–");
        }
        write!(out, "{:.3} [{:.2}, {:.2}]", self.mean, self.low, self.high)
    }
}

/// The mean of values and its interval; the same for the same values and seed.
pub fn bootstrap_mean(values: &[f64], seed: u64) -> Interval {
    bootstrap_strata(&[values], seed)
}

/// The mean of the means of several groups of values, with equal weights, and its interval: each
/// group is resampled separately. Empty groups do not count.
#[expect(clippy::cast_precision_loss, reason = "counts of questions fit a double")]
pub fn bootstrap_strata<V: AsRef<[f64]>>(groups: &[V], seed: u64) -> Interval {
    let groups: Vec<&[f64]> = groups.iter().map(AsRef::as_ref).filter(|group| !group.is_empty()).collect();
    if groups.is_empty() {
        return Interval::default();
    }
    let n = groups.iter().map(|group| group.len()).sum();
    let of_all = |sum: f64| sum / groups.len() as f64;
    let mean = of_all(groups.iter().map(|group| group.iter().sum::<f64>() / group.len() as f64).sum());
    let mut random = Random::new(seed);
    let mut resample = || {
        let mut drawn = |group: &[f64]| {
            let draws = (0..group.len()).map(|_| group.get(random.below(group.len())).copied());
            draws.map(Option::unwrap_or_default).sum::<f64>() / group.len() as f64
        };
        of_all(groups.iter().map(|group| drawn(group)).sum())
    };
    let mut means: Vec<f64> = (0..RESAMPLES).map(|_| resample()).collect();
    means.sort_by(f64::total_cmp);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a position below 1000")]
    let outside = (RESAMPLES as f64 * OUTSIDE) as usize;
    let at = |position: usize| means.get(position).copied().unwrap_or(mean);
    Interval { mean, low: at(outside), high: at(RESAMPLES - 1 - outside), n }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_the_mean_and_narrow_with_the_number() {
        let values = |n: usize| -> Vec<f64> { (0..n).map(|i| f64::from(u8::from(i % 4 != 0))).collect() };
        let (small, large) = (bootstrap_mean(&values(20), 1), bootstrap_mean(&values(2000), 1));
        assert!((small.mean - 0.75).abs() < 1e-9 && (large.mean - 0.75).abs() < 1e-9);
        assert!(small.low < 0.75 && small.high > 0.75);
        // The normal approximation gives .75 ± .19 and ± .019.
        assert!((0.3..0.45).contains(&(small.high - small.low)), "{small}");
        assert!((0.03..0.046).contains(&(large.high - large.low)), "{large}");
        assert_eq!(bootstrap_mean(&values(20), 1), small);
        assert_eq!(bootstrap_mean(&[], 1).to_string(), "–");
        let groups = bootstrap_strata(&[vec![1.0; 3], vec![0.0; 100], vec![]], 1);
        assert_eq!(groups.to_string(), "0.500 [0.50, 0.50]", "nothing varies within a group");
        assert_eq!(groups.n, 103);
        assert_eq!(bootstrap_mean(&[1.0; 5], 1).to_string(), "1.000 [1.00, 1.00]");
    }
}
