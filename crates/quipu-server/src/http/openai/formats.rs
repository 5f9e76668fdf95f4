//! The requested form of an answer: text, Quipu's own JSON object, or JSON by a schema.

use quipu_answer::Status;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::extension::markdown;
use crate::app::Reply;
use crate::error::{ApiError, Kind};
use crate::form::Form;
use crate::given::Given;

// The braces make serde refuse unknown fields.
/// The form of a chat completion's text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum ResponseFormat {
    /// Markdown.
    Text {},
    /// A JSON object with the fields of `AnswerObject`.
    JsonObject {},
    /// JSON that satisfies a schema.
    JsonSchema {
        /// The schema.
        json_schema: SchemaFormat,
    },
}

/// A schema and its name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "name, description and strict are taken, and change nothing")]
pub(super) struct SchemaFormat {
    /// The client's name for it; ignored.
    name: String,
    /// Its purpose; ignored.
    #[serde(default)]
    description: Option<String>,
    /// The JSON schema.
    #[serde(default)]
    schema: Option<Map<String, Value>>,
    /// Ignored: the reply always satisfies the schema.
    #[serde(default)]
    strict: Option<bool>,
}

/// The form of a response's text.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum TextFormat {
    /// Markdown.
    Text {},
    /// A JSON object with the fields of `AnswerObject`.
    JsonObject {},
    /// JSON that satisfies a schema.
    JsonSchema {
        /// The client's name for it; ignored.
        name: String,
        /// Its purpose; ignored.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// The JSON schema.
        schema: Map<String, Value>,
        /// Ignored: the reply always satisfies the schema.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        strict: Option<bool>,
    },
}

/// An answer in the form `json_object`.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AnswerObject {
    /// The answer in words.
    answer: String,
    /// The bare values, best first.
    answers: Vec<String>,
    /// The titles of the table's columns; empty if the answer has no columns.
    columns: Vec<String>,
    /// The table's rows, a text for each column; null if the graph states no value.
    rows: Vec<Vec<Option<String>>>,
    /// The outcome.
    status: Status,
    /// Why there is no answer, when there is none.
    reason: Option<String>,
    /// Whether every value was found in the evidence.
    grounded: bool,
    /// From 0 to 1.
    confidence: f64,
    /// The reading of the question; null if the method gives none.
    reading: Option<String>,
    /// The citations, as sentences.
    evidence: Vec<String>,
}

impl AnswerObject {
    fn of(reply: &Reply) -> Self {
        let answer = &reply.answer;
        let names = |row: &Vec<Option<quipu_answer::Value>>| {
            row.iter().map(|cell| cell.as_ref().map(|value| value.name.clone())).collect()
        };
        Self {
            answer: answer.answer.clone(),
            answers: answer.answers.clone(),
            columns: answer.table.as_ref().map(|table| table.columns.clone()).unwrap_or_default(),
            rows: answer.table.iter().flat_map(|table| table.rows.iter().map(names)).collect(),
            status: answer.status,
            reason: answer.reason.clone(),
            grounded: answer.grounded,
            confidence: answer.confidence,
            reading: answer.readings.first().map(|reading| reading.words.clone()),
            evidence: reply.cited.citations.iter().map(|citation| citation.sentence.clone()).collect(),
        }
    }
}

/// The form of an answer, parsed and checked.
#[derive(Debug)]
pub(super) enum Wanted {
    Text,
    Object,
    Schema(Box<Form>),
}

/// An answer in its form.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    Text(String),
    /// Why it does not fit the form.
    Refusal(String),
}

impl Wanted {
    /// # Errors
    /// A schema that no answer could satisfy.
    pub(super) fn of_chat(format: Option<ResponseFormat>) -> Result<Self, ApiError> {
        match format {
            None | Some(ResponseFormat::Text {}) => Ok(Self::Text),
            Some(ResponseFormat::JsonObject {}) => Ok(Self::Object),
            Some(ResponseFormat::JsonSchema { json_schema }) => {
                Self::schema(json_schema.schema.unwrap_or_default(), "response_format")
            }
        }
    }

    /// # Errors
    /// A schema that no answer could satisfy.
    pub(super) fn of_response(format: &TextFormat) -> Result<Self, ApiError> {
        match format {
            TextFormat::Text {} => Ok(Self::Text),
            TextFormat::JsonObject {} => Ok(Self::Object),
            TextFormat::JsonSchema { schema, .. } => Self::schema(schema.clone(), "text.format.schema"),
        }
    }

    fn schema(schema: Map<String, Value>, field: &str) -> Result<Self, ApiError> {
        let form = Form::read(&Value::Object(schema)).map_err(|reason| {
            let message = format!("{field}: no answer can fit this schema: {reason}");
            ApiError::new(Kind::Invalid, "invalid_json_schema", message).about(field)
        })?;
        Ok(Self::Schema(Box::new(form)))
    }

    /// An answer in this form, without a model call. Its values are kept for follow-ups.
    pub(super) fn say(&self, reply: &Reply, given: &Given) -> Said {
        let said = self.said(reply);
        if let Said::Text(text) = &said {
            given.keep(&reply.workspace, &reply.answer, text);
        }
        said
    }

    fn said(&self, reply: &Reply) -> Said {
        match self {
            Self::Text => Said::Text(markdown(reply)),
            Self::Object => Said::Text(json!(AnswerObject::of(reply)).to_string()),
            Self::Schema(form) => match form.fill(reply) {
                Ok(filled) => Said::Text(filled.to_string()),
                Err(reason) if reply.answer.status == Status::Answered => Said::Refusal(format!(
                    "The answer does not fit the schema. {reason}. The answer in words: {}",
                    reply.answer.answer
                )),
                Err(reason) => Said::Refusal(reason),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn read(format: Value) -> Result<Wanted, ApiError> {
        Wanted::of_chat(Some(serde_json::from_value(format).unwrap()))
    }

    #[test]
    fn an_object_holds_the_answer_and_how_it_came_about() {
        let said = read(json!({ "type": "json_object" })).unwrap().said(&sample::reply(sample::towns()));
        let Said::Text(text) = said else { panic!("{said:?}") };
        let object: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(object["rows"][0], json!(["Lima", "10092000"]));
        assert_eq!((&object["status"], &object["answers"]), (&json!("answered"), &json!(["Lima", "Cusco"])));
        assert_eq!(object["reading"], "the towns of Peru, the largest first");
    }

    #[test]
    fn what_does_not_fit_is_a_refusal_with_its_reason() {
        let schema = json!({ "type": "object", "properties": { "age": { "type": "integer" }, "height": { "type": "integer" } },
            "required": ["age", "height"] });
        let format = json!({ "type": "json_schema", "json_schema": { "name": "x", "schema": schema } });
        let said = read(format).unwrap().said(&sample::reply(sample::towns()));
        let expected = "The answer does not fit the schema. /age: the answer has no such column; it has “town”, “people”. \
                        The answer in words: Lima, Cusco";
        assert_eq!(said, Said::Refusal(expected.into()));
    }

    #[test]
    fn a_schema_that_cannot_be_met_is_refused_before() {
        let format =
            json!({ "type": "json_schema", "json_schema": { "name": "x", "schema": { "not": {} } } });
        let error = read(format).unwrap_err();
        assert_eq!((error.code, error.param.as_deref()), ("invalid_json_schema", Some("response_format")));
        assert!(error.message.contains("`not`"), "{}", error.message);
    }
}
