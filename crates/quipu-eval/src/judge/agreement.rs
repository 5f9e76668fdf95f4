//! Evaluates the judge: its agreement with cases labelled by people.

use serde::{Deserialize, Serialize};

use super::model::judge_without_model;
use super::{Judge, JudgeCase, ModelJudge, Verdict};
use crate::EvalError;
use crate::metrics::share;

const LABELLED: &str = include_str!("labelled.jsonl");

/// A labelled case: a typical trap for judges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LabelledCase {
    /// The kind of trap.
    pub kind: String,
    /// The question.
    pub question: String,
    /// The gold answer.
    pub gold: String,
    /// The answer to judge.
    pub prediction: String,
    /// The label.
    pub verdict: Verdict,
}

/// The agreement of a judge with the labels.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Agreement {
    /// Cases.
    pub cases: usize,
    /// Cases with the label's verdict.
    pub agreed: usize,
    /// Cases decided by rules.
    pub by_rule: usize,
    /// Of these, with the label's verdict.
    pub by_rule_agreed: usize,
    /// Share of correct verdicts among the answers labelled accurate, hallucination and missing, in
    /// this order.
    pub of_verdicts: [f64; 3],
    /// By kind of trap, in the order of the cases.
    pub kinds: Vec<KindAgreement>,
    /// Calls of the judge's model.
    pub calls: u32,
}

/// The agreement on one kind of trap.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KindAgreement {
    /// The kind.
    pub kind: String,
    /// Cases.
    pub cases: usize,
    /// Cases with the label's verdict.
    pub agreed: usize,
}

impl Agreement {
    /// Share of the cases with the label's verdict.
    pub fn share(&self) -> f64 {
        share(self.agreed, self.cases)
    }
}

/// The labelled cases.
///
/// # Errors
/// [`EvalError::Usage`] if the embedded file is damaged, which a test excludes.
pub fn labelled_cases() -> Result<Vec<LabelledCase>, EvalError> {
    let read =
        |line: &str| serde_json::from_str(line).map_err(|e| EvalError::Usage(format!("labelled.jsonl: {e}")));
    LABELLED.lines().map(read).collect()
}

/// Cases labelled by others: JSON lines with `question`, `gold`, `answer` and `label`, one of
/// `true`, `false` and `miss` (or the verdicts' own names). Their kind is the domain, if a line has
/// one.
///
/// # Errors
/// [`EvalError::Usage`], naming the line.
pub fn read_labelled(text: &str) -> Result<Vec<LabelledCase>, EvalError> {
    let read = |(at, line): (usize, &str)| {
        let wrong = |reason: &str| EvalError::Usage(format!("line {}: {reason}", at + 1));
        let value: serde_json::Value =
            serde_json::from_str(line).map_err(|error| wrong(&error.to_string()))?;
        let field = |name: &str| {
            let text = value.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
            text.ok_or_else(|| wrong(&format!("a text `{name}` was expected")))
        };
        let verdict = match field("label")?.as_str() {
            "true" | "accurate" => Verdict::Accurate,
            "false" | "hallucination" => Verdict::Hallucination,
            "miss" | "missing" => Verdict::Missing,
            other => {
                return Err(wrong(&format!("{other:?} is not a label; the labels are true, false and miss")));
            }
        };
        let kind = field("domain").unwrap_or_default();
        Ok(LabelledCase {
            kind,
            question: field("question")?,
            gold: field("gold")?,
            prediction: field("answer")?,
            verdict,
        })
    };
    let mut cases: Vec<LabelledCase> = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(read)
        .collect::<Result<_, _>>()?;
    cases.sort_by(|left, right| left.kind.cmp(&right.kind));
    Ok(cases)
}

/// Compares a judge with the labelled cases; without a model, it evaluates rules and lenient match.
///
/// # Errors
/// The model's.
pub async fn judge_agreement(judge: Option<&ModelJudge>) -> Result<Agreement, EvalError> {
    judge_agreement_on(judge, &labelled_cases()?).await
}

