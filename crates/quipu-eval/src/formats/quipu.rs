//! Quipu's own format: JSON lines of [`GoldQuestion`]. A single gold text may be in `gold`. If
//! answers are rows, `aliases` and `table` (or `rows`) have one row for each of `answers`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::Numbered;
use super::records::{Fields, records, scalar};
use crate::EvalError;
use crate::question::GoldQuestion;

/// CRAG's gold answer for questions with a false premise.
const INVALID: &str = "invalid question";

/// The fields that are read.
const READ: [&str; 24] = [
    "id",
    "question",
    "unanswerable",
    "false_premise",
    "any_of",
    "query_time",
    "type",
    "kind",
    "domain",
    "popularity",
    "dynamism",
    "sql",
    "sparql",
    "hops",
    "answers",
    "answer_ids",
    "topic_entities",
    "topic_ids",
    "aliases",
    "table",
    "rows",
    "pages",
    "turns",
    "gold",
];

/// The questions, and the names of the fields that nothing reads: a misspelt one would be lost
/// without a word.
pub(super) fn read(path: &Path, text: &str) -> Result<(Vec<Numbered>, Vec<String>), EvalError> {
    let records = records(path, text, None)?;
    let names = records.iter().filter_map(|(_, value)| value.as_object()).flat_map(|fields| fields.keys());
    let unread: BTreeSet<&String> = names.filter(|name| !READ.contains(&name.as_str())).collect();
    let unread = unread.into_iter().cloned().collect();
    let questions: Result<Vec<Numbered>, EvalError> = records
        .iter()
        .map(|(line, value)| Ok((*line, question(&Fields::new(path, *line, value), value)?)))
        .collect();
    Ok((questions?, unread))
}

fn question(fields: &Fields<'_>, value: &Value) -> Result<GoldQuestion, EvalError> {
    let mut question = GoldQuestion {
        id: fields.text("id")?,
        question: fields.text("question")?,
        unanswerable: truth(fields, "unanswerable")?,
        false_premise: truth(fields, "false_premise")?,
        any_of: truth(fields, "any_of")?,
        query_time: fields.optional("query_time")?,
        kind: fields.optional("type")?.or(fields.optional("kind")?),
        domain: fields.optional("domain")?,
        popularity: fields.optional("popularity")?,
        dynamism: fields.optional("dynamism")?,
        sql: fields.optional("sql")?,
        sparql: fields.optional("sparql")?,
        ..GoldQuestion::default()
    };
    if let Some(hops) = fields.get("hops") {
        let hops = hops.as_u64().and_then(|hops| u32::try_from(hops).ok());
        question.hops = Some(hops.ok_or_else(|| fields.wrong("hops", "a whole number was expected"))?);
    }
    let lists = [
        ("answers", &mut question.answers),
        ("answer_ids", &mut question.answer_ids),
        ("topic_entities", &mut question.topic_entities),
        ("topic_ids", &mut question.topic_ids),
    ];
    for (name, into) in lists {
        if fields.has(name) {
            *into = fields.texts(name)?;
        }
    }
    question.aliases = rows(fields, "aliases", |cell| scalar(cell).map(Some))?
        .into_iter()
        .map(|row| row.into_iter().flatten().collect())
        .collect();
    let table = if fields.has("table") { "table" } else { "rows" };
    question.table =
        rows(fields, table, |cell| if cell.is_null() { Some(None) } else { scalar(cell).map(Some) })?;
    for (name, number) in [("aliases", question.aliases.len()), ("table", question.table.len())] {
        if number > 0 && number != question.answers.len() {
            let answers = question.answers.len();
            return Err(
                fields.wrong(name, &format!("{number} rows for {answers} answers; each answer has one"))
            );
        }
    }
    if fields.has("pages") {
        let pages = value.get("pages").cloned().unwrap_or_default();
        question.pages =
            serde_json::from_value(pages).map_err(|error| fields.wrong("pages", &error.to_string()))?;
    }
    if fields.has("turns") {
        let turns = value.get("turns").cloned().unwrap_or_default();
        question.turns =
            serde_json::from_value(turns).map_err(|error| fields.wrong("turns", &error.to_string()))?;
    }
    if !fields.has("answers") && !fields.has("answer_ids") && fields.has("gold") {
        let gold = fields.text("gold")?;
        question.false_premise |= gold.eq_ignore_ascii_case(INVALID);
        question.any_of = true;
        question.answers = if question.false_premise { Vec::new() } else { vec![gold] };
    }
    Ok(question)
}

/// A list of rows, each a list of cells; `read` returns `None` for an invalid cell.
fn rows(
    fields: &Fields<'_>,
    name: &str,
    read: impl Fn(&Value) -> Option<Option<String>>,
) -> Result<Vec<Vec<Option<String>>>, EvalError> {
    if !fields.has(name) {
        return Ok(Vec::new());
    }
    let row = |row: &Value| row.as_array()?.iter().map(&read).collect::<Option<Vec<_>>>();
    let rows = fields.list(name)?.iter().map(row).collect::<Option<Vec<_>>>();
    rows.ok_or_else(|| fields.wrong(name, "a list of rows was expected, each a list of texts or numbers"))
}

fn truth(fields: &Fields<'_>, name: &str) -> Result<bool, EvalError> {
    match fields.get(name) {
        None => Ok(false),
        Some(value) => value.as_bool().ok_or_else(|| fields.wrong(name, "true or false was expected")),
    }
}
