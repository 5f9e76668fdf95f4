//! What code mends in a composed answer: small models read a table rightly and then copy the wrong
//! cell, point at one row of seven, or give back a name of the question.

use std::collections::HashSet;

use quipu_graph::LiteralValue;
use quipu_language::{Language, Operand, is_naming_field, normalise, same_value, value_of, wanted};

use super::operands::{column, operands, row_positions, row_values};
use crate::answer::{Evidence, EvidenceContent, Question, RecordContent, RecordField};

/// Fewest and most words of a question that together are a field's name.
const NAME_WORDS: std::ops::RangeInclusive<usize> = 2..=4;

/// The values that replace the stated ones; `None` if those may stand.
pub(super) fn instead(
    question: &Question,
    stated: &[String],
    rows: &[String],
    evidence: &[Evidence],
) -> Option<Vec<String>> {
    let asked = Asked::of(question);
    if asked.confirms {
        return None;
    }
    of_the_said(&asked, stated, evidence)
        .or_else(|| of_the_cells(stated, rows, evidence))
        .or_else(|| of_the_named_field(&asked, rows, evidence))
}

/// A question's words, normalised.
struct Asked {
    text: String,
    words: Vec<String>,
    language: Language,
    /// Whether it asks for yes or no.
    confirms: bool,
    /// Whether it orders, counts or adds up.
    calculates: bool,
    /// Whether it compares or offers a choice.
    chooses: bool,
}

impl Asked {
    fn of(question: &Question) -> Self {
        let (language, wanted) = (Language::of(question.text()), wanted(question.text()));
        let words: Vec<String> = normalise(question.text()).split(' ').map(str::to_owned).collect();
        Self {
            text: format!(" {} ", words.join(" ")),
            confirms: wanted.confirms,
            calculates: wanted.operation.is_some(),
            chooses: wanted.compares || words.iter().any(|word| language.offers_a_choice(word)),
            words,
            language,
        }
    }

    fn says(&self, text: &str) -> bool {
        self.text.contains(&format!(" {} ", normalise(text)))
    }
}

/// The operands of a count: those that the model points at, or as many as the model says, if these
/// are the list of the thing that the question names, or the rows of the table that it points into.
pub(super) fn counted_as_said(
    question: &Question,
    stated: &[String],
    rows: &[String],
    pointed: Vec<Operand>,
    evidence: &[Evidence],
) -> Vec<Operand> {
    let said = match stated {
        [only] => only.trim().parse::<usize>().ok(),
        _ => None,
    };
    let keys: HashSet<&String> = pointed.iter().map(|operand| &operand.key).collect();
    let Some(said) = said.filter(|said| *said > 1 && *said != keys.len()) else { return pointed };
    let asked = Asked::of(question);
    let record_at = |at: usize| evidence.get(at).and_then(record_of);
    let [row] = rows else { return pointed };
    let positions = row_positions(row);
    let ([at], Some(column)) = (positions.as_slice(), column(row)) else { return pointed };
    let Some(record) = record_at(*at).filter(|record| !own_name(record).is_some_and(|name| asked.says(name)))
    else {
        return pointed;
    };
    let numbered = || evidence.iter().enumerate().filter_map(|(at, piece)| Some((at, record_of(piece)?)));
    let is_the_list = |record: &RecordContent| {
        own_name(record).is_some_and(|name| asked.says(name))
            && record.fields.iter().any(|field| field.name == column && field.values.len() == said)
    };
    if let Some((at, _)) = numbered().find(|(_, record)| is_the_list(record)) {
        return operands(&[format!("E{at}.{column}")], evidence);
    }
    let table: Vec<(usize, &RecordContent)> =
        numbered().filter(|(_, other)| other.heading() == record.heading()).collect();
    if table.len() != said {
        return pointed;
    }
    let operand = |(at, record): (usize, &RecordContent)| {
        let name = own_name(record).unwrap_or_default().to_owned();
        let id = evidence.get(at).map(|piece| piece.id.clone()).unwrap_or_default();
        let value = value_of(&name);
        Operand { key: id.clone(), label: name.clone(), value, text: name, evidence: vec![id] }
    };
    table.into_iter().map(operand).collect()
}