/// The same on the caller's cases.
///
/// # Errors
/// The model's.
pub async fn judge_agreement_on(
    judge: Option<&ModelJudge>,
    cases: &[LabelledCase],
) -> Result<Agreement, EvalError> {
    let mut agreement = Agreement::default();
    let mut right = [(0, 0); 3];
    for case in cases.iter().cloned() {
        let gold = [case.gold.clone()];
        let shown = JudgeCase {
            question: &case.question,
            gold: &gold,
            any_of: true,
            prediction: &case.prediction,
            values: &[],
        };
        let (judged, calls) = match judge {
            Some(judge) => judge.judge(&shown).await?,
            None => (judge_without_model(&shown), 0),
        };
        let agreed = judged.verdict == case.verdict;
        agreement.cases += 1;
        agreement.agreed += usize::from(agreed);
        agreement.calls += calls;
        if judged.by == Judge::Rule {
            agreement.by_rule += 1;
            agreement.by_rule_agreed += usize::from(agreed);
        }
        if let Some((agreed_so_far, cases)) = right.get_mut(case.verdict as usize) {
            *agreed_so_far += usize::from(agreed);
            *cases += 1;
        }
        if agreement.kinds.last().is_none_or(|kind| kind.kind != case.kind) {
            agreement.kinds.push(KindAgreement { kind: case.kind, ..KindAgreement::default() });
        }
        if let Some(kind) = agreement.kinds.last_mut() {
            kind.cases += 1;
            kind.agreed += usize::from(agreed);
        }
    }
    agreement.of_verdicts = right.map(|(agreed, cases)| share(agreed, cases));
    Ok(agreement)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::judge::judge_by_rule;
    use crate::skip::skip_without;

    #[test]
    fn the_labelled_cases_cover_the_traps() {
        let cases = labelled_cases().unwrap();
        assert!(cases.len() >= 120, "{}", cases.len());
        let kinds: std::collections::HashSet<&str> = cases.iter().map(|c| c.kind.as_str()).collect();
        assert!(kinds.len() >= 20, "{kinds:?}");
        for verdict in [Verdict::Accurate, Verdict::Hallucination, Verdict::Missing] {
            assert!(cases.iter().filter(|c| c.verdict == verdict).count() >= 7, "{verdict:?}");
        }
    }

    /// Rules may leave a case to the model, but their decisions must be right.
    #[test]
    fn rules_decide_most_cases_and_err_in_none() {
        let mut decided = 0;
        let mut wrong = Vec::new();
        let cases = labelled_cases().unwrap();
        for case in &cases {
            let gold = [case.gold.clone()];
            let shown = JudgeCase {
                question: &case.question,
                gold: &gold,
                any_of: true,
                prediction: &case.prediction,
                values: &[],
            };
            if let Some(verdict) = judge_by_rule(&shown) {
                decided += 1;
                if verdict != case.verdict {
                    wrong.push(format!(
                        "{} / {} / {}: {verdict:?}",
                        case.question, case.gold, case.prediction
                    ));
                }
            }
        }
        println!("rules decide {decided} of {} cases", cases.len());
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(decided * 10 >= cases.len() * 7, "{decided}");
    }

    #[test]
    fn labels_of_others_are_read() {
        let line = r#"{"question": "q", "gold": "5", "answer": "it is 5", "label": "true", "domain": "d"}"#;
        let cases = read_labelled(&format!("{line}\n\n")).unwrap();
        assert_eq!((cases.len(), cases[0].verdict, cases[0].kind.as_str()), (1, Verdict::Accurate, "d"));
        let error = read_labelled(&line.replace("true", "perhaps")).unwrap_err().to_string();
        assert!(error.contains("line 1") && error.contains("perhaps"), "{error}");
        assert!(read_labelled("{}").unwrap_err().to_string().contains("`label`"));
    }

    #[tokio::test]
    async fn agreement_counts_by_kind_and_verdict() {
        let agreement = judge_agreement(None).await.unwrap();
        assert_eq!(agreement.kinds.iter().map(|k| k.cases).sum::<usize>(), agreement.cases);
        assert_eq!(agreement.kinds.iter().map(|k| k.agreed).sum::<usize>(), agreement.agreed);
        assert!(agreement.share() > 0.8 && agreement.calls == 0, "{agreement:?}");
        assert_eq!(agreement.of_verdicts[2], 1.0, "what says that it does not know is always seen");
    }

    /// Published verdicts of people on one system's long answers. No rule was written for them.
    #[test]
    fn rules_agree_with_published_labels() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/crag/questions.dev.jsonl");
        let Ok(text) = std::fs::read_to_string(path) else {
            let shared = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
            return skip_without(shared, "the questions of CRAG are missing");
        };
        let (mut cases, mut decided, mut agreed) = (0, 0, 0);
        for line in text.lines() {
            let case: serde_json::Value = serde_json::from_str(line).unwrap();
            let field = |name: &str| case[name].as_str().unwrap().to_owned();
            let (question, gold, prediction) = (field("question"), [field("gold")], field("answer"));
            let label = match field("label").as_str() {
                "true" => Verdict::Accurate,
                "false" => Verdict::Hallucination,
                _ => Verdict::Missing,
            };
            let shown = JudgeCase {
                question: &question,
                gold: &gold,
                any_of: true,
                prediction: &prediction,
                values: &[],
            };
            cases += 1;
            if let Some(verdict) = judge_by_rule(&shown) {
                decided += 1;
                agreed += usize::from(verdict == label);
                if verdict != label {
                    println!("{verdict:?}, published {label:?}: {question} / {} / {prediction}", gold[0]);
                }
            }
        }
        println!("of {cases} cases, rules decide {decided}, {agreed} of them as published");
        assert!(decided > 0 && agreed * 100 >= decided * 80, "{agreed} of {decided}");
    }
}
