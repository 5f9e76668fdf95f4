//! Scores of one answer against its gold answers. Names and values are compared as grounding compares them
//! ([`quipu_answer::same_value`]).

use quipu_answer::same_value;
use serde::{Deserialize, Serialize};

/// How good one answer is.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Score {
    /// 1 when the first value given is a gold answer.
    pub hit_at_1: f64,
    /// Share of the values given that are gold answers.
    pub precision: f64,
    /// Share of the gold answers that are given.
    pub recall: f64,
    /// Harmonic mean of precision and recall.
    pub f1: f64,
    /// 1 when the values given are the gold answers, no more and no less.
    pub exact: f64,
}

/// Scores the values given, best first. No value given is zero in everything.
pub fn score(given: &[String], gold: &[String]) -> Score {
    let is_gold = |value: &String| gold.iter().any(|g| same_value(value, g));
    let right = given.iter().filter(|value| is_gold(value)).count();
    let found = gold.iter().filter(|g| given.iter().any(|value| same_value(value, g))).count();
    let precision = share(right, given.len());
    let recall = share(found, gold.len());
    let f1 = if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) };
    Score {
        hit_at_1: f64::from(u8::from(given.first().is_some_and(is_gold))),
        precision,
        recall,
        f1,
        exact: f64::from(u8::from(!gold.is_empty() && precision == 1.0 && recall == 1.0)),
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of answers fit a double")]
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: &[&str], gold: &[&str], hit: f64, f1: f64, exact: f64) {
        let own = |texts: &[&str]| -> Vec<String> { texts.iter().map(|t| (*t).to_owned()).collect() };
        let score = score(&own(given), &own(gold));
        assert_eq!((score.hit_at_1, score.exact), (hit, exact), "{given:?}");
        assert!((score.f1 - f1).abs() < 1e-9, "{given:?}: {}", score.f1);
    }

    #[test]
    fn scores_follow_their_definitions() {
        check(&["Lima"], &["lima"], 1.0, 1.0, 1.0);
        check(&["Quito", "Lima"], &["Lima"], 0.0, 2.0 / 3.0, 0.0);
        check(&["Lima"], &["Lima", "Quito"], 1.0, 2.0 / 3.0, 0.0);
        check(&[], &["Lima"], 0.0, 0.0, 0.0);
        check(&["Lima"], &[], 0.0, 0.0, 0.0);
    }
}
