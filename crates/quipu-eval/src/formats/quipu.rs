//! Quipu's own format: JSON lines of [`GoldQuestion`]. A single gold text may stand as `gold` or `answer`.

use std::path::Path;

use serde_json::Value;

use super::Numbered;
use super::records::{Fields, records};
use crate::EvalError;
use crate::question::GoldQuestion;

/// CRAG's word for questions that assume what is not so.
const INVALID: &str = "invalid question";

pub(super) fn read(path: &Path, text: &str) -> Result<Vec<Numbered>, EvalError> {
    records(path, text, None)?
        .into_iter()
        .map(|(line, value)| Ok((line, question(&Fields::new(path, line, &value), &value)?)))
        .collect()
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
    if fields.has("pages") {
        let pages = value.get("pages").cloned().unwrap_or_default();
        question.pages =
            serde_json::from_value(pages).map_err(|error| fields.wrong("pages", &error.to_string()))?;
    }
    if !fields.has("answers") && !fields.has("answer_ids") && fields.has("gold") {
        let gold = fields.text("gold")?;
        question.false_premise |= gold.eq_ignore_ascii_case(INVALID);
        question.any_of = true;
        question.answers = if question.false_premise { Vec::new() } else { vec![gold] };
    }
    Ok(question)
}

fn truth(fields: &Fields<'_>, name: &str) -> Result<bool, EvalError> {
    match fields.get(name) {
        None => Ok(false),
        Some(value) => value.as_bool().ok_or_else(|| fields.wrong(name, "true or false was expected")),
    }
}
