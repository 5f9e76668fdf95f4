//! From the rows that a model points at to the calculation: the operands, and the operation that
//! the question's words ask for.

use quipu_graph::LiteralValue;
use quipu_language::{Language, Operand, Operation, value_of, wanted, words};

use crate::answer::{Evidence, EvidenceContent, Question, RecordContent, RecordField, shown_values};
use crate::plan::plain_words;

/// Most values that the model may list; longer lists are left to code.
pub(super) const MOST_ANSWERS: usize = 60;

/// Whether the question's words allow an operation that the model states: "Which is longer, A or
/// B?" asks for no sum.
pub(super) fn may_mean(question: &Question, stated: Operation) -> bool {
    let wanted = wanted(question.text());
    let chooses = wanted.compares && wanted.operation.is_some_and(Operation::chooses);
    !chooses || !matches!(stated, Operation::Sum | Operation::Average | Operation::Count)
}

/// The operation that the question asks for, with its operands, if the model states none: "Which is
/// larger, A or B?" compares one value of each, "the longest" takes the whole column, "how many"
/// counts a list.
pub(super) fn asked(
    question: &Question,
    rows: &[String],
    pointed: &[Operand],
    evidence: &[Evidence],
) -> Option<(Operation, Vec<Operand>)> {
    let wanted = wanted(question.text());
    let operation = wanted.operation?;
    let operands = match operation {
        Operation::Highest | Operation::Lowest if wanted.compares => {
            sizes_of_lists(rows, evidence).unwrap_or_else(|| pointed.to_vec())
        }
        // The latest price is the price on the latest day, not the greatest price in the column.
        Operation::Highest | Operation::Lowest if is_of_time(question.text()) => return None,
        Operation::Highest | Operation::Lowest => {
            column_of_the_asked(question, rows, evidence).or_else(|| whole_column(rows, evidence))?
        }
        Operation::Count => counted(question, rows, pointed, evidence)?,
        _ => return None,
    };
    (operands.len() > 1).then_some((operation, operands))
}

/// The operands that "how many" counts: the entities that the model points at, the values of a list
/// in one cell, or the items of a text in the requested column. A stated number is not counted.
fn counted(
    question: &Question,
    rows: &[String],
    pointed: &[Operand],
    evidence: &[Evidence],
) -> Option<Vec<Operand>> {
    let asked_for = |name: &str| {
        let said = plain_words(question.text());
        plain_words(&name.replace('_', " ")).iter().any(|word| said.contains(word))
    };
    if let ([row], [only]) = (rows, pointed)
        && is_text(&only.value)
        && column(row).is_some_and(asked_for)
    {
        let items = only.text.split([',', ';', '\n']).map(str::trim).filter(|item| !item.is_empty());
        let item =
            |text: &str| Operand { key: text.into(), label: text.into(), text: text.into(), ..only.clone() };
        return Some(items.map(item).collect());
    }
    let one_list = matches!(rows, [row] if row_positions(row).iter().any(|at| {
        evidence.get(*at).and_then(|piece| field_of(piece, column(row))).is_some_and(|field| field.values.len() > 1)
    }));
    (one_list || pointed.iter().all(|operand| is_text(&operand.value))).then(|| pointed.to_vec())
}

/// How many values the cells that the model points at hold, if one of them is a list and none is a
/// number: "who has more members, A or B?"
fn sizes_of_lists(rows: &[String], evidence: &[Evidence]) -> Option<Vec<Operand>> {
    let cells = record_cells(rows, evidence);
    let is_list = |field: &&RecordField| field.values.len() > 1;
    let fields = || cells.iter().map(|(_, _, field)| *field);
    let texts = fields().flat_map(RecordField::each).all(|value| is_text(&value_of(value)));
    if !texts || !fields().any(|field| is_list(&field)) {
        return None;
    }
    let one_table = in_one_table(&cells);
    let size = |(piece, record, field): &Cell<'_>| {
        let (label, size) = (record.named_beside(&field.name, one_table), field.values.len().to_string());
        Operand {
            key: label.to_owned(),
            label: label.to_owned(),
            value: value_of(&size),
            text: size,
            evidence: vec![piece.id.clone()],
        }
    };
    Some(cells.iter().map(size).collect())
}

