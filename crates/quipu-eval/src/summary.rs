//! Summarises rows: metrics with intervals, abstention, calibration, causes of errors, and the same
//! by group.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::judge::Verdict;
use crate::metrics::{
    Calibration, Interval, RiskCoverage, bootstrap_mean, calibration, one_if, risk_coverage, share,
};
use crate::row::{Ended, ErrorClass, Row};

/// A metric of each question; definitions and sources are in docs/evaluation.md.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// The first value is a gold answer (strict).
    HitAt1,
    /// There is an answer.
    Answered,
    /// There is an answer, and it is entirely wrong.
    AnsweredWrongly,
    /// The values are the gold set.
    ExactMatch,
    /// F1 of the sets.
    F1,
    /// F1 of the rows (strict): key and measures of a gold row, nothing else.
    RowF1,
    /// F1 of the rows by their keys (lenient).
    RowF1Lenient,
    /// The table equals the gold table, in its order if the question asks for one.
    ExactTable,
    /// Share of the values that are gold answers.
    Precision,
    /// Share of the gold answers found: AnchorRAG's accuracy, the recall of the set.
    Accuracy,
    /// A gold name occurs in the answer (lenient).
    Lenient,
    /// Hit@5.
    HitAt5,
    /// Recall@20.
    RecallAt20,
    /// Mean reciprocal rank.
    Mrr,
    /// ROUGE-L F1.
    RougeL,
    /// CRAG: accurate.
    CragAccuracy,
    /// CRAG: hallucination.
    Hallucination,
    /// CRAG: missing.
    Missing,
    /// CRAG: accuracy minus hallucination.
    Truthfulness,
    /// A gold answer is in the evidence.
    RetrievalRecall,
    /// Every gold anchor is among the anchors.
    LinkingAccuracy,
    /// Share of the given answers whose values are all in the evidence.
    Grounded,
    /// Model calls.
    Calls,
    /// Tokens of prompts and replies.
    Tokens,
    /// Requests to endpoints and APIs.
    Requests,
    /// Wall-clock seconds.
    Seconds,
}

impl Metric {
    /// All metrics, in the order of the tables.
    pub const ALL: [Self; 26] = [
        Self::HitAt1,
        Self::Answered,
        Self::AnsweredWrongly,
        Self::ExactMatch,
        Self::F1,
        Self::RowF1,
        Self::RowF1Lenient,
        Self::ExactTable,
        Self::Precision,
        Self::Accuracy,
        Self::Lenient,
        Self::HitAt5,
        Self::RecallAt20,
        Self::Mrr,
        Self::RougeL,
        Self::CragAccuracy,
        Self::Hallucination,
        Self::Missing,
        Self::Truthfulness,
        Self::RetrievalRecall,
        Self::LinkingAccuracy,
        Self::Grounded,
        Self::Calls,
        Self::Tokens,
        Self::Requests,
        Self::Seconds,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::HitAt1 => "Hit@1 (strict)",
            Self::Answered => "answered",
            Self::AnsweredWrongly => "answered wrongly",
            Self::ExactMatch => "exact match",
            Self::F1 => "F1",
            Self::RowF1 => "row F1 (strict)",
            Self::RowF1Lenient => "row F1 (lenient)",
            Self::ExactTable => "exact table",
            Self::Precision => "precision",
            Self::Accuracy => "accuracy (recall)",
            Self::Lenient => "lenient",
            Self::HitAt5 => "Hit@5",
            Self::RecallAt20 => "Recall@20",
            Self::Mrr => "MRR",
            Self::RougeL => "ROUGE-L",
            Self::CragAccuracy => "CRAG accuracy",
            Self::Hallucination => "hallucination",
            Self::Missing => "missing",
            Self::Truthfulness => "truthfulness",
            Self::RetrievalRecall => "retrieval recall",
            Self::LinkingAccuracy => "linking",
            Self::Grounded => "grounded",
            Self::Calls => "calls",
            Self::Tokens => "tokens",
            Self::Requests => "requests",
            Self::Seconds => "seconds",
        }
    }

    /// Whether it is a cost, which is no share and should be small.
    pub fn is_cost(self) -> bool {
        matches!(self, Self::Calls | Self::Tokens | Self::Requests | Self::Seconds)
    }

    /// Whether less of it is better.
    pub fn is_bad(self) -> bool {
        self.is_cost() || matches!(self, Self::AnsweredWrongly | Self::Hallucination)
    }

    /// Its value for one question; `None` where it does not apply.
    #[expect(clippy::cast_precision_loss, reason = "tokens of a question fit a double")]
    pub fn of(self, row: &Row) -> Option<f64> {
        let verdict = |verdict: Verdict| one_if(row.is(verdict));
        Some(match self {
            Self::HitAt1 => row.score.hit_at_1,
            Self::Answered => one_if(row.ended == Ended::Answered),
            Self::AnsweredWrongly => one_if(row.is_answered_wrongly()),
            Self::ExactMatch => row.score.exact,
            Self::F1 => row.score.f1,
            Self::RowF1 => row.score.rows?.f1,
            Self::RowF1Lenient => row.score.rows?.lenient,
            Self::ExactTable => row.score.rows?.exact,
            Self::Precision => row.score.precision,
            Self::Accuracy => row.score.accuracy,
            Self::Lenient => row.score.lenient,
            Self::HitAt5 => row.score.hit_at_5,
            Self::RecallAt20 => row.score.recall_at_20,
            Self::Mrr => row.score.mrr,
            Self::RougeL => row.score.rouge_l,
            Self::CragAccuracy => verdict(Verdict::Accurate),
            Self::Hallucination => verdict(Verdict::Hallucination),
            Self::Missing => verdict(Verdict::Missing),
            Self::Truthfulness => verdict(Verdict::Accurate) - verdict(Verdict::Hallucination),
            Self::RetrievalRecall => return retrieval(row),
            Self::LinkingAccuracy => return row.linked.map(one_if),
            Self::Grounded => return (row.ended == Ended::Answered).then(|| one_if(row.grounded)),
            Self::Calls => f64::from(row.cost.llm_calls),
            Self::Tokens => row.cost.tokens() as f64,
            Self::Requests => row.cost.requests as f64,
            Self::Seconds => row.cost.seconds,
        })
    }
}

