//! CRAG's judge: is an answer accurate, a hallucination, or missing? By rule where the gold is short, by a model where rules do not
//! decide, and by string match, marked as such, where there is no model.
//!
//! Kinds of trap and order of steps follow CRAG's evaluation as KERAG App. I.5 shows it; rules, prompt and labelled cases are ours.

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
    /// It answers the question rightly.
    Accurate,
    /// It gives something wrong.
    Hallucination,
    /// It does not answer.
    Missing,
}

/// Who came to a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// How the question ended, or a rule over short answers.
    Rule,
    /// The judge's model.
    Model,
    /// The lenient match, because nothing else decided.
    Match,
}

/// A verdict with who came to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Who came to it.
    pub by: Judge,
    /// The model's reason, or why it was not followed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What is judged.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JudgeCase<'a> {
    /// The question.
    pub question: &'a str,
    /// Gold answers: names or texts.
    pub gold: &'a [String],
    /// Whether each of them alone is a whole answer.
    pub any_of: bool,
    /// The answer in words.
    pub prediction: &'a str,
    /// Its bare values, where there are any.
    pub values: &'a [String],
}
