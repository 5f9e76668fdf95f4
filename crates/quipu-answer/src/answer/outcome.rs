//! The outcome of a method: the engine grounds it and makes the answer from it.

use super::{AnswerTable, Evidence, Planned, RankedEntity, Reading, Status};

/// The outcome of a method; the engine grounds it and makes the answer from it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Outcome {
    pub(crate) status: Status,
    /// The bare values, best first.
    pub(crate) answers: Vec<String>,
    /// The same as a table.
    pub(crate) table: Option<AnswerTable>,
    /// The reading that was answered, then others.
    pub(crate) readings: Vec<Reading>,
    /// The answer in words, if it says more than the values.
    pub(crate) text: Option<String>,
    pub(crate) evidence: Vec<Evidence>,
    /// The ranking from which the answer was taken, best first, for methods that rank.
    pub(crate) ranked: Vec<RankedEntity>,
    /// The path that led to it, for the reading and for learning, for methods that walk paths.
    pub(crate) plan: Option<Box<Planned>>,
    /// Whether it rests on the model's own knowledge and no evidence; grounding then skips it.
    pub(crate) model_alone: bool,
    /// The method's estimate, 0 to 1, that the answer is right if it is grounded.
    pub(crate) confidence: f64,
    /// The reason why there is no answer.
    pub(crate) reason: Option<String>,
}

impl Outcome {
    pub(crate) fn abstain(reason: impl Into<String>, evidence: Vec<Evidence>) -> Self {
        Self { status: Status::Abstained, evidence, reason: Some(reason.into()), ..Self::default() }
    }

    /// The readings of a question that was only to be read.
    pub(crate) fn only_read(readings: Vec<Reading>) -> Self {
        let reason = "only the reading was asked for; nothing was run";
        Self { readings, ..Self::abstain(reason, Vec::new()) }
    }

    /// The same with all numbers that have more decimals rounded to so many.
    pub(crate) fn rounded(mut self, decimals: usize) -> Self {
        let round = |text: &mut String| {
            let is_longer = text.split_once('.').is_some_and(|(_, digits)| digits.len() > decimals);
            let number = text.parse::<f64>().ok().filter(|number| is_longer && number.is_finite());
            let Some(number) = number else { return false };
            *text = format!("{number:.decimals$}");
            true
        };
        let mut changed = false;
        for answer in &mut self.answers {
            changed |= round(answer);
        }
        let cells = self.table.iter_mut().flat_map(|table| table.rows.iter_mut().flatten().flatten());
        for value in cells.filter(|value| value.key.is_none()) {
            changed |= round(&mut value.name);
        }
        if changed {
            self.text = self.table.as_ref().map(AnswerTable::said);
        }
        self
    }

    /// The same with the path that led to it.
    pub(crate) fn by(self, plan: Planned) -> Self {
        Self { plan: Some(Box::new(plan)), ..self }
    }
}
