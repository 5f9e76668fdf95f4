//! The printed line: the scores of the replies against the gold answers.

use std::fmt;

use quipu_answer::{Answer, AnswerUsage, Status};
use quipu_eval::{GivenTable, PreparedQuestion, score, score_rows};

use crate::Outcome;
use crate::ask::Asked;

/// Sums over the questions.
#[derive(Debug, Default)]
pub struct Sums {
    questions: usize,
    ran: usize,
    declined: usize,
    not_run: usize,
    wrong: usize,
    exact: f64,
    f1: f64,
    hit: f64,
    prompt_tokens: u64,
    reply_tokens: u64,
}

impl Sums {
    /// Adds one reply; returns its outcome in words.
    pub fn add(&mut self, prepared: &PreparedQuestion, asked: &Asked, outcome: &Outcome) -> String {
        self.questions += 1;
        self.prompt_tokens += asked.prompt_tokens;
        self.reply_tokens += asked.reply_tokens;
        let table = match outcome {
            Outcome::Declined => {
                self.declined += 1;
                return "declined".into();
            }
            Outcome::NotRun(reason) => {
                self.not_run += 1;
                return format!("did not run: {reason}");
            }
            Outcome::Rows(table) => table.clone(),
        };
        self.ran += 1;
        let rows = table.rows.len();
        if rows == 0 {
            return "ran: no rows".into();
        }
        let first = |row: &Vec<Option<quipu_answer::Value>>| Some(row.iter().flatten().next()?.name.clone());
        let answers: Vec<String> = table.rows.iter().filter_map(first).collect();
        let shown = answers.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
        let answer = answer(answers, table);
        let given = GivenTable::of(&answer, &[]);
        let score = match prepared.table.is_of_file() {
            true => score_rows(&given, "", &prepared.table, &prepared.gold),
            false => {
                let values: Vec<_> = answer.answers.iter().map(|value| (value.clone(), Vec::new())).collect();
                score(&values, "", &prepared.gold, prepared.question.any_of)
            }
        };
        self.exact += score.exact;
        self.f1 += score.f1;
        self.hit += score.hit_at_1;
        self.wrong += usize::from(score.f1 == 0.0 && prepared.table.score(&given).lenient == 0.0);
        format!("ran: {rows} rows, F1 {:.2}: {shown}", score.f1)
    }
}

fn answer(answers: Vec<String>, table: quipu_answer::AnswerTable) -> Answer {
    Answer {
        question: String::new(),
        status: Status::Answered,
        answer: String::new(),
        answers,
        table: Some(table),
        readings: Vec::new(),
        grounded: false,
        confidence: 0.0,
        method: String::new(),
        llm: String::new(),
        ranked: Vec::new(),
        evidence: Vec::new(),
        citations: Vec::new(),
        usage: AnswerUsage::default(),
        notes: Vec::new(),
        reason: None,
        trace: None,
    }
}

impl fmt::Display for Sums {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.questions.max(1) as f64;
        write!(
            out,
            "n {} | ran {:.3} | exact {} | F1 {:.3} | Hit@1 {:.3} | wrong {} | declined {} | did not run {} \
             | prompt tokens {:.0} | reply tokens {:.0}",
            self.questions,
            self.ran as f64 / n,
            self.exact,
            self.f1 / n,
            self.hit / n,
            self.wrong,
            self.declined,
            self.not_run,
            self.prompt_tokens as f64 / n,
            self.reply_tokens as f64 / n,
        )
    }
}
