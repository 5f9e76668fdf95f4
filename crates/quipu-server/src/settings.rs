//! The method and the settings that a request names.

use std::collections::BTreeMap;

use quipu_answer::NamedMethod;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::{ApiError, Kind};

/// # Errors
/// An unknown method.
pub(crate) fn read_method(name: &str) -> Result<NamedMethod, ApiError> {
    name.parse().map_err(|error: quipu_answer::AnswerError| {
        ApiError::new(Kind::NotFound, "method_not_found", error.to_string())
    })
}

/// Most settings in a request.
pub(crate) const MOST_SET: usize = 32;

/// The value of a setting.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum SetValue {
    /// `true` means `yes`.
    Flag(bool),
    /// A number.
    Number(serde_json::Number),
    /// A word.
    Word(String),
}

/// The settings, as text.
///
/// # Errors
/// Too many settings.
pub(crate) fn assignments(set: BTreeMap<String, SetValue>) -> Result<Vec<(String, String)>, ApiError> {
    if set.len() > MOST_SET {
        return Err(ApiError::invalid(format!("set: at most {MOST_SET} keys")).about("set"));
    }
    let text = |value| match value {
        SetValue::Flag(true) => "yes".to_owned(),
        SetValue::Flag(false) => "no".to_owned(),
        SetValue::Number(number) => number.to_string(),
        SetValue::Word(word) => word,
    };
    Ok(set.into_iter().map(|(key, value)| (key, text(value))).collect())
}
