//! Unsupported parameters of OpenAI's API: refused by name, never ignored.

use serde_json::Value;

use crate::error::{ApiError, Kind};

/// Refuses a given parameter, with the reason and an alternative.
pub(super) fn refuse(name: &str, given: bool, instead: &str) -> Result<(), ApiError> {
    if !given {
        return Ok(());
    }
    let message = format!("`{name}` is not supported here: {instead}");
    Err(ApiError::new(Kind::Invalid, "unsupported_parameter", message).about(name))
}

/// Refuses a certain value of a parameter.
pub(super) fn refuse_value(name: &str, refused: bool, instead: &str) -> Result<(), ApiError> {
    if !refused {
        return Ok(());
    }
    let message = format!("this value of `{name}` is not supported here: {instead}");
    Err(ApiError::new(Kind::Invalid, "unsupported_value", message).about(name))
}

/// Whether a parameter has a value other than null or empty.
pub(super) fn says(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Array(list)) => !list.is_empty(),
        Some(Value::Object(fields)) => !fields.is_empty(),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Bool(_) | Value::Number(_)) => true,
    }
}

/// Refuses tools in any parameter. A tool choice without tools is accepted.
pub(super) fn refuse_tools(tools: &[Value], choice: Option<&Value>) -> Result<(), ApiError> {
    refuse(
        "tools",
        !tools.is_empty(),
        "Quipu calls no functions of the client; it answers from the graph. Leave it out",
    )?;
    let needs_none = matches!(choice.and_then(Value::as_str), Some("none" | "auto"));
    refuse("tool_choice", says(choice) && !needs_none, "there are no tools to choose from. Leave it out")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_asks_for_nothing_is_taken() {
        for nothing in [json!(null), json!([]), json!({}), json!("")] {
            assert!(!says(Some(&nothing)), "{nothing}");
        }
        assert!(!says(None) && says(Some(&json!(false))) && says(Some(&json!(["x"]))));
        assert!(refuse_tools(&[], None).is_ok() && refuse_tools(&[], Some(&json!("auto"))).is_ok());
    }

    #[test]
    fn a_refusal_names_its_parameter() {
        let tools = refuse_tools(&[json!({ "type": "function" })], None).unwrap_err();
        assert_eq!((tools.code, tools.param.as_deref()), ("unsupported_parameter", Some("tools")));
        let choice = refuse_tools(&[], Some(&json!("required"))).unwrap_err();
        assert_eq!(choice.param.as_deref(), Some("tool_choice"));
        let n = refuse_value("n", true, "one answer").unwrap_err();
        assert_eq!((n.kind, n.code), (Kind::Invalid, "unsupported_value"));
    }
}
