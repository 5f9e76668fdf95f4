//! The outcome of a method: the engine grounds it and makes the answer from it.

use super::{AnswerTable, Evidence, Planned, RankedEntity, Reading, Status};

/// The outcome of a method; the engine grounds it and makes the answer from it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Whether there is an answer.
    pub status: Status,
    /// The bare values, best first.
    pub answers: Vec<String>,
    /// The same as a table.
    pub table: Option<AnswerTable>,
    /// The reading that was answered, then others.
    pub readings: Vec<Reading>,
    /// The answer in words, if it says more than the values.
    pub text: Option<String>,
    /// The facts that the answer rests on.
    pub evidence: Vec<Evidence>,
    /// The ranking from which the answer was taken, best first, for methods that rank.
    pub ranked: Vec<RankedEntity>,
    /// The path that led to it, for the reading and for learning, for methods that walk paths.
    pub plan: Option<Box<Planned>>,
    /// Whether it rests on the model's own knowledge and no evidence; grounding then skips it.
    pub model_alone: bool,
    /// The method's estimate, 0 to 1, that the answer is right if it is grounded.
    pub confidence: f64,
    /// The reason why there is no answer.
    pub reason: Option<String>,
}

impl Outcome {
    /// No answer, with the reason and the evidence found.
    pub fn abstain(reason: impl Into<String>, evidence: Vec<Evidence>) -> Self {
        Self { status: Status::Abstained, evidence, reason: Some(reason.into()), ..Self::default() }
    }

    /// The readings of a question that was only to be read.
    pub fn only_read(readings: Vec<Reading>) -> Self {
        let reason = "only the reading was asked for; nothing was run";
        Self { readings, ..Self::abstain(reason, Vec::new()) }
    }

    /// The same with all numbers that have more decimals rounded to so many, halves away from zero.
    /// A sentence of the method's own stays as it is.
    pub fn rounded(mut self, decimals: usize) -> Self {
        let mut changed = false;
        for answer in &mut self.answers {
            changed |= round(answer, decimals);
        }
        let cells = self.table.iter_mut().flat_map(|table| table.rows.iter_mut().flatten().flatten());
        for value in cells.filter(|value| value.key.is_none()) {
            changed |= round(&mut value.name, decimals);
        }
        if let Some(table) = self.table.as_ref().filter(|_| changed) {
            self.text = Some(table.said());
        }
        self
    }

    /// The same with the path that led to it.
    pub(crate) fn by(self, plan: Planned) -> Self {
        Self { plan: Some(Box::new(plan)), ..self }
    }
}

/// Rounds a number with more decimals; returns whether it did.
fn round(text: &mut String, decimals: usize) -> bool {
    let is_longer = text.split_once('.').is_some_and(|(_, digits)| digits.len() > decimals);
    let number = text.parse::<f64>().ok().filter(|number| is_longer && number.is_finite());
    let Some(number) = number else { return false };
    let factor = 10_f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX));
    // Without the sign of a zero.
    let rounded = (number * factor).round() / factor + 0.0;
    *text = format!("{rounded:.decimals$}");
    true
}

#[cfg(test)]
mod tests {
    use super::round;

    #[test]
    fn halves_are_rounded_away_from_zero() {
        for (text, decimals, expected) in [
            ("2.5", 0, "3"),
            ("-2.5", 0, "-3"),
            ("-0.4", 0, "0"),
            ("12.328767123", 1, "12.3"),
            ("7.25", 3, "7.25"),
            ("Line 2.5", 0, "Line 2.5"),
        ] {
            let mut rounded = text.to_owned();
            assert_eq!(round(&mut rounded, decimals), rounded != text);
            assert_eq!(rounded, expected);
        }
    }
}
