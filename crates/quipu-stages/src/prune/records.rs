//! Trims records to the relevant part: fields by relevance, rows by time and by words
//! (self-verification paper §4.1.3: anything else that an API sends misleads the model).

use std::collections::HashMap;

use quipu_graph::Record;
use quipu_index::inner_product;
use quipu_language::{TimeFrame, is_dating_field, tells_records};

use crate::answer::{AnswerError, Stage};
use crate::ledger::Context;
use crate::plan::{plain_words, shared_words};

/// Most fields of a table.
const MOST_FIELDS: usize = 8;
/// Most rows of a table.
const MOST_ROWS: usize = 30;
/// Rows kept of a dated table if the question names no time: this many latest and this many
/// earliest ones.
const LATEST: usize = 14;
const EARLIEST: usize = 4;
/// With fewer dated rows a list is no history, and the question's time does not filter it.
const LEAST_HISTORY: usize = 3;
/// What a field that tells rows apart is worth, beside its likeness to the question. A manifest
/// adds the words of such fields of its API (`row_words`).
const TELLS_ROWS: f32 = 0.35;

/// The relevant records of one call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trimmed {
    /// The records in the order of the response, table by table.
    pub records: Vec<Record>,
    /// The number left out.
    pub dropped: usize,
}

/// Trims the records of one call.
///
/// # Errors
/// The embedder's.
pub async fn trim_records(
    context: &Context<'_>,
    question: &str,
    frames: &[TimeFrame],
    records: &[Record],
) -> Result<Trimmed, AnswerError> {
    let mut tables: Vec<(&str, Vec<&Record>)> = Vec::new();
    for record in records {
        match tables.iter_mut().find(|(name, _)| *name == record.table) {
            Some((_, rows)) => rows.push(record),
            None => tables.push((&record.table, vec![record])),
        }
    }
    let mut trimmed = Trimmed::default();
    for (_, rows) in tables {
        let kept = keep_rows(question, frames, &rows);
        trimmed.dropped += rows.len() - kept.len();
        let fields = keep_fields(context, question, &kept).await?;
        for row in kept {
            let mut row = row.clone();
            row.fields.retain(|field| fields.get(field.name.as_str()).copied().unwrap_or(true));
            if !row.fields.is_empty() {
                trimmed.records.push(row);
            }
        }
    }
    Ok(trimmed)
}

/// The day, month or year of a row.
fn date_of(record: &Record) -> Option<&str> {
    let dated = |field: &&quipu_graph::Field| {
        let name = field.name.to_lowercase();
        let value = field.values.first().map_or("", String::as_str);
        let digits = |range: std::ops::Range<usize>| {
            value.get(range).is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let day = digits(0..4) && value.get(4..5) == Some("-") && digits(5..7);
        day || (is_dating_field(&name) && value.len() == 4 && digits(0..4))
    };
    record.fields.iter().find(dated).and_then(|field| field.values.first()).map(String::as_str)
}

fn keep_rows<'a>(question: &str, frames: &[TimeFrame], rows: &[&'a Record]) -> Vec<&'a Record> {
    let dated = rows.iter().filter(|row| date_of(row).is_some()).count();
    let history = dated >= LEAST_HISTORY && dated * 2 > rows.len();
    let mut kept: Vec<&Record> = rows.to_vec();
    if history && !frames.is_empty() {
        kept.retain(|row| date_of(row).is_some_and(|date| frames.iter().any(|frame| frame.holds(date))));
    }
    if kept.len() <= MOST_ROWS {
        return kept;
    }
    let lines: Vec<String> = kept.iter().map(|row| row.to_line()).collect();
    let shares = shared_words(question, &lines);
    // Words that every row contains choose none.
    let least = shares.iter().copied().fold(f32::MAX, f32::min);
    let said = shares.iter().filter(|share| **share > least + f32::EPSILON).count();
    if said > 0 && said < kept.len() {
        let mut order: Vec<usize> = (0..kept.len()).collect();
        let share = |at: &usize| shares.get(*at).copied().unwrap_or(0.0);
        order.sort_by(|a, b| share(b).total_cmp(&share(a)).then(a.cmp(b)));
        order.truncate(MOST_ROWS.min(said));
        order.sort_unstable();
        return order.into_iter().filter_map(|at| kept.get(at).copied()).collect();
    }
    if history && frames.is_empty() {
        kept.sort_by_key(|row| date_of(row));
        let latest = kept.split_off(kept.len() - LATEST);
        kept.truncate(EARLIEST);
        kept.extend(latest);
        return kept;
    }
    kept.truncate(MOST_ROWS);
    kept
}

