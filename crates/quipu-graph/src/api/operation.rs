//! An operation with the fillers of its parameters, and the request of a call, built from values
//! only.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Url;
use serde_json::{Value, json};

use super::client::{Body, Request};
use super::ids::KindId;
use super::manifest::Shape;
use super::openapi::{HttpVerb, Parameter, Place, ValueType};
use crate::GraphError;

/// How precise a date a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DateForm {
    /// A day, a month or a year, as the question has it.
    Any,
    /// `2024-02-28`
    Day,
    /// `2024-02`
    Month,
    /// `2024`
    Year,
}

/// The filler of a parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum Fill {
    /// An entity of a kind.
    Kind(KindId),
    /// A date of the question.
    Date(DateForm),
    /// A number of the question.
    Number,
    /// One of these values, each with the words of a question that select it.
    Choice(Vec<(String, String)>),
    /// Always this value.
    Fixed(Value),
    /// Nothing: the parameter is optional and omitted.
    Nothing,
}

/// A parameter with its filler.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// As the document describes it.
    pub parameter: Parameter,
    /// The filler.
    pub fill: Fill,
}

/// An operation that may be called.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// A phrase for its result.
    pub name: String,
    /// Its domain; empty: any.
    pub domain: String,
    /// Phrases of questions that need it.
    pub asks: String,
    /// Its description in the document.
    pub description: String,
    /// Only for lookups on the way to an answer.
    pub helper: bool,
    /// Its parameters.
    pub takes: Vec<Taken>,
    /// The kind of its results.
    pub gives: Option<KindId>,
    /// How the payload is laid out.
    pub shape: Shape,
    /// Names of columns.
    pub columns: Vec<String>,
    /// Fields that are ids or names of a kind.
    pub links: Vec<(String, KindId)>,
    /// The document's descriptions of the fields of its records.
    pub fields: BTreeMap<String, String>,
    /// The names of all fields of its records, where the document lists them.
    pub documented: BTreeSet<String>,
    /// Fields that answer no question.
    pub drop: Vec<String>,
    /// Meanings of a field's values.
    pub values: BTreeMap<String, BTreeMap<String, String>>,
    pub(super) verb: HttpVerb,
    pub(super) path: String,
    /// Whether its body is a form instead of JSON.
    pub(super) form: bool,
}

impl Default for Operation {
    fn default() -> Self {
        Self {
            name: String::new(),
            domain: String::new(),
            asks: String::new(),
            description: String::new(),
            helper: false,
            takes: Vec::new(),
            gives: None,
            shape: Shape::Auto,
            columns: Vec::new(),
            links: Vec::new(),
            fields: BTreeMap::new(),
            documented: BTreeSet::new(),
            drop: Vec::new(),
            values: BTreeMap::new(),
            verb: HttpVerb::Get,
            path: String::new(),
            form: false,
        }
    }
}

impl Operation {
    pub(super) fn dropped(&self, field: &str) -> bool {
        self.drop.iter().any(|dropped| dropped == field)
    }

    pub(super) fn link(&self, field: &str) -> Option<KindId> {
        self.links.iter().find(|(name, _)| name == field).map(|(_, kind)| *kind)
    }

    /// Its path in the document.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The kind of its argument, if it needs exactly one entity.
    pub fn starts_from(&self) -> Option<KindId> {
        let mut needed = self.takes.iter().filter(|taken| {
            !matches!(taken.fill, Fill::Fixed(_) | Fill::Nothing) && taken.parameter.required
        });
        match (needed.next(), needed.next()) {
            (Some(Taken { fill: Fill::Kind(kind), .. }), None) => Some(*kind),
            _ => None,
        }
    }

    /// The parameter that takes an entity of `kind`.
    pub fn parameter_for(&self, kind: KindId) -> Option<&Taken> {
        self.takes.iter().find(|taken| taken.fill == Fill::Kind(kind))
    }