/// Whether a question asks for the first or last in time.
fn is_of_time(question: &str) -> bool {
    let language = Language::of(question);
    words(question).iter().any(|word| language.orders_times(&word.text))
}

fn is_text(value: &LiteralValue) -> bool {
    matches!(value, LiteralValue::Text(_))
}

/// The operands of the column that the model points at, in the tables of the things that the
/// question asks for: "the largest city" is one of the cities, and not of their countries. `None`
/// if the tables of one kind are all that have the column, or if the question says several kinds or
/// none.
fn column_of_the_asked(question: &Question, rows: &[String], evidence: &[Evidence]) -> Option<Vec<Operand>> {
    let name = rows.first().and_then(|row| column(row))?;
    let (language, said) = (Language::of(question.text()), words(question.text()));
    let mut kinds: Vec<(String, Vec<String>)> = Vec::new();
    for (at, piece) in evidence.iter().enumerate() {
        let EvidenceContent::Record(record) = &piece.content else { continue };
        let has = record.fields.iter().any(|field| field.name.eq_ignore_ascii_case(name));
        let (true, Some(kind)) = (has, kind_of(record)) else { continue };
        let cell = format!("E{at}.{name}");
        match kinds.iter_mut().find(|(known, _)| language.is_noun(known, &kind)) {
            Some((_, cells)) => cells.push(cell),
            None => kinds.push((kind, vec![cell])),
        }
    }
    let several = kinds.len() > 1;
    let is_said = |kind: &str| said.iter().any(|word| language.is_noun(&word.text, kind));
    let mut asked = kinds.into_iter().filter(|(kind, _)| is_said(kind));
    let (Some((_, cells)), None, true) = (asked.next(), asked.next(), several) else { return None };
    let operands = record_operands(&cells, evidence);
    operands.iter().all(|operand| !is_text(&operand.value)).then_some(operands)
}

/// The word for the things in a record's table: "cities" of "cities of Morocco", "neighbours" of
/// "countries: neighbours of Peru".
pub(super) fn kind_of(record: &RecordContent) -> Option<String> {
    let table = record.table.rsplit_once(": ").map_or(record.table.as_str(), |(_, linked)| linked);
    words(table).into_iter().next().map(|word| word.text)
}

/// The operands of a whole column of records, if every row that the model points at is a cell of it
/// and the column holds no text.
fn whole_column(rows: &[String], evidence: &[Evidence]) -> Option<Vec<Operand>> {
    let record_of = |row: &String| match row_positions(row).as_slice() {
        [at] => match &evidence.get(*at)?.content {
            EvidenceContent::Record(record) => Some(record),
            _ => None,
        },
        _ => None,
    };
    let (first, name) = (record_of(rows.first()?)?, column(rows.first()?)?);
    let same =
        |record: &RecordContent| record.heading() == first.heading() && record.cell(Some(name)).is_some();
    if !rows.iter().all(|row| column(row) == Some(name) && record_of(row).is_some_and(same)) {
        return None;
    }
    let of_column = |(at, piece): (usize, &Evidence)| match &piece.content {
        EvidenceContent::Record(record) if same(record) => Some(format!("E{at}.{name}")),
        _ => None,
    };
    let whole: Vec<String> = evidence.iter().enumerate().filter_map(of_column).collect();
    let operands = record_operands(&whole, evidence);
    operands.iter().all(|operand| !is_text(&operand.value)).then_some(operands)
}

/// The column of `E3.price`.
pub(super) fn column(row: &str) -> Option<&str> {
    row.split_once('.').map(|(_, column)| column.trim())
}

/// The field of a record that a row id refers to; `None` for other evidence.
fn field_of<'a>(piece: &'a Evidence, column: Option<&str>) -> Option<&'a RecordField> {
    match &piece.content {
        EvidenceContent::Record(record) => record.cell(column),
        _ => None,
    }
}

