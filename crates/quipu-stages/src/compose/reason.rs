//! Step-by-step composition over tables of evidence (KERAG §4.3, App. I.3). The model reasons,
//! points at rows and names an operation; code calculates.

use quipu_language::{Operation, TimeFrame, calculate};
use quipu_model::{ChatRequest, Message};
use serde::Deserialize;
use serde_json::{Value, json};

use super::operands::{asked, column, field_of, may_mean, operands, row_positions};
use crate::answer::{
    AnswerError, Event, Evidence, EvidenceContent, Question, Stage, Status, shown_values, to_markdown,
};
use crate::ledger::Context;
use crate::prompts::Prompt;

/// Most values that the model may list; longer lists are left to code.
const MOST_ANSWERS: usize = 60;

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
    let stated = stated.map(|operation| (operation, pointed.clone()));
    let stated = stated.or_else(|| asked(question, &reply.rows, &pointed, evidence));
    if let (Some((operation, operands)), Status::Answered) = (stated, composed.status) {
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
    composed.answers = composed.answers.iter().flat_map(|answer| of_list(answer, evidence)).collect();
    if composed.answers.is_empty() && composed.status == Status::Answered {
        composed.answers = row_values(&reply.rows, evidence);
    }
    let (reasoning, answers) = (composed.reasoning.clone(), composed.answers.clone());
    context.trace.report(Stage::Compose, Event::Composed { reasoning, answers });
    if composed.answers.is_empty() && composed.status == Status::Answered {
        composed.status = Status::Abstained;
    }
    composed
}

/// The values of the rows that the model points at, each once: small models often name the rows but
/// forget to copy the values.
fn row_values(rows: &[String], evidence: &[Evidence]) -> Vec<String> {
    let shown = shown_values(evidence);
    let mut values: Vec<String> = Vec::new();
    for row in rows {
        for at in row_positions(row) {
            let named = evidence.get(at).and_then(|piece| field_of(piece, column(row)));
            let own: Vec<&str> = match named {
                Some(field) => field.each().collect(),
                None => shown.get(at).copied().into_iter().collect(),
            };
            for value in own.into_iter().filter(|value| !value.is_empty()) {
                if values.iter().all(|known| known != value) {
                    values.push(value.to_owned());
                }
            }
        }
    }
    values.truncate(MOST_ANSWERS);
    values
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{RecordContent, RecordField};

    #[test]
    fn rows_stand_in_for_values_that_were_not_copied() {
        let triple = |h, r, t| Evidence::triple("g", [h, r, t], [h, r, t]);
        let evidence = [
            triple("Salt Roads", "author", "Ada"),
            triple("The Ninth Wave", "author", "Ada"),
            triple("Ada", "born in", "Lindau"),
            Evidence::passage("g", "Ada", "A novelist."),
        ];
        let rows = ["E0-E1".to_owned(), "E1".to_owned(), "E3".to_owned(), "E9".to_owned()];
        assert_eq!(row_values(&rows, &evidence), ["Salt Roads", "The Ninth Wave"]);
        assert_eq!(row_values(&["E2".to_owned()], &evidence), ["Lindau"]);
    }

    #[test]
    fn cells_of_records_are_values() {
        let field = |name: &str, value: &str| RecordField::new(name, &[value.to_owned()]);
        let record = |date: &str, close: &str| {
            let fields = vec![field("date", date), field("Close", close), field("Volume", "7")];
            Evidence::record("api", RecordContent { table: "prices".into(), fields, path: "$".into() })
        };
        let evidence = [record("2024-02-27", "1.5"), record("2024-02-28", "2")];
        assert_eq!(row_values(&["E0.Close".to_owned(), "E1.close".to_owned()], &evidence), ["1.5", "2"]);
        assert_eq!(row_values(&["E1.date".to_owned()], &evidence), ["2024-02-28"]);
    }
}
