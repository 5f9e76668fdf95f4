//! Counts that a model took for something else: it adds up the days of eight shows, or gives the
//! tickets of one show where the question asks how often there was one.

use std::collections::HashSet;

use quipu_graph::LiteralValue;
use quipu_language::{Operand, Operation, asks_how_often, value_of, wanted};

use super::mend::{Asked, own_name, record_of};
use super::operands::{column, row_positions};
use crate::answer::{Evidence, Question, RecordContent, RecordField};
use crate::plan::plain_words;

/// The rows that the question counts, if the model adds up or averages their days, or points at one
/// number where the question asks how often something was.
pub(super) fn counted_rows(
    question: &Question,
    operation: Option<Operation>,
    rows: &[String],
    pointed: &[Operand],
    evidence: &[Evidence],
) -> Option<Vec<Operand>> {
    let counts = wanted(question.text()).operation == Some(Operation::Count);
    let are_days = !pointed.is_empty()
        && pointed.iter().all(|operand| matches!(operand.value, LiteralValue::Date { day: Some(_), .. }));
    if counts && are_days && matches!(operation, Some(Operation::Sum | Operation::Average)) {
        let by_row = |operand: &Operand| {
            let key = operand.evidence.first().cloned().unwrap_or_else(|| operand.key.clone());
            Operand { key, ..operand.clone() }
        };
        return Some(pointed.iter().map(by_row).collect());
    }
    let [row] = rows else { return None };
    let is_number = matches!(pointed, [only] if matches!(only.value, LiteralValue::Number(_)));
    if operation.is_some() || !is_number || !asks_how_often(question.text()) {
        return None;
    }
    let positions = row_positions(row);
    let [at] = positions.as_slice() else { return None };
    let table = record_of(evidence.get(*at)?)?.heading();
    let years = years(question.text());
    let is_of_the_table = |record: &RecordContent| {
        record.heading() == table
            && (years.is_empty() || record_years(record).any(|year| years.contains(&year)))
    };
    let counted: Vec<Operand> = evidence
        .iter()
        .filter(|piece| record_of(piece).is_some_and(is_of_the_table))
        .map(|piece| {
            let label = record_of(piece).and_then(own_name).unwrap_or_default().to_owned();
            let value = value_of(&label);
            Operand {
                key: piece.id.clone(),
                text: label.clone(),
                label,
                value,
                evidence: vec![piece.id.clone()],
            }
        })
        .collect();
    // The number of a single row may be how often.
    (counted.len() > 1).then_some(counted)
}

/// Whether a question that counts is answered by one number of a record of another thing: the
/// question says neither the record's name nor a value of it, nor a word of the number's field.
pub(super) fn is_of_another(question: &Question, rows: &[String], evidence: &[Evidence]) -> bool {
    let asked = Asked::of(question);
    let [row] = rows else { return false };
    let positions = row_positions(row);
    let (Some(column), [at]) = (column(row), positions.as_slice()) else { return false };
    let Some(record) = evidence.get(*at).and_then(record_of) else { return false };
    let Some(field) = record.fields.iter().find(|field| field.name == column) else { return false };
    let is_number = matches!(value_of(&field.value), LiteralValue::Number(_));
    let is_said = record.fields.iter().flat_map(RecordField::each).any(|value| asked.says(value));
    let said = plain_words(question.text());
    let is_named = plain_words(&field.name.replace('_', " ")).iter().any(|word| said.contains(word));
    wanted(question.text()).operation == Some(Operation::Count) && is_number && !is_said && !is_named
}

/// The years in a text.
fn years(text: &str) -> HashSet<i32> {
    let numbers = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| digits.len() == 4);
    numbers.filter_map(|digits| digits.parse().ok()).collect()
}

/// The years of a record's dates.
fn record_years(record: &RecordContent) -> impl Iterator<Item = i32> + '_ {
    record.fields.iter().flat_map(RecordField::each).filter_map(|value| match value_of(value) {
        LiteralValue::Date { year, .. } => Some(year),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compose::operands::operands;
    use crate::testing::question;
    use quipu_language::calculate;

    fn show(artist: &str, day: &str, tickets: &str) -> Evidence {
        let field = |name, value: &str| RecordField::new(name, &[value.to_owned()]);
        let fields = vec![field("artist", artist), field("day", day), field("tickets_sold", tickets)];
        Evidence::record("fair", RecordContent { table: "performances".into(), fields, path: "$".into() })
    }

    fn shows() -> [Evidence; 3] {
        [
            show("Vale", "2022-07-17", "148"),
            show("Vale", "2023-07-11", "781"),
            show("Vale", "2023-07-12", "126"),
        ]
    }

    /// The count instead of what the model takes, as text.
    fn count(asked: &str, operation: Option<Operation>, rows: &[&str]) -> Option<String> {
        let rows: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
        let evidence = shows();
        let pointed = operands(&rows, &evidence);
        let found = counted_rows(&question(asked), operation, &rows, &pointed, &evidence)?;
        Some(calculate(Operation::Count, &found).unwrap().result)
    }

    #[test]
    fn days_are_counted_and_not_added_up() {
        let days = ["E0.day", "E1.day", "E2.day"];
        assert_eq!(count("How many shows were there?", Some(Operation::Sum), &days).as_deref(), Some("3"));
        assert_eq!(count("How many shows were there?", Some(Operation::Count), &days), None);
        let tickets = ["E0.tickets_sold", "E1.tickets_sold"];
        assert_eq!(count("How many tickets were sold?", Some(Operation::Sum), &tickets), None);
    }

    #[test]
    fn how_often_counts_the_rows_of_the_year() {
        let row = ["E1.tickets_sold"];
        assert_eq!(count("How often did Vale play in 2023?", None, &row).as_deref(), Some("2"));
        assert_eq!(count("How often did Vale play?", None, &row).as_deref(), Some("3"));
        assert_eq!(count("How many tickets did Vale sell in 2023?", None, &row), None);
        assert_eq!(count("How often did Vale play in 1999?", None, &row), None);
        assert_eq!(count("How often did Vale play in 2022?", None, &["E0.tickets_sold"]), None);
    }

    #[test]
    fn a_number_of_a_thing_that_the_question_does_not_name_is_no_count() {
        let is_of_another =
            |asked: &str| is_of_another(&question(asked), &["E1.tickets_sold".to_owned()], &shows());
        assert!(is_of_another("how many people are in the other band?"));
        assert!(!is_of_another("how many people heard Vale?"));
        assert!(!is_of_another("how many tickets were bought?"));
        assert!(!is_of_another("who is in the other band?"));
    }
}
