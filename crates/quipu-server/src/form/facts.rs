//! The parts of an answer that fill forms.

use std::borrow::Cow;

use quipu_answer::{AnswerTable, Status, Value};
use serde_json::{Map, Value as Json, json};

use crate::app::Reply;

/// An answer as rows and values.
pub(super) struct Facts<'a> {
    pub(super) reply: &'a Reply,
    /// The rows; one column without a title if the answer has no table.
    pub(super) table: Cow<'a, AnswerTable>,
    /// The values, best first.
    pub(super) values: Vec<Value>,
}

impl<'a> Facts<'a> {
    pub(super) fn of(reply: &'a Reply) -> Self {
        let answer = &reply.answer;
        let named = |name: &String| {
            let cells = answer.table.iter().flat_map(|table| table.rows.iter().flatten().flatten());
            let found = cells.into_iter().find(|value| value.name == *name).cloned();
            found.unwrap_or_else(|| Value { name: name.clone(), ..Value::default() })
        };
        let values: Vec<Value> = answer.answers.iter().map(named).collect();
        let table = answer.table.as_ref().map_or_else(
            || {
                let rows = values.iter().map(|value| vec![Some(value.clone())]).collect();
                Cow::Owned(AnswerTable { columns: vec![String::new()], rows, ..AnswerTable::default() })
            },
            Cow::Borrowed,
        );
        Self { reply, table, values }
    }

    pub(super) fn answered(&self) -> bool {
        self.reply.answer.status == Status::Answered
    }

    /// The titles of the columns, for messages.
    pub(super) fn titles(&self) -> String {
        let titles: Vec<String> = self
            .table
            .columns
            .iter()
            .filter(|title| !title.is_empty())
            .map(|title| format!("“{title}”"))
            .collect();
        if titles.is_empty() {
            "its values have no columns".into()
        } else {
            format!("it has {}", titles.join(", "))
        }
    }

    /// The reading of the question, with its trustworthiness.
    pub(super) fn reading(&self) -> String {
        let answer = &self.reply.answer;
        let read = answer.readings.first();
        let read = read.map(|reading| format!("I read this as: {}.", reading.words.trim_end_matches('.')));
        let trust = self.reply.trust.as_ref().map(crate::trust::Trust::line);
        read.into_iter().chain(trust).collect::<Vec<_>>().join(" ")
    }

    /// The cited pieces of evidence as objects, each with its sentence.
    pub(super) fn cited(&self) -> Vec<Map<String, Json>> {
        let piece = |citation: &crate::cite::Citation| {
            let found = self.reply.answer.evidence.iter().find(|piece| piece.id == citation.id);
            let mut fields = match found.map(|piece| json!(piece)) {
                Some(Json::Object(fields)) => fields,
                _ => Map::new(),
            };
            fields.insert("sentence".into(), citation.sentence.clone().into());
            fields.insert("text".into(), citation.sentence.clone().into());
            fields.insert("number".into(), citation.number.into());
            fields
        };
        self.reply.cited.citations.iter().map(piece).collect()
    }

    /// The distinct graphs of the cited evidence.
    pub(super) fn sources(&self) -> Vec<String> {
        let mut sources: Vec<String> = Vec::new();
        for piece in self.cited() {
            let source = piece.get("source").and_then(Json::as_str).unwrap_or_default();
            if !source.is_empty() && !sources.iter().any(|known| known == source) {
                sources.push(source.to_owned());
            }
        }
        sources
    }
}
