//! The addresses of the API with their descriptions (OpenAPI 3.1), declared together so that
//! neither exists without the other.

use std::collections::BTreeMap;

use axum::Router;
use axum::routing::MethodRouter;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::error::ErrorBody;

/// Statuses of failed requests, for all operations, except defects of the server.
const FAILURES: [(&str, &str); 13] = [
    ("400", "The request cannot be understood"),
    ("401", "A key is needed"),
    ("403", "The key may not do this"),
    ("404", "No such workspace, method or entity"),
    ("406", "No format that the client accepts"),
    ("408", "The request did not come in time"),
    ("413", "The request is too large"),
    ("415", "The body's type is not accepted"),
    ("429", "Too many requests; Retry-After says when to try again"),
    ("500", "An internal error"),
    ("502", "The language model or an endpoint fails"),
    ("503", "No language model, or the workspace cannot be opened"),
    ("504", "The time limit was reached"),
];

/// Gathers operations.
pub(super) struct Operations {
    router: Router<App>,
    schemas: SchemaGenerator,
    paths: BTreeMap<String, Map<String, Value>>,
}

/// One operation with its description.
pub(super) struct Operation {
    verb: &'static str,
    path: &'static str,
    value: Map<String, Value>,
    responses: Map<String, Value>,
    open: bool,
}

impl Operations {
    pub(super) fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        Self { router: Router::new(), schemas: settings.into_generator(), paths: BTreeMap::new() }
    }

    /// Describes an operation; [`Operation::parameter`] and the like add to it.
    pub(super) fn describe(verb: &'static str, path: &'static str, tag: &str, summary: &str) -> Operation {
        let words: Vec<&str> = path.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
        let id = format!("{verb}_{}", words.join("_"));
        let fields = [
            ("tags", json!([tag])),
            ("summary", summary.into()),
            ("operationId", id.into()),
            ("parameters", json!([])),
        ];
        let value = fields.map(|(name, field)| (name.to_owned(), field)).into_iter().collect();
        Operation { verb, path, value, responses: Map::new(), open: false }
    }

    /// Adds an operation; the path's handlers come with its first operation.
    pub(super) fn add(&mut self, operation: Operation, handlers: Option<MethodRouter<App>>) {
        let Operation { verb, path, mut value, mut responses, open } = operation;
        let failure = self.schemas.subschema_for::<ErrorBody>();
        for (status, description) in FAILURES {
            let body = json!({ "description": description, "content": { "application/json": { "schema": failure } } });
            responses.entry(status).or_insert(body);
        }
        value.insert("responses".into(), responses.into());
        if open {
            value.insert("security".into(), json!([]));
        }
        self.paths.entry(path.to_owned()).or_default().insert(verb.into(), value.into());
        if let Some(handlers) = handlers {
            self.router = std::mem::take(&mut self.router).route(path, handlers);
        }
    }

    /// Adds an operation whose router path differs: `{*id}` also matches slashes.
    pub(super) fn add_at(&mut self, route: &'static str, operation: Operation, handlers: MethodRouter<App>) {
        self.add(operation, None);
        self.router = std::mem::take(&mut self.router).route(route, handlers);
    }

    /// The schema of a type, as a reference into the description.
    pub(super) fn schema<T: JsonSchema>(&mut self) -> Value {
        self.schemas.subschema_for::<T>().to_value()
    }

    /// The routes, and their description.
    pub(super) fn finish(mut self) -> (Router<App>, Value) {
        let description = json!({
            "openapi": "3.1.0",
            "info": {
                "title": "Quipu",
                "version": env!("CARGO_PKG_VERSION"),
                "summary": "Ask knowledge graphs questions, and see the evidence of every answer.",
                "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
            },
            "paths": self.paths,
            "components": {
                "schemas": self.schemas.take_definitions(true),
                "securitySchemes": {
                    "bearer": { "type": "http", "scheme": "bearer" },
                    "key": { "type": "apiKey", "in": "header", "name": "X-API-Key" },
                },
            },
            "security": [{}, { "bearer": [] }, { "key": [] }],
        });
        (self.router, description)
    }
}

impl Operation {
    /// Adds details to the operation's summary.
    pub(super) fn details(mut self, text: &str) -> Self {
        self.value.insert("description".into(), text.into());
        self
    }

    /// Declares that it needs no key.
    pub(super) fn open(mut self) -> Self {
        self.open = true;
        self
    }

    /// Adds a parameter of the query or the path.
    pub(super) fn parameter(
        mut self,
        name: &str,
        place: &str,
        required: bool,
        text: &str,
        schema: Value,
    ) -> Self {
        let mut parameter = json!({ "name": name, "in": place, "required": required, "description": text });
        if let Value::Object(fields) = &mut parameter {
            fields.insert("schema".into(), schema);
        }
        if let Some(Value::Array(parameters)) = self.value.get_mut("parameters") {
            parameters.push(parameter);
        }
        self
    }

    /// Adds the operation's request body, by content type.
    pub(super) fn body(mut self, content: &[(&str, Value)]) -> Self {
        let content: Map<String, Value> =
            content.iter().map(|(kind, schema)| ((*kind).to_owned(), json!({ "schema": schema }))).collect();
        self.value.insert("requestBody".into(), json!({ "required": true, "content": content }));
        self
    }

    /// Adds an example of the JSON body.
    pub(super) fn example(mut self, example: Value) -> Self {
        let body =
            self.value.get_mut("requestBody").and_then(|body| body.pointer_mut("/content/application~1json"));
        if let Some(Value::Object(body)) = body {
            body.insert("example".into(), example);
        }
        self
    }

    /// Adds the successful response, by content type.
    pub(super) fn replies(mut self, description: &str, content: &[(&str, Value)]) -> Self {
        let content: Map<String, Value> =
            content.iter().map(|(kind, schema)| ((*kind).to_owned(), json!({ "schema": schema }))).collect();
        self.responses.insert("200".into(), json!({ "description": description, "content": content }));
        self
    }
}

/// The schema of a text.
pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

/// The schema of a number from 1 to `most`.
pub(super) fn count(most: usize) -> Value {
    json!({ "type": "integer", "minimum": 1, "maximum": most })
}

/// The schema of a stream of server-sent events with one of these data types, optionally ended by a
/// text.
pub(super) fn events_of(data: &[Value], end: Option<&str>, about: &str) -> Value {
    let data = match data {
        [one] => one.clone(),
        several => json!({ "anyOf": several }),
    };
    let data = json!({ "type": "string", "contentMediaType": "application/json", "contentSchema": data });
    let data = match end {
        Some(end) => json!({ "anyOf": [data, { "const": end }] }),
        None => data,
    };
    json!({
        "type": "object",
        "description": format!("One of the server-sent events. {about}"),
        "required": ["data"],
        "properties": {
            "event": { "type": "string", "description": "Its name, where it has one." },
            "data": data,
        },
    })
}
