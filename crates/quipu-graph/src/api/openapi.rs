//! Reads the parts of an OpenAPI 3 document that a graph needs: operations, their parameters, the
//! fields of their responses.
//!
//! `$ref`s are followed within the document. A `$ref` that leads back to itself or nowhere counts
//! as "anything", so that a document with cycles or missing schemas is still read as far as
//! possible.

use serde_json::Value;

use crate::GraphError;

/// Levels of a schema that are read; deeper fields are not listed.
const DEEPEST: usize = 4;
/// Most fields listed for one response.
const MOST_FIELDS: usize = 200;

/// The HTTP method of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpVerb {
    /// Reads data.
    Get,
    /// Searches with a body. POST is used only for operations that a manifest lists.
    Post,
}

/// Where a parameter goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Into the path: `/films/{id}`.
    Path,
    /// Into the query string.
    Query,
    /// Into a header.
    Header,
    /// Into the JSON body, as a field.
    Body,
}

/// The kind of value that a parameter takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// Text, or anything.
    Text,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// A list of text.
    List,
    /// A list of whole numbers.
    IntegerList,
    /// Structured: no value of a question fits.
    Structured,
}

/// A parameter as the document describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Where it goes.
    pub place: Place,
    /// Whether the operation needs it.
    pub required: bool,
    /// The type of its values.
    pub value_type: ValueType,
    /// `format` of its schema: `date`, `date-time`, ...
    pub format: String,
    /// The values allowed, where the document lists them.
    pub options: Vec<String>,
    /// Its default.
    pub default: Option<Value>,
    /// Its description.
    pub description: String,
}

/// A field of a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResponseField {
    /// Its path, with points between names and `[]` after lists: `cast[].name`.
    pub path: String,
    /// Its description in the document.
    pub description: String,
}

/// How a request's body is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum BodyForm {
    /// As JSON, or there is none.
    #[default]
    Json,
    /// As a form: `name=value&…`.
    Fields,
    /// In a form that Quipu cannot write (XML, multipart, a file), by its content type.
    Other(String),
}

/// An operation as the document describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentedOperation {
    /// `operationId`; the verb and path where there is none.
    pub id: String,
    /// How it is called.
    pub verb: HttpVerb,
    /// Path template.
    pub path: String,
    /// Summary and description.
    pub description: String,
    /// Parameters, those of the body among them.
    pub parameters: Vec<Parameter>,
    /// How the body is written.
    pub body: BodyForm,
    /// Fields of the response, where a schema lists them.
    pub fields: Vec<ResponseField>,
}

/// The content of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// `info.title`.
    pub title: String,
    /// The first server's URL, which may be relative.
    pub server: Option<String>,
    /// GET and POST operations, by path.
    pub operations: Vec<DocumentedOperation>,
}

/// Reads JSON if the text begins like JSON, else YAML. (YAML accepts an HTML page or a sentence as
/// one string.)
fn read_value(text: &str) -> Result<Value, String> {
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text)
            .map_err(|error| format!("an OpenAPI document was expected; this is not JSON: {error}"));
    }
    let root: Value = yaml_serde::from_str(text)
        .map_err(|error| format!("an OpenAPI document in JSON or YAML was expected: {error}"))?;
    match root {
        Value::Object(_) => Ok(root),
        _ => Err("an OpenAPI document in JSON or YAML was expected".into()),
    }
}

