//! JSON records with their line numbers, and their fields by name.

use std::path::Path;

use serde_json::Value;

use crate::EvalError;

/// JSON lines, or a JSON list, or the list under `key` of one JSON object: each record with its
/// line.
pub(super) fn records(path: &Path, text: &str, key: Option<&str>) -> Result<Vec<(usize, Value)>, EvalError> {
    let start = text.trim_start();
    if start.starts_with('[') || key.is_some() {
        return listed(path, text, key);
    }
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            let value = serde_json::from_str(line)
                .map_err(|error| EvalError::malformed(path, number + 1, format!("not JSON: {error}")))?;
            Ok((number + 1, value))
        })
        .collect()
}

/// The first record, for detecting the format: the first element of a list, or the object itself.
pub(super) fn first(path: &Path, text: &str) -> Result<Option<(usize, Value)>, EvalError> {
    let start = text.trim_start();
    let one_value_a_line = text.lines().find(|line| !line.trim().is_empty());
    let whole_line = one_value_a_line.and_then(|line| serde_json::from_str::<Value>(line).ok());
    if let Some(value @ Value::Object(_)) = whole_line {
        return Ok(Some((text.len() - start.len() + 1, value)));
    }
    if start.starts_with('[') {
        return Ok(listed(path, text, None)?.into_iter().next());
    }
    Ok(Some((1, parse(path, text)?)))
}

fn parse(path: &Path, text: &str) -> Result<Value, EvalError> {
    serde_json::from_str(text)
        .map_err(|error| EvalError::malformed(path, error.line(), format!("not JSON: {error}")))
}

fn listed(path: &Path, text: &str, key: Option<&str>) -> Result<Vec<(usize, Value)>, EvalError> {
    let mut value = parse(path, text)?;
    let list = match key {
        Some(key) => value.get_mut(key).map(Value::take),
        None => Some(value),
    };
    let Some(Value::Array(elements)) = list else {
        let wanted = key.map_or("a list of questions".into(), |key| format!("{key}: a list of questions"));
        return Err(EvalError::malformed(path, 1, format!("{wanted} was expected")));
    };
    let mut lines = element_lines(text, key).into_iter();
    Ok(elements.into_iter().map(|element| (lines.next().unwrap_or(1), element)).collect())
}

/// The line numbers of the list's elements: of the outermost list, or of the one under `key` of the
/// outermost object. The text must be valid JSON.
fn element_lines(text: &str, key: Option<&str>) -> Vec<usize> {
    let list_depth = if key.is_some() { 2 } else { 1 };
    let mut lines = Vec::new();
    let (mut line, mut depth, mut inside, mut expecting) = (1, 0usize, key.is_none(), false);
    let mut last_text = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        let begins = expecting && depth == list_depth && !character.is_whitespace() && character != ']';
        if begins {
            lines.push(line);
            expecting = false;
        }
        match character {
            '\n' => line += 1,
            '"' => last_text = quoted(&mut characters, &mut line),
            '[' | '{' => {
                depth += 1;
                if depth == list_depth && character == '[' {
                    inside = key.is_none_or(|key| key == last_text);
                    expecting = inside;
                }
            }
            ']' | '}' => {
                if depth == list_depth {
                    (inside, expecting) = (false, false);
                }
                depth = depth.saturating_sub(1);
            }
            ',' => expecting = inside && depth == list_depth,
            _ => {}
        }
    }
    lines
}

/// Reads on to the end of a quoted text.
fn quoted(characters: &mut std::str::Chars<'_>, line: &mut usize) -> String {
    let mut text = String::new();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => {
                characters.next();
            }
            '\n' => *line += 1,
            other => text.push(other),
        }
    }
    text
}

/// The fields of one record. Errors name file, line and field.
pub(super) struct Fields<'a> {
    path: &'a Path,
    line: usize,
    value: &'a Value,
}

impl<'a> Fields<'a> {
    pub(super) fn new(path: &'a Path, line: usize, value: &'a Value) -> Self {
        Self { path, line, value }
    }

    /// Another value of the same record.
    pub(super) fn at(&self, value: &'a Value) -> Self {
        Self { value, ..*self }
    }

    pub(super) fn wrong(&self, name: &str, reason: &str) -> EvalError {
        EvalError::malformed(self.path, self.line, format!("{name}: {reason}"))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.value.get(name).is_some_and(|value| !value.is_null())
    }

    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.value.get(name).filter(|value| !value.is_null())
    }

    /// A text (or number) that must be there.
    pub(super) fn text(&self, name: &str) -> Result<String, EvalError> {
        self.optional(name)?.ok_or_else(|| self.wrong(name, "missing"))
    }

    /// A text (or number) that may be missing.
    pub(super) fn optional(&self, name: &str) -> Result<Option<String>, EvalError> {
        match self.get(name) {
            None => Ok(None),
            Some(value) => match scalar(value) {
                Some(text) => Ok(Some(text)),
                None => Err(self.wrong(name, "a text was expected")),
            },
        }
    }

    /// A list that must be there.
    pub(super) fn list(&self, name: &str) -> Result<&'a [Value], EvalError> {
        match self.get(name) {
            Some(Value::Array(values)) => Ok(values),
            Some(_) => Err(self.wrong(name, "a list was expected")),
            None => Err(self.wrong(name, "missing")),
        }
    }

    /// A list of texts (or numbers) that must be there.
    pub(super) fn texts(&self, name: &str) -> Result<Vec<String>, EvalError> {
        let values = self.list(name)?.iter().map(scalar).collect::<Option<Vec<String>>>();
        values.ok_or_else(|| self.wrong(name, "a list of texts was expected"))
    }

    /// An object of keys with names, as `topic_entity` is.
    pub(super) fn named(&self, name: &str) -> Result<(Vec<String>, Vec<String>), EvalError> {
        match self.get(name) {
            None => Ok((Vec::new(), Vec::new())),
            Some(Value::Object(map)) => {
                let names = map.values().map(scalar).collect::<Option<Vec<String>>>();
                let names = names.ok_or_else(|| self.wrong(name, "names were expected"))?;
                Ok((map.keys().cloned().collect(), names))
            }
            Some(_) => Err(self.wrong(name, "an object of keys with names was expected")),
        }
    }
}

/// A text, number or truth value as text.
pub(super) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(if *truth { "yes" } else { "no" }.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_know_their_lines() {
        let path = Path::new("q.json");
        let lines = |text: &str, key: Option<&str>| -> Vec<usize> {
            records(path, text, key).unwrap().into_iter().map(|(line, _)| line).collect()
        };
        assert_eq!(lines("{}\n\n{}\n", None), [1, 3]);
        assert_eq!(lines("[\n {\"a\": \"[,\\\"{\"},\n {\"b\": [1,\n2]}, {}\n]", None), [2, 3, 4]);
        let wrapped =
            "{\"other\": [1, 2],\n \"questions\": [\n  {\"x\": {\"questions\": [7]}},\n  {}\n ], \"z\": [3]}";
        assert_eq!(lines(wrapped, Some("questions")), [3, 4]);
        assert!(records(path, "[{]", None).unwrap_err().to_string().starts_with("q.json:1: not JSON"));
        assert!(records(path, "{}\n{", None).unwrap_err().to_string().starts_with("q.json:2: not JSON"));
    }
}
