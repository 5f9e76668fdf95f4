//! The metrics: for one question ([`Score`], [`RowScore`]), over questions ([`Interval`],
//! [`Calibration`], [`RiskCoverage`]).

mod calibration;
mod interval;
mod risk;
mod rouge;
mod rows;
mod score;

pub use calibration::{Calibration, CalibrationBin, calibration};
pub use interval::{Interval, bootstrap_mean, bootstrap_strata};
pub use risk::{RiskCoverage, RiskPoint, risk_coverage};
pub use rouge::rouge_l;
pub use rows::{GivenTable, GoldTable, RowScore};
pub use score::{GoldAnswer, Score, score, score_rows};

/// A share; 0 if the whole is 0.
#[expect(clippy::cast_precision_loss, reason = "counts of answers fit a double")]
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

pub(crate) fn one_if(truth: bool) -> f64 {
    f64::from(u8::from(truth))
}

/// The harmonic mean of precision and recall.
fn harmonic(precision: f64, recall: f64) -> f64 {
    if precision + recall == 0.0 { 0.0 } else { 2.0 * precision * recall / (precision + recall) }
}
