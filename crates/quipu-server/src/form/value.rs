//! Converts an answer's value to JSON, by the kind in the schema.

use quipu_answer::{Value, value_of};
use quipu_graph::LiteralValue;
use serde_json::{Number, Value as Json, json};

use super::read::{Kind, Part};

/// Most bytes of a number. Longer digit strings are text.
const LONGEST_NUMBER: usize = 40;
/// Largest whole number up to which every whole number is a distinct float.
const MOST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// A value in the first of the part's alternatives that accepts it.
///
/// # Errors
/// The reason why none does, without the place.
pub(super) fn scalar(part: &Part, value: &Value) -> Result<Json, String> {
    let mut reason = None;
    for way in part.ways() {
        match in_one_way(way, value) {
            Ok(json) => return Ok(json),
            Err(why) => reason = reason.or(Some(why)),
        }
    }
    Err(reason.unwrap_or_else(|| "the schema asks for nothing".into()))
}

fn in_one_way(part: &Part, value: &Value) -> Result<Json, String> {
    if let Some(options) = &part.options {
        let found = options.iter().find(|option| is(option, &value.name));
        return found.cloned().ok_or_else(|| format!("“{}” is not one of the values listed", value.name));
    }
    let has = |kind: Kind| part.kinds.contains(&kind);
    // An entity's name is text, even if it looks like a number.
    let text_first = value.key.is_some() && has(Kind::String);
    if !text_first {
        let number = number(&value.name);
        let whole = number.as_ref().is_some_and(|number| !number.is_f64());
        match (truth(&value.name), number) {
            (Some(truth), _) if has(Kind::Boolean) => return Ok(truth.into()),
            (_, Some(number)) if has(Kind::Number) || (whole && has(Kind::Integer)) => {
                return Ok(number.into());
            }
            _ => {}
        }
    }
    if has(Kind::String) {
        return Ok(value.name.clone().into());
    }
    let wanted = [
        (Kind::Integer, "a whole number"),
        (Kind::Number, "a number"),
        (Kind::Boolean, "yes or no"),
        (Kind::Array, "a list"),
        (Kind::Object, "an object"),
    ];
    let wanted = wanted.iter().find(|(kind, _)| has(*kind)).map_or("nothing", |(_, words)| words);
    Err(format!("“{}” is not {wanted}", value.name))
}

/// Whether a value in the schema's list has this name.
fn is(option: &Json, name: &str) -> bool {
    match option {
        Json::String(text) => text.eq_ignore_ascii_case(name),
        Json::Bool(wanted) => truth(name) == Some(*wanted),
        Json::Number(wanted) => number(name).is_some_and(|number| number.as_f64() == wanted.as_f64()),
        _ => false,
    }
}

fn truth(name: &str) -> Option<bool> {
    match name {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

/// The number in a text, as a whole number if possible.
fn number(text: &str) -> Option<Number> {
    let text = text.trim();
    if text.len() > LONGEST_NUMBER {
        return None;
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    let parsed = text.parse::<f64>().ok().filter(|number| number.is_finite());
    let number = parsed.or_else(|| match value_of(text) {
        LiteralValue::Number(number) => Some(number),
        LiteralValue::Date { year, month: None, .. } => Some(f64::from(year)),
        _ => None,
    })?;
    if number.fract() == 0.0 && number.abs() < MOST_WHOLE {
        #[expect(clippy::cast_possible_truncation, reason = "whole, and within what a float holds exactly")]
        return Some((number as i64).into());
    }
    Number::from_f64(number)
}

/// The name or the id of a value, for an object.
pub(super) fn named(property: super::fields::Meaning, value: &Value) -> Json {
    match property {
        super::fields::Meaning::Key => json!(value.key),
        _ => json!(value.name),
    }
}

#[cfg(test)]
#[allow(clippy::needless_pass_by_value, reason = "schemas are written where they are used")]
mod tests {
    use super::*;

    fn check(schema: Json, name: &str, expected: Result<Json, &str>) {
        let part = super::super::read::part(&schema).unwrap();
        let value = Value { name: name.into(), ..Value::default() };
        assert_eq!(scalar(&part, &value), expected.map_err(str::to_owned), "{schema} {name}");
    }

    #[test]
    fn values_are_of_the_kind_that_is_asked_for() {
        check(json!({ "type": "integer" }), "10092000", Ok(json!(10_092_000)));
        check(json!({ "type": "integer" }), "1,234", Ok(json!(1234)));
        check(json!({ "type": "integer" }), "2.5", Err("“2.5” is not a whole number"));
        check(json!({ "type": "number" }), "2.5", Ok(json!(2.5)));
        check(json!({ "type": "number" }), "7", Ok(json!(7)));
        check(json!({ "type": "number" }), "Lima", Err("“Lima” is not a number"));
        check(json!({ "type": "boolean" }), "yes", Ok(json!(true)));
        check(json!({ "type": "boolean" }), "Lima", Err("“Lima” is not yes or no"));
        check(json!({ "type": "string" }), "2012", Ok(json!("2012")));
        check(json!({ "type": ["string", "null"] }), "2012", Ok(json!("2012")));
        check(json!({ "type": ["number", "string"] }), "2012", Ok(json!(2012)));
        check(json!({}), "2012", Ok(json!(2012)));
        check(json!({ "enum": ["YES", "NO"] }), "no", Ok(json!("NO")));
        check(json!({ "enum": [1, 2] }), "2", Ok(json!(2)));
        check(json!({ "const": "x" }), "y", Err("“y” is not one of the values listed"));
        check(json!({ "anyOf": [{ "type": "number" }, { "type": "string" }] }), "Lima", Ok(json!("Lima")));
        check(
            json!({ "type": "number" }),
            &"9".repeat(60),
            Err(&format!("“{}” is not a number", "9".repeat(60))),
        );
        check(json!({ "type": "number" }), "NaN", Err("“NaN” is not a number"));
    }
}
