//! The results of a suite: counts by kind, and every twin.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::judge::{Held, Said, SaidHow, right};
use super::templates::Rule;
use super::{MetamorphicSuite, Outcomes};
use crate::metrics::{Interval, bootstrap_mean, one_if};

/// The result of a suite.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct MetamorphicReport {
    /// The method.
    pub method: String,
    /// The language model; `none` without one.
    pub llm: String,
    /// Seed of the suite.
    pub seed: u64,
    /// Number of facts.
    pub facts: usize,
    /// The base questions, compared with the graph: `held` if the answer equals the graph's,
    /// `answered wrongly` if they do not overlap.
    pub bases: KindCounts,
    /// The twins, by kind.
    pub kinds: Vec<KindCounts>,
    /// Share of wrong answers among all twins.
    pub answered_wrongly: Interval,
    /// Every twin.
    pub twins: Vec<TwinOutcome>,
}

/// Counts of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KindCounts {
    /// The kind.
    pub kind: String,
    /// Questions.
    pub asked: usize,
    /// Questions whose answers satisfy the rule, including refusals.
    pub held: usize,
    /// Of these, refusals.
    pub refused: usize,
    /// Answers that violate the rule.
    pub answered_wrongly: usize,
    /// Questions that failed.
    pub failed: usize,
}

/// The outcome of a twin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TwinOutcome {
    /// The change of the base.
    pub kind: String,
    /// The question.
    pub question: String,
    /// The rule.
    pub rule: Rule,
    /// The verdict.
    pub held: Held,
    /// The answer.
    pub said: Said,
    /// The base's question and values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<(String, Vec<String>)>,
    /// The graph's statements: about the base, or about the twin itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<String>,
}

impl MetamorphicReport {
    pub(super) fn of(suite: &MetamorphicSuite, method: &str, llm: &str, outcomes: Outcomes) -> Self {
        let Outcomes { bases, twins } = outcomes;
        let mut of_bases = KindCounts { kind: "the facts themselves".into(), ..KindCounts::default() };
        for (base, said) in &bases {
            let (whole, any) = right(said, &base.truth);
            of_bases.asked += 1;
            match said.ended {
                SaidHow::Failed => of_bases.failed += 1,
                SaidHow::Refused => of_bases.refused += 1,
                SaidHow::Answered if whole => of_bases.held += 1,
                SaidHow::Answered => of_bases.answered_wrongly += usize::from(!any),
            }
        }
        let kinds = suite.kinds.iter().map(|kind| KindCounts::of(kind, &twins)).collect();
        let wrong: Vec<f64> = twins.iter().map(|twin| one_if(twin.held == Held::Wrongly)).collect();
        Self {
            method: method.to_owned(),
            llm: llm.to_owned(),
            seed: suite.seed,
            facts: suite.cases.len(),
            bases: of_bases,
            kinds,
            answered_wrongly: bootstrap_mean(&wrong, suite.seed),
            twins,
        }
    }

    /// One line for each kind, for all twins, and for the facts themselves.
    pub fn to_markdown(&self) -> String {
        let mut table = String::from(
            "| twin | asked | held | of these refused | answered wrongly | failed |\n|---|---|---|---|---|---|\n",
        );
        let mut all = KindCounts { kind: "all twins".into(), ..KindCounts::default() };
        for kind in &self.kinds {
            all.asked += kind.asked;
            all.held += kind.held;
            all.refused += kind.refused;
            all.answered_wrongly += kind.answered_wrongly;
            all.failed += kind.failed;
            line(&mut table, kind);
        }
        line(&mut table, &all);
        let bases = &self.bases;
        let _ = write!(
            table,
            "\n{} with {}: {} of {} twins answered wrongly, {}. Of {} questions about the {} facts themselves {} were answered with all \
             that the graph states, {} refused, {} answered wrongly.\n",
            self.method,
            if self.llm == "none" { "no model" } else { &self.llm },
            all.answered_wrongly,
            all.asked,
            self.answered_wrongly,
            bases.asked,
            self.facts,
            bases.held,
            bases.refused,
            bases.answered_wrongly,
        );
        table
    }

    /// The twins that were answered wrongly or failed, one a line.
    pub fn wrong_to_text(&self) -> String {
        let mut text = String::new();
        for twin in &self.twins {
            let what = match twin.held {
                Held::Wrongly => twin.said.values.join(", "),
                Held::Failed => {
                    format!("failed: {}", twin.said.reason.as_deref().unwrap_or("no reason given"))
                }
                Held::Held | Held::Refused => continue,
            };
            let _ = write!(text, "- {}: {} → {what}", twin.kind, twin.question);
            if let Some((question, values)) = &twin.base {
                let values = if values.is_empty() { "no answer".into() } else { values.join(", ") };
                let _ = write!(text, " (but {question} → {values})");
            }
            text.push('\n');
        }
        text
    }
}

impl KindCounts {
    fn of(kind: &str, twins: &[TwinOutcome]) -> Self {
        let count = |held: &[Held]| {
            twins.iter().filter(|twin| twin.kind == kind && held.contains(&twin.held)).count()
        };
        Self {
            kind: kind.to_owned(),
            asked: count(&[Held::Held, Held::Refused, Held::Wrongly, Held::Failed]),
            held: count(&[Held::Held, Held::Refused]),
            refused: count(&[Held::Refused]),
            answered_wrongly: count(&[Held::Wrongly]),
            failed: count(&[Held::Failed]),
        }
    }
}

fn line(table: &mut String, counts: &KindCounts) {
    let KindCounts { kind, asked, held, refused, answered_wrongly, failed } = counts;
    let _ = writeln!(table, "| {kind} | {asked} | {held} | {refused} | {answered_wrongly} | {failed} |");
}