/// A failed question retrieved nothing, if it had gold to retrieve.
fn retrieval(row: &Row) -> Option<f64> {
    let failed = row.ended == Ended::Failed && !row.unanswerable;
    row.retrieved().or(failed.then_some(false)).map(one_if)
}

/// The correctness of abstentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Abstention {
    /// Questions that were not answered.
    pub abstained: usize,
    /// Of these, correctly: no answer is right, or the evidence contained none.
    pub rightly: usize,
    /// Questions without a right answer.
    pub unanswerable: usize,
    /// Of these, not answered.
    pub unanswerable_abstained: usize,
}

impl Abstention {
    fn of(rows: &[Row]) -> Self {
        let abstained = |row: &&Row| matches!(row.ended, Ended::Abstained | Ended::InvalidQuestion);
        let rightly = |row: &&Row| row.unanswerable || row.retrieved() == Some(false);
        Self {
            abstained: rows.iter().filter(abstained).count(),
            rightly: rows.iter().filter(abstained).filter(rightly).count(),
            unanswerable: rows.iter().filter(|row| row.unanswerable).count(),
            unanswerable_abstained: rows.iter().filter(|row| row.unanswerable).filter(abstained).count(),
        }
    }

    /// Share of the abstentions that were right.
    pub fn precision(&self) -> Option<f64> {
        (self.abstained > 0).then(|| share(self.rightly, self.abstained))
    }

    /// Share of the unanswerable questions that were not answered.
    pub fn recall(&self) -> Option<f64> {
        (self.unanswerable > 0).then(|| share(self.unanswerable_abstained, self.unanswerable))
    }
}

/// All results of one method under one model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Summary {
    /// The run's label in tables: method, model, setting; the folder if there are several.
    pub label: String,
    /// The method.
    pub method: String,
    /// The language model.
    pub llm: String,
    /// Questions with a row.
    pub questions: usize,
    /// Questions expected.
    pub expected: usize,
    /// The metrics that apply.
    pub metrics: BTreeMap<Metric, Interval>,
    /// Median of the milliseconds outside of models.
    pub engine_ms: f64,
    /// Abstentions.
    pub abstention: Abstention,
    /// Calibration over the answered questions.
    pub calibration: Calibration,
    /// The share of wrong answers if only the most confident answers were given.
    #[serde(default)]
    pub risk: RiskCoverage,
    /// Numbers of errors by class.
    pub errors: Vec<(ErrorClass, usize)>,
    /// Answers with a right first value but an incomplete or too large set.
    pub incomplete: usize,
    /// Verdicts by rule, model and match.
    pub judged_by: [usize; 3],
    /// By hop, type, domain and popularity.
    pub groups: Vec<Group>,
}