    /// The request of a call; `arguments` are values by parameter, several for a list.
    pub(super) fn request(
        &self,
        base: &Url,
        arguments: &[(String, Vec<String>)],
    ) -> Result<Request, GraphError> {
        let wrong = |reason: String| GraphError::Usage(format!("{}: {reason}", self.path));
        let mut path = self.path.clone();
        let mut headers = Vec::new();
        let mut query = Vec::new();
        let mut body = serde_json::Map::new();
        for taken in &self.takes {
            let Parameter { name, place, required, value_type, .. } = &taken.parameter;
            let given =
                arguments.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice());
            let value = match (&taken.fill, given) {
                (Fill::Fixed(value), _) => value.clone(),
                (_, Some(values)) if !values.is_empty() => typed(values, *value_type).ok_or_else(|| {
                    wrong(format!("{name} does not take the value {:?}", values.join(", ")))
                })?,
                _ if *required => return Err(wrong(format!("{name} needs a value"))),
                _ => continue,
            };
            let text = || match &value {
                Value::String(text) => text.clone(),
                Value::Array(items) => items
                    .iter()
                    .map(|i| i.as_str().map_or_else(|| i.to_string(), str::to_owned))
                    .collect::<Vec<_>>()
                    .join(","),
                other => other.to_string(),
            };
            match place {
                // These texts would change the path, in any encoding.
                Place::Path if matches!(text().as_str(), "." | ".." | "") => {
                    return Err(wrong(format!("{name} does not take the value {:?}", text())));
                }
                Place::Path => path = path.replace(&format!("{{{name}}}"), &encoded(&text())),
                Place::Query => query.push((name.clone(), text())),
                Place::Header => headers.push((name.clone(), text())),
                Place::Body => drop(body.insert(name.clone(), value)),
            }
        }
        let mut url = base.clone();
        let prefix = base.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{prefix}/{}", path.trim_start_matches('/')));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(&query);
        }
        let body = (self.verb == HttpVerb::Post).then(|| match self.form {
            true => Body::Form(form(&url, &body)),
            false => Body::Json(Value::Object(body).to_string()),
        });
        Ok(Request { verb: self.verb, url, headers, body })
    }
}

/// A body's fields as a form; each value of a list gets its own pair.
fn form(base: &Url, fields: &serde_json::Map<String, Value>) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    // The URL's own serialiser writes form syntax.
    let mut form = base.clone();
    form.set_query(None);
    let mut pairs = form.query_pairs_mut();
    for (name, value) in fields {
        match value {
            Value::Array(items) => drop(pairs.extend_pairs(items.iter().map(|item| (name, text(item))))),
            one => drop(pairs.append_pair(name, &text(one))),
        }
    }
    drop(pairs);
    form.query().unwrap_or_default().to_owned()
}

/// The values in the parameter's type.
fn typed(values: &[String], value_type: ValueType) -> Option<Value> {
    let first = values.first()?;
    let integer = |text: &String| text.trim().parse::<i64>().ok().map(|number| json!(number));
    Some(match value_type {
        ValueType::Text => json!(first),
        ValueType::Integer => integer(first)?,
        ValueType::Number => json!(first.trim().parse::<f64>().ok()?),
        ValueType::Boolean => json!(first.parse::<bool>().ok()?),
        ValueType::List => json!(values),
        ValueType::IntegerList => Value::Array(values.iter().map(integer).collect::<Option<_>>()?),
        ValueType::Structured => return None,
    })
}

/// A path segment, encoded so that it cannot open another one.
fn encoded(text: &str) -> String {
    let mut segment = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric()
            || matches!(byte, b'-' | b'_' | b'~')
            || (byte == b'.' && !text.starts_with('.'))
        {
            segment.push(char::from(byte));
        } else {
            segment.push_str(&format!("%{byte:02X}"));
        }
    }
    segment
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::manifest::Manifest;
    use crate::api::openapi::read_openapi;
    use crate::api::service::Service;

    #[test]
    fn arguments_stay_where_they_belong() {
        let manifest = Manifest::read(
            "[kind.film]\n[operation.'/films']\ntakes = { q = 'film', page = { value = 2 } }\n[operation.'/films/{id}']\ntakes = { id = 'film' }",
            "m.toml",
        )
        .unwrap();
        let text = r##"{"openapi": "3.0.0", "paths": {
            "/films": {"get": {"parameters": [{"name": "q", "in": "query", "required": true, "schema": {"type": "string"}},
                                               {"name": "page", "in": "query", "schema": {"type": "integer"}}]}},
            "/films/{id}": {"get": {"parameters": [{"name": "id", "in": "path", "schema": {"type": "integer"}}]}}}}"##;
        let document = read_openapi(text, "films.json").unwrap();
        let service = Service::new(&document, Some(&manifest)).unwrap();
        let base = Url::parse("http://e.org/v1/").unwrap();
        let ask = |at: usize, name: &str, value: &str| {
            let arguments = [(name.to_owned(), vec![value.to_owned()])];
            service.operations[at].request(&base, &arguments).map(|r| r.url.to_string())
        };
        assert_eq!(ask(0, "q", "a&b=c#d").unwrap(), "http://e.org/v1/films?q=a%26b%3Dc%23d&page=2");
        assert_eq!(ask(1, "id", "12").unwrap(), "http://e.org/v1/films/12");
        assert!(ask(1, "id", "../orders").is_err());
        assert!(ask(1, "other", "1").unwrap_err().to_string().contains("id needs a value"));
        assert_eq!(encoded("../a/b"), "%2E%2E%2Fa%2Fb");
    }
}