/// Reads a document; `from` is where it came from, for errors.
///
/// # Errors
/// [`GraphError::Usage`]: neither JSON nor YAML, no OpenAPI 3, or no operation.
pub fn read_openapi(text: &str, from: &str) -> Result<Document, GraphError> {
    let wrong = |reason: String| GraphError::Usage(format!("{from}: {reason}"));
    let root = read_value(text.trim_start_matches('\u{feff}')).map_err(wrong)?;
    // `openapi: 3.1` is a number in YAML.
    let version = root.get("openapi").and_then(scalar_text).unwrap_or_default();
    if !version.starts_with("3.") {
        let found = if root.get("swagger").is_some() { "Swagger 2" } else { "no `openapi` field" };
        return Err(wrong(format!("an OpenAPI 3 document was expected, found {found}")));
    }
    let reader = Reader { root: &root };
    let mut operations = Vec::new();
    for (path, item) in root.get("paths").and_then(Value::as_object).into_iter().flatten() {
        let item = reader.resolve(item);
        for (name, verb) in [("get", HttpVerb::Get), ("post", HttpVerb::Post)] {
            if let Some(operation) = item.get(name) {
                operations.push(reader.operation(path, verb, item, operation));
            }
        }
    }
    operations.sort_by(|left, right| left.path.cmp(&right.path));
    if operations.is_empty() {
        return Err(wrong("it describes no operation that reads (GET or POST)".into()));
    }
    let server = root.pointer("/servers/0/url").and_then(Value::as_str).map(str::to_owned);
    let title = text_of(root.pointer("/info/title"));
    Ok(Document { title, server, operations })
}

struct Reader<'a> {
    root: &'a Value,
}

fn text_of(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().trim().to_owned()
}

