//! Head-to-Tail's JSON: under `head`, `torso` and `tail`, lists of [topic entity, question,
//! answer]. An answer with ` or ` between names lists alternatives.

use std::path::Path;

use serde_json::Value;

use super::Numbered;
use super::records::{records, scalar};
use crate::EvalError;
use crate::question::GoldQuestion;

pub(super) fn read(path: &Path, text: &str) -> Result<Vec<Numbered>, EvalError> {
    let mut questions = Vec::new();
    for bucket in ["head", "torso", "tail"] {
        for (number, (line, value)) in records(path, text, Some(bucket))?.into_iter().enumerate() {
            let wrong = |reason: &str| EvalError::malformed(path, line, format!("{bucket}: {reason}"));
            let part = |at: usize, name: &str| value.get(at).or_else(|| value.get(name)).and_then(scalar);
            if !matches!(value, Value::Array(_) | Value::Object(_)) {
                return Err(wrong("a list of topic, question and answer was expected"));
            }
            let question = part(1, "question").ok_or_else(|| wrong("no question"))?;
            let answer = part(2, "answer").ok_or_else(|| wrong("no answer"))?;
            questions.push((
                line,
                GoldQuestion {
                    id: format!("{bucket}-{}", number + 1),
                    question,
                    answers: answer.split(" or ").map(|name| name.trim().to_owned()).collect(),
                    any_of: true,
                    topic_entities: part(0, "entity").into_iter().collect(),
                    hops: Some(1),
                    popularity: Some(bucket.into()),
                    ..GoldQuestion::default()
                },
            ));
        }
    }
    Ok(questions)
}
