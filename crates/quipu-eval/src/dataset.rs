//! Question files: Quipu's own JSONL, one question a line.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::EvalError;

/// A question with its gold answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GoldQuestion {
    /// Unique within the file.
    pub id: String,
    /// The question.
    pub question: String,
    /// Names or values, each of them right.
    #[serde(default)]
    pub answers: Vec<String>,
    /// Gold anchors, for scoring linking; never an input.
    #[serde(default)]
    pub topic_entities: Vec<String>,
    /// When it was asked, where the file says so.
    #[serde(default)]
    pub query_time: Option<String>,
}

/// Reads a file of questions; `limit` takes the first ones only.
///
/// # Errors
/// [`EvalError::Io`], or [`EvalError::Malformed`] with the line that cannot be read.
pub fn read_questions(path: &Path, limit: Option<usize>) -> Result<Vec<GoldQuestion>, EvalError> {
    let text = std::fs::read_to_string(path).map_err(EvalError::io("cannot read", path))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .take(limit.unwrap_or(usize::MAX))
        .map(|(number, line)| {
            serde_json::from_str(line).map_err(|error| EvalError::Malformed {
                path: path.to_owned(),
                line: number + 1,
                reason: error.to_string(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_read_and_a_bad_line_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("q.jsonl");
        let good = r#"{"id": "1", "question": "who?", "answers": ["Ada"], "hops": 1, "type": "x"}"#;
        std::fs::write(&path, format!("{good}\n\n{good}\n")).unwrap();
        assert_eq!(read_questions(&path, None).unwrap().len(), 2);
        assert_eq!(read_questions(&path, Some(1)).unwrap()[0].answers, ["Ada"]);
        std::fs::write(&path, format!("{good}\n{{\"id\": 7}}\n")).unwrap();
        assert!(read_questions(&path, None).unwrap_err().to_string().contains("q.jsonl:2: "));
    }
}
