//! One question's result: a line of `rows.jsonl`.

use std::collections::BTreeMap;

use quipu_answer::Status;
use serde::{Deserialize, Serialize};

use crate::judge::{Judged, Verdict};
use crate::metrics::{GoldAnswer, Score};

/// The outcome of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// There is an answer.
    Answered,
    /// "I don't know".
    Abstained,
    /// "The question has a false premise."
    InvalidQuestion,
    /// The question failed: a listed zero.
    Failed,
}

impl From<Status> for Ended {
    fn from(status: Status) -> Self {
        match status {
            Status::Answered => Self::Answered,
            Status::Abstained => Self::Abstained,
            Status::InvalidQuestion => Self::InvalidQuestion,
        }
    }
}

/// Why a question was not answered correctly, in the order of the checks (KERAG §5.6 and its error
/// analysis).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// An error or a crash.
    Failed,
    /// The time limit was exceeded.
    TimedOut,
    /// Answered, although no answer is right.
    ShouldAbstain,
    /// The gold name is in the answer's words, but not as a value.
    Format,
    /// A gold anchor is not among the anchors.
    Linking,
    /// No gold answer is in the evidence.
    Retrieval,
    /// The evidence contained a gold answer, but the method did not answer.
    WronglyAbstained,
    /// The evidence contained a gold answer, but the method gave another one.
    Composition,
}

impl ErrorClass {
    /// All classes.
    pub const ALL: [Self; 8] = [
        Self::Failed,
        Self::TimedOut,
        Self::ShouldAbstain,
        Self::Format,
        Self::Linking,
        Self::Retrieval,
        Self::WronglyAbstained,
        Self::Composition,
    ];

    /// The class's name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::TimedOut => "timed out",
            Self::ShouldAbstain => "should abstain",
            Self::Format => "format",
            Self::Linking => "linking",
            Self::Retrieval => "retrieval",
            Self::WronglyAbstained => "wrongly abstained",
            Self::Composition => "composition",
        }
    }
}

/// The cost of one question. Times come from the run that asked the models; a replay keeps them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RowCost {
    /// Model calls, including cached ones.
    pub llm_calls: u32,
    /// Tokens of the prompts.
    pub prompt_tokens: u64,
    /// Tokens of the replies.
    pub completion_tokens: u64,
    /// Calls of the judge's model.
    #[serde(default)]
    pub judge_calls: u32,
    /// Requests sent to endpoints and APIs.
    #[serde(default)]
    pub requests: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
    /// Seconds of these outside of models and embedders.
    pub engine_seconds: f64,
    /// The same by stage.
    #[serde(default)]
    pub by_stage: BTreeMap<String, StageCost>,
}

impl RowCost {
    /// Tokens of prompts and replies.
    pub fn tokens(&self) -> u64 {
        self.prompt_tokens + self.completion_tokens
    }
}

/// The cost of one stage.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct StageCost {
    /// Model calls, including cached ones.
    pub llm_calls: u32,
    /// Tokens of prompts and replies.
    pub tokens: u64,
    /// Wall-clock seconds.
    pub seconds: f64,
}

