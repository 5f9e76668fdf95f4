//! The question files over Freebase: CWQ, SimpleQuestions, WebQuestions and QALD in the form of
//! Think-on-Graph; GrailQA; WebQSP.

use std::path::Path;

use serde_json::Value;

use super::records::{Fields, records, scalar};
use super::{Numbered, made_id};
use crate::EvalError;
use crate::question::GoldQuestion;

/// A list of `question`, `answer` (a text, a list, or an object of keys with names) or `answers`,
/// `topic_entity`.
pub(super) fn read_tog(path: &Path, text: &str) -> Result<Vec<Numbered>, EvalError> {
    each(path, text, None, |number, fields| {
        let (topic_ids, topic_entities) = fields.named("topic_entity")?;
        let mut question = GoldQuestion {
            id: first_of(fields, &["ID", "id", "QuestionId"])?.unwrap_or_else(|| made_id(path, number)),
            question: fields.text("question")?,
            topic_ids,
            topic_entities,
            kind: first_of(fields, &["compositionality_type", "type"])?,
            ..GoldQuestion::default()
        };
        match (fields.get("answers"), fields.get("answer")) {
            (Some(Value::Array(_)), _) => question.answers = fields.texts("answers")?,
            (_, Some(Value::Array(_))) => question.answers = fields.texts("answer")?,
            (_, Some(Value::Object(_))) => {
                let (ids, names) = fields.named("answer")?;
                // In these files QALD's literals have themselves as keys.
                let is_id = ids.iter().zip(&names).all(|(id, name)| id != name);
                (question.answer_ids, question.answers) = (if is_id { ids } else { Vec::new() }, names);
            }
            _ => question.answers = vec![fields.text("answer")?],
        }
        Ok(question)
    })
}

/// A list with `qid`, `question`, `answer[]` of `answer_argument` and `entity_name`.
pub(super) fn read_grailqa(path: &Path, text: &str) -> Result<Vec<Numbered>, EvalError> {
    each(path, text, None, |_, fields| {
        let (topic_ids, topic_entities) = grailqa_topics(fields)?;
        let mut question = GoldQuestion {
            id: fields.text("qid")?,
            question: fields.text("question")?,
            topic_ids,
            topic_entities,
            hops: fields.get("num_edge").and_then(Value::as_u64).and_then(|hops| u32::try_from(hops).ok()),
            kind: grailqa_kind(fields)?,
            domain: fields.get("domains").and_then(|d| d.get(0)).and_then(scalar),
            ..GoldQuestion::default()
        };
        take_answers(fields, "answer", ["answer_type", "answer_argument", "entity_name"], &mut question)?;
        Ok(question)
    })
}

/// The level of generalisation, and the function if the question has one.
fn grailqa_kind(fields: &Fields<'_>) -> Result<Option<String>, EvalError> {
    let level = fields.optional("level")?;
    let function = fields.optional("function")?.filter(|function| function != "none");
    Ok(match (level, function) {
        (Some(level), Some(function)) => Some(format!("{level}, {function}")),
        (level, function) => level.or(function),
    })
}

/// `topic_entity` if present, else the entities of the graph query.
fn grailqa_topics(fields: &Fields<'_>) -> Result<(Vec<String>, Vec<String>), EvalError> {
    if fields.has("topic_entity") {
        return fields.named("topic_entity");
    }
    let nodes = fields.get("graph_query").and_then(|query| query.get("nodes")).and_then(Value::as_array);
    let text = |node: &Value, name: &str| node.get(name).and_then(scalar);
    let entities = nodes.into_iter().flatten().filter(|n| text(n, "node_type").as_deref() == Some("entity"));
    Ok(entities.filter_map(|node| Some((text(node, "id")?, text(node, "friendly_name")?))).unzip())
}

/// `Questions[]`, or a list of such questions: `QuestionId`, `RawQuestion`, `Parses[]` with anchors
/// and answers.
pub(super) fn read_webqsp(path: &Path, text: &str) -> Result<Vec<Numbered>, EvalError> {
    let key = if text.trim_start().starts_with('[') { None } else { Some("Questions") };
    each(path, text, key, |number, fields| {
        let id = first_of(fields, &["QuestionId", "ID", "id"])?;
        let wording = first_of(fields, &["RawQuestion", "question", "ProcessedQuestion"])?;
        let mut question = GoldQuestion {
            id: id.unwrap_or_else(|| made_id(path, number)),
            question: wording.ok_or_else(|| fields.wrong("RawQuestion", "missing"))?,
            ..GoldQuestion::default()
        };
        for parse in fields.list("Parses")? {
            let text = |name: &str| parse.get(name).and_then(scalar);
            push_new(&mut question.topic_ids, text("TopicEntityMid"));
            push_new(&mut question.topic_entities, text("TopicEntityName"));
            if let Some(chain) = parse.get("InferentialChain").and_then(Value::as_array) {
                question.hops = question.hops.or(u32::try_from(chain.len()).ok());
            }
            let line = fields.at(parse);
            take_answers(&line, "Answers", ["AnswerType", "AnswerArgument", "EntityName"], &mut question)?;
        }
        // About 11 questions of WebQSP have parses without answers: the graph has no right answer.
        question.unanswerable = question.answers.is_empty() && question.answer_ids.is_empty();
        Ok(question)
    })
}

fn each(
    path: &Path,
    text: &str,
    key: Option<&str>,
    read: impl Fn(usize, &Fields<'_>) -> Result<GoldQuestion, EvalError>,
) -> Result<Vec<Numbered>, EvalError> {
    records(path, text, key)?
        .into_iter()
        .enumerate()
        .map(|(number, (line, value))| Ok((line, read(number, &Fields::new(path, line, &value))?)))
        .collect()
}

fn first_of(fields: &Fields<'_>, names: &[&str]) -> Result<Option<String>, EvalError> {
    for name in names {
        if let Some(text) = fields.optional(name)? {
            return Ok(Some(text));
        }
    }
    Ok(None)
}

/// Answers in the form of GrailQA and WebQSP: entities with key and name, values as they are.
fn take_answers(
    fields: &Fields<'_>,
    list: &str,
    [kind, argument, name]: [&str; 3],
    into: &mut GoldQuestion,
) -> Result<(), EvalError> {
    for answer in fields.list(list)? {
        let text = |field: &str| answer.get(field).and_then(scalar).filter(|text| !text.is_empty());
        let Some(key) = text(argument) else {
            return Err(fields.wrong(list, &format!("an answer has no {argument}")));
        };
        if text(kind).as_deref() == Some("Value") {
            push_new(&mut into.answers, Some(key));
        } else {
            push_new(&mut into.answers, text(name));
            push_new(&mut into.answer_ids, Some(key));
        }
    }
    Ok(())
}

fn push_new(into: &mut Vec<String>, text: Option<String>) {
    if let Some(text) = text.filter(|text| !text.is_empty() && !into.contains(text)) {
        into.push(text);
    }
}
