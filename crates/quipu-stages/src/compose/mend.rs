//! What code mends in a composed answer: small models read a table rightly and then copy the wrong
//! cell, point at one row of seven, or give back a name of the question.

use std::collections::HashSet;

use quipu_graph::LiteralValue;
use quipu_language::{
    Language, Operand, is_code_word, is_naming_field, normalise, same_value, value_of, wanted,
};

use super::operands::{column, kind_of, operands, row_positions, row_values};
use crate::answer::{Evidence, EvidenceContent, Question, RecordContent, RecordField};

/// Fewest and most words of a question that together are a field's name.
const NAME_WORDS: std::ops::RangeInclusive<usize> = 2..=4;

/// The values that replace the stated ones; `None` if those may stand.
pub(super) fn instead(
    question: &Question,
    stated: &[String],
    reasoning: &str,
    rows: &[String],
    evidence: &[Evidence],
) -> Option<Vec<String>> {
    let asked = Asked::of(question);
    if asked.confirms {
        return None;
    }
    of_the_said(&asked, stated, evidence)
        .or_else(|| of_the_reasoned(&asked, stated, reasoning, rows, evidence))
        .or_else(|| of_the_cells(&asked, stated, rows, evidence))
        .or_else(|| of_the_named_field(&asked, rows, evidence))
}