/// A cell with its record.
type Cell<'a> = (&'a Evidence, &'a RecordContent, &'a RecordField);

/// The cells that ids refer to.
fn record_cells<'a>(rows: &[String], evidence: &'a [Evidence]) -> Vec<Cell<'a>> {
    let mut cells: Vec<Cell<'a>> = Vec::new();
    for row in rows {
        for piece in row_positions(row).into_iter().filter_map(|at| evidence.get(at)) {
            if let (Some(field), EvidenceContent::Record(record)) =
                (field_of(piece, column(row)), &piece.content)
            {
                cells.push((piece, record, field));
            }
        }
    }
    cells
}

fn in_one_table(cells: &[Cell<'_>]) -> bool {
    cells.windows(2).all(|two| matches!(two, [a, b] if a.1.table == b.1.table))
}

/// The operands from records: the cell that the id refers to, labelled by the record's name.
fn record_operands(rows: &[String], evidence: &[Evidence]) -> Vec<Operand> {
    let cells = record_cells(rows, evidence);
    let one_table = in_one_table(&cells);
    let operand = |(piece, record, field): &Cell<'_>, value: &str| {
        // Each value of a list is labelled by itself.
        let is_list = field.values.len() > 1;
        let label = if is_list { value } else { record.named_beside(&field.name, one_table) };
        // Two rows are two things, also where both are called after one band.
        let named = |(_, other, of): &&Cell<'_>| other.named_beside(&of.name, one_table) == label;
        let is_shared = !is_list && one_table && cells.iter().filter(named).count() > 1;
        Operand {
            key: if is_shared { piece.id.clone() } else { label.to_owned() },
            // The dearest of one band's tickets is a price, not the band.
            label: if is_shared { value.to_owned() } else { label.to_owned() },
            value: value_of(value),
            text: value.to_owned(),
            evidence: vec![piece.id.clone()],
        }
    };
    cells.iter().flat_map(|cell| cell.2.each().map(|value| operand(cell, value))).collect()
}

/// The operands from the rows that the model points at. If several rows share the head (a list),
/// each value is labelled by itself; else by its head.
pub(super) fn operands(rows: &[String], evidence: &[Evidence]) -> Vec<Operand> {
    let records = record_operands(rows, evidence);
    if !records.is_empty() {
        return records;
    }
    let positions = rows.iter().flat_map(|row| row_positions(row));
    let pointed: Vec<&Evidence> = positions.filter_map(|at| evidence.get(at)).collect();
    let triples: Vec<([&str; 2], [&str; 2], &Evidence)> = pointed
        .iter()
        .filter_map(|piece| match &piece.content {
            EvidenceContent::Triple { head, tail, keys, .. } => {
                let named = [head.as_str(), tail.as_str()];
                let keys = keys.as_deref().map_or(named, |[head, _, tail]| [head, tail]);
                Some((named, keys, *piece))
            }
            EvidenceContent::Passage { .. }
            | EvidenceContent::Record(_)
            | EvidenceContent::Calculation { .. } => None,
        })
        .collect();
    let first_head = triples.first().map(|(_, [head, _], _)| *head);
    let one_head = triples.len() > 1 && triples.iter().all(|(_, [head, _], _)| Some(*head) == first_head);
    let owner = |[head, tail]: [&str; 2]| if one_head { tail } else { head }.to_owned();
    triples
        .into_iter()
        .map(|(named @ [_, tail], keys, piece)| Operand {
            key: owner(keys),
            label: owner(named),
            value: value_of(tail),
            text: tail.to_owned(),
            evidence: vec![piece.id.clone()],
        })
        .collect()
}

