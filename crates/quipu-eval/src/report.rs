//! Rows to one line of a table.

use quipu_answer::Status;

use crate::runner::Row;

/// Means over all questions of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Summary {
    /// What was run: question file and method.
    pub name: String,
    /// Questions.
    pub questions: usize,
    /// Mean Hit@1.
    pub hit_at_1: f64,
    /// Mean F1.
    pub f1: f64,
    /// Share of exact answer sets.
    pub exact: f64,
    /// Share of questions with a gold answer in the evidence.
    pub retrieved: f64,
    /// Abstentions.
    pub abstained: usize,
    /// Answers without support in the evidence.
    pub ungrounded: usize,
    /// Questions that failed.
    pub failed: usize,
    /// Mean model calls.
    pub llm_calls: f64,
    /// Mean tokens.
    pub tokens: f64,
    /// Mean seconds.
    pub seconds: f64,
    /// Median of the milliseconds that were not the model's.
    pub engine_ms: f64,
}

/// Sums rows up.
#[expect(clippy::cast_precision_loss, reason = "counts of questions and tokens fit a double")]
pub fn summarise(name: &str, rows: &[Row]) -> Summary {
    let mean = |value: &dyn Fn(&Row) -> f64| rows.iter().map(value).sum::<f64>() / rows.len().max(1) as f64;
    let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
    let mut engine: Vec<f64> = rows.iter().map(|row| row.engine_seconds * 1000.0).collect();
    engine.sort_by(f64::total_cmp);
    Summary {
        name: name.into(),
        questions: rows.len(),
        hit_at_1: mean(&|r| r.score.hit_at_1),
        f1: mean(&|r| r.score.f1),
        exact: mean(&|r| r.score.exact),
        retrieved: mean(&|r| f64::from(u8::from(r.retrieved))),
        abstained: count(&|r| r.status == Some(Status::Abstained)),
        ungrounded: count(&|r| r.status == Some(Status::Answered) && !r.grounded),
        failed: count(&|r| r.status.is_none()),
        llm_calls: mean(&|r| f64::from(r.llm_calls)),
        tokens: mean(&|r| r.tokens as f64),
        seconds: mean(&|r| r.seconds),
        engine_ms: engine.get(engine.len() / 2).copied().unwrap_or_default(),
    }
}

/// A Markdown table, one line a run.
pub fn to_markdown(summaries: &[Summary]) -> String {
    let mut table = String::from(
        "| run | n | Hit@1 | F1 | exact | retrieved | abstained | ungrounded | failed | calls | tokens | s | engine ms (p50) |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for s in summaries {
        table.push_str(&format!(
            "| {} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {} | {} | {} | {:.2} | {:.0} | {:.2} | {:.2} |\n",
            s.name,
            s.questions,
            s.hit_at_1,
            s.f1,
            s.exact,
            s.retrieved,
            s.abstained,
            s.ungrounded,
            s.failed,
            s.llm_calls,
            s.tokens,
            s.seconds,
            s.engine_ms
        ));
    }
    table
}