/// The questions that share a property.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Group {
    /// The property: `hops`, `type`, `domain`, `popularity`.
    pub by: String,
    /// Its value.
    pub value: String,
    /// Strict Hit@1.
    pub hit_at_1: Interval,
    /// Answered entirely wrongly.
    #[serde(default)]
    pub answered_wrongly: Interval,
    /// F1.
    pub f1: Interval,
    /// Truthfulness.
    pub truthfulness: Interval,
    /// Numbers of errors by class.
    pub errors: Vec<(ErrorClass, usize)>,
}

/// Summarises the rows of one run; `expected` is the expected number of rows.
pub fn summarise(label: &str, rows: &[Row], expected: usize, seed: u64) -> Summary {
    let values = |metric: Metric| rows.iter().filter_map(|row| metric.of(row)).collect::<Vec<f64>>();
    let metrics = Metric::ALL
        .into_iter()
        .map(|metric| (metric, bootstrap_mean(&values(metric), seed)))
        .filter(|(_, interval)| interval.n > 0);
    let mut engine: Vec<f64> = rows.iter().map(|row| row.cost.engine_seconds * 1000.0).collect();
    engine.sort_by(f64::total_cmp);
    let answered = rows.iter().filter(|row| row.ended == Ended::Answered);
    let confidences: Vec<(f64, bool)> =
        answered.clone().map(|row| (row.confidence, row.score.hit_at_1 == 1.0)).collect();
    let wrong: Vec<(f64, bool)> = answered.map(|row| (row.confidence, row.is_answered_wrongly())).collect();
    let incomplete = |row: &&Row| row.score.hit_at_1 == 1.0 && row.score.exact < 1.0;
    let mut judged_by = [0; 3];
    for row in rows {
        if let Some(count) = judged_by.get_mut(row.judged.by as usize) {
            *count += 1;
        }
    }
    Summary {
        label: label.into(),
        method: rows.first().map(|row| row.method.clone()).unwrap_or_default(),
        llm: rows.first().map(|row| row.llm.clone()).unwrap_or_default(),
        questions: rows.len(),
        expected,
        metrics: metrics.collect(),
        engine_ms: engine.get(engine.len() / 2).copied().unwrap_or_default(),
        abstention: Abstention::of(rows),
        calibration: calibration(&confidences),
        risk: risk_coverage(&wrong, rows.len()),
        errors: errors(rows.iter()),
        incomplete: rows.iter().filter(incomplete).count(),
        judged_by,
        groups: groups(rows, seed),
    }
}

impl Summary {
    /// A metric; an empty interval if it does not apply.
    pub fn get(&self, metric: Metric) -> Interval {
        self.metrics.get(&metric).copied().unwrap_or_default()
    }
}

fn errors<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<(ErrorClass, usize)> {
    let classes: Vec<ErrorClass> = rows.filter_map(|row| row.error).collect();
    let count = |class: ErrorClass| (class, classes.iter().filter(|found| **found == class).count());
    ErrorClass::ALL.into_iter().map(count).filter(|(_, count)| *count > 0).collect()
}

fn groups(rows: &[Row], seed: u64) -> Vec<Group> {
    type Property = fn(&Row) -> Option<String>;
    let by: [(&str, Property); 4] = [
        ("hops", |row| row.hops.map(|hops| hops.to_string())),
        ("type", |row| row.kind.clone()),
        ("domain", |row| row.domain.clone()),
        ("popularity", |row| row.popularity.clone()),
    ];
    let mut groups = Vec::new();
    for (name, value) in by {
        let mut of_value: BTreeMap<String, Vec<&Row>> = BTreeMap::new();
        for row in rows {
            if let Some(value) = value(row) {
                of_value.entry(value).or_default().push(row);
            }
        }
        let mut of_name: Vec<Group> =
            of_value.into_iter().map(|(value, rows)| group(name, value, &rows, seed)).collect();
        if name == "type" {
            of_name.sort_by_key(|group| std::cmp::Reverse(group.hit_at_1.n));
        }
        if name == "popularity" {
            let rank = |g: &Group| ["head", "torso", "tail"].iter().position(|bucket| *bucket == g.value);
            of_name.sort_by_key(|group| rank(group).unwrap_or(usize::MAX));
        }
        groups.extend(of_name);
    }
    groups
}

