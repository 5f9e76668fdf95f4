//! Calculation in code: the model (or the question's words) choose the operation and its operands;
//! counting, comparing, ordering and arithmetic happen here.

use std::collections::HashSet;

use jiff::civil::Date;
use quipu_graph::LiteralValue;
use serde::{Deserialize, Serialize};

use crate::numerals::ordinal_figure;
use crate::values::format_number;

/// What to do with the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// How many there are.
    Count,
    /// All numbers added.
    Sum,
    /// Their mean.
    Average,
    /// The operand with the highest value, or the latest date.
    Highest,
    /// The operand with the lowest value, or the earliest date.
    Lowest,
    /// The first value minus the second; for dates, the days between them.
    Difference,
    /// From the lowest to the highest.
    Ascending,
    /// From the highest to the lowest.
    Descending,
}

impl Operation {
    /// Whether it needs values that can be compared (all but `Count`).
    pub fn needs_values(self) -> bool {
        self != Self::Count
    }

    /// Whether it selects one operand among several.
    pub fn chooses(self) -> bool {
        matches!(self, Self::Highest | Self::Lowest)
    }

    /// The operation's name, as prompts and JSON write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Sum => "sum",
            Self::Average => "average",
            Self::Highest => "highest",
            Self::Lowest => "lowest",
            Self::Difference => "difference",
            Self::Ascending => "ascending",
            Self::Descending => "descending",
        }
    }
}

/// A value with its owner's name and its evidence: the input of a calculation.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand {
    /// Identity of the value's owner. Two owners may share one label.
    pub key: String,
    /// The value's owner: `Peru`.
    pub label: String,
    /// The value: 31,989,256.
    pub value: LiteralValue,
    /// The value as the graph writes it.
    pub text: String,
    /// Ids of the evidence that states it.
    pub evidence: Vec<String>,
}

/// The ranks that a question asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// One rank, from 1: "the second largest". Equal values share a rank.
    At(usize),
    /// The first so many ranks: "the three largest". Operands that tie with the last one are
    /// included.
    UpTo(usize),
}

impl Default for Places {
    fn default() -> Self {
        Self::At(1)
    }
}

impl Places {
    /// The largest number of answers that the question allows.
    pub fn most(self) -> Option<usize> {
        match self {
            Self::At(_) => None,
            Self::UpTo(most) => Some(most),
        }
    }
}

/// The result of a calculation.
#[derive(Debug, Clone, PartialEq)]
pub struct Calculation {
    /// The operation in words: `highest of 3 values`.
    pub operation: String,
    /// The bare answers: a number, or the labels of the operands that won or their order.
    pub answers: Vec<String>,
    /// The result in words: `Peru (31,989,256)`.
    pub result: String,
    /// The winning operands, or all in order, each owner once. Empty if the answer is a number.
    pub chosen: Vec<Operand>,
    /// Ids of the evidence behind the operands.
    pub evidence: Vec<String>,
}

/// Why nothing was calculated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalculationError {
    /// No operand at all.
    #[error("there are no values to calculate with")]
    NoOperands,
    /// Fewer values of one kind than the operation needs.
    #[error("{operation} needs {needed} numbers or dates, but the evidence holds {found}")]
    TooFewValues {
        /// The operation.
        operation: &'static str,
        /// Values needed.
        needed: usize,
        /// Values there.
        found: usize,
    },
    /// The order has fewer ranks than the question asks for.
    #[error("the question asks for the {}, but there are only {found} different values", ordinal_figure(*.place))]
    TooFewPlaces {
        /// The place asked for, from 1.
        place: usize,
        /// Places there.
        found: usize,
    },
}

/// A value on one axis. Numbers and dates are never compared.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Measure {
    Number(f64),
    /// Days since the epoch of the proleptic Gregorian calendar, for comparing.
    Day(i64),
}

