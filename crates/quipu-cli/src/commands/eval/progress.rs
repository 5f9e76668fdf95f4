//! The progress of a run: rate, running score, cost so far, time left. On a terminal only.

use std::time::Instant;

use indicatif::ProgressBar;
use quipu_eval::{Metric, Row};

use crate::output::grouped;
use crate::progress::bar;

/// The bar of one method with one model.
pub(super) struct RunBar {
    bar: ProgressBar,
    label: String,
    started: Instant,
    seen: Seen,
    /// Rows of an earlier run, which do not count for the rate.
    before: u64,
}

#[derive(Default)]
struct Seen {
    rows: u64,
    hits: f64,
    truth: f64,
    calls: u64,
    tokens: u64,
}

impl RunBar {
    pub(super) fn new(label: String, questions: usize) -> Self {
        let bar = bar("{msg} {bar:20} {pos}/{len} {eta:>4} left");
        bar.set_length(questions as u64);
        Self { bar, label, started: Instant::now(), seen: Seen::default(), before: 0 }
    }

    /// Counts rows of an earlier run as done; rate and cost leave them out.
    pub(super) fn skip(&mut self, rows: usize) {
        self.before = rows as u64;
    }

    pub(super) fn row(&mut self, row: &Row) {
        let seen = &mut self.seen;
        seen.rows += 1;
        seen.hits += Metric::HitAt1.of(row).unwrap_or_default();
        seen.truth += Metric::Truthfulness.of(row).unwrap_or_default();
        seen.calls += u64::from(row.cost.llm_calls + row.cost.judge_calls);
        seen.tokens += row.cost.tokens();
        if seen.rows <= self.before {
            self.bar.set_position(seen.rows);
            self.bar.reset_eta();
            return;
        }
        let asked = seen.rows - self.before;
        let rate = asked as f64 / self.started.elapsed().as_secs_f64().max(0.001);
        self.bar.set_message(line(&self.label, &self.seen, rate));
        self.bar.inc(1);
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

fn line(label: &str, seen: &Seen, rate: f64) -> String {
    let of = |sum: f64| sum / (seen.rows as f64).max(1.0);
    let (calls, tokens) = (grouped(seen.calls), grouped(seen.tokens));
    let (hit, truth) = (of(seen.hits), of(seen.truth));
    format!("{label}  hit {hit:.2}  truth {truth:+.2}  {rate:.1}/s  {calls} calls  {tokens} tokens ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_score_rate_and_cost() {
        let seen = Seen { rows: 4, hits: 3.0, truth: 2.0, calls: 1200, tokens: 34_567 };
        assert_eq!(
            line("paths, no model", &seen, 12.34),
            "paths, no model  hit 0.75  truth +0.50  12.3/s  1,200 calls  34,567 tokens "
        );
    }
}
