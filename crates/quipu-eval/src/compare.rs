//! Compares runs question by question: wins, losses, differences with intervals.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::EvalError;
use crate::metrics::{Interval, bootstrap_mean};
use crate::row::Row;
use crate::summary::Metric;

/// Rows of one method and model with a unique label.
#[derive(Debug, Clone, PartialEq)]
pub struct LabelledRows {
    /// Method, model, setting; the folder if there are several.
    pub label: String,
    /// The rows.
    pub rows: Vec<Row>,
}

/// Comparison of two runs on the questions that both have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The compared run.
    pub run: String,
    /// The reference run.
    pub against: String,
    /// Questions that both have.
    pub shared: usize,
    /// Questions that only one of them has.
    pub unshared: usize,
    /// By metric.
    pub metrics: Vec<PairedDifference>,
}

/// A metric, paired question by question.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairedDifference {
    /// The metric.
    pub metric: Metric,
    /// Mean of the difference, with its 95% interval (paired bootstrap over questions).
    pub difference: Interval,
    /// Questions on which the run is better (for a cost: cheaper).
    pub wins: usize,
    /// Questions on which it is worse.
    pub losses: usize,
    /// Questions with equal values.
    pub ties: usize,
    /// Probability of wins and losses at least this one-sided if neither run were better (two-sided
    /// sign test; for scores of 0 and 1, McNemar's exact test).
    pub p: f64,
}

const COMPARED: [Metric; 15] = [
    Metric::HitAt1,
    Metric::AnsweredWrongly,
    Metric::F1,
    Metric::RowF1,
    Metric::ExactTable,
    Metric::ExactMatch,
    Metric::Accuracy,
    Metric::Lenient,
    Metric::Truthfulness,
    Metric::Hallucination,
    Metric::RetrievalRecall,
    Metric::RougeL,
    Metric::Calls,
    Metric::Tokens,
    Metric::Seconds,
];

/// Compares every run with the first one.
///
/// # Errors
/// [`EvalError::Usage`] with fewer than two runs, or without a question in common.
pub fn compare(runs: &[LabelledRows], seed: u64) -> Result<Vec<Comparison>, EvalError> {
    let [first, others @ ..] = runs else {
        return Err(EvalError::Usage("there is no run to compare".into()));
    };
    if others.is_empty() {
        let message = "there is only one run; name another folder, or one with several methods or models";
        return Err(EvalError::Usage(message.into()));
    }
    others.iter().map(|run| pair(run, first, seed)).collect()
}

fn pair(run: &LabelledRows, against: &LabelledRows, seed: u64) -> Result<Comparison, EvalError> {
    let theirs: HashMap<(&str, &str), &Row> =
        against.rows.iter().map(|row| ((row.id.as_str(), row.question.as_str()), row)).collect();
    let pairs: Vec<(&Row, &Row)> = run
        .rows
        .iter()
        .filter_map(|row| Some((row, *theirs.get(&(row.id.as_str(), row.question.as_str()))?)))
        .collect();
    if pairs.is_empty() {
        let (a, b) = (&run.label, &against.label);
        return Err(EvalError::Usage(format!(
            "{a} and {b} share no question; they were run on different files"
        )));
    }
    let ids: BTreeSet<&str> = run.rows.iter().chain(&against.rows).map(|row| row.id.as_str()).collect();
    Ok(Comparison {
        run: run.label.clone(),
        against: against.label.clone(),
        shared: pairs.len(),
        unshared: ids.len().saturating_sub(pairs.len()),
        metrics: COMPARED.into_iter().filter_map(|metric| difference(metric, &pairs, seed)).collect(),
    })
}

fn difference(metric: Metric, pairs: &[(&Row, &Row)], seed: u64) -> Option<PairedDifference> {
    let values: Vec<f64> =
        pairs.iter().filter_map(|(ours, theirs)| Some(metric.of(ours)? - metric.of(theirs)?)).collect();
    if values.is_empty() {
        return None;
    }
    let better = |value: &&f64| if metric.is_bad() { **value < 0.0 } else { **value > 0.0 };
    let ties = values.iter().filter(|value| **value == 0.0).count();
    let wins = values.iter().filter(better).count();
    let losses = values.len() - ties - wins;
    Some(PairedDifference {
        metric,
        difference: bootstrap_mean(&values, seed),
        wins,
        losses,
        ties,
        p: sign_test(wins, losses),
    })
}