impl Measure {
    fn of(value: &LiteralValue) -> Option<Self> {
        match value {
            LiteralValue::Number(number) => Some(Self::Number(*number)),
            LiteralValue::Date { year, month, day } => {
                let (year, month, day) = (
                    i16::try_from(*year).ok()?,
                    i8::try_from(month.unwrap_or(1)).ok()?,
                    i8::try_from(day.unwrap_or(1)).ok()?,
                );
                let date = Date::new(year, month, day).ok()?;
                let days = Date::ZERO.until(date).ok()?.get_days();
                Some(Self::Day(i64::from(days)))
            }
            LiteralValue::Boolean(_) | LiteralValue::Text(_) => None,
        }
    }

    fn axis(self) -> f64 {
        match self {
            Self::Number(number) => number,
            #[expect(clippy::cast_precision_loss, reason = "days of a 16-bit year fit a double")]
            Self::Day(days) => days as f64,
        }
    }
}

/// Applies `operation` to `operands`.
///
/// Every operation except `Count` skips values that are neither number nor date. In a mixture, the
/// more frequent kind counts. Ties: every operand with the extreme value is an answer.
///
/// # Errors
/// [`CalculationError`] when there are too few values.
pub fn calculate(operation: Operation, operands: &[Operand]) -> Result<Calculation, CalculationError> {
    calculate_places(operation, operands, Places::default())
}

/// Like [`calculate`], but `Highest` and `Lowest` select the ranks in `places` instead of the
/// first.
///
/// # Errors
/// [`CalculationError`] when there are too few values or too few ranks.
pub fn calculate_places(
    operation: Operation,
    operands: &[Operand],
    places: Places,
) -> Result<Calculation, CalculationError> {
    if operands.is_empty() {
        return Err(CalculationError::NoOperands);
    }
    if operation == Operation::Count {
        return Ok(count(operands));
    }
    let measured = measure(operands);
    let needed = if operation == Operation::Difference { 2 } else { 1 };
    if measured.len() < needed {
        let found = measured.len();
        return Err(CalculationError::TooFewValues { operation: operation.name(), needed, found });
    }
    Ok(match operation {
        Operation::Highest | Operation::Lowest => extreme(operation, measured, places)?,
        Operation::Ascending | Operation::Descending => ordered(operation, measured),
        Operation::Difference => difference(&measured),
        Operation::Sum | Operation::Average | Operation::Count => total(operation, &measured),
    })
}

type Measured<'a> = (&'a Operand, Measure);

fn measure(operands: &[Operand]) -> Vec<Measured<'_>> {
    let mut measured: Vec<Measured> =
        operands.iter().filter_map(|o| Measure::of(&o.value).map(|m| (o, m))).collect();
    let days = measured.iter().filter(|(_, m)| matches!(m, Measure::Day(_))).count();
    let keep_days = days * 2 > measured.len();
    measured.retain(|(_, m)| matches!(m, Measure::Day(_)) == keep_days);
    measured
}

fn evidence_of<'a>(operands: impl Iterator<Item = &'a Operand>) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for id in operands.flat_map(|o| &o.evidence) {
        if !ids.contains(id) {
            ids.push(id.clone());
        }
    }
    ids
}

fn count(operands: &[Operand]) -> Calculation {
    let keys: HashSet<&str> = operands.iter().map(|o| o.key.as_str()).collect();
    let result = keys.len().to_string();
    Calculation {
        operation: "count".into(),
        answers: vec![result.clone()],
        result,
        chosen: Vec::new(),
        evidence: evidence_of(operands.iter()),
    }
}

