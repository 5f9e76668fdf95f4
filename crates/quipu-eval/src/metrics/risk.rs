//! The risk of answering: the share of wrong answers, from the most confident answer to the least.

use serde::{Deserialize, Serialize};

use super::share;

/// Steps of coverage.
const STEPS: usize = 10;

/// Risk against coverage (El-Yaniv and Wiener 2010): the share of wrong answers if only the most
/// confident answers were given.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RiskCoverage {
    /// At a tenth of the answers, two tenths, and so on up to all.
    pub points: Vec<RiskPoint>,
    /// Area under the curve: the mean risk over all coverages (Geifman et al. 2019), 0 is best;
    /// `None` without answers.
    pub area: Option<f64>,
    /// Number of answers.
    pub answers: usize,
    /// Number of questions, answered or not.
    pub questions: usize,
}

/// A point of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct RiskPoint {
    /// Share of the given answers.
    pub coverage: f64,
    /// The same as a share of all questions.
    pub of_questions: f64,
    /// Share of wrong answers among them.
    pub risk: f64,
    /// The least confidence among them: the threshold for this coverage.
    pub threshold: f64,
}

/// Computes the curve from the confidence and wrongness of each answer, over all questions. No
/// threshold separates answers of equal confidence, so each of them counts with their mean
/// wrongness.
#[expect(clippy::cast_precision_loss, reason = "counts of answers fit a double")]
pub fn risk_coverage(answers: &[(f64, bool)], questions: usize) -> RiskCoverage {
    let mut sorted = answers.to_vec();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
    let level = |a: &(f64, bool), b: &(f64, bool)| a.0.total_cmp(&b.0).is_eq();
    let wrong: Vec<f64> = sorted
        .chunk_by(level)
        .flat_map(|group| {
            let mean = share(group.iter().filter(|(_, wrong)| *wrong).count(), group.len());
            std::iter::repeat_n(mean, group.len())
        })
        .collect();
    let sums = wrong.iter().scan(0.0, |sum, wrong| {
        *sum += wrong;
        Some(*sum)
    });
    let risks: Vec<f64> = sums.zip(1usize..).map(|(sum, number)| sum / number as f64).collect();
    let n = sorted.len();
    let mut points: Vec<RiskPoint> = Vec::new();
    let mut before = 0;
    for step in 1..=STEPS {
        let number = (n * step).div_ceil(STEPS);
        let at = number.checked_sub(1).filter(|_| number > before);
        if let Some((risk, (threshold, _))) =
            at.and_then(|at| risks.get(at).copied().zip(sorted.get(at).copied()))
        {
            let (coverage, of_questions) = (share(number, n), share(number, questions));
            points.push(RiskPoint { coverage, of_questions, risk, threshold });
        }
        before = number;
    }
    let area = (n > 0).then(|| risks.iter().sum::<f64>() / n as f64);
    RiskCoverage { points, area, answers: n, questions }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confidence_that_knows_its_errors_keeps_risk_low_until_they_come() {
        // Ten answers, the two least confident ones wrong, among twenty questions.
        let answers: Vec<(f64, bool)> = (0..10).map(|n| (1.0 - f64::from(n) / 10.0, n >= 8)).collect();
        let found = risk_coverage(&answers, 20);
        let risks: Vec<f64> = found.points.iter().map(|point| (point.risk * 1000.0).round()).collect();
        assert_eq!(risks, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 111.0, 200.0]);
        let last = found.points.last().unwrap();
        assert_eq!((last.coverage, last.of_questions, found.answers), (1.0, 0.5, 10));
        assert!((last.threshold - 0.1).abs() < 1e-9);
        let expected = (1.0 / 9.0 + 2.0 / 10.0) / 10.0;
        assert!((found.area.unwrap() - expected).abs() < 1e-9, "{found:?}");
        let proud: Vec<(f64, bool)> =
            answers.iter().map(|(confidence, wrong)| (1.0 - confidence, *wrong)).collect();
        assert!(risk_coverage(&proud, 20).area > found.area, "the other way round is worse");
    }

    #[test]
    fn answers_of_one_confidence_share_their_risk_whatever_their_order() {
        let one = risk_coverage(&[(0.5, true), (0.5, false), (0.5, false), (0.5, false)], 4);
        let other = risk_coverage(&[(0.5, false), (0.5, false), (0.5, false), (0.5, true)], 4);
        assert_eq!(one, other);
        assert!(one.points.iter().all(|point| (point.risk - 0.25).abs() < 1e-9), "{one:?}");
        assert_eq!(one.points.len(), 4, "no more points than answers");
    }

    #[test]
    fn without_answers_there_is_no_curve() {
        let none = risk_coverage(&[], 3);
        assert_eq!((none.points.len(), none.area, none.questions), (0, None, 3));
    }
}