fn record_of(piece: &Evidence) -> Option<&RecordContent> {
    match &piece.content {
        EvidenceContent::Record(record) => Some(record),
        _ => None,
    }
}

/// A record's name, by a field called so.
fn own_name(record: &RecordContent) -> Option<&str> {
    let named = record.fields.iter().find(|field| is_naming_field(&field.name) && !field.value.is_empty());
    named.map(|field| field.value.as_str())
}

/// The names of the records with a value that the question itself says, if that value alone is the
/// answer: "which countries use the Danish krone?" asks for them and not for the krone. A question
/// that offers names to choose from says its answer.
fn of_the_said(asked: &Asked, stated: &[String], evidence: &[Evidence]) -> Option<Vec<String>> {
    let [only] = stated else { return None };
    let value = normalise(only);
    if value.is_empty() || !asked.says(only) || asked.chooses {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for record in evidence.iter().filter_map(record_of) {
        let holds = |field: &&RecordField| field.each().any(|one| normalise(one) == value);
        let Some(field) = record.fields.iter().find(holds) else { continue };
        let name = own_name(record)?;
        // A record that the question names, and a thing's own name, are no others that hold it.
        if is_naming_field(&field.name) || asked.says(name) {
            return None;
        }
        if names.iter().all(|known| known != name) {
            names.push(name.to_owned());
        }
    }
    (!names.is_empty()).then_some(names)
}

/// The value of the field whose name the question says in several words, in the row that the model
/// points at, if the question does not say the field that it points at: "when did the sun rise"
/// asks for the `sunrise`. The row's name is left alone: it may be asked for.
fn of_the_named_field(asked: &Asked, rows: &[String], evidence: &[Evidence]) -> Option<Vec<String>> {
    let [row] = rows else { return None };
    let (column, at) = (column(row)?, row_positions(row));
    let [at] = at.as_slice() else { return None };
    let record = record_of(evidence.get(*at)?)?;
    let pointed = record.cell(Some(column))?;
    let plain = |name: &str| normalise(&name.replace('_', " "));
    let is_said_in_part = |name: &str| {
        plain(name).split(' ').any(|of| asked.words.iter().any(|word| asked.language.is_form(word, of)))
    };
    let is_said = |field: &&RecordField| {
        let name = plain(&field.name).replace(' ', "");
        NAME_WORDS.into_iter().any(|length| asked.words.windows(length).any(|window| window.concat() == name))
    };
    if asked.calculates || is_naming_field(&pointed.name) || is_said_in_part(&pointed.name) {
        return None;
    }
    let mut named = record.fields.iter().filter(is_said);
    let (Some(field), None) = (named.next(), named.next()) else { return None };
    let is_given = field.each().any(|value| asked.says(value));
    (!is_given).then(|| field.each().map(str::to_owned).collect())
}

/// The texts in the cells that the model points at, if it states as many values and one of them
/// stands nowhere in the evidence.
fn of_the_cells(stated: &[String], rows: &[String], evidence: &[Evidence]) -> Option<Vec<String>> {
    let is_text = |value: &str| matches!(value_of(value), LiteralValue::Text(_));
    let are_cells = !rows.is_empty() && rows.iter().all(|row| column(row).is_some());
    let are_records = rows
        .iter()
        .flat_map(|row| row_positions(row))
        .all(|at| evidence.get(at).is_some_and(|piece| record_of(piece).is_some()));
    if !are_cells || !are_records || stated.iter().all(|value| stands_in(value, evidence)) {
        return None;
    }
    let values = row_values(rows, evidence);
    let are_texts = values.iter().chain(stated).all(|value| is_text(value));
    (are_texts && values.len() == stated.len()).then_some(values)
}

/// Whether a value stands somewhere in the evidence.
fn stands_in(value: &str, evidence: &[Evidence]) -> bool {
    let plain = normalise(value);
    evidence.iter().any(|piece| {
        let is_said = format!(" {} ", normalise(&piece.to_line())).contains(&format!(" {plain} "));
        is_said || piece.values().iter().any(|stated| same_value(value, stated))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::question;
    use quipu_language::{Operation, calculate};

    fn country(table: &str, fields: &[(&str, &[&str])]) -> Evidence {
        let field = |(name, values): &(&str, &[&str])| {
            RecordField::new(name, &values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>())
        };
        let fields = fields.iter().map(field).collect();
        Evidence::record("geo", RecordContent { table: table.into(), fields, path: "$".into() })
    }

    fn countries() -> [Evidence; 3] {
        let neighbours = &["Chile", "Peru", "Brazil"][..];
        [
            country(
                "country of Bolivia",
                &[("currency", &["Boliviano"]), ("name", &["Bolivia"]), ("neighbours", neighbours)],
            ),
            country(
                "neighbours of Chile",
                &[("currency", &["Peso"]), ("name", &["Chile"]), ("neighbours", &["Bolivia", "Peru"])],
            ),
            country(
                "neighbours of Peru",
                &[("currency", &["Sol"]), ("name", &["Peru"]), ("neighbours", &["Bolivia"])],
            ),
        ]
    }

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    /// The values that replace a stated one, for a model that points at a cell.
    fn check(evidence: &[Evidence], row: &str, asked: &str, stated: &str, expected: Option<&[&str]>) {
        let found = instead(&question(asked), &texts(&[stated]), &texts(&[row]), evidence);
        assert_eq!(found, expected.map(texts), "{asked}");
    }

    #[test]
    fn a_name_of_the_question_is_no_answer_to_it() {
        let all = countries();
        let check = |asked, stated, expected| check(&all, "E0.currency", asked, stated, expected);
        check("which countries use the boliviano?", "Boliviano", Some(&["Bolivia"]));
        check("which country has more people, Chile or Peru?", "Chile", None);
        check("does it use the boliviano or the peso?", "Boliviano", None);
        check("what is the capital of Chile?", "Chile", None);
        check("which currency does Bolivia use?", "Boliviano", None);
    }

    #[test]
    fn a_text_that_no_table_holds_gives_way_to_the_cell() {
        let all = countries();
        let check = |row, asked, stated, expected| check(&all, row, asked, stated, expected);
        check("E0.currency", "which currency does it use?", "BOB", Some(&["Boliviano"]));
        check("E0.currency", "is its currency the boliviano?", "yes", None);
        check("E0.currency", "how many has it?", "17", None);
        check("E0.currency", "which currency does it use?", "Boliviano", None);
    }

    #[test]
    fn the_field_that_the_question_names_is_read() {
        let day = [country(
            "daylight of Oslo",
            &[("hours", &["18.8"]), ("sunrise", &["01:53"]), ("sunset", &["20:44"]), ("place", &["Oslo"])],
        )];
        let check = |asked, expected| check(&day, "E0.hours", asked, "18.8", expected);
        check("when did the sun rise in Oslo?", Some(&["01:53"]));
        check("how many hours of daylight had Oslo?", None);
        check("how long was the day in that place, Oslo?", None);
        check("were sun rise and sun set late in Oslo?", None);
    }

    #[test]
    fn a_count_is_of_the_named_things_list_or_of_the_whole_table() {
        let count = |asked: &str, row: &str, stated: &str| {
            let (rows, evidence) = (texts(&[row]), countries());
            let pointed = operands(&rows, &evidence);
            let found = counted_as_said(&question(asked), &texts(&[stated]), &rows, pointed, &evidence);
            calculate(Operation::Count, &found).unwrap().result
        };
        assert_eq!(count("how many neighbours has Bolivia?", "E1.neighbours", "3"), "3", "Bolivia's list");
        assert_eq!(count("how many neighbours has Chile?", "E1.neighbours", "3"), "2", "its own list");
        assert_eq!(count("how many neighbours has it?", "E2.name", "2"), "2", "the rows of the table");
        assert_eq!(count("how many neighbours has Bolivia?", "E1.neighbours", "9"), "2", "nothing has nine");
    }
}