fn extreme(
    operation: Operation,
    mut measured: Vec<Measured>,
    places: Places,
) -> Result<Calculation, CalculationError> {
    let values = measured.len();
    measured.sort_by(|(_, a), (_, b)| match operation {
        Operation::Highest => b.axis().total_cmp(&a.axis()),
        _ => a.axis().total_cmp(&b.axis()),
    });
    // An owner with several values is ranked by its best one.
    let mut placed = HashSet::new();
    measured.retain(|(operand, _)| placed.insert(operand.key.as_str()));
    let mut level = measured.chunk_by(|(_, a), (_, b)| a.axis() == b.axis());
    let (which, winners) = match places {
        Places::At(place) => {
            let found = level.clone().count();
            let winners =
                level.nth(place.saturating_sub(1)).ok_or(CalculationError::TooFewPlaces { place, found })?;
            let which = if place == 1 { String::new() } else { format!("{} ", ordinal_figure(place)) };
            (which, winners.to_vec())
        }
        Places::UpTo(most) => {
            let mut winners = Vec::new();
            while winners.len() < most
                && let Some(next) = level.next()
            {
                winners.extend_from_slice(next);
            }
            (format!("{} ", winners.len()), winners)
        }
    };
    let shown: Vec<String> = winners.iter().map(|(o, _)| format!("{} ({})", o.label, o.text)).collect();
    Ok(Calculation {
        operation: format!("{which}{} of {values} values", operation.name()),
        answers: winners.iter().map(|(o, _)| o.label.clone()).collect(),
        result: shown.join(", "),
        chosen: winners.iter().map(|(o, _)| (*o).clone()).collect(),
        evidence: evidence_of(winners.into_iter().map(|(o, _)| o)),
    })
}

fn ordered(operation: Operation, mut measured: Vec<Measured>) -> Calculation {
    measured.sort_by(|(_, a), (_, b)| a.axis().total_cmp(&b.axis()));
    if operation == Operation::Descending {
        measured.reverse();
    }
    let mut placed = HashSet::new();
    let chosen: Vec<Operand> =
        measured.iter().filter(|(o, _)| placed.insert(o.key.as_str())).map(|(o, _)| (*o).clone()).collect();
    let shown: Vec<String> = measured.iter().map(|(o, _)| format!("{} ({})", o.label, o.text)).collect();
    Calculation {
        operation: format!("{} order of {} values", operation.name(), measured.len()),
        answers: chosen.iter().map(|o| o.label.clone()).collect(),
        result: shown.join(", "),
        chosen,
        evidence: evidence_of(measured.iter().map(|(o, _)| *o)),
    }
}

fn difference(measured: &[Measured]) -> Calculation {
    let mut axis = measured.iter().map(|(_, m)| m.axis());
    let (first, second) = (axis.next().unwrap_or_default(), axis.next().unwrap_or_default());
    let days = matches!(measured.first(), Some((_, Measure::Day(_))));
    let result = if days {
        format!("{} days", format_number((first - second).abs()))
    } else {
        format_number(first - second)
    };
    let labels: Vec<&str> = measured.iter().take(2).map(|(o, _)| o.label.as_str()).collect();
    Calculation {
        operation: format!("difference of {}", labels.join(" and ")),
        answers: vec![result.clone()],
        result,
        chosen: Vec::new(),
        evidence: evidence_of(measured.iter().take(2).map(|(o, _)| *o)),
    }
}