fn group(by: &str, value: String, rows: &[&Row], seed: u64) -> Group {
    let mean = |metric: Metric| {
        let values: Vec<f64> = rows.iter().filter_map(|row| metric.of(row)).collect();
        bootstrap_mean(&values, seed)
    };
    Group {
        by: by.into(),
        value,
        hit_at_1: mean(Metric::HitAt1),
        answered_wrongly: mean(Metric::AnsweredWrongly),
        f1: mean(Metric::F1),
        truthfulness: mean(Metric::Truthfulness),
        errors: errors(rows.iter().copied()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::samples::{row, wrong};

    fn rows() -> Vec<Row> {
        let abstained = |id: &str| Row {
            ended: Ended::Abstained,
            judged: crate::judge::Judged { verdict: Verdict::Missing, ..row(id).judged },
            answers: Vec::new(),
            grounded: false,
            confidence: 0.0,
            ..wrong(id, ErrorClass::WronglyAbstained)
        };
        let failed = Row { ended: Ended::Failed, evidence_recall: None, ..wrong("5", ErrorClass::Failed) };
        let unanswerable = Row {
            unanswerable: true,
            score: Score::FULL,
            error: None,
            evidence_recall: None,
            ..abstained("6")
        };
        vec![row("1"), row("2"), wrong("3", ErrorClass::Composition), abstained("4"), failed, unanswerable]
    }
    use crate::metrics::Score;

    #[test]
    fn every_question_counts() {
        let summary = summarise("paths", &rows(), 8, 1);
        assert_eq!((summary.questions, summary.expected), (6, 8));
        let hit = summary.get(Metric::HitAt1);
        assert!((hit.mean - 0.5).abs() < 1e-9 && hit.n == 6, "a failure is a zero: {hit}");
        assert!((summary.get(Metric::Truthfulness).mean - 0.0).abs() < 1e-9, "2 accurate, 2 hallucinations");
        assert_eq!(summary.get(Metric::Grounded).n, 3, "of the answers only");
        let recall = summary.get(Metric::RetrievalRecall);
        assert_eq!((recall.n, (recall.mean * 5.0).round()), (5, 4.0), "a failure retrieved nothing");
        let classes: Vec<(ErrorClass, usize)> = summary.errors;
        assert_eq!(
            classes,
            [(ErrorClass::Failed, 1), (ErrorClass::WronglyAbstained, 1), (ErrorClass::Composition, 1)]
        );
    }

    #[test]
    fn wrong_answers_count_against_all_questions_and_silence_does_not() {
        let summary = summarise("paths", &rows(), 8, 1);
        let mean = |metric: Metric| (summary.get(metric).mean * 600.0).round() / 100.0;
        assert_eq!((mean(Metric::Answered), mean(Metric::AnsweredWrongly)), (3.0, 1.0), "of six");
        assert_eq!((summary.risk.answers, summary.risk.questions), (3, 6));
        assert_eq!(summary.risk.points.last().map(|point| (point.risk * 3.0).round()), Some(1.0));
        let boastful = Row { ended: Ended::Answered, confidence: 0.9, ..rows().remove(5) };
        let summary = summarise("paths", &[boastful], 1, 1);
        assert_eq!(summary.get(Metric::AnsweredWrongly).mean, 1.0, "no answer is right");
    }

    #[test]
    fn rows_of_a_version_without_row_scores_are_no_zeros() {
        let old = Row { score: Score { rows: None, ..Score::FULL }, ..row("1") };
        let summary = summarise("paths", &[old], 1, 1);
        assert_eq!((summary.get(Metric::RowF1).n, summary.get(Metric::HitAt1).n), (0, 1));
    }

    #[test]
    fn abstentions_are_right_where_nothing_was_to_be_said() {
        let abstention = Abstention::of(&rows());
        assert_eq!((abstention.abstained, abstention.rightly), (2, 1));
        assert_eq!((abstention.precision(), abstention.recall()), (Some(0.5), Some(1.0)));
        assert_eq!(Abstention::default().precision(), None);
    }

    #[test]
    fn groups_follow_what_the_file_says() {
        let summary = summarise("paths", &rows(), 6, 1);
        let of = |by: &str| -> Vec<(String, usize)> {
            let groups = summary.groups.iter().filter(|group| group.by == by);
            groups.map(|group| (group.value.clone(), group.hit_at_1.n)).collect()
        };
        assert_eq!(of("hops"), [("1".to_owned(), 2), ("2".to_owned(), 4)]);
        assert_eq!(of("domain"), []);
    }
}
