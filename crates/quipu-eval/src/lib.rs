//! Evaluates methods on question sets. Every question counts; a failure is a listed zero.
//!
//! [`run`] asks the questions of a file and keeps a folder of results. The metrics can be used
//! alone:
//!
//! ```
//! use quipu_eval::{GoldAnswer, risk_coverage, score};
//!
//! let gold = ["Peru", "Ecuador"].map(GoldAnswer::named);
//! let given = [("Perú".to_owned(), vec![]), ("Chile".to_owned(), vec![])];
//! let score = score(&given, "Perú and Chile", &gold, false);
//! assert_eq!((score.hit_at_1, score.exact, score.f1), (1.0, 0.0, 0.5));
//!
//! // Two of four questions were answered, the surer one wrongly.
//! let risk = risk_coverage(&[(0.9, true), (0.6, false)], 4);
//! assert_eq!(risk.area, Some(0.75));
//! ```
mod across;
mod compare;
mod error;
mod folder;
mod formats;
mod gold;
mod head_to_tail;
mod html;
mod judge;
mod learnt;
mod manifest;
mod metamorphic;
mod metrics;
mod normal;
mod oracle;
mod order;
mod perturb;
mod question;
mod random;
mod row;
mod runner;
mod select;
#[cfg(test)]
#[path = "../../../tests/skip.rs"]
mod skip;
mod summary;
mod table;
mod tuning;

pub use across::{Across, AcrossFiles, across_files};
pub use compare::{Comparison, LabelledRows, PairedDifference, compare, comparisons_to_markdown};
pub use error::EvalError;
pub use folder::{Results, ResultsFolder, TraceRow};
pub use formats::{QuestionFile, QuestionFormat, read_questions};
pub use gold::{PreparedQuestion, prepare};
pub use head_to_tail::{Bucket, HeadToTail, HeadToTailConfig, Templates, head_to_tail, read_templates};
pub use html::write_html;
pub use judge::{
    Agreement, Judge, JudgeCase, Judged, KindAgreement, LabelledCase, ModelJudge, Verdict, judge_agreement,
    judge_agreement_on, judge_by_rule, labelled_cases, prompt_template, read_labelled,
};
pub use learnt::LearntFiles;
pub use manifest::{
    AnchorSetting, DatasetFacts, LlmFacts, Manifest, PARAMETERS_OF, RESULTS_FORMAT, Selection,
    WorkspaceFacts, prompt_hashes,
};
pub use metamorphic::{
    Base, Case, Held, KindCounts, MetamorphicConfig, MetamorphicReport, MetamorphicSuite, Rule, Said,
    SaidHow, Twin, TwinOutcome, Unit, metamorphic, metamorphic_suite,
};
pub use metrics::{
    Calibration, CalibrationBin, GivenTable, GoldAnswer, GoldTable, Interval, RiskCoverage, RiskPoint,
    RowScore, Score, bootstrap_mean, calibration, risk_coverage, rouge_l, score, score_rows,
};
pub use normal::{occurs_in, same_answer, same_cell};
pub use perturb::{PerturbConfig, Perturbed, perturb};
pub use question::{GoldQuestion, Page};
pub use row::{Ended, ErrorClass, Row, RowCost, StageCost};
pub use runner::{Budget, RunConfig, RunOutcome, run};
pub use select::select;
pub use summary::{Abstention, Group, Metric, Summary, summarise};
pub use table::{
    agreement_to_text, errors_to_markdown, failures_to_text, groups_to_markdown, risk_to_markdown,
    to_markdown,
};
pub use tuning::{
    DATA_CARD_FORMAT, DataCard, ExampleKind, HeldOut, Leak, LeakCounts, Recorder, SourceCard, TuneConfig,
    TuneCounts, TuneExample, TuneFolder, TuneTask, tune_export,
};