/// One question's result under one method and model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The question's id.
    pub id: String,
    /// The method.
    pub method: String,
    /// The language model; `none` without one.
    pub llm: String,
    /// The question.
    pub question: String,
    /// Its outcome.
    pub ended: Ended,
    /// The answer in words.
    pub answer: String,
    /// The bare values, best first.
    pub answers: Vec<String>,
    /// For each value, the keys of the entities with this name in the evidence, if keys differ from
    /// names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer_keys: Vec<Vec<String>>,
    /// The given rows, if the answer is a table.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub table: Vec<Vec<Option<String>>>,
    /// The gold answers.
    pub gold: Vec<GoldAnswer>,
    /// Whether no answer is right.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unanswerable: bool,
    /// Its scores.
    pub score: Score,
    /// CRAG's verdict.
    pub judged: Judged,
    /// The error class, if there was an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorClass>,
    /// Names of the anchors chosen by linking; `None` for a method without linking.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchors: Option<Vec<String>>,
    /// Names of the gold anchors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gold_anchors: Vec<String>,
    /// Whether every gold anchor is among the anchors; `None` if either is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub linked: Option<bool>,
    /// Share of the gold answers in the evidence; `None` without gold answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_recall: Option<f64>,
    /// Ids of the evidence.
    pub evidence: Vec<String>,
    /// Ids of the evidence for the answer's values.
    pub citations: Vec<String>,
    /// Whether every value was found in the evidence.
    pub grounded: bool,
    /// The method's confidence.
    pub confidence: f64,
    /// Its cost.
    pub cost: RowCost,
    /// The reason for a missing answer, or the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Hops, if the file gives them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hops: Option<u32>,
    /// Kind of question, if the file gives it.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Domain, if the file gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// `head`, `torso` or `tail`, if the file gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub popularity: Option<String>,
}

impl Row {
    /// The unique key of a row in a results folder.
    pub fn key(&self) -> (String, String, String) {
        (self.method.clone(), self.llm.clone(), self.id.clone())
    }

    /// Whether a gold answer is in the evidence.
    pub fn retrieved(&self) -> Option<bool> {
        self.evidence_recall.map(|recall| recall > 0.0)
    }

    /// Whether there is an answer that is entirely wrong: no value is a gold answer, no row
    /// contains a key of a gold row. To a question without a right answer, any answer is wrong.
    pub fn is_answered_wrongly(&self) -> bool {
        let right = self.score.f1 > 0.0 || self.score.rows.is_some_and(|rows| rows.lenient > 0.0);
        self.ended == Ended::Answered && (self.unanswerable || !right)
    }

    /// Whether the judge gave this verdict.
    pub fn is(&self, verdict: Verdict) -> bool {
        self.judged.verdict == verdict
    }

    /// Whether it equals `other` except for times, and for requests, which a service's cache may
    /// have saved.
    pub fn same_but_for_times(&self, other: &Self) -> bool {
        let mut timeless = other.clone();
        timeless.take_times(self);
        timeless.cost.requests = self.cost.requests;
        *self == timeless
    }

    /// The row with all numbers rounded to six decimals, so that they survive a round trip exactly.
    pub(crate) fn rounded(mut self) -> Self {
        let score = &mut self.score;
        let of_score = [
            &mut score.hit_at_1,
            &mut score.hit_at_5,
            &mut score.recall_at_20,
            &mut score.mrr,
            &mut score.exact,
            &mut score.accuracy,
            &mut score.precision,
            &mut score.f1,
            &mut score.lenient,
            &mut score.rouge_l,
        ];
        let cost = &mut self.cost;
        let stages = cost.by_stage.values_mut().map(|stage| &mut stage.seconds);
        let others = [&mut self.confidence, &mut cost.seconds, &mut cost.engine_seconds];
        let of_rows =
            score.rows.iter_mut().flat_map(|rows| [&mut rows.f1, &mut rows.lenient, &mut rows.exact]);
        for figure in
            of_score.into_iter().chain(of_rows).chain(stages).chain(others).chain(&mut self.evidence_recall)
        {
            *figure = (*figure * 1e6).round() / 1e6;
        }
        self
    }

