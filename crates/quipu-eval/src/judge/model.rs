//! The judge's model, for cases that rules do not decide.

use std::sync::Arc;

use minijinja::{Environment, UndefinedBehavior, context};
use quipu_model::{ChatRequest, LanguageModel, Message, ModelError, ask_json};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Judge, JudgeCase, Judged, Verdict, judge_by_rule};
use crate::EvalError;

const TEMPLATE: &str = include_str!("../prompts/judge.jinja");
const NAME: &str = "judge";
/// Longest gold or given text in the prompt, in characters.
const LONGEST: usize = 1500;
/// Most tokens of a verdict with its reason.
const REPLY_TOKENS: u32 = 160;

/// The judge's prompt, for the list of prompts in a result: name and template.
pub fn prompt_template() -> (&'static str, &'static str) {
    (NAME, TEMPLATE)
}

/// A model that judges.
#[derive(Clone)]
pub struct ModelJudge {
    model: Arc<dyn LanguageModel>,
}

/// The scale; any other value is not a verdict.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Grade {
    Correct,
    Incorrect,
    Missing,
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    explanation: String,
    verdict: Grade,
}

impl ModelJudge {
    /// A judge that asks this model.
    pub fn new(model: Arc<dyn LanguageModel>) -> Self {
        Self { model }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.model.name()
    }

    /// Judges by rule, else by model. A reply off the scale is returned to the model once. If the
    /// second is no better, the lenient match decides, and the verdict states that. Returns the
    /// number of calls too.
    ///
    /// # Errors
    /// Errors of the model, except unreadable replies.
    pub async fn judge(&self, case: &JudgeCase<'_>) -> Result<(Judged, u32), EvalError> {
        if let Some(verdict) = judge_by_rule(case) {
            return Ok((Judged { verdict, by: Judge::Rule, reason: None }, 0));
        }
        let request = ChatRequest::new("judge", render(case)?).with_max_tokens(REPLY_TOKENS);
        match ask_json::<Reply>(&*self.model, &request, &schema()).await {
            Ok((reply, replies)) => {
                let verdict = match reply.verdict {
                    Grade::Correct => Verdict::Accurate,
                    Grade::Incorrect => Verdict::Hallucination,
                    Grade::Missing => Verdict::Missing,
                };
                let reason = Some(reply.explanation).filter(|reason| !reason.is_empty());
                let calls = u32::try_from(replies.len()).unwrap_or(u32::MAX);
                Ok((Judged { verdict, by: Judge::Model, reason }, calls))
            }
            Err(ModelError::Unreadable { model, raw, .. }) => {
                let said: String = raw.chars().take(200).collect();
                let reason = format!("{model} answered off the scale, twice: {said}");
                Ok((Judged { reason: Some(reason), ..by_match(case) }, 2))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Judges without a model: by rule, else by the lenient match.
pub(crate) fn judge_without_model(case: &JudgeCase<'_>) -> Judged {
    match judge_by_rule(case) {
        Some(verdict) => Judged { verdict, by: Judge::Rule, reason: None },
        None => by_match(case),
    }
}

fn by_match(case: &JudgeCase<'_>) -> Judged {
    let occurs = |gold: &String| crate::normal::occurs_in(case.prediction, gold);
    let found = if case.any_of { case.gold.iter().any(occurs) } else { case.gold.iter().all(occurs) };
    let verdict = if found { Verdict::Accurate } else { Verdict::Hallucination };
    Judged { verdict, by: Judge::Match, reason: None }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "explanation": { "type": "string" },
            "verdict": { "type": "string", "enum": ["correct", "incorrect", "missing"] }
        },
        "required": ["explanation", "verdict"],
        "additionalProperties": false
    })
}

fn render(case: &JudgeCase<'_>) -> Result<Vec<Message>, EvalError> {
    let wrong = |source| EvalError::Template { name: NAME, source };
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    let gold = case.gold.join(if case.any_of { " or " } else { ", " });
    let values =
        context! { question => line(case.question), gold => line(&gold), given => line(case.prediction) };
    let text = environment.render_str(TEMPLATE, values).map_err(wrong)?;
    let (system, user) = text.split_once("\n=====\n").unwrap_or(("", &text));
    Ok(vec![Message::system(system.trim()), Message::user(user.trim())])
}

/// One line of limited length, so that an answer cannot imitate another case.
fn line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() { "(nothing)".into() } else { line.chars().take(LONGEST).collect() }
}

#[cfg(test)]
mod tests {
    use quipu_model::ScriptedModel;

    use super::*;

    const GOLD: &str = "The bridge was closed because its cables had rusted.";

    async fn judge(model: ScriptedModel) -> (Judged, u32, usize) {
        let model = Arc::new(model);
        let gold = [GOLD.to_owned()];
        let case = JudgeCase {
            question: "why was the bridge closed?",
            gold: &gold,
            any_of: true,
            prediction: "rust in\nthe cables",
            values: &[],
        };
        let (judged, calls) = ModelJudge::new(model.clone()).judge(&case).await.unwrap();
        (judged, calls, model.calls())
    }

    #[test]
    fn the_prompt_is_what_was_agreed() {
        let gold = ["Lima".to_owned(), "Ciudad de los Reyes".into()];
        let case = JudgeCase { question: "capital?", gold: &gold, any_of: true, prediction: "", values: &[] };
        let messages = render(&case).unwrap();
        let shown: Vec<String> = messages.iter().map(|m| format!("[{:?}]\n{}", m.role, m.content)).collect();
        insta::assert_snapshot!(shown.join("\n\n"));
    }

    #[tokio::test]
    async fn the_model_is_asked_where_rules_do_not_decide() {
        let model = ScriptedModel::new().on("judge", r#"{"explanation": "the same", "verdict": "correct"}"#);
        let (judged, calls, asked) = judge(model).await;
        assert_eq!((judged.verdict, judged.by, calls, asked), (Verdict::Accurate, Judge::Model, 1, 1));
        assert_eq!(judged.reason.as_deref(), Some("the same"));
    }

    #[tokio::test]
    async fn a_judge_off_the_scale_is_asked_again_and_then_not_followed() {
        let off = r#"{"explanation": "quite good", "verdict": "8 of 10"}"#;
        let repaired = ScriptedModel::new().on("judge", off).on("judge", r#"{"verdict": "correct"}"#);
        let (judged, calls, _) = judge(repaired).await;
        assert_eq!((judged.verdict, judged.by, calls), (Verdict::Accurate, Judge::Model, 2));
        let stubborn = ScriptedModel::new().on("judge", off).on("judge", off);
        let (judged, calls, asked) = judge(stubborn).await;
        assert_eq!((judged.verdict, judged.by), (Verdict::Hallucination, Judge::Match));
        assert_eq!((calls, asked), (2, 2));
        assert!(judged.reason.unwrap().contains("off the scale"));
    }

    #[tokio::test]
    async fn rules_cost_no_call() {
        let model = Arc::new(ScriptedModel::new());
        let gold = ["Lima".to_owned()];
        let case = JudgeCase { question: "?", gold: &gold, any_of: true, prediction: "Lima", values: &[] };
        let (judged, calls) = ModelJudge::new(model.clone()).judge(&case).await.unwrap();
        assert_eq!((judged.by, calls, model.calls()), (Judge::Rule, 0, 0));
    }
}
