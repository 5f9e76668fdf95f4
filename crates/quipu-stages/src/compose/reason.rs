//! Step-by-step composition over tables of evidence (KERAG §4.3, App. I.3). The model reasons,
//! points at rows and names an operation; code calculates.

use quipu_language::{Operation, TimeFrame, calculate};
use quipu_model::{ChatRequest, Message};
use serde::Deserialize;
use serde_json::{Value, json};

use super::counts::{counted_rows, is_of_another};
use super::mend::{counted_as_said, instead};
use super::operands::{MOST_ANSWERS, asked, may_mean, operands, row_values};
use crate::answer::{AnswerError, Event, Evidence, EvidenceContent, Question, Stage, Status, to_markdown};
use crate::ledger::Context;
use crate::prompts::Prompt;

/// Longest id of a row with its column.
const MOST_ROW_ID: usize = 40;

/// The result of a composition.
#[derive(Debug, Clone, PartialEq)]
pub struct Composed {
    /// Answered, abstained or invalid.
    pub status: Status,
    /// The bare values.
    pub answers: Vec<String>,
    /// The model's reasoning.
    pub reasoning: String,
    /// The calculation, which belongs to the evidence.
    pub calculation: Option<Evidence>,
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    reasoning: String,
    status: ReplyStatus,
    #[serde(default)]
    rows: Vec<String>,
    #[serde(default)]
    operation: ReplyOperation,
    #[serde(default)]
    answers: Vec<String>,
}

#[derive(Deserialize, PartialEq, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReplyStatus {
    Answered,
    Unknown,
    InvalidQuestion,
}