    /// Copies the times of another run of the same question.
    pub(crate) fn take_times(&mut self, measured: &Self) {
        self.cost.seconds = measured.cost.seconds;
        self.cost.engine_seconds = measured.cost.engine_seconds;
        for (name, stage) in &mut self.cost.by_stage {
            stage.seconds = measured.cost.by_stage.get(name).map_or(0.0, |stage| stage.seconds);
        }
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;
    use crate::judge::Judge;

    /// A right answer to question `id`.
    pub(crate) fn row(id: &str) -> Row {
        Row {
            id: id.into(),
            method: "paths".into(),
            llm: "none".into(),
            question: format!("question {id}?"),
            ended: Ended::Answered,
            answer: "Lima".into(),
            answers: vec!["Lima".into()],
            answer_keys: Vec::new(),
            table: Vec::new(),
            gold: vec![GoldAnswer::named("Lima")],
            unanswerable: false,
            score: Score::FULL,
            judged: Judged { verdict: Verdict::Accurate, by: Judge::Rule, reason: None },
            error: None,
            anchors: Some(vec!["Peru".into()]),
            gold_anchors: vec!["Peru".into()],
            linked: Some(true),
            evidence_recall: Some(1.0),
            evidence: vec!["e1".into()],
            citations: vec!["e1".into()],
            grounded: true,
            confidence: 0.75,
            cost: RowCost {
                llm_calls: 1,
                prompt_tokens: 90,
                completion_tokens: 10,
                seconds: 0.5,
                ..RowCost::default()
            },
            reason: None,
            hops: Some(1),
            kind: Some("capital".into()),
            domain: None,
            popularity: None,
        }
    }

    /// A wrong answer to question `id`.
    pub(crate) fn wrong(id: &str, class: ErrorClass) -> Row {
        Row {
            answer: "Quito".into(),
            answers: vec!["Quito".into()],
            score: Score::NOTHING,
            judged: Judged { verdict: Verdict::Hallucination, by: Judge::Rule, reason: None },
            error: Some(class),
            hops: Some(2),
            ..row(id)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::samples::{row, wrong};
    use super::*;
    use crate::metrics::RowScore;

    #[test]
    fn times_do_not_make_a_row_another_one() {
        let mut slow = row("1");
        (slow.cost.seconds, slow.cost.engine_seconds) = (9.0, 8.0);
        assert!(slow.same_but_for_times(&row("1")));
        slow.cost.requests = 23;
        assert!(slow.same_but_for_times(&row("1")), "what was requested may be cached");
        assert!(!wrong("1", ErrorClass::Composition).same_but_for_times(&row("1")));
    }

    #[test]
    fn an_answer_is_wrong_when_nothing_in_it_is_right() {
        let wrong = wrong("1", ErrorClass::Composition);
        assert!(wrong.is_answered_wrongly() && !row("1").is_answered_wrongly());
        let rows = RowScore { lenient: 0.5, ..RowScore::default() };
        let by_a_row = Row { score: Score { rows: Some(rows), ..Score::NOTHING }, ..wrong.clone() };
        assert!(!by_a_row.is_answered_wrongly());
        let old = Row { score: Score { f1: 0.5, rows: None, ..Score::NOTHING }, ..wrong.clone() };
        assert!(!old.is_answered_wrongly(), "results without row scores are read by their values");
        let silent = Row { ended: Ended::Abstained, unanswerable: true, ..wrong.clone() };
        assert!(!silent.is_answered_wrongly());
        assert!(Row { unanswerable: true, ..row("1") }.is_answered_wrongly(), "no answer is right");
        assert!(!Row { ended: Ended::Failed, ..wrong }.is_answered_wrongly());
    }

    #[test]
    fn a_row_reads_back_as_it_was_written() {
        let mut row = wrong("7", ErrorClass::Retrieval);
        (row.score.f1, row.confidence, row.cost.engine_seconds) =
            (2.0 / 3.0, 0.1 + 0.2, 0.040107621999999996);
        row.evidence_recall = Some(1.0 / 7.0);
        row.score.rows = Some(RowScore { f1: 1.0 / 3.0, lenient: 2.0 / 3.0, exact: 0.0 });
        row.table = vec![vec![Some("Quito".into()), None]];
        let row = row.rounded();
        let line = serde_json::to_string(&row).unwrap();
        assert_eq!(serde_json::from_str::<Row>(&line).unwrap(), row);
    }
}
