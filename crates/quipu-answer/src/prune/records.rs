//! Records down to what bears on a question: fields by relevance, rows by time and by words (self-verification paper §4.1.3: whatever else an
//! API sends misleads the model).

use std::collections::HashMap;

use quipu_graph::Record;
use quipu_language::TimeFrame;

use crate::answer::{AnswerError, Stage};
use crate::ledger::Context;
use crate::plan::{plain_words, shared_words};

/// Fields that a table keeps.
const MOST_FIELDS: usize = 8;
/// Rows that a table keeps.
const MOST_ROWS: usize = 30;
/// Of a table by date, when the question names no time: so many of the latest, and so many of the earliest.
const LATEST: usize = 14;
const EARLIEST: usize = 4;
/// With fewer dated rows a list is no history, and a question's time does not choose among them.
const LEAST_HISTORY: usize = 3;

/// What of one call's records bears on the question.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Trimmed {
    /// In the order of the response, table by table.
    pub records: Vec<Record>,
    /// How many were left out.
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

/// The day, month or year that a row is of.
fn date_of(record: &Record) -> Option<&str> {
    let dated = |field: &&quipu_graph::Field| {
        let name = field.name.to_lowercase();
        let value = field.values.first().map_or("", String::as_str);
        let digits = |range: std::ops::Range<usize>| {
            value.get(range).is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let day = digits(0..4) && value.get(4..5) == Some("-") && digits(5..7);
        day || ((name.contains("year") || name.contains("date")) && value.len() == 4 && digits(0..4))
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
    // Words that every row has choose none.
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

/// Which fields stay: all where there are few, else what names and dates the row, and those that the question asks for.
async fn keep_fields(
    context: &Context<'_>,
    question: &str,
    rows: &[&Record],
) -> Result<HashMap<String, bool>, AnswerError> {
    let mut names: Vec<&str> = Vec::new();
    let mut ids: Vec<&str> = Vec::new();
    for field in rows.iter().flat_map(|row| &row.fields) {
        // Ids say nothing; what they stand for is fetched where the question needs it.
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
    let spoken: Vec<String> = names.iter().map(|name| spoken(name)).collect();
    let mut scores = shared_words(question, &spoken);
    if context.embedder().is_some() {
        let texts: Vec<&str> = spoken.iter().map(String::as_str).collect();
        let asked = context.embed(Stage::Prune, &[question]).await?;
        let vectors = context.embed(Stage::Prune, &texts).await?;
        for (score, vector) in scores.iter_mut().zip(vectors.rows()) {
            *score += asked.row(0).iter().zip(vector).map(|(a, b)| a * b).sum::<f32>();
        }
    }
    let mut order: Vec<usize> = (0..names.len()).collect();
    let score =
        |at: &usize| scores.get(*at).copied().unwrap_or(0.0) + bonus(names.get(*at).copied().unwrap_or(""));
    order.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.cmp(b)));
    for (rank, at) in order.into_iter().enumerate() {
        if let Some(name) = names.get(at) {
            kept.insert((*name).to_owned(), rank < MOST_FIELDS);
        }
    }
    Ok(kept)
}

/// What names or dates a row is worth more than its other fields.
fn bonus(name: &str) -> f32 {
    let words = plain_words(&spoken(name));
    let naming = ["name", "title", "date", "result", "score", "opponent"];
    if words.iter().any(|word| naming.contains(&word.as_str())) { 0.35 } else { 0.0 }
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
        // A time that the history does not hold leaves nothing of it.
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
