//! Calibration: whether the confidence of answers matches their accuracy.

use serde::{Deserialize, Serialize};

use super::share;

/// Bins of equal width.
const BINS: usize = 10;

/// The quality of a confidence estimate.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Calibration {
    /// Expected calibration error over ten bins of equal width (Guo et al. 2017): 0 is best.
    pub error: f64,
    /// Mean squared difference of confidence and outcome (Brier 1950): 0 is best.
    pub brier: f64,
    /// Probability that a right answer has more confidence than a wrong one (ties count half);
    /// `None` if all are right or all wrong.
    pub discrimination: Option<f64>,
    /// The non-empty bins.
    pub bins: Vec<CalibrationBin>,
    /// Number of answers.
    pub n: usize,
}

/// Answers with similar confidence.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// Mean confidence.
    pub confidence: f64,
    /// Share of right answers.
    pub right: f64,
    /// Number of answers.
    pub n: usize,
}

/// Computes calibration from confidences and the correctness of each answer.
#[expect(clippy::cast_precision_loss, reason = "counts of answers fit a double")]
pub fn calibration(answers: &[(f64, bool)]) -> Calibration {
    let mut sums = vec![(0.0, 0usize, 0usize); BINS];
    for (confidence, right) in answers {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the bins")]
        let bin = ((confidence.clamp(0.0, 1.0) * BINS as f64) as usize).min(BINS - 1);
        if let Some((sum, hits, n)) = sums.get_mut(bin) {
            *sum += confidence;
            *hits += usize::from(*right);
            *n += 1;
        }
    }
    let filled = sums.into_iter().filter(|(_, _, n)| *n > 0);
    let bins: Vec<CalibrationBin> = filled
        .map(|(sum, hits, n)| CalibrationBin { confidence: sum / n as f64, right: share(hits, n), n })
        .collect();
    let n = answers.len();
    let gap = |bin: &CalibrationBin| (bin.confidence - bin.right).abs() * share(bin.n, n);
    let squared = |(confidence, right): &(f64, bool)| (confidence - super::one_if(*right)).powi(2);
    Calibration {
        error: bins.iter().map(gap).sum(),
        brier: if n == 0 { 0.0 } else { answers.iter().map(squared).sum::<f64>() / n as f64 },
        discrimination: discrimination(answers),
        bins,
        n,
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of answers fit a double")]
fn discrimination(answers: &[(f64, bool)]) -> Option<f64> {
    let of = |wanted: bool| answers.iter().filter(move |(_, right)| *right == wanted).map(|(c, _)| *c);
    let pairs = of(true).count() * of(false).count();
    let won =
        of(true).flat_map(|right| of(false).map(move |wrong| right.total_cmp(&wrong))).map(
            |order| match order {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            },
        );
    (pairs > 0).then(|| won.sum::<f64>() / pairs as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_that_means_what_it_says_has_no_error() {
        let honest: Vec<(f64, bool)> = (0..100).map(|i| (0.75, i % 4 != 0)).collect();
        let found = calibration(&honest);
        assert!(found.error < 1e-9 && (found.brier - 0.1875).abs() < 1e-9, "{found:?}");
        assert_eq!((found.discrimination, found.bins.len()), (Some(0.5), 1));
        let boastful: Vec<(f64, bool)> = honest.iter().map(|(_, right)| (1.0, *right)).collect();
        assert!((calibration(&boastful).error - 0.25).abs() < 1e-9);
        assert_eq!(calibration(&[(0.9, true), (0.2, false)]).discrimination, Some(1.0));
        assert_eq!(calibration(&[(0.9, true)]).discrimination, None);
        assert_eq!(calibration(&[]), Calibration::default());
    }
}
