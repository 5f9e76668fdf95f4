//! QALD's JSON. It reads the English text of each question, else the first text. Answers are keys
//! (IRIs), literals or a boolean.

use std::path::Path;

use serde_json::Value;

use super::Numbered;
use super::records::{Fields, records, scalar};
use crate::EvalError;
use crate::question::GoldQuestion;

pub(super) fn read(path: &Path, text: &str) -> Result<Vec<Numbered>, EvalError> {
    records(path, text, Some("questions"))?
        .into_iter()
        .map(|(line, value)| Ok((line, question(&Fields::new(path, line, &value))?)))
        .collect()
}

fn question(fields: &Fields<'_>) -> Result<GoldQuestion, EvalError> {
    let mut question =
        GoldQuestion { id: fields.text("id")?, question: wording(fields)?, ..GoldQuestion::default() };
    if fields.get("aggregation").and_then(Value::as_bool) == Some(true) {
        question.kind = Some("aggregation".into());
    }
    for answer in fields.list("answers")? {
        if let Some(truth) = answer.get("boolean") {
            question.answers.extend(scalar(truth));
        }
        let bindings = answer.pointer("/results/bindings").and_then(Value::as_array);
        for binding in bindings.into_iter().flatten().filter_map(Value::as_object) {
            for term in binding.values() {
                let Some(value) = term.get("value").and_then(scalar) else {
                    return Err(fields.wrong("answers", "a binding has no value"));
                };
                let is_iri = term.get("type").and_then(Value::as_str) == Some("uri");
                if is_iri { &mut question.answer_ids } else { &mut question.answers }.push(value);
            }
        }
    }
    Ok(question)
}

fn wording(fields: &Fields<'_>) -> Result<String, EvalError> {
    let wordings = fields.list("question")?;
    let language = |wording: &&Value| wording.get("language").and_then(Value::as_str) == Some("en");
    let chosen = wordings.iter().find(language).or(wordings.first());
    let text = chosen.and_then(|wording| wording.get("string")).and_then(scalar);
    text.ok_or_else(|| fields.wrong("question", "no wording has a string"))
}
