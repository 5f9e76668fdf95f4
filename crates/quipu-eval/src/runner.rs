//! Runs a method over questions, one row a question, appended to a file as it comes: a run that was killed goes on.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;

use jiff::Zoned;
use quipu_answer::{AskOptions, Engine, Question, Status};
use serde::{Deserialize, Serialize};

use crate::EvalError;
use crate::dataset::GoldQuestion;
use crate::metrics::{Score, score};

/// What to run.
pub struct RunConfig {
    /// How each question is asked.
    pub options: AskOptions,
    /// Where rows go; rows that stand there already are not asked again.
    pub rows: Option<PathBuf>,
}

/// One question's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The question's id.
    pub id: String,
    /// The question.
    pub question: String,
    /// How it ended; `None` when it failed.
    pub status: Option<Status>,
    /// The values given.
    pub answers: Vec<String>,
    /// The gold answers.
    pub gold: Vec<String>,
    /// Its scores.
    pub score: Score,
    /// Whether the answer was found in the evidence.
    pub grounded: bool,
    /// Whether a gold answer is in the evidence.
    pub retrieved: bool,
    /// The method's confidence.
    pub confidence: f64,
    /// Model calls.
    pub llm_calls: u32,
    /// Tokens of prompts and replies.
    pub tokens: u64,
    /// Seconds in all.
    pub seconds: f64,
    /// Seconds that were not spent waiting for a model or an embedder.
    pub engine_seconds: f64,
    /// Why there is no answer, or what failed.
    pub reason: Option<String>,
}

/// Asks all questions in turn. `progress` sees each row as it is done.
///
/// # Errors
/// Only when the rows cannot be read or written; a question that fails is a row with a zero.
pub async fn run(
    engine: &Engine,
    questions: &[GoldQuestion],
    config: &RunConfig,
    mut progress: impl FnMut(&Row),
) -> Result<Vec<Row>, EvalError> {
    let mut done = finished_rows(config)?;
    let mut rows = Vec::with_capacity(questions.len());
    for question in questions {
        let row = match done.remove(&question.id) {
            Some(row) => row,
            None => {
                let row = ask(engine, question, &config.options).await;
                append(config, &row)?;
                row
            }
        };
        progress(&row);
        rows.push(row);
    }
    Ok(rows)
}

async fn ask(engine: &Engine, gold: &GoldQuestion, options: &AskOptions) -> Row {
    let mut row = Row {
        id: gold.id.clone(),
        question: gold.question.clone(),
        status: None,
        answers: Vec::new(),
        gold: gold.answers.clone(),
        score: Score::default(),
        grounded: false,
        retrieved: false,
        confidence: 0.0,
        llm_calls: 0,
        tokens: 0,
        seconds: 0.0,
        engine_seconds: 0.0,
        reason: None,
    };
    let asked_at = gold.query_time.as_deref().and_then(|t| t.parse().ok()).unwrap_or_else(Zoned::now);
    let answer = match Question::new(&gold.question, asked_at) {
        Ok(question) => engine.ask(&question, options).await,
        Err(error) => Err(error),
    };
    match answer {
        Ok(answer) => {
            let waited: f64 = answer.usage.by_stage.iter().map(|s| s.model_seconds).sum();
            let stated = || answer.evidence.iter().flat_map(|e| e.values());
            row.score = score(&answer.answers, &gold.answers);
            row.retrieved =
                stated().any(|value| gold.answers.iter().any(|g| quipu_answer::same_value(g, value)));
            row.status = Some(answer.status);
            row.grounded = answer.grounded;
            row.confidence = answer.confidence;
            row.llm_calls = answer.usage.llm_calls + answer.usage.cached_calls;
            row.tokens = answer.usage.prompt_tokens + answer.usage.completion_tokens;
            row.seconds = answer.usage.seconds;
            row.engine_seconds = (answer.usage.seconds - waited).max(0.0);
            row.answers = answer.answers;
            row.reason = answer.reason;
        }
        Err(error) => row.reason = Some(error.to_string()),
    }
    row
}

/// Rows of an earlier run. A last line that was cut off while it was written does not count.
fn finished_rows(config: &RunConfig) -> Result<HashMap<String, Row>, EvalError> {
    let Some(path) = config.rows.as_ref().filter(|path| path.exists()) else { return Ok(HashMap::new()) };
    let text = fs::read_to_string(path).map_err(EvalError::io("cannot read", path))?;
    let rows: Vec<Row> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if !text.is_empty() && !text.ends_with('\n') {
        let whole: String = text.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
        fs::write(path, whole).map_err(EvalError::io("cannot write", path))?;
    }
    Ok(rows.into_iter().map(|row| (row.id.clone(), row)).collect())
}

fn append(config: &RunConfig, row: &Row) -> Result<(), EvalError> {
    let Some(path) = &config.rows else { return Ok(()) };
    let line = serde_json::to_string(row).unwrap_or_default();
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(EvalError::io("cannot open", path))?;
    writeln!(file, "{line}").map_err(EvalError::io("cannot write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_killed_run_leaves_its_whole_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        let config = RunConfig { options: AskOptions::default(), rows: Some(path.clone()) };
        let row: Row = serde_json::from_value(serde_json::json!({
            "id": "1", "question": "?", "status": "answered", "answers": ["a"], "gold": ["a"],
            "score": { "hit_at_1": 1.0, "precision": 1.0, "recall": 1.0, "f1": 1.0, "exact": 1.0 },
            "grounded": true, "retrieved": true, "confidence": 0.5, "llm_calls": 1, "tokens": 10, "seconds": 0.1,
            "engine_seconds": 0.001, "reason": null
        }))
        .unwrap();
        append(&config, &row).unwrap();
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        write!(file, "{{\"id\": \"2\", \"quest").unwrap();
        let rows = finished_rows(&config).unwrap();
        assert_eq!(rows.keys().collect::<Vec<_>>(), ["1"]);
        append(&config, &Row { id: "2".into(), ..row }).unwrap();
        assert_eq!(finished_rows(&config).unwrap().len(), 2);
    }
}