/// A question's words, normalised.
pub(super) struct Asked {
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
    pub(super) fn of(question: &Question) -> Self {
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

    pub(super) fn says(&self, text: &str) -> bool {
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
    // A row without that column was pointed at by mistake.
    let is_mistaken = record.fields.iter().all(|field| field.name != column);
    let is_the_list = |record: &RecordContent| {
        let is_it = |field: &RecordField| {
            field.name == column && (field.values.len() == said || is_mistaken && field.values.len() > 1)
        };
        own_name(record).is_some_and(|name| asked.says(name)) && record.fields.iter().any(is_it)
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

pub(super) fn record_of(piece: &Evidence) -> Option<&RecordContent> {
    match &piece.content {
        EvidenceContent::Record(record) => Some(record),
        _ => None,
    }
}

/// A record's name, by a field called so.
pub(super) fn own_name(record: &RecordContent) -> Option<&str> {
    let named = record.fields.iter().find(|field| is_naming_field(&field.name) && !field.value.is_empty());
    named.map(|field| field.value.as_str())
}

/// The names of the records with a value that the question itself says, if that value alone is the
/// answer: "which countries use the Danish krone?" asks for them and not for the krone, nor for its
/// code. A question that offers names to choose from says its answer.
fn of_the_said(asked: &Asked, stated: &[String], evidence: &[Evidence]) -> Option<Vec<String>> {
    let [only] = stated else { return None };
    let records = || evidence.iter().filter_map(record_of);
    // The code of a thing that the question names: DKK of the krone.
    let has_code = |record: &&RecordContent| {
        let is_code = |field: &&RecordField| {
            quipu_language::words_of(&field.name).iter().any(|word| is_code_word(word))
        };
        record.fields.iter().filter(is_code).any(|field| field.value == *only)
    };
    let named =
        || records().filter(has_code).filter_map(own_name).find(|name| asked.says(name)).map(normalise);
    let value = if asked.says(only) { Some(normalise(only)) } else { named() };
    let value = value.filter(|value| !value.is_empty() && !asked.chooses)?;
    let (mut names, mut kinds): (Vec<String>, HashSet<String>) = Default::default();
    let mut own_kinds = HashSet::new();
    for record in records() {
        let holds = |field: &&RecordField| field.each().any(|one| normalise(one) == value);
        let Some(field) = record.fields.iter().find(holds) else { continue };
        if is_naming_field(&field.name) {
            own_kinds.extend(kind_of(record));
            continue;
        }
        // A record that the question names is no other that holds it.
        let name = own_name(record)?;
        if asked.says(name) {
            return None;
        }
        kinds.extend(kind_of(record));
        if names.iter().all(|known| known != name) {
            names.push(name.to_owned());
        }
    }
    let is_said = |kind: &String| asked.words.iter().any(|word| asked.language.is_noun(word, kind));
    // Where the thing itself is among the records, the question says whether the others are meant.
    let are_meant = kinds.iter().any(is_said) && !own_kinds.iter().any(is_said);
    let itself = !own_kinds.is_empty() || !asked.says(only);
    (!names.is_empty() && (!itself || are_meant)).then_some(names)
}

/// The cell of the row that the reasoning names, if the model points at another row of the table,
/// which neither the reasoning nor the question names: "the capital is Hanoi (E1)", where E1 is
/// another city.
fn of_the_reasoned(
    asked: &Asked,
    stated: &[String],
    reasoning: &str,
    rows: &[String],
    evidence: &[Evidence],
) -> Option<Vec<String>> {
    let [row] = rows else { return None };
    let (column, at) = (column(row)?, row_positions(row));
    let [at] = at.as_slice() else { return None };
    let pointed = record_of(evidence.get(*at)?)?;
    // The zone Asia/Hue does not name the city.
    let without = stated.iter().fold(reasoning.to_owned(), |text, value| text.replace(value.as_str(), ""));
    let reasoning = format!(" {} ", normalise(&without));
    let says = |name: &str| reasoning.contains(&format!(" {} ", normalise(name))) || asked.says(name);
    let has = |record: &RecordContent| record.fields.iter().any(|field| field.name == column);
    if !has(pointed) || own_name(pointed).is_none_or(says) {
        return None;
    }
    let others = evidence.iter().filter_map(record_of).filter(|record| {
        record.heading() == pointed.heading() && has(record) && own_name(record).is_some_and(says)
    });
    let others: Vec<_> = others.collect();
    let [other] = others.as_slice() else { return None };
    Some(other.cell(Some(column))?.each().map(str::to_owned).collect())
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
fn of_the_cells(
    asked: &Asked,
    stated: &[String],
    rows: &[String],
    evidence: &[Evidence],
) -> Option<Vec<String>> {
    let is_text = |value: &str| matches!(value_of(value), LiteralValue::Text(_));
    let are_cells = !rows.is_empty() && rows.iter().all(|row| column(row).is_some());
    let are_records = rows
        .iter()
        .flat_map(|row| row_positions(row))
        .all(|at| evidence.get(at).is_some_and(|piece| record_of(piece).is_some()));
    if !are_cells || !are_records || stated.iter().all(|value| stands_in(value, evidence)) {
        return None;
    }
    let mut values = row_values(rows, evidence);
    // The countries that border a country are asked for without that country.
    if values.len() > stated.len() {
        let is_named = |at: usize| {
            let record = evidence.get(at).and_then(record_of);
            record.and_then(own_name).is_some_and(|name| asked.says(name))
        };
        let others = rows.iter().filter(|row| !row_positions(row).into_iter().any(is_named));
        values = row_values(&others.cloned().collect::<Vec<_>>(), evidence);
    }
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
                &[
                    ("currency", &["Boliviano"]),
                    ("name", &["Bolivia"]),
                    ("neighbours", neighbours),
                    ("rivals", &["Chile", "Peru"]),
                ],
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
        let found = instead(&question(asked), &texts(&[stated]), "", &texts(&[row]), evidence);
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
    fn others_that_hold_the_said_are_meant_where_the_question_says_their_kind() {
        let all = [
            country("countries of Peru", &[("languages", &["Spanish", "Quechua"]), ("name", &["Peru"])]),
            country("countries: languages of Peru", &[("code", &["qu"]), ("name", &["Quechua"])]),
            country("countries: languages of Peru", &[("code", &["es"]), ("name", &["Spanish"])]),
        ];
        let check = |asked, stated, expected| check(&all, "E1.name", asked, stated, expected);
        check("in which countries is Quechua spoken?", "Quechua", Some(&["Peru"]));
        check("in which countries is Quechua spoken?", "qu", Some(&["Peru"]));
        check("what is the code of Quechua?", "qu", None);
        check("which languages are like Quechua?", "Quechua", None);
        check("in which countries is a language spoken?", "Quechua", None);
    }

    #[test]
    fn the_row_that_the_reasoning_names_is_read() {
        let city =
            |name: &str, zone: &str| country("cities of Vietnam", &[("name", &[name]), ("zone", &[zone])]);
        let all = [city("Hue", "Asia/Hue"), city("Hanoi", "Asia/Hanoi"), city("Vinh", "Asia/Vinh")];
        let check = |reasoning: &str, asked: &str, expected: Option<&[&str]>| {
            let stated = texts(&["Asia/Hue"]);
            let found = instead(&question(asked), &stated, reasoning, &texts(&["E0.zone"]), &all);
            assert_eq!(found, expected.map(texts), "{reasoning}");
        };
        let asked = "in which zone is the capital of Vietnam?";
        check("The capital is Hanoi (E0), so the zone is Asia/Hue.", asked, Some(&["Asia/Hanoi"]));
        check("The capital is Hue (E0).", asked, None);
        check("Hanoi and Vinh are cities.", asked, None);
        check("Hanoi is a city.", "in which zone is Hue?", None);
    }

    #[test]
    fn the_named_things_own_cell_is_not_among_the_others() {
        let all = countries();
        let (asked, rows) = (
            question("which currencies have those that border Bolivia?"),
            texts(&["E0.currency", "E1.currency", "E2.currency"]),
        );
        let found = |stated: &[&str]| instead(&asked, &texts(stated), "", &rows, &all);
        assert_eq!(found(&["Peso", "PEN"]), Some(texts(&["Peso", "Sol"])));
        assert_eq!(found(&["Peso", "Sol"]), None);
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
        assert_eq!(
            count("how many rivals has Bolivia?", "E2.rivals", "9"),
            "2",
            "a column that the row lacks"
        );
        assert_eq!(count("how many neighbours has Bolivia?", "E1.neighbours", "9"), "2", "nothing has nine");
    }
}