impl From<ReplyStatus> for Status {
    fn from(status: ReplyStatus) -> Self {
        match status {
            ReplyStatus::Answered => Self::Answered,
            ReplyStatus::Unknown => Self::Abstained,
            ReplyStatus::InvalidQuestion => Self::InvalidQuestion,
        }
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub(super) enum ReplyOperation {
    #[default]
    None,
    #[serde(untagged)]
    Some(Operation),
}

impl From<ReplyOperation> for Option<Operation> {
    fn from(operation: ReplyOperation) -> Self {
        match operation {
            ReplyOperation::None => None,
            ReplyOperation::Some(operation) => Some(operation),
        }
    }
}

/// Asks the model to reason over the evidence, tables or passages: one call.
///
/// # Errors
/// The model's.
pub async fn compose(
    context: &Context<'_>,
    question: &Question,
    time_frames: &[TimeFrame],
    evidence: &[Evidence],
) -> Result<Composed, AnswerError> {
    let passages = evidence.iter().all(|e| matches!(e.content, EvidenceContent::Passage { .. }));
    let records = evidence.iter().any(|e| matches!(e.content, EvidenceContent::Record(_)));
    let prompt = match (passages, records) {
        (true, _) => Prompt::ComposePassages,
        (_, true) => Prompt::VerifyCompose,
        _ => Prompt::KeragCompose,
    };
    compose_with(context, question, time_frames, evidence, prompt).await
}

/// The same with a prompt of the caller, which must ask for the same form of reply.
///
/// # Errors
/// The model's.
pub async fn compose_with(
    context: &Context<'_>,
    question: &Question,
    time_frames: &[TimeFrame],
    evidence: &[Evidence],
    prompt: Prompt,
) -> Result<Composed, AnswerError> {
    compose_about(context, question, time_frames, evidence, prompt, Value::Null).await
}

/// The same with further values for the prompt about the question, by name.
///
/// # Errors
/// The model's.
pub async fn compose_about(
    context: &Context<'_>,
    question: &Question,
    time_frames: &[TimeFrame],
    evidence: &[Evidence],
    prompt: Prompt,
    about: Value,
) -> Result<Composed, AnswerError> {
    let schema = json!({
        "type": "object",
        "properties": {
            "reasoning": { "type": "string", "maxLength": 500 },
            "status": status_schema(),
            "rows": { "type": "array", "items": { "type": "string", "maxLength": MOST_ROW_ID }, "maxItems": MOST_ANSWERS },
            "operation": { "type": "string", "enum": [
                "none", "count", "sum", "average", "highest", "lowest", "difference", "ascending", "descending"
            ] },
            "answers": answers_schema()
        },
        "required": ["reasoning", "status", "rows", "operation", "answers"]
    });
    let messages = render(prompt, question, time_frames, evidence, about)?;
    let request = ChatRequest::new("compose", messages).with_max_tokens(700);
    let reply: Reply = context.json(Stage::Compose, request, &schema).await?;
    Ok(settle(context, question, reply, evidence))
}

/// The same without reasoning and without calculation (the paper's ablation "- CoT"; App. I.3, base
/// prompt): one call.
///
/// # Errors
/// The model's.
pub async fn compose_plain(
    context: &Context<'_>,
    question: &Question,
    time_frames: &[TimeFrame],
    evidence: &[Evidence],
) -> Result<Composed, AnswerError> {
    let reply =
        plain(context, render(Prompt::KeragComposePlain, question, time_frames, evidence, Value::Null)?)
            .await?;
    Ok(settle(context, question, reply, evidence))
}

/// The same over triples, one in each line, and without the time of the question (App. I.3, the
/// prompt for Head2Tail): one call.
///
/// # Errors
/// The model's.
pub async fn compose_triples(
    context: &Context<'_>,
    question: &Question,
    evidence: &[Evidence],
) -> Result<Composed, AnswerError> {
    let facts: Vec<String> = evidence.iter().map(Evidence::as_triple).collect();
    let messages = Prompt::KeragComposeTriples
        .render(json!({ "facts": facts.join("\n"), "question": question.text() }))?;
    let reply = plain(context, messages).await?;
    Ok(settle(context, question, reply, evidence))
}

/// The reply to a prompt that asks for status and answers only.
async fn plain(context: &Context<'_>, messages: Vec<Message>) -> Result<Reply, AnswerError> {
    let schema = json!({
        "type": "object",
        "properties": { "status": status_schema(), "answers": answers_schema() },
        "required": ["status", "answers"]
    });
    let request = ChatRequest::new("compose", messages).with_max_tokens(500);
    context.json(Stage::Compose, request, &schema).await
}

pub(super) fn status_schema() -> Value {
    json!({ "type": "string", "enum": ["answered", "unknown", "invalid_question"] })
}

fn answers_schema() -> Value {
    json!({ "type": "array", "items": { "type": "string", "maxLength": 200 }, "maxItems": MOST_ANSWERS })
}

fn render(
    prompt: Prompt,
    question: &Question,
    time_frames: &[TimeFrame],
    evidence: &[Evidence],
    about: Value,
) -> Result<Vec<Message>, AnswerError> {
    let mut values = json!({
        "asked_at": question.asked_at().date().to_string(),
        "time_frame": frames(time_frames),
        "facts": to_markdown(evidence),
        "question": question.text(),
    });
    if let (Some(values), Value::Object(about)) = (values.as_object_mut(), about) {
        values.extend(about);
    }
    prompt.render(values)
}

/// Time frames as prompts write them.
pub(super) fn frames(time_frames: &[TimeFrame]) -> String {
    time_frames.iter().map(describe_frame).collect::<Vec<_>>().join(", ")
}

fn describe_frame(frame: &TimeFrame) -> String {
    if frame.from == frame.to { frame.from.to_string() } else { format!("{} to {}", frame.from, frame.to) }
}

/// Calculates if the model or the question asks for it, and derives the status from the remaining
/// answers.
fn settle(context: &Context<'_>, question: &Question, reply: Reply, evidence: &[Evidence]) -> Composed {
    let mut composed = Composed {
        status: reply.status.into(),
        answers: reply.answers.into_iter().filter(|a| !a.trim().is_empty()).collect(),
        reasoning: reply.reasoning,
        calculation: None,
    };
    let pointed = operands(&reply.rows, evidence);
    let stated =
        Option::<Operation>::from(reply.operation).filter(|operation| may_mean(question, *operation));
    let rows = counted_rows(question, stated, &reply.rows, &pointed, evidence);
    let is_of_another = stated.is_none() && rows.is_none() && is_of_another(question, &reply.rows, evidence);
    let stated = match rows {
        Some(rows) => Some((Operation::Count, rows)),
        None => stated.map(|operation| (operation, pointed.clone())),
    };
    let stated = stated.or_else(|| asked(question, &reply.rows, &pointed, evidence));
    if let (Some((operation, operands)), Status::Answered) = (stated, composed.status) {
        let operands = match operation {
            Operation::Count => counted_as_said(question, &composed.answers, &reply.rows, operands, evidence),
            _ => operands,
        };
        match calculate(operation, &operands) {
            Ok(calculation) => {
                let (operation, result) = (calculation.operation.clone(), calculation.result.clone());
                context.trace.report(Stage::Compose, Event::Calculated { operation, result });
                composed.answers.clone_from(&calculation.answers);
                composed.calculation = Some(Evidence::calculation(
                    &calculation.operation,
                    &calculation.result,
                    calculation.evidence,
                ));
            }
            Err(error) => {
                let reason = format!("{} was not calculated: {error}", operation.name());
                context.trace.report(Stage::Compose, Event::Degraded { reason });
            }
        }
    }
    if is_of_another && composed.calculation.is_none() && composed.status == Status::Answered {
        composed.status = Status::Abstained;
        composed.answers.clear();
        composed.reasoning.push_str(" That number is of another thing than the question names.");
    }
    composed.answers = composed.answers.iter().flat_map(|answer| of_list(answer, evidence)).collect();
    if composed.answers.is_empty() && composed.status == Status::Answered {
        composed.answers = row_values(&reply.rows, evidence);
    }
    if composed.calculation.is_none()
        && composed.status == Status::Answered
        && let Some(values) = instead(question, &composed.answers, &composed.reasoning, &reply.rows, evidence)
        && values != composed.answers
    {
        let reason = format!("{} was replaced by what the rows say", composed.answers.join(", "));
        context.trace.report(Stage::Compose, Event::Degraded { reason });
        composed.answers = values;
    }
    let (reasoning, answers) = (composed.reasoning.clone(), composed.answers.clone());
    context.trace.report(Stage::Compose, Event::Composed { reasoning, answers });
    if composed.answers.is_empty() && composed.status == Status::Answered {
        composed.status = Status::Abstained;
    }
    composed
}

/// Splits an answer that is the whole list of a record's field, as the table shows it, into its
/// values.
fn of_list(answer: &str, evidence: &[Evidence]) -> Vec<String> {
    let fields = evidence.iter().filter_map(|piece| match &piece.content {
        EvidenceContent::Record(record) => Some(&record.fields),
        _ => None,
    });
    let list = fields.flatten().find(|field| field.values.len() > 1 && field.value == answer.trim());
    list.map_or_else(|| vec![answer.to_owned()], |field| field.values.clone())
}