/// Two-sided: twice the smaller tail of a fair coin, at most 1.
#[expect(clippy::cast_precision_loss, reason = "counts of questions fit a double")]
fn sign_test(wins: usize, losses: usize) -> f64 {
    let n = wins + losses;
    let mut log_choose = 0.0;
    let mut tail = 0.0;
    let halves = n as f64 * std::f64::consts::LN_2;
    for k in 0..=wins.min(losses) {
        if k > 0 {
            log_choose += ((n - k + 1) as f64).ln() - (k as f64).ln();
        }
        tail += (log_choose - halves).exp();
    }
    (2.0 * tail).min(1.0)
}

/// A table for each comparison.
pub fn comparisons_to_markdown(comparisons: &[Comparison]) -> String {
    let mut text = String::new();
    for comparison in comparisons {
        let Comparison { run, against, shared, unshared, .. } = comparison;
        let _ = write!(text, "**{run}** against **{against}**: {shared} questions that both have");
        if *unshared > 0 {
            let _ = write!(text, " ({unshared} that only one has are left out)");
        }
        text.push_str(
            "\n\n| metric | difference [95%] | wins | losses | ties | p |\n|---|---|---|---|---|---|\n",
        );
        for d in &comparison.metrics {
            let interval = d.difference;
            let digits = if matches!(d.metric, Metric::Tokens) { 1 } else { 3 };
            let sure = if interval.low > 0.0 || interval.high < 0.0 { " *" } else { "" };
            let _ = writeln!(
                text,
                "| {} | {:+.digits$} [{:+.digits$}, {:+.digits$}]{sure} | {} | {} | {} | {:.3} |",
                d.metric.name(),
                interval.mean,
                interval.low,
                interval.high,
                d.wins,
                d.losses,
                d.ties,
                d.p
            );
        }
        text.push('\n');
    }
    text.push_str("`*`: the interval excludes zero. A win is the better value: the smaller one for costs, wrong answers and hallucinations, else the larger one.\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::ErrorClass;
    use crate::row::samples::{row, wrong};

    fn run(label: &str, rows: Vec<Row>) -> LabelledRows {
        LabelledRows { label: label.into(), rows }
    }

    fn bad(id: &str) -> Row {
        wrong(id, ErrorClass::Composition)
    }

    #[test]
    fn wins_and_losses_are_counted_question_by_question() {
        let one = run("a", vec![row("1"), bad("2"), bad("3"), bad("4")]);
        let two = run("b", vec![row("4"), row("3"), row("2"), bad("1"), row("5")]);
        let found = &compare(&[one, two], 1).unwrap()[0];
        assert_eq!((found.shared, found.unshared, found.run.as_str()), (4, 1, "b"));
        let hit = found.metrics.iter().find(|d| d.metric == Metric::HitAt1).unwrap();
        assert_eq!((hit.wins, hit.losses, hit.ties), (3, 1, 0));
        assert!((hit.difference.mean - 0.5).abs() < 1e-9 && (hit.p - 0.625).abs() < 1e-9, "{hit:?}");
        let hallucination = found.metrics.iter().find(|d| d.metric == Metric::Hallucination).unwrap();
        assert_eq!((hallucination.wins, hallucination.losses), (3, 1));
        let wrongly = found.metrics.iter().find(|d| d.metric == Metric::AnsweredWrongly).unwrap();
        assert_eq!((wrongly.wins, wrongly.losses), (3, 1), "fewer wrong answers are a win");
        let table = comparisons_to_markdown(std::slice::from_ref(found));
        assert!(
            table.contains("| Hit@1 (strict) | +0.500 [") && table.contains("1 that only one has"),
            "{table}"
        );
    }

    #[test]
    fn the_sign_test_is_the_binomials() {
        for (wins, losses, expected) in
            [(0, 0, 1.0), (5, 0, 0.0625), (0, 5, 0.0625), (3, 3, 1.0), (8, 2, 0.109_375)]
        {
            assert!((sign_test(wins, losses) - expected).abs() < 1e-9, "{wins}, {losses}");
        }
        assert!(sign_test(400, 300) < 0.001 && sign_test(1500, 1500) > 0.9);
    }

    #[test]
    fn what_cannot_be_compared_is_said() {
        let message = |runs: &[LabelledRows]| compare(runs, 1).unwrap_err().to_string();
        assert!(message(&[run("a", vec![row("1")])]).contains("only one run"));
        let apart = message(&[run("a", vec![row("1")]), run("b", vec![row("2")])]);
        assert!(apart.contains("share no question"), "{apart}");
    }
}
