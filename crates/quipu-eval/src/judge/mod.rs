//! CRAG's judge classifies an answer as accurate, a hallucination, or missing. Rules decide short
//! gold answers, a model decides the rest, and without a model a string match decides, marked as
//! such.
//!
//! The kinds of trap and the order of steps follow CRAG's evaluation as in KERAG App. I.5; rules,
//! prompt and labelled cases are Quipu's.

mod agreement;
pub(crate) mod model;
mod quantity;
mod rules;

use serde::{Deserialize, Serialize};

pub use agreement::{
    Agreement, KindAgreement, LabelledCase, judge_agreement, judge_agreement_on, labelled_cases,
    read_labelled,
};
pub use model::{ModelJudge, prompt_template};
pub use rules::judge_by_rule;

/// CRAG's three classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It answers the question correctly.
    Accurate,
    /// It contains something wrong.
    Hallucination,
    /// It does not answer.
    Missing,
}

/// The source of a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// The question's outcome, or a rule over short answers.
    Rule,
    /// The judge's model.
    Model,
    /// The lenient match, because nothing else decided.
    Match,
}

/// A verdict with its source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Its source.
    pub by: Judge,
    /// The model's reason, or the reason for ignoring the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A case to judge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgeCase<'a> {
    /// The question.
    pub question: &'a str,
    /// Gold answers: names or texts.
    pub gold: &'a [String],
    /// Whether each of them alone is a complete answer.
    pub any_of: bool,
    /// The answer in words.
    pub prediction: &'a str,
    /// Its bare values, if any.
    pub values: &'a [String],
}
