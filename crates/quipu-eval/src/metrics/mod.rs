//! The metrics: of one question ([`Score`]), over questions ([`Interval`], [`Calibration`]).

mod calibration;
mod interval;
mod rouge;
mod score;

pub use calibration::{Calibration, CalibrationBin, calibration};
pub use interval::{Interval, bootstrap_mean};
pub use rouge::rouge_l;
pub use score::{GoldAnswer, Score, score};

/// A share; 0 of nothing is 0.
#[expect(clippy::cast_precision_loss, reason = "counts of answers fit a double")]
pub(crate) fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

pub(crate) fn one_if(truth: bool) -> f64 {
    f64::from(u8::from(truth))
}