/// For each field, whether it stays: all fields if they are few, else those that name or date the
/// row and those that the question asks for.
async fn keep_fields(
    context: &Context<'_>,
    question: &str,
    rows: &[&Record],
) -> Result<HashMap<String, bool>, AnswerError> {
    let mut names: Vec<&str> = Vec::new();
    let mut ids: Vec<&str> = Vec::new();
    for field in rows.iter().flat_map(|row| &row.fields) {
        // Ids tell the model nothing; the entities behind them are fetched if the question needs
        // them.
        let numbers = field.values.iter().all(|value| value.parse::<u64>().is_ok());
        let id = (field.link.is_some() && numbers) || field.name == "id" || field.name.ends_with("_id");
        let list = if id { &mut ids } else { &mut names };
        if !list.contains(&field.name.as_str()) {
            list.push(&field.name);
        }
    }
    let mut kept: HashMap<String, bool> = ids.into_iter().map(|name| (name.to_owned(), false)).collect();
    if names.len() <= MOST_FIELDS {
        return Ok(kept);
    }
    let said: Vec<String> = names.iter().map(|name| spoken(name)).collect();
    let mut scores = shared_words(question, &said);
    if context.embedder().is_some() {
        let texts: Vec<&str> = said.iter().map(String::as_str).collect();
        let asked = context.embed(Stage::Prune, &[question]).await?;
        let vectors = context.embed(Stage::Prune, &texts).await?;
        for (score, vector) in scores.iter_mut().zip(vectors.rows()) {
            *score += inner_product(asked.row(0), vector);
        }
    }
    let mut order: Vec<usize> = (0..names.len()).collect();
    let of_api = context.api().map(|api| api.service().row_words.as_slice()).unwrap_or_default();
    let tells_rows = |name: &str| {
        let words = plain_words(&spoken(name));
        words.iter().any(|word| tells_records(word) || of_api.contains(word))
    };
    let score = |at: &usize| {
        let bonus = if names.get(*at).is_some_and(|name| tells_rows(name)) { TELLS_ROWS } else { 0.0 };
        scores.get(*at).copied().unwrap_or(0.0) + bonus
    };
    order.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
    for (rank, at) in order.into_iter().enumerate() {
        if let Some(name) = names.get(at) {
            kept.insert((*name).to_owned(), rank < MOST_FIELDS);
        }
    }
    Ok(kept)
}

/// `pts_home` as words.
fn spoken(name: &str) -> String {
    name.replace(['_', '.', '-'], " ")
}

#[cfg(test)]
mod tests {
    use quipu_graph::Field;

    use super::*;
    use quipu_language::time_frames;

    fn row(fields: &[(&str, &str)]) -> Record {
        let field = |(name, value): &(&str, &str)| Field {
            name: (*name).into(),
            values: vec![(*value).into()],
            link: None,
        };
        Record {
            table: "t".into(),
            path: "$".into(),
            label: None,
            id: None,
            nested: false,
            fields: fields.iter().map(field).collect(),
        }
    }

    fn kept(question: &str, rows: &[Record]) -> Vec<String> {
        let frames = time_frames(question, jiff::civil::date(2024, 2, 28));
        let rows: Vec<&Record> = rows.iter().collect();
        keep_rows(question, &frames, &rows).into_iter().map(Record::to_line).collect()
    }

    #[test]
    fn a_history_is_cut_to_the_questions_time() {
        let days: Vec<Record> =
            (1..=28).map(|day| row(&[("date", &format!("2024-02-{day:02}")), ("Close", "1")])).collect();
        assert_eq!(kept("the close yesterday", &days), ["date: 2024-02-27; Close: 1"]);
        assert_eq!(kept("the close last week", &days).len(), 7);
        // If the history has no row at that time, none is left.
        assert_eq!(kept("the close in 2019", &days), [""; 0]);
        assert_eq!(kept("the close", &days).len(), 28);
    }

    #[test]
    fn long_histories_keep_both_ends_and_long_lists_what_the_question_says() {
        let years: Vec<Record> =
            (1950..2024).map(|year| row(&[("date", &format!("{year}-01-05"))])).collect();
        let both = kept("when was the first one paid?", &years);
        assert_eq!(
            (both.len(), both[0].as_str(), both[17].as_str()),
            (18, "date: 1950-01-05", "date: 2023-01-05")
        );
        let names: Vec<Record> =
            (0..60).map(|at| row(&[("player", &format!("Player{at} Berg")), ("points", "2")])).collect();
        assert_eq!(kept("how many points did player7 score?", &names), ["player: Player7 Berg; points: 2"]);
        // One birthday is no history.
        assert_eq!(kept("what did she win in 2007?", &[row(&[("birthday", "1952-05-14")])]).len(), 1);
    }
}