impl<'a> Reader<'a> {
    /// The value behind a `$ref`; `null` for a missing target or a cycle.
    fn resolve(&self, value: &'a Value) -> &'a Value {
        let mut here = value;
        for _ in 0..16 {
            let Some(target) = here.get("$ref").and_then(Value::as_str) else { return here };
            let found = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            let Some(found) = found else { return &Value::Null };
            here = found;
        }
        &Value::Null
    }

    fn operation(
        &self,
        path: &str,
        verb: HttpVerb,
        item: &'a Value,
        operation: &'a Value,
    ) -> DocumentedOperation {
        let verb_name = if verb == HttpVerb::Get { "GET" } else { "POST" };
        let id = text_of(operation.get("operationId"));
        let [summary, description] = ["summary", "description"].map(|name| text_of(operation.get(name)));
        let mut parameters: Vec<Parameter> = Vec::new();
        // Parameters of the operation override those of its path.
        for list in [operation, item].map(|of| of.get("parameters").and_then(Value::as_array)) {
            for parameter in list.into_iter().flatten().filter_map(|value| self.parameter(value)) {
                if !parameters.iter().any(|known| known.name == parameter.name) {
                    parameters.push(parameter);
                }
            }
        }
        if verb == HttpVerb::Post {
            parameters.extend(self.body(operation));
        }
        let mut fields = Vec::new();
        if let Some(schema) = self.response_schema(operation) {
            self.fields(schema, "", 0, &mut fields);
        }
        DocumentedOperation {
            id: if id.is_empty() { format!("{verb_name} {path}") } else { id },
            verb,
            path: path.to_owned(),
            description: [summary, description].join("\n").trim().to_owned(),
            parameters,
            body: if verb == HttpVerb::Post { self.body_form(operation) } else { BodyForm::Json },
            fields,
        }
    }

    /// JSON if the operation accepts it, else a form.
    fn body_form(&self, operation: &'a Value) -> BodyForm {
        let content =
            operation.get("requestBody").map(|body| self.resolve(body)).and_then(|b| b.get("content"));
        let kinds: Vec<&str> =
            content.and_then(Value::as_object).into_iter().flatten().map(|(kind, _)| kind.as_str()).collect();
        match kinds.first() {
            None => BodyForm::Json,
            Some(_) if kinds.iter().any(|kind| kind.contains("json")) => BodyForm::Json,
            Some(_) if kinds.contains(&FORM) => BodyForm::Fields,
            Some(other) => BodyForm::Other((*other).to_owned()),
        }
    }

    fn parameter(&self, value: &'a Value) -> Option<Parameter> {
        let value = self.resolve(value);
        let place = match value.get("in").and_then(Value::as_str)? {
            "path" => Place::Path,
            "query" => Place::Query,
            "header" => Place::Header,
            _ => return None,
        };
        let name = value.get("name").and_then(Value::as_str)?;
        let required = place == Place::Path || value.get("required").and_then(Value::as_bool) == Some(true);
        let schema = value.get("schema").unwrap_or(&Value::Null);
        let described = text_of(value.get("description"));
        Some(self.described(name, place, required, schema, described))
    }

    fn described(
        &self,
        name: &str,
        place: Place,
        required: bool,
        schema: &'a Value,
        description: String,
    ) -> Parameter {
        let schema = self.plain(schema);
        let options = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        let own = text_of(schema.get("description"));
        Parameter {
            name: name.to_owned(),
            place,
            required,
            value_type: self.value_type(schema),
            format: text_of(schema.get("format")),
            options: options.filter_map(scalar_text).collect(),
            default: schema.get("default").filter(|value| !value.is_null()).cloned(),
            description: if description.is_empty() { own } else { description },
        }
    }

    /// A schema without its "or null" wrapper.
    fn plain(&self, schema: &'a Value) -> &'a Value {
        let mut schema = self.resolve(schema);
        for _ in 0..4 {
            let choice = ["anyOf", "oneOf", "allOf"].iter().find_map(|name| schema.get(*name)?.as_array());
            let Some(choice) = choice.filter(|_| schema.get("type").is_none()) else { break };
            let first = choice
                .iter()
                .map(|one| self.resolve(one))
                .find(|one| one.get("type").and_then(Value::as_str) != Some("null"));
            let Some(first) = first else { break };
            schema = first;
        }
        schema
    }

    fn value_type(&self, schema: &'a Value) -> ValueType {
        // OpenAPI 3.1 allows a list: ["string", "null"].
        let named = match schema.get("type") {
            Some(Value::Array(types)) => types.iter().filter_map(Value::as_str).find(|name| *name != "null"),
            other => other.and_then(Value::as_str),
        };
        match named {
            Some("integer") => ValueType::Integer,
            Some("number") => ValueType::Number,
            Some("boolean") => ValueType::Boolean,
            Some("object") => ValueType::Structured,
            Some("array") => match self.value_type(self.plain(schema.get("items").unwrap_or(&Value::Null))) {
                ValueType::Integer => ValueType::IntegerList,
                ValueType::Structured | ValueType::List | ValueType::IntegerList => ValueType::Structured,
                _ => ValueType::List,
            },
            _ => ValueType::Text,
        }
    }

    /// The fields of a JSON or form body, as parameters.
    fn body(&self, operation: &'a Value) -> Vec<Parameter> {
        let Some(body) = operation.get("requestBody").map(|body| self.resolve(body)) else {
            return Vec::new();
        };
        let Some(schema) = json_schema(body) else { return Vec::new() };
        let schema = self.plain(schema);
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        properties
            .map(|(name, field)| {
                self.described(name, Place::Body, required.contains(&name.as_str()), field, String::new())
            })
            .collect()
    }

    fn response_schema(&self, operation: &'a Value) -> Option<&'a Value> {
        let responses = operation.get("responses")?.as_object()?;
        let good = responses.iter().find(|(status, _)| status.starts_with('2') || *status == "default")?;
        json_schema(self.resolve(good.1))
    }

    fn fields(&self, schema: &'a Value, at: &str, depth: usize, found: &mut Vec<ResponseField>) {
        if depth > DEEPEST || found.len() >= MOST_FIELDS {
            return;
        }
        let schema = self.plain(schema);
        if let Some(items) = schema.get("items") {
            self.fields(items, &format!("{at}[]"), depth + 1, found);
        }
        for (name, field) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let path = if at.is_empty() { name.clone() } else { format!("{at}.{name}") };
            let described = text_of(self.resolve(field).get("description"));
            found.push(ResponseField { path: path.clone(), description: described });
            self.fields(field, &path, depth + 1, found);
        }
    }
}

/// The content type of forms.
pub(super) const FORM: &str = "application/x-www-form-urlencoded";

fn json_schema(of: &Value) -> Option<&Value> {
    let content = of.get("content")?.as_object()?;
    let of_kind = |wanted: &str| content.iter().find(|(kind, _)| kind.contains(wanted));
    of_kind("json").or_else(|| of_kind(FORM)).or_else(|| content.iter().next())?.1.get("schema")
}

fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_refused(text: &str, expected: &str) {
        let error = read_openapi(text, "api.json").unwrap_err().to_string();
        assert!(error.contains("api.json") && error.contains(expected), "{error}");
    }

    #[test]
    fn what_is_no_openapi_document_is_refused_by_name() {
        check_refused("<html>", "in JSON or YAML was expected");
        check_refused("{\"openapi\": ", "this is not JSON");
        check_refused("a: [1", "in JSON or YAML was expected");
        check_refused("{}", "no `openapi` field");
        check_refused(r#"{"swagger": "2.0"}"#, "Swagger 2");
        check_refused(r#"{"openapi": "3.0.0", "paths": {}}"#, "no operation");
        check_refused(r#"{"openapi": "3.0.0", "paths": {"/x": {"delete": {}}}}"#, "no operation");
    }

    #[test]
    fn cycles_missing_schemas_and_missing_ids_are_read_as_far_as_they_go() {
        let text = r##"{"openapi": "3.1.0", "paths": {
            "/people/{id}": {"get": {
                "parameters": [{"name": "id", "in": "path", "schema": {"$ref": "#/components/schemas/Nowhere"}}],
                "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Person"}}}}}}},
            "/loop": {"get": {"parameters": [{"$ref": "#/components/parameters/Loop"}], "responses": {}}},
            "/bare": {"post": {}}},
          "components": {
            "parameters": {"Loop": {"$ref": "#/components/parameters/Loop"}},
            "schemas": {"Person": {"properties": {
                "name": {"type": "string", "description": "full name"},
                "parent": {"$ref": "#/components/schemas/Person"},
                "ids": {"type": "array", "items": {"$ref": "#/components/schemas/Self"}}}},
              "Self": {"$ref": "#/components/schemas/Self"}}}}"##;
        let document = read_openapi(text, "api.json").unwrap();
        let ids: Vec<&str> = document.operations.iter().map(|o| o.id.as_str()).collect();
        assert_eq!(ids, ["POST /bare", "GET /loop", "GET /people/{id}"].map(str::to_owned), "{ids:?}");
        let person = &document.operations[2];
        assert_eq!(person.parameters[0].value_type, ValueType::Text);
        assert!(person.parameters[0].required);
        let paths: Vec<&str> = person.fields.iter().map(|f| f.path.as_str()).collect();
        assert!(paths.contains(&"name") && paths.contains(&"parent.parent.name"), "{paths:?}");
        assert!(paths.len() < 40, "{}", paths.len());
        assert!(document.operations[1].parameters.is_empty());
    }

    #[test]
    fn bodies_and_choices_are_parameters() {
        let text = r##"{"openapi": "3.0.0", "info": {"title": "T"}, "servers": [{"url": "/v1"}], "paths": {
            "/search": {"post": {"operationId": "search", "summary": "S", "requestBody": {"content": {"application/json": {"schema": {
                "required": ["text"], "properties": {
                    "text": {"type": "string"}, "since": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
                    "ids": {"type": "array", "items": {"type": "integer"}},
                    "order": {"type": ["string", "null"], "enum": ["asc", "desc"], "default": "asc"}}}}}}}}}}"##;
        let document = read_openapi(text, "api.json").unwrap();
        assert_eq!((document.title.as_str(), document.server.as_deref()), ("T", Some("/v1")));
        let search = &document.operations[0];
        let shown: Vec<(&str, bool, ValueType)> =
            search.parameters.iter().map(|p| (p.name.as_str(), p.required, p.value_type)).collect();
        assert_eq!(shown.len(), 4);
        assert!(shown.contains(&("text", true, ValueType::Text)));
        assert!(shown.contains(&("ids", false, ValueType::IntegerList)));
        let order = search.parameters.iter().find(|p| p.name == "order").unwrap();
        assert_eq!(
            (order.options.as_slice(), order.default.is_some()),
            (["asc".to_owned(), "desc".to_owned()].as_slice(), true)
        );
        assert_eq!(search.parameters.iter().find(|p| p.name == "since").unwrap().format, "date");
    }
}