fn total(operation: Operation, measured: &[Measured]) -> Calculation {
    let sum: f64 = measured.iter().map(|(_, m)| m.axis()).sum();
    #[expect(clippy::cast_precision_loss, reason = "a count of operands fits a double")]
    let value = if operation == Operation::Average { sum / measured.len() as f64 } else { sum };
    let result = format_number(value);
    Calculation {
        operation: format!("{} of {} values", operation.name(), measured.len()),
        answers: vec![result.clone()],
        result,
        chosen: Vec::new(),
        evidence: evidence_of(measured.iter().map(|(o, _)| *o)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::value_of;

    fn operands(values: &[(&str, &str)]) -> Vec<Operand> {
        let make = |(i, (label, text)): (usize, &(&str, &str))| Operand {
            key: (*label).into(),
            label: (*label).into(),
            value: value_of(text),
            text: (*text).into(),
            evidence: vec![format!("e{i}")],
        };
        values.iter().enumerate().map(make).collect()
    }

    fn check(operation: Operation, values: &[(&str, &str)], expected: &[&str]) {
        let calculation = calculate(operation, &operands(values)).unwrap();
        assert_eq!(calculation.answers, expected, "{operation:?}");
    }

    const COUNTRIES: [(&str, &str); 3] =
        [("Peru", "31989256"), ("Chile", "18,729,160"), ("Bolivia", "11353142")];

    #[test]
    fn numbers() {
        check(Operation::Count, &COUNTRIES, &["3"]);
        check(Operation::Sum, &COUNTRIES, &["62,071,558"]);
        check(Operation::Average, &[("a", "1"), ("b", "2")], &["1.5"]);
        check(Operation::Highest, &COUNTRIES, &["Peru"]);
        check(Operation::Lowest, &COUNTRIES, &["Bolivia"]);
        check(Operation::Difference, &COUNTRIES, &["13,260,096"]);
        check(Operation::Ascending, &COUNTRIES, &["Bolivia", "Chile", "Peru"]);
        check(Operation::Descending, &COUNTRIES, &["Peru", "Chile", "Bolivia"]);
    }

    #[test]
    fn dates_compare_and_subtract() {
        let dates = [("first", "1969-07-20"), ("second", "1957-10-04")];
        check(Operation::Lowest, &dates, &["second"]);
        check(Operation::Difference, &dates, &["4307 days"]);
    }

    #[test]
    fn equal_extremes_all_win() {
        check(Operation::Highest, &[("a", "5"), ("b", "5"), ("c", "1")], &["a", "b"]);
    }

    #[test]
    fn other_places_than_the_first_can_be_asked_for() {
        let calculate = |operation, places| {
            let values = [("a", "5"), ("b", "7"), ("c", "1"), ("d", "5"), ("b", "2")];
            calculate_places(operation, &operands(&values), places)
        };
        let second = calculate(Operation::Highest, Places::At(2)).unwrap();
        assert_eq!((second.answers, second.operation.as_str()), {
            (vec!["a".to_owned(), "d".to_owned()], "2nd highest of 5 values")
        });
        assert_eq!(calculate(Operation::Lowest, Places::At(2)).unwrap().answers, ["b"]);
        let two = calculate(Operation::Highest, Places::UpTo(2)).unwrap();
        assert_eq!(two.answers, ["b", "a", "d"], "d is level with a");
        assert_eq!(two.operation, "3 highest of 5 values");
        assert_eq!(calculate(Operation::Lowest, Places::UpTo(9)).unwrap().answers, ["c", "b", "a", "d"]);
        let error = calculate(Operation::Highest, Places::At(4)).unwrap_err();
        assert_eq!(error.to_string(), "the question asks for the 4th, but there are only 3 different values");
    }

    #[test]
    fn counting_counts_each_label_once() {
        check(Operation::Count, &[("a", "x"), ("a", "y"), ("b", "z")], &["2"]);
    }

    #[test]
    fn text_does_not_take_part_and_too_little_is_said() {
        check(Operation::Highest, &[("a", "unknown"), ("b", "3")], &["b"]);
        let error = calculate(Operation::Difference, &operands(&[("a", "unknown"), ("b", "3")])).unwrap_err();
        assert_eq!(error.to_string(), "difference needs 2 numbers or dates, but the evidence holds 1");
        assert_eq!(calculate(Operation::Count, &[]), Err(CalculationError::NoOperands));
    }

    #[test]
    fn the_winner_cites_its_own_evidence() {
        let calculation = calculate(Operation::Highest, &operands(&COUNTRIES)).unwrap();
        assert_eq!(calculation.evidence, ["e0"]);
        assert_eq!(calculation.result, "Peru (31989256)");
    }
}
