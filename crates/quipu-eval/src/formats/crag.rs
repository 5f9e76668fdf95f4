//! CRAG's JSON lines, with the web pages that came with each question.

use std::path::Path;

use serde_json::Value;

use super::Numbered;
use super::records::{Fields, records, scalar};
use crate::EvalError;
use crate::question::{GoldQuestion, Page};

/// CRAG's gold answer for questions with a false premise.
const INVALID: &str = "invalid question";

pub(super) fn read(path: &Path, text: &str) -> Result<Vec<Numbered>, EvalError> {
    records(path, text, None)?
        .into_iter()
        .map(|(line, value)| Ok((line, question(&Fields::new(path, line, &value))?)))
        .collect()
}

fn question(fields: &Fields<'_>) -> Result<GoldQuestion, EvalError> {
    let mut answers = vec![fields.text("answer")?];
    answers.extend(alternatives(fields)?);
    let false_premise = answers.iter().any(|answer| answer.eq_ignore_ascii_case(INVALID));
    if false_premise {
        answers.clear();
    }
    Ok(GoldQuestion {
        id: fields.text("interaction_id")?,
        question: fields.text("query")?,
        answers,
        any_of: true,
        false_premise,
        query_time: fields.optional("query_time")?,
        kind: fields.optional("question_type")?,
        domain: fields.optional("domain")?,
        popularity: fields.optional("popularity")?,
        dynamism: fields.optional("static_or_dynamic")?,
        pages: pages(fields)?,
        ..GoldQuestion::default()
    })
}

/// A list, or a list written as text: `["a", "b"]`.
fn alternatives(fields: &Fields<'_>) -> Result<Vec<String>, EvalError> {
    const NAME: &str = "alternative_answers";
    match fields.get(NAME) {
        None => Ok(Vec::new()),
        Some(Value::Array(_)) => fields.texts(NAME),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Vec::new()),
        Some(Value::String(text)) => super::stark::python_list(text)
            .ok_or_else(|| fields.wrong(NAME, "a list, or a list as text, was expected")),
        Some(_) => Err(fields.wrong(NAME, "a list was expected")),
    }
}

fn pages(fields: &Fields<'_>) -> Result<Vec<Page>, EvalError> {
    if !fields.has("search_results") {
        return Ok(Vec::new());
    }
    let results = fields.list("search_results")?.iter().map(|result| {
        let text = |name: &str| result.get(name).and_then(scalar).unwrap_or_default();
        let [name, url, snippet, last_modified, html] =
            ["page_name", "page_url", "page_snippet", "page_last_modified", "page_result"].map(text);
        Page { name, url, snippet, last_modified, html }
    });
    Ok(results.collect())
}