/// The values of the rows that the model points at, each once: small models often name the rows but
/// forget to copy the values.
pub(super) fn row_values(rows: &[String], evidence: &[Evidence]) -> Vec<String> {
    let shown = shown_values(evidence);
    let mut values: Vec<String> = Vec::new();
    for row in rows {
        for at in row_positions(row) {
            let named = evidence.get(at).and_then(|piece| field_of(piece, column(row)));
            let own: Vec<&str> = match named {
                Some(field) => field.each().collect(),
                None => shown.get(at).copied().into_iter().collect(),
            };
            for value in own.into_iter().filter(|value| !value.is_empty()) {
                if values.iter().all(|known| known != value) {
                    values.push(value.to_owned());
                }
            }
        }
    }
    values.truncate(MOST_ANSWERS);
    values
}

/// `E3` is 3; `E4-E7` and `E4-7` are 4 to 7; a column after a point is ignored.
pub fn row_positions(row: &str) -> Vec<usize> {
    let row = row.split_once('.').map_or(row, |(row, _)| row);
    let number = |text: &str| text.trim().trim_start_matches(['E', 'e']).parse::<usize>().ok();
    match row.split_once('-') {
        Some((from, to)) => match (number(from), number(to)) {
            (Some(from), Some(to)) if from <= to && to - from < 10_000 => (from..=to).collect(),
            _ => Vec::new(),
        },
        None => number(row).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quipu_language::calculate;

    #[test]
    fn rows_are_read_as_people_write_them() {
        assert_eq!(row_positions("E3"), [3]);
        assert_eq!(row_positions("E4-E6"), [4, 5, 6]);
        assert_eq!(row_positions("e4-6"), [4, 5, 6]);
        assert_eq!(row_positions("E3.Close"), [3]);
        assert_eq!(row_positions("row four"), [0usize; 0]);
        assert_eq!(row_positions("E9-E1"), [0usize; 0]);
        assert_eq!(row_positions("E0-E99999999999"), [0usize; 0]);
    }

    #[test]
    fn cells_of_records_are_operands_and_values() {
        let field = |name: &str, value: &str| RecordField::new(name, &[value.to_owned()]);
        let record = |date: &str, close: &str| {
            let fields = vec![field("date", date), field("Close", close), field("Volume", "7")];
            Evidence::record("api", RecordContent { table: "prices".into(), fields, path: "$".into() })
        };
        let evidence = [record("2024-02-27", "1.5"), record("2024-02-28", "2")];
        let rows = ["E0.Close".to_owned(), "E1.close".to_owned()];
        let found: Vec<(String, String)> =
            operands(&rows, &evidence).into_iter().map(|o| (o.label, o.text)).collect();
        assert_eq!(
            found,
            [("2024-02-27".to_owned(), "1.5".to_owned()), ("2024-02-28".to_owned(), "2".to_owned())]
        );
        // Each of several tables is about something else.
        let light = |place: &str, hours: &str| {
            let fields = vec![field("date", "2024-01-01"), field("hours", hours)];
            Evidence::record(
                "api",
                RecordContent { table: format!("daylight of {place}"), fields, path: "$".into() },
            )
        };
        let days = [light("Helsinki", "6.0"), light("Madrid", "9.3")];
        let labels: Vec<String> =
            operands(&["E0.hours".into(), "E1.hours".into()], &days).into_iter().map(|o| o.label).collect();
        assert_eq!(labels, ["Helsinki", "Madrid"]);
    }

    #[test]
    fn the_largest_city_is_one_of_the_cities() {
        let row = |table: &str, name: &str, population: &str| {
            let field = |name: &str, value: &str| RecordField::new(name, &[value.to_owned()]);
            let fields = vec![field("name", name), field("population", population)];
            Evidence::record("api", RecordContent { table: table.into(), fields, path: name.into() })
        };
        let evidence = [
            row("cities of Morocco", "Casablanca", "3144909"),
            row("cities of Morocco", "Rabat", "1655753"),
            row("cities: country of Casablanca", "Morocco", "36029138"),
        ];
        let asked = |text: &str, row: &str| {
            let question = crate::testing::question(text);
            let found = asked(&question, &[row.to_owned()], &[], &evidence);
            found.map(|(operation, operands)| calculate(operation, &operands).unwrap().answers)
        };
        let right = Some(vec!["Casablanca".to_owned()]);
        assert_eq!(asked("What is the largest city of Morocco?", "E2.population"), right);
        assert_eq!(asked("What is the largest city of Morocco?", "E1.population"), right);
        assert_eq!(asked("Which is the largest?", "E2.population"), None, "one row, and no kind is said");
    }

    #[test]
    fn rows_of_one_band_are_several_things_and_lists_have_a_size() {
        let field = |name: &str, values: &[&str]| {
            RecordField::new(name, &values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>())
        };
        let row = |table: &str, fields: Vec<RecordField>, path: &str| {
            Evidence::record("api", RecordContent { table: table.into(), fields, path: path.into() })
        };
        let show = |price: &str, path: &str| {
            row("shows", vec![field("artist", &["Paper Kites"]), field("price", &[price])], path)
        };
        let shows = [show("9.5", "$[0]"), show("32", "$[1]")];
        let found = operands(&["E0.price".into(), "E1.price".into()], &shows);
        assert_eq!(calculate(Operation::Highest, &found).unwrap().answers, ["32"]);
        assert_eq!(calculate(Operation::Count, &found).unwrap().result, "2");
        let band = |name: &str, members: &[&str]| {
            let fields = vec![field("members", members), field("name", &[name])];
            row(&format!("artist of {name}"), fields, name)
        };
        let bands = [band("Paper Kites", &["Ada", "Bo"]), band("Copperfox", &["Cy", "Di", "Ed"])];
        let sizes = sizes_of_lists(&["E0.members".into(), "E1.members".into()], &bands).unwrap();
        assert_eq!(calculate(Operation::Highest, &sizes).unwrap().answers, ["Copperfox"]);
    }

    #[test]
    fn operands_are_values_of_a_list_or_heads_with_a_value_each() {
        let triple = |h, r, t| Evidence::triple("g", [h, r, t], [h, r, t]);
        let evidence = [
            triple("Ada", "wrote", "Salt Roads"),
            triple("Ada", "wrote", "The Ninth Wave"),
            triple("Peru", "population", "32"),
            triple("Chile", "population", "19"),
        ];
        let labels = |rows: &[&str]| -> Vec<String> {
            let rows: Vec<String> = rows.iter().map(|r| (*r).to_owned()).collect();
            operands(&rows, &evidence).into_iter().map(|o| o.label).collect()
        };
        assert_eq!(labels(&["E0-E1"]), ["Salt Roads", "The Ninth Wave"]);
        assert_eq!(labels(&["E2", "E3"]), ["Peru", "Chile"]);
        assert_eq!(labels(&["E77"]), [""; 0]);
    }

    #[test]
    fn rows_stand_in_for_values_that_were_not_copied() {
        let triple = |h, r, t| Evidence::triple("g", [h, r, t], [h, r, t]);
        let evidence = [
            triple("Salt Roads", "author", "Ada"),
            triple("The Ninth Wave", "author", "Ada"),
            triple("Ada", "born in", "Lindau"),
            Evidence::passage("g", "Ada", "A novelist."),
        ];
        let rows = ["E0-E1".to_owned(), "E1".to_owned(), "E3".to_owned(), "E9".to_owned()];
        assert_eq!(row_values(&rows, &evidence), ["Salt Roads", "The Ninth Wave"]);
        assert_eq!(row_values(&["E2".to_owned()], &evidence), ["Lindau"]);
    }

    #[test]
    fn cells_of_records_stand_in_for_values() {
        let field = |name: &str, value: &str| RecordField::new(name, &[value.to_owned()]);
        let record = |date: &str, close: &str| {
            let fields = vec![field("date", date), field("Close", close), field("Volume", "7")];
            Evidence::record("api", RecordContent { table: "prices".into(), fields, path: "$".into() })
        };
        let evidence = [record("2024-02-27", "1.5"), record("2024-02-28", "2")];
        assert_eq!(row_values(&["E0.Close".to_owned(), "E1.close".to_owned()], &evidence), ["1.5", "2"]);
        assert_eq!(row_values(&["E1.date".to_owned()], &evidence), ["2024-02-28"]);
    }
}
